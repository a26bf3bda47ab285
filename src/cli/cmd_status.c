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

#define UNPLANNED ((size_t)-1)

struct entry {
    const char *id;
    size_t place; /* in the plans, one behind the other; UNPLANNED: in none */
    enum state state;
};

struct survey {
    const char *out;
    struct sweep_plans plans;
    char **names; /* [n_name] in runs/ */
    size_t n_name;
    struct entry *entry; /* [n_entry], sorted by id */
    size_t n_entry;
    FILE *summary;
    struct table *table;
};

/* ---- which runs there are ---- */

static int compare_entries(const void *a, const void *b)
{
    return strcmp(((const struct entry *)a)->id, ((const struct entry *)b)->id);
}

static int compare_all(const void *a, const void *b)
{
    const struct entry *left = a, *right = b;
    int order = compare_entries(a, b);
    return order != 0 ? order : (left->place > right->place) - (left->place < right->place);
}

/* In the order in which sweeps make them, and the rest by name. */
static int compare_places(const void *a, const void *b)
{
    const struct entry *const *left = a, *const *right = b;
    int order = ((*left)->place > (*right)->place) - ((*left)->place < (*right)->place);
    return order != 0 ? order : compare_entries(*left, *right);
}

/* A run that is not finished goes under its id. */
static void strip_partial(char *name)
{
    if (record_is_partial(name)) {
        name[strlen(name) - strlen(RECORD_PARTIAL)] = '\0';
    }
}

static enum status list_folder(struct survey *survey, struct error *err)
{
    char runs[PATH_SIZE];
    TRY(path_format(runs, err, "%s/runs", survey->out));
    if (folder_exists(runs)) {
        return folder_list(runs, &survey->names, &survey->n_name, err);
    }
    if (survey->plans.n_plan > 0) {
        return STATUS_OK;
    }
    char *folder = shell_path(survey->out);
    error_set(err, STATUS_DATA,
              "%s: no runs are kept there (no runs/ in it); train some with qkvlab run --out %s",
              survey->out, folder ? folder : "OUT");
    free(folder);
    return STATUS_DATA;
}

static void sort_and_unite(struct survey *survey)
{
    size_t n = 0;
    qsort(survey->entry, survey->n_entry, sizeof *survey->entry, compare_all);
    for (size_t i = 0; i < survey->n_entry; i++) {
        if (n == 0 || compare_entries(&survey->entry[n - 1], &survey->entry[i]) != 0) {
            survey->entry[n++] = survey->entry[i];
        }
    }
    survey->n_entry = n;
}

static enum status list_entries(struct survey *survey, struct error *err)
{
    size_t n = survey->n_name, place = 0;
    for (size_t i = 0; i < survey->plans.n_plan; i++) {
        n += survey->plans.plan[i].n_id;
    }
    survey->entry = calloc(n + 1, sizeof *survey->entry);
    if (!survey->entry) {
        return error_memory(err, "listing %zu runs", n);
    }
    for (size_t i = 0; i < survey->n_name; i++) {
        if (record_is_folder(survey->out, survey->names[i])) {
            strip_partial(survey->names[i]);
            survey->entry[survey->n_entry++] =
                (struct entry){.id = survey->names[i], .place = UNPLANNED};
        }
    }
    for (size_t i = 0; i < survey->plans.n_plan; i++) {
        const struct sweep_plan *plan = &survey->plans.plan[i];
        for (size_t k = 0; k < plan->n_id; k++) {
            survey->entry[survey->n_entry++] =
                (struct entry){.id = plan->listed[k], .place = place++};
        }
    }
    sort_and_unite(survey);
    return STATUS_OK;
}

/* ---- the state of one ---- */

/* run NULL: it came to nothing. */
static void add_row(struct survey *survey, const struct entry *entry, const struct run_record *run,
                    const char *message)
{
    table_text(survey->table, entry->id);
    table_text(survey->table, state_name[entry->state]);
    for (size_t i = 0; kind_at(i); i++) {
        table_number(survey->table,
                     run ? run_record_result(run, kind_accuracy(kind_at(i))->key) : NAN);
    }
    table_number(survey->table, run ? run_record_result(run, "loss") : NAN);
    if (message && message[0]) {
        table_text(survey->table, message);
    } else {
        table_missing(survey->table);
    }
}

static void examine_finished(struct survey *survey, struct entry *entry, const char *folder)
{
    struct run_record run;
    struct error damage = {0};
    if (record_read(folder, &run, &damage) == STATUS_OK) {
        entry->state = run.status == RUN_STATUS_DIVERGED ? DIVERGED : OK;
        add_row(survey, entry, &run, run.message);
    } else {
        entry->state = UNREADABLE;
        add_row(survey, entry, NULL, damage.text);
    }
    run_record_free(&run);
}

