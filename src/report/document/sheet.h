/* sheet: panels in rows and columns, each a grid of numbers seen as colours, a picture, or a
 * picture with a grid laid over it: attention maps, confusion matrices, images with what a model
 * looks at. Drawn as PNG by write/draw_sheet.h, by the page from JSON; neither knows what a sheet
 * is about.
 *
 * A sheet owns copies of all texts and values. A failed allocation is kept (sheet->failed).
 */
#ifndef QKVLAB_REPORT_SHEET_H
#define QKVLAB_REPORT_SHEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Squares of a grid with a frame around them; n_row 0: none. */
struct sheet_frame {
    size_t row, column, n_row, n_column;
};

/* A panel with neither grid nor picture is shown as a dash. */
struct sheet_panel {
    /* The grid [n_plane][n_row, n_column] on the sheet's scale, NaN where there is nothing; n_plane
     * is the product of the sheet's dimensions (1 without any). NULL: no numbers. */
    float *value;
    size_t n_row, n_column;
    float *number; /* [n_row, n_column] written into the squares, 0 left out; NULL: none */
    /* The picture [height, width, 3], NULL: none. A grid's squares lie over it, `square` pixels a
     * side; the last ones may reach beyond it. Without value, n_row and n_column draw the edges of
     * the squares. */
    unsigned char *rgb;
    size_t height, width, square;
    struct sheet_frame frame;
    char *note;   /* below it; NULL: none */
    bool wrong;   /* the note tells an error */
    char *folder; /* name of the run's folder it shows, for the page; NULL: none */
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
    char *title, *subtitle; /* subtitle: lines, the second and further ones in small print */
    char *alt;              /* what it shows, for those who do not see it; NULL: title */
    char *name;             /* of its file, without ending; NULL: it is not drawn */
    /* [n_row], [n_column]; NULL entries: none. What stands behind a line break is small print. */
    char **row_title, **column_title;
    size_t n_row, n_column;
    size_t n_block;            /* of rows side by side in a picture: many rows go on at its right */
    struct sheet_panel *panel; /* [n_row, n_column] */
    struct sheet_dimension *dimension;
    size_t n_dimension;
    double top;         /* of the colour scale, the same for all panels; it begins at 0 */
    bool clipped;       /* some values are larger */
    bool faint;         /* most are far smaller: the page at first shows the largest as top */
    char *scale_title;  /* beside the colour bar */
    char *down, *right; /* what a grid's rows and columns are; NULL: nothing to say */
    char **label;       /* [n_label] of the rows and columns of every grid; NULL: their numbers */
    size_t n_label;
    /* Of a panel in a picture, in points; a picture in it is as near to that as whole pixels of the
     * PNG for each of its own allow. */
    double side;
    bool failed;
};

/* sheet_create returns a sheet of empty panels, NULL when out of memory. */
struct sheet *sheet_create(const char *title, size_t n_row, size_t n_column);
void sheet_free(struct sheet *sheet);

/* sheet_panel_at returns the panel of a row and column. */
struct sheet_panel *sheet_panel_at(const struct sheet *sheet, size_t row, size_t column);

/* sheet_text makes *text a copy in printf style, replacing what was there. */
void sheet_text(struct sheet *sheet, char **text, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* sheet_dimension adds a dimension of n, whose labels are still to be written, and returns it; NULL
 * after a failed allocation. Dimensions come before grids. */
struct sheet_dimension *sheet_dimension(struct sheet *sheet, const char *title, size_t n);

/* sheet_grid gives a panel a grid and returns its values, still to be written; sheet_picture a
 * picture and its bytes. NULL after a failed allocation. */
float *sheet_grid(struct sheet *sheet, struct sheet_panel *panel, size_t n_row, size_t n_column);
unsigned char *sheet_picture(struct sheet *sheet, struct sheet_panel *panel, size_t height,
                             size_t width);

/* sheet_n_plane returns the product of the sheet's dimensions. */
size_t sheet_n_plane(const struct sheet *sheet);

/* sheet_value returns the number of a square in the plane that is seen at first. */
double sheet_value(const struct sheet *sheet, const struct sheet_panel *panel, size_t row,
                   size_t column);

/* sheet_scale gives sheets of values around 1 (multiples of a uniform share) one scale: up to a
 * round number, at least 2, below which 99 of 100 of all their values lie. */
void sheet_scale(struct sheet *const *sheet, size_t n_sheet);

#endif
