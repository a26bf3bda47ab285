#include "report/content/image_sheets.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/images/samples.h"

#define SAMPLE_SIDE 84.0
#define PATCHES_SIDE 220.0

/* ---- samples ---- */

/* Makes a panel the picture of a sample. */
static void show_image(struct sheet *sheet, struct sheet_panel *panel,
                       const struct samples *samples, size_t sample)
{
    size_t n = samples->height * samples->width, n_channel = samples->n_channel;
    const uint8_t *from = samples_pixels(samples, sample, 0, 0);
    unsigned char *to = sheet_picture(sheet, panel, samples->height, samples->width);
    for (size_t i = 0; to && i < 3 * n; i++) {
        to[i] = from[i / 3 * n_channel + (n_channel == 3 ? i % 3 : 0)];
    }
    panel->square = samples->patch;
}

/* Lays shares of attention [T] over a sample; the first, the class token's, has no place in it. */
static void show_shares(struct sheet *sheet, struct sheet_panel *panel,
                        const struct samples *samples, size_t sample, const double *share,
                        double uniform)
{
    show_image(sheet, panel, samples, sample);
    float *value = sheet_grid(sheet, panel, samples->n_row, samples->n_column);
    for (size_t i = 0; value && i + 1 < samples->n_token; i++) {
        value[i] = (float)(share[i + 1] / uniform);
    }
}

/* A sheet of samples down, beginning with the images and the names of their classes. */
static struct sheet *sheet_of_samples(const char *title, const struct samples *samples,
                                      size_t n_column)
{
    struct sheet *sheet = sheet_create(title, samples->n, 1 + n_column);
    if (!sheet) {
        return NULL;
    }
    sheet->side = SAMPLE_SIDE;
    sheet_text(sheet, &sheet->scale_title, "multiples of uniform attention");
    sheet_text(sheet, &sheet->column_title[0], "image\n");
    for (size_t i = 0; i < samples->n; i++) {
        char name[SAMPLES_CLASS_SIZE];
        samples_class(samples->run, samples->sample[i].label, name);
        sheet_text(sheet, &sheet->row_title[i], "%s", name);
        show_image(sheet, sheet_panel_at(sheet, i, 0), samples, i);
    }
    return sheet;
}

/* ---- one run's class token ---- */

/* How much of its attention the class token keeps has no place in the image, so it is a number. */
static void show_token(struct sheet *sheet, size_t column, const struct samples *samples,
                       size_t sample, const double *share, double uniform)
{
    struct sheet_panel *panel = sheet_panel_at(sheet, sample, column);
    show_shares(sheet, panel, samples, sample, share, uniform);
    sheet_text(sheet, &panel->note, "itself %.2f", share[0]);
}

static void show_heads(struct sheet *sheet, const struct samples *samples, size_t sample,
                       size_t layer, size_t n_head)
{
    double uniform = 1 / (double)samples->n_token;
    for (size_t head = 0; head < n_head; head++) {
        show_token(sheet, 1 + head, samples, sample,
                   samples_head_row(samples, sample, layer, head, 0), uniform);
    }
    show_token(sheet, 1 + n_head, samples, sample, samples_mean_row(samples, sample, layer, 0),
               uniform);
    show_token(sheet, 2 + n_head, samples, sample, samples_rollout(samples, sample, layer + 1),
               rollout_uniform(layer + 1, samples->n_token));
}

static void show_verdict(struct sheet *sheet, const struct samples *samples, size_t sample)
{
    struct sheet_panel *panel = sheet_panel_at(sheet, sample, 0);
    char name[SAMPLES_CLASS_SIZE];
    panel->wrong = samples->sample[sample].prediction != samples->sample[sample].label;
    samples_class(samples->run, samples->sample[sample].prediction, name);
    sheet_text(sheet, &panel->note, "%s%s", panel->wrong ? "taken for " : "recognised",
               panel->wrong ? name : "");
}

static void name_heads(struct sheet *sheet, const struct samples *samples, size_t layer,
                       size_t n_head)
{
    for (size_t head = 0; head < n_head; head++) {
        sheet_text(sheet, &sheet->column_title[1 + head], "head %zu\n", head);
    }
    sheet_text(sheet, &sheet->column_title[1 + n_head], "mean\nof %zu heads", samples->n_head);
    if (layer == 0) {
        sheet_text(sheet, &sheet->column_title[2 + n_head], "rollout\nlayer 0");
    } else {
        sheet_text(sheet, &sheet->column_title[2 + n_head], "rollout\nlayers 0 to %zu", layer);
    }
}

