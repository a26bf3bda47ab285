/* The registry is generated from the files in tasks/, so that adding a task touches one file. */
#include "lab/data/task.h"

#include <string.h>

#include "base/rng.h"
#include "task_registry.h"

#define DECLARE(name) extern const struct task task_##name;
TASK_REGISTRY(DECLARE)
#undef DECLARE

#define ADDRESS(name) &task_##name,
static const struct task *const registry[] = {TASK_REGISTRY(ADDRESS)};
#undef ADDRESS

#define N_TASK (sizeof registry / sizeof registry[0])

const struct task *task_at(size_t i)
{
    return i < N_TASK ? registry[i] : NULL;
}

const struct task *task_find(const char *name)
{
    for (size_t i = 0; i < N_TASK; i++) {
        if (strcmp(registry[i]->name, name) == 0) {
            return registry[i];
        }
    }
    return NULL;
}

double task_floor(const struct task *task, size_t n_token)
{
    return task->position_floor != NULL ? task->position_floor(n_token) : 1.0 / TASK_N_SYMBOL;
}

/* A digit's index counts all digits of the split, so a slice of a split is the same digits however
 * the split is cut. */
void task_generate(const struct task *task, uint64_t seed, const char *split, size_t first,
                   size_t n_sequence, size_t n_token, int32_t *x, int32_t *y)
{
    struct rng rng = rng_make(seed, "data/%s", split);
    for (size_t i = 0; i < n_sequence; i++) {
        int32_t *digits = x + i * n_token;
        for (size_t t = 0; t < n_token; t++) {
            uint64_t index = (uint64_t)(first + i) * n_token + t;
            digits[t] = (int32_t)rng_below(rng, index, TASK_N_SYMBOL);
        }
        task->target(digits, n_token, y + i * n_token);
    }
}
