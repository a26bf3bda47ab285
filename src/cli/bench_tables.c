#include "cli/bench_tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/varied.h"
#include "nn/blas.h"

/* A list of columns is X(type, key, title, decimals, value) a row: COLUMN adds the column, CELL the
 * cell of the row that its function is about. */
#define COLUMN(type, key, title, decimals, value)                                                  \
    table_column(table, &(struct column){key, title, decimals});
#define CELL(type, key, title, decimals, value) table_##type(table, value);
#define GIGA 1e9
#define MIB (1024.0 * 1024.0)

#define VALUE_SIZE 64

/* ---- which keys name a row ---- */

/* Keys that the shape and the variant of a row tell already. */
static bool is_shown(const char *key)
{
    static const char *const shown[] = {"variant", "n_embd",     "n_layer",   "n_head",
                                        "seq_len", "n_position", "batch_size"};
    bool found = false;
    for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
        found = found || strcmp(key, shown[i]) == 0;
    }
    for (size_t i = 0; variant_axis_key(i); i++) {
        found = found || strcmp(key, variant_axis_key(i)) == 0;
    }
    return found;
}

/* Lanes and micro-batch follow from the shape; a grid of them is told apart only where somebody
 * made one, that is where one shape comes with several. */
static bool is_derived(const struct config *configs, size_t n_config, const char *key)
{
    if (strcmp(key, "lanes") != 0 && strcmp(key, "micro_batch") != 0) {
        return false;
    }
    for (size_t i = 0; i < n_config; i++) {
        struct model_shape shape = config_shape(&configs[i]);
        if (configs[i].lanes != engine_default_lanes(&shape) ||
            configs[i].micro_batch != engine_default_micro_batch(&shape)) {
            return false;
        }
    }
    return true;
}

static bool is_told(const struct config *configs, size_t n_config, const char *key)
{
    return is_shown(key) || is_derived(configs, n_config, key);
}

/* ---- speed ---- */

/* "d64-L2-H4-T16", with the batch where it is not the usual one. */
static void shape_name(const struct config *config, char name[VALUE_SIZE])
{
    int n = snprintf(name, VALUE_SIZE, "d%zu-L%zu-H%zu-T%zu", config->n_embd, config->n_layer,
                     config->n_head, config->seq_len);
    if (config->batch_size != config_default().batch_size && n < VALUE_SIZE) {
        snprintf(name + n, VALUE_SIZE - (size_t)n, "-B%zu", config->batch_size);
    }
}

#define NAME_COLUMNS(X)                                                                            \
    X(text, "shape", "shape", 0, shape)                                                            \
    X(integer, "n_embd", NULL, 0, (long long)config->n_embd)                                       \
    X(integer, "n_layer", NULL, 0, (long long)config->n_layer)                                     \
    X(integer, "n_head", NULL, 0, (long long)config->n_head)                                       \
    X(integer, "seq_len", NULL, 0, (long long)config->seq_len)                                     \
    X(integer, "batch_size", NULL, 0, (long long)config->batch_size)                               \
    X(text, "variant", "variant", 0, variant)                                                      \
    X(integer, "threads", "thr", 0, threads)

static void add_names(struct table *table, const struct config *config, int threads)
{
    char shape[VALUE_SIZE], variant[VARIANT_TEXT_SIZE];
    shape_name(config, shape);
    variant_id(&config->variant, variant);
    NAME_COLUMNS(CELL)
}

#define SPEED_COLUMNS(X)                                                                           \
    X(number, "step_ms", "ms", -5, seconds->median * 1e3)                                          \
    X(number, "step_ms_min", "min", -5, seconds->min * 1e3)                                        \
    X(number, "step_ms_max", "max", -5, seconds->max * 1e3)                                        \
    X(integer, "steps", NULL, 0, (long long)result->n_step)                                        \
    X(number, "sequences_per_second", "seq/s", 0, (double)result->n_sequence / seconds->median)    \
    X(number, "step_flop", NULL, 0, result->flop)                                                  \
    X(number, "gflop_per_second", "GFLOP/s", 1, result->flop / seconds->median / GIGA)             \
    X(number, "ceiling_share", "share", 3, result->flop / seconds->median / ceiling->max)          \
    X(number, "ceiling_share_min", NULL, 3, result->flop / seconds->max / ceiling->max)            \
    X(number, "ceiling_share_max", NULL, 3, result->flop / seconds->min / ceiling->max)            \
    X(number, "ceiling_gflop_per_second", NULL, 1, ceiling->max / GIGA)                            \
    X(number, "ceiling_median", NULL, 1, ceiling->median / GIGA)                                   \
    X(number, "ceiling_min", NULL, 1, ceiling->min / GIGA)

static void add_speeds(struct table *table, const struct bench_result *result,
                       const struct bench_spread *ceiling)
{
    const struct bench_spread *seconds = &result->seconds;
    SPEED_COLUMNS(CELL)
}

/* Percent of the threads' time, in the order in which they are told. */
#define PART_COLUMNS(X)                                                                            \
    X(number, "percent_products", "products", 1, 100 * part[PROFILE_MATMUL])                       \
    X(number, "percent_attention", "attention", 1, 100 * part[PROFILE_ATTENTION])                  \
    X(number, "percent_other", "norms", 1, 100 * part[PROFILE_OTHER])                              \
    X(number, "percent_optimizer", "Adam", 1, 100 * part[PROFILE_OPTIMIZER])                       \
    X(number, "percent_data", "data", 1, 100 * part[BENCH_DATA])                                   \
    X(number, "percent_waiting", "waiting", 1, 100 * part[PROFILE_WAIT])

