/* report_folder: where the system can exchange two folders, there is no moment without a report;
 * elsewhere two renames leave a short one.
 */
#include "report/report_folder.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#ifdef __linux__
#include <fcntl.h>
#include <sys/syscall.h>
#endif

#include "base/claim.h"
#include "base/file.h"
#include "base/folder.h"
#include "base/text.h"

/* ---- what a report wrote ---- */

#define MANIFEST ".files"
#define ALL_OF_THEM "*" /* of a folder that is being written: nobody's own files are in it yet */
#define MAX_MANIFEST ((size_t)16 << 20)

static enum status write_manifest(const char *folder, const char *content, struct error *err)
{
    char path[PATH_SIZE];
    TRY(path_format(path, err, "%s/" MANIFEST, folder));
    return file_write(path, content, strlen(content), err);
}

/* Lists what is in the folder, a name a line. */
static enum status list_files(const char *folder, struct error *err)
{
    char **names;
    size_t n_name;
    struct text text = {0};
    TRY(folder_list(folder, &names, &n_name, err));
    for (size_t i = 0; i < n_name; i++) {
        text_append(&text, "%s\n", names[i]);
    }
    folder_list_free(names, n_name);
    enum status status = text.failed ? error_memory(err, "writing the report")
                                     : write_manifest(folder, text.data ? text.data : "", err);
    text_free(&text);
    return status;
}

/* What a folder's manifest holds, "" without one: older programs wrote none. Caller frees. */
static char *read_manifest(const char *folder)
{
    char path[PATH_SIZE];
    char *content;
    size_t size;
    bool fine = path_format(path, NULL, "%s/" MANIFEST, folder) == STATUS_OK && file_exists(path) &&
                file_read(path, MAX_MANIFEST, &content, &size, NULL) == STATUS_OK;
    return fine ? content : calloc(1, 1);
}

static bool has_line(const char *text, const char *line)
{
    size_t n = strlen(line);
    for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        if (strncmp(at, line, n) == 0 && (at[n] == '\n' || at[n] == '\0')) {
            return true;
        }
    }
    return false;
}

/* A file of a report: the manifest names it, it is the manifest, or half a file of a report that
 * was killed. Where there is no manifest, what the new report has by the same name. */
static bool is_ours(const char *manifest, const char *target, const char *name)
{
    char path[PATH_SIZE];
    struct stat info;
    if (has_line(manifest, ALL_OF_THEM) || has_line(manifest, name) ||
        strcmp(name, MANIFEST) == 0 || fnmatch("*.tmp.[0-9]*", name, 0) == 0) {
        return true;
    }
    return manifest[0] == '\0' && path_format(path, NULL, "%s/%s", target, name) == STATUS_OK &&
           lstat(path, &info) == 0;
}

/* ---- what is somebody's own ---- */

static enum status move(const char *from, const char *to, const char *name, struct error *err)
{
    char source[PATH_SIZE], target[PATH_SIZE];
    struct stat info;
    TRY(path_format(source, err, "%s/%s", from, name));
    TRY(path_format(target, err, "%s/%s", to, name));
    if (lstat(target, &info) == 0) {
        return error_set(err, STATUS_WRITE, "%s is not moved to %s: that is there already", source,
                         target);
    }
    return rename(source, target) == 0 ? STATUS_OK
                                       : error_set(err, STATUS_WRITE, "cannot move %s to %s: %s",
                                                   source, target, strerror(errno));
}

static enum status move_foreign(const char *from, const char *to, struct error *err)
{
    char **names, *manifest = read_manifest(from);
    size_t n_name;
    if (!manifest) {
        return error_memory(err, "writing the report");
    }
    if (folder_list(from, &names, &n_name, err) != STATUS_OK) {
        free(manifest);
        return STATUS_WRITE;
    }
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < n_name; i++) {
        if (!is_ours(manifest, to, names[i])) {
            status = move(from, to, names[i], err);
        }
    }
    folder_list_free(names, n_name);
    free(manifest);
    return status;
}

/* Empties a folder that was the report, or was going to be one. */
static enum status clear(const struct report_folder *folder, const char *left, struct error *err)
{
    if (folder_exists(left) && folder_exists(folder->path)) {
        TRY(move_foreign(left, folder->path, err));
    }
    return folder_remove(left, err);
}

