#include "nn/attention.h"

#include "nn/kernels/kernels.h"

size_t attention_ld(size_t n_token)
{
    return (n_token + SOFTMAX_STRETCH - 1) / SOFTMAX_STRETCH * SOFTMAX_STRETCH;
}

size_t attention_scratch(size_t n_token, size_t head_width)
{
    size_t ld = attention_ld(n_token);
    return n_token * ld + ld * head_width + n_token * head_width;
}

/* head_view is the [T, d_h] part of a role's rows for one sequence and head. */
static struct view head_view(const struct attention *a, struct view role, size_t sequence,
                             size_t head)
{
    return (struct view){role.at + sequence * a->n_token * role.ld + head * a->head_width, role.ld};
}

void attention_forward(const struct attention *a, float *mix)
{
    const struct kernels *kernel = kernels_active();
    size_t t = a->n_token, ld = attention_ld(t), w = a->head_width;
    size_t group = a->n_head / a->kv_heads;
    float *k_transposed = a->scratch;
    struct view out = {mix, a->n_head * w};
    for (size_t b = 0; b < a->n_sequence; b++) {
        for (size_t h = 0; h < a->n_head; h++) {
            struct view q = head_view(a, a->q, b, h), k = head_view(a, a->k, b, h / group);
            struct view v = head_view(a, a->v, b, h / group), o = head_view(a, out, b, h);
            float *p = a->probabilities + (b * a->n_head + h) * t * ld;
            kernel->transpose(t, w, k.at, k.ld, k_transposed, ld);
            kernel->product->nn(t, ld, w, q.at, q.ld, k_transposed, ld, false, p, ld);
            kernel->softmax_forward(t, t, a->scale * a->multiplier, a->matrix, a->matrix_ld,
                                    a->causal ? 1 : t, a->causal ? 1 : 0, p, ld);
            kernel->product->nn(t, w, t, p, ld, v.at, v.ld, false, o.at, o.ld);
        }
    }
}

/* add_scaled adds the first t columns of x [t,ld] to sum [t,t]. */
static void add_scaled(size_t t, double scale, const float *x, size_t ld, double *sum)
{
    for (size_t i = 0; i < t; i++) {
        for (size_t j = 0; j < t; j++) {
            sum[i * t + j] += scale * (double)x[i * ld + j];
        }
    }
}

static void multiply_by(size_t n, float factor, float *x)
{
    for (size_t i = 0; i < n; i++) {
        x[i] *= factor;
    }
}

void attention_backward(const struct attention *a, const float *dmix,
                        const struct attention_gradient *to)
{
    const struct kernels *kernel = kernels_active();
    const struct product_kernels *product = kernel->product;
    size_t t = a->n_token, ld = attention_ld(t), w = a->head_width;
    size_t group = a->n_head / a->kv_heads;
    float *ds = a->scratch, *v_transposed = ds + t * ld, *dq_raw = v_transposed + ld * w;
    struct view dout = {(float *)dmix, a->n_head * w};
    for (size_t b = 0; b < a->n_sequence; b++) {
        for (size_t h = 0; h < a->n_head; h++) {
            size_t g = h / group;
            bool more = h % group > 0; /* the other heads of the group were here */
            struct view q = head_view(a, a->q, b, h), k = head_view(a, a->k, b, g);
            struct view v = head_view(a, a->v, b, g), dmixed = head_view(a, dout, b, h);
            struct view dq = head_view(a, to->q.view, b, h), dk = head_view(a, to->k.view, b, g);
            struct view dv = head_view(a, to->v.view, b, g);
            const float *p = a->probabilities + (b * a->n_head + h) * t * ld;
            product->tn(t, w, t, p, ld, dmixed.at, dmixed.ld, to->v.add || more, dv.at, dv.ld);
            kernel->transpose(t, w, v.at, v.ld, v_transposed, ld);
            product->nn(t, ld, w, dmixed.at, dmixed.ld, v_transposed, ld, false, ds, ld);
            kernel->softmax_backward(t, ld, a->scale, p, ds);
            if (to->matrix != NULL) {
                add_scaled(t, 1.0 / (double)a->scale, ds, ld, to->matrix);
            }
            if (to->multiplier != NULL) {
                /* sum_ij dS'_ij S_ij = sum_i q_i . (scale sum_j dS'_ij k_j): S is not kept. */
                product->nn(t, w, t, ds, ld, k.at, k.ld, false, dq_raw, w);
                *to->multiplier += kernel->dot(t, w, q.at, q.ld, dq_raw, w);
                multiply_by(t * ld, a->multiplier, ds);
            }
            product->nn(t, w, t, ds, ld, k.at, k.ld, to->q.add, dq.at, dq.ld);
            product->tn(t, w, t, ds, ld, q.at, q.ld, to->k.add || more, dk.at, dk.ld);
        }
    }
}

/* row_dot adds in a fixed order, so that S_ij and S_ji of the same vectors are the same bits. */
static float row_dot(size_t n, const float *a, const float *b)
{
    float sum = 0.0f;
    for (size_t c = 0; c < n; c++) {
        sum += a[c] * b[c];
    }
    return sum;
}

void attention_scores(const struct attention *a, size_t sequence, float *product, float *scores)
{
    size_t t = a->n_token, group = a->n_head / a->kv_heads;
    for (size_t h = 0; h < a->n_head; h++) {
        struct view q = head_view(a, a->q, sequence, h);
        struct view k = head_view(a, a->k, sequence, h / group);
        float *s = product + h * t * t, *entering = scores + h * t * t;
        for (size_t i = 0; i < t; i++) {
            for (size_t j = 0; j < t; j++) {
                s[i * t + j] = a->scale * row_dot(a->head_width, q.at + i * q.ld, k.at + j * k.ld);
                float bias = a->matrix == NULL ? 0.0f : a->matrix[i * a->matrix_ld + j];
                entering[i * t + j] = a->multiplier * s[i * t + j] + bias;
            }
        }
    }
}
