#include "lab/kind/kind.h"

#include <math.h>
#include <string.h>

#define KINDS(X) X(sequences) X(images)

#define DECLARE(name) extern const struct kind kind_##name;
KINDS(DECLARE)
#undef DECLARE

#define ADDRESS(name) &kind_##name,
static const struct kind *const kinds[] = {KINDS(ADDRESS)};
#undef ADDRESS

#define N_KIND (sizeof kinds / sizeof kinds[0])

/* ---- tasks ---- */

const struct task *task_at(size_t i)
{
    for (size_t k = 0; k < N_KIND; k++) {
        for (size_t n = 0; kinds[k]->task_at(n); n++) {
            if (i-- == 0) {
                return kinds[k]->task_at(n);
            }
        }
    }
    return NULL;
}

const struct task *task_find(const char *name)
{
    for (size_t i = 0; task_at(i); i++) {
        if (strcmp(task_at(i)->name, name) == 0) {
            return task_at(i);
        }
    }
    return NULL;
}

double task_chance(const struct task *task, size_t n_token)
{
    return task->kind->chance ? task->kind->chance(task, n_token) : 1.0 / (double)task->n_answer;
}

double task_chance_loss(const struct task *task)
{
    return log((double)task->n_answer);
}

int task_needed_key(const struct task *task, size_t t, size_t n_token)
{
    return task->kind->needed_key ? task->kind->needed_key(task, t, n_token) : TASK_NO_KEY;
}

enum status task_find_data(const struct task *task, const struct dataset_options *data,
                           struct error *err)
{
    return task->kind->find ? task->kind->find(task, data, err) : STATUS_OK;
}

static const char *find_value(const struct key_value *list, const char *key)
{
    for (; list->key; list++) {
        if (strcmp(list->key, key) == 0) {
            return list->value;
        }
    }
    return NULL;
}

const char *task_preset(const struct task *task, const char *key)
{
    const char *own = find_value(task->preset, key);
    return own ? own : kind_preset(task->kind, key);
}

/* ---- kinds ---- */

const struct kind *kind_at(size_t i)
{
    return i < N_KIND ? kinds[i] : NULL;
}

const char *kind_preset(const struct kind *kind, const char *key)
{
    return find_value(kind->preset, key);
}

static const struct kind_result *find_result(const struct kind *kind, enum result_kind what)
{
    const struct kind_result *result = kind->result;
    while (result->key && result->what != what) {
        result++;
    }
    return result->key ? result : NULL;
}

const struct kind_result *kind_accuracy(const struct kind *kind)
{
    return find_result(kind, RESULT_ACCURACY);
}

bool kind_result_is_step(const struct kind_result *result)
{
    return result->what == RESULT_ESCAPE_STEP || result->what == RESULT_STEP_BELOW;
}

bool kind_has_result(const struct kind *kind, enum result_kind what)
{
    return find_result(kind, what) != NULL;
}
