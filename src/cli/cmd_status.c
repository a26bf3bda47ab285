/* A run is on disk, or it is planned, or both: the list is of all of them. What is on disk decides;
 * plans only tell what else there should be.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/folder.h"
#include "base/shell.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "lab/record/record.h"
#include "lab/sweep/sweep_plan.h"

enum state { OK, DIVERGED, FAILED, RUNNING, INTERRUPTED, UNREADABLE, MISSING, N_STATE, GONE };

static const char *const state_name[N_STATE] = {"ok",          "diverged",   "failed", "running",
                                                "interrupted", "unreadable", "missing"};

#define MAX_PLAN_SHOWN 10

struct survey {
    const char *out;
    struct sweep_plans plans;
    size_t *n_open; /* [plans.n_plan], runs of each that are still to make */
    size_t planned[N_STATE], other[N_STATE];
    FILE *summary;
    struct table *table;
};

/* ---- the state of one ---- */

/* run NULL: it came to nothing. */
static enum state add_row(struct survey *survey, const char *id, enum state state,
                          const struct run_record *run, const char *message)
{
    table_text(survey->table, id);
    table_text(survey->table, state_name[state]);
    for (size_t i = 0; kind_at(i); i++) {
        table_number(survey->table,
                     run ? run_record_result(run, kind_accuracy(kind_at(i))->key) : NAN);
    }
    table_number(survey->table, run ? run_record_result(run, "loss") : NAN);
    table_text(survey->table, message && message[0] ? message : NULL);
    return state;
}

static enum state examine_finished(struct survey *survey, const char *id, const char *folder)
{
    struct run_record run;
    struct error damage = {0};
    enum state state = record_read(folder, &run, &damage) != STATUS_OK
                           ? add_row(survey, id, UNREADABLE, NULL, damage.text)
                           : add_row(survey, id, run.status == RUN_STATUS_DIVERGED ? DIVERGED : OK,
                                     &run, run.message);
    run_record_free(&run);
    return state;
}

/* A run that was finished or given up a moment ago is gone. */
static enum state examine(struct survey *survey, const char *id)
{
    char folder[PATH_SIZE], message[RECORD_FAILURE_SIZE] = "";
    bool on_disk = record_path(survey->out, id, folder, NULL) == STATUS_OK && folder_exists(folder);
    switch (record_state(survey->out, id)) {
    case RECORD_RUNNING:
        record_owner(survey->out, id, message);
        return add_row(survey, id, RUNNING, NULL, message);
    case RECORD_INTERRUPTED:
        return add_row(survey, id, INTERRUPTED, NULL, NULL);
    case RECORD_FAILED:
        record_failure(survey->out, id, message);
        return add_row(survey, id, FAILED, NULL, message);
    case RECORD_DONE:
        return examine_finished(survey, id, folder);
    case RECORD_NONE:
        break;
    }
    if (on_disk) {
        return examine_finished(survey, id, folder);
    }
    return sweep_plans_have(&survey->plans, id) ? add_row(survey, id, MISSING, NULL, NULL) : GONE;
}

/* some_plan_has: one of the [n] plans from the first on names the run. */
static bool some_plan_has(const struct survey *survey, size_t first, size_t n, const char *id)
{
    const struct sweep_plans some = {survey->plans.plan + first, n};
    return sweep_plans_have(&some, id);
}

static void add_run(struct survey *survey, const char *id)
{
    enum state state = examine(survey, id);
    if (state == GONE) {
        return;
    }
    (sweep_plans_have(&survey->plans, id) ? survey->planned : survey->other)[state]++;
    bool open = state != OK && state != DIVERGED && state != RUNNING;
    for (size_t i = 0; i < survey->plans.n_plan; i++) {
        survey->n_open[i] += open && some_plan_has(survey, i, 1, id);
    }
}

/* ---- which runs there are ---- */

