#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/suggest.h"
#include "cli/check_output.h"
#include "cli/command.h"
#include "cli/learning.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "lab/baseline/baseline_train.h"
#include "lab/config/grid.h"
#include "report/check/figure_check.h"

struct check {
    const struct arguments *arguments;
    struct baseline baseline, fresh;
    struct comparison comparison;
    enum tier tier;
    char reason[COMPARE_REASON_SIZE];
    uint64_t *seed; /* [n_seed] of --seeds; NULL: not given */
    size_t n_seed;
};

/* ---- what is asked ---- */

static enum status check_options(const struct arguments *arguments, struct error *err)
{
    enum status status = STATUS_OK;
    if (arguments->format == FORMAT_CSV) {
        return error_set(err, STATUS_USAGE, "check prints text or json, not csv");
    }
    if (arguments->curves) {
        static const char reason[] = "nothing is trained with --curves";
        status = arguments_refuse(arguments, OPTION_set, reason, err);
        if (status == STATUS_OK) {
            status = arguments_refuse(arguments, OPTION_with, reason, err);
        }
    }
    if (status == STATUS_OK && arguments->with) {
        static const char reason[] = "nothing is trained with --with";
        status = arguments_refuse(arguments, OPTION_set, reason, err);
    }
    if (status == STATUS_OK && arguments->with && arguments->update) {
        status =
            error_set(err, STATUS_USAGE, "--update: nothing is trained with --with; copy the file");
    }
    return status;
}

static enum status read_seeds(struct check *check, struct error *err)
{
    const char *text = check->arguments->seeds;
    if (!text) {
        return STATUS_OK;
    }
    struct grid *grid = grid_create();
    enum status status =
        grid ? grid_seeds(grid, text, err) : error_set(err, STATUS_MEMORY, "out of memory");
    if (status == STATUS_OK) {
        check->seed = grid->seed;
        check->n_seed = grid->n_seed;
        grid->seed = NULL;
        grid->n_seed = 0;
    }
    grid_free(grid);
    return status;
}

/* Nothing is trained for a file that cannot be written. */
static enum status try_outputs(const struct arguments *arguments, struct error *err)
{
    const char *path[] = {arguments->png, arguments->junit,
                          arguments->update ? arguments->operand[0] : NULL};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof path / sizeof path[0] && status == STATUS_OK; i++) {
        status = path[i] ? file_try(path[i], err) : STATUS_OK;
    }
    return status;
}

/* --set changes what is trained now, in every part. */
static enum status apply_settings(struct check *check, struct error *err)
{
    for (size_t p = 0; p < check->baseline.n_part; p++) {
        struct baseline_part *part = &check->baseline.part[p];
        enum status status = STATUS_OK;
        for (size_t i = 0; i < check->arguments->n_set && status == STATUS_OK; i++) {
            char key[128];
            const char *text = check->arguments->set[i], *equals = strchr(text, '=');
            if (!equals) {
                return error_set(err, STATUS_USAGE, "--set: expected KEY=VALUE, found '%s'", text);
            }
            snprintf(key, sizeof key, "%.*s", (int)(equals - text), text);
            status = config_set(&part->config, key, equals + 1, err);
        }
        if (status == STATUS_OK && check->arguments->n_set > 0 && part->trained_here) {
            status = config_resolve(&part->config, err);
        }
        if (status != STATUS_OK) {
            error_prefix(err, "part %s", part->name);
            return status;
        }
    }
    return STATUS_OK;
}

/* ---- new runs ---- */

/* Seeds that the baseline has not: as many, from behind its largest one. */
static enum status choose_new_seeds(struct check *check, struct error *err)
{
    const struct baseline_part *part = &check->baseline.part[0];
    uint64_t largest = 0;
    for (size_t r = 0; r < part->n_run; r++) {
        largest = part->run[r].seed > largest ? part->run[r].seed : largest;
    }
    check->seed = malloc(part->n_run * sizeof *check->seed);
    if (!check->seed) {
        return error_set(err, STATUS_MEMORY, "out of memory");
    }
    for (size_t r = 0; r < part->n_run; r++) {
        check->seed[check->n_seed++] = largest + 1 + r;
    }
    return STATUS_OK;
}

static void choose_tier(struct check *check)
{
    check->tier = compare_tier(&check->baseline, &check->fresh, check->reason);
    for (size_t i = 0; check->arguments->tier && i < TIER_COUNT; i++) {
        if (strcmp(check->arguments->tier, tier_name((enum tier)i)) == 0) {
            check->tier = (enum tier)i;
            snprintf(check->reason, sizeof check->reason, "as asked for");
        }
    }
}

