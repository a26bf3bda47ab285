/* html_curves: a long curve is cut into at most HTML_MAX_POINT pieces of equally many steps. A
 * piece keeps the mean over seeds and its steps, and the lowest and highest loss of any seed at any
 * of its steps, so that no extreme is lost. Single seeds are kept while all curves stay small.
 */
#include <math.h>
#include <stdlib.h>

#include "report/html/html_data.h"

#define MAX_SEED 6    /* single seeds a cell */
#define MIN_POINT 25  /* a curve is not cut into fewer, whatever the budget */
#define FLOAT_CHARS 6 /* of a float in base64, rounded up */

struct pieces {
    size_t n_step, bucket, n;
};

static bool has_curve(const struct run *run)
{
    return run_is_ok(run) && run->curve && run->n_curve > 0;
}

static size_t count_curves(const struct cell *cell)
{
    size_t n = 0;
    for (size_t i = 0; i < cell->n_run; i++) {
        n += has_curve(&cell->run[i]);
    }
    return n;
}

/* The steps that all of a cell's curves have. */
static struct pieces cut(const struct cell *cell, size_t max_point)
{
    struct pieces pieces = {0};
    for (size_t i = 0; i < cell->n_run; i++) {
        const struct run *run = &cell->run[i];
        if (has_curve(run) && (pieces.n_step == 0 || run->n_curve < pieces.n_step)) {
            pieces.n_step = run->n_curve;
        }
    }
    pieces.bucket = (pieces.n_step + max_point - 1) / max_point;
    pieces.n = pieces.bucket > 0 ? (pieces.n_step + pieces.bucket - 1) / pieces.bucket : 0;
    return pieces;
}

static size_t piece_end(const struct pieces *pieces, size_t piece)
{
    size_t end = (piece + 1) * pieces->bucket;
    return end < pieces->n_step ? end : pieces->n_step;
}

/* ---- one measure of a cell ---- */

enum curve_kind { CURVE_LOSS, CURVE_ACCURACY };

/* The curves of a kind that a cell's runs kept. */
struct lines {
    const double **line; /* [n] */
    size_t n;
    struct pieces pieces;
    float *buffer; /* [pieces.n] */
};

static bool find_lines(const struct cell *cell, enum curve_kind kind, size_t max_point,
                       struct lines *lines)
{
    *lines = (struct lines){.pieces = cut(cell, max_point)};
    lines->line = calloc(cell->n_run, sizeof(*lines->line));
    lines->buffer = calloc(lines->pieces.n, sizeof(*lines->buffer));
    for (size_t i = 0; lines->line && i < cell->n_run; i++) {
        const struct run *run = &cell->run[i];
        const double *line = kind == CURVE_LOSS ? run->curve : run->curve_accuracy;
        if (has_curve(run) && line) {
            lines->line[lines->n++] = line;
        }
    }
    return lines->n > 0 && lines->buffer;
}

static double piece_mean(const double *line, const struct pieces *pieces, size_t piece)
{
    double sum = 0;
    size_t first = piece * pieces->bucket, end = piece_end(pieces, piece);
    for (size_t step = first; step < end; step++) {
        sum += line[step];
    }
    return sum / (double)(end - first);
}

/* The mean over lines first..end-1. */
static json_t *mean_json(const struct lines *lines, size_t first, size_t end)
{
    for (size_t piece = 0; piece < lines->pieces.n; piece++) {
        double sum = 0;
        for (size_t i = first; i < end; i++) {
            sum += piece_mean(lines->line[i], &lines->pieces, piece);
        }
        lines->buffer[piece] = (float)(sum / (double)(end - first));
    }
    return html_base64(lines->buffer, lines->pieces.n * sizeof(*lines->buffer));
}

static json_t *extreme_json(const struct lines *lines, double pick(double, double))
{
    const struct pieces *pieces = &lines->pieces;
    for (size_t piece = 0; piece < pieces->n; piece++) {
        size_t first = piece * pieces->bucket;
        double extreme = lines->line[0][first];
        for (size_t i = 0; i < lines->n; i++) {
            for (size_t step = first; step < piece_end(pieces, piece); step++) {
                extreme = pick(extreme, lines->line[i][step]);
            }
        }
        lines->buffer[piece] = (float)extreme;
    }
    return html_base64(lines->buffer, pieces->n * sizeof(*lines->buffer));
}

static json_t *lines_json(const struct lines *lines, bool with_seeds)
{
    json_t *object = json_pack("{s:o, s:o, s:o}", "mean", mean_json(lines, 0, lines->n), "low",
                               extreme_json(lines, fmin), "high", extreme_json(lines, fmax));
    json_t *seeds = json_array();
    for (size_t i = 0; with_seeds && lines->n > 1 && i < lines->n && i < MAX_SEED; i++) {
        json_array_append_new(seeds, mean_json(lines, i, i + 1));
    }
    json_object_set_new(object, "seeds", seeds);
    return object;
}

static json_t *curve_json(const struct cell *cell, size_t max_point, bool with_seeds)
{
    static const char *const name[] = {"loss", "accuracy"};
    struct pieces pieces = cut(cell, max_point);
    json_t *curve = json_pack("{s:I, s:I}", "n_step", (json_int_t)pieces.n_step, "bucket",
                              (json_int_t)pieces.bucket);
    for (int kind = CURVE_LOSS; kind <= CURVE_ACCURACY; kind++) {
        struct lines lines;
        if (find_lines(cell, (enum curve_kind)kind, max_point, &lines)) {
            json_object_set_new(curve, name[kind], lines_json(&lines, with_seeds));
        }
        free(lines.line);
        free(lines.buffer);
    }
    return curve;
}

/* ---- all cells ---- */

static size_t size_of_curve(const struct cell *cell, size_t max_point, bool with_seeds)
{
    size_t n_line = 0, n_seed = 0;
    for (size_t i = 0; i < cell->n_run; i++) {
        const struct run *run = &cell->run[i];
        n_seed += has_curve(run) ? 1 + (run->curve_accuracy != NULL) : 0;
        n_line = has_curve(run) && run->curve_accuracy ? 6 : n_line > 3 ? n_line : 3;
    }
    n_line += with_seeds ? n_seed : 0;
    return n_seed > 0 ? cut(cell, max_point).n * n_line * FLOAT_CHARS : 0;
}

static size_t size_of_curves(const struct html_index *index, size_t max_point, bool with_seeds)
{
    size_t size = 0;
    for (size_t i = 0; i < html_n_cell(index); i++) {
        size += size_of_curve(html_cell(index, i), max_point, with_seeds);
    }
    return size;
}

json_t *html_add_curves(const struct html_index *index, json_t *cells)
{
    size_t max_point = HTML_MAX_POINT;
    bool with_seeds = size_of_curves(index, max_point, true) <= HTML_CURVE_BUDGET;
    while (max_point > MIN_POINT &&
           size_of_curves(index, max_point, with_seeds) > HTML_CURVE_BUDGET) {
        max_point /= 2;
    }
    for (size_t i = 0; i < html_n_cell(index); i++) {
        if (count_curves(html_cell(index, i)) > 0) {
            json_object_set_new(json_array_get(cells, i), "curve",
                                curve_json(html_cell(index, i), max_point, with_seeds));
        }
    }
    return json_pack("{s:I, s:b, s:i}", "max_point", (json_int_t)max_point, "with_seeds",
                     with_seeds, "max_seed", MAX_SEED);
}
