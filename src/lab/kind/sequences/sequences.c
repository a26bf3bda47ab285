/* The registry is generated from the files in tasks/, so that adding a task touches one file. */
#include "lab/kind/sequences/sequences.h"

#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "lab/config/config.h"
#include "task_registry.h"

#define DECLARE(name) extern const struct sequence_task task_##name;
TASK_REGISTRY(DECLARE)
#undef DECLARE

#define ADDRESS(name) &task_##name,
static const struct sequence_task *const registry[] = {TASK_REGISTRY(ADDRESS)};
#undef ADDRESS

#define N_TASK (sizeof registry / sizeof registry[0])

/* Beyond it the tokens of a split would not fit into any memory. */
#define MAX_TOKENS ((size_t)1 << 31)

/* ---- tasks ---- */

static const struct task *sequences_task_at(size_t i)
{
    return i < N_TASK ? &registry[i]->task : NULL;
}

const struct sequence_task *sequence_task_of(const struct task *task)
{
    return task->kind == &kind_sequences ? (const struct sequence_task *)task : NULL;
}

static double chance(const struct task *task, size_t n_token)
{
    const struct sequence_task *own = sequence_task_of(task);
    return own->position_floor ? own->position_floor(n_token) : 1.0 / (double)task->n_answer;
}

static int needed_key(const struct task *task, size_t t, size_t n_token)
{
    return sequence_task_of(task)->needed_key(t, n_token);
}

/* A symbol's index counts all symbols of the split, so a slice of a split is the same symbols
 * however the split is cut. */
void sequences_generate(const struct sequence_task *task, uint64_t seed, const char *split,
                        size_t first, size_t n_sequence, size_t n_token, int32_t *x, int32_t *y)
{
    struct rng rng = rng_make(seed, "data/%s", split);
    for (size_t i = 0; i < n_sequence; i++) {
        int32_t *symbols = x + i * n_token;
        for (size_t t = 0; t < n_token; t++) {
            uint64_t index = (uint64_t)(first + i) * n_token + t;
            symbols[t] = (int32_t)rng_below(rng, index, (uint32_t)task->task.n_answer);
        }
        task->target(symbols, n_token, y + i * n_token);
    }
}

/* ---- configurations ---- */

static enum status check_split(const char *key, size_t n_sequence, size_t seq_len,
                               struct error *err)
{
    if (n_sequence == 0) {
        return error_set(err, STATUS_USAGE,
                         "%s 0 stands for all images of a data set; a task over sequences needs a "
                         "number from 1",
                         key);
    }
    if (n_sequence <= MAX_TOKENS / seq_len) {
        return STATUS_OK;
    }
    return error_set(err, STATUS_USAGE,
                     "%s %zu of seq_len %zu are more tokens than a run can hold (%zu); %s %zu "
                     "would work",
                     key, n_sequence, seq_len, MAX_TOKENS, key, MAX_TOKENS / seq_len);
}

static const char *const reproduced[] = {"qkv", "qk", "kv", "qkv_tied", "qk+", "qkv_tied+"};

static bool is_reproduced(const char *variant)
{
    for (size_t i = 0; i < sizeof reproduced / sizeof *reproduced; i++) {
        if (strcmp(reproduced[i], variant) == 0) {
            return true;
        }
    }
    return false;
}

/* PyTorch's numbers are known for the published runs; elsewhere nobody drew any that could be
 * compared. */
static enum status check_numbers(const struct config *config, struct error *err)
{
    char id[VARIANT_TEXT_SIZE];
    variant_id(&config->variant, id);
    if (config->numbers == NUMBERS_OWN) {
        return STATUS_OK;
    }
    if (!sequence_task_of(config->task)->reproduced) {
        return error_set(err, STATUS_USAGE,
                         "numbers=pytorch: nobody published runs on %s, whose numbers could be "
                         "drawn; use copy, reverse, sort, sub or swap, or numbers=own",
                         config->task->name);
    }
    if (!is_reproduced(id)) {
        return error_set(err, STATUS_USAGE,
                         "numbers=pytorch: nobody published runs of %s, whose numbers could be "
                         "drawn; use qkv, qk, kv, qkv_tied, qk+ or qkv_tied+, or numbers=own",
                         id);
    }
    if (config->seed > UINT32_MAX) {
        return error_set(err, STATUS_USAGE,
                         "numbers=pytorch: seed %llu has more than the 32 bits that its generator "
                         "takes; use one up to %lu",
                         (unsigned long long)config->seed, (unsigned long)UINT32_MAX);
    }
    return STATUS_OK;
}

static enum status resolve(struct config *config, struct error *err)
{
    const struct sequence_task *task = sequence_task_of(config->task);
    TRY(check_numbers(config, err));
    if (task->check) {
        TRY(task->check(config->seq_len, err));
    }
    TRY(check_split("n_train", config->n_train, config->seq_len, err));
    TRY(check_split("n_test", config->n_test, config->seq_len, err));
    return check_split("n_probe", config->n_probe, config->seq_len, err);
}

static void fill_shape(const struct config *config, struct model_shape *shape)
{
    shape->input = INPUT_TOKENS;
    shape->n_symbol = config->task->n_answer;
}

static void say_size(const struct config *config, char *text, size_t size)
{
    snprintf(text, size, "seq_len %zu", config->seq_len);
}

/* ---- the row ---- */

static const struct key_value presets[] = {{NULL, NULL}};

static const struct kind_result results[] = {
    {"token_accuracy", "token", RESULT_ACCURACY, 0},
    {"sequence_accuracy", "sequence", RESULT_ITEM_ACCURACY, 0},
    {"loss", "loss", RESULT_LOSS, 0},
    {"position_floor", NULL, RESULT_CHANCE, 0},
    {"escape_step", "escape", RESULT_ESCAPE_STEP, 0},
    {"step_below_2.2", NULL, RESULT_STEP_BELOW, 2.2},
    {"step_below_0.1", NULL, RESULT_STEP_BELOW, 0.1},
    {NULL, NULL, RESULT_LOSS, 0},
};

const struct kind kind_sequences = {
    .name = "sequences",
    .a_task = "a task over sequences",
    .all = "tasks over sequences",
    .instead = "a task over sequences",
    .accuracy = "token accuracy",
    .preset = presets,
    .result = results,
    .task_at = sequences_task_at,
    .chance = chance,
    .needed_key = needed_key,
    .resolve = resolve,
    .shape = fill_shape,
    .say_size = say_size,
    .source = &source_sequences,
};
