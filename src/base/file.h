/* file: whole files (file.c), folders (folder.c) and the texts that go into them (text.c), written
 * so that a half-written one is never taken for whole.
 */
#ifndef QKVLAB_BASE_FILE_H
#define QKVLAB_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* file_read reads a whole file of at most max_size bytes; *data has a '\0' behind its last byte.
 * Caller frees with free. Folders, pipes and devices are refused: a pipe could keep the program
 * waiting for ever, a device never ends. Errors: STATUS_DATA. */
enum status file_read(const char *path, size_t max_size, char **data, size_t *size,
                      struct error *err);

/* file_write_atomic writes path through a temporary file beside it: written, synced, renamed,
 * folder synced. On failure path is untouched and the temporary file is removed. A path that is a
 * folder, device or pipe is refused. Errors: STATUS_WRITE. */
enum status file_write_atomic(const char *path, const void *data, size_t size, struct error *err);

/* file_write is file_write_atomic without syncing, for what can be made again: after a power cut
 * the file may be empty. Dozens of pictures are written in the time of one sync. Errors:
 * STATUS_WRITE. */
enum status file_write(const char *path, const void *data, size_t size, struct error *err);

/* file_try tells before a long work whether file_write can write path: it makes the temporary file,
 * and removes it. Errors: STATUS_WRITE. */
enum status file_try(const char *path, struct error *err);

bool file_exists(const char *path);
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

/* path_format is snprintf into a buffer of PATH_SIZE; STATUS_USAGE if the result does not fit. */
#define PATH_SIZE 4096
enum status path_format(char path[PATH_SIZE], struct error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A growing text, for files that are built in memory and written at once. */
struct text {
    char *data; /* '\0' terminated, NULL while empty */
    size_t size, capacity;
    bool failed; /* sticky: out of memory */
};
void text_append(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_free(struct text *text);
/* text_write writes the text with file_write_atomic; STATUS_MEMORY if an append had failed. */
enum status text_write(const struct text *text, const char *path, struct error *err);
/* text_write_unsynced is text_write with file_write. */
enum status text_write_unsynced(const struct text *text, const char *path, struct error *err);

#endif
