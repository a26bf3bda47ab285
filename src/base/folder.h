/* folder: making, listing and removing folders. */
#ifndef QKVLAB_BASE_FOLDER_H
#define QKVLAB_BASE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

bool folder_exists(const char *path);

/* folder_create makes a folder and its parents; an existing folder is fine. Errors: STATUS_WRITE.
 */
enum status folder_create(const char *path, struct error *err);

/* folder_remove deletes a folder with everything in it; a missing folder is fine. Symbolic links
 * are removed, never followed. Errors: STATUS_WRITE, also where path is a file or a link. */
enum status folder_remove(const char *path, struct error *err);

/* folder_list returns the names in a folder in bytewise order, without "." and "..". Caller frees
 * with folder_list_free. Errors: STATUS_DATA. */
enum status folder_list(const char *path, char ***names, size_t *n_name, struct error *err);
void folder_list_free(char **names, size_t n_name);

/* folder_sync makes a rename inside the folder durable. */
enum status folder_sync(const char *path, struct error *err);

#endif
