#include "cli/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/folder.h"
#include "cli/data_options.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "cli/startup.h"
#include "cli/terminal.h"
#include "lab/config/config_file.h"
#include "lab/record/record.h"
#include "lab/sweep/estimate.h"
#include "lab/sweep/sweep_data.h"
#include "lab/sweep/sweep_plan.h"
#include "lab/training/source.h"
#include "report/run_pictures.h"

/* ---- making the list ---- */

/* Copies the runs that belong to this shard, and looks which of them are done. */
static enum status take_shard(struct plan *plan, struct error *err)
{
    const struct grids *grids = &plan->grids;
    size_t n_shard = plan->arguments->n_shard ? plan->arguments->n_shard : 1;
    plan->config = malloc((grids->n_config + 1) * sizeof *plan->config);
    plan->done = calloc(grids->n_config + 1, sizeof *plan->done);
    if (!plan->config || !plan->done) {
        return error_memory(err, "listing %zu runs", grids->n_config);
    }
    for (size_t i = plan->arguments->shard; i < grids->n_config; i += n_shard) {
        const struct config *config = &grids->config[i];
        struct record_outcome outcome;
        bool done = record_outcome(plan->arguments->out, config->id, &outcome);
        plan->n_done += done;
        plan->n_diverged += done && outcome.diverged;
        plan->done[plan->n_run] = done;
        plan->config[plan->n_run++] = *config;
    }
    return STATUS_OK;
}

static enum status list_runs(struct plan *plan, const char *name, struct error *err)
{
    const struct arguments *arguments = plan->arguments;
    TRY(grids_expand(&plan->grids, arguments, name, err));
    TRY(take_shard(plan, err));
    size_t n_left = plan->n_run - plan->n_done;
    size_t jobs = arguments->jobs < n_left ? arguments->jobs : n_left;
    plan->jobs = jobs > 0 ? jobs : 1;
    plan->threads = estimate_threads(arguments->threads, plan->jobs);
    return STATUS_OK;
}

/* ---- working through it ---- */

struct watch {
    const struct plan *plan;
    struct progress *progress;
    size_t index;
    char note[512]; /* said last: the same data are warned of once */
};

/* What is not about the run's outcome: data that are not the published ones, a damaged folder. */
static void say_notes(struct watch *watch, const struct run_outcome *outcome)
{
    if (outcome->set_aside[0]) {
        progress_note(watch->progress, "%s", outcome->set_aside);
    }
    if (outcome->note[0] && strcmp(outcome->note, watch->note) != 0) {
        progress_note(watch->progress, "warning: %s", outcome->note);
        snprintf(watch->note, sizeof watch->note, "%s", outcome->note);
    }
}

static void on_step(void *context, size_t step, size_t n_step, double loss)
{
    struct watch *watch = context;
    progress_step(watch->progress, watch->index, step, n_step, loss);
}

static void on_begin(void *context, size_t index)
{
    struct watch *watch = context;
    watch->index = index;
    progress_begin(watch->progress, index);
}

static void on_end(void *context, size_t index, enum run_state state,
                   const struct run_outcome *outcome, const struct error *err)
{
    struct watch *watch = context;
    const char *id = watch->plan->config[index].id;
    if (state == RUN_SKIPPED || state == RUN_BUSY) {
        progress_skip(watch->progress, index);
        return;
    }
    progress_end(watch->progress, index);
    say_notes(watch, outcome);
    if (state == RUN_DIVERGED) {
        struct run_record run;
        bool told = record_load(watch->plan->arguments->out, id, &run) && run.message;
        progress_note(watch->progress, "%s %s", id,
                      told ? run.message : "diverged; run.json does not say how");
        run_record_free(&run);
    } else if (state == RUN_FAILED && err->status != STATUS_WRITE) { /* that ends the sweep */
        progress_note(watch->progress, "%s failed: %s", id, err->text);
    }
}

static enum status run_here(const struct plan *plan, const struct dataset_options *data,
                            struct progress *progress, struct sweep_totals *totals,
                            struct error *err)
{
    struct watch watch = {.plan = plan, .progress = progress};
    struct sweep_options options = {
        .out = plan->arguments->out, .data = data, .threads = plan->threads};
    struct sweep_hooks hooks = {
        .train = {.context = &watch, .step = on_step, .stop = signals_stop},
        .begin = on_begin,
        .end = on_end,
    };
    return sweep_run(plan->config, plan->n_run, &options, &hooks, totals, err);
}

/* has_pictures: the overview is there, which is drawn last. */
static bool has_pictures(const char *attention_folder)
{
    char path[PATH_SIZE];
    return path_format(path, NULL, "%s/overview.png", attention_folder) == STATUS_OK &&
           file_exists(path);
}

