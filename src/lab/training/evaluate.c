/* Counts are whole numbers and losses are summed in the order of the slices, so that nothing
 * depends on threads. */
#include "lab/training/evaluate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void evaluation_forget(struct evaluation *evaluation)
{
    evaluation->loss = NAN;
    evaluation->accuracy = evaluation->item_accuracy = evaluation->top5 = NAN;
}

enum status evaluation_create(struct evaluation *evaluation, const struct config *config,
                              struct source *source, struct error *err)
{
    *evaluation = (struct evaluation){0};
    evaluation_forget(evaluation);
    if (!kind_has_result(config->task->kind, RESULT_CLASS_ACCURACY)) {
        return STATUS_OK;
    }
    size_t n_class = config->task->n_answer;
    evaluation->n_class = n_class;
    evaluation->confusion = calloc(n_class * n_class, sizeof *evaluation->confusion);
    evaluation->logits = calloc(source_slice_size(source) * n_class, sizeof *evaluation->logits);
    if (!evaluation->confusion || !evaluation->logits) {
        return error_memory(err, "counting the confusions of %zu classes", n_class);
    }
    return STATUS_OK;
}

void evaluation_free(struct evaluation *evaluation)
{
    free(evaluation->confusion);
    free(evaluation->logits);
    *evaluation = (struct evaluation){0};
}

size_t evaluation_predicted_class(const float *logit, size_t n_class)
{
    size_t best = 0;
    for (size_t c = 1; c < n_class; c++) {
        if (logit[c] > logit[best]) {
            best = c;
        }
    }
    return best;
}

/* The number of classes that come before the target, by logit and then by number. */
static size_t target_rank(const float *logit, size_t n_class, size_t target)
{
    size_t rank = 0;
    for (size_t c = 0; c < n_class; c++) {
        rank += logit[c] > logit[target] || (logit[c] == logit[target] && c < target);
    }
    return rank;
}

/* count_slice counts the answers of a slice and returns how many targets are among the first five.
 */
static size_t count_slice(struct evaluation *evaluation, const struct batch *slice)
{
    size_t n_class = evaluation->n_class, n_top = 0;
    for (size_t i = 0; i < slice->n_sequence; i++) {
        const float *logit = evaluation->logits + i * n_class;
        size_t target = (size_t)slice->targets[i];
        evaluation->confusion[target * n_class + evaluation_predicted_class(logit, n_class)]++;
        n_top += target_rank(logit, n_class, target) < EVALUATION_TOP;
    }
    return n_top;
}

static void finish(struct evaluation *evaluation, const struct loss_sums *total, double n_item,
                   double n_answer, size_t n_top)
{
    evaluation->loss = total->loss / n_answer;
    evaluation->accuracy = (double)total->n_correct_token / n_answer;
    evaluation->item_accuracy = (double)total->n_correct_sequence / n_item;
    evaluation->top5 = evaluation->n_class > 0 ? (double)n_top / n_answer : NAN;
}

enum status evaluation_run(struct evaluation *evaluation, struct engine *engine,
                           struct source *source, evaluation_pause *pause, void *context,
                           struct error *err)
{
    struct loss_sums total = {0};
    size_t n_test = source_n_test(source), n_class = evaluation->n_class;
    size_t n_answer = 0, n_top = 0;
    if (n_class > 0) {
        memset(evaluation->confusion, 0, n_class * n_class * sizeof *evaluation->confusion);
    }
    for (size_t first = 0; first < n_test;) {
        struct batch slice = source_test_slice(source, first);
        struct loss_sums sums = engine_predict(engine, &slice, evaluation->logits);
        total.loss += sums.loss;
        total.n_correct_token += sums.n_correct_token;
        total.n_correct_sequence += sums.n_correct_sequence;
        n_answer += batch_n_answer(&engine_model(engine)->shape, &slice);
        n_top += n_class > 0 ? count_slice(evaluation, &slice) : 0;
        first += slice.n_sequence;
        TRY(pause ? pause(context, err) : STATUS_OK);
    }
    finish(evaluation, &total, (double)n_test, (double)n_answer, n_top);
    return STATUS_OK;
}

enum status evaluation_of_training(const struct evaluation *evaluation, struct engine *engine,
                                   struct source *source, evaluation_pause *pause, void *context,
                                   double *accuracy, struct error *err)
{
    size_t n_sample = source_n_sample(source), n_correct = 0;
    for (size_t first = 0; first < n_sample;) {
        struct batch slice = source_sample_slice(source, first);
        n_correct += engine_predict(engine, &slice, evaluation->logits).n_correct_token;
        first += slice.n_sequence;
        TRY(pause ? pause(context, err) : STATUS_OK);
    }
    *accuracy = (double)n_correct / (double)n_sample;
    return STATUS_OK;
}

double evaluation_class_accuracy(const struct evaluation *evaluation, size_t class)
{
    const size_t *row = evaluation->confusion + class * evaluation->n_class;
    size_t n = 0;
    for (size_t c = 0; c < evaluation->n_class; c++) {
        n += row[c];
    }
    return n > 0 ? (double)row[class] / (double)n : NAN;
}
