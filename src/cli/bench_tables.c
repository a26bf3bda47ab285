#include "cli/bench_tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nn/blas.h"

#define N_COLUMN(columns) (sizeof(columns) / sizeof((columns)[0]))
#define GIGA 1e9
#define MIB (1024.0 * 1024.0)

#define MAX_VARIED 5
#define VALUE_SIZE 64

/* ---- which keys name a row ---- */

/* Keys that the shape and the variant of a row tell already. */
static bool is_shown(const char *key)
{
    static const char *const shown[] = {"variant", "n_embd",     "n_layer",   "n_head",
                                        "seq_len", "n_position", "batch_size"};
    bool found = false;
    for (size_t i = 0; i < N_COLUMN(shown); i++) {
        found = found || strcmp(key, shown[i]) == 0;
    }
    for (size_t i = 0; variant_axis_key(i); i++) {
        found = found || strcmp(key, variant_axis_key(i)) == 0;
    }
    return found;
}

static bool varies(const struct config *configs, size_t n_config, const char *key)
{
    char first[VALUE_SIZE] = "", other[VALUE_SIZE] = "";
    config_value(&configs[0], key, first, sizeof first, NULL);
    for (size_t i = 1; i < n_config; i++) {
        config_value(&configs[i], key, other, sizeof other, NULL);
        if (strcmp(first, other) != 0) {
            return true;
        }
    }
    return false;
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

static size_t varied_keys(const struct config *configs, size_t n_config,
                          const char *keys[MAX_VARIED])
{
    size_t n = 0;
    for (size_t i = 0; config_key_at(i) && n < MAX_VARIED; i++) {
        const char *key = config_key_at(i)->name;
        if (!is_shown(key) && varies(configs, n_config, key) &&
            !is_derived(configs, n_config, key)) {
            keys[n++] = key;
        }
    }
    return n;
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

struct row {
    const struct config *config;
    const struct bench_result *result;
    const struct bench_group *group;
    const char *const *varied;
    size_t n_varied;
};

static const struct column names[] = {{"shape", "shape", 0},     {"n_embd", NULL, 0},
                                      {"n_layer", NULL, 0},      {"n_head", NULL, 0},
                                      {"seq_len", NULL, 0},      {"batch_size", NULL, 0},
                                      {"variant", "variant", 0}, {"threads", "thr", 0}};

static void add_value(struct table *table, const char *value)
{
    char *end;
    double number = strtod(value, &end);
    if (end != value && *end == '\0') {
        table_number(table, number);
    } else {
        table_text(table, value);
    }
}

static void add_names(struct table *table, const struct row *row)
{
    const struct config *config = row->config;
    char shape[VALUE_SIZE], variant[VARIANT_TEXT_SIZE];
    shape_name(config, shape);
    variant_id(&config->variant, variant);
    table_text(table, shape);
    table_integer(table, (long long)config->n_embd);
    table_integer(table, (long long)config->n_layer);
    table_integer(table, (long long)config->n_head);
    table_integer(table, (long long)config->seq_len);
    table_integer(table, (long long)config->batch_size);
    table_text(table, variant);
    table_integer(table, row->group->threads);
    for (size_t i = 0; i < row->n_varied; i++) {
        char value[VALUE_SIZE] = "";
        config_value(config, row->varied[i], value, sizeof value, NULL);
        add_value(table, value);
    }
}

static const struct column speeds[] = {{"step_ms", "ms", -5},
                                       {"step_ms_min", "min", -5},
                                       {"step_ms_max", "max", -5},
                                       {"steps", NULL, 0},
                                       {"sequences_per_second", "seq/s", 0},
                                       {"step_flop", NULL, 0},
                                       {"gflop_per_second", "GFLOP/s", 1},
                                       {"ceiling_share", "share", 3},
                                       {"ceiling_share_min", NULL, 3},
                                       {"ceiling_share_max", NULL, 3},
                                       {"ceiling_gflop_per_second", NULL, 1},
                                       {"ceiling_median", NULL, 1},
                                       {"ceiling_min", NULL, 1}};

static void add_speeds(struct table *table, const struct row *row)
{
    const struct bench_result *result = row->result;
    const struct bench_spread *seconds = &result->seconds, *ceiling = &row->group->ceiling;
    table_number(table, seconds->median * 1e3);
    table_number(table, seconds->min * 1e3);
    table_number(table, seconds->max * 1e3);
    table_integer(table, (long long)result->n_step);
    table_number(table, (double)result->n_sequence / seconds->median);
    table_number(table, result->flop);
    table_number(table, result->flop / seconds->median / GIGA);
    table_number(table, result->flop / seconds->median / ceiling->max);
    table_number(table, result->flop / seconds->max / ceiling->max);
    table_number(table, result->flop / seconds->min / ceiling->max);
    table_number(table, ceiling->max / GIGA);
    table_number(table, ceiling->median / GIGA);
    table_number(table, ceiling->min / GIGA);
}

/* Percent of the threads' time, in the order in which they are told. */
static const size_t part_order[BENCH_PART_COUNT] = {
    PROFILE_MATMUL, PROFILE_ATTENTION, PROFILE_OTHER, PROFILE_OPTIMIZER, BENCH_DATA, PROFILE_WAIT};
static const struct column parts[BENCH_PART_COUNT] = {
    {"percent_products", "products", 1}, {"percent_attention", "attention", 1},
    {"percent_other", "norms", 1},       {"percent_optimizer", "Adam", 1},
    {"percent_data", "data", 1},         {"percent_waiting", "waiting", 1}};

static void add_parts(struct table *table, const struct row *row)
{
    for (size_t i = 0; i < BENCH_PART_COUNT; i++) {
        table_number(table, 100 * row->result->part[part_order[i]]);
    }
}

static size_t append_columns(struct column *column, size_t n, const struct column *more,
                             size_t n_more)
{
    memcpy(column + n, more, n_more * sizeof *more);
    return n + n_more;
}

enum content { CONTENT_SPEED = 1, CONTENT_PARTS = 2 };

/* Rows are models, each at every number of threads. */
static enum status print_rows(const struct config *configs, size_t n_config,
                              const struct bench_group *groups, size_t n_group, int content,
                              enum format format, struct error *err)
{
    struct column column[TABLE_MAX_COLUMN];
    const char *varied[MAX_VARIED];
    size_t n_varied = varied_keys(configs, n_config, varied);
    size_t n = append_columns(column, 0, names, N_COLUMN(names));
    for (size_t i = 0; i < n_varied; i++) {
        column[n++] = (struct column){varied[i], varied[i], -6};
    }
    if (content & CONTENT_SPEED) {
        n = append_columns(column, n, speeds, N_COLUMN(speeds));
    }
    if (content & CONTENT_PARTS) {
        n = append_columns(column, n, parts, N_COLUMN(parts));
    }
    struct table *table = table_create(column, n);
    for (size_t i = 0; i < n_config * n_group; i++) {
        const struct bench_group *group = &groups[i % n_group];
        struct row row = {&configs[i / n_group], &group->result[i / n_group], group, varied,
                          n_varied};
        add_names(table, &row);
        if (content & CONTENT_SPEED) {
            add_speeds(table, &row);
        }
        if (content & CONTENT_PARTS) {
            add_parts(table, &row);
        }
    }
    enum status status = table_print(table, format, err);
    table_free(table);
    return status;
}

static void print_ceilings(const struct bench_group *groups, size_t n_group)
{
    for (size_t i = 0; i < n_group; i++) {
        printf("ceiling at %d thread%s: %.1f GFLOP/s (median %.1f, least %.1f)\n",
               groups[i].threads, groups[i].threads == 1 ? "" : "s", groups[i].ceiling.max / GIGA,
               groups[i].ceiling.median / GIGA, groups[i].ceiling.min / GIGA);
    }
    const struct blas *blas;
    if (blas_load(&blas, NULL) == STATUS_OK) {
        printf("of %s\n", blas->config);
    }
}

enum status bench_tables_print(const struct config *configs, size_t n_config,
                               const struct bench_group *groups, size_t n_group, enum format format,
                               struct error *err)
{
    if (format != FORMAT_TEXT) {
        return print_rows(configs, n_config, groups, n_group, CONTENT_SPEED | CONTENT_PARTS, format,
                          err);
    }
    enum status status = print_rows(configs, n_config, groups, n_group, CONTENT_SPEED, format, err);
    print_ceilings(groups, n_group);
    if (status == STATUS_OK) {
        printf("\nWhere the time goes, percent:\n");
        status = print_rows(configs, n_config, groups, n_group, CONTENT_PARTS, format, err);
    }
    return status;
}

/* ---- scaling ---- */

static void add_point(struct table *table, const struct scaling_axis *axis,
                      const struct scaling_point *point)
{
    const struct bench_result *result = &point->result;
    table_text(table, axis->key);
    table_integer(table, (long long)point->value);
    table_number(table, result->seconds.median * 1e3);
    table_number(table, result->seconds.min * 1e3);
    table_number(table, result->seconds.max * 1e3);
    table_number(table, result->flop);
    table_number(table, result->flop / GIGA);
    table_number(table, result->flop / result->seconds.median / GIGA);
    table_number(table, point->memory / MIB);
    table_number(table, point->stated_memory / MIB);
}

static void add_exponents(struct table *table, const struct scaling_exponents *exponent)
{
    table_number(table, exponent->time);
    table_number(table, exponent->flop);
    table_number(table, exponent->memory);
    table_number(table, exponent->stated_memory);
}

static const struct column points[] = {
    {"key", "key", 0},          {"value", "value", 0},
    {"step_ms", "ms", -5},      {"step_ms_min", "min", -5},
    {"step_ms_max", "max", -5}, {"step_flop", NULL, 0},
    {NULL, "GFLOP", 3},         {"gflop_per_second", "GFLOP/s", 1},
    {"memory_mib", "MiB", 1},   {"stated_memory_mib", "stated", 1}};
static const struct column exponents[] = {{"time_exponent", "time ~", 2},
                                          {"flop_exponent", "FLOP ~", 2},
                                          {"memory_exponent", "MiB ~", 2},
                                          {"stated_memory_exponent", "stated ~", 2}};

static enum status print_points(const struct scaling *scalings, size_t n_axis, enum format format,
                                struct error *err)
{
    struct column column[TABLE_MAX_COLUMN];
    size_t n = append_columns(column, 0, points, N_COLUMN(points));
    if (format != FORMAT_TEXT) {
        n = append_columns(column, n, exponents, N_COLUMN(exponents));
    }
    struct table *table = table_create(column, n);
    for (size_t i = 0; i < n_axis; i++) {
        for (size_t k = 0; k < scalings[i].n_point; k++) {
            add_point(table, scaling_axis_at(i), &scalings[i].point[k]);
            if (format != FORMAT_TEXT) {
                add_exponents(table, &scalings[i].exponent);
            }
        }
    }
    enum status status = table_print(table, format, err);
    table_free(table);
    return status;
}

static enum status print_exponents(const struct scaling *scalings, size_t n_axis, struct error *err)
{
    struct column column[1 + N_COLUMN(exponents)] = {{"key", "key", 0}};
    size_t n = append_columns(column, 1, exponents, N_COLUMN(exponents));
    struct table *table = table_create(column, n);
    for (size_t i = 0; i < n_axis; i++) {
        table_text(table, scaling_axis_at(i)->key);
        add_exponents(table, &scalings[i].exponent);
    }
    enum status status = table_print(table, FORMAT_TEXT, err);
    table_free(table);
    return status;
}

enum status bench_tables_scaling(const struct scaling *scalings, size_t n_axis, enum format format,
                                 struct error *err)
{
    enum status status = print_points(scalings, n_axis, format, err);
    if (status == STATUS_OK && format == FORMAT_TEXT) {
        printf("\nExponents p of key^p, fitted over each range; beside time that of the FLOP, "
               "beside MiB\nthat of the stated memory:\n");
        status = print_exponents(scalings, n_axis, err);
    }
    return status;
}
