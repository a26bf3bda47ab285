/* tape: numbers that remember what they were computed from, so that the gradient of one of them
 * needs no formula of its own: reverse-mode automatic differentiation in double precision.
 *
 * A number is its place on the tape; numbers stand behind all that they were computed from. Out of
 * memory ends the program.
 */
#ifndef QKVLAB_TESTS_TAPE_H
#define QKVLAB_TESTS_TAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint32_t var;

struct tape {
    struct tape_node *node; /* private */
    struct tape_edge *edge;
    size_t n_node, n_edge, node_capacity, edge_capacity;
    bool values_only; /* nothing is remembered, and there is no gradient */
};

/* tape_cut forgets all but the first n numbers; tape_free gives the memory back. */
void tape_cut(struct tape *tape, size_t n);
void tape_free(struct tape *tape);

/* tape_number puts a number on the tape that depends on nothing. */
var tape_number(struct tape *tape, double value);
double tape_value(const struct tape *tape, var a);

var tape_add(struct tape *tape, var a, var b);
var tape_multiply(struct tape *tape, var a, var b);
/* sum of weight[i] a[i]; weight NULL: all are 1 */
var tape_sum(struct tape *tape, size_t n, const double *weight, const var *a);
/* sum of a[i] b[i stride] */
var tape_dot(struct tape *tape, size_t n, const var *a, const var *b, size_t stride);
var tape_exp(struct tape *tape, var a, double shift); /* exp(a - shift) */
var tape_log(struct tape *tape, var a);
var tape_power(struct tape *tape, var a, double exponent);
var tape_gelu(struct tape *tape, var a); /* a Phi(a) */

/* tape_backward computes the gradient of scale times a number; tape_gradient reads it. */
void tape_backward(struct tape *tape, var result, double scale);
double tape_gradient(const struct tape *tape, var a);

#endif
