#include "tape.h"

#include <math.h>
#include <stdlib.h>

struct tape_node {
    double value, gradient;
    size_t end; /* of its edges, which begin where those of the node before it end */
};

struct tape_edge {
    double slope; /* d node / d from */
    var from;
};

static void *grow(void *memory, size_t n, size_t *capacity, size_t size)
{
    if (n == *capacity) {
        *capacity = n > 0 ? 2 * n : 1024;
        memory = realloc(memory, *capacity * size);
        if (!memory) {
            abort();
        }
    }
    return memory;
}

/* The last number depends on another one. */
static void link_last(struct tape *tape, var from, double slope)
{
    tape->edge = grow(tape->edge, tape->n_edge, &tape->edge_capacity, sizeof *tape->edge);
    tape->edge[tape->n_edge++] = (struct tape_edge){slope, from};
    tape->node[tape->n_node - 1].end = tape->n_edge;
}

void tape_cut(struct tape *tape, size_t n)
{
    tape->n_node = n;
    tape->n_edge = n > 0 ? tape->node[n - 1].end : 0;
}

void tape_free(struct tape *tape)
{
    free(tape->node);
    free(tape->edge);
    *tape = (struct tape){0};
}

var tape_number(struct tape *tape, double value)
{
    tape->node = grow(tape->node, tape->n_node, &tape->node_capacity, sizeof *tape->node);
    tape->node[tape->n_node] = (struct tape_node){.value = value, .end = tape->n_edge};
    return (var)tape->n_node++;
}

double tape_value(const struct tape *tape, var a)
{
    return tape->node[a].value;
}

/* A number of one other. */
static var unary(struct tape *tape, var a, double value, double slope)
{
    var result = tape_number(tape, value);
    if (!tape->values_only) {
        link_last(tape, a, slope);
    }
    return result;
}

var tape_add(struct tape *tape, var a, var b)
{
    return tape_sum(tape, 2, NULL, (var[]){a, b});
}

var tape_multiply(struct tape *tape, var a, var b)
{
    return tape_dot(tape, 1, &a, &b, 1);
}

var tape_sum(struct tape *tape, size_t n, const double *weight, const var *a)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        sum += (weight ? weight[i] : 1.0) * tape_value(tape, a[i]);
    }
    var result = tape_number(tape, sum);
    for (size_t i = 0; i < n && !tape->values_only; i++) {
        link_last(tape, a[i], weight ? weight[i] : 1.0);
    }
    return result;
}

var tape_dot(struct tape *tape, size_t n, const var *a, const var *b, size_t stride)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        sum += tape_value(tape, a[i]) * tape_value(tape, b[i * stride]);
    }
    var result = tape_number(tape, sum);
    for (size_t i = 0; i < n && !tape->values_only; i++) {
        link_last(tape, a[i], tape_value(tape, b[i * stride]));
        link_last(tape, b[i * stride], tape_value(tape, a[i]));
    }
    return result;
}

var tape_exp(struct tape *tape, var a, double shift)
{
    double value = exp(tape_value(tape, a) - shift);
    return unary(tape, a, value, value);
}

var tape_log(struct tape *tape, var a)
{
    double x = tape_value(tape, a);
    return unary(tape, a, log(x), 1.0 / x);
}

var tape_power(struct tape *tape, var a, double exponent)
{
    double x = tape_value(tape, a);
    return unary(tape, a, pow(x, exponent), exponent * pow(x, exponent - 1.0));
}

var tape_gelu(struct tape *tape, var a)
{
    const double two_pi = 2.0 * 3.14159265358979323846;
    double x = tape_value(tape, a), below = 0.5 * (1.0 + erf(x / sqrt(2.0)));
    return unary(tape, a, x * below, below + x * exp(-0.5 * x * x) / sqrt(two_pi));
}

void tape_backward(struct tape *tape, var result, double scale)
{
    for (size_t i = 0; i < tape->n_node; i++) {
        tape->node[i].gradient = 0.0;
    }
    tape->node[result].gradient = scale;
    for (size_t i = result + (size_t)1; i-- > 0;) {
        size_t first = i > 0 ? tape->node[i - 1].end : 0;
        for (size_t e = first; e < tape->node[i].end; e++) {
            tape->node[tape->edge[e].from].gradient += tape->edge[e].slope * tape->node[i].gradient;
        }
    }
}

double tape_gradient(const struct tape *tape, var a)
{
    return tape->node[a].gradient;
}
