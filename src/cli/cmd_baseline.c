#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "check/tier.h"
#include "check/traces_train.h"
#include "cli/command.h"
#include "cli/grids.h"
#include "cli/learning.h"
#include "cli/terminal.h"

#define DEFAULT_SEEDS "0-9"

static void say_written(const struct traces *traces, const char *path)
{
    struct stat about;
    terminal_print(stderr, "%s: %zu runs of %zu configuration%s, %.0f kB\n", path,
                   traces_count(traces), traces->n_cohort, plural(traces->n_cohort),
                   stat(path, &about) == 0 ? (double)about.st_size / 1000 : 0);
}

/* A baseline of runs that diverge can be meant, so it is written; but nobody shall make one unseen.
 */
static enum status say_diverged(const struct traces *traces, const char *path, struct error *err)
{
    size_t n = 0;
    for (size_t p = 0; p < traces->n_cohort; p++) {
        for (size_t i = 0; i < traces->cohort[p].n_trace; i++) {
            n += traces->cohort[p].trace[i].diverged;
        }
    }
    return n == 0
               ? STATUS_OK
               : error_set(err, STATUS_FAILED, "%s is recorded, but %zu of its %zu runs diverged",
                           path, n, traces_count(traces));
}

/* Seeds of a file or preset are its own; --set alone, and the default preset, have ten. */
static enum status plan(const struct arguments *arguments, struct traces *traces, struct error *err)
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
        status = traces_plan(grids.config, grids.n_config, traces, err);
    }
    grids_free(&grids);
    return status;
}

/* Told before the training, so that it can be stopped. */
static void warn_of_few_seeds(const struct traces *traces, const struct arguments *arguments)
{
    size_t n = traces_fewest(traces);
    if (n < BAND_SEEDS && !arguments->quiet) {
        terminal_say("warning: %zu seed%s: `check --tier band` and `check --curves` need %zu new "
                     "seeds beside so few; with at least %d they need no more than there are",
                     n, plural(n), band_needs(n), BAND_SEEDS);
    }
}

static enum status record(const struct arguments *arguments, struct traces *traces,
                          struct error *err)
{
    if (arguments->curves) {
        TRY(arguments_refuse(arguments, OPTION_set, "not with --curves", err));
        TRY(traces_read_curves(arguments->curves, traces, err));
    } else {
        TRY(plan(arguments, traces, err));
    }
    warn_of_few_seeds(traces, arguments);
    if (!arguments->curves) {
        TRY(learning_train(traces, arguments, !arguments->no_paired, err));
    }
    TRY(traces_write(traces, arguments->output, err));
    if (!arguments->quiet) {
        say_written(traces, arguments->output);
    }
    return say_diverged(traces, arguments->output, err);
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
    struct traces traces = {0};
    TRY(check_action(arguments->operand[0], err));
    if (!arguments->output) {
        return error_set(err, STATUS_USAGE, "baseline record needs --output FILE");
    }
    TRY(file_try(arguments->output, err));
    enum status status = record(arguments, &traces, err);
    traces_free(&traces);
    return status;
}
