#include "nn/linear.h"

#include "nn/kernels/kernels.h"
#include "nn/profile.h"

struct linear linear_place(size_t out, size_t in, struct arena *arena)
{
    struct linear linear = {.in = in, .out = out};
    linear.forward = arena_floats(arena, product_packed_size(out, in));
    linear.backward = arena_floats(arena, product_packed_size(in, out));
    return linear;
}

void linear_pack(const struct linear *linear, const float *weight)
{
    kernels_active()->product->pack(linear->out, linear->in, weight, 1, linear->in,
                                    linear->forward);
    kernels_active()->product->pack(linear->in, linear->out, weight, linear->in, 1,
                                    linear->backward);
}

void linear_forward(const struct linear *linear, size_t n_row, const float *x, const float *bias,
                    const float *residual, float *y)
{
    enum profile_part part = profile_enter(PROFILE_MATMUL);
    kernels_active()->product->packed(n_row, linear->out, linear->in, x, linear->in,
                                      linear->forward, bias, residual, y, linear->out);
    profile_enter(part);
}

void linear_backward(const struct linear *linear, size_t n_row, const float *dy, float *dx)
{
    enum profile_part part = profile_enter(PROFILE_MATMUL);
    kernels_active()->product->packed(n_row, linear->in, linear->out, dy, linear->out,
                                      linear->backward, NULL, NULL, dx, linear->in);
    profile_enter(part);
}

void linear_gradient(const struct linear *linear, size_t n_row, const float *x, const float *dy,
                     float *dweight, float *dbias)
{
    enum profile_part part = profile_enter(PROFILE_MATMUL);
    kernels_active()->product->tn(linear->out, linear->in, n_row, dy, linear->out, x, linear->in,
                                  true, dweight, linear->in);
    profile_enter(part);
    if (dbias != NULL) {
        kernels_active()->column_sum(n_row, linear->out, dy, linear->out, dbias);
    }
}
