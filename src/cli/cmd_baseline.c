#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "cli/command.h"
#include "cli/grids.h"
#include "cli/learning.h"
#include "cli/terminal.h"
#include "lab/baseline/baseline_train.h"

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

static enum status record(const struct arguments *arguments, struct baseline *baseline,
                          struct error *err)
{
    if (arguments->curves) {
        enum status status = arguments_refuse(arguments, OPTION_SET, "not with --curves", err);
        return status == STATUS_OK ? baseline_read_curves(arguments->curves, baseline, err)
                                   : status;
    }
    enum status status = plan(arguments, baseline, err);
    return status == STATUS_OK ? learning_train(baseline, arguments, !arguments->no_paired, err)
                               : status;
}

enum status cmd_baseline(const struct arguments *arguments, struct error *err)
{
    struct baseline baseline = {0};
    enum status status = word_check(WORD_BASELINE_ACTION, "action", arguments->operand[0], err);
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
