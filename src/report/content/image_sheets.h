/* image_sheets: images, and what a model looks at in them, as sheets.
 *
 * Attention is in multiples of the uniform share, so that 1 is what a token gets that nobody
 * prefers, whatever the number of tokens. Caller frees with sheet_free. NULL, or a sheet that
 * failed, when out of memory.
 */
#ifndef QKVLAB_REPORT_IMAGE_SHEETS_H
#define QKVLAB_REPORT_IMAGE_SHEETS_H

#include "lab/data/dataset.h"
#include "report/document/sheet.h"
#include "report/frame/group.h"
#include "report/images/samples.h"

/* class_token_sheet is named "class-token-layer<layer>": what the class token looks at over the
 * samples, in a layer's heads (the first CLASS_TOKEN_MAX_HEAD), their mean, and the rollout up to
 * this layer. */
#define CLASS_TOKEN_MAX_HEAD 16
struct sheet *class_token_sheet(const struct samples *samples, size_t layer);

/* patches_sheet is named "patch-to-patch", of the first sample: the image with its patches, and for
 * each of the last PATCHES_MAX_LAYER layers, averaged over heads, what one patch looks at, and the
 * whole map of all tokens. The one patch is that from which the class token's rollout takes most.
 */
#define PATCHES_MAX_LAYER 4
struct sheet *patches_sheet(const struct samples *samples);

/* variant_sheets_make makes the same images seen by the models of a setting, a variant a column, on
 * one scale: the class token's rollout through all layers, "class-token-<id>-rollout", and its
 * attention in the last layer, averaged over heads, "class-token-<id>-last-layer". `first` is the
 * first run whose samples can be read; its images are shown, the sheets named for it, and the runs
 * of its seed compared. Runs whose samples cannot be read or are other images are columns without
 * pictures; past VARIANTS_MAX runs, the others are left out and counted in the subtitle. All NULL
 * where no run has samples. Caller frees with variant_sheets_free. Errors: STATUS_MEMORY. */
#define VARIANTS_MAX 16
struct variant_sheets {
    const struct run *first; /* the frame's */
    struct sheet *rollout, *last_layer;
};
enum status variant_sheets_make(const struct group *setting, struct variant_sheets *sheets,
                                struct error *err);
void variant_sheets_free(struct variant_sheets *sheets);

/* contact_sheet is named for the data set: training images, eight of each class, or four where
 * there are more than CONTACT_SHEET_FEW classes. */
#define CONTACT_SHEET_FEW 20
struct sheet *contact_sheet(const struct image_data *data);

#endif
