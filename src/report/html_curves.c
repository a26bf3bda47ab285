/* html_curves: a long curve is cut into at most HTML_MAX_POINT pieces of equally many steps. A
 * piece keeps the mean over seeds and its steps, and the lowest and highest loss of any seed at any
 * of its steps, so that no extreme is lost. Single seeds are kept while all curves stay small.
 */
#include <math.h>
#include <stdlib.h>

#include "report/html_data.h"

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

static double piece_mean(const struct run *run, const struct pieces *pieces, size_t piece)
{
    double sum = 0;
    size_t first = piece * pieces->bucket, end = piece_end(pieces, piece);
    for (size_t step = first; step < end; step++) {
        sum += run->curve[step];
    }
    return sum / (double)(end - first);
}

static json_t *mean_json(const struct run *const *run, size_t n_run, const struct pieces *pieces,
                         float *buffer)
{
    for (size_t piece = 0; piece < pieces->n; piece++) {
        double sum = 0;
        for (size_t i = 0; i < n_run; i++) {
            sum += piece_mean(run[i], pieces, piece);
        }
        buffer[piece] = (float)(sum / (double)n_run);
    }
    return html_base64(buffer, pieces->n * sizeof(*buffer));
}

static json_t *extreme_json(const struct run *const *run, size_t n_run, const struct pieces *pieces,
                            double pick(double, double), float *buffer)
{
    for (size_t piece = 0; piece < pieces->n; piece++) {
        double extreme = run[0]->curve[piece * pieces->bucket];
        for (size_t i = 0; i < n_run; i++) {
            for (size_t step = piece * pieces->bucket; step < piece_end(pieces, piece); step++) {
                extreme = pick(extreme, run[i]->curve[step]);
            }
        }
        buffer[piece] = (float)extreme;
    }
    return html_base64(buffer, pieces->n * sizeof(*buffer));
}

static json_t *seeds_json(const struct html_index *index, const struct run *const *run,
                          size_t n_run, const struct pieces *pieces, float *buffer)
{
    json_t *seeds = json_array();
    for (size_t i = 0; i < n_run && i < MAX_SEED; i++) {
        json_array_append_new(seeds, json_pack("[I, o]", (json_int_t)html_run_number(index, run[i]),
                                               mean_json(&run[i], 1, pieces, buffer)));
    }
    return seeds;
}

static json_t *curve_json(const struct html_index *index, const struct cell *cell, size_t max_point,
                          bool with_seeds)
{
    struct pieces pieces = cut(cell, max_point);
    const struct run **run = calloc(cell->n_run, sizeof(*run));
    float *buffer = calloc(pieces.n, sizeof(*buffer));
    json_t *curve = NULL;
    size_t n_run = 0;
    for (size_t i = 0; run && i < cell->n_run; i++) {
        if (has_curve(&cell->run[i])) {
            run[n_run++] = &cell->run[i];
        }
    }
    if (run && buffer) {
        curve = json_pack("{s:I, s:I, s:I, s:o, s:o, s:o}", "n_step", (json_int_t)pieces.n_step,
                          "bucket", (json_int_t)pieces.bucket, "n_seed", (json_int_t)n_run, "mean",
                          mean_json(run, n_run, &pieces, buffer), "low",
                          extreme_json(run, n_run, &pieces, fmin, buffer), "high",
                          extreme_json(run, n_run, &pieces, fmax, buffer));
    }
    if (curve && with_seeds && n_run > 1) {
        json_object_set_new(curve, "seeds", seeds_json(index, run, n_run, &pieces, buffer));
    }
    free(run);
    free(buffer);
    return curve;
}

static size_t size_of_curves(const struct html_index *index, size_t max_point, bool with_seeds)
{
    size_t size = 0;
    for (size_t i = 0; i < html_n_cell(index); i++) {
        size_t n_seed = count_curves(html_cell(index, i));
        size_t n_line =
            3 + (with_seeds && n_seed > 1 ? (n_seed < MAX_SEED ? n_seed : MAX_SEED) : 0);
        size += n_seed > 0 ? cut(html_cell(index, i), max_point).n * n_line * FLOAT_CHARS : 0;
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
                                curve_json(index, html_cell(index, i), max_point, with_seeds));
        }
    }
    return json_pack("{s:I, s:b, s:i}", "max_point", (json_int_t)max_point, "with_seeds",
                     with_seeds, "max_seed", MAX_SEED);
}
