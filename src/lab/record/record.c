/* Every run is made once, whoever else works on the same folder and whenever anybody is killed.
 *
 * Claims change only under the lock <out>/.lock: taking one, taking over a stale one, giving one
 * up and the final rename. So between "this claim is stale" and its removal nobody can have put a
 * fresh one in its place, which two takers without a lock could do to each other. The kernel gives
 * the lock back when its holder dies. What a kill leaves behind, step by step:
 *   - a partial folder without a claim, or with a claim cut short: not live, taken over (claims are
 *     written under the lock, so a reader that holds it never meets one being written);
 *   - a whole claim of a dead process: taken over, at once or after the heartbeat's minute;
 *   - a work folder: nobody else's, its name is unique; the next claim deletes it;
 *   - a finished run beside its partial folder: the run is done, the next claim tidies up.
 * A process that slept so long that its claim was taken over writes into its own work folder, which
 * is gone, and finds at the end that the claim is another's. The O_EXCL of the claim file stays as
 * a second line where a file system's locks reach only one machine.
 *
 * The final rename decides: a folder of that name that is not empty makes it fail, and then the
 * other result stays.
 */
#include "lab/record/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/claim.h"
#include "base/file.h"
#include "base/folder.h"

#define HEARTBEAT_SECONDS 5
/* At least as long as what a run writes in its folder: found out before it is trained. */
#define LONGEST_NAME "/attention/step000000000/samples_layer00000.npy.temporary-0000000000-00000000"

struct record {
    char id[CONFIG_ID_SIZE];
    char lock[PATH_SIZE];    /* <out>/.lock */
    char runs[PATH_SIZE];    /* <out>/runs */
    char final[PATH_SIZE];   /* <out>/runs/<id> */
    char partial[PATH_SIZE]; /* <out>/runs/<id>.partial */
    char claim[PATH_SIZE];   /* <partial>/claim */
    char work[PATH_SIZE];    /* <partial>/work-... */
    int claim_fd;
    time_t last_beat;
    bool lost;
    struct error set_aside; /* a sentence, "" where nothing was in the way */
};

/* ---- paths ---- */

enum status record_path(const char *out, const char *id, char path[PATH_SIZE], struct error *err)
{
    return path_format(path, err, "%s/runs/%s", out, id);
}

/* Unique among the living; what a dead process of the same number left is deleted before. */
static enum status name_work(struct record *record, struct error *err)
{
    static unsigned n_work;
    char host[64] = "";
    gethostname(host, sizeof host - 1);
    return path_format(record->work, err, "%s/work-%s-%ld-%u", record->partial, host,
                       (long)getpid(), n_work++);
}

static enum status fill_paths(struct record *record, const char *out, const char *id,
                              struct error *err)
{
    char longest[PATH_SIZE];
    snprintf(record->id, sizeof record->id, "%s", id);
    TRY(path_format(record->lock, err, "%s/.lock", out));
    TRY(path_format(record->runs, err, "%s/runs", out));
    TRY(record_path(out, id, record->final, err));
    TRY(path_format(record->partial, err, "%s" RECORD_PARTIAL, record->final));
    TRY(path_format(record->claim, err, "%s/claim", record->partial));
    TRY(name_work(record, err));
    return path_format(longest, err, "%s" LONGEST_NAME, record->work);
}

/* ---- state ---- */

static bool folder_is_complete(const char *path, struct error *err)
{
    struct run_record run;
    enum status status = record_read(path, &run, err);
    run_record_free(&run);
    return status == STATUS_OK;
}

bool record_is_done(const char *out, const char *id)
{
    char path[PATH_SIZE];
    return record_path(out, id, path, NULL) == STATUS_OK && folder_is_complete(path, NULL);
}

bool record_outcome(const char *out, const char *id, struct record_outcome *outcome)
{
    struct run_record run;
    bool done = record_load(out, id, &run);
    if (done) {
        *outcome = (struct record_outcome){.diverged = run.status == RUN_STATUS_DIVERGED,
                                           .process = run.process};
    }
    run_record_free(&run);
    return done;
}

static bool failure_path(const char *partial, char path[PATH_SIZE])
{
    return path_format(path, NULL, "%s/failure", partial) == STATUS_OK;
}

void record_failure(const char *out, const char *id, char text[RECORD_FAILURE_SIZE])
{
    char partial[PATH_SIZE], path[PATH_SIZE], *found;
    size_t size;
    text[0] = '\0';
    if (path_format(partial, NULL, "%s/runs/%s" RECORD_PARTIAL, out, id) == STATUS_OK &&
        failure_path(partial, path) && file_exists(path) &&
        file_read(path, RECORD_FAILURE_SIZE, &found, &size, NULL) == STATUS_OK) {
        snprintf(text, RECORD_FAILURE_SIZE, "%s",
                 size > 0 ? found : "the reason could not be written down");
        free(found);
    }
}

