/* See kernels.h. `omp simd` says that a loop's iterations are independent, or that a sum may be
 * split over vector lanes: that is all the freedom the compiler gets, and it takes it the same way
 * every time. */
#include <math.h>
#include <string.h>

#include "nn/kernels/level.h"

/* Rows that are summed in float before the sum is carried on in double. */
#define SUM_BLOCK 16
/* Columns whose double sums are kept on the stack at a time. */
#define COLUMN_BLOCK 64

/* ---- exp and erf ---- */

/* exp by 2^n e^r with |r| <= ln(2)/2; polynomial and split of ln 2 as in Cephes' expf (S. Moshier).
 * The result is multiplied by 2^n, not patched in its bits, so that NaN stays NaN. */
static inline __attribute__((always_inline)) float exp_lane(float x)
{
    const float round_magic = 12582912.0f; /* 1.5 2^23: adding it rounds to an integer */
    float clamped = x > 88.37f ? 88.37f : x;
    clamped = clamped < -87.33f ? -87.33f : clamped;
    float shifted = clamped * 1.44269504f + round_magic;
    float n = shifted - round_magic;
    float r = clamped - n * 0.693359375f;
    r = r + n * 2.12194440e-4f;
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * (r * r) + r + 1.0f;
    int32_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (int32_t)((uint32_t)(bits + 127) << 23);
    float power;
    memcpy(&power, &bits, sizeof power);
    float y = p * power;
    return x < -87.33f ? 0.0f : y;
}

/* erfc(a) e^(a^2) for a >= 0, as (1 - s)(1 + s R(s)) with s = a/(2 + a): a least-maximum fit of our
 * own over 0 <= a <= 9.4, relative error 4.7e-8 before rounding. It is exact at 0, where erf takes
 * the difference to 1. */
static inline __attribute__((always_inline)) float erfcx_lane(float a)
{
    float t = 1.0f / (1.0f + 0.5f * a);
    float s = 0.5f * a * t;
    float p = -0.058221407f;
    p = p * s + 0.18506016f;
    p = p * s - 0.14496455f;
    p = p * s - 0.026209226f;
    p = p * s - 0.11764089f;
    p = p * s + 0.21454804f;
    p = p * s + 0.48627034f;
    p = p * s - 1.2567528f;
    return t * (1.0f + p * s);
}

static void vector_exp(size_t n, const float *x, float *y)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++) {
        y[i] = exp_lane(x[i]);
    }
}

static void vector_erf(size_t n, const float *x, float *y)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++) {
        float a = x[i] < 0.0f ? -x[i] : x[i];
        float magnitude = 1.0f - erfcx_lane(a) * exp_lane(-a * a);
        y[i] = x[i] < 0.0f ? -magnitude : magnitude;
    }
}

/* ---- norms ---- */

static void layer_norm_forward(size_t n_row, size_t n_col, const float *restrict x,
                               const float *restrict weight, const float *restrict bias,
                               float *restrict y, float *restrict mean, float *restrict rstd)
{
    for (size_t i = 0; i < n_row; i++) {
        const float *restrict row = x + i * n_col;
        float *restrict out = y + i * n_col;
        float sum = 0.0f, squares = 0.0f;
#pragma omp simd reduction(+ : sum)
        for (size_t c = 0; c < n_col; c++) {
            sum += row[c];
        }
        float m = sum / (float)n_col;
#pragma omp simd reduction(+ : squares)
        for (size_t c = 0; c < n_col; c++) {
            float centred = row[c] - m;
            squares += centred * centred;
        }
        float r = 1.0f / sqrtf(squares / (float)n_col + LAYER_NORM_EPSILON);
#pragma omp simd
        for (size_t c = 0; c < n_col; c++) {
            out[c] = (row[c] - m) * r * weight[c] + bias[c];
        }
        mean[i] = m;
        rstd[i] = r;
    }
}

/* layer_norm_weight_gradient adds sum over rows of dy xhat and of dy, columns [first, first + n).
 */
