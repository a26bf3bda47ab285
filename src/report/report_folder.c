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
#include "base/folder.h"
#include "base/path.h"

/* ---- names ---- */

bool report_folder_is_ours(const char *name)
{
    static const char *const ours[] = {
        "report.md", "report.html", "report.json", "runs.csv", "cells.csv", "heads.csv",
        "comparisons.csv", "overview.csv", "table_accuracy.tex", "table_escape.tex",
        "table_published.tex", "table_images.tex", "table_overview.tex", "accuracy.???",
        "curves.???", "attention-seed[0-9]*.png", "setting[0-9]*-accuracy.???",
        "setting[0-9]*-curves.???", "setting[0-9]*-attention-seed[0-9]*.png",
        "gap-token_accuracy.???", "gap-mean_train_loss.???", "confusion-*-s[0-9]*.png",
        "class-token-*-s[0-9]*-rollout.png", "class-token-*-s[0-9]*-last-layer.png",
        /* of a report that was killed while it wrote */
        "*.tmp.[0-9]*"};
    for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
        if (fnmatch(ours[i], name, 0) == 0) {
            return true;
        }
    }
    return false;
}

/* ---- what is somebody's own ---- */

static enum status move(const char *from, const char *to, const char *name, struct error *err)
{
    char source[PATH_SIZE], target[PATH_SIZE];
    struct stat info;
    enum status status = path_format(source, err, "%s/%s", from, name);
    if (status == STATUS_OK) {
        status = path_format(target, err, "%s/%s", to, name);
    }
    if (status == STATUS_OK && lstat(target, &info) == 0) {
        return error_set(err, STATUS_WRITE, "%s is not moved to %s: that is there already", source,
                         target);
    }
    if (status == STATUS_OK && rename(source, target) != 0) {
        return error_set(err, STATUS_WRITE, "cannot move %s to %s: %s", source, target,
                         strerror(errno));
    }
    return status;
}

static enum status move_foreign(const char *from, const char *to, struct error *err)
{
    char **names;
    size_t n_name;
    enum status status = folder_list(from, &names, &n_name, err);
    if (status != STATUS_OK) {
        return STATUS_WRITE;
    }
    for (size_t i = 0; status == STATUS_OK && i < n_name; i++) {
        if (!report_folder_is_ours(names[i])) {
            status = move(from, to, names[i], err);
        }
    }
    folder_list_free(names, n_name);
    return status;
}

/* Empties a folder that was the report, or was going to be one. */
static enum status clear(const struct report_folder *folder, const char *left, struct error *err)
{
    enum status status = STATUS_OK;
    if (folder_exists(left) && folder_exists(folder->path)) {
        status = move_foreign(left, folder->path, err);
    }
    return status == STATUS_OK ? folder_remove(left, err) : status;
}

/* What a report that was killed left: the new one, or after the exchange the old one; where folders
 * cannot be exchanged, the old one may be aside. */
static enum status clear_left(const struct report_folder *folder, struct error *err)
{
    enum status status = STATUS_OK;
    if (!folder_exists(folder->path) && folder_exists(folder->aside) &&
        rename(folder->aside, folder->path) != 0) {
        status = error_set(err, STATUS_WRITE, "cannot move %s to %s: %s", folder->aside,
                           folder->path, strerror(errno));
    }
    if (status == STATUS_OK) {
        status = clear(folder, folder->aside, err);
    }
    return status == STATUS_OK ? clear(folder, folder->work, err) : status;
}

/* ---- begin and end ---- */

static enum status find_paths(const char *out, struct report_folder *folder, char lock[PATH_SIZE],
                              struct error *err)
{
    enum status status = path_format(folder->path, err, "%s/report", out);
    char *real = status == STATUS_OK ? realpath(folder->path, NULL) : NULL;
    struct stat info;
    if (real && lstat(folder->path, &info) == 0 && S_ISLNK(info.st_mode)) {
        status = path_format(folder->path, err, "%s", real);
    }
    free(real);
    int parent = (int)(status == STATUS_OK ? strrchr(folder->path, '/') - folder->path : 0);
    if (status == STATUS_OK) {
        status = path_format(folder->work, err, "%.*s/.report.partial", parent, folder->path);
    }
    if (status == STATUS_OK) {
        status = path_format(folder->aside, err, "%s.old", folder->work);
    }
    if (status == STATUS_OK) {
        status = path_format(lock, err, "%.*s/.report.lock", parent, folder->path);
    }
    return status;
}

enum status report_folder_begin(const char *out, struct report_folder *folder, struct error *err)
{
    char lock[PATH_SIZE];
    struct timespec now;
    struct stat info;
    enum status status = find_paths(out, folder, lock, err);
    if (status == STATUS_OK && lstat(folder->path, &info) == 0 && !S_ISDIR(info.st_mode)) {
        return error_set(err, STATUS_WRITE,
                         "%s is no folder, so the report cannot be written; move it away",
                         folder->path);
    }
    if (status == STATUS_OK) {
        status = lock_take(lock, &folder->lock, &now, err);
    }
    if (status != STATUS_OK) {
        return status;
    }
    status = clear_left(folder, err);
    if (status == STATUS_OK) {
        status = folder_create(folder->work, err);
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
    enum status status = put_into_place(folder, replaces, err);
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
