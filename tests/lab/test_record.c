
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/folder.h"
#include "lab/record/record.h"
#include "testing.h"

#define ID "reverse-qkv-s0-0123456789ab"

static struct error err;

static struct record *claim(const char *id)
{
    struct record *record;
    bool claimed;
    FINE(record_claim(scratch, id, &record, &claimed, &err));
    ck_assert(claimed == (record != NULL));
    return record;
}

static const char *in_runs(const char *format, const char *id)
{
    static char path[PATH_SIZE];
    char name[200];
    snprintf(name, sizeof name, format, id);
    ck_assert_int_eq(path_format(path, NULL, "%s/runs/%s", scratch, name), STATUS_OK);
    return path;
}

/* Of no version of this program: its id is no hash. */
static struct run_record small_run(const char *id)
{
    static struct provenance here;
    if (!here.machine) {
        here = (struct provenance){provenance_machine(1), provenance_build()};
    }
    static const struct run_value result[] = {{.key = "token_accuracy", .value = 0.5},
                                              {.key = "loss", .value = 0.25},
                                              {.key = "final_train_loss", .value = 0.25}};
    struct run_record run = {.config = config_default(),
                             .result = result,
                             .n_result = sizeof result / sizeof result[0],
                             .provenance = here};
    snprintf(run.id, sizeof run.id, "%s", id);
    return run;
}

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[PATH_SIZE];
    ck_assert_int_eq(path_format(path, NULL, "%s/%s", folder, name), STATUS_OK);
    ck_assert_int_eq(file_write_atomic(path, text, strlen(text), NULL), STATUS_OK);
}

static enum status finish_id(struct record *record, const char *id)
{
    struct run_record run = small_run(id);
    return record_finish(record, &run, &err);
}

static enum status finish(struct record *record)
{
    return finish_id(record, ID);
}

/* ---- one process ---- */

FIXTURE(scratch_make, scratch_remove)

TEST(a_run_appears_whole)
{
    ck_assert_int_eq(record_state(scratch, ID), RECORD_NONE);
    struct record *record = claim(ID);
    ck_assert_int_eq(record_state(scratch, ID), RECORD_RUNNING);
    write_file(record_folder(record), "curve.csv", "step\n");
    record_heartbeat(record);
    ck_assert(!record_is_lost(record));
    ck_assert(!record_is_done(scratch, ID));
    FINE(finish(record));
    ck_assert(record_is_done(scratch, ID));
    ck_assert_int_eq(record_state(scratch, ID), RECORD_DONE);
    char **names;
    size_t n_name;
    ck_assert_int_eq(folder_list(in_runs("%s", ID), &names, &n_name, NULL), STATUS_OK);
    ck_assert_uint_eq(n_name, 2);
    ck_assert_str_eq(names[0], "curve.csv");
    ck_assert_str_eq(names[1], "run.json");
    folder_list_free(names, n_name);
    ck_assert(!folder_exists(in_runs("%s.partial", ID)));
    ck_assert_ptr_null(claim(ID)); /* done: there is nothing to claim */
}

TEST(a_claim_excludes_others_until_it_is_given_up)
{
    struct record *record = claim(ID);
    ck_assert_ptr_null(claim(ID));
    struct record *other = claim("other");
    ck_assert_ptr_nonnull(other);
    record_abandon(other);
    record_abandon(record);
    ck_assert_int_eq(record_state(scratch, ID), RECORD_INTERRUPTED);
    ck_assert(!file_exists(in_runs("%s.partial/claim", ID)));
    record = claim(ID);
    ck_assert_ptr_nonnull(record);
    record_abandon(record);
}

TEST(an_interrupted_run_starts_with_an_empty_folder)
{
    struct record *record = claim(ID);
    write_file(record_folder(record), "curve.csv", "old");
    write_file(in_runs("%s.partial", ID), "stray", "old");
    record_abandon(record);
    record = claim(ID);
    char **names;
    size_t n_name;
    ck_assert_int_eq(folder_list(record_folder(record), &names, &n_name, NULL), STATUS_OK);
    ck_assert_uint_eq(n_name, 0);
    folder_list_free(names, n_name);
    record_abandon(record);
}