/* A run that was finished or given up a moment ago is gone. */
static void examine(struct survey *survey, struct entry *entry)
{
    char folder[PATH_SIZE], message[RECORD_FAILURE_SIZE] = "";
    bool on_disk =
        record_path(survey->out, entry->id, folder, NULL) == STATUS_OK && folder_exists(folder);
    switch (record_state(survey->out, entry->id)) {
    case RECORD_RUNNING:
        entry->state = RUNNING;
        record_owner(survey->out, entry->id, message);
        break;
    case RECORD_INTERRUPTED:
        entry->state = INTERRUPTED;
        break;
    case RECORD_FAILED:
        entry->state = FAILED;
        record_failure(survey->out, entry->id, message);
        break;
    case RECORD_DONE:
        examine_finished(survey, entry, folder);
        return;
    case RECORD_NONE:
        if (on_disk) {
            examine_finished(survey, entry, folder);
            return;
        }
        entry->state = sweep_plans_have(&survey->plans, entry->id) ? MISSING : GONE;
        break;
    }
    if (entry->state != GONE) {
        add_row(survey, entry, NULL, message);
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

/* "of 1440 planned: 900 ok, 2 running, 538 missing; not planned: 3 ok" */
static void say_counts(const struct survey *survey)
{
    size_t planned[N_STATE] = {0}, other[N_STATE] = {0}, n_planned = 0, n_other = 0;
    for (size_t i = 0; i < survey->n_entry; i++) {
        const struct entry *entry = &survey->entry[i];
        if (entry->state == GONE) {
            continue;
        }
        if (sweep_plans_have(&survey->plans, entry->id)) {
            planned[entry->state]++;
            n_planned++;
        } else {
            other[entry->state]++;
            n_other++;
        }
    }
    if (n_planned > 0) {
        fprintf(survey->summary, "of %zu planned: ", n_planned);
        print_counts(survey->summary, planned);
    }
    if (n_other > 0) {
        fputs(n_planned > 0 ? "; not planned: " : "", survey->summary);
        print_counts(survey->summary, other);
    }
    fputs(n_planned + n_other > 0 ? "\n" : "no runs yet\n", survey->summary);
}

static size_t count_open(const struct survey *survey, const struct sweep_plan *plan)
{
    size_t n_open = 0;
    for (size_t i = 0; i < plan->n_id; i++) {
        const struct entry key = {.id = plan->id[i]};
        const struct entry *entry =
            bsearch(&key, survey->entry, survey->n_entry, sizeof *survey->entry, compare_entries);
        n_open += entry && entry->state != OK && entry->state != DIVERGED &&
                  entry->state != RUNNING && entry->state != GONE;
    }
    return n_open;
}

/* Which command makes what is missing. */
static void say_plans(const struct survey *survey)
{
    char *folder = shell_path(survey->out);
    size_t n_shown = 0, n_more = 0;
    for (size_t i = 0; i < survey->plans.n_plan; i++) {
        const struct sweep_plan *plan = &survey->plans.plan[i];
        size_t n_open = count_open(survey, plan);
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

static enum status print_survey(struct survey *survey, enum format format, struct error *err)
{
    struct entry **in_order = calloc(survey->n_entry + 1, sizeof *in_order);
    if (!in_order) {
        return error_memory(err, "listing %zu runs", survey->n_entry);
    }
    for (size_t i = 0; i < survey->n_entry; i++) {
        in_order[i] = &survey->entry[i];
    }
    qsort(in_order, survey->n_entry, sizeof *in_order, compare_places);
    survey->table = make_table();
    for (size_t i = 0; i < survey->n_entry; i++) {
        examine(survey, in_order[i]);
    }
    free(in_order);
    enum status status = table_finish(survey->table, format, err);
    say_counts(survey);
    say_plans(survey);
    return status;
}

static enum status make_survey(struct survey *survey, enum format format, struct error *err)
{
    TRY(sweep_plans_read(survey->out, &survey->plans, err));
    TRY(list_folder(survey, err));
    TRY(list_entries(survey, err));
    return print_survey(survey, format, err);
}

enum status cmd_status(const struct arguments *arguments, struct error *err)
{
    struct survey survey = {.out = arguments_folder(arguments),
                            .summary = arguments->format == FORMAT_TEXT ? stdout : stderr};
    enum status status = make_survey(&survey, arguments->format, err);
    folder_list_free(survey.names, survey.n_name);
    sweep_plans_free(&survey.plans);
    free(survey.entry);
    return status;
}