/* What a report that was killed left: the new one, or after the exchange the old one; where folders
 * cannot be exchanged, the old one may be aside. */
static enum status clear_left(const struct report_folder *folder, struct error *err)
{
    if (!folder_exists(folder->path) && folder_exists(folder->aside) &&
        rename(folder->aside, folder->path) != 0) {
        return error_set(err, STATUS_WRITE, "cannot move %s to %s: %s", folder->aside, folder->path,
                         strerror(errno));
    }
    TRY(clear(folder, folder->aside, err));
    return clear(folder, folder->work, err);
}

/* ---- begin and end ---- */

static enum status find_paths(const char *out, struct report_folder *folder, char lock[PATH_SIZE],
                              struct error *err)
{
    TRY(path_format(folder->path, err, "%s/report", out));
    char *real = realpath(folder->path, NULL);
    struct stat info;
    enum status status = STATUS_OK;
    if (real && lstat(folder->path, &info) == 0 && S_ISLNK(info.st_mode)) {
        status = path_format(folder->path, err, "%s", real);
    }
    free(real);
    TRY(status);
    int parent = (int)(strrchr(folder->path, '/') - folder->path);
    TRY(path_format(folder->work, err, "%.*s/.report.partial", parent, folder->path));
    TRY(path_format(folder->aside, err, "%s.old", folder->work));
    return path_format(lock, err, "%.*s/.report.lock", parent, folder->path);
}

enum status report_folder_begin(const char *out, struct report_folder *folder, struct error *err)
{
    char lock[PATH_SIZE];
    struct timespec now;
    struct stat info;
    TRY(find_paths(out, folder, lock, err));
    if (lstat(folder->path, &info) == 0 && !S_ISDIR(info.st_mode)) {
        return error_set(err, STATUS_WRITE,
                         "%s is no folder, so the report cannot be written; move it away",
                         folder->path);
    }
    TRY(lock_take(lock, &folder->lock, &now, err));
    enum status status = clear_left(folder, err);
    if (status == STATUS_OK) {
        status = folder_create(folder->work, err);
    }
    if (status == STATUS_OK) {
        status = write_manifest(folder->work, ALL_OF_THEM "\n", err);
    }
    if (status != STATUS_OK) {
        lock_give(folder->lock);
    }
    return status;
}

/* Returns whether the two folders changed places. */
static bool exchange(const char *a, const char *b)
{
#if defined(__linux__) && defined(SYS_renameat2)
    const unsigned flag_exchange = 2; /* RENAME_EXCHANGE, which needs headers of GNU's own */
    return syscall(SYS_renameat2, AT_FDCWD, a, AT_FDCWD, b, flag_exchange) == 0;
#else
    (void)a;
    (void)b;
    return false;
#endif
}

/* The old folder ends up under the name of the work folder. */
static bool exchange_by_renames(const struct report_folder *folder)
{
    if (rename(folder->path, folder->aside) != 0) {
        return false;
    }
    if (rename(folder->work, folder->path) != 0) {
        int failure = errno;
        rename(folder->aside, folder->path);
        errno = failure;
        return false;
    }
    return rename(folder->aside, folder->work) == 0;
}

static enum status put_into_place(const struct report_folder *folder, bool replaces,
                                  struct error *err)
{
    bool fine = replaces ? exchange(folder->work, folder->path) || exchange_by_renames(folder)
                         : rename(folder->work, folder->path) == 0;
    return fine ? STATUS_OK
                : error_set(err, STATUS_WRITE, "cannot move %s to %s: %s", folder->work,
                            folder->path, strerror(errno));
}

enum status report_folder_finish(struct report_folder *folder, struct error *err)
{
    struct stat info;
    bool replaces = stat(folder->path, &info) == 0;
    if (replaces) {
        chmod(folder->work, info.st_mode & 07777);
    }
    enum status status = list_files(folder->work, err);
    if (status == STATUS_OK) {
        status = put_into_place(folder, replaces, err);
    }
    if (status != STATUS_OK) {
        report_folder_abandon(folder);
        return status;
    }
    if (replaces) {
        status = clear(folder, folder->work, err);
    }
    lock_give(folder->lock);
    return status;
}

void report_folder_abandon(struct report_folder *folder)
{
    folder_remove(folder->work, NULL);
    lock_give(folder->lock);
}