void record_owner(const char *out, const char *id, char text[RECORD_OWNER_SIZE])
{
    char path[PATH_SIZE];
    text[0] = '\0';
    if (path_format(path, NULL, "%s/runs/%s" RECORD_PARTIAL "/claim", out, id) == STATUS_OK) {
        claim_owner(path, text);
    }
}

bool record_is_partial(const char *name)
{
    size_t n = strlen(name), n_suffix = strlen(RECORD_PARTIAL);
    return n > n_suffix && strcmp(name + n - n_suffix, RECORD_PARTIAL) == 0;
}

bool record_is_folder(const char *out, const char *name)
{
    char path[PATH_SIZE];
    return name[0] != '.' && record_path(out, name, path, NULL) == STATUS_OK && folder_exists(path);
}

enum record_state record_state(const char *out, const char *id)
{
    char partial[PATH_SIZE], claim[PATH_SIZE];
    if (record_is_done(out, id)) {
        return RECORD_DONE;
    }
    if (path_format(partial, NULL, "%s/runs/%s" RECORD_PARTIAL, out, id) != STATUS_OK ||
        path_format(claim, NULL, "%s/claim", partial) != STATUS_OK || !folder_exists(partial)) {
        return RECORD_NONE;
    }
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (claim_is_live(claim, now, RECORD_STALE_SECONDS)) {
        return RECORD_RUNNING;
    }
    char failure[PATH_SIZE];
    return failure_path(partial, failure) && file_exists(failure) ? RECORD_FAILED
                                                                  : RECORD_INTERRUPTED;
}

/* ---- claiming ---- */

/* Clears what a dead run left and makes the claim and an empty work folder. Holds the lock. */
static enum status take(struct record *record, struct error *err)
{
    TRY(folder_remove(record->partial, err));
    TRY(folder_create(record->partial, err));
    TRY(claim_create(record->claim, &record->claim_fd, err));
    enum status status = folder_create(record->work, err);
    if (status != STATUS_OK) {
        close(record->claim_fd);
        unlink(record->claim);
    }
    return status;
}

#define MAX_DAMAGED 1000

static bool is_there(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0;
}

/* Renames what lies under the run's name and is no finished run; an empty folder just goes. */
static enum status set_aside(struct record *record, const char *damage, struct error *err)
{
    if (!is_there(record->final) || rmdir(record->final) == 0) {
        return STATUS_OK;
    }
    char aside[PATH_SIZE];
    for (int n = 1; n < MAX_DAMAGED; n++) {
        TRY(path_format(aside, err, "%s.damaged-%d", record->final, n));
        if (is_there(aside)) {
            continue;
        }
        if (rename(record->final, aside) != 0) {
            break;
        }
        error_set(&record->set_aside, STATUS_DATA,
                  "%s: no finished run, set aside as %s.damaged-%d and trained again", damage,
                  record->id, n);
        return folder_sync(record->runs, err);
    }
    return error_set(err, STATUS_WRITE,
                     "%s is no finished run and cannot be set aside as %s: %s; remove it and run "
                     "again",
                     record->final, aside, strerror(errno));
}

static enum status claim_under_lock(struct record *record, struct timespec now, bool *claimed,
                                    struct error *err)
{
    if (claim_is_live(record->claim, now, RECORD_STALE_SECONDS)) {
        return STATUS_OK;
    }
    struct error damage = {0};
    if (folder_is_complete(record->final, &damage)) {
        return folder_remove(record->partial, err);
    }
    TRY(set_aside(record, damage.text, err));
    enum status status = take(record, err);
    *claimed = status == STATUS_OK;
    return status;
}

static time_t seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

static enum status claim(struct record *record, const char *out, const char *id, bool *claimed,
                         struct error *err)
{
    int lock;
    struct timespec now;
    if (fill_paths(record, out, id, err) != STATUS_OK) {
        return STATUS_WRITE; /* a path that is too long */
    }
    TRY(folder_create(record->runs, err));
    TRY(lock_take(record->lock, &lock, &now, err));
    enum status status = claim_under_lock(record, now, claimed, err);
    lock_give(lock);
    return status;
}

enum status record_claim(const char *out, const char *id, struct record **record, bool *claimed,
                         struct error *err)
{
    *record = NULL;
    *claimed = false;
    struct record *made = calloc(1, sizeof *made);
    if (!made) {
        return error_memory(err, "claiming run %s", id);
    }
    enum status status = claim(made, out, id, claimed, err);
    made->last_beat = seconds_now();
    if (*claimed) {
        *record = made;
    } else {
        free(made);
    }
    return status;
}