struct sheet *class_token_sheet(const struct samples *samples, size_t layer)
{
    size_t n_head = samples->n_head < CLASS_TOKEN_MAX_HEAD ? samples->n_head : CLASS_TOKEN_MAX_HEAD;
    struct sheet *sheet = sheet_of_samples(run_id(samples->run), samples, n_head + 2);
    if (!sheet) {
        return NULL;
    }
    sheet_text(sheet, &sheet->name, "class-token-layer%zu", layer);
    sheet_text(sheet, &sheet->subtitle,
               "Attention from the class token in layer %zu%s; below: its share on itself%s\n"
               "One scale: 1 is uniform attention, a share of %.4f; for the rollout, which keeps "
               "half of a token in each layer, %.4f.",
               layer, layer + 1 == samples->n_layer ? " (the last)" : "",
               n_head < samples->n_head ? "; the first heads" : "", 1 / (double)samples->n_token,
               rollout_uniform(layer + 1, samples->n_token));
    name_heads(sheet, samples, layer, n_head);
    for (size_t i = 0; i < samples->n; i++) {
        show_verdict(sheet, samples, i);
        show_heads(sheet, samples, i, layer, n_head);
    }
    sheet_scale(&sheet, 1);
    return sheet;
}

/* ---- patches: the overlay is one row of the map beside it, which is framed there, so that the eye
 * learns to read the map ---- */

#define SAMPLE 0

enum { PATCHES_IMAGE, PATCHES_ONE, PATCHES_ALL, PATCHES_N_COLUMN };

/* The patch, from 0, from which the class token's rollout takes most. */
static size_t find_query(const struct samples *samples)
{
    const double *row = samples_rollout(samples, SAMPLE, samples->n_layer);
    size_t query = 0;
    for (size_t i = 1; i < samples->n_token; i++) {
        query = row[i] > row[query + 1] ? i - 1 : query;
    }
    return query;
}

static void show_layer(struct sheet *sheet, size_t index, const struct samples *samples,
                       size_t layer, size_t query)
{
    struct sheet_panel *image = sheet_panel_at(sheet, index, PATCHES_IMAGE);
    struct sheet_panel *one = sheet_panel_at(sheet, index, PATCHES_ONE);
    struct sheet_panel *all = sheet_panel_at(sheet, index, PATCHES_ALL);
    size_t n = samples->n_token;
    float *map = sheet_grid(sheet, all, n, n);
    sheet_text(sheet, &sheet->row_title[index], "layer %zu", layer);
    show_image(sheet, image, samples, SAMPLE);
    image->n_row = samples->n_row;
    image->n_column = samples->n_column;
    for (size_t token = 0; map && token < n; token++) {
        const double *row = samples_mean_row(samples, SAMPLE, layer, token);
        for (size_t i = 0; i < n; i++) {
            map[token * n + i] = (float)(row[i] * (double)n);
        }
    }
    show_shares(sheet, one, samples, SAMPLE, samples_mean_row(samples, SAMPLE, layer, query + 1),
                1 / (double)n);
    image->frame = one->frame =
        (struct sheet_frame){query / samples->n_column, query % samples->n_column, 1, 1};
    all->frame = (struct sheet_frame){query + 1, 0, 1, n};
}

static void describe_patches(struct sheet *sheet, const struct samples *samples, size_t query)
{
    char name[SAMPLES_CLASS_SIZE];
    samples_class(samples->run, samples->sample[SAMPLE].label, name);
    sheet_text(sheet, &sheet->subtitle,
               "Which patch looks at which, in one image (%s), mean of %zu heads, in multiples of "
               "the uniform 1/%zu\n"
               "Token 0 is the class token, then %zu x %zu patches row by row; framed: token %zu, "
               "from which the class token's rollout takes most",
               name, samples->n_head, samples->n_token, samples->n_row, samples->n_column,
               query + 1);
    sheet_text(sheet, &sheet->column_title[PATCHES_IMAGE], "image and patches");
    sheet_text(sheet, &sheet->column_title[PATCHES_ONE], "what token %zu looks at", query + 1);
    sheet_text(sheet, &sheet->column_title[PATCHES_ALL], "all tokens");
    sheet_text(sheet, &sheet->scale_title, "multiples of uniform attention");
    sheet_text(sheet, &sheet->down, "query token");
    sheet_text(sheet, &sheet->right, "key token");
    sheet_text(sheet, &sheet->name, "patch-to-patch");
}

