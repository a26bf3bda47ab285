/* evaluate: what a model gets right on the test split. */
#ifndef QKVLAB_LAB_EVALUATE_H
#define QKVLAB_LAB_EVALUATE_H

#include <stddef.h>

#include "base/status.h"
#include "lab/training/source.h"
#include "nn/engine.h"

#define EVALUATION_TOP 5

struct evaluation {
    double loss;          /* mean cross-entropy of an answer */
    double accuracy;      /* share of answers that are right */
    double item_accuracy; /* share of items with every answer right */
    /* Of kinds with an accuracy by class, which have one answer an item; else 0, NULL and NaN. */
    size_t n_class;
    size_t *confusion; /* [n_class, n_class] items, true class down, predicted across */
    double top5;       /* share of items whose class is among the five most likely */
    float *logits;     /* [slice, n_class], scratch */
};

/* evaluation_create makes room; all numbers are NaN until the first evaluation. Caller frees with
 * evaluation_free. STATUS_MEMORY. */
enum status evaluation_create(struct evaluation *evaluation, const struct config *config,
                              struct source *source, struct error *err);
void evaluation_free(struct evaluation *evaluation);

/* evaluation_forget makes all numbers NaN again: the model is no longer the one they were taken of.
 */
void evaluation_forget(struct evaluation *evaluation);

/* Asked between slices of the test split; another status than STATUS_OK ends the evaluation. */
typedef enum status evaluation_pause(void *context, struct error *err);

/* evaluation_run measures all of the test split; pause may be NULL. Errors: those of pause. */
enum status evaluation_run(struct evaluation *evaluation, struct engine *engine,
                           struct source *source, evaluation_pause *pause, void *context,
                           struct error *err);

/* evaluation_of_training measures the accuracy on the source's sample of the training split,
 * without augmentation and dropout. Of kinds with such a result; the evaluation's own numbers stay.
 * Errors: those of pause. */
enum status evaluation_of_training(const struct evaluation *evaluation, struct engine *engine,
                                   struct source *source, evaluation_pause *pause, void *context,
                                   double *accuracy, struct error *err);

/* evaluation_class_accuracy is the share of a class's test items that are classified right, NaN
 * where it has none. */
double evaluation_class_accuracy(const struct evaluation *evaluation, size_t class);

/* evaluation_predicted_class is the class of the largest logit, the lowest one on a tie. */
size_t evaluation_predicted_class(const float *logit, size_t n_class);

#endif
