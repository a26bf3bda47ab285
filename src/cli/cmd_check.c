#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/suggest.h"
#include "check/figure.h"
#include "check/tier.h"
#include "check/traces_train.h"
#include "cli/check_output.h"
#include "cli/command.h"
#include "cli/learning.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "lab/config/grid.h"

struct check {
    const struct arguments *arguments;
    struct traces old, new;
    const struct tier *tier;
    struct text reason; /* for the tier */
    struct verdict verdict;
    struct grid *grid; /* of seeds: of --seeds, or chosen; NULL: those of the baseline */
};

/* ---- what is asked ---- */

static enum status check_options(const struct arguments *arguments, struct error *err)
{
    static const char curves[] = "nothing is trained with --curves";
    static const char with[] = "nothing is trained with --with";
    if (arguments->format == FORMAT_CSV) {
        return error_set(err, STATUS_USAGE, "check prints text or json, not csv");
    }
    if (arguments->curves) {
        TRY(arguments_refuse(arguments, OPTION_set, curves, err));
        TRY(arguments_refuse(arguments, OPTION_with, curves, err));
    }
    if (arguments->with) {
        TRY(arguments_refuse(arguments, OPTION_set, with, err));
    }
    if (arguments->with && arguments->update) {
        return error_set(err, STATUS_USAGE,
                         "--update: nothing is trained with --with; copy the file");
    }
    return STATUS_OK;
}

static enum status set_seeds(struct check *check, const char *seeds, struct error *err)
{
    check->grid = grid_create();
    return check->grid ? grid_seeds(check->grid, seeds, err)
                       : error_memory(err, "listing the seeds");
}

/* Nothing is trained for a file that cannot be written. */
static enum status try_outputs(const struct arguments *arguments, struct error *err)
{
    const char *path[] = {arguments->png, arguments->junit,
                          arguments->update ? arguments->operand[0] : NULL};
    for (size_t i = 0; i < sizeof path / sizeof path[0]; i++) {
        if (path[i]) {
            TRY(file_try(path[i], err));
        }
    }
    return STATUS_OK;
}

/* ---- new traces ---- */

static enum status apply_settings(const struct arguments *arguments, struct cohort *cohort,
                                  struct error *err)
{
    for (size_t i = 0; i < arguments->n_set; i++) {
        char key[128];
        const char *text = arguments->set[i], *equals = strchr(text, '=');
        snprintf(key, sizeof key, "%.*s", (int)(equals - text), text);
        TRY(config_set(&cohort->config, key, equals + 1, err));
    }
    return arguments->n_set > 0 && cohort->trained_here ? config_resolve(&cohort->config, err)
                                                        : STATUS_OK;
}

/* Seeds that the baseline has not: as many, from behind its largest one. */
static enum status choose_new_seeds(struct check *check, struct error *err)
{
    const struct cohort *cohort = &check->old.cohort[0];
    unsigned long long largest = 0;
    char seeds[64];
    for (size_t i = 0; i < cohort->n_trace; i++) {
        largest = cohort->trace[i].seed > largest ? cohort->trace[i].seed : largest;
    }
    snprintf(seeds, sizeof seeds, "%llu-%llu", largest + 1, largest + cohort->n_trace);
    return set_seeds(check, seeds, err);
}

static void choose_tier(struct check *check)
{
    if (check->arguments->tier) {
        check->tier = tier_named(check->arguments->tier);
        text_append(&check->reason, "as asked for");
    } else {
        check->tier = tier_choose(&check->old, &check->new, &check->reason);
    }
}

static enum status plan(struct check *check, struct error *err)
{
    traces_free(&check->new);
    return traces_plan_again(&check->old, check->grid ? check->grid->seed : NULL,
                             check->grid ? check->grid->n_seed : 0, &check->new, err);
}

/* --set changes what is trained now, in every cohort. */
static enum status train(struct check *check, struct error *err)
{
    for (size_t i = 0; i < check->arguments->n_set; i++) {
        if (!strchr(check->arguments->set[i], '=')) {
            return error_set(err, STATUS_USAGE, "--set: expected KEY=VALUE, found '%s'",
                             check->arguments->set[i]);
        }
    }
    for (size_t p = 0; p < check->old.n_cohort; p++) {
        struct cohort *cohort = &check->old.cohort[p];
        TRY_AT(err, apply_settings(check->arguments, cohort, err), "part %s", cohort->name);
    }
    TRY(plan(check, err));
    choose_tier(check);
    if (!check->tier->same_seeds && !check->grid) {
        TRY(choose_new_seeds(check, err));
        TRY(plan(check, err));
    }
    /* Too few seeds were asked for, or are in the file: told before any of them is trained. */
    enum status status = check->tier->enough ? check->tier->enough(traces_fewest(&check->old),
                                                                   traces_fewest(&check->new), err)
                                             : STATUS_OK;
    if (status != STATUS_OK && check->arguments->seeds) {
        error_prefix(err, "--seeds");
        return STATUS_USAGE;
    }
    return status == STATUS_OK ? learning_train(&check->new, check->arguments, false, err) : status;
}

