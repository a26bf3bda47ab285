/* Formulas as they stand in a textbook; statistics are recomputed in the backward functions, so
 * that nothing has to be handed over between the two.
 */
#include "nn/reference_ops.h"

#include <math.h>

#define LAYER_NORM_EPSILON 1e-5
#define RMS_NORM_EPSILON 1e-6

void reference_linear(const double *x, const double *w, const double *b, size_t n_row, size_t n_in,
                      size_t n_out, double *y)
{
    for (size_t r = 0; r < n_row; r++) {
        for (size_t o = 0; o < n_out; o++) {
            double sum = b ? b[o] : 0.0;
            for (size_t i = 0; i < n_in; i++) {
                sum += x[r * n_in + i] * w[o * n_in + i];
            }
            y[r * n_out + o] = sum;
        }
    }
}

void reference_linear_backward(const double *x, const double *w, const double *d_y, size_t n_row,
                               size_t n_in, size_t n_out, double *d_x, double *d_w, double *d_b)
{
    for (size_t r = 0; r < n_row; r++) {
        for (size_t o = 0; o < n_out; o++) {
            double g = d_y[r * n_out + o];
            for (size_t i = 0; i < n_in && d_x; i++) {
                d_x[r * n_in + i] += g * w[o * n_in + i];
            }
            for (size_t i = 0; i < n_in && d_w; i++) {
                d_w[o * n_in + i] += g * x[r * n_in + i];
            }
            if (d_b) {
                d_b[o] += g;
            }
        }
    }
}

static double row_mean(const double *x, size_t n)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        sum += x[i];
    }
    return sum / (double)n;
}

static double row_variance(const double *x, double mean, size_t n)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        sum += (x[i] - mean) * (x[i] - mean);
    }
    return sum / (double)n;
}

static double row_mean_product(const double *a, const double *b, size_t n)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum / (double)n;
}

void reference_layer_norm(const double *x, const double *w, const double *b, size_t n_row,
                          size_t width, double *y)
{
    for (size_t r = 0; r < n_row; r++, x += width, y += width) {
        double mean = row_mean(x, width);
        double inverse = 1.0 / sqrt(row_variance(x, mean, width) + LAYER_NORM_EPSILON);
        for (size_t i = 0; i < width; i++) {
            y[i] = (x[i] - mean) * inverse * w[i] + b[i];
        }
    }
}

void reference_layer_norm_backward(const double *x, const double *w, const double *d_y,
                                   size_t n_row, size_t width, double *d_x, double *d_w,
                                   double *d_b)
{
    for (size_t r = 0; r < n_row; r++) {
        const double *row = x + r * width, *g = d_y + r * width;
        double mean = row_mean(row, width);
        double inverse = 1.0 / sqrt(row_variance(row, mean, width) + LAYER_NORM_EPSILON);
        double mean_g = row_mean_product(g, w, width), mean_g_hat = 0.0;
        for (size_t i = 0; i < width; i++) {
            mean_g_hat += g[i] * w[i] * (row[i] - mean) * inverse / (double)width;
        }
        for (size_t i = 0; i < width; i++) {
            double hat = (row[i] - mean) * inverse;
            if (d_x) {
                d_x[r * width + i] += inverse * (g[i] * w[i] - mean_g - hat * mean_g_hat);
            }
            if (d_w) {
                d_w[i] += g[i] * hat;
            }
            if (d_b) {
                d_b[i] += g[i];
            }
        }
    }
}

void reference_rms_norm(const double *x, const double *w, size_t n_row, size_t width, double *y)
{
    for (size_t r = 0; r < n_row; r++, x += width, y += width) {
        double inverse = 1.0 / sqrt(row_mean_product(x, x, width) + RMS_NORM_EPSILON);
        for (size_t i = 0; i < width; i++) {
            y[i] = x[i] * inverse * w[i];
        }
    }
}

void reference_rms_norm_backward(const double *x, const double *w, const double *d_y, size_t n_row,
                                 size_t width, double *d_x, double *d_w)
{
    for (size_t r = 0; r < n_row; r++) {
        const double *row = x + r * width, *g = d_y + r * width;
        double inverse = 1.0 / sqrt(row_mean_product(row, row, width) + RMS_NORM_EPSILON);
        double mean_g_hat = 0.0;
        for (size_t i = 0; i < width; i++) {
            mean_g_hat += g[i] * w[i] * row[i] * inverse / (double)width;
        }
        for (size_t i = 0; i < width; i++) {
            double hat = row[i] * inverse;
            if (d_x) {
                d_x[r * width + i] += inverse * (g[i] * w[i] - hat * mean_g_hat);
            }
            if (d_w) {
                d_w[i] += g[i] * hat;
            }
        }
    }
}

void reference_gelu(const double *x, size_t n, double *y)
{
    for (size_t i = 0; i < n; i++) {
        y[i] = x[i] * 0.5 * (1.0 + erf(x[i] / sqrt(2.0)));
    }
}

void reference_gelu_backward(const double *x, const double *d_y, size_t n, double *d_x)
{
    const double two_pi = 2.0 * 3.14159265358979323846;
    for (size_t i = 0; i < n; i++) {
        double below = 0.5 * (1.0 + erf(x[i] / sqrt(2.0)));
        double density = exp(-0.5 * x[i] * x[i]) / sqrt(two_pi);
        d_x[i] += d_y[i] * (below + x[i] * density);
    }
}