void record_tidy(const char *out, const char *id)
{
    struct record found = {.claim_fd = -1};
    int lock;
    struct timespec now;
    if (fill_paths(&found, out, id, NULL) == STATUS_OK && is_there(found.partial) &&
        lock_take(found.lock, &lock, &now, NULL) == STATUS_OK) {
        if (!claim_is_live(found.claim, now, RECORD_STALE_SECONDS) &&
            folder_is_complete(found.final, NULL)) {
            folder_remove(found.partial, NULL);
        }
        lock_give(lock);
    }
}

/* ---- while it runs ---- */

const char *record_set_aside(const struct record *record)
{
    return record->set_aside.text;
}

const char *record_folder(const struct record *record)
{
    return record->work;
}

void record_heartbeat(struct record *record)
{
    time_t now = seconds_now();
    if (now - record->last_beat < HEARTBEAT_SECONDS) {
        return;
    }
    record->last_beat = now;
    record->lost = record->lost || !claim_is_ours(record->claim, record->claim_fd);
    claim_beat(record->claim_fd);
}

bool record_is_lost(const struct record *record)
{
    return record->lost;
}

/* ---- the end ---- */

static void record_free(struct record *record)
{
    close(record->claim_fd);
    free(record);
}

/* A full disk may still have room for an empty file. */
static void write_reason(const struct record *record, const char *reason)
{
    char path[PATH_SIZE];
    if (failure_path(record->partial, path) &&
        file_write(path, reason, strlen(reason), NULL) != STATUS_OK) {
        int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
        if (fd >= 0) {
            close(fd);
        }
    }
}

/* Moves the work folder into place. Holds the lock and the claim. */
static enum status publish(struct record *record, struct error *err)
{
    if (rename(record->work, record->final) == 0) {
        return folder_sync(record->runs, err);
    }
    int cause = errno;
    if ((cause == ENOTEMPTY || cause == EEXIST) && folder_is_complete(record->final, NULL)) {
        return STATUS_OK;
    }
    return error_set(err, STATUS_WRITE, "cannot rename %s to %s: %s", record->work, record->final,
                     strerror(cause));
}

static enum status finish_under_lock(struct record *record, struct error *err)
{
    if (!claim_is_ours(record->claim, record->claim_fd)) {
        folder_remove(record->work, NULL);
        if (folder_is_complete(record->final, NULL)) {
            return STATUS_OK;
        }
        return error_set(err, STATUS_FAILED,
                         "%s was taken over by another process, because this one showed no sign of "
                         "life for %d seconds",
                         record->partial, RECORD_STALE_SECONDS);
    }
    enum status status = publish(record, err);
    if (status == STATUS_OK) {
        folder_remove(record->partial, NULL); /* if that fails, the next claim tidies up */
    } else {
        write_reason(record, err ? err->text : "cannot write the run");
        unlink(record->claim);
    }
    return status;
}

static enum status write_and_publish(struct record *record, const struct run_record *run,
                                     bool *published, struct error *err)
{
    char path[PATH_SIZE];
    int lock;
    struct timespec now;
    TRY(path_format(path, err, "%s/run.json", record->work));
    if (claim_is_ours(record->claim, record->claim_fd)) {
        TRY(run_record_write(run, path, err));
    }
    TRY(lock_take(record->lock, &lock, &now, err));
    *published = true;
    enum status status = finish_under_lock(record, err);
    lock_give(lock);
    return status;
}

enum status record_finish(struct record *record, const struct run_record *run, struct error *err)
{
    bool published = false; /* or refused, with the claim given up */
    enum status status = write_and_publish(record, run, &published, err);
    if (published) {
        record_free(record);
    } else {
        record_fail(record, err ? err->text : "cannot write the run");
    }
    return status;
}

/* Gives the claim up and leaves the reason, if there is one; the folder stays and says that the run
 * was begun. */
static void give_up(struct record *record, const char *reason)
{
    int lock;
    struct timespec now;
    folder_remove(record->work, NULL);
    if (lock_take(record->lock, &lock, &now, NULL) == STATUS_OK) {
        if (claim_is_ours(record->claim, record->claim_fd)) {
            if (reason) {
                write_reason(record, reason);
            }
            unlink(record->claim);
        }
        lock_give(lock);
    }
    record_free(record);
}

void record_abandon(struct record *record)
{
    give_up(record, NULL);
}

void record_fail(struct record *record, const char *reason)
{
    give_up(record, reason);
}