struct sheet *patches_sheet(const struct samples *samples)
{
    size_t n_row = samples->n_layer < PATCHES_MAX_LAYER ? samples->n_layer : PATCHES_MAX_LAYER;
    struct sheet *sheet = sheet_create(run_id(samples->run), n_row, PATCHES_N_COLUMN);
    size_t query = find_query(samples);
    if (!sheet) {
        return NULL;
    }
    sheet->side = PATCHES_SIDE;
    describe_patches(sheet, samples, query);
    for (size_t i = 0; i < n_row; i++) {
        show_layer(sheet, i, samples, samples->n_layer - n_row + i, query);
    }
    sheet_scale(&sheet, 1);
    return sheet;
}

/* ---- variants side by side: the images of the first run that has some are shown; a run on others
 * would compare nothing ---- */

static void show_prediction(struct sheet *sheet, struct sheet_panel *panel,
                            const struct samples *samples, size_t sample)
{
    char name[SAMPLES_CLASS_SIZE];
    panel->wrong = samples->sample[sample].prediction != samples->sample[sample].label;
    samples_class(samples->run, samples->sample[sample].prediction, name);
    sheet_text(sheet, &panel->note, "%s%s", panel->wrong ? "\u2717 " : "", name);
}

static void show_column(struct sheet *sheet, size_t column, const struct samples *samples,
                        bool is_rollout)
{
    size_t n_layer = samples->n_layer, n = samples->n_token;
    double uniform = is_rollout ? rollout_uniform(n_layer, n) : 1 / (double)n;
    for (size_t i = 0; i < samples->n; i++) {
        struct sheet_panel *panel = sheet_panel_at(sheet, i, column);
        show_shares(sheet, panel, samples, i,
                    is_rollout ? samples_rollout(samples, i, n_layer)
                               : samples_mean_row(samples, i, n_layer - 1, 0),
                    uniform);
        show_prediction(sheet, panel, samples, i);
    }
}

/* A run without samples costs its column, not the picture. */
static enum status fill_column(const struct variant_sheets *sheets, size_t column,
                               const struct run *run, const struct samples *first,
                               struct error *err)
{
    struct samples samples;
    enum status status = samples_read(run, &samples, err);
    bool fits = status == STATUS_OK && samples.n_token == first->n_token &&
                samples_show_the_same(&samples, first);
    for (int is_rollout = 0; is_rollout < 2; is_rollout++) {
        struct sheet *sheet = is_rollout ? sheets->rollout : sheets->last_layer;
        sheet_text(sheet, &sheet->column_title[column], "%s\ntop-1 %.3f", run->variant_name,
                   run->measure[MEASURE_TOP1]);
        if (fits) {
            show_column(sheet, column, &samples, is_rollout);
        }
    }
    samples_free(&samples);
    return status == STATUS_DATA ? STATUS_OK : status;
}

static struct sheet *side_by_side(const struct samples *first, size_t n_run, size_t n_left_out,
                                  bool is_rollout)
{
    const struct run *run = first->run;
    const struct config *config = run_config(run);
    char title[200], left_out[64] = "";
    snprintf(title, sizeof title, "%s: %s", run_task_title(run),
             is_rollout ? "attention rollout from the class token, through all layers"
                        : "attention from the class token in the last layer, mean of heads");
    if (n_left_out > 0) {
        snprintf(left_out, sizeof left_out, "; %zu further variants left out", n_left_out);
    }
    struct sheet *sheet = sheet_of_samples(title, first, n_run);
    if (!sheet) {
        return NULL;
    }
    sheet_text(sheet, &sheet->name, "class-token-%s-%s", run_id(run),
               is_rollout ? "rollout" : "last-layer");
    sheet_text(sheet, &sheet->alt, "Attention %s, a variant a column",
               is_rollout ? "rollout from the class token"
                          : "from the class token in the last layer, mean of heads");
    sheet_text(sheet, &sheet->subtitle,
               "d %zu, L %zu, H %zu, T %zu tokens, seed %lld; below: the class that the model says "
               "(\u2717: wrong)%s\n"
               "One scale here and in the %s picture: 1 is uniform attention, here a share of "
               "%.4f%s.",
               config->n_embd, config->n_layer, config->n_head, config->seq_len, run_seed(run),
               left_out, is_rollout ? "last layer's" : "rollout's",
               is_rollout ? rollout_uniform(config->n_layer, config->seq_len)
                          : 1 / (double)config->seq_len,
               is_rollout ? " (a rollout keeps half of a token in each layer)" : "");
    return sheet;
}

