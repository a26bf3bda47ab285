/* published_images: top-1 accuracies that others measured on image data sets.
 *
 * Sources: Table 2 of arXiv 2606.04032 and its authors' public reproduction. They stand beside
 * measured values and are never mixed with them.
 */
#ifndef QKVLAB_REPORT_PUBLISHED_IMAGES_H
#define QKVLAB_REPORT_PUBLISHED_IMAGES_H

#include <stdbool.h>
#include <stddef.h>

#include "report/statistics/published.h"

/* The source as a heading, and how its numbers came about. */
const char *published_images_name(enum published_source source);
const char *published_images_conditions(enum published_source source);

/* published_top1 returns the source's value for a variant id and a data set; NaN where nothing was
 * published. */
double published_top1(enum published_source source, const char *variant, const char *dataset);

/* published_top1_single returns a single run of the reproduction at d 64, 2 layers, patch 4 and 2
 * or 4 heads; NaN for everything else. */
double published_top1_single(const char *variant, const char *dataset, size_t n_head);
extern const char *const published_top1_single_conditions;

#endif
