/* samples: the images whose own attention maps a run kept, read back (see lab/record/record.h). */
#ifndef QKVLAB_REPORT_SAMPLES_H
#define QKVLAB_REPORT_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/frame/run.h"

struct samples {
    const struct run *run; /* borrowed */
    size_t n, height, width, n_channel;
    uint8_t *image;                  /* [n,H,W,C] */
    const struct run_sample *sample; /* [n] their labels and predictions; borrowed */
    size_t n_layer, n_head, n_token;
    float **maps; /* [n_layer], each [n,n_head,T,T]; token 0 is the class token */
    /* the grid of patches, which may reach beyond the image right and bottom */
    size_t patch, n_row, n_column;
    double *row, *scratch; /* [T] of the functions below */
    const float **layer;   /* [n_layer] */
};

/* samples_are_kept: the run has them; tasks, older runs and those without maps have none. */
bool samples_are_kept(const struct run *run);

/* samples_read reads the samples of the trained model. Caller frees with samples_free, also on
 * failure. STATUS_DATA says which file is not what a run writes. */
enum status samples_read(const struct run *run, struct samples *samples, struct error *err);
void samples_free(struct samples *samples);

/* samples_pixels returns the n_channel bytes of a pixel of an image. */
const uint8_t *samples_pixels(const struct samples *samples, size_t sample, size_t y, size_t x);

/* samples_map returns the map [T,T] of one sample, layer and head. */
const float *samples_map(const struct samples *samples, size_t sample, size_t layer, size_t head);

/* These return shares of attention [T], valid until the next of them is called: how much a query
 * token looks at each token, the mean of that over heads, and the class token's rollout through the
 * first n_layer layers, see below. */
const double *samples_head_row(const struct samples *samples, size_t sample, size_t layer,
                               size_t head, size_t query);
const double *samples_mean_row(const struct samples *samples, size_t sample, size_t layer,
                               size_t query);
const double *samples_rollout(const struct samples *samples, size_t sample, size_t n_layer);

/* samples_class writes the name of a class of a run's images, or its number where it has none. */
#define SAMPLES_CLASS_SIZE 32
void samples_class(const struct run *run, size_t class, char name[SAMPLES_CLASS_SIZE]);

/* samples_show_the_same: both runs kept the same images, in the same order. */
bool samples_show_the_same(const struct samples *a, const struct samples *b);

/* ---- rollout ---- */

/* Attention rollout of Abnar and Zuidema (arXiv 2005.00928): where a token's information comes from
 * once all layers have mixed it. A layer passes half of a token on through the residual stream and
 * half through its attention, averaged over heads, so that the matrix of a layer is (A + I) / 2,
 * and the rollout is their product, the last layer first. Its rows sum to 1. It knows nothing of
 * values, norms and MLPs: a picture, not a proof. */

/* rollout_row writes the rollout's row [T] of one token through n_layer layers; layer[l] [H,T,T] is
 * the attention of the l-th, the first one being nearest to the input. scratch [T]. */
void rollout_row(const float *const *layer, size_t n_layer, size_t n_head, size_t n_token,
                 size_t token, double *row, double *scratch);

/* rollout_uniform returns what a rollout gives to any token but the query itself where every layer
 * attends to all tokens alike: (1 - 2^-n_layer) / T. The rest stays with the query, so this and not
 * 1/T is what a rollout has to be compared with. */
double rollout_uniform(size_t n_layer, size_t n_token);

#endif