TEST(a_failed_run_says_why_until_it_is_made_again)
{
    char why[RECORD_FAILURE_SIZE];
    record_fail(claim(ID), "out of memory for 5 steps");
    ck_assert_int_eq(record_state(scratch, ID), RECORD_FAILED);
    record_failure(scratch, ID, why);
    ck_assert_str_eq(why, "out of memory for 5 steps");
    ck_assert_int_eq(finish(claim(ID)), STATUS_OK);
    ck_assert_int_eq(record_state(scratch, ID), RECORD_DONE);
    record_failure(scratch, ID, why);
    ck_assert_str_eq(why, "");
}

TEST(what_is_hidden_or_no_folder_is_no_run)
{
    ck_assert(record_is_partial("copy-qk-s0-0123.partial") &&
              !record_is_partial("copy-qk-s0-0123"));
    ck_assert(!record_is_partial(RECORD_PARTIAL) && !record_is_partial(""));
    record_abandon(claim(ID)); /* makes runs/ */
    ck_assert_int_eq(folder_create(in_runs("%s", ".git"), NULL), STATUS_OK);
    ck_assert_int_eq(folder_create(in_runs("%s", "one"), NULL), STATUS_OK);
    ck_assert_int_eq(file_write(in_runs("%s", "notes.txt"), "", 0, NULL), STATUS_OK);
    ck_assert(record_is_folder(scratch, "one"));
    ck_assert(!record_is_folder(scratch, ".git"));
    ck_assert(!record_is_folder(scratch, "notes.txt"));
    ck_assert(!record_is_folder(scratch, "nowhere"));
}

/* ---- takeover ---- */

static char *read_claim(void)
{
    return scratch_read(in_runs("%s.partial/claim", ID));
}

/* plant_claim leaves a claim file in a partial folder, as another process would have. */
static void plant_claim(const char *text, long age_seconds)
{
    char folder[PATH_SIZE], path[PATH_SIZE];
    snprintf(folder, sizeof folder, "%s", in_runs("%s.partial", ID));
    ck_assert_int_eq(folder_create(folder, NULL), STATUS_OK);
    write_file(folder, "claim", text);
    ck_assert_int_eq(path_format(path, NULL, "%s/claim", folder), STATUS_OK);
    struct timespec when;
    clock_gettime(CLOCK_REALTIME, &when);
    when.tv_sec -= age_seconds;
    struct timespec times[2] = {when, when};
    ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
}

#define ELSEWHERE "origin elsewhere 0000 pid:[1]\npid 1\nstart 5\nend\n"

TEST(a_claim_from_elsewhere_lives_by_its_heartbeat)
{
    plant_claim(ELSEWHERE, 30);
    ck_assert_ptr_null(claim(ID));
    ck_assert_int_eq(record_state(scratch, ID), RECORD_RUNNING);
    char owner[RECORD_OWNER_SIZE];
    record_owner(scratch, ID, owner);
    ck_assert_str_eq(owner, "process 1 on elsewhere");
    plant_claim("origin", 0);
    record_owner(scratch, ID, owner);
    ck_assert_str_eq(owner, "");
    plant_claim(ELSEWHERE, -3600); /* a clock that is ahead */
    ck_assert_ptr_null(claim(ID));
    plant_claim(ELSEWHERE, RECORD_STALE_SECONDS + 1);
    ck_assert_int_eq(record_state(scratch, ID), RECORD_INTERRUPTED);
    struct record *record = claim(ID);
    ck_assert_ptr_nonnull(record);
    record_abandon(record);
}

TEST(a_claim_of_this_machine_lives_with_its_process)
{
    struct record *record = claim(ID);
    char *text = read_claim();
    plant_claim(text, 3600); /* this process lives, however old its heartbeat */
    ck_assert_ptr_null(claim(ID));
    char *start = strstr(text, "start ") + strlen("start ");
    ck_assert_int_ne(start[0], '0');
    start[0] = start[0] == '9' ? '8' : '9'; /* the same number, another process */
    plant_claim(text, 0);
    struct record *taken = claim(ID);
    ck_assert_ptr_nonnull(taken);
    record_abandon(record); /* must leave the taker's claim alone */
    ck_assert_ptr_null(claim(ID));
    record_abandon(taken);
    free(text);
}

