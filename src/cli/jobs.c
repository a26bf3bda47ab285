/* One child process a run. Its command line names every key of the run that is not at its default,
 * so that a configuration file may change meanwhile; claims in the run folders keep any two
 * processes apart, whoever started them.
 *
 * Children are in a process group of their own: a Ctrl-C reaches only the parent, which passes on
 * one signal; otherwise a child would hear it twice and stop at once.
 */
#include "cli/plan.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "cli/signals.h"
#include "cli/startup.h"
#include "lab/record/record.h"

/* Short beside the smallest runs, which take 0.02 s with their process. */
#define POLL_NANOSECONDS 5000000L
#define NOT_STARTED 127 /* exit status, as shells have it */

struct child {
    pid_t pid; /* 0: the place is free */
    size_t run;
};

struct pool {
    const struct plan *plan;
    struct progress *progress;
    struct sweep_totals *totals;
    struct child *child; /* [n_child] */
    size_t n_child, n_running;
    const char *binary;
    bool signalled;
    enum status fatal; /* a child said why no other run could work either */
    bool stopping;     /* the children were told to stop */
};

/* ---- starting ---- */

#define FIXED_WORDS 16

static void append_option(char **words, size_t *n, const char *option, const char *value)
{
    if (value) {
        words[(*n)++] = (char *)option;
        words[(*n)++] = (char *)value;
    }
}

/* The child's words; assignments are those of config_words, the text of the number lives in the
 * buffer. Caller frees the array. */
static char **child_words(const struct pool *pool, char **assignments, char threads[32])
{
    const struct arguments *arguments = pool->plan->arguments;
    size_t n_assignment = 0, n = 0;
    while (assignments[n_assignment]) {
        n_assignment++;
    }
    char **words = calloc(2 * n_assignment + FIXED_WORDS, sizeof *words);
    if (!words) {
        return NULL;
    }
    words[n++] = (char *)"qkvlab";
    words[n++] = (char *)"run";
    for (size_t i = 0; i < n_assignment; i++) {
        append_option(words, &n, "--set", assignments[i]);
    }
    append_option(words, &n, "--data", arguments->data);
    append_option(words, &n, "--cache", arguments->cache);
    append_option(words, &n, "--out", arguments->out);
    snprintf(threads, 32, "--threads=%d", pool->plan->threads);
    words[n++] = threads;
    words[n++] = (char *)"--quiet";
    return words;
}

/* In the child: only async-signal-safe calls between fork and exec. */
static void become(const char *binary, char **words, pid_t parent)
{
    setpgid(0, 0);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) {
        _exit(128 + SIGTERM);
    }
#else
    (void)parent;
#endif
    int null = open("/dev/null", O_RDWR);
    if (null >= 0) {
        dup2(null, STDIN_FILENO);
        dup2(null, STDOUT_FILENO);
        close(null);
    }
    execv(binary, words);
    _exit(NOT_STARTED);
}

static enum status start(struct pool *pool, struct child *child, size_t run, struct error *err)
{
    char threads[32];
    char **assignments = config_words(&pool->plan->config[run]);
    char **words = assignments ? child_words(pool, assignments, threads) : NULL;
    if (!words) {
        config_words_free(assignments);
        return error_memory(err, "starting a process");
    }
    progress_clear(pool->progress);
    fflush(NULL);
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        become(pool->binary, words, parent);
    }
    free(words);
    config_words_free(assignments);
    if (pid < 0) {
        return error_set(err, STATUS_FAILED, "cannot start a process: %s; use fewer --jobs",
                         strerror(errno));
    }
    child->pid = pid;
    child->run = run;
    progress_begin(pool->progress, run);
    pool->n_running++;
    return STATUS_OK;
}

/* ---- ending ---- */

static void count_skipped(struct pool *pool, const struct record_outcome *outcome)
{
    pool->totals->skipped++;
    pool->totals->diverged_before += outcome->diverged;
}

/* A child finds its run done where another process, of whoever shares the folder, finished it after
 * this one had looked: then the child skipped it. */
static void count_done(struct pool *pool, const struct child *child,
                       const struct record_outcome *outcome)
{
    if (outcome->process != (long)child->pid) {
        count_skipped(pool, outcome);
    } else if (outcome->diverged) {
        pool->totals->diverged++;
    } else {
        pool->totals->done++;
    }
}

/* Counts a child that ended; its own messages have said why a run failed. Whatever its exit status,
 * a run that is done is done: its pictures may not be. */