static void layer_norm_weight_gradient(size_t n_row, size_t n_col, size_t first, size_t n,
                                       const float *restrict dy, const float *restrict x,
                                       const float *restrict mean, const float *restrict rstd,
                                       float *restrict dweight, float *restrict dbias)
{
    double weight_sum[COLUMN_BLOCK] = {0}, bias_sum[COLUMN_BLOCK] = {0};
    for (size_t start = 0; start < n_row; start += SUM_BLOCK) {
        size_t end = start + SUM_BLOCK < n_row ? start + SUM_BLOCK : n_row;
        float weight_part[COLUMN_BLOCK] = {0}, bias_part[COLUMN_BLOCK] = {0};
        for (size_t i = start; i < end; i++) {
            const float *restrict dy_row = dy + i * n_col + first;
            const float *restrict x_row = x + i * n_col + first;
            float m = mean[i], r = rstd[i];
#pragma omp simd
            for (size_t c = 0; c < n; c++) {
                weight_part[c] += dy_row[c] * ((x_row[c] - m) * r);
                bias_part[c] += dy_row[c];
            }
        }
#pragma omp simd
        for (size_t c = 0; c < n; c++) {
            weight_sum[c] += (double)weight_part[c];
            bias_sum[c] += (double)bias_part[c];
        }
    }
#pragma omp simd
    for (size_t c = 0; c < n; c++) {
        dweight[first + c] += (float)weight_sum[c];
        dbias[first + c] += (float)bias_sum[c];
    }
}

static void layer_norm_backward(size_t n_row, size_t n_col, const float *restrict dy,
                                const float *restrict x, const float *restrict mean,
                                const float *restrict rstd, const float *restrict weight,
                                float *restrict dx, float *restrict dweight, float *restrict dbias)
{
    for (size_t i = 0; i < n_row; i++) {
        const float *restrict dy_row = dy + i * n_col;
        const float *restrict x_row = x + i * n_col;
        float *restrict dx_row = dx + i * n_col;
        float m = mean[i], r = rstd[i];
        float sum = 0.0f, sum_xhat = 0.0f;
#pragma omp simd reduction(+ : sum, sum_xhat)
        for (size_t c = 0; c < n_col; c++) {
            float g = dy_row[c] * weight[c];
            sum += g;
            sum_xhat += g * ((x_row[c] - m) * r);
        }
        float mean_g = sum / (float)n_col, mean_g_xhat = sum_xhat / (float)n_col;
#pragma omp simd
        for (size_t c = 0; c < n_col; c++) {
            float xhat = (x_row[c] - m) * r;
            dx_row[c] += r * (dy_row[c] * weight[c] - mean_g - xhat * mean_g_xhat);
        }
    }
    for (size_t first = 0; first < n_col; first += COLUMN_BLOCK) {
        size_t n = n_col - first < COLUMN_BLOCK ? n_col - first : COLUMN_BLOCK;
        layer_norm_weight_gradient(n_row, n_col, first, n, dy, x, mean, rstd, dweight, dbias);
    }
}

static void rms_norm_forward(size_t n_row, size_t n_col, const float *restrict x, size_t ldx,
                             const float *restrict weight, float *restrict y, size_t ldy,
                             float *restrict rrms)
{
    for (size_t i = 0; i < n_row; i++) {
        const float *restrict row = x + i * ldx;
        float *restrict out = y + i * ldy;
        float squares = 0.0f;
#pragma omp simd reduction(+ : squares)
        for (size_t c = 0; c < n_col; c++) {
            squares += row[c] * row[c];
        }
        float r = 1.0f / sqrtf(squares / (float)n_col + RMS_NORM_EPSILON);
#pragma omp simd
        for (size_t c = 0; c < n_col; c++) {
            out[c] = row[c] * r * weight[c];
        }
        rrms[i] = r;
    }
}

static void rms_norm_backward(size_t n_row, size_t n_col, const float *restrict dy, size_t lddy,
                              const float *restrict x, size_t ldx, const float *restrict rrms,
                              const float *restrict weight, float *restrict dx, size_t lddx,
                              float *restrict dweight)
{
    for (size_t i = 0; i < n_row; i++) {
        const float *restrict dy_row = dy + i * lddy;
        const float *restrict x_row = x + i * ldx;
        float *restrict dx_row = dx + i * lddx;
        float r = rrms[i];
        float sum = 0.0f;
#pragma omp simd reduction(+ : sum)
        for (size_t c = 0; c < n_col; c++) {
            sum += dy_row[c] * weight[c] * x_row[c];
        }
        float pull = sum * r * r * r / (float)n_col;
#pragma omp simd
        for (size_t c = 0; c < n_col; c++) {
            dx_row[c] += r * dy_row[c] * weight[c] - pull * x_row[c];
            dweight[c] += dy_row[c] * x_row[c] * r;
        }
    }
}

