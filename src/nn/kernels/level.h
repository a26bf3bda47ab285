/* level: the name tag of the SIMD level a kernel file is compiled for. Private to the kernels.
 */
#ifndef QKVLAB_NN_KERNELS_LEVEL_H
#define QKVLAB_NN_KERNELS_LEVEL_H

#include "nn/kernels/kernels.h"

#define LEVEL_PASTE(a, b) a##b
#define LEVEL_NAME(prefix, level) LEVEL_PASTE(prefix, level)
#define LEVEL_QUOTE(x) #x
#define LEVEL_TEXT(level) LEVEL_QUOTE(level)

/* Defined by product.c of the same level. */
extern const struct product_kernels LEVEL_NAME(product_kernels_, KERNEL_LEVEL);

#endif