static void add_parts(struct table *table, const double part[BENCH_PART_COUNT])
{
    PART_COLUMNS(CELL)
}

enum content { CONTENT_SPEED = 1, CONTENT_PARTS = 2 };

/* Rows are models, each at every number of threads. */
static enum status print_rows(const struct bench_table *bench, int content, enum format format,
                              struct error *err)
{
    struct varied varied = varied_find(bench->configs, bench->n_config, is_told);
    struct table *table = table_create(NULL, 0);
    NAME_COLUMNS(COLUMN)
    varied_columns(&varied, table);
    if (content & CONTENT_SPEED) {
        SPEED_COLUMNS(COLUMN)
    }
    if (content & CONTENT_PARTS) {
        PART_COLUMNS(COLUMN)
    }
    for (size_t i = 0; i < bench->n_config * bench->n_group; i++) {
        const struct bench_group *group = &bench->groups[i % bench->n_group];
        const struct config *config = &bench->configs[i / bench->n_group];
        const struct bench_result *result = &group->result[i / bench->n_group];
        add_names(table, config, group->threads);
        varied_cells(&varied, config, table);
        if (content & CONTENT_SPEED) {
            add_speeds(table, result, &group->ceiling);
        }
        if (content & CONTENT_PARTS) {
            add_parts(table, result->part);
        }
    }
    return table_finish(table, format, err);
}

static void print_ceilings(const struct bench_group *groups, size_t n_group)
{
    for (size_t i = 0; i < n_group; i++) {
        printf("ceiling at %d thread%s: %.1f GFLOP/s (median %.1f, least %.1f)\n",
               groups[i].threads, plural((size_t)groups[i].threads), groups[i].ceiling.max / GIGA,
               groups[i].ceiling.median / GIGA, groups[i].ceiling.min / GIGA);
    }
    const struct blas *blas;
    if (blas_load(&blas, NULL) == STATUS_OK) {
        printf("of %s\n", blas->config);
    }
}

enum status bench_tables_print(const struct bench_table *bench, enum format format,
                               struct error *err)
{
    if (format != FORMAT_TEXT) {
        return print_rows(bench, CONTENT_SPEED | CONTENT_PARTS, format, err);
    }
    enum status status = print_rows(bench, CONTENT_SPEED, format, err);
    print_ceilings(bench->groups, bench->n_group);
    TRY(status);
    printf("\nWhere the time goes, percent:\n");
    return print_rows(bench, CONTENT_PARTS, format, err);
}

/* ---- scaling ---- */

#define POINT_COLUMNS(X)                                                                           \
    X(text, "key", "key", 0, key)                                                                  \
    X(integer, "value", "value", 0, (long long)point->value)                                       \
    X(number, "step_ms", "ms", -5, result->seconds.median * 1e3)                                   \
    X(number, "step_ms_min", "min", -5, result->seconds.min * 1e3)                                 \
    X(number, "step_ms_max", "max", -5, result->seconds.max * 1e3)                                 \
    X(number, "step_flop", NULL, 0, result->flop)                                                  \
    X(number, NULL, "GFLOP", 3, result->flop / GIGA)                                               \
    X(number, "gflop_per_second", "GFLOP/s", 1, result->flop / result->seconds.median / GIGA)      \
    X(number, "memory_mib", "MiB", 1, point->memory / MIB)                                         \
    X(number, "stated_memory_mib", "stated", 1, point->stated_memory / MIB)

static void add_point(struct table *table, const char *key, const struct scaling_point *point)
{
    const struct bench_result *result = &point->result;
    POINT_COLUMNS(CELL)
}

#define EXPONENT_COLUMNS(X)                                                                        \
    X(number, "time_exponent", "time ~", 2, exponent->time)                                        \
    X(number, "flop_exponent", "FLOP ~", 2, exponent->flop)                                        \
    X(number, "memory_exponent", "MiB ~", 2, exponent->memory)                                     \
    X(number, "stated_memory_exponent", "stated ~", 2, exponent->stated_memory)

static void add_exponents(struct table *table, const struct scaling_exponents *exponent)
{
    EXPONENT_COLUMNS(CELL)
}

static enum status print_points(const struct scaling *scalings, size_t n_axis, enum format format,
                                struct error *err)
{
    struct table *table = table_create(NULL, 0);
    POINT_COLUMNS(COLUMN)
    if (format != FORMAT_TEXT) {
        EXPONENT_COLUMNS(COLUMN)
    }
    for (size_t i = 0; i < n_axis; i++) {
        for (size_t k = 0; k < scalings[i].n_point; k++) {
            add_point(table, scaling_axis_at(i)->key, &scalings[i].point[k]);
            if (format != FORMAT_TEXT) {
                add_exponents(table, &scalings[i].exponent);
            }
        }
    }
    return table_finish(table, format, err);
}

static enum status print_exponents(const struct scaling *scalings, size_t n_axis, struct error *err)
{
    struct table *table = table_create(&(struct column){"key", "key", 0}, 1);
    EXPONENT_COLUMNS(COLUMN)
    for (size_t i = 0; i < n_axis; i++) {
        table_text(table, scaling_axis_at(i)->key);
        add_exponents(table, &scalings[i].exponent);
    }
    return table_finish(table, FORMAT_TEXT, err);
}

enum status bench_tables_scaling(const struct scaling *scalings, size_t n_axis, enum format format,
                                 struct error *err)
{
    TRY(print_points(scalings, n_axis, format, err));
    if (format != FORMAT_TEXT) {
        return STATUS_OK;
    }
    printf("\nExponents p of key^p, fitted over each range; beside time that of the FLOP, "
           "beside MiB\nthat of the stated memory:\n");
    return print_exponents(scalings, n_axis, err);
}
