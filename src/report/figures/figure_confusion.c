/* A row is one true class, so rows are coloured as shares that add up to 1: classes of different
 * size look alike, and a good model is a bright diagonal. Counts and names are written as long as
 * they can be read; a matrix of hundreds of classes is a picture only.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/path.h"
#include "report/figures/chart.h"
#include "report/runs/confusion.h"

#define MAX_FILE ((size_t)64 << 20)
#define MAX_CLASS 4096
#define MAX_NAMED 20 /* classes with names and counts */
#define SIDE 420.0
#define TOP 64.0
#define GAP 8.0
#define NAME_MARGIN 40.0
#define RIGHT 96.0
#define DARK_FROM 0.6 /* shares above it are bright: dark text */
#define MAX_NAME 24

/* ---- reading ---- */

/* The numbers behind the n last commas of a line; names before them may hold commas. */
static bool parse_row(const char *line, size_t length, size_t n, double *row)
{
    const char *at = line + length;
    for (size_t i = n; i-- > 0;) {
        while (at > line && at[-1] != ',') {
            at--;
        }
        char *end;
        row[i] = strtod(at, &end);
        if (at == line || end == at || !(row[i] >= 0)) {
            return false;
        }
        at--;
    }
    return true;
}

static double *parse_table(const char *text, size_t n)
{
    double *count = n > 0 ? calloc(n * n, sizeof(*count)) : NULL;
    const char *line = strchr(text, '\n');
    bool fine = count != NULL;
    for (size_t row = 0; fine && row < n; row++) {
        const char *start = line + 1;
        line = strchr(start, '\n');
        fine = line && parse_row(start, (size_t)(line - start), n, count + row * n);
    }
    if (!fine) {
        free(count);
        return NULL;
    }
    return count;
}

double *confusion_read(const struct run *run, size_t *n_class)
{
    char path[PATH_SIZE];
    char *text;
    size_t size, n_line = 0;
    *n_class = 0;
    if (path_format(path, NULL, "%s/confusion.csv", run->folder) != STATUS_OK ||
        !file_exists(path) || file_read(path, MAX_FILE, &text, &size, NULL) != STATUS_OK) {
        return NULL;
    }
    for (const char *c = text; *c; c++) {
        n_line += *c == '\n';
    }
    size_t n = n_line > 0 && n_line - 1 <= MAX_CLASS ? n_line - 1 : 0;
    double *count = parse_table(text, n);
    free(text);
    *n_class = count ? n : 0;
    return count;
}

/* ---- drawing ---- */

struct confusion_figure {
    const struct run *run;
    const double *count; /* [n,n] */
    float *share;        /* [n,n] of each row */
    size_t n;
    double left, top; /* of the matrix */
};

static void class_name(const struct confusion_figure *figure, size_t class, char name[MAX_NAME])
{
    const json_t *data = json_object_get(figure->run->root, "data");
    const json_t *item = json_array_get(json_object_get(data, "class_name"), class);
    if (json_is_string(item)) {
        snprintf(name, MAX_NAME, "%s", json_string_value(item));
    } else {
        snprintf(name, MAX_NAME, "%zu", class);
    }
}

static double widest_name(const struct confusion_figure *figure)
{
    double width = 0;
    for (size_t c = 0; figure->n <= MAX_NAMED && c < figure->n; c++) {
        char name[MAX_NAME];
        class_name(figure, c, name);
        width = fmax(width, chart_width(CHART_SMALL, name));
    }
    return width;
}

static void draw_counts(cairo_t *cr, const struct confusion_figure *figure)
{
    size_t n = figure->n;
    double cell = SIDE / (double)n;
    for (size_t i = 0; i < n * n; i++) {
        char text[24];
        if (figure->count[i] == 0) {
            continue;
        }
        snprintf(text, sizeof(text), "%.0f", figure->count[i]);
        struct rgb white = {255, 255, 255};
        chart_colour(cr, figure->share[i] > DARK_FROM ? CHART_INK : white, 1);
        chart_text(cr, figure->left + ((double)(i % n) + 0.5) * cell,
                   figure->top + ((double)(i / n) + 0.5) * cell, CHART_SMALL, CHART_CENTRE, text);
    }
}