static enum status plan(struct check *check, struct error *err)
{
    baseline_free(&check->fresh);
    enum status status =
        baseline_plan_again(&check->baseline, check->seed, check->n_seed, &check->fresh, err);
    if (status == STATUS_OK) {
        choose_tier(check);
    }
    return status;
}

/* Too few seeds were asked for, or too few are in the file: before any of them is trained. */
static enum status check_sizes(const struct check *check, struct error *err)
{
    if (check->tier != TIER_BAND) {
        return STATUS_OK;
    }
    size_t n_base = SIZE_MAX, n_fresh = SIZE_MAX;
    for (size_t p = 0; p < check->baseline.n_part; p++) {
        size_t n_old = check->baseline.part[p].n_run, n_new = check->fresh.part[p].n_run;
        n_base = n_old < n_base ? n_old : n_base;
        n_fresh = n_new < n_fresh ? n_new : n_fresh;
    }
    enum status status = compare_band_enough(n_base, n_fresh, err);
    if (status != STATUS_OK && check->arguments->seeds) {
        error_prefix(err, "--seeds");
        return STATUS_USAGE;
    }
    return status;
}

static enum status train(struct check *check, struct error *err)
{
    enum status status = apply_settings(check, err);
    if (status == STATUS_OK) {
        status = plan(check, err);
    }
    if (status == STATUS_OK && check->tier == TIER_BAND && !check->seed) {
        char reason[COMPARE_REASON_SIZE];
        memcpy(reason, check->reason, sizeof reason);
        status = choose_new_seeds(check, err);
        if (status == STATUS_OK) {
            status = plan(check, err);
        }
        check->tier = TIER_BAND;
        memcpy(check->reason, reason, sizeof reason);
    }
    if (status == STATUS_OK) {
        status = check_sizes(check, err);
    }
    return status == STATUS_OK ? learning_train(&check->fresh, check->arguments, false, err)
                               : status;
}

static enum status keep_seeds(struct check *check, struct error *err)
{
    uint64_t missing;
    if (!check->seed || baseline_keep_seeds(&check->fresh, check->seed, check->n_seed, &missing)) {
        return STATUS_OK;
    }
    return error_set(err, STATUS_DATA, "there is no run of seed %llu", (unsigned long long)missing);
}

/* What was meant is a part of which there are no new curves yet. */
static enum status refuse_part(const struct check *check, const char *unknown, struct error *err)
{
    const struct baseline *baseline = &check->baseline;
    char names[512] = "";
    const char **open = calloc(baseline->n_part, sizeof *open);
    size_t n_open = 0;
    if (!open) {
        return error_set(err, STATUS_MEMORY, "out of memory");
    }
    for (size_t p = 0; p < baseline->n_part; p++) {
        const char *name = baseline->part[p].name;
        size_t n = strlen(names);
        snprintf(names + n, sizeof names - n, "%s%s", p > 0 ? ", " : "", name);
        if (!baseline_find_part(&check->fresh, name)) {
            open[n_open++] = name;
        }
    }
    const char *near = suggest_nearest(unknown, open, n_open);
    free(open);
    return error_set(err, STATUS_DATA,
                     "%s is no part of the baseline%s%s%s; its parts are %s: name folders of "
                     "curves like these",
                     unknown, near ? " (did you mean " : "", near ? near : "", near ? "?)" : "",
                     names);
}

/* A folder that is passed over for its name would be a check that passes whatever is in it. Curves
 * without a subfolder belong to one configuration; of several nobody knows which. A baseline may
 * have more parts than an older one. */
static enum status check_part_names(const struct check *check, struct error *err)
{
    const char *unknown = NULL;
    size_t n_unknown = 0;
    for (size_t p = 0; p < check->fresh.n_part; p++) {
        const char *name = check->fresh.part[p].name;
        if (!baseline_find_part(&check->baseline, name)) {
            unknown = unknown ? unknown : name;
            n_unknown++;
        }
    }
    return n_unknown == 0 || (check->arguments->with && n_unknown < check->fresh.n_part)
               ? STATUS_OK
               : refuse_part(check, unknown, err);
}

static void note_unknown_parts(struct check *check)
{
    char *note = check->comparison.note;
    for (size_t p = 0; p < check->fresh.n_part; p++) {
        const char *name = check->fresh.part[p].name;
        size_t n = strlen(note);
        if (!baseline_find_part(&check->baseline, name)) {
            snprintf(note + n, COMPARE_NOTE_SIZE - n, "%s%s: not compared, it is no part of %s",
                     n > 0 ? "; " : "", name, check->arguments->operand[0]);
        }
    }
}

