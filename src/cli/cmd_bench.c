#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/contention.h"
#include "base/text.h"
#include "base/threads.h"
#include "cli/bench_tables.h"
#include "cli/busy.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/signals.h"
#include "cli/startup.h"
#include "cli/terminal.h"
#include "lab/bench/bench.h"
#include "lab/bench/scaling.h"
#include "lab/config/grid.h"

#define DEFAULT_ROUNDS 7
#define DEFAULT_SECONDS 2.0
#define MAX_AXIS 8

struct models {
    struct config *config;
    size_t n_config;
};

/* ---- which models ---- */

static bool is_set(const struct arguments *arguments, const char *assignment)
{
    size_t n = strcspn(assignment, "=") + 1;
    for (size_t i = 0; i < arguments->n_set; i++) {
        if (strncmp(arguments->set[i], assignment, n) == 0) {
            return true;
        }
    }
    return false;
}

/* grid_set_variants makes --variant A --variant B the values of one key. */
static enum status grid_set_variants(struct grid *grid, const struct arguments *arguments,
                                     struct error *err)
{
    struct text text = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < arguments->n_variant; i++) {
        text_append(&text, "%s%s", i ? "," : "variant=", arguments->variant[i]);
    }
    if (text.failed) {
        status = error_set(err, STATUS_MEMORY, "out of memory");
    } else if (arguments->n_variant > 0) {
        status = grid_set(grid, text.data, err);
    }
    text_free(&text);
    return status;
}

/* add_models appends the grid of a shape (NULL: the defaults), --set and --variant. */
static enum status add_models(struct models *models, const struct bench_shape *shape,
                              const struct arguments *arguments, struct error *err)
{
    struct grid *grid = grid_create();
    struct config *more = NULL;
    size_t n_more = 0;
    enum status status = grid ? STATUS_OK : error_set(err, STATUS_MEMORY, "out of memory");
    for (size_t i = 0; status == STATUS_OK && shape && i < BENCH_MAX_SET && shape->set[i]; i++) {
        if (!is_set(arguments, shape->set[i])) {
            status = grid_set(grid, shape->set[i], err);
        }
    }
    for (size_t i = 0; status == STATUS_OK && i < arguments->n_set; i++) {
        status = grid_set(grid, arguments->set[i], err);
        if (status == STATUS_USAGE) {
            error_prefix(err, "--set");
        }
    }
    if (status == STATUS_OK) {
        status = grid_set_variants(grid, arguments, err);
    }
    if (status == STATUS_OK) {
        status = grid_expand(grid, &more, &n_more, err);
    }
    if (status == STATUS_OK) {
        struct config *grown =
            realloc(models->config, (models->n_config + n_more) * sizeof *models->config);
        if (grown) {
            memcpy(grown + models->n_config, more, n_more * sizeof *more);
            models->config = grown;
            models->n_config += n_more;
        } else {
            status = error_set(err, STATUS_MEMORY, "out of memory");
        }
    }
    free(more);
    grid_free(grid);
    return status;
}

static bool is_chosen(const struct arguments *arguments, const struct bench_shape *shape)
{
    for (size_t i = 0; i < arguments->n_shape; i++) {
        if (strcmp(arguments->shape[i], shape->name) == 0) {
            return true;
        }
    }
    return arguments->n_shape == 0;
}

/* Without --shape, --set describes a model of its own instead of the list's, and so does --scaling.
 */
static enum status list_models(struct models *models, const struct arguments *arguments,
                               struct error *err)
{
    enum status status = STATUS_OK;
    if (arguments->n_shape == 0 && (arguments->n_set > 0 || arguments->scaling)) {
        return add_models(models, NULL, arguments, err);
    }
    for (size_t i = 0; status == STATUS_OK && bench_shape_at(i); i++) {
        if (is_chosen(arguments, bench_shape_at(i))) {
            status = add_models(models, bench_shape_at(i), arguments, err);
        }
    }
    return status;
}

/* ---- measuring ---- */

static int on_stop(void *context)
{
    (void)context;
    return signals_received();
}

static void on_round(void *context, size_t round, size_t n_round)
{
    (void)context;
    fprintf(stderr, "\rround %zu of %zu ", round + 1, n_round);
    fflush(stderr);
}

