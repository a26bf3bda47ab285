#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/contention.h"
#include "base/text.h"
#include "base/threads.h"
#include "cli/bench_tables.h"
#include "cli/command.h"
#include "cli/grids.h"
#include "cli/options.h"
#include "cli/signals.h"
#include "cli/startup.h"
#include "cli/terminal.h"
#include "lab/bench/bench.h"
#include "lab/bench/scaling.h"
#include "lab/config/grid_list.h"

#define DEFAULT_ROUNDS 7
#define DEFAULT_SECONDS 2.0
#define MAX_AXIS 8

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

/* set_variants makes --variant A --variant B the values of one key. */
static enum status set_variants(struct grid *grid, const struct arguments *arguments,
                                struct error *err)
{
    struct text text = {0};
    for (size_t i = 0; i < arguments->n_variant; i++) {
        text_append(&text, "%s%s", i ? "," : "variant=", arguments->variant[i]);
    }
    enum status status = text.failed                ? error_memory(err, "listing the models")
                         : arguments->n_variant > 0 ? grid_set(grid, text.data, err)
                                                    : STATUS_OK;
    text_free(&text);
    return status;
}

static enum status fill_grid(struct grid *grid, const struct bench_shape *shape,
                             const struct arguments *arguments, struct error *err)
{
    for (size_t i = 0; shape && i < BENCH_MAX_SET && shape->set[i]; i++) {
        if (!is_set(arguments, shape->set[i])) {
            TRY(grid_set(grid, shape->set[i], err));
        }
    }
    TRY(grids_set(grid, arguments, err));
    return set_variants(grid, arguments, err);
}

/* add_grid appends the models of a shape (NULL: the defaults), --set and --variant. */
static enum status add_grid(struct grid_list *list, const struct bench_shape *shape,
                            const struct arguments *arguments, struct error *err)
{
    struct grid *grid = grid_create();
    TRY(grid_list_append(list, grid, NULL, err));
    return fill_grid(grid, shape, arguments, err);
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
static enum status list_grids(struct grid_list *list, const struct arguments *arguments,
                              struct error *err)
{
    if (arguments->n_shape == 0 && (arguments->n_set > 0 || arguments->scaling)) {
        return add_grid(list, NULL, arguments, err);
    }
    for (size_t i = 0; bench_shape_at(i); i++) {
        if (is_chosen(arguments, bench_shape_at(i))) {
            TRY(add_grid(list, bench_shape_at(i), arguments, err));
        }
    }
    return STATUS_OK;
}

static enum status list_models(struct config **models, size_t *n_model,
                               const struct arguments *arguments, struct error *err)
{
    struct grid_list list = {0};
    enum status status = list_grids(&list, arguments, err);
    if (status == STATUS_OK) {
        status = grid_list_expand(&list, models, n_model, err);
    }
    grid_list_free(&list);
    return status;
}

/* ---- measuring ---- */

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
        .stop = signals_stop,
    };
}

static enum status measure_group(const struct bench_table *bench, const struct arguments *arguments,
                                 int threads, struct bench_group *group, struct error *err)
{
    struct bench_options options = options_of(arguments, threads);
    size_t n = bench->n_config;
    group->threads = options.threads;
    TRY_CALLOC(err, group->result, n, "measuring %zu models", n);
    if (!arguments->quiet) {
        fprintf(stderr, "Measuring %zu model%s with %d thread%s, in %zu round%s\n", n, plural(n),
                options.threads, plural((size_t)options.threads), options.n_round,
                plural(options.n_round));
    }
    enum status status =
        bench_run(bench->configs, n, &options, group->result, &group->ceiling, err);
    clear_round(arguments);
    return status;
}

static enum status measure_speed(const struct config *models, size_t n_model,
                                 const struct arguments *arguments, struct error *err)
{
    struct bench_group group[MAX_THREAD_LIST] = {0};
    size_t n_group = arguments->n_thread_list > 0 ? arguments->n_thread_list : 1;
    struct bench_table bench = {models, n_model, group, n_group};
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < n_group; i++) {
        status = measure_group(&bench, arguments, arguments->thread_list[i], &group[i], err);
    }
    if (status == STATUS_OK) {
        status = bench_tables_print(&bench, arguments->format, err);
    }
    for (size_t i = 0; i < n_group; i++) {
        free(group[i].result);
    }
    return status;
}

static enum status measure_scaling(const struct config *models, size_t n_model,
                                   const struct arguments *arguments, struct error *err)
{
    if (n_model != 1 || arguments->n_thread_list > 1) {
        return error_set(err, STATUS_USAGE,
                         "--scaling varies one model at one number of threads: give one value of "
                         "each key, one --shape, one --variant and one number of --threads");
    }
    struct bench_options options = options_of(arguments, arguments->threads);
    struct scaling scaling[MAX_AXIS];
    size_t n = 0;
    for (; n < MAX_AXIS && scaling_axis_at(n); n++) {
        if (!arguments->quiet) {
            fprintf(stderr, "Varying %s\n", scaling_axis_at(n)->key);
        }
        enum status status =
            scaling_measure(&models[0], scaling_axis_at(n), &options, &scaling[n], err);
        clear_round(arguments);
        TRY(status);
    }
    return bench_tables_scaling(scaling, n, arguments->format, err);
}

static enum status measure(const struct config *models, size_t n_model,
                           const struct arguments *arguments, struct error *err)
{
    struct contention contention = contention_begin();
    TRY(startup_compute(err));
    signals_hold();
    enum status status = arguments->scaling ? measure_scaling(models, n_model, arguments, err)
                                            : measure_speed(models, n_model, arguments, err);
    signals_release();
    if (status == STATUS_OK && !arguments->quiet) {
        terminal_say_busy(contention_others(&contention), "an idle machine is faster");
    }
    return status;
}

enum status cmd_bench(const struct arguments *arguments, struct error *err)
{
    struct config *models;
    size_t n_model;
    TRY(list_models(&models, &n_model, arguments, err));
    enum status status = measure(models, n_model, arguments, err);
    free(models);
    return status;
}
