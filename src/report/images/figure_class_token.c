/* A picture a layer, so that a model of any depth has legible ones; the rollout up to each layer
 * shows how the layers add up.
 */
#include "report/images/figure_class_token.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/path.h"
#include "report/images/rollout.h"
#include "report/images/sample_sheet.h"

/* How much of its attention the class token keeps has no place in the image, so it is a number. */
static void show(struct sample_sheet *sheet, size_t column, size_t sample, const double *share,
                 double uniform)
{
    sample_sheet_show(sheet, column, sample, share, uniform);
    snprintf(sheet->column[column].panel[sample].below, SHEET_CAPTION_SIZE, "itself %.2f",
             share[0]);
}

static enum status show_sample(struct sample_sheet *sheet, size_t sample, size_t layer,
                               size_t n_head, double *row, struct error *err)
{
    const struct samples *samples = sheet->samples;
    double uniform = 1 / (double)samples->n_token;
    for (size_t head = 0; head < n_head; head++) {
        samples_head_row(samples, sample, layer, head, 0, row);
        show(sheet, head, sample, row, uniform);
    }
    samples_mean_row(samples, sample, layer, 0, row);
    show(sheet, n_head, sample, row, uniform);
    enum status status = samples_rollout(samples, sample, layer + 1, row, err);
    if (status == STATUS_OK) {
        show(sheet, n_head + 1, sample, row, rollout_uniform(layer + 1, samples->n_token));
    }
    return status;
}

static void name_columns(struct sample_sheet *sheet, size_t layer, size_t n_head)
{
    for (size_t head = 0; head < n_head; head++) {
        snprintf(sheet->column[head].head, VARIANT_TEXT_SIZE, "head %zu", head);
    }
    snprintf(sheet->column[n_head].head, VARIANT_TEXT_SIZE, "mean");
    snprintf(sheet->column[n_head].below, SHEET_CAPTION_SIZE, "of %zu heads",
             sheet->samples->n_head);
    snprintf(sheet->column[n_head + 1].head, VARIANT_TEXT_SIZE, "rollout");
    if (layer == 0) {
        snprintf(sheet->column[n_head + 1].below, SHEET_CAPTION_SIZE, "layer 0");
    } else {
        snprintf(sheet->column[n_head + 1].below, SHEET_CAPTION_SIZE, "layers 0 to %zu", layer);
    }
}

static void write_titles(struct sample_sheet *sheet, size_t layer, size_t n_head)
{
    const struct samples *samples = sheet->samples;
    snprintf(sheet->title, SHEET_TEXT_SIZE, "%s", run_id(samples->run));
    snprintf(sheet->subtitle, SHEET_TEXT_SIZE,
             "Attention from the class token in layer %zu%s; below: its share on itself%s", layer,
             layer + 1 == samples->n_layer ? " (the last)" : "",
             n_head < samples->n_head ? "; the first heads" : "");
    snprintf(sheet->note, SHEET_TEXT_SIZE,
             "One scale: 1 is uniform attention, a share of %.4f; for the rollout, which keeps "
             "half of a token in each layer, %.4f.",
             1 / (double)samples->n_token, rollout_uniform(layer + 1, samples->n_token));
    for (size_t i = 0; i < samples->n; i++) {
        char name[SAMPLES_CLASS_SIZE];
        sheet->row[i].wrong = samples->prediction[i] != samples->label[i];
        samples_class(samples, samples->prediction[i], name);
        snprintf(sheet->row[i].below, SHEET_CAPTION_SIZE, "%s%s",
                 sheet->row[i].wrong ? "taken for " : "recognised",
                 sheet->row[i].wrong ? name : "");
    }
}

static enum status fill(struct sample_sheet *sheet, size_t layer, size_t n_head, struct error *err)
{
    double *row = calloc(sheet->samples->n_token, sizeof(*row));
    enum status status = row ? STATUS_OK : error_memory(err, "drawing samples");
    for (size_t i = 0; status == STATUS_OK && i < sheet->samples->n; i++) {
        status = show_sample(sheet, i, layer, n_head, row, err);
    }
    free(row);
    return status;
}

static enum status draw_layer(const struct samples *samples, const char *folder, size_t layer,
                              struct error *err)
{
    char path[PATH_SIZE];
    struct sample_sheet sheet = {0}, *all = &sheet;
    size_t n_head = samples->n_head < FIGURE_MAX_HEAD ? samples->n_head : FIGURE_MAX_HEAD;
    enum status status = path_format(path, err, "%s/class-token-layer%zu.png", folder, layer);
    if (status == STATUS_OK) {
        status = sample_sheet_create(&sheet, samples, n_head + 2, err);
    }
    if (status == STATUS_OK) {
        name_columns(&sheet, layer, n_head);
        write_titles(&sheet, layer, n_head);
        status = fill(&sheet, layer, n_head, err);
    }
    if (status == STATUS_OK) {
        status = sample_sheet_scale(&all, 1, err);
    }
    if (status == STATUS_OK) {
        status = sample_sheet_write(&sheet, path, err);
    }
    sample_sheet_free(&sheet);
    return status;
}

enum status figure_class_token(const struct samples *samples, const char *folder, size_t *n_picture,
                               struct error *err)
{
    enum status status = STATUS_OK;
    for (size_t layer = 0; status == STATUS_OK && layer < samples->n_layer; layer++) {
        status = draw_layer(samples, folder, layer, err);
        *n_picture += status == STATUS_OK;
    }
    return status;
}
