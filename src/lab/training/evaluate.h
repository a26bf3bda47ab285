/* evaluate: what a model gets right on the test split. */
#ifndef QKVLAB_LAB_EVALUATE_H
#define QKVLAB_LAB_EVALUATE_H

#include <stddef.h>

#include "base/status.h"
#include "lab/training/source.h"
#include "nn/engine.h"

#define EVALUATION_TOP 5

struct evaluation {
    double loss; /* mean cross-entropy of an answer */
    /* tasks; NaN for images */
    double token_accuracy, sequence_accuracy;
    /* images; NaN for tasks. top5: the class is among the five most likely ones. */
    double top1, top5;
    size_t n_class;    /* 0 for tasks */
    size_t *confusion; /* [n_class, n_class] images, true class down, predicted across */
    float *logits;     /* [slice, n_class], scratch */
};

/* evaluation_create makes room; all numbers are NaN until the first evaluation. Caller frees with
 * evaluation_free. STATUS_MEMORY. */
enum status evaluation_create(struct evaluation *evaluation, struct source *source,
                              const struct engine *engine, struct error *err);
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

/* evaluation_train_top1 measures the top-1 accuracy of the source's sample of training images,
 * without augmentation and dropout. Images only; the evaluation's own numbers stay. Errors: those
 * of pause. */
enum status evaluation_train_top1(const struct evaluation *evaluation, struct engine *engine,
                                  struct source *source, evaluation_pause *pause, void *context,
                                  double *top1, struct error *err);

/* evaluation_class_accuracy is the share of a class's test images that are classified right, NaN
 * where it has none. */
double evaluation_class_accuracy(const struct evaluation *evaluation, size_t class);

/* evaluation_predicted_class is the class of the largest logit, the lowest one on a tie. */
size_t evaluation_predicted_class(const float *logit, size_t n_class);

#endif
