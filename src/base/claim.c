/* Whether a process lives can only be asked on its own machine, in its own process namespace and
 * since the last boot: a claim names all three, and the start time of the process, because numbers
 * of processes are given out again.
 */
#include "base/claim.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

#define FIELD_SIZE 256
#define CLAIM_SIZE 4096

/* ---- lock ---- */

enum status lock_take(const char *path, int *lock, struct timespec *now, struct error *err)
{
    struct stat info;
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    int result = fd < 0 ? -1 : 0;
    if (fd >= 0) {
        do {
            result = flock(fd, LOCK_EX);
        } while (result != 0 && errno == EINTR);
    }
    if (result != 0 || futimens(fd, NULL) != 0 || fstat(fd, &info) != 0) {
        error_set(err, STATUS_WRITE, "cannot lock %s: %s", path, strerror(errno));
        if (fd >= 0) {
            close(fd);
        }
        return STATUS_WRITE;
    }
    *lock = fd;
    *now = info.st_mtim;
    return STATUS_OK;
}

void lock_give(int lock)
{
    close(lock);
}

/* ---- who ---- */

static void read_line(const char *path, char line[FIELD_SIZE])
{
    line[0] = '\0';
    FILE *file = fopen(path, "re");
    if (file) {
        if (fgets(line, FIELD_SIZE, file)) {
            line[strcspn(line, "\n")] = '\0';
        }
        fclose(file);
    }
}

/* Two processes of the same origin can ask after each other. */
static void describe_origin(char origin[3 * FIELD_SIZE])
{
    char host[FIELD_SIZE] = "", boot[FIELD_SIZE], space[FIELD_SIZE] = "";
    gethostname(host, sizeof host - 1);
    read_line("/proc/sys/kernel/random/boot_id", boot);
    ssize_t length = readlink("/proc/self/ns/pid", space, sizeof space - 1);
    space[length > 0 ? length : 0] = '\0';
    snprintf(origin, 3 * FIELD_SIZE, "%.200s %.100s %.100s", host, boot, space);
}

/* process_start returns the start time of a process in clock ticks since boot, 0 where unknown or
 * when it is dead. Its 22nd field follows a command name that may hold blanks and brackets. */
static unsigned long long process_start(long pid)
{
    char path[64], line[FIELD_SIZE * 2] = "";
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    FILE *file = fopen(path, "re");
    if (!file) {
        return 0;
    }
    size_t size = fread(line, 1, sizeof line - 1, file);
    fclose(file);
    line[size] = '\0';
    char *field = strrchr(line, ')');
    if (!field || field[1] != ' ' || strchr("ZX", field[2])) {
        return 0;
    }
    for (int i = 0; i < 20 && field; i++) {
        field = strchr(field + 1, ' ');
    }
    return field ? strtoull(field, NULL, 10) : 0;
}

static bool process_lives(long pid, unsigned long long start)
{
    if (kill((pid_t)pid, 0) != 0 && errno == ESRCH) {
        return false;
    }
    return start == 0 || process_start(pid) == start;
}

/* ---- claim file ---- */

enum status claim_create(const char *path, int *fd, struct error *err)
{
    char origin[3 * FIELD_SIZE], text[CLAIM_SIZE];
    describe_origin(origin);
    long pid = (long)getpid();
    int size = snprintf(text, sizeof text, "origin %s\npid %ld\nstart %llu\nend\n", origin, pid,
                        process_start(pid));
    int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0) {
        return error_set(err, STATUS_WRITE, "cannot create %s: %s", path, strerror(errno));
    }
    if (write(file, text, (size_t)size) != size) {
        error_set(err, STATUS_WRITE, "cannot write %s: %s", path, strerror(errno));
        close(file);
        unlink(path);
        return STATUS_WRITE;
    }
    *fd = file;
    return STATUS_OK;
}

bool claim_is_live(const char *path, struct timespec now, int stale_seconds)
{
    char *text, origin[3 * FIELD_SIZE], ours[3 * FIELD_SIZE + 16];
    size_t size;
    struct stat info;
    if (stat(path, &info) != 0 || file_read(path, CLAIM_SIZE, &text, &size, NULL) != STATUS_OK) {
        return false;
    }
    long pid = 0;
    unsigned long long start = 0;
    int end = 0;
    char *rest = strchr(text, '\n');
    if (!rest || sscanf(rest, "\npid %ld\nstart %llu\nend%n", &pid, &start, &end) != 2 ||
        end == 0 || pid <= 0) {
        free(text);
        return false;
    }
    *rest = '\0';
    describe_origin(origin);
    snprintf(ours, sizeof ours, "origin %s", origin);
    bool same_origin = strcmp(text, ours) == 0;
    free(text);
    if (same_origin) {
        return process_lives(pid, start);
    }
    return now.tv_sec - info.st_mtim.tv_sec < stale_seconds;
}

void claim_owner(const char *path, char text[CLAIM_OWNER_SIZE])
{
    char *claim, host[65];
    size_t size;
    long pid;
    text[0] = '\0';
    if (file_read(path, CLAIM_SIZE, &claim, &size, NULL) == STATUS_OK) {
        const char *rest = strchr(claim, '\n');
        if (rest && sscanf(claim, "origin %64s", host) == 1 &&
            sscanf(rest, "\npid %ld", &pid) == 1) {
            snprintf(text, CLAIM_OWNER_SIZE, "process %ld on %s", pid, host);
        }
        free(claim);
    }
}

bool claim_is_ours(const char *path, int fd)
{
    struct stat at_path, open_file;
    return stat(path, &at_path) == 0 && fstat(fd, &open_file) == 0 &&
           at_path.st_ino == open_file.st_ino && at_path.st_dev == open_file.st_dev;
}

void claim_beat(int fd)
{
    futimens(fd, NULL);
}