static enum status draw_pictures(const struct plan *plan, struct error *err)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < plan->n_run; i++) {
        char folder[PATH_SIZE], maps[PATH_SIZE];
        TRY(record_path(plan->arguments->out, plan->config[i].id, folder, err));
        TRY(path_format(maps, err, "%s/attention", folder));
        if (folder_exists(maps) && !has_pictures(maps)) {
            struct run run;
            size_t n_picture;
            status = run_load(folder, &run, err);
            if (status == STATUS_OK) {
                status = run_pictures_write_maps(&run, &n_picture, err);
            }
            run_free(&run);
        }
    }
    return status;
}

/* Runs that others finished, or a child that was killed, were not claimed here. */
static void tidy(const struct plan *plan)
{
    for (size_t i = 0; i < plan->n_run; i++) {
        record_tidy(plan->arguments->out, plan->config[i].id);
    }
}

static void say_beginning(const struct plan *plan)
{
    if (plan->grids.note[0]) {
        terminal_say("%s", plan->grids.note);
    }
    terminal_print(stderr, "%zu run%s in %s", plan->n_run, plural(plan->n_run),
                   plan->arguments->out);
    fprintf(stderr, plan->n_done > 0 ? ", %zu of them already done\n" : "\n", plan->n_done);
}

static void append_total(char *line, size_t size, size_t count, const char *what)
{
    size_t used = strlen(line);
    if (count > 0) {
        snprintf(line + used, size - used, "%s%zu %s", used ? ", " : "", count, what);
    }
}

static size_t count_totals(const struct sweep_totals *totals)
{
    return totals->done + totals->skipped + totals->busy + totals->diverged + totals->failed;
}

static void say_totals(const struct plan *plan, const struct progress *progress,
                       const struct sweep_totals *totals)
{
    char line[256] = "", duration[DURATION_SIZE];
    append_total(line, sizeof line, totals->done, "trained");
    append_total(line, sizeof line, totals->skipped,
                 totals->diverged_before > 0 ? "already done" : "already done, skipped");
    append_total(line, sizeof line, totals->diverged_before, "of them diverged");
    append_total(line, sizeof line, totals->busy, "at work in another process");
    append_total(line, sizeof line, totals->diverged, "diverged");
    append_total(line, sizeof line, totals->failed, "failed");
    if (line[0]) {
        append_total(line, sizeof line, plan->n_run - count_totals(totals), "not made");
    }
    progress_duration(progress_seconds(progress), duration);
    fprintf(stderr, "%zu run%s: %s, in %s\n", plan->n_run, plural(plan->n_run),
            line[0] ? line : "none made", duration);
}

/* Data that are missing are missing for every run: better said before the first than after the
 * last. */
static enum status find_data(const struct plan *plan, const struct dataset_options *data,
                             struct error *err)
{
    const struct task *found = NULL;
    for (size_t i = 0; i < plan->n_run; i++) {
        if (!plan->done[i] && plan->config[i].task != found) {
            found = plan->config[i].task;
            TRY(task_find_data(found, data, err));
        }
    }
    return STATUS_OK;
}

/* A configuration file is found from every directory. NULL: a preset, or nothing. */
static char *absolute_file(const struct arguments *arguments)
{
    const char *word = arguments->n_operand > 0 ? arguments->operand[0] : "";
    return config_file_is_path(word) ? realpath(word, NULL) : NULL;
}

/* The words that list the runs: not those that differ between shards and machines. */
static enum status keep_plan(const struct plan *plan, struct error *err)
{
    const struct arguments *arguments = plan->arguments;
    size_t n = 0, n_word = 2 + arguments->n_operand + 2 * arguments->n_set + 2;
    const char **words;
    TRY_CALLOC(err, words, n_word, "keeping the words of the command line");
    char *file = absolute_file(arguments);
    words[n++] = "qkvlab";
    words[n++] = arguments->command->name;
    for (size_t i = 0; i < arguments->n_operand; i++) {
        words[n++] = file ? file : arguments->operand[i];
    }
    for (size_t i = 0; i < arguments->n_set; i++) {
        words[n++] = "--set";
        words[n++] = arguments->set[i];
    }
    if (arguments->seeds) {
        words[n++] = "--seeds";
        words[n++] = arguments->seeds;
    }
    enum status status =
        sweep_plan_keep(arguments->out, plan->grids.config, plan->grids.n_config, words, n, err);
    free(words);
    free(file);
    return status;
}

/* The longest of the paths are those of runs; record_claim finds them. */
static enum status check_length(const char *out, struct error *err)
{
    char path[PATH_SIZE];
    return path_format(path, err, "%s/plans", out) == STATUS_OK ? STATUS_OK : STATUS_WRITE;
}

