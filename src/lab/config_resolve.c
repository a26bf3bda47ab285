/* What does not fit together is refused here, before any work, with values that would fit. */
#include <stdio.h>

#include "lab/config.h"

/* Beyond these the arrays of a run (tokens, one row a step) would not fit into any memory. */
#define MAX_TOKENS ((size_t)1 << 31)
#define MAX_STEPS ((size_t)10000000)

struct model_shape config_shape(const struct config *config)
{
    return (struct model_shape){
        .variant = config->variant,
        .n_embd = config->n_embd,
        .n_layer = config->n_layer,
        .n_head = config->n_head,
        .mlp_ratio = config->mlp_ratio,
        .n_token = config->seq_len,
        .n_position = config->n_position,
        .pos_dim = config->pos_dim,
        .n_symbol = TASK_N_SYMBOL,
        .n_class = TASK_N_SYMBOL,
    };
}

size_t config_steps(const struct config *config)
{
    return config->epochs * ((config->n_train + config->batch_size - 1) / config->batch_size);
}

static size_t divisor_below(size_t n, size_t d)
{
    while (n % d != 0) {
        d--;
    }
    return d;
}

static size_t divisor_above(size_t n, size_t d)
{
    while (d < n && n % d != 0) {
        d++;
    }
    return d < n ? d : n;
}

static enum status check_heads(const struct config *config, struct error *err)
{
    size_t d = config->n_embd, h = config->n_head;
    if (d % h == 0) {
        return STATUS_OK;
    }
    size_t above = (d / h + 1) * h;
    if (d < h) {
        return error_set(err, STATUS_USAGE,
                         "n_embd %zu cannot be cut into n_head %zu equal heads; n_embd %zu or "
                         "n_head %zu would work",
                         d, h, above, d);
    }
    return error_set(err, STATUS_USAGE,
                     "n_embd %zu cannot be cut into n_head %zu equal heads; n_embd %zu or %zu, or "
                     "n_head %zu or %zu would work",
                     d, h, above - h, above, divisor_below(d, h), divisor_above(d, h));
}

static enum status check_positions(const struct config *config, struct error *err)
{
    if (config->seq_len <= config->n_position) {
        return STATUS_OK;
    }
    return error_set(err, STATUS_USAGE,
                     "seq_len %zu is longer than the position table of n_position %zu; set "
                     "n_position to at least %zu or seq_len to at most %zu",
                     config->seq_len, config->n_position, config->seq_len, config->n_position);
}

static enum status check_data(const char *key, size_t n_sequence, size_t seq_len, struct error *err)
{
    if (n_sequence <= MAX_TOKENS / seq_len) {
        return STATUS_OK;
    }
    return error_set(err, STATUS_USAGE,
                     "%s %zu of seq_len %zu are more tokens than a run can hold (%zu); %s %zu "
                     "would work",
                     key, n_sequence, seq_len, MAX_TOKENS, key, MAX_TOKENS / seq_len);
}

static enum status check_sizes(const struct config *config, struct error *err)
{
    enum status status = check_data("n_train", config->n_train, config->seq_len, err);
    if (status == STATUS_OK) {
        status = check_data("n_test", config->n_test, config->seq_len, err);
    }
    if (status == STATUS_OK) {
        status = check_data("n_probe", config->n_probe, config->seq_len, err);
    }
    if (status == STATUS_OK && config_steps(config) > MAX_STEPS) {
        status = error_set(err, STATUS_USAGE,
                           "epochs %zu make %zu training steps, more than %zu; use fewer epochs or "
                           "a larger batch_size",
                           config->epochs, config_steps(config), MAX_STEPS);
    }
    return status;
}

enum status config_resolve(struct config *config, struct error *err)
{
    enum status status = STATUS_OK;
    if (config->task->check) {
        status = config->task->check(config->seq_len, err);
    }
    if (status == STATUS_OK) {
        status = check_heads(config, err);
    }
    if (status == STATUS_OK) {
        status = check_positions(config, err);
    }
    if (status == STATUS_OK) {
        status = variant_check(&config->variant, config->n_head, err);
    }
    if (status != STATUS_OK) {
        return status;
    }
    if (config->variant.n_kv_head == config->n_head) {
        config->variant.n_kv_head = 0; /* the same model, so the same id */
    }
    struct model_shape shape = config_shape(config);
    status = model_shape_check(&shape, err);
    if (status == STATUS_OK) {
        status = check_sizes(config, err);
    }
    if (status != STATUS_OK) {
        return status;
    }
    if (config->lanes == 0) {
        config->lanes = engine_default_lanes(&shape);
    }
    if (config->micro_batch == 0) {
        config->micro_batch = engine_default_micro_batch(&shape);
    }
    struct engine_options options = {.lanes = config->lanes,
                                     .micro_batch = config->micro_batch,
                                     .batch_size = config->batch_size,
                                     .threads = 1};
    if (engine_memory(&shape, &options) == 0) {
        return error_set(err, STATUS_USAGE,
                         "a model of n_embd %zu, n_layer %zu, seq_len %zu with lanes %zu and "
                         "micro_batch %zu is larger than any memory; make one of them smaller",
                         config->n_embd, config->n_layer, config->seq_len, config->lanes,
                         config->micro_batch);
    }
    return STATUS_OK;
}
