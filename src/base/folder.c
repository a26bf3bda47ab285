/* Folders of file.h. Removal walks by open folders and names inside them (openat, unlinkat), never
 * by paths, so that a symbolic link is removed and not followed, even one that appears meanwhile.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/folder.h"

bool folder_exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* What exists already is fine whatever mkdir says: parents may be on a read-only file system. */
static enum status create_one(const char *path, struct error *err)
{
    if (mkdir(path, 0777) == 0) {
        return STATUS_OK;
    }
    int failure = errno;
    if (folder_exists(path)) {
        return STATUS_OK;
    }
    struct stat info;
    if (failure == EEXIST && lstat(path, &info) == 0 && S_ISLNK(info.st_mode)) {
        return error_set(err, STATUS_WRITE,
                         "cannot create folder %s: a symbolic link of that name leads to no folder",
                         path);
    }
    if (failure == EEXIST) {
        return error_set(err, STATUS_WRITE, "cannot create folder %s: a file of that name exists",
                         path);
    }
    return error_set(err, STATUS_WRITE, "cannot create folder %s: %s", path, strerror(failure));
}

enum status folder_create(const char *path, struct error *err)
{
    size_t n = strlen(path);
    char part[PATH_SIZE];
    if (n == 0 || n >= sizeof part) {
        return error_set(err, STATUS_WRITE,
                         "cannot create a folder: its path has %zu bytes, expected 1 to %zu", n,
                         sizeof part - 1);
    }
    memcpy(part, path, n + 1);
    for (size_t i = 1; i < n; i++) {
        if (part[i] == '/' && part[i - 1] != '/') {
            part[i] = '\0';
            TRY(create_one(part, err));
            part[i] = '/';
        }
    }
    return create_one(path, err);
}

static bool is_dot_name(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static enum status cannot_remove(const char *name, int failure, struct error *err)
{
    return error_set(err, STATUS_WRITE, "cannot remove %s: %s", name, strerror(failure));
}

/* Removes the folder name inside the open folder parent; what vanishes meanwhile is fine. */
static enum status remove_tree(int parent, const char *name, struct error *err)
{
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) {
        return errno == ENOENT ? STATUS_OK : cannot_remove(name, errno, err);
    }
    DIR *folder = fdopendir(fd);
    if (!folder) {
        int failure = errno;
        close(fd);
        return cannot_remove(name, failure, err);
    }
    enum status status = STATUS_OK;
    struct dirent *item;
    while (!status && (item = readdir(folder))) {
        struct stat info;
        if (is_dot_name(item->d_name)) {
            continue;
        }
        if (fstatat(fd, item->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(info.st_mode)) {
            status = remove_tree(fd, item->d_name, err);
        } else if (unlinkat(fd, item->d_name, 0) != 0 && errno != ENOENT) {
            status = cannot_remove(item->d_name, errno, err);
        }
    }
    closedir(folder);
    if (!status && unlinkat(parent, name, AT_REMOVEDIR) != 0 && errno != ENOENT) {
        status = cannot_remove(name, errno, err);
    }
    return status;
}

enum status folder_remove(const char *path, struct error *err)
{
    struct stat info;
    if (lstat(path, &info) == 0 && !S_ISDIR(info.st_mode)) {
        return error_set(err, STATUS_WRITE, "cannot remove folder %s: it is not a folder", path);
    }
    TRY_AT(err, remove_tree(AT_FDCWD, path, err), "removing folder %s", path);
    return STATUS_OK;
}

static int keep_name(const struct dirent *item)
{
    return !is_dot_name(item->d_name);
}

/* alphasort would follow the locale. */
static int compare_names(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

enum status folder_list(const char *path, char ***names, size_t *n_name, struct error *err)
{
    *names = NULL;
    *n_name = 0;
    struct dirent **items;
    int n = scandir(path, &items, keep_name, compare_names);
    if (n < 0) {
        return error_set(err, STATUS_DATA, "cannot list folder %s: %s", path, strerror(errno));
    }
    char **list = calloc((size_t)n + 1, sizeof *list);
    bool complete = list != NULL;
    for (int i = 0; i < n; i++) {
        if (complete) {
            list[i] = strdup(items[i]->d_name);
            complete = list[i] != NULL;
        }
        free(items[i]);
    }
    free(items);
    if (!complete) {
        folder_list_free(list, list ? (size_t)n : 0);
        return error_memory(err, "listing folder %s", path);
    }
    *names = list;
    *n_name = (size_t)n;
    return STATUS_OK;
}

void folder_list_free(char **names, size_t n_name)
{
    for (size_t i = 0; i < n_name; i++) {
        free(names[i]);
    }
    free(names);
}

enum status folder_sync(const char *path, struct error *err)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        return error_set(err, STATUS_WRITE, "cannot sync folder %s: %s", path, strerror(errno));
    }
    /* EINVAL: a file system that cannot sync folders; nothing more can be done there. */
    int failure = fsync(fd) == 0 || errno == EINVAL ? 0 : errno;
    close(fd);
    if (failure) {
        return error_set(err, STATUS_WRITE, "cannot sync folder %s: %s", path, strerror(failure));
    }
    return STATUS_OK;
}
