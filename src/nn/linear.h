/* linear: y = x W^T + b with W [out,in], as products with weights that are packed once a step.
 */
#ifndef QKVLAB_NN_LINEAR_H
#define QKVLAB_NN_LINEAR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

struct linear {
    size_t in, out;
    float *forward;  /* W^T packed: y = x W^T */
    float *backward; /* W packed: dx = dy W */
};

/* linear_place takes the packed copies from an arena; linear_pack fills them from weight [out,in].
 */
struct linear linear_place(size_t out, size_t in, struct arena *arena);
void linear_pack(const struct linear *linear, const float *weight);

/* linear_forward: y [R,out] = x [R,in] W^T + bias + residual; both may be NULL. */
void linear_forward(const struct linear *linear, size_t n_row, const float *x, const float *bias,
                    const float *residual, float *y);

/* linear_backward: dx [R,in] = dy [R,out] W. */
void linear_backward(const struct linear *linear, size_t n_row, const float *dy, float *dx);

/* linear_gradient adds dy^T x to dweight [out,in] and the column sums of dy to dbias [out] (NULL:
 * no bias). */
void linear_gradient(const struct linear *linear, size_t n_row, const float *x, const float *dy,
                     float *dweight, float *dbias);

#endif