/* What was meant is a cohort of which there are no new curves yet. */
static enum status refuse_cohort(const struct check *check, const char *unknown, struct error *err)
{
    const struct traces *old = &check->old;
    struct text names = {0};
    const char **open = calloc(old->n_cohort, sizeof *open);
    size_t n_open = 0;
    for (size_t p = 0; open && p < old->n_cohort; p++) {
        text_append(&names, "%s%s", p > 0 ? ", " : "", old->cohort[p].name);
        if (!traces_cohort(&check->new, old->cohort[p].name)) {
            open[n_open++] = old->cohort[p].name;
        }
    }
    const char *near = open ? suggest_nearest(unknown, open, n_open) : NULL;
    enum status status =
        names.data ? error_set(err, STATUS_DATA,
                               "%s is no part of the baseline%s%s%s; its parts are %.511s: name "
                               "folders of curves like these",
                               unknown, near ? " (did you mean " : "", near ? near : "",
                               near ? "?)" : "", names.data)
                   : error_memory(err, "listing the parts");
    free(open);
    text_free(&names);
    return status;
}

/* A folder that is passed over for its name would be a check that passes whatever is in it. Curves
 * without a subfolder belong to one configuration; of several nobody knows which. A baseline may
 * have more cohorts than an older one. */
static enum status check_names(const struct check *check, struct error *err)
{
    const char *unknown = NULL;
    size_t n_unknown = 0;
    for (size_t p = 0; p < check->new.n_cohort; p++) {
        const char *name = check->new.cohort[p].name;
        if (!traces_cohort(&check->old, name)) {
            unknown = unknown ? unknown : name;
            n_unknown++;
        }
    }
    bool fine = n_unknown == 0 || (check->arguments->with && n_unknown < check->new.n_cohort);
    return fine ? STATUS_OK : refuse_cohort(check, unknown, err);
}

/* What was trained elsewhere: curves, or another baseline. Where both have one cohort, they are the
 * same whatever they are called. */
static enum status load(struct check *check, struct error *err)
{
    const struct arguments *arguments = check->arguments;
    TRY(arguments->curves ? traces_read_curves(arguments->curves, &check->new, err)
                          : traces_read(arguments->with, &check->new, err));
    if (check->grid) {
        TRY(traces_keep_seeds(&check->new, check->grid->seed, check->grid->n_seed, err));
    }
    if (check->new.n_cohort == 1 && check->old.n_cohort == 1) {
        memcpy(check->new.cohort[0].name, check->old.cohort[0].name, COHORT_NAME_SIZE);
    }
    TRY(check_names(check, err));
    choose_tier(check);
    return STATUS_OK;
}

/* ---- the answer ---- */

static void note_unknown_cohorts(struct check *check)
{
    struct text *note = &check->verdict.note;
    for (size_t p = 0; p < check->new.n_cohort; p++) {
        const char *name = check->new.cohort[p].name;
        if (!traces_cohort(&check->old, name)) {
            text_append(note, "%s%s: not compared, it is no part of %s", note->data ? "; " : "",
                        name, check->arguments->operand[0]);
        }
    }
}

static enum status answer(const struct check *check, double seconds, struct error *err)
{
    const struct arguments *arguments = check->arguments;
    struct check_result result = {.file = arguments->operand[0],
                                  .old = &check->old,
                                  .new = &check->new,
                                  .verdict = &check->verdict,
                                  .reason = check->reason.data,
                                  .seconds = seconds};
    TRY(check_print(&result, arguments->format, err));
    if (arguments->junit) {
        TRY(check_write_junit(&result, arguments->junit, err));
    }
    return arguments->png
               ? figure_check(&check->old, &check->new, &check->verdict, arguments->png, err)
               : STATUS_OK;
}

/* update records the baseline anew, with its own seeds, and the tolerances if it had some. */
static enum status update(struct check *check, struct error *err)
{
    const char *path = check->arguments->operand[0];
    if (!check->arguments->curves) {
        bool paired = check->old.cohort[0].tolerance != NULL;
        traces_free(&check->new);
        TRY(traces_plan_again(&check->old, NULL, 0, &check->new, err));
        TRY(learning_train(&check->new, check->arguments, paired, err));
    }
    TRY(traces_write(&check->new, path, err));
    if (!check->arguments->quiet) {
        terminal_print(stderr, "%s: recorded anew\n", path);
    }
    return STATUS_OK;
}

static enum status run_check(struct check *check, struct error *err)
{
    const struct arguments *arguments = check->arguments;
    double start = clock_seconds();
    if (arguments->seeds) {
        TRY(set_seeds(check, arguments->seeds, err));
    }
    TRY(traces_read(arguments->operand[0], &check->old, err));
    TRY(try_outputs(arguments, err));
    TRY(arguments->curves || arguments->with ? load(check, err) : train(check, err));
    if (check->reason.failed) {
        return error_memory(err, "choosing the tier");
    }
    TRY(tier_compare(check->tier, &check->old, &check->new, &check->verdict, err));
    note_unknown_cohorts(check);
    TRY(answer(check, clock_seconds() - start, err));
    if (check->verdict.n_difference == 0) {
        return STATUS_OK;
    }
    if (arguments->update) {
        TRY(update(check, err));
    }
    return STATUS_FAILED;
}

enum status cmd_check(const struct arguments *arguments, struct error *err)
{
    struct check check = {.arguments = arguments};
    TRY(check_options(arguments, err));
    enum status status = run_check(&check, err);
    verdict_free(&check.verdict);
    text_free(&check.reason);
    traces_free(&check.old);
    traces_free(&check.new);
    grid_free(check.grid);
    return status;
}
