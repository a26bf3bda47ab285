/* overview: runs sorted by task, variant and configuration; each block of one task and variant is a
 * cell.
 */
#include "report/statistics/overview.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- spread ---- */

struct spread spread_of(const double *value, const size_t *configuration, size_t n_value)
{
    struct stats all = STATS_NONE, means = STATS_NONE;
    double squares = 0;
    for (size_t first = 0, end; first < n_value; first = end) {
        struct stats here = STATS_NONE;
        for (end = first; end < n_value && configuration[end] == configuration[first]; end++) {
            stats_add(&here, value[end]);
            stats_add(&all, value[end]);
        }
        stats_add(&means, here.mean);
        squares += here.squares;
    }
    size_t freedom = all.n - means.n;
    return (struct spread){.n = all.n,
                           .n_configuration = means.n,
                           .mean = all.mean,
                           .between = means.sd,
                           .within = freedom > 0 ? sqrt(squares / (double)freedom) : NAN};
}

/* ---- axes ---- */

static enum status no_memory(struct error *err)
{
    return error_memory(err, "averaging over configurations");
}

static int compare_variants(const struct run *a, const struct run *b)
{
    if (a->variant_rank != b->variant_rank) {
        return a->variant_rank < b->variant_rank ? -1 : 1;
    }
    return strcmp(a->variant_id, b->variant_id);
}

static int compare_tasks(const struct run *a, const struct run *b)
{
    return strcmp(run_task_name(a), run_task_name(b));
}

static int compare_configurations(const struct run *a, const struct run *b)
{
    return strcmp(a->config_key, b->config_key);
}

static int compare_cells(const struct run *a, const struct run *b)
{
    int order = compare_variants(a, b);
    return order ? order : compare_tasks(a, b);
}

static int compare_runs(const void *left, const void *right)
{
    const struct run *a = *(const struct run *const *)left, *b = *(const struct run *const *)right;
    int order = compare_cells(a, b);
    if (order == 0) {
        order = compare_configurations(a, b);
    }
    return order ? order : strcmp(a->id, b->id);
}

typedef int order_of_runs(const struct run *a, const struct run *b);

/* Keeps one run of each class in ascending order; returns the number of classes. */
static size_t add_class(const struct run **class, size_t n_class, const struct run *run,
                        order_of_runs *order)
{
    size_t place = 0;
    while (place < n_class && order(class[place], run) < 0) {
        place++;
    }
    if (place < n_class && order(class[place], run) == 0) {
        return n_class;
    }
    memmove(class + place + 1, class + place, (n_class - place) * sizeof(*class));
    class[place] = run;
    return n_class + 1;
}

static size_t find_class(const struct run **class, const struct run *run, order_of_runs *order)
{
    size_t i = 0;
    while (order(class[i], run) != 0) {
        i++;
    }
    return i;
}

/* ---- cells ---- */

struct values {
    double *value;
    size_t *configuration;
};

static void fill_cell(struct overview_cell *cell, const struct run *const *run, size_t n_run,
                      const struct values *values)
{
    *cell = (struct overview_cell){.run = run[0], .n_run = n_run};
    for (int measure = 0; measure < MEASURE_COUNT; measure++) {
        size_t n = 0, configuration = 0;
        for (size_t i = 0; i < n_run; i++) {
            configuration += i > 0 && compare_configurations(run[i - 1], run[i]) != 0;
            if (run_is_ok(run[i])) {
                values->value[n] = run[i]->measure[measure];
                values->configuration[n++] = configuration;
            }
        }
        cell->n_ok = n;
        cell->measure[measure] = spread_of(values->value, values->configuration, n);
    }
}

static enum status fill_cells(struct overview *overview, const struct run *const *run, size_t n_run,
                              struct error *err)
{
    struct values values = {calloc(n_run + 1, sizeof(*values.value)),
                            calloc(n_run + 1, sizeof(*values.configuration))};
    overview->cell = calloc(overview->n_variant * overview->n_task + 1, sizeof(*overview->cell));
    enum status status =
        values.value && values.configuration && overview->cell ? STATUS_OK : no_memory(err);
    for (size_t first = 0, end; status == STATUS_OK && first < n_run; first = end) {
        end = first + 1;
        while (end < n_run && compare_cells(run[first], run[end]) == 0) {
            end++;
        }
        size_t row = find_class(overview->variant, run[first], compare_variants);
        size_t column = find_class(overview->task, run[first], compare_tasks);
        fill_cell(&overview->cell[row * overview->n_task + column], run + first, end - first,
                  &values);
    }
    free(values.value);
    free(values.configuration);
    return status;
}

static enum status make_axes(struct overview *overview, const struct run *const *run, size_t n_run,
                             struct error *err)
{
    const struct run **configuration = calloc(n_run + 1, sizeof(*configuration));
    overview->variant = calloc(n_run + 1, sizeof(*overview->variant));
    overview->task = calloc(n_run + 1, sizeof(*overview->task));
    if (!configuration || !overview->variant || !overview->task) {
        free(configuration);
        return no_memory(err);
    }
    for (size_t i = 0; i < n_run; i++) {
        overview->n_variant =
            add_class(overview->variant, overview->n_variant, run[i], compare_variants);
        overview->n_task = add_class(overview->task, overview->n_task, run[i], compare_tasks);
        overview->n_configuration =
            add_class(configuration, overview->n_configuration, run[i], compare_configurations);
    }
    free(configuration);
    return STATUS_OK;
}

enum status overview_make(const struct run_set *set, bool images, struct overview *overview,
                          struct error *err)
{
    *overview = (struct overview){0};
    const struct run *runs = images ? set->image_run : set->run;
    size_t n_run = images ? set->n_image_run : set->n_run;
    const struct run **run = calloc(n_run + 1, sizeof(*run));
    if (!run) {
        return no_memory(err);
    }
    size_t n_all = n_run;
    n_run = 0;
    for (size_t i = 0; i < n_all; i++) {
        if (!runs[i].copy_of) {
            run[n_run++] = &runs[i];
        }
    }
    qsort(run, n_run, sizeof(*run), compare_runs);
    enum status status = make_axes(overview, run, n_run, err);
    if (status == STATUS_OK) {
        status = fill_cells(overview, run, n_run, err);
    }
    free(run);
    return status;
}

void overview_free(struct overview *overview)
{
    free(overview->variant);
    free(overview->task);
    free(overview->cell);
    *overview = (struct overview){0};
}