static void draw_names(cairo_t *cr, const struct confusion_figure *figure)
{
    double cell = SIDE / (double)figure->n;
    chart_colour(cr, CHART_INK, 1);
    for (size_t c = 0; c < figure->n; c++) {
        char name[MAX_NAME];
        class_name(figure, c, name);
        double middle = ((double)c + 0.5) * cell;
        chart_text(cr, figure->left - GAP, figure->top + middle, CHART_SMALL, CHART_RIGHT, name);
        chart_text_up(cr, figure->left + middle,
                      figure->top - GAP - chart_width(CHART_SMALL, name) / 2, CHART_SMALL, name);
    }
}

static void draw_titles(cairo_t *cr, const struct confusion_figure *figure)
{
    const struct run *run = figure->run;
    char title[2 * VARIANT_TEXT_SIZE], below[256];
    snprintf(title, sizeof(title), "%s, %s", run_task_title(run), run->variant_name);
    snprintf(below, sizeof(below),
             "d %zu, L %zu, H %zu, %zu tokens, seed %lld: top-1 %.4f on the test images",
             run->n_embd, run->n_layer, run->n_head, run->n_token, run->seed,
             run->measure[MEASURE_TOP1]);
    chart_colour(cr, CHART_INK, 1);
    chart_text_bold(cr, 14, 18, CHART_TITLE, CHART_LEFT, title);
    chart_text(cr, 14, 38, CHART_LABEL, CHART_LEFT, below);
    chart_text(cr, figure->left + SIDE / 2, figure->top + SIDE + 16, CHART_LABEL, CHART_CENTRE,
               "predicted class");
    chart_text_up(cr, 16, figure->top + SIDE / 2, CHART_LABEL, "true class");
}

static void draw(cairo_t *cr, const void *data)
{
    const struct confusion_figure *figure = data;
    draw_titles(cr, figure);
    chart_image(cr, figure->left, figure->top, SIDE, figure->share, figure->n);
    if (figure->n <= MAX_NAMED) {
        draw_counts(cr, figure);
        draw_names(cr, figure);
    }
    chart_frame(cr, figure->left, figure->top, SIDE, SIDE);
    chart_colour_bar(cr, figure->left + SIDE + 14, figure->top, SIDE, "share of the true class");
}

static void fill_shares(struct confusion_figure *figure)
{
    size_t n = figure->n;
    for (size_t row = 0; row < n; row++) {
        double sum = 0;
        for (size_t c = 0; c < n; c++) {
            sum += figure->count[row * n + c];
        }
        for (size_t c = 0; c < n; c++) {
            figure->share[row * n + c] = sum > 0 ? (float)(figure->count[row * n + c] / sum) : NAN;
        }
    }
}

enum status figure_confusion(const struct run *run, const char *path, bool *drawn,
                             struct error *err)
{
    size_t n;
    double *count = confusion_read(run, &n);
    enum status status = STATUS_OK;
    *drawn = count != NULL;
    if (!count) {
        return STATUS_OK;
    }
    struct confusion_figure figure = {run, count, calloc(n * n, sizeof(float)), n, 0, 0};
    if (!figure.share) {
        status = error_memory(err, "drawing %s", path);
    } else {
        double name = widest_name(&figure);
        figure.left = NAME_MARGIN + name + GAP;
        figure.top = TOP + name + GAP;
        fill_shares(&figure);
        status = chart_write_png(path, figure.left + SIDE + RIGHT, figure.top + SIDE + 34, draw,
                                 &figure, err);
    }
    free(figure.share);
    free(count);
    return status;
}
