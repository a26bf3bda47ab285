#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "cli/command.h"
#include "cli/grids.h"
#include "cli/learning.h"
#include "cli/terminal.h"
#include "lab/baseline/baseline_train.h"
#include "report/check/compare.h"

#define DEFAULT_SEEDS "0-9"

static size_t count_runs(const struct baseline *baseline)
{
    size_t n = 0;
    for (size_t p = 0; p < baseline->n_part; p++) {
        n += baseline->part[p].n_run;
    }
    return n;
}

static size_t count_diverged(const struct baseline *baseline)
{
    size_t n = 0;
    for (size_t p = 0; p < baseline->n_part; p++) {
        for (size_t r = 0; r < baseline->part[p].n_run; r++) {
            n += baseline->part[p].run[r].diverged;
        }
    }
    return n;
}

static void say_written(const struct baseline *baseline, const char *path)
{
    struct stat about;
    terminal_print(stderr, "%s: %zu runs of %zu configuration%s, %.0f kB\n", path,
                   count_runs(baseline), baseline->n_part, baseline->n_part == 1 ? "" : "s",
                   stat(path, &about) == 0 ? (double)about.st_size / 1000 : 0);
}

/* A baseline of runs that diverge can be meant, so it is written; but nobody shall make one unseen.
 */
static enum status say_diverged(const struct baseline *baseline, const char *path,
                                struct error *err)
{
    size_t n = count_diverged(baseline);
    return n == 0
               ? STATUS_OK
               : error_set(err, STATUS_FAILED, "%s is recorded, but %zu of its %zu runs diverged",
                           path, n, count_runs(baseline));
}

/* Seeds of a file or preset are its own; --set alone, and the default preset, have ten. */
static enum status plan(const struct arguments *arguments, struct baseline *baseline,
                        struct error *err)
{
    struct arguments asked = *arguments;
    struct grids grids;
    const char *name = arguments->n_operand > 1 ? arguments->operand[1] : NULL;
    if (!name && !asked.seeds) {
        asked.seeds = DEFAULT_SEEDS;
    }
    if (!name && arguments->n_set == 0) {
        name = LEARNING_PRESET;
    }
    enum status status = grids_expand(&grids, &asked, name, err);
    if (status == STATUS_OK) {
        status = baseline_plan(grids.config, grids.n_config, baseline, err);
    }
    grids_free(&grids);
    return status;
}

/* Told before the training, so that it can be stopped. */
static void warn_of_few_seeds(const struct baseline *baseline, const struct arguments *arguments)
{
    size_t n = SIZE_MAX;
    for (size_t p = 0; p < baseline->n_part; p++) {
        n = baseline->part[p].n_run < n ? baseline->part[p].n_run : n;
    }
    if (n < COMPARE_BAND_SEEDS && !arguments->quiet) {
        terminal_say("warning: %zu seed%s: `check --tier band` and `check --curves` need %zu new "
                     "seeds beside so few; with at least %d they need no more than there are",
                     n, n == 1 ? "" : "s", compare_band_needs(n), COMPARE_BAND_SEEDS);
    }
}

static enum status record(const struct arguments *arguments, struct baseline *baseline,
                          struct error *err)
{
    if (arguments->curves) {
        enum status status = arguments_refuse(arguments, OPTION_set, "not with --curves", err);
        if (status == STATUS_OK) {
            status = baseline_read_curves(arguments->curves, baseline, err);
        }
        if (status == STATUS_OK) {
            warn_of_few_seeds(baseline, arguments);
        }
        return status;
    }
    enum status status = plan(arguments, baseline, err);
    if (status == STATUS_OK) {
        warn_of_few_seeds(baseline, arguments);
    }
    return status == STATUS_OK ? learning_train(baseline, arguments, !arguments->no_paired, err)
                               : status;
}

/* A file or preset in the place of the action is one whose action was left out. */
static enum status check_action(const char *action, struct error *err)
{
    const char *end = strrchr(action, '.');
    bool is_file =
        file_exists(action) || (end && (strcmp(end, ".yaml") == 0 || strcmp(end, ".yml") == 0));
    if (is_file || word_check(WORD_PRESET, action, NULL) == STATUS_OK) {
        return error_set(err, STATUS_USAGE,
                         "unknown action '%.200s': did you mean `qkvlab baseline record %.200s`?",
                         action, action);
    }
    return word_check(WORD_BASELINE_ACTION, action, err);
}

enum status cmd_baseline(const struct arguments *arguments, struct error *err)
{
    struct baseline baseline = {0};
    enum status status = check_action(arguments->operand[0], err);
    if (status == STATUS_OK && !arguments->output) {
        status = error_set(err, STATUS_USAGE, "baseline record needs --output FILE");
    }
    if (status == STATUS_OK) {
        status = file_try(arguments->output, err);
    }
    if (status == STATUS_OK) {
        status = learning_plant(arguments, err);
    }
    if (status == STATUS_OK) {
        status = record(arguments, &baseline, err);
    }
    if (status == STATUS_OK) {
        status = baseline_write(&baseline, arguments->output, err);
    }
    if (status == STATUS_OK && !arguments->quiet) {
        say_written(&baseline, arguments->output);
    }
    if (status == STATUS_OK) {
        status = say_diverged(&baseline, arguments->output, err);
    }
    baseline_free(&baseline);
    return status;
}
