/* run_pictures: what single runs attend to, as pictures beside the arrays they kept. */
#ifndef QKVLAB_REPORT_RUN_PICTURES_H
#define QKVLAB_REPORT_RUN_PICTURES_H

#include "report/frame/frame.h"

/* run_pictures_write_maps writes into a run's folder a plain PNG beside every map of the latest
 * snapshot, attention/<step>/layer0_head0.png ... and layer0_mean.png, and all of them with labels
 * as attention/overview.png. run_pictures_write also writes attention/training.png where there are
 * several snapshots, and attention/class-token-layer<l>.png and patch-to-patch.png where there are
 * samples, see content/run_sheets.h and content/image_sheets.h. *n_picture counts them, also on
 * failure. Errors: STATUS_DATA where the run kept no maps or a file is not what a run writes,
 * STATUS_WRITE, STATUS_MEMORY. */
enum status run_pictures_write_maps(const struct run *run, size_t *n_picture, struct error *err);
enum status run_pictures_write(const struct run *run, size_t *n_picture, struct error *err);

/* run_pictures_write_variants writes the variants of every setting side by side into folder.
 * *n_picture counts the pictures. Errors: STATUS_WRITE, STATUS_MEMORY. */
enum status run_pictures_write_variants(const struct frame *frame, const char *folder,
                                        size_t *n_picture, struct error *err);

#endif
