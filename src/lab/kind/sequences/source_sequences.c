/* All sequences are drawn before training, each split under its own name, so that no variant can
 * shift another's data. PyTorch's numbers go from the training split through the test split to the
 * order of every epoch.
 */
#include "lab/kind/sequences/sequences.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mt19937.h"
#include "lab/training/source_kind.h"

#define SLICE 1024

struct split {
    int32_t *x, *y; /* [n,T] */
};

struct sequence_source {
    struct source base;
    struct split train, test, probe, batch;
    struct mt19937 mt; /* of NUMBERS_PYTORCH, behind the splits */
};

static bool split_allocate(struct split *split, size_t n, size_t n_token)
{
    split->x = malloc(n * n_token * sizeof *split->x);
    split->y = malloc(n * n_token * sizeof *split->y);
    return split->x && split->y;
}

static void split_free(struct split *split)
{
    free(split->x);
    free(split->y);
}

static void split_generate(const struct config *config, const char *name, size_t n,
                           struct split *split)
{
    sequences_generate(sequence_task_of(config->task), config->seed, name, 0, n, config->seq_len,
                       split->x, split->y);
}

static void split_draw(const struct config *config, size_t n, struct mt19937 *mt,
                       struct split *split)
{
    const struct sequence_task *task = sequence_task_of(config->task);
    size_t n_token = config->seq_len;
    for (size_t i = 0; i < n * n_token; i++) {
        split->x[i] = (int32_t)(mt19937_next(mt) % task->task.n_answer);
    }
    for (size_t i = 0; i < n; i++) {
        task->target(split->x + i * n_token, n_token, split->y + i * n_token);
    }
}

/* torch.randperm, once for each epoch so far. */
static void order(struct source *source, size_t epoch)
{
    struct mt19937 mt = ((struct sequence_source *)source)->mt;
    size_t n = source->n_train;
    for (size_t done = 0; done <= epoch; done++) {
        for (size_t i = 0; i < n; i++) {
            source->order[i] = (uint32_t)i;
        }
        for (size_t i = 0; i + 1 < n; i++) {
            size_t k = i + mt19937_next(&mt) % (n - i);
            uint32_t swapped = source->order[i];
            source->order[i] = source->order[k];
            source->order[k] = swapped;
        }
    }
}

/* ---- test sequences that were trained on ---- */

/* Below so many expected ones nobody looks. */
#define LEAST_SEEN 1e-3

static uint64_t as_number(const int32_t *x, size_t n_token, size_t n_symbol)
{
    uint64_t number = 0;
    for (size_t t = 0; t < n_token; t++) {
        number = number * n_symbol + (uint64_t)x[t];
    }
    return number;
}

static int compare_numbers(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static size_t count_seen(const struct sequence_source *self, uint64_t *known)
{
    const struct config *config = self->base.config;
    size_t n_token = config->seq_len, n_symbol = config->task->n_answer, n_seen = 0;
    for (size_t i = 0; i < config->n_train; i++) {
        known[i] = as_number(self->train.x + i * n_token, n_token, n_symbol);
    }
    qsort(known, config->n_train, sizeof *known, compare_numbers);
    for (size_t i = 0; i < config->n_test; i++) {
        uint64_t number = as_number(self->test.x + i * n_token, n_token, n_symbol);
        n_seen += bsearch(&number, known, config->n_train, sizeof *known, compare_numbers) != NULL;
    }
    return n_seen;
}

enum status sequences_seen(const struct config *config, size_t *n_seen, struct error *err)
{
    double n_different = pow((double)config->task->n_answer, (double)config->seq_len);
    struct source *source = NULL;
    uint64_t *known = NULL;
    *n_seen = 0;
    if ((double)config->n_train * (double)config->n_test / n_different < LEAST_SEEN) {
        return STATUS_OK;
    }
    enum status status = source_create(&source, config, NULL, 1, err);
    if (status == STATUS_OK) {
        known = calloc(config->n_train, sizeof *known);
        status = known ? STATUS_OK : error_memory(err, "counting test sequences");
    }
    if (status == STATUS_OK) {
        *n_seen = count_seen((struct sequence_source *)source, known);
    }
    free(known);
    source_free(source);
    return status;
}

/* ---- the source ---- */

static struct batch gather(struct source *source, const uint32_t *item, size_t n)
{
    struct sequence_source *self = (struct sequence_source *)source;
    size_t n_token = source->config->seq_len;
    for (size_t i = 0; i < n; i++) {
        size_t from = (size_t)item[i] * n_token, to = i * n_token;
        memcpy(self->batch.x + to, self->train.x + from, n_token * sizeof *self->batch.x);
        memcpy(self->batch.y + to, self->train.y + from, n_token * sizeof *self->batch.y);
    }
    return (struct batch){
        .n_sequence = n, .n_token = n_token, .ids = self->batch.x, .targets = self->batch.y};
}

static struct batch part(const struct source *source, const struct split *split, size_t first,
                         size_t n)
{
    size_t n_token = source->config->seq_len;
    return (struct batch){.n_sequence = n,
                          .n_token = n_token,
                          .ids = split->x + first * n_token,
                          .targets = split->y + first * n_token};
}

static struct batch test_part(struct source *source, size_t first, size_t n)
{
    return part(source, &((struct sequence_source *)source)->test, first, n);
}

static struct batch probe_part(struct source *source, size_t first, size_t n)
{
    return part(source, &((struct sequence_source *)source)->probe, first, n);
}

static void free_splits(struct source *source)
{
    struct sequence_source *self = (struct sequence_source *)source;
    split_free(&self->train);
    split_free(&self->test);
    split_free(&self->probe);
    split_free(&self->batch);
}

static enum status create(struct source **source, const struct config *config,
                          const struct dataset_options *data, int threads, struct error *err)
{
    (void)data;
    (void)threads;
    size_t n_token = config->seq_len;
    struct sequence_source *self = calloc(1, sizeof *self);
    if (self) {
        self->base = (struct source){.kind = &source_sequences,
                                     .config = config,
                                     .n_train = config->n_train,
                                     .n_test = config->n_test,
                                     .n_probe = config->n_probe};
        *source = &self->base;
    }
    if (!self || !split_allocate(&self->train, config->n_train, n_token) ||
        !split_allocate(&self->test, config->n_test, n_token) ||
        !split_allocate(&self->probe, config->n_probe, n_token) ||
        !split_allocate(&self->batch, config->batch_size, n_token)) {
        return error_memory(err, "drawing %zu + %zu sequences of %zu tokens", config->n_train,
                            config->n_test, n_token);
    }
    if (config->numbers == NUMBERS_PYTORCH) {
        self->mt = mt19937_make((uint32_t)config->seed);
        split_draw(config, config->n_train, &self->mt, &self->train);
        split_draw(config, config->n_test, &self->mt, &self->test);
    } else {
        split_generate(config, "train", config->n_train, &self->train);
        split_generate(config, "test", config->n_test, &self->test);
    }
    split_generate(config, "probe", config->n_probe, &self->probe);
    return STATUS_OK;
}

static size_t memory(const struct config *config, int threads)
{
    (void)threads;
    size_t n_sequence = config->n_train + config->n_test + config->n_probe + config->batch_size;
    return n_sequence * config->seq_len * 2 * sizeof(int32_t);
}

const struct source_kind source_sequences = {.slice = SLICE,
                                             .create = create,
                                             .free = free_splits,
                                             .memory = memory,
                                             .order = order,
                                             .train = gather,
                                             .test = test_part,
                                             .probe = probe_part};