/* All that can be wrong with every run is said before the first. */
static enum status prepare(const struct plan *plan, const struct dataset_options *data,
                           struct error *err)
{
    const char *out = plan->arguments->out;
    TRY(check_length(out, err));
    TRY(find_data(plan, data, err));
    TRY(startup_compute(err));
    TRY(sweep_data_check(out, plan->config, plan->done, plan->n_run, data, plan->arguments->threads,
                         err));
    TRY(folder_create(out, err));
    return keep_plan(plan, err);
}

/* Puts the last sentence: what the runs said of themselves stands above. A run that diverged stays
 * one, whoever made it and when. */
static void conclude(const struct plan *plan, const struct sweep_totals *totals, enum status status,
                     struct error *err)
{
    size_t n_diverged = totals->diverged + totals->diverged_before;
    if (status == STATUS_WRITE && plan->n_run > 1) {
        struct error reason = *err;
        error_set(err, status,
                  "%.600s; the sweep has stopped, with %zu of %zu runs done and kept, and the same "
                  "command goes on once that is mended",
                  reason.text, totals->done + totals->skipped + totals->diverged, plan->n_run);
    } else if (totals->failed > 0 && status != STATUS_INTERRUPTED && status != STATUS_WRITE) {
        error_set(err, status, "%zu of %zu runs failed, as said above", totals->failed,
                  plan->n_run);
    } else if (status == STATUS_FAILED && n_diverged > 0) {
        error_set(err, status, "%zu of %zu runs diverged", n_diverged, plan->n_run);
    }
}

/* make trains what is not done. */
static enum status make(const struct plan *plan, const struct dataset_options *data,
                        struct progress *progress, struct sweep_totals *totals, struct error *err)
{
    if (plan->n_done == plan->n_run) {
        *totals =
            (struct sweep_totals){.skipped = plan->n_done, .diverged_before = plan->n_diverged};
        return plan->n_diverged > 0 ? STATUS_FAILED : STATUS_OK;
    }
    signals_hold();
    enum status status = plan->jobs > 1 ? jobs_run(plan, progress, totals, err)
                                        : run_here(plan, data, progress, totals, err);
    signals_release();
    return status;
}

/* finish draws what is missing. In a folder that nothing was written to, which may be locked, that
 * it cannot be is no failure. */
static enum status finish(const struct plan *plan, struct progress *progress, enum status made,
                          struct error *err)
{
    struct error undrawn = {0};
    enum status drawn = draw_pictures(plan, &undrawn);
    if (drawn == STATUS_OK) {
        return made;
    }
    if (plan->n_done == plan->n_run) {
        progress_note(progress, "warning: %s; `qkvlab attention` draws what is missing",
                      undrawn.text);
        return made;
    }
    *err = undrawn;
    return drawn;
}

/* run makes every run that is not done yet, then the pictures of its attention maps. */
static enum status run(const struct plan *plan, struct error *err)
{
    const struct arguments *arguments = plan->arguments;
    struct sweep_totals totals = {0};
    struct data_options data;
    TRY(data_options_make(&data, arguments, err));
    if (plan->n_done < plan->n_run) {
        TRY(prepare(plan, &data.options, err));
    }
    if (!arguments->quiet) {
        say_beginning(plan);
    }
    struct progress *progress =
        progress_create(plan->config, plan->n_run, plan->jobs, arguments->quiet);
    if (!progress) {
        return error_memory(err, "following %zu runs", plan->n_run);
    }
    enum status status = make(plan, &data.options, progress, &totals, err);
    progress_clear(progress);
    tidy(plan);
    conclude(plan, &totals, status, err);
    if (status == STATUS_OK || status == STATUS_FAILED) {
        status = finish(plan, progress, status, err);
    }
    if (!arguments->quiet) {
        say_totals(plan, progress, &totals);
    }
    progress_free(progress);
    return status;
}

/* tell runs also where some runs failed; that it could not is then the more important news. */
static enum status run_and_tell(const struct plan *plan, plan_tell *tell, struct error *err)
{
    struct error untold = {0};
    enum status made = run(plan, err);
    if (made != STATUS_OK && made != STATUS_FAILED) {
        return made;
    }
    enum status told = tell(plan, &untold);
    if (told != STATUS_OK) {
        *err = untold;
    }
    return told == STATUS_OK ? made : told;
}

enum status plan_command(const struct arguments *arguments, const char *name, plan_tell *tell,
                         struct error *err)
{
    struct plan plan = {.arguments = arguments};
    enum status status = list_runs(&plan, name, err);
    if (status == STATUS_OK) {
        status = arguments->dry_run ? plan_preview(&plan, err) : run_and_tell(&plan, tell, err);
    }
    free(plan.config);
    free(plan.done);
    grids_free(&plan.grids);
    return status;
}
