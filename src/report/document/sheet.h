/* sheet: panels in rows and columns, each a grid of numbers or a picture: attention maps, confusion
 * matrices, images with what a model looks at. Drawn as PNG by write/draw_sheet.h, by the page from
 * JSON; neither knows what a sheet is about.
 *
 * A sheet owns copies of all texts and values. A failed allocation is kept (sheet->failed).
 */
#ifndef QKVLAB_REPORT_SHEET_H
#define QKVLAB_REPORT_SHEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sheet_panel {
    char *title, *note; /* above and below it; NULL: none */
    /* A grid [n_plane][n_row, n_column] of numbers on the sheet's scale; n_plane is the product of
     * the sheet's dimensions (1 without any). NULL: there is none, which is shown as a dash. */
    float *value;
    size_t n_row, n_column;
    /* A picture [height, width, 3] on which the grid, where there is one, is laid. */
    unsigned char *rgb;
    size_t width, height;
    uint64_t tag;
    char *folder; /* of the run it shows, which its note links to; NULL: none */
};

/* A further dimension of all grids, such as step, layer or head. The page lets its reader choose,
 * a picture shows one plane. */
struct sheet_dimension {
    char *title;
    char **label; /* [n] */
    size_t n;
    size_t shown;  /* in a picture */
    bool can_mean; /* the mean over it may be chosen, and is what a picture shows */
};

struct sheet {
    char *title, *subtitle;
    char *name; /* of its file, without ending; NULL: it is not drawn to a file */
    char **row_title, **column_title; /* [n_row], [n_column]; NULL entries: none */
    size_t n_row, n_column;
    struct sheet_panel *panel; /* [n_row, n_column] */
    struct sheet_dimension *dimension;
    size_t n_dimension;
    double low, high;  /* of the colour scale, the same for all panels */
    char *scale_title; /* beside the colour bar */
    char *query, *key; /* what rows and columns of a grid are; NULL: nothing to say */
    char **row_label, **column_label; /* of a grid's rows and columns, or NULL: their numbers */
    bool failed;
};

struct sheet *sheet_create(const char *title, size_t n_row, size_t n_column);
void sheet_free(struct sheet *sheet);

/* sheet_panel returns the panel of a row and column. */
struct sheet_panel *sheet_panel_at(struct sheet *sheet, size_t row, size_t column);

/* sheet_text makes *text a copy in printf style, replacing what was there. */
void sheet_text(struct sheet *sheet, char **text, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