/* What was trained elsewhere: curves, or another baseline. Where both have one part, they are the
 * same whatever they are called. */
static enum status load(struct check *check, struct error *err)
{
    const struct arguments *arguments = check->arguments;
    enum status status = arguments->curves
                             ? baseline_read_curves(arguments->curves, &check->fresh, err)
                             : baseline_read(arguments->with, &check->fresh, err);
    if (status == STATUS_OK) {
        status = keep_seeds(check, err);
    }
    if (status == STATUS_OK && check->fresh.n_part == 1 && check->baseline.n_part == 1) {
        memcpy(check->fresh.part[0].name, check->baseline.part[0].name, BASELINE_NAME_SIZE);
    }
    if (status == STATUS_OK) {
        status = check_part_names(check, err);
    }
    if (status == STATUS_OK) {
        choose_tier(check);
    }
    return status;
}

/* ---- the answer ---- */

static enum status compare(struct check *check, struct error *err)
{
    switch (check->tier) {
    case TIER_EXACT:
        return compare_exact(&check->baseline, &check->fresh, &check->comparison, err);
    case TIER_PAIRED:
        return compare_paired(&check->baseline, &check->fresh, &check->comparison, err);
    default:
        return compare_band(&check->baseline, &check->fresh, &check->comparison, err);
    }
}

static enum status answer(const struct check *check, double seconds, struct error *err)
{
    const struct arguments *arguments = check->arguments;
    struct check_result result = {.file = arguments->operand[0],
                                  .baseline = &check->baseline,
                                  .fresh = &check->fresh,
                                  .comparison = &check->comparison,
                                  .reason = check->reason,
                                  .seconds = seconds};
    enum status status = STATUS_OK;
    if (arguments->format == FORMAT_JSON) {
        status = check_print_json(&result, err);
    } else {
        check_print_text(&result);
    }
    if (status == STATUS_OK && arguments->junit) {
        status = check_write_junit(&result, arguments->junit, err);
    }
    if (status == STATUS_OK && arguments->png) {
        status =
            figure_check(&check->baseline, &check->fresh, &check->comparison, arguments->png, err);
    }
    return status;
}

/* update records the baseline anew, with its own seeds, and the tolerances if it had some. */
static enum status update(struct check *check, struct error *err)
{
    const char *path = check->arguments->operand[0];
    enum status status = STATUS_OK;
    if (!check->arguments->curves) {
        bool paired = check->baseline.part[0].tolerance != NULL;
        baseline_free(&check->fresh);
        status = baseline_plan_again(&check->baseline, NULL, 0, &check->fresh, err);
        if (status == STATUS_OK) {
            status = learning_train(&check->fresh, check->arguments, paired, err);
        }
    }
    if (status == STATUS_OK) {
        status = baseline_write(&check->fresh, path, err);
    }
    if (status == STATUS_OK && !check->arguments->quiet) {
        terminal_print(stderr, "%s: recorded anew\n", path);
    }
    return status;
}

static enum status run_check(struct check *check, struct error *err)
{
    const struct arguments *arguments = check->arguments;
    double start = clock_seconds();
    enum status status = read_seeds(check, err);
    if (status == STATUS_OK) {
        status = baseline_read(arguments->operand[0], &check->baseline, err);
    }
    if (status == STATUS_OK) {
        status = try_outputs(arguments, err);
    }
    if (status == STATUS_OK) {
        status = arguments->curves || arguments->with ? load(check, err) : train(check, err);
    }
    if (status == STATUS_OK) {
        status = compare(check, err);
    }
    if (status == STATUS_OK) {
        note_unknown_parts(check);
        status = answer(check, clock_seconds() - start, err);
    }
    if (status != STATUS_OK || check->comparison.n_difference == 0) {
        return status;
    }
    status = arguments->update ? update(check, err) : STATUS_OK;
    return status == STATUS_OK ? STATUS_FAILED : status;
}

enum status cmd_check(const struct arguments *arguments, struct error *err)
{
    struct check check = {.arguments = arguments};
    enum status status = check_options(arguments, err);
    if (status == STATUS_OK) {
        status = learning_plant(arguments, err);
    }
    if (status == STATUS_OK) {
        status = run_check(&check, err);
    }
    comparison_free(&check.comparison);
    baseline_free(&check.baseline);
    baseline_free(&check.fresh);
    free(check.seed);
    return status;
}
