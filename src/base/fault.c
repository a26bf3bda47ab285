/* Faults are as slow as they like: nothing is trained with them but to be caught. */
#include "base/fault.h"

#include <math.h>
#include <string.h>

const char *fault_name(size_t fault)
{
    static const char *const names[FAULT_COUNT] = {
#define FAULT_NAME(id, name, what) name,
        FAULT_TABLE(FAULT_NAME)
#undef FAULT_NAME
    };
    return fault < FAULT_COUNT ? names[fault] : NULL;
}

const char *fault_what(size_t fault)
{
    static const char *const texts[FAULT_COUNT] = {
#define FAULT_WHAT(id, name, what) what,
        FAULT_TABLE(FAULT_WHAT)
#undef FAULT_WHAT
    };
    return fault < FAULT_COUNT ? texts[fault] : NULL;
}

#ifdef QKVLAB_FAULTS

static enum fault planted = FAULT_NONE;

bool fault_is(enum fault fault)
{
    return fault == planted && fault != FAULT_NONE;
}

void fault_plant(enum fault fault)
{
    planted = fault;
}

void fault_clear_columns(size_t n_row, size_t ld, size_t n_column, float *x)
{
    for (size_t row = 0; row < n_row; row++) {
        memset(x + row * ld, 0, n_column * sizeof *x);
    }
}

/* u/2 (1 + tanh(sqrt(2/pi) (u + 0.044715 u^3))), and its slope in place of x. */
void fault_tanh_gelu(size_t n_row, size_t n_col, float *x, const float *bias, float *y)
{
    const double root = sqrt(2 / acos(-1)), cubic = 0.044715;
    for (size_t i = 0; i < n_row * n_col; i++) {
        double u = (double)x[i] + (bias ? (double)bias[i % n_col] : 0);
        double t = tanh(root * (u + cubic * u * u * u));
        y[i] = (float)(u / 2 * (1 + t));
        x[i] = (float)((1 + t) / 2 + u / 2 * (1 - t * t) * root * (1 + 3 * cubic * u * u));
    }
}

void fault_swap(uint32_t *a, uint32_t *b)
{
    uint32_t kept = *a;
    *a = *b;
    *b = kept;
}

#endif
