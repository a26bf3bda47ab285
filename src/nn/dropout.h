/* dropout: masks that depend on nothing but seed, step, site and element. Private to nn.
 */
#ifndef QKVLAB_NN_DROPOUT_H
#define QKVLAB_NN_DROPOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "nn/model.h"

/* Sites: the embedding, then two a layer. */
#define DROPOUT_EMBEDDING 0
#define DROPOUT_HIDDEN(layer) (1 + 2 * (layer))
#define DROPOUT_MLP(layer) (2 + 2 * (layer))

bool dropout_is_on(const struct pass *pass);

/* dropout_mask fills mask [R,width] with 0 (probability rate, to 1/65536) or 1/(1 - rate) and
 * returns true, or returns false where nothing is dropped. */
bool dropout_mask(const struct pass *pass, size_t site, size_t width, float *mask);

/* dropout_both multiplies x and y [R,width] by the mask that dropout_mask would fill. */
void dropout_both(const struct pass *pass, size_t site, size_t width, float *x, float *y);

#endif