static bool shows_rounds(const struct arguments *arguments)
{
    return !arguments->quiet && terminal_is(stderr);
}

static void clear_round(const struct arguments *arguments)
{
    if (shows_rounds(arguments)) {
        fprintf(stderr, "\r%*s\r", 40, "");
    }
}

static struct bench_options options_of(const struct arguments *arguments, int threads)
{
    return (struct bench_options){
        .threads = threads > 0 ? threads : threads_available(),
        .n_round = arguments->rounds ? arguments->rounds : DEFAULT_ROUNDS,
        .seconds = arguments->seconds > 0 ? arguments->seconds : DEFAULT_SECONDS,
        .ceiling = true,
        .round = shows_rounds(arguments) ? on_round : NULL,
        .stop = on_stop,
    };
}

static enum status measure_group(const struct models *models, const struct arguments *arguments,
                                 int threads, struct bench_group *group, struct error *err)
{
    struct bench_options options = options_of(arguments, threads);
    group->threads = options.threads;
    group->result = calloc(models->n_config, sizeof *group->result);
    if (!group->result) {
        return error_set(err, STATUS_MEMORY, "out of memory");
    }
    if (!arguments->quiet) {
        fprintf(stderr, "Measuring %zu model%s with %d thread%s, in %zu round%s\n",
                models->n_config, models->n_config == 1 ? "" : "s", options.threads,
                options.threads == 1 ? "" : "s", options.n_round, options.n_round == 1 ? "" : "s");
    }
    enum status status =
        bench_run(models->config, models->n_config, &options, group->result, &group->ceiling, err);
    clear_round(arguments);
    return status;
}

static enum status measure_speed(const struct models *models, const struct arguments *arguments,
                                 struct error *err)
{
    struct bench_group group[MAX_THREAD_LIST] = {0};
    size_t n_group = arguments->n_thread_list > 0 ? arguments->n_thread_list : 1;
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < n_group; i++) {
        status = measure_group(models, arguments, arguments->thread_list[i], &group[i], err);
    }
    if (status == STATUS_OK) {
        status = bench_tables_print(models->config, models->n_config, group, n_group,
                                    arguments->format, err);
    }
    for (size_t i = 0; i < n_group; i++) {
        free(group[i].result);
    }
    return status;
}

static enum status measure_scaling(const struct models *models, const struct arguments *arguments,
                                   struct error *err)
{
    if (models->n_config != 1 || arguments->n_thread_list > 1) {
        return error_set(err, STATUS_USAGE,
                         "--scaling varies one model at one number of threads: give one value of "
                         "each key, one --shape, one --variant and one number of --threads");
    }
    struct bench_options options = options_of(arguments, arguments->threads);
    struct scaling scaling[MAX_AXIS];
    size_t n = 0;
    enum status status = STATUS_OK;
    for (; status == STATUS_OK && n < MAX_AXIS && scaling_axis_at(n); n++) {
        if (!arguments->quiet) {
            fprintf(stderr, "Varying %s\n", scaling_axis_at(n)->key);
        }
        status =
            scaling_measure(&models->config[0], scaling_axis_at(n), &options, &scaling[n], err);
        clear_round(arguments);
    }
    return status == STATUS_OK ? bench_tables_scaling(scaling, n, arguments->format, err) : status;
}

static enum status measure(const struct models *models, const struct arguments *arguments,
                           struct error *err)
{
    struct contention contention = contention_begin();
    enum status status = arguments->scaling ? measure_scaling(models, arguments, err)
                                            : measure_speed(models, arguments, err);
    if (status == STATUS_OK && !arguments->quiet) {
        busy_warn(contention_others(&contention), "an idle machine is faster");
    }
    return status;
}

enum status cmd_bench(const struct arguments *arguments, struct error *err)
{
    struct models models = {0};
    enum status status = list_models(&models, arguments, err);
    if (status == STATUS_OK) {
        status = startup_compute(err);
    }
    if (status == STATUS_OK) {
        signals_hold();
        status = measure(&models, arguments, err);
        signals_release();
    }
    free(models.config);
    return status;
}
