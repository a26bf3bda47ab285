/* sample_sheet: sample images down, attention over them across, on one scale. The image itself is
 * the first column. */
#ifndef QKVLAB_REPORT_SAMPLE_SHEET_H
#define QKVLAB_REPORT_SAMPLE_SHEET_H

#include "report/images/overlay.h"

#define SHEET_TEXT_SIZE 200
#define SHEET_CAPTION_SIZE 48

struct sheet_label {
    char name[SHEET_CAPTION_SIZE], below[SHEET_CAPTION_SIZE];
    bool wrong; /* what is written below tells an error */
};

struct sheet_column {
    char head[VARIANT_TEXT_SIZE];   /* a line for each part between commas */
    char below[SHEET_CAPTION_SIZE]; /* a smaller line under it */
    struct sheet_label *panel;      /* [n]; below: the caption */
};

struct sample_sheet {
    const struct samples *samples; /* borrowed */
    char title[SHEET_TEXT_SIZE], subtitle[SHEET_TEXT_SIZE], note[SHEET_TEXT_SIZE];
    struct sheet_label *row;     /* [n] */
    struct sheet_column *column; /* [n_column] */
    size_t n_column;
    double *value; /* [n_column, n, T-1], multiples of the uniform share; NaN: nothing to
                      show */
    struct overlay_scale scale;
};

/* sample_sheet_create makes an empty sheet with the classes of the samples as names of the rows.
 * Caller frees with sample_sheet_free, also on failure. */
enum status sample_sheet_create(struct sample_sheet *sheet, const struct samples *samples,
                                size_t n_column, struct error *err);
void sample_sheet_free(struct sample_sheet *sheet);

/* sample_sheet_show fills the panel of a column and a row from shares of attention [T], of which
 * the first, the class token's, has no place in the image. uniform: what a patch gets that nobody
 * prefers, 1/T or that of a rollout. */
void sample_sheet_show(struct sample_sheet *sheet, size_t column, size_t sample,
                       const double *share, double uniform);

/* sample_sheet_scale gives the sheets one scale, over all values in them. STATUS_MEMORY. */
enum status sample_sheet_scale(struct sample_sheet *const *sheet, size_t n_sheet,
                               struct error *err);

/* sample_sheet_write draws it as a PNG. */
enum status sample_sheet_write(const struct sample_sheet *sheet, const char *path,
                               struct error *err);

#endif