/* ---- elementwise ---- */

/* GELU(u) = u Phi(u), slope Phi(u) + u phi(u); for u < 0 Phi comes from erfc directly, without
 * cancellation. */
static inline __attribute__((always_inline)) void gelu_lane(float u, float *value, float *slope)
{
    float a = u < 0.0f ? -u : u;
    float density = exp_lane(-0.5f * u * u); /* sqrt(2 pi) phi(u) */
    float tail = 0.5f * erfcx_lane(a * 0.70710678f) * density;
    float cdf = u < 0.0f ? tail : 1.0f - tail;
    *value = u * cdf;
    *slope = cdf + u * density * 0.39894228f;
}

static void bias_gelu(size_t n_row, size_t n_col, float *restrict x, const float *restrict bias,
                      float *restrict y)
{
    for (size_t i = 0; i < n_row; i++) {
        float *restrict row = x + i * n_col;
        float *restrict out = y + i * n_col;
        if (bias == NULL) {
#pragma omp simd
            for (size_t c = 0; c < n_col; c++) {
                gelu_lane(row[c], &out[c], &row[c]);
            }
        } else {
#pragma omp simd
            for (size_t c = 0; c < n_col; c++) {
                gelu_lane(row[c] + bias[c], &out[c], &row[c]);
            }
        }
    }
}

static void multiply(size_t n, float *restrict x, const float *restrict y)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++) {
        x[i] *= y[i];
    }
}

static void multiply_add(size_t n, float *restrict x, const float *restrict y,
                         const float *restrict z)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++) {
        x[i] = x[i] * y[i] + z[i];
    }
}

static void add(size_t n, float *restrict x, const float *restrict y)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++) {
        x[i] += y[i];
    }
}

static void fill_rows(size_t n_row, size_t n_col, const float *restrict x,
                      const float *restrict bias, float *restrict y)
{
    for (size_t i = 0; i < n_row; i++) {
        float *restrict out = y + i * n_col;
        if (x == NULL) {
            memcpy(out, bias, n_col * sizeof *out);
        } else {
            const float *restrict row = x + i * n_col;
#pragma omp simd
            for (size_t c = 0; c < n_col; c++) {
                out[c] = row[c] + bias[c];
            }
        }
    }
}

/* sum_columns adds the sums of n <= COLUMN_BLOCK columns, of x or (with y) of x y, which is stored.
 */
static inline __attribute__((always_inline)) void sum_columns(size_t n_row, size_t n,
                                                              float *restrict x,
                                                              const float *restrict y, size_t ld,
                                                              float *restrict sum)
{
    double total[COLUMN_BLOCK] = {0};
    for (size_t start = 0; start < n_row; start += SUM_BLOCK) {
        size_t end = start + SUM_BLOCK < n_row ? start + SUM_BLOCK : n_row;
        float part[COLUMN_BLOCK] = {0};
        for (size_t i = start; i < end; i++) {
            float *restrict row = x + i * ld;
            if (y != NULL) {
#pragma omp simd
                for (size_t c = 0; c < n; c++) {
                    row[c] *= y[i * ld + c];
                    part[c] += row[c];
                }
            } else {
#pragma omp simd
                for (size_t c = 0; c < n; c++) {
                    part[c] += row[c];
                }
            }
        }
#pragma omp simd
        for (size_t c = 0; c < n; c++) {
            total[c] += (double)part[c];
        }
    }
#pragma omp simd
    for (size_t c = 0; c < n; c++) {
        sum[c] += (float)total[c];
    }
}

static void column_sum(size_t n_row, size_t n_col, const float *x, size_t ld, float *restrict sum)
{
    for (size_t first = 0; first < n_col; first += COLUMN_BLOCK) {
        size_t n = n_col - first < COLUMN_BLOCK ? n_col - first : COLUMN_BLOCK;
        sum_columns(n_row, n, (float *)x + first, NULL, ld, sum + first);
    }
}

static void multiply_and_sum(size_t n_row, size_t n_col, float *x, const float *y,
                             float *restrict sum)
{
    for (size_t first = 0; first < n_col; first += COLUMN_BLOCK) {
        size_t n = n_col - first < COLUMN_BLOCK ? n_col - first : COLUMN_BLOCK;
        sum_columns(n_row, n, x + first, y + first, n_col, sum + first);
    }
}

