/* The cost of variants in a model of a given size, as a table against plain QKV. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "nn/cost.h"

#define DEFAULT_MODEL "encoder"

/* ---- the model ---- */

/* Variants are not a size, and have an option of their own. */
static enum status set_size(void *model, const char *key, const char *value, struct error *err)
{
    return strcmp(key, "variant") == 0
               ? error_set(err, STATUS_USAGE, "variants are chosen with --variant %s", value)
               : cost_model_set(model, key, value, err);
}

static enum status choose_model(const struct arguments *arguments, struct cost_model *model,
                                struct error *err)
{
    const char *name = arguments->n_operand > 0 ? arguments->operand[0] : DEFAULT_MODEL;
    const struct cost_model *found = cost_model_find(name, err);
    if (!found) {
        return STATUS_USAGE;
    }
    *model = *found;
    TRY(arguments_each_set(arguments, set_size, model, err));
    model->context = arguments->context > 0 ? arguments->context : model->context;
    model->bytes = arguments->bytes > 0 ? arguments->bytes : model->bytes;
    return STATUS_OK;
}

/* ---- the table ---- */

/* The unit of the caches, chosen so that plain QKV's is no fraction of it. */
struct unit {
    double bytes;
    char title[48]; /* "GB at 32000" */
};

static enum status choose_unit(const struct cost_model *model, struct unit *unit, struct error *err)
{
    static const char *const names[] = {"B", "kB", "MB", "GB"};
    struct cost plain;
    TRY(cost_compute(model, variant_named(0), &plain, err));
    size_t i = 0;
    unit->bytes = 1;
    while (i < 3 && (double)plain.cache >= 1000 * unit->bytes) {
        unit->bytes *= 1000;
        i++;
    }
    snprintf(unit->title, sizeof unit->title, "%s at %zu", names[i], cost_model_context(model));
    return STATUS_OK;
}

static struct table *make_table(const struct unit *unit, bool users)
{
    const struct column columns[] = {
        {"variant", "variant"},
        {"name", NULL},
        {"n_param", "parameters"},
        {"n_param_cut", NULL},
        {"forward_macs", "forward MACs"},
        {"training_macs", "training MACs"},
        {"cache_per_token", "cache B/token"},
        {"context", NULL},
        {"cache", NULL},
        {NULL, unit->title, 2},
        {"cache_cut", "cut %", -6},
        {"users", users ? "users" : NULL},
    };
    return table_create(columns, sizeof columns / sizeof columns[0]);
}

static double cut(uint64_t value, uint64_t of)
{
    return 100.0 - 100.0 * (double)value / (double)of;
}

struct rows {
    const struct arguments *arguments;
    const struct cost_model *model;
    struct unit unit;
    struct table *table;
};

/* cache_memory is what users share; 0: nobody asked for users. */
#define USUAL_MEMORY 40000000000u
static uint64_t cache_memory(const struct arguments *arguments)
{
    return arguments->memory == 0 && arguments->users ? USUAL_MEMORY : arguments->memory;
}

static void add_row(const struct rows *rows, const struct variant *variant, const struct cost *cost,
                    const struct cost *plain)
{
    struct table *table = rows->table;
    uint64_t memory = cache_memory(rows->arguments);
    char id[VARIANT_TEXT_SIZE], name[VARIANT_TEXT_SIZE];
    variant_id(variant, id);
    variant_name(variant, name);
    table_text(table, id);
    table_text(table, name);
    table_integer(table, (long long)cost->n_param);
    table_number(table, cut(cost->n_param, plain->n_param));
    table_integer(table, (long long)cost->forward_macs);
    table_integer(table, (long long)cost->training_macs);
    table_integer(table, (long long)cost->cache_per_token);
    table_integer(table, (long long)cost_model_context(rows->model));
    table_integer(table, (long long)cost->cache);
    table_number(table, (double)cost->cache / rows->unit.bytes);
    table_number(table, cut(cost->cache, plain->cache));
    if (memory > 0) {
        table_integer(table, (long long)(memory / cost->cache));
    } else {
        table_missing(table);
    }
}

static enum status add_variant(const struct rows *rows, const char *id, struct error *err)
{
    struct variant variant;
    struct cost cost, plain;
    TRY(variant_parse(id, &variant, err));
    TRY(cost_compute(rows->model, variant_named(0), &plain, err));
    TRY(cost_compute(rows->model, &variant, &cost, err));
    add_row(rows, &variant, &cost, &plain);
    return STATUS_OK;
}

/* Sizes may make a variant of the usual list impossible, such as four key-value heads of six. */
static void add_usual_variants(const struct rows *rows)
{
    char id[VARIANT_TEXT_SIZE];
    for (size_t i = 0; cost_variant_at(rows->model, i, id); i++) {
        struct error err = {0};
        if (add_variant(rows, id, &err) != STATUS_OK) {
            terminal_say("left out: %s", err.text);
        }
    }
}

static enum status add_variants(const struct rows *rows, struct error *err)
{
    for (size_t i = 0; i < rows->arguments->n_variant; i++) {
        TRY(add_variant(rows, rows->arguments->variant[i], err));
    }
    if (rows->arguments->n_variant == 0) {
        add_usual_variants(rows);
    }
    return STATUS_OK;
}

static void print_legend(const struct arguments *arguments, const struct cost_model *model)
{
    const struct model_shape *shape = &model->shape;
    printf("\n%s: n_layer %zu, n_embd %zu, n_head %zu, mlp_ratio %zu, %zu tokens\n", model->name,
           shape->n_layer, shape->n_embd, shape->n_head, shape->mlp_ratio,
           cost_model_tokens(model));
    printf("MACs: of one sequence, with the full square of its tokens; training is three forward "
           "passes\n"
           "cache: what a decoder of this size keeps, %zu bytes a number; cut: against qkv\n",
           model->bytes);
    if (cache_memory(arguments) > 0) {
        printf("users: sequences of %zu tokens whose caches fit into the memory given, which the "
               "weights do not use\n",
               cost_model_context(model));
    }
}

enum status cmd_cost(const struct arguments *arguments, struct error *err)
{
    struct cost_model model;
    struct rows rows = {.arguments = arguments, .model = &model};
    TRY(choose_model(arguments, &model, err));
    TRY(choose_unit(&model, &rows.unit, err));
    rows.table = make_table(&rows.unit, cache_memory(arguments) > 0);
    enum status status = add_variants(&rows, err);
    if (status == STATUS_OK) {
        status = table_print(rows.table, arguments->format, err);
    }
    table_free(rows.table);
    if (status == STATUS_OK && arguments->format == FORMAT_TEXT) {
        print_legend(arguments, &model);
    }
    return status;
}
