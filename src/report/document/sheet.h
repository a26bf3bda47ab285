/* sheet: panels in rows and columns, each a square grid of numbers seen as colours: attention maps,
 * confusion matrices. Drawn as PNG by write/draw_sheet.h, by the page from JSON; neither knows what
 * a sheet is about.
 *
 * A sheet owns copies of all texts and values. A failed allocation is kept (sheet->failed).
 */
#ifndef QKVLAB_REPORT_SHEET_H
#define QKVLAB_REPORT_SHEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sheet_panel {
    /* [n_plane][n, n] on the sheet's scale; n_plane is the product of the sheet's dimensions (1
     * without any). NULL: there is none, which is shown as a dash. */
    float *value;
    size_t n;
    float *number; /* [n, n] written into the cells, 0 left out; NULL: none */
    char *note;    /* below it; NULL: none */
    char *folder;  /* name of the run's folder it shows, for the page; NULL: none */
    uint64_t tag;
};

/* A further dimension of all grids, such as step, layer or head: the reader of the page chooses. */
struct sheet_dimension {
    char *title;
    char **label; /* [n] */
    size_t n;
    bool can_mean; /* the mean over it may be chosen, and is at first; else the last is */
};

struct sheet {
    char *title, *subtitle;           /* subtitle: lines */
    char *alt;                        /* what it shows, for those who do not see it; NULL: title */
    char *name;                       /* of its file, without ending; NULL: it is not drawn */
    char **row_title, **column_title; /* [n_row], [n_column]; NULL entries: none */
    size_t n_row, n_column;
    struct sheet_panel *panel; /* [n_row, n_column] */
    struct sheet_dimension *dimension;
    size_t n_dimension;
    double top;         /* of the colour scale, the same for all panels; it begins at 0 */
    bool clipped;       /* some values are larger */
    char *scale_title;  /* beside the colour bar */
    char *down, *right; /* what a grid's rows and columns are; NULL: nothing to say */
    char **label;       /* [n_label] of the rows and columns of every grid; NULL: their numbers */
    size_t n_label;
    double side; /* of a panel in a picture, in points */
    bool failed;
};

struct sheet *sheet_create(const char *title, size_t n_row, size_t n_column);
void sheet_free(struct sheet *sheet);

/* sheet_panel_at returns the panel of a row and column. */
struct sheet_panel *sheet_panel_at(const struct sheet *sheet, size_t row, size_t column);

/* sheet_text makes *text a copy in printf style, replacing what was there. */
void sheet_text(struct sheet *sheet, char **text, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* sheet_dimension adds a dimension of n, whose labels are still to be written, and returns it; NULL
 * after a failed allocation. */
struct sheet_dimension *sheet_dimension(struct sheet *sheet, const char *title, size_t n);

#endif