/* transpose_tile turns a VECTOR x VECTOR tile in registers: stage by stage, rows that are a power
 * of two apart swap the halves of their blocks of that size. */
static inline __attribute__((always_inline)) void transpose_tile(const float *x, size_t ld,
                                                                 float *transposed, size_t ldt)
{
#ifdef __clang__ /* has no shuffle by a computed mask */
    for (size_t i = 0; i < VECTOR; i++) {
        for (size_t c = 0; c < VECTOR; c++) {
            transposed[c * ldt + i] = x[i * ld + c];
        }
    }
#else
    typedef int32_t lanes __attribute__((vector_size(VECTOR * sizeof(int32_t))));
    vector row[VECTOR];
#pragma GCC unroll 16
    for (int i = 0; i < VECTOR; i++) {
        row[i] = load(x + (size_t)i * ld);
    }
#pragma GCC unroll 4
    for (int half = 1; half < VECTOR; half *= 2) {
        lanes low, high;
#pragma GCC unroll 16
        for (int c = 0; c < VECTOR; c++) {
            bool second = (c & half) != 0;
            low[c] = second ? VECTOR + c - half : c;
            high[c] = second ? VECTOR + c : c + half;
        }
#pragma GCC unroll 16
        for (int i = 0; i < VECTOR; i++) {
            if ((i & half) == 0) {
                vector a = row[i], b = row[i + half];
                row[i] = __builtin_shuffle(a, b, low);
                row[i + half] = __builtin_shuffle(a, b, high);
            }
        }
    }
#pragma GCC unroll 16
    for (int i = 0; i < VECTOR; i++) {
        store(transposed + (size_t)i * ldt, row[i]);
    }
#endif
}

static void transpose(size_t n_row, size_t n_col, const float *restrict x, size_t ld,
                      float *restrict transposed, size_t ldt)
{
    size_t whole_rows = n_row - n_row % VECTOR, whole_cols = n_col - n_col % VECTOR;
    for (size_t i = 0; i < whole_rows; i += VECTOR) {
        for (size_t c = 0; c < whole_cols; c += VECTOR) {
            transpose_tile(x + i * ld + c, ld, transposed + c * ldt + i, ldt);
        }
    }
    for (size_t c = 0; c < n_col; c++) {
        for (size_t i = c < whole_cols ? whole_rows : 0; i < n_row; i++) {
            transposed[c * ldt + i] = x[i * ld + c];
        }
        for (size_t i = n_row; i < ldt; i++) {
            transposed[c * ldt + i] = 0.0f;
        }
    }
}

/* ---- softmax ---- */

/* scale_row makes scores of a row's first n columns, and minus infinity up to a whole stretch; it
 * returns the largest. */
static inline __attribute__((always_inline)) float
scale_row(size_t n, float scale, const float *restrict bias, float *restrict row)
{
    size_t full = n / SOFTMAX_STRETCH * SOFTMAX_STRETCH;
    float largest = -INFINITY;
#pragma omp simd reduction(max : largest)
    for (size_t j = 0; j < full; j++) {
        row[j] = bias == NULL ? scale * row[j] : scale * row[j] + bias[j];
        largest = row[j] > largest ? row[j] : largest;
    }
    if (full < n) {
        float *restrict rest = row + full;
#pragma omp simd reduction(max : largest)
        for (size_t c = 0; c < SOFTMAX_STRETCH; c++) {
            float score = scale * rest[c];
            if (bias != NULL) {
                score += full + c < n ? bias[full + c] : 0.0f;
            }
            rest[c] = full + c < n ? score : -INFINITY;
            largest = rest[c] > largest ? rest[c] : largest;
        }
    }
    return largest;
}

