/* What does not fit together is refused here, before any work, with values that would fit. */
#include "lab/config/config.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sha256.h"

/* Beyond it the arrays of a run, one row a step, would not fit into any memory. */
#define MAX_STEPS ((size_t)10000000)

/* ---- questions ---- */

struct model_shape config_shape(const struct config *config)
{
    struct model_shape shape = {
        .variant = config->variant,
        .n_embd = config->n_embd,
        .n_layer = config->n_layer,
        .n_head = config->n_head,
        .mlp_ratio = config->mlp_ratio,
        .n_token = config->seq_len,
        .n_position = config->n_position,
        .pos_dim = config->pos_dim,
        .n_class = config->task->n_answer,
        .dropout = config->dropout,
    };
    config->task->kind->shape(config, &shape);
    return shape;
}

struct engine_options config_engine(const struct config *config, int threads)
{
    return (struct engine_options){.lanes = config->lanes,
                                   .micro_batch = config->micro_batch,
                                   .batch_size = config->batch_size,
                                   .threads = threads,
                                   .numbers = config->numbers};
}

size_t config_n_train(const struct config *config)
{
    return config->n_train > 0 ? config->n_train : config->task->n_train;
}

size_t config_n_test(const struct config *config)
{
    return config->n_test > 0 ? config->n_test : config->task->n_test;
}

size_t config_epoch_steps(const struct config *config, size_t n_train)
{
    size_t whole = n_train / config->batch_size, rest = n_train % config->batch_size;
    return whole + (rest > 0 && (whole == 0 || config->last_batch == LAST_BATCH_KEEP));
}

size_t config_steps(const struct config *config)
{
    return config->epochs * config_epoch_steps(config, config_n_train(config));
}

/* ---- resolving ---- */

/* A key that the variant does not read gets its default, or the same run would have several ids. */
static void drop_unread_keys(struct config *config)
{
    if (config->variant.n_kv_head == config->n_head) {
        config->variant.n_kv_head = 0; /* the same model */
    }
    if (!variant_has_position_weights(&config->variant)) {
        config->pos_dim = config_usual(config).pos_dim;
    }
}

static enum status check_steps(const struct config *config, struct error *err)
{
    if (config_steps(config) <= MAX_STEPS) {
        return STATUS_OK;
    }
    return error_set(err, STATUS_USAGE,
                     "epochs %zu make %zu training steps, more than %zu; use fewer epochs or "
                     "a larger batch_size",
                     config->epochs, config_steps(config), MAX_STEPS);
}

static enum status check_memory(const struct config *config, const struct model_shape *shape,
                                struct error *err)
{
    struct engine_options options = config_engine(config, 1);
    char input[96];
    if (engine_memory(shape, &options) > 0) {
        return STATUS_OK;
    }
    config->task->kind->say_size(config, input, sizeof input);
    return error_set(err, STATUS_USAGE,
                     "a model of n_embd %zu, n_layer %zu, %s with lanes %zu and micro_batch %zu is "
                     "larger than any memory; make one of them smaller",
                     config->n_embd, config->n_layer, input, config->lanes, config->micro_batch);
}

static void write_id(const struct config *config, char id[CONFIG_ID_SIZE]);

enum status config_resolve(struct config *config, struct error *err)
{
    struct model model;
    TRY(config_check_keys(config, err));
    TRY(config->task->kind->resolve(config, err));
    drop_unread_keys(config);
    struct model_shape shape = config_shape(config);
    TRY(model_shape_check(&shape, err));
    TRY(check_steps(config, err));
    if (config->lanes == 0) {
        config->lanes = engine_default_lanes(&shape);
    }
    if (config->micro_batch == 0) {
        config->micro_batch = engine_default_micro_batch(&shape);
    }
    TRY(check_memory(config, &shape, err));
    TRY(model_create(&model, &shape, err));
    config->n_param = model.layout.n_param;
    model_free(&model);
    write_id(config, config->id);
    return STATUS_OK;
}

/* ---- identity ---- */

static int compare_keys(const void *a, const void *b)
{
    const struct config_key *const *left = a, *const *right = b;
    return strcmp((*left)->name, (*right)->name);
}

/* differs writes "key=value" where the value is not the usual one. Further axes are part of the
 * variant's id. */
