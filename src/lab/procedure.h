/* procedure: what the published procedure fixes for a single data set (arXiv 2606.04032 and its
 * authors' reproduction), where that differs from the defaults of all data sets in config.c.
 */
#ifndef QKVLAB_LAB_PROCEDURE_H
#define QKVLAB_LAB_PROCEDURE_H

#include <stddef.h>

/* procedure_preset returns a data set's own default of a configuration key, NULL if it has none. */
const char *procedure_preset(const char *dataset, const char *key);

/* The numbers of images as published; 0 where they are not known. The files decide, these serve to
 * plan. */
size_t procedure_n_train(const char *dataset);
size_t procedure_n_test(const char *dataset);

#endif