static void softmax_forward(size_t n_row, size_t n_col, float scale, const float *restrict bias,
                            size_t ldb, size_t visible, size_t visible_step, float *restrict s,
                            size_t ld)
{
    for (size_t i = 0; i < n_row; i++) {
        float *restrict row = s + i * ld;
        size_t limit = visible + i * visible_step, n = limit < n_col ? limit : n_col;
        /* Whole stretches, since a rest of single exponentials would cost as much as all others. */
        size_t whole = (n + SOFTMAX_STRETCH - 1) / SOFTMAX_STRETCH * SOFTMAX_STRETCH;
        float largest = bias == NULL ? scale_row(n, scale, NULL, row)
                                     : scale_row(n, scale, bias + i * ldb, row);
        float sum = 0.0f;
#pragma omp simd reduction(+ : sum)
        for (size_t j = 0; j < whole; j++) {
            row[j] = exp_lane(row[j] - largest);
            sum += row[j];
        }
        float inverse = 1.0f / sum;
#pragma omp simd
        for (size_t j = 0; j < whole; j++) {
            row[j] *= inverse;
        }
        if (whole < ld) {
            memset(row + whole, 0, (ld - whole) * sizeof *row);
        }
    }
}

static void softmax_backward(size_t n_row, size_t ld, float scale, const float *restrict p,
                             float *restrict dp)
{
    for (size_t i = 0; i < n_row; i++) {
        const float *restrict p_row = p + i * ld;
        float *restrict row = dp + i * ld;
        float sum = 0.0f;
#pragma omp simd reduction(+ : sum)
        for (size_t j = 0; j < ld; j++) {
            sum += p_row[j] * row[j];
        }
#pragma omp simd
        for (size_t j = 0; j < ld; j++) {
            row[j] = scale * p_row[j] * (row[j] - sum);
        }
    }
}

static double dot(size_t n_row, size_t n_col, const float *restrict a, size_t lda,
                  const float *restrict b, size_t ldb)
{
    double sum = 0.0;
    for (size_t i = 0; i < n_row; i++) {
        const float *restrict a_row = a + i * lda;
        const float *restrict b_row = b + i * ldb;
#pragma omp simd reduction(+ : sum)
        for (size_t c = 0; c < n_col; c++) {
            sum += (double)a_row[c] * (double)b_row[c];
        }
    }
    return sum;
}

/* ---- the update ---- */

static double sum_lanes(size_t n, size_t n_lane, const float *const *parts, size_t at,
                        float *restrict sum)
{
    memcpy(sum, parts[0] + at, n * sizeof *sum);
    for (size_t lane = 1; lane < n_lane; lane++) {
        add(n, sum, parts[lane] + at);
    }
    double squares = 0.0;
#pragma omp simd reduction(+ : squares)
    for (size_t i = 0; i < n; i++) {
        squares += (double)sum[i] * (double)sum[i];
    }
    return squares;
}

static void adam(size_t n, const struct adam_update *update, float decay, float *restrict param,
                 const float *restrict grad, float *restrict m, float *restrict v)
{
    const struct adam_update u = *update;
#pragma omp simd
    for (size_t i = 0; i < n; i++) {
        float g = grad[i] * u.gradient_scale;
        m[i] = u.beta1 * m[i] + u.from_gradient1 * g;
        v[i] = u.beta2 * v[i] + u.from_gradient2 * g * g;
        float denominator = sqrtf(v[i]) * u.inverse_bias2 + u.epsilon;
        param[i] = param[i] * decay - u.step_size * (m[i] / denominator);
    }
}

extern const struct kernels LEVEL_NAME(kernels_, KERNEL_LEVEL);
const struct kernels LEVEL_NAME(kernels_, KERNEL_LEVEL) = {
    .level = LEVEL_TEXT(KERNEL_LEVEL),
    .product = &LEVEL_NAME(product_kernels_, KERNEL_LEVEL),
    .vector_exp = vector_exp,
    .vector_erf = vector_erf,
    .layer_norm_forward = layer_norm_forward,
    .layer_norm_backward = layer_norm_backward,
    .rms_norm_forward = rms_norm_forward,
    .rms_norm_backward = rms_norm_backward,
    .bias_gelu = bias_gelu,
    .multiply = multiply,
    .multiply_and_sum = multiply_and_sum,
    .multiply_add = multiply_add,
    .add = add,
    .fill_rows = fill_rows,
    .column_sum = column_sum,
    .transpose = transpose,
    .softmax_forward = softmax_forward,
    .softmax_backward = softmax_backward,
    .dot = dot,
    .dropout_mask = LEVEL_NAME(dropout_mask_, KERNEL_LEVEL),
    .dropout_both = LEVEL_NAME(dropout_both_, KERNEL_LEVEL),
    .sum_lanes = sum_lanes,
    .adam = adam,
};