static bool differs(const struct config *config, const struct config *usual,
                    const struct config_key *key, char *line, size_t size)
{
    char value[CONFIG_VALUE_SIZE], other[CONFIG_VALUE_SIZE];
    if (config_is_axis(key->name) || !config_is_choice(config_preset(config->task, key))) {
        return false;
    }
    config_value(config, key->name, value, sizeof value, NULL);
    config_value(usual, key->name, other, sizeof other, NULL);
    snprintf(line, size, "%s=%s", key->name, value);
    return strcmp(value, other) != 0;
}

#define MAX_KEY 64
#define LINE_SIZE (CONFIG_VALUE_SIZE + 32)

/* Lanes and micro-batch count only where they are not what the engine would choose. The default
 * task goes without saying, every other one does not. */
static size_t differences(const struct config *config, char line[MAX_KEY][LINE_SIZE])
{
    struct config named = *config, usual = config_usual(config);
    struct model_shape shape = config_shape(config);
    const struct config_key *key[MAX_KEY];
    size_t n_key = 0, n = 0;
    usual.task = config_default().task;
    if (named.lanes == engine_default_lanes(&shape)) {
        named.lanes = 0;
    }
    if (named.micro_batch == engine_default_micro_batch(&shape)) {
        named.micro_batch = 0;
    }
    for (; n_key < MAX_KEY && config_key_at(n_key); n_key++) {
        key[n_key] = config_key_at(n_key);
    }
    qsort(key, n_key, sizeof key[0], compare_keys);
    for (size_t i = 0; i < n_key; i++) {
        n += differs(&named, &usual, key[i], line[n], LINE_SIZE);
    }
    return n;
}

size_t config_canonical(const struct config *config, char text[CONFIG_CANONICAL_SIZE])
{
    char line[MAX_KEY][LINE_SIZE];
    size_t n = differences(config, line), size = CONFIG_CANONICAL_SIZE;
    size_t used = (size_t)snprintf(text, size, "engine=%d\ntask_version=%d\n", ENGINE_VERSION,
                                   config->task->version);
    for (size_t i = 0; i < n && used < size; i++) {
        used += (size_t)snprintf(text + used, size - used, "%s\n", line[i]);
    }
    return used;
}

/* Variants are written with ':' before further axes, which file names of some systems cannot have.
 */
static void fit_for_file_name(char *name)
{
    for (; *name != '\0'; name++) {
        if (*name == ':') {
            *name = '.';
        } else if (!isalnum((unsigned char)*name) && !strchr("+=_.-", *name)) {
            *name = '_';
        }
    }
}

static void write_id(const struct config *config, char id[CONFIG_ID_SIZE])
{
    char text[CONFIG_CANONICAL_SIZE], hex[SHA256_HEX_SIZE], variant[VARIANT_TEXT_SIZE];
    sha256_hex(text, config_canonical(config, text), hex);
    variant_id(&config->variant, variant);
    snprintf(id, CONFIG_ID_SIZE, "%.40s-%s-s%llu-%.12s", config->task->name, variant,
             (unsigned long long)config->seed, hex);
    fit_for_file_name(id);
}

static int compare_ids(const void *a, const void *b)
{
    const struct config *const *left = a, *const *right = b;
    int order = strcmp((*left)->id, (*right)->id);
    return order != 0 ? order : (*left > *right) - (*left < *right);
}

const struct config **config_sort_ids(const struct config *configs, size_t n_config)
{
    const struct config **sorted = calloc(n_config + 1, sizeof *sorted);
    for (size_t i = 0; sorted && i < n_config; i++) {
        sorted[i] = &configs[i];
    }
    if (sorted) {
        qsort(sorted, n_config, sizeof *sorted, compare_ids);
    }
    return sorted;
}

char **config_words(const struct config *config)
{
    char line[MAX_KEY][LINE_SIZE], task[LINE_SIZE];
    size_t n = differences(config, line), n_word = 0;
    char **words = calloc(n + 2, sizeof *words);
    snprintf(task, sizeof task, "task=%s", config->task->name);
    bool fine = words && (words[n_word++] = strdup(task)) != NULL;
    for (size_t i = 0; i < n && fine; i++) {
        if (strcmp(line[i], task) != 0) {
            fine = (words[n_word++] = strdup(line[i])) != NULL;
        }
    }
    if (!fine) {
        config_words_free(words);
        return NULL;
    }
    return words;
}

void config_words_free(char **words)
{
    for (size_t i = 0; words && words[i]; i++) {
        free(words[i]);
    }
    free(words);
}