TEST(a_claim_cut_short_belongs_to_nobody)
{
    const char *const cut[] = {"", "origin", ELSEWHERE};
    for (size_t i = 0; i < 3; i++) {
        char text[200];
        snprintf(text, sizeof text, "%s", cut[i]);
        text[i == 2 ? strlen(text) - 5 : strlen(text)] = '\0'; /* without "end" */
        plant_claim(text, 0);
        struct record *record = claim(ID);
        ck_assert_msg(record != NULL, "%s", text);
        record_abandon(record);
    }
}

TEST(a_dead_process_is_followed_at_once)
{
    pid_t child = fork();
    if (child == 0) {
        struct record *record;
        bool claimed;
        record_claim(scratch, ID, &record, &claimed, NULL);
        _exit(claimed ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    ck_assert_int_eq(status, 0);
    ck_assert(file_exists(in_runs("%s.partial/claim", ID)));
    struct record *record = claim(ID);
    ck_assert_ptr_nonnull(record);
    ck_assert_int_eq(finish(record), STATUS_OK);
}

TEST(who_lost_its_claim_publishes_nothing)
{
    struct record *record = claim(ID);
    char old_folder[PATH_SIZE];
    snprintf(old_folder, sizeof old_folder, "%s", record_folder(record));
    plant_claim(ELSEWHERE, RECORD_STALE_SECONDS + 1);
    struct record *taker = claim(ID);
    ck_assert_ptr_nonnull(taker);
    ck_assert_str_ne(record_folder(taker), old_folder);
    REFUSED(finish(record), STATUS_FAILED, "was taken over by another process");
    ck_assert(!record_is_done(scratch, ID));
    write_file(record_folder(taker), "curve.csv", "taker");
    ck_assert_int_eq(finish(taker), STATUS_OK);
    char *text = scratch_read(in_runs("%s/curve.csv", ID));
    ck_assert_str_eq(text, "taker");
    free(text);
}

/* ---- the final rename ---- */

TEST(who_finishes_first_stays)
{
    struct record *record = claim(ID);
    char folder[PATH_SIZE];
    snprintf(folder, sizeof folder, "%s", in_runs("%s", ID));
    ck_assert_int_eq(folder_create(folder, NULL), STATUS_OK);
    struct run_record run = small_run(ID);
    run.message = "first";
    ck_assert_int_eq(run_record_write(&run, in_runs("%s/run.json", ID), NULL), STATUS_OK);
    ck_assert_int_eq(finish(record), STATUS_OK);
    char *text = scratch_read(in_runs("%s/run.json", ID));
    ck_assert_ptr_nonnull(strstr(text, "first"));
    free(text);
    ck_assert(!folder_exists(in_runs("%s.partial", ID)));
}

/* plant_run writes a folder under the run's name with that text as run.json; NULL: none. */
static void plant_run(const char *text)
{
    char folder[PATH_SIZE];
    snprintf(folder, sizeof folder, "%s", in_runs("%s", ID));
    ck_assert_int_eq(folder_create(folder, NULL), STATUS_OK);
    write_file(folder, "curve.csv", "step,loss\n0,2\n1,1\n");
    if (text) {
        write_file(folder, "run.json", text);
    }
}

#define RUN(id, status, loss)                                                                      \
    "{\"format\": \"qkvlab-run-1\", \"id\": \"" id "\", \"status\": \"" status                     \
    "\", \"results\": {\"token_accuracy\": 0.5, \"final_train_loss\": 1, \"loss\": " loss "}}"

/* What stands beside its results: its number of steps, versions and configuration. */
#define RUN_WITH(n_step, rest)                                                                     \
    "{\"format\": \"qkvlab-run-1\", \"id\": \"" ID "\", \"status\": \"ok\", \"results\": {"        \
    "\"token_accuracy\": 0.5, \"final_train_loss\": 1, \"loss\": 1, \"n_step\": " n_step "}" rest  \
    "}"
#define VERSIONS ", \"versions\": {\"engine\": 1, \"task\": 1}, \"config\": "

TEST(a_damaged_run_is_set_aside_and_made_again)
{
    static const struct {
        const char *run, *sentence;
    } damage[] = {
        {NULL, "has no run.json"},
        {"", "not valid JSON"},
        {"{\"format\": \"qkvlab-run-1\", \"id\": \"rev", "not valid JSON"},
        {"{\"format\": \"qkvlab-run-9\"}", "format is \"qkvlab-run-9\""},
        {RUN(ID, "ok", "1e999"), "not valid JSON"},
        {RUN(ID, "ok", "null"), "results.loss is no number"},
        {RUN("other", "ok", "1"), "id is \"other\""},
        {RUN(ID, "great", "1"), "status is \"great\""},
        {RUN_WITH("3", ""), "curve.csv is cut short: it does not end with step 2"},
        {RUN_WITH("1", ""), "curve.csv is cut short"},
        {RUN_WITH("2", VERSIONS "{\"task\": \"copy\", \"seed\": 5}"),
         "its config is that of the run copy-qkv-s5-"},
        {RUN_WITH("2", VERSIONS "{\"task\": \"copy\", \"sed\": 5}"), "run.json: config: "},
    };
    int n_damage = sizeof damage / sizeof damage[0];
    for (int i = 0; i < n_damage; i++) {
        char aside[64];
        snprintf(aside, sizeof aside, "%%s.damaged-%d", i + 1);
        plant_run(damage[i].run);
        ck_assert(!record_is_done(scratch, ID));
        struct record *record = claim(ID);
        ck_assert_ptr_nonnull(record);
        const char *said = record_set_aside(record);
        ck_assert_msg(strstr(said, damage[i].sentence) != NULL, "%d: %s", i, said);
        ck_assert_ptr_nonnull(strstr(said, "set aside as " ID ".damaged-"));
        ck_assert(!folder_exists(in_runs("%s", ID)));
        ck_assert(folder_exists(in_runs(aside, ID)));
        ck_assert_int_eq(finish(record), STATUS_OK);
        ck_assert(record_is_done(scratch, ID));
        ck_assert_int_eq(folder_remove(in_runs("%s", ID), NULL), STATUS_OK);
    }
}

TEST(a_path_that_is_too_long_cannot_be_written)
{
    char out[PATH_SIZE + 8];
    struct record *record;
    bool claimed;
    static const size_t length[] = {PATH_SIZE - 100, PATH_SIZE + 2};
    for (size_t i = 0; i < 2; i++) {
        memset(out, 'a', sizeof out);
        out[length[i]] = '\0';
        REFUSED(record_claim(out, ID, &record, &claimed, &err), STATUS_WRITE,
                "expected at most 4095: choose a shorter folder");
    }
}

TEST(a_curve_that_is_not_whole_shows)
{
    static const char *const broken[] = {
        "",     "\n", "1,1", "step,loss\n0,2\n1,1", "step,loss\n0,2\n", "step,loss\n0,2\n11,1\n",
        "1,1\n"};
    plant_run(RUN_WITH("2", ""));
    ck_assert(record_is_done(scratch, ID));
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        write_file(in_runs("%s", ID), "curve.csv", broken[i]);
        ck_assert_msg(!record_is_done(scratch, ID), "%zu", i);
    }
    struct run_record run;
    ck_assert_int_eq(unlink(in_runs("%s/curve.csv", ID)), 0);
    REFUSED(record_read(in_runs("%s", ID), &run, &err), STATUS_DATA, "curve.csv is missing");
    run_record_free(&run);
}

TEST(a_diverged_run_is_finished_without_results)
{
    plant_run(RUN(ID, "diverged", "null"));
    ck_assert(record_is_done(scratch, ID));
    ck_assert_ptr_null(claim(ID));
}

TEST(what_a_kill_left_beside_a_finished_run_is_tidied_up)
{
    ck_assert_int_eq(finish(claim(ID)), STATUS_OK);
    plant_claim(ELSEWHERE, RECORD_STALE_SECONDS + 1);
    ck_assert_ptr_null(claim(ID));
    ck_assert(!folder_exists(in_runs("%s.partial", ID)));
    ck_assert(record_is_done(scratch, ID));

    plant_claim(ELSEWHERE, 0); /* whoever it is may still be at it */
    record_tidy(scratch, ID);
    ck_assert(folder_exists(in_runs("%s.partial", ID)));
    plant_claim(ELSEWHERE, RECORD_STALE_SECONDS + 1);
    record_tidy(scratch, ID);
    ck_assert(!folder_exists(in_runs("%s.partial", ID)));
    ck_assert(record_is_done(scratch, ID));
}

TEST(an_unfinished_run_is_not_tidied_up)
{
    plant_claim(ELSEWHERE, RECORD_STALE_SECONDS + 1);
    record_tidy(scratch, ID);
    ck_assert(folder_exists(in_runs("%s.partial", ID)));
    record_tidy("nowhere", ID);
    ck_assert(!folder_exists("nowhere"));
}

TEST(an_output_folder_that_cannot_be_written)
{
    struct record *record;
    bool claimed;
    char file[PATH_SIZE];
    write_file(scratch, "file", "x");
    snprintf(file, sizeof file, "%s/file", scratch);
    ck_assert_int_eq(record_claim(file, ID, &record, &claimed, &err), STATUS_WRITE);
    ck_assert(!claimed && record == NULL);
    SAID("file");
}

/* ---- several processes ---- */

enum { N_TAKER = 8, N_ROUND = 12 };

/* take_when_told waits for the gate to close, claims, says whether it got the claim, and holds it
 * until the parent has heard from everybody. */
static void take_when_told(int gate, int answer, int hold)
{
    char byte;
    while (read(gate, &byte, 1) < 0 && errno == EINTR) {
    }
    struct record *record;
    bool claimed = false;
    enum status status = record_claim(scratch, ID, &record, &claimed, NULL);
    byte = status != STATUS_OK ? 'e' : claimed ? '1' : '0';
    if (write(answer, &byte, 1) != 1) {
        _exit(1);
    }
    while (read(hold, &byte, 1) < 0 && errno == EINTR) {
    }
    _exit(0);
}

static size_t count_winners(void)
{
    int gate[2], answer[2], hold[2];
    ck_assert(pipe(gate) == 0 && pipe(answer) == 0 && pipe(hold) == 0);
    pid_t taker[N_TAKER];
    for (size_t i = 0; i < N_TAKER; i++) {
        taker[i] = fork();
        if (taker[i] == 0) {
            close(gate[1]);
            close(hold[1]);
            take_when_told(gate[0], answer[1], hold[0]);
        }
    }
    close(gate[0]);
    close(gate[1]); /* go */
    size_t n_winner = 0;
    for (size_t i = 0; i < N_TAKER; i++) {
        char byte = 'e';
        ck_assert_int_eq(read(answer[0], &byte, 1), 1);
        ck_assert_int_ne(byte, 'e');
        n_winner += byte == '1';
    }
    close(hold[0]);
    close(hold[1]);
    for (size_t i = 0; i < N_TAKER; i++) {
        waitpid(taker[i], NULL, 0);
    }
    close(answer[0]);
    close(answer[1]);
    return n_winner;
}

TEST(one_of_many_takers_gets_a_claim)
{
    ck_assert_uint_eq(count_winners(), 1); /* a fresh one */
    for (size_t i = 0; i < N_ROUND; i++) {
        ck_assert_uint_eq(count_winners(), 1); /* the one its dead holder left */
        plant_claim(ELSEWHERE, RECORD_STALE_SECONDS + 1);
        ck_assert_uint_eq(count_winners(), 1); /* one from elsewhere */
    }
}

static void id_number(size_t i, char id[32])
{
    snprintf(id, 32, "run-%zu", i);
}

enum { N_RUN = 60 };

/* Makes runs one after another until it is killed, and says so after each of its own. */
static void make_runs(int told)
{
    for (size_t i = 0; i < N_RUN; i++) {
        char id[32], path[PATH_SIZE];
        id_number(i, id);
        struct record *record;
        bool claimed;
        if (record_claim(scratch, id, &record, &claimed, NULL) != STATUS_OK) {
            _exit(1);
        }
        if (!claimed) {
            continue;
        }
        path_format(path, NULL, "%s/curve.csv", record_folder(record));
        struct run_record run = small_run(id);
        if (file_write_atomic(path, "whole\n", 6, NULL) != STATUS_OK ||
            record_finish(record, &run, NULL) != STATUS_OK) {
            _exit(1);
        }
        if (told >= 0 && write(told, "", 1) != 1) {
            _exit(1);
        }
    }
    _exit(0);
}

static size_t count_done(void)
{
    size_t n_done = 0;
    for (size_t i = 0; i < N_RUN; i++) {
        char id[32];
        id_number(i, id);
        if (folder_exists(in_runs("%s", id))) {
            json_t *run;
            FINE(json_read(in_runs("%s/run.json", id), &run, &err));
            json_decref(run);
            char *curve = scratch_read(in_runs("%s/curve.csv", id));
            ck_assert_str_eq(curve, "whole\n");
            free(curve);
            n_done++;
        }
    }
    return n_done;
}

TEST(killed_while_saving_dozens_of_times)
{
    size_t n_before = 0;
    for (long round = 0; round < 40; round++) {
        int told[2];
        ck_assert_int_eq(pipe(told), 0);
        pid_t child = fork();
        if (child == 0) {
            close(told[0]);
            make_runs(told[1]);
        }
        close(told[1]);
        char byte;
        ssize_t n_read = read(told[0], &byte, 1); /* one is finished, the next one is on its way */
        ck_assert(n_read == 1 || round > 0);
        struct timespec wait = {.tv_nsec = round * 377731 % 9000000};
        nanosleep(&wait, NULL);
        kill(child, SIGKILL);
        int status;
        waitpid(child, &status, 0);
        close(told[0]);
        ck_assert_msg(WIFSIGNALED(status) || WEXITSTATUS(status) == 0, "a child failed");
        size_t n_done = count_done();
        ck_assert_uint_ge(n_done, n_before); /* nothing finished is lost */
        n_before = n_done;
    }
    for (size_t i = 0; i < N_RUN; i++) {
        char id[32];
        id_number(i, id);
        if (!record_is_done(scratch, id)) {
            struct record *record = claim(id);
            ck_assert_msg(record != NULL, "%s cannot be claimed", id);
            write_file(record_folder(record), "curve.csv", "whole\n");
            ck_assert_int_eq(finish_id(record, id), STATUS_OK);
        }
    }
    ck_assert_uint_eq(count_done(), N_RUN);
    char **names;
    size_t n_name;
    for (size_t i = 0; i < N_RUN; i++) { /* tidies up */
        char id[32];
        id_number(i, id);
        ck_assert_ptr_null(claim(id));
    }
    ck_assert_int_eq(folder_list(in_runs("%s", ""), &names, &n_name, NULL), STATUS_OK);
    ck_assert_uint_eq(n_name, N_RUN);
    folder_list_free(names, n_name);
}

TEST(two_processes_share_the_work)
{
    pid_t child[2];
    for (size_t i = 0; i < 2; i++) {
        child[i] = fork();
        if (child[i] == 0) {
            make_runs(-1);
        }
    }
    for (size_t i = 0; i < 2; i++) {
        int status;
        waitpid(child[i], &status, 0);
        ck_assert_int_eq(status, 0);
    }
    ck_assert_uint_eq(count_done(), N_RUN);
}

/* ---- full disk ---- */

static void limit_files(rlim_t size)
{
    struct rlimit limit;
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = size < limit.rlim_max ? size : limit.rlim_max;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

TEST(a_full_disk_while_claiming)
{
    signal(SIGXFSZ, SIG_IGN);
    struct record *record;
    bool claimed;
    limit_files(10);
    enum status status = record_claim(scratch, ID, &record, &claimed, &err);
    limit_files(RLIM_INFINITY);
    ck_assert_int_eq(status, STATUS_WRITE);
    ck_assert(!claimed);
    SAID("cannot write");
    record = claim(ID);
    ck_assert_ptr_nonnull(record);
    record_abandon(record);
}

TEST(a_full_disk_while_finishing)
{
    signal(SIGXFSZ, SIG_IGN);
    struct record *record = claim(ID);
    limit_files(10);
    enum status status = finish(record);
    limit_files(RLIM_INFINITY);
    ck_assert_int_eq(status, STATUS_WRITE);
    ck_assert(!record_is_done(scratch, ID));
    ck_assert(!folder_exists(in_runs("%s", ID)));
    char why[RECORD_FAILURE_SIZE];
    ck_assert_int_eq(record_state(scratch, ID), RECORD_FAILED);
    record_failure(scratch, ID, why); /* there was no room for it either */
    ck_assert_str_eq(why, "the reason could not be written down");
    record = claim(ID);
    ck_assert_ptr_nonnull(record);
    ck_assert_int_eq(finish(record), STATUS_OK);
}
