/* reference_ops: the layers of the reference model in double precision, one plain loop each.
 *
 * Only reference.c and reference_model.c use them. Capital letters: N rows, I and O widths. A
 * backward function adds into its gradients; a gradient that is NULL is not wanted.
 */
#ifndef QKVLAB_NN_REFERENCE_OPS_H
#define QKVLAB_NN_REFERENCE_OPS_H

#include <stddef.h>

/* y[N,O] = x[N,I] w[O,I]^T + b[O]; b may be NULL. */
void reference_linear(const double *x, const double *w, const double *b, size_t n_row, size_t n_in,
                      size_t n_out, double *y);
void reference_linear_backward(const double *x, const double *w, const double *d_y, size_t n_row,
                               size_t n_in, size_t n_out, double *d_x, double *d_w, double *d_b);

/* y[N,I] = (x - mean) / sqrt(variance + 1e-5) * w + b, over each row. */
void reference_layer_norm(const double *x, const double *w, const double *b, size_t n_row,
                          size_t width, double *y);
void reference_layer_norm_backward(const double *x, const double *w, const double *d_y,
                                   size_t n_row, size_t width, double *d_x, double *d_w,
                                   double *d_b);

/* y[N,I] = x / sqrt(mean of squares + 1e-6) * w, over each row. */
void reference_rms_norm(const double *x, const double *w, size_t n_row, size_t width, double *y);
void reference_rms_norm_backward(const double *x, const double *w, const double *d_y, size_t n_row,
                                 size_t width, double *d_x, double *d_w);

/* y = x Phi(x), with the exact normal distribution function. */
void reference_gelu(const double *x, size_t n, double *y);
void reference_gelu_backward(const double *x, const double *d_y, size_t n, double *d_x);

#endif
