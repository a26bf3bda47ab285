/* A file is replaced by renaming a finished temporary one over it: a reader, a crash or a full disk
 * meets either the old content or the new one. Data are synced before the rename and the folder
 * after it, or a power cut could leave an empty file under the final name.
 */
#include "base/file.h"
#include "base/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST_READ 65536 /* for files that do not tell their size, as in /proc */

/* Fills err when the file is already known to be too large, else proposes a first capacity. */
static enum status plan_read(int fd, const char *path, size_t max_size, size_t *capacity,
                             struct error *err)
{
    struct stat info;
    if (fstat(fd, &info) != 0) {
        return error_set(err, STATUS_DATA, "cannot read %s: %s", path, strerror(errno));
    }
    if (S_ISDIR(info.st_mode)) {
        return error_set(err, STATUS_DATA, "cannot read %s: it is a folder, expected a file", path);
    }
    if (!S_ISREG(info.st_mode)) {
        return error_set(err, STATUS_DATA,
                         "cannot read %s: it is a pipe or a device, expected a regular file", path);
    }
    *capacity = FIRST_READ;
    if (info.st_size > 0) {
        if ((uintmax_t)info.st_size > max_size) {
            return error_set(err, STATUS_DATA, "%s has %ju bytes, expected at most %zu", path,
                             (uintmax_t)info.st_size, max_size);
        }
        /* One byte for the '\0', one so that the read that meets the end needs no growth. */
        *capacity = (size_t)info.st_size + 2;
    }
    return STATUS_OK;
}

static enum status read_all(int fd, const char *path, size_t max_size, char **data, size_t *size,
                            struct error *err)
{
    size_t capacity;
    TRY(plan_read(fd, path, max_size, &capacity, err));
    char *buffer = NULL;
    size_t used = 0;
    for (;;) {
        if (!buffer || used + 1 >= capacity) {
            capacity = buffer ? 2 * capacity : capacity;
            char *larger = realloc(buffer, capacity);
            if (!larger) {
                free(buffer);
                return error_memory(err, "reading %s, which takes %zu bytes", path, capacity);
            }
            buffer = larger;
        }
        ssize_t n = read(fd, buffer + used, capacity - 1 - used);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            free(buffer);
            return error_set(err, STATUS_DATA, "cannot read %s: %s", path, strerror(errno));
        }
        if (n == 0) {
            break;
        }
        used += (size_t)n;
        if (used > max_size) {
            free(buffer);
            return error_set(err, STATUS_DATA, "%s has more than %zu bytes, expected at most that",
                             path, max_size);
        }
    }
    buffer[used] = '\0';
    *data = buffer;
    *size = used;
    return STATUS_OK;
}

enum status file_read(const char *path, size_t max_size, char **data, size_t *size,
                      struct error *err)
{
    *data = NULL;
    *size = 0;
    /* Without O_NONBLOCK opening a pipe would wait for a writer. Regular files do not mind it. */
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        return error_set(err, STATUS_DATA, "cannot open %s: %s", path, strerror(errno));
    }
    enum status status = read_all(fd, path, max_size, data, size, err);
    close(fd);
    return status;
}

/* Returns 0 or an errno. */
static int write_all(int fd, const char *data, size_t size)
{
    while (size > 0) {
        ssize_t n = write(fd, data, size);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return n < 0 ? errno : ENOSPC;
        }
        data += n;
        size -= (size_t)n;
    }
    return 0;
}

/* Returns 0 or an errno; a close that fails is a write that failed. */
static int write_new_file(const char *path, const void *data, size_t size, bool sync)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0) {
        return errno;
    }
    int failure = write_all(fd, data, size);
    if (!failure && sync && fsync(fd) != 0) {
        failure = errno;
    }
    if (close(fd) != 0 && !failure) {
        failure = errno;
    }
    return failure;
}

/* Writes the folder of path, "." where path names none. */
static void parent_folder(const char *path, char folder[PATH_SIZE])
{
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) : 0;
    if (!slash) {
        memcpy(folder, ".", 2);
    } else if (n == 0) {
        memcpy(folder, "/", 2);
    } else {
        memcpy(folder, path, n);
        folder[n] = '\0';
    }
}

static enum status name_temporary(const char *path, char temporary[PATH_SIZE], struct error *err)
{
    if (path_format(temporary, NULL, "%s.tmp.%ld", path, (long)getpid())) {
        return error_set(err, STATUS_WRITE, "cannot write %s: %s", path, strerror(ENAMETOOLONG));
    }
    /* A rename would replace a device or a pipe by a file. */
    struct stat info;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
        return error_set(err, STATUS_WRITE, "cannot write %s: it exists and is not a regular file",
                         path);
    }
    return STATUS_OK;
}

enum status file_try(const char *path, struct error *err)
{
    char temporary[PATH_SIZE];
    TRY(name_temporary(path, temporary, err));
    int failure = write_new_file(temporary, "", 0, false);
    unlink(temporary);
    return failure ? error_set(err, STATUS_WRITE, "cannot write %s: %s", path, strerror(failure))
                   : STATUS_OK;
}

static enum status replace_file(const char *path, const void *data, size_t size, bool sync,
                                struct error *err)
{
    char temporary[PATH_SIZE];
    TRY(name_temporary(path, temporary, err));
    int failure = write_new_file(temporary, data, size, sync);
    if (!failure && rename(temporary, path) != 0) {
        failure = errno;
    }
    if (failure) {
        unlink(temporary);
        return error_set(err, STATUS_WRITE, "cannot write %s (%zu bytes): %s", path, size,
                         strerror(failure));
    }
    return STATUS_OK;
}

enum status file_write_atomic(const char *path, const void *data, size_t size, struct error *err)
{
    char folder[PATH_SIZE];
    TRY(replace_file(path, data, size, true, err));
    parent_folder(path, folder);
    return folder_sync(folder, err);
}

enum status file_write(const char *path, const void *data, size_t size, struct error *err)
{
    return replace_file(path, data, size, false, err);
}

bool file_exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

enum status path_format(char path[PATH_SIZE], struct error *err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(path, PATH_SIZE, format, args);
    va_end(args);
    if (length < 0 || length >= PATH_SIZE) {
        return error_set(err, STATUS_USAGE,
                         "a path has %d bytes, expected at most %d: choose a shorter folder "
                         "(it begins %.60s)",
                         length, PATH_SIZE - 1, path);
    }
    return STATUS_OK;
}