static enum status make_sheets(const struct run *const *run, size_t n_run,
                               const struct samples *first, struct variant_sheets *sheets,
                               struct error *err)
{
    size_t n_shown = n_run < VARIANTS_MAX ? n_run : VARIANTS_MAX;
    sheets->rollout = side_by_side(first, n_shown, n_run - n_shown, true);
    sheets->last_layer = side_by_side(first, n_shown, n_run - n_shown, false);
    struct sheet *const both[] = {sheets->rollout, sheets->last_layer};
    if (!both[0] || !both[1]) {
        return error_memory(err, "drawing samples");
    }
    for (size_t i = 0; i < n_shown; i++) {
        TRY(fill_column(sheets, 1 + i, run[i], first, err));
    }
    sheet_scale(both, 2);
    return both[0]->failed || both[1]->failed ? error_memory(err, "drawing samples") : STATUS_OK;
}

/* The runs of the first one's seed, a cell each. */
static const struct run **runs_of_seed(const struct group *setting, long long seed, size_t *n)
{
    struct groups cells = groups_by(setting, FACTOR_BIT(VARIANT) | FACTOR_BIT(CELL));
    const struct run **run = calloc(cells.n_group + 1, sizeof *run);
    *n = 0;
    for (size_t i = 0; run && i < cells.n_group; i++) {
        const struct run *same_seed = group_find_seed(&cells.group[i], seed);
        if (same_seed) {
            run[(*n)++] = same_seed;
        }
    }
    return run;
}

static enum status make_of_seed(const struct group *setting, const struct samples *first,
                                struct variant_sheets *sheets, struct error *err)
{
    size_t n_run;
    const struct run **run = runs_of_seed(setting, run_seed(first->run), &n_run);
    enum status status = run && !cuts_failed(setting->cuts)
                             ? make_sheets(run, n_run, first, sheets, err)
                             : error_memory(err, "drawing samples");
    free(run);
    return status;
}

enum status variant_sheets_make(const struct group *setting, struct variant_sheets *sheets,
                                struct error *err)
{
    struct samples first = {0};
    enum status status = STATUS_DATA;
    *sheets = (struct variant_sheets){0};
    for (size_t i = 0; status == STATUS_DATA && i < setting->n_run; i++) {
        const struct run *run = setting->run[i];
        if (run_is_ok(run) && samples_are_kept(run)) {
            samples_free(&first);
            status = samples_read(run, &first, err);
        }
    }
    if (status == STATUS_OK) {
        sheets->first = first.run;
        status = make_of_seed(setting, &first, sheets, err);
    }
    samples_free(&first);
    if (status != STATUS_OK) {
        variant_sheets_free(sheets);
    }
    return status == STATUS_DATA ? STATUS_OK : status;
}

void variant_sheets_free(struct variant_sheets *sheets)
{
    sheet_free(sheets->rollout);
    sheet_free(sheets->last_layer);
    *sheets = (struct variant_sheets){0};
}

/* ---- a data set ---- */

/* Images of a set are [C,H,W]. */
static void show_training_image(struct sheet *sheet, struct sheet_panel *panel,
                                const struct image_set *set, size_t image)
{
    size_t n = set->height * set->width;
    unsigned char *to = sheet_picture(sheet, panel, set->height, set->width);
    for (size_t i = 0; to && i < 3 * n; i++) {
        to[i] = set->image[image][(set->n_channel == 3 ? i % 3 * n : 0) + i / 3];
    }
}

struct sheet *contact_sheet(const struct image_data *data)
{
    const struct image_set *set = &data->train;
    bool few = data->n_class <= CONTACT_SHEET_FEW;
    struct sheet *sheet = sheet_create(data->dataset->task.title, data->n_class, few ? 8 : 4);
    size_t *n_shown = sheet ? calloc(data->n_class, sizeof *n_shown) : NULL;
    if (!n_shown) {
        sheet_free(sheet);
        return NULL;
    }
    sheet->side = few ? 40 : 32;
    sheet->n_block = few ? 1 : data->n_class <= 100 ? 4 : 5;
    sheet_text(sheet, &sheet->name, "%s", data->dataset->task.name);
    sheet_text(sheet, &sheet->subtitle,
               "the first %zu training images of each class (%zu training, %zu test images of %zu "
               "x %zu)",
               sheet->n_column, set->n_image, data->test.n_image, set->height, set->width);
    for (size_t i = 0; i < data->n_class; i++) {
        sheet_text(sheet, &sheet->row_title[i], "%s", data->class_name[i]);
    }
    for (size_t i = 0; i < set->n_image; i++) {
        size_t class = set->label[i];
        if (n_shown[class] < sheet->n_column) {
            show_training_image(sheet, sheet_panel_at(sheet, class, n_shown[class]++), set, i);
        }
    }
    free(n_shown);
    return sheet;
}
