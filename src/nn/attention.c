#include "nn/attention.h"

#include "nn/kernels/kernels.h"
#include "nn/matmul.h"

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

void attention_forward(const struct attention *a, struct view q, struct view k, struct view v,
                       float *probabilities, float *mix, float *scratch)
{
    const struct kernels *kernel = kernels_active();
    size_t t = a->n_token, ld = attention_ld(t), w = a->head_width;
    size_t group = a->n_head / a->kv_heads;
    struct view out = {mix, a->n_head * w};
    for (size_t b = 0; b < a->n_sequence; b++) {
        for (size_t h = 0; h < a->n_head; h++) {
            struct view qh = head_view(a, q, b, h), kh = head_view(a, k, b, h / group);
            struct view vh = head_view(a, v, b, h / group), oh = head_view(a, out, b, h);
            float *p = probabilities + (b * a->n_head + h) * t * ld;
            float *k_transposed = scratch;
            kernel->transpose(t, w, kh.at, kh.ld, k_transposed, ld);
            matmul_nn(t, ld, w, qh.at, qh.ld, k_transposed, ld, false, p, ld);
            kernel->softmax_forward(t, t, a->scale * a->multiplier, a->matrix, a->matrix_ld,
                                    a->causal ? 1 : t, a->causal ? 1 : 0, p, ld);
            matmul_nn(t, w, t, p, ld, vh.at, vh.ld, false, oh.at, oh.ld);
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

void attention_backward(const struct attention *a, struct view q, struct view k, struct view v,
                        const float *probabilities, const float *dmix, struct target dq,
                        struct target dk, struct target dv, double *d_multiplier, double *d_matrix,
                        float *scratch)
{
    const struct kernels *kernel = kernels_active();
    size_t t = a->n_token, ld = attention_ld(t), w = a->head_width;
    size_t group = a->n_head / a->kv_heads;
    float *ds = scratch, *v_transposed = ds + t * ld, *dq_raw = v_transposed + ld * w;
    struct view dout = {(float *)dmix, a->n_head * w};
    for (size_t b = 0; b < a->n_sequence; b++) {
        for (size_t h = 0; h < a->n_head; h++) {
            size_t g = h / group;
            struct view qh = head_view(a, q, b, h), kh = head_view(a, k, b, g);
            struct view vh = head_view(a, v, b, g), doh = head_view(a, dout, b, h);
            struct view dqh = head_view(a, dq.view, b, h), dkh = head_view(a, dk.view, b, g);
            struct view dvh = head_view(a, dv.view, b, g);
            bool more = h % group > 0; /* the other heads of the group were here */
            const float *p = probabilities + (b * a->n_head + h) * t * ld;
            matmul_tn(t, w, t, p, ld, doh.at, doh.ld, dv.add || more, dvh.at, dvh.ld);
            kernel->transpose(t, w, vh.at, vh.ld, v_transposed, ld);
            matmul_nn(t, ld, w, doh.at, doh.ld, v_transposed, ld, false, ds, ld);
            kernel->softmax_backward(t, ld, a->scale, p, ds);
            if (d_matrix != NULL) {
                add_scaled(t, 1.0 / (double)a->scale, ds, ld, d_matrix);
            }
            if (d_multiplier != NULL) {
                /* sum_ij dS'_ij S_ij = sum_i q_i . (scale sum_j dS'_ij k_j): S is not kept. */
                matmul_nn(t, w, t, ds, ld, kh.at, kh.ld, false, dq_raw, w);
                *d_multiplier += kernel->dot(t, w, qh.at, qh.ld, dq_raw, w);
                multiply_by(t * ld, a->multiplier, ds);
            }
            matmul_nn(t, w, t, ds, ld, kh.at, kh.ld, dq.add, dqh.at, dqh.ld);
            matmul_tn(t, w, t, ds, ld, qh.at, qh.ld, dk.add || more, dkh.at, dkh.ld);
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

void attention_scores(const struct attention *a, size_t sequence, struct view q, struct view k,
                      float *product, float *scores)
{
    size_t t = a->n_token, group = a->n_head / a->kv_heads;
    for (size_t h = 0; h < a->n_head; h++) {
        struct view qh = head_view(a, q, sequence, h), kh = head_view(a, k, sequence, h / group);
        float *s = product + h * t * t, *entering = scores + h * t * t;
        for (size_t i = 0; i < t; i++) {
            for (size_t j = 0; j < t; j++) {
                s[i * t + j] =
                    a->scale * row_dot(a->head_width, qh.at + i * qh.ld, kh.at + j * kh.ld);
                float bias = a->matrix == NULL ? 0.0f : a->matrix[i * a->matrix_ld + j];
                entering[i * t + j] = a->multiplier * s[i * t + j] + bias;
            }
        }
    }
}
