/* file: whole files, written so that a half-written one is never taken for whole, and their names,
 * of bounded length. */
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

/* path_format is snprintf into a buffer of PATH_SIZE; STATUS_USAGE if the result does not fit. */
#define PATH_SIZE 4096
enum status path_format(char path[PATH_SIZE], struct error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
