/* plot: panels with axes and series, as data. Drawn as PNG and SVG by write/draw_plot.h, by the
 * page from JSON; neither knows what a plot is about.
 *
 * A plot owns copies of all texts and values. A failed allocation is kept (plot->failed).
 */
#ifndef QKVLAB_REPORT_PLOT_H
#define QKVLAB_REPORT_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/table.h"

enum mark {
    MARK_LINE,  /* y over x, with the single lines and the band if there are any */
    MARK_DOTS,  /* y over x joined by a line, single values as small dots */
    MARK_STRIP, /* a row a series, along x: single values as rings, y as a bar through them; all
                   series of a panel are rows or none */
};

struct axis {
    char *title;      /* NULL: none */
    double low, high; /* NaN: from the values */
    bool log;         /* drawn so unless the reader chooses */
    bool can_log;     /* the reader may choose */
    bool discrete;    /* the values of x stand at equal distances, each with a label */
    bool whole;       /* labels have no decimals */
    bool sign;        /* labels above 0 have one */
};

/* Styles of series that are no variants: solid lines in these colours. */
enum { STYLE_GREY = 1000000, STYLE_ORANGE, STYLE_SKY };

/* Values are NaN where there is none. */
struct series {
    char *name;   /* in the legend; series of one name share an entry; NULL: it has none */
    size_t style; /* of colour and dashes: the variant's level, so that it looks alike everywhere */
    enum mark mark;
    size_t n;
    double *x, *y;      /* [n] */
    double *low, *high; /* [n] or NULL: the band */
    double **single;    /* [n_single][n] or NULL: what y is the mean of */
    size_t n_single;
    double width; /* of the line, in points; 0: the mark's */
    uint64_t tag;
};

struct rule { /* a line across the panel, such as chance */
    double at;
    bool vertical;
    char *title; /* in the legend; NULL: it needs none */
    bool beside; /* the title stands beside the line instead */
};

struct panel {
    char *title; /* of a row where its other panels have none */
    char *note;  /* in a corner, such as why the panel is empty; NULL: none */
    struct axis x, y;
    struct series *series;
    size_t n_series;
    struct rule *rule;
    size_t n_rule;
    uint64_t tag;
};

struct plot {
    char *title, *subtitle; /* subtitle: lines, "" where there is none */
    char *alt;          /* what a picture of it shows, for those who do not see it; NULL: title */
    char *name;         /* of its files, without ending; NULL: it is not drawn to files */
    size_t n_column;    /* panels side by side in a picture */
    bool share_y;       /* one scale for all panels */
    char *single_title; /* what a ring of a strip, a thin line or a small dot is; NULL: nothing */
    char *mean_title;   /* and what the bar of a strip is */
    struct panel *panel;
    size_t n_panel;
    bool failed;
};

struct plot *plot_create(const char *title);
void plot_free(struct plot *plot);

/* Each returns the new last element, valid until the next of its kind is added; NULL after a failed
 * allocation, which the functions below accept. Values [n] are copied; NULL: they are NaN until the
 * caller fills them in. */
struct panel *plot_panel(struct plot *plot, const char *title, const char *x_title,
                         const char *y_title);
void plot_note(struct plot *plot, const char *note); /* of the last panel */
struct series *plot_series(struct plot *plot, const char *name, size_t style, enum mark mark,
                           const double *x, const double *y, size_t n);
void plot_band(struct plot *plot, const double *low, const double *high); /* of the last series */
void plot_single(struct plot *plot, const double *y);                     /* of the last series */
struct rule *plot_rule(struct plot *plot, double at, bool vertical, const char *title);
void plot_subtitle(struct plot *plot, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void plot_titles(struct plot *plot, const char *single_title, const char *mean_title);
void plot_alt(struct plot *plot, const char *format, ...) __attribute__((format(printf, 2, 3)));
void plot_name(struct plot *plot, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A pivot plot is made by its reader from a table: x is one of some columns, the others of them are
 * held fixed, y is one of some groups of three columns (value, low, high). */
struct pivot {
    struct table *table; /* owned */
    size_t *x;           /* [n_x] columns of sizes to choose from */
    size_t n_x;
    size_t *y; /* [n_y] columns; the two behind each are its low and high */
    size_t n_y;
    size_t *fixed; /* [n_fixed] columns that are held fixed and never are x */
    size_t n_fixed;
    size_t line, panel; /* columns: a line each, a panel each value */
};

#endif