static void add_planned(struct survey *survey)
{
    for (size_t i = 0; i < survey->plans.n_plan; i++) {
        const struct sweep_plan *plan = &survey->plans.plan[i];
        for (size_t k = 0; k < plan->n_id; k++) {
            if (!some_plan_has(survey, 0, i, plan->listed[k])) {
                add_run(survey, plan->listed[k]);
            }
        }
    }
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* What is in runs/ beside that, by name. A run that is not finished goes under its id. */
static void add_unplanned(struct survey *survey, char **names, size_t n_name)
{
    size_t n = 0;
    for (size_t i = 0; i < n_name; i++) {
        char *name = names[i];
        if (!record_is_folder(survey->out, name)) {
            continue;
        }
        if (record_is_partial(name)) {
            name[strlen(name) - strlen(RECORD_PARTIAL)] = '\0';
        }
        names[i] = names[n];
        names[n++] = name;
    }
    if (n > 0) {
        qsort(names, n, sizeof *names, compare_names);
    }
    for (size_t i = 0; i < n; i++) {
        bool repeated = i > 0 && strcmp(names[i - 1], names[i]) == 0;
        if (!repeated && !sweep_plans_have(&survey->plans, names[i])) {
            add_run(survey, names[i]);
        }
    }
}

/* ---- in a few words ---- */

static void print_counts(FILE *stream, const size_t count[N_STATE])
{
    const char *gap = "";
    for (size_t i = 0; i < N_STATE; i++) {
        if (count[i] > 0) {
            fprintf(stream, "%s%zu %s", gap, count[i], state_name[i]);
            gap = ", ";
        }
    }
}

static size_t sum(const size_t count[N_STATE])
{
    size_t n = 0;
    for (size_t i = 0; i < N_STATE; i++) {
        n += count[i];
    }
    return n;
}

/* "of 1440 planned: 900 ok, 2 running, 538 missing; not planned: 3 ok" */
static void say_counts(const struct survey *survey)
{
    size_t n_planned = sum(survey->planned), n_other = sum(survey->other);
    if (n_planned > 0) {
        fprintf(survey->summary, "of %zu planned: ", n_planned);
        print_counts(survey->summary, survey->planned);
    }
    if (n_other > 0) {
        fputs(n_planned > 0 ? "; not planned: " : "", survey->summary);
        print_counts(survey->summary, survey->other);
    }
    fputs(n_planned + n_other > 0 ? "\n" : "no runs yet\n", survey->summary);
}

/* Which command makes what is missing. */
static void say_plans(const struct survey *survey)
{
    char *folder = shell_path(survey->out);
    size_t n_shown = 0, n_more = 0;
    for (size_t i = 0; i < survey->plans.n_plan; i++) {
        const struct sweep_plan *plan = &survey->plans.plan[i];
        size_t n_open = survey->n_open[i];
        if (plan->damage.text[0]) {
            terminal_say("warning: not a plan: %s", plan->damage.text);
        } else if (n_open > 0 && n_shown < MAX_PLAN_SHOWN) {
            n_shown++;
            terminal_print(survey->summary,
                           "%zu of %zu runs in plans/%s are still to make: %s --out %s\n", n_open,
                           plan->n_id, plan->name, plan->command ? plan->command : "?",
                           folder ? folder : "OUT");
        } else if (n_open > 0) {
            n_more++;
        }
    }
    if (n_more > 0) {
        fprintf(survey->summary, "and of %zu more plans\n", n_more);
    }
    free(folder);
}

static struct table *make_table(void)
{
    static const struct column before[] = {{"id", "run"}, {"status", "status"}};
    static const struct column after[] = {{"loss", "loss", -5}, {"message", "message"}};
    struct table *table = table_create(before, 2);
    for (size_t i = 0; kind_at(i); i++) {
        const struct kind_result *accuracy = kind_accuracy(kind_at(i));
        table_column(table, &(struct column){accuracy->key, accuracy->title, 4});
    }
    table_column(table, &after[0]);
    table_column(table, &after[1]);
    return table;
}

static enum status list_folder(const char *out, bool planned, char ***names, size_t *n_name,
                               struct error *err)
{
    char runs[PATH_SIZE];
    TRY(path_format(runs, err, "%s/runs", out));
    if (folder_exists(runs)) {
        return folder_list(runs, names, n_name, err);
    }
    if (planned) {
        return STATUS_OK;
    }
    char *folder = shell_path(out);
    error_set(err, STATUS_DATA,
              "%s: no runs are kept there (no runs/ in it); train some with qkvlab run --out %s",
              out, folder ? folder : "OUT");
    free(folder);
    return STATUS_DATA;
}

static enum status make_survey(struct survey *survey, enum format format, struct error *err)
{
    char **names = NULL;
    size_t n_name = 0;
    TRY(sweep_plans_read(survey->out, &survey->plans, err));
    TRY_CALLOC(err, survey->n_open, survey->plans.n_plan, "listing %zu plans",
               survey->plans.n_plan);
    TRY(list_folder(survey->out, survey->plans.n_plan > 0, &names, &n_name, err));
    survey->table = make_table();
    add_planned(survey);
    add_unplanned(survey, names, n_name);
    folder_list_free(names, n_name);
    enum status status = table_finish(survey->table, format, err);
    say_counts(survey);
    say_plans(survey);
    return status;
}

enum status cmd_status(const struct arguments *arguments, struct error *err)
{
    struct survey survey = {.out = arguments_folder(arguments),
                            .summary = arguments->format == FORMAT_TEXT ? stdout : stderr};
    enum status status = make_survey(&survey, arguments->format, err);
    sweep_plans_free(&survey.plans);
    free(survey.n_open);
    return status;
}
