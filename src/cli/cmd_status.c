#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/table.h"
#include "lab/record.h"

static const char *const states[] = {"ok",          "diverged",   "failed", "running",
                                     "interrupted", "unreadable", NULL};

struct survey {
    const char *out;
    struct table *table;
    size_t count[sizeof states / sizeof states[0]];
};

static void add(struct survey *survey, const char *id, const char *state, const json_t *run,
                const char *message)
{
    const json_t *results = json_object_get(run, "results");
    table_text(survey->table, id);
    table_text(survey->table, state);
    table_number(survey->table, json_get_number(results, "token_accuracy", NAN));
    table_number(survey->table, json_get_number(results, "top1", NAN));
    table_number(survey->table, json_get_number(results, "loss", NAN));
    if (message && message[0]) {
        table_text(survey->table, message);
    } else {
        table_missing(survey->table);
    }
    for (size_t i = 0; states[i]; i++) {
        survey->count[i] += strcmp(states[i], state) == 0;
    }
}

static void add_finished(struct survey *survey, const char *id)
{
    char folder[PATH_SIZE];
    json_t *run = NULL;
    struct error damage = {0};
    if (record_path(survey->out, id, folder, &damage) == STATUS_OK) {
        record_read(folder, id, &run, &damage);
    }
    add(survey, id, json_get_text(run, "status", "unreadable"), run,
        run ? json_get_text(run, "message", NULL) : damage.text);
    json_decref(run);
}

static void add_folder(struct survey *survey, const char *name)
{
    if (!record_is_partial(name)) {
        add_finished(survey, name);
        return;
    }
    char id[CONFIG_ID_SIZE];
    snprintf(id, sizeof id, "%.*s", (int)(strlen(name) - strlen(RECORD_PARTIAL)), name);
    char failure[RECORD_FAILURE_SIZE];
    switch (record_state(survey->out, id)) {
    case RECORD_RUNNING:
        add(survey, id, "running", NULL, NULL);
        break;
    case RECORD_INTERRUPTED:
        add(survey, id, "interrupted", NULL, NULL);
        break;
    case RECORD_FAILED:
        record_failure(survey->out, id, failure);
        add(survey, id, "failed", NULL, failure);
        break;
    case RECORD_DONE: /* listed under its own name */
    case RECORD_NONE: /* finished or removed a moment ago */
        break;
    }
}

static void say_counts(const struct survey *survey)
{
    const char *gap = "";
    for (size_t i = 0; states[i]; i++) {
        if (survey->count[i] == 0) {
            continue;
        }
        fprintf(stderr, "%s%zu %s", gap, survey->count[i], states[i]);
        gap = ", ";
    }
    fputs(gap[0] ? "\n" : "no runs yet\n", stderr);
}

enum status cmd_status(const struct arguments *arguments, struct error *err)
{
    static const struct column columns[] = {
        {"id", "run", 0},     {"status", "status", 0}, {"token_accuracy", "token", 4},
        {"top1", "top-1", 4}, {"loss", "loss", -5},    {"message", "message", 0},
    };
    struct survey survey = {.out = arguments_folder(arguments)};
    char runs[PATH_SIZE], **names;
    size_t n_name;
    enum status status = path_format(runs, err, "%s/runs", survey.out);
    if (status != STATUS_OK) {
        return status;
    }
    if (!folder_exists(runs)) {
        return error_set(err, STATUS_DATA,
                         "%s: no runs are kept there (no runs/ in it); train some with qkvlab run "
                         "--out %s",
                         survey.out, survey.out);
    }
    status = folder_list(runs, &names, &n_name, err);
    if (status != STATUS_OK) {
        return status;
    }
    survey.table = table_create(columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < n_name; i++) {
        if (record_is_folder(survey.out, names[i])) {
            add_folder(&survey, names[i]);
        }
    }
    folder_list_free(names, n_name);
    status = table_print(survey.table, arguments->format, err);
    table_free(survey.table);
    say_counts(&survey);
    return status;
}