static void count(struct pool *pool, const struct child *child, int wait_status)
{
    const char *id = pool->plan->config[child->run].id;
    int code = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -1;
    if (pool->stopping && (code >= 128 || code < 0)) {
        return;
    }
    progress_end(pool->progress, child->run);
    struct record_outcome outcome;
    if (record_outcome(pool->plan->arguments->out, id, &outcome)) {
        count_done(pool, child, &outcome);
    } else if (code == 0) {
        pool->totals->busy++;
    } else {
        pool->totals->failed++;
    }
    if (WIFSIGNALED(wait_status)) {
        progress_note(pool->progress, "%s failed: its process was ended by signal %d (%s)", id,
                      WTERMSIG(wait_status), strsignal(WTERMSIG(wait_status)));
    }
    if (code == NOT_STARTED) {
        progress_note(pool->progress, "%s failed: its process could not be started", id);
    }
    static const enum status fatal[] = {STATUS_USAGE, STATUS_WRITE, STATUS_DATA};
    for (size_t i = 0; i < sizeof fatal / sizeof fatal[0]; i++) {
        pool->fatal = code == status_exit_code(fatal[i]) ? fatal[i] : pool->fatal;
    }
}

static void collect(struct pool *pool)
{
    for (size_t i = 0; i < pool->n_child; i++) {
        struct child *child = &pool->child[i];
        int wait_status;
        if (child->pid == 0 || waitpid(child->pid, &wait_status, WNOHANG) != child->pid) {
            continue;
        }
        count(pool, child, wait_status);
        child->pid = 0;
        pool->n_running--;
    }
}

static void stop_children(struct pool *pool, int signal_number)
{
    pool->stopping = true;
    for (size_t i = 0; i < pool->n_child; i++) {
        if (pool->child[i].pid != 0) {
            kill(pool->child[i].pid, signal_number);
        }
    }
}

static void pass_on_signal(struct pool *pool)
{
    if (signals_received() != 0 && !pool->signalled) {
        pool->signalled = true;
        stop_children(pool, signals_received());
    }
}

/* Where one run cannot be written the others, at work for hours perhaps, cannot be either. */
static void stop_if_unwritable(struct pool *pool)
{
    if (pool->fatal == STATUS_WRITE && !pool->stopping) {
        stop_children(pool, SIGTERM);
    }
}

/* ---- the loop ---- */

static struct child *free_place(struct pool *pool)
{
    for (size_t i = 0; i < pool->n_child; i++) {
        if (pool->child[i].pid == 0) {
            return &pool->child[i];
        }
    }
    return NULL;
}

/* Starts runs while there are places; *next is the first run not yet looked at. */
static enum status fill(struct pool *pool, size_t *next, struct error *err)
{
    enum status status = STATUS_OK;
    struct child *place;
    while (status == STATUS_OK && *next < pool->plan->n_run && (place = free_place(pool)) != NULL) {
        size_t run = (*next)++;
        struct record_outcome outcome;
        if (record_outcome(pool->plan->arguments->out, pool->plan->config[run].id, &outcome)) {
            count_skipped(pool, &outcome);
            progress_skip(pool->progress, run);
        } else {
            status = start(pool, place, run, err);
        }
    }
    return status;
}

static enum status work(struct pool *pool, struct error *err)
{
    enum status status = STATUS_OK;
    size_t next = 0;
    do {
        pass_on_signal(pool);
        collect(pool);
        stop_if_unwritable(pool);
        if (status == STATUS_OK && pool->fatal == STATUS_OK && !pool->signalled) {
            status = fill(pool, &next, err);
        }
        progress_tick(pool->progress);
        if (pool->n_running > 0) {
            nanosleep(&(struct timespec){.tv_nsec = POLL_NANOSECONDS}, NULL);
        }
    } while (pool->n_running > 0);
    return status;
}

enum status jobs_run(const struct plan *plan, struct progress *progress,
                     struct sweep_totals *totals, struct error *err)
{
    struct pool pool = {.plan = plan,
                        .progress = progress,
                        .totals = totals,
                        .n_child = plan->jobs,
                        .binary = startup_binary(err)};
    if (!pool.binary) {
        return STATUS_FAILED;
    }
    TRY_CALLOC(err, pool.child, pool.n_child, "starting %zu processes", pool.n_child);
    enum status status = work(&pool, err);
    free(pool.child);
    TRY(status);
    if (pool.signalled || signals_received()) {
        return error_set(err, STATUS_INTERRUPTED, "stopped by a signal");
    }
    if (pool.fatal == STATUS_WRITE) {
        return error_set(err, pool.fatal, "a run could not be written, as said above");
    }
    if (pool.fatal != STATUS_OK) {
        return error_set(err, pool.fatal, "no further runs were started, because of the above");
    }
    size_t n_bad = totals->diverged + totals->diverged_before + totals->failed;
    return n_bad > 0 ? STATUS_FAILED : STATUS_OK;
}
