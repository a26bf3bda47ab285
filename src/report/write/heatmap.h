/* heatmap: an attention map as a plain PNG, one square a number, without text. */
#ifndef QKVLAB_REPORT_HEATMAP_H
#define QKVLAB_REPORT_HEATMAP_H

#include <stddef.h>

#include "base/status.h"

#define HEATMAP_WIDTH 256 /* pixels aimed at; squares keep a whole number of pixels */

/* heatmap_square returns the pixels a side of one number's square in a map of n_token columns. */
size_t heatmap_square(size_t n_token);

/* heatmap_write writes map [T,T] (query rows, key columns) in viridis on a fixed scale: 0 is dark
 * blue, 1 yellow, NaN grey. The same map gives the same bytes. Errors: STATUS_WRITE. */
enum status heatmap_write(const char *path, const float *map, size_t n_token, struct error *err);

/* heatmap_write_run writes a PNG beside every attention map of a run's latest snapshot:
 * layer0_head0.png, ..., layer0_mean.png, and the same for sample0_layer0. *n_picture counts them.
 */
enum status heatmap_write_run(const char *run_folder, size_t *n_picture, struct error *err);

#endif
