/* guess: what an answer without attention to positions gets.
 *
 * On a task that only moves digits, whoever answers every position with the digit that comes most
 * often in the row has as many right as the row holds of it. That is more than one in ten, so an
 * accuracy near it need not mean that a model learned any position.
 */
#ifndef QKVLAB_LESSON_GUESS_H
#define QKVLAB_LESSON_GUESS_H

#include <stddef.h>

#define GUESS_MAX_TOKEN 256 /* of longer rows the share is that of rows of this length */

/* guess_frequent returns the mean share of the most frequent of n_symbol digits in rows of n_token
 * random ones, n_token >= 1: E[largest count] / n_token, computed, not drawn. */
double guess_frequent(size_t n_token, size_t n_symbol);

#endif
