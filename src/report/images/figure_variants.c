/* The images of the first run that has some are shown; a run on others would compare nothing.
 */
#include "report/images/figure_variants.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/path.h"
#include "report/images/rollout.h"
#include "report/images/sample_sheet.h"

enum { ROLLOUT, LAST_LAYER, N_SHEET };

struct figure {
    const struct run *const *run; /* [n_run] */
    size_t n_run;
    size_t n_left_out;
    struct samples first; /* whose images are shown */
    struct sample_sheet sheet[N_SHEET];
};

static void show_prediction(struct figure *figure, size_t column, const struct samples *samples,
                            size_t sample)
{
    for (size_t s = 0; s < N_SHEET; s++) {
        struct sheet_label *caption = &figure->sheet[s].column[column].panel[sample];
        char name[SAMPLES_CLASS_SIZE];
        caption->wrong = samples->prediction[sample] != samples->label[sample];
        samples_class(samples, samples->prediction[sample], name);
        snprintf(caption->below, SHEET_CAPTION_SIZE, "%s%s", caption->wrong ? "\u2717 " : "", name);
    }
}

static enum status show_samples(struct figure *figure, size_t column, const struct samples *samples,
                                struct error *err)
{
    double *row = calloc(samples->n_token, sizeof(*row));
    enum status status = row ? STATUS_OK : error_memory(err, "drawing samples");
    for (size_t i = 0; status == STATUS_OK && i < samples->n; i++) {
        samples_mean_row(samples, i, samples->n_layer - 1, 0, row);
        sample_sheet_show(&figure->sheet[LAST_LAYER], column, i, row, 1 / (double)samples->n_token);
        status = samples_rollout(samples, i, samples->n_layer, row, err);
        if (status == STATUS_OK) {
            sample_sheet_show(&figure->sheet[ROLLOUT], column, i, row,
                              rollout_uniform(samples->n_layer, samples->n_token));
            show_prediction(figure, column, samples, i);
        }
    }
    free(row);
    return status;
}

static void name_column(struct figure *figure, size_t column)
{
    const struct run *run = figure->run[column];
    for (size_t s = 0; s < N_SHEET; s++) {
        struct sheet_column *here = &figure->sheet[s].column[column];
        snprintf(here->head, VARIANT_TEXT_SIZE, "%s", run->variant_name);
        snprintf(here->below, SHEET_CAPTION_SIZE, "top-1 %.3f", run->measure[MEASURE_TOP1]);
    }
}

/* A run without samples costs its column, not the picture. */
static enum status fill_column(struct figure *figure, size_t column, struct error *err)
{
    struct samples samples;
    enum status status = samples_read(figure->run[column], &samples, err);
    name_column(figure, column);
    if (status == STATUS_OK && samples.n_token == figure->first.n_token &&
        samples_show_the_same(&samples, &figure->first)) {
        status = show_samples(figure, column, &samples, err);
    }
    samples_free(&samples);
    return status == STATUS_DATA ? STATUS_OK : status;
}

static void write_titles(struct figure *figure)
{
    static const char *const what[N_SHEET] = {
        [ROLLOUT] = "attention rollout from the class token, through all layers",
        [LAST_LAYER] = "attention from the class token in the last layer, mean of heads",
    };
    const struct run *run = figure->first.run;
    const struct config *config = run_config(run);
    char left_out[64] = "";
    if (figure->n_left_out > 0) {
        snprintf(left_out, sizeof(left_out), "; %zu further variants left out", figure->n_left_out);
    }
    for (size_t s = 0; s < N_SHEET; s++) {
        struct sample_sheet *sheet = &figure->sheet[s];
        snprintf(sheet->title, SHEET_TEXT_SIZE, "%s: %s", run_task_title(run), what[s]);
        snprintf(sheet->subtitle, SHEET_TEXT_SIZE,
                 "d %zu, L %zu, H %zu, T %zu tokens, seed %lld; below: the class that the model "
                 "says (\u2717: wrong)%s",
                 config->n_embd, config->n_layer, config->n_head, config->seq_len, run_seed(run),
                 left_out);
        double uniform = s == ROLLOUT ? rollout_uniform(config->n_layer, config->seq_len)
                                      : 1 / (double)config->seq_len;
        snprintf(sheet->note, SHEET_TEXT_SIZE,
                 "One scale here and in the %s: 1 is uniform attention, here a share of %.4f%s.",
                 s == ROLLOUT ? "last layer's picture" : "rollout's picture", uniform,
                 s == ROLLOUT ? " (a rollout keeps half of a token in each layer)" : "");
    }
}

static enum status fill(struct figure *figure, struct error *err)
{
    struct sample_sheet *const all[N_SHEET] = {&figure->sheet[0], &figure->sheet[1]};
    enum status status = STATUS_OK;
    for (size_t s = 0; status == STATUS_OK && s < N_SHEET; s++) {
        status = sample_sheet_create(&figure->sheet[s], &figure->first, figure->n_run, err);
    }
    for (size_t i = 0; status == STATUS_OK && i < figure->n_run; i++) {
        status = fill_column(figure, i, err);
    }
    if (status == STATUS_OK) {
        write_titles(figure);
        status = sample_sheet_scale(all, N_SHEET, err);
    }
    return status;
}

static enum status write_sheets(const struct figure *figure, const char *folder, const char *stem,
                                struct error *err)
{
    static const char *const name[N_SHEET] = {[ROLLOUT] = "rollout", [LAST_LAYER] = "last-layer"};
    enum status status = STATUS_OK;
    for (size_t s = 0; status == STATUS_OK && s < N_SHEET; s++) {
        char path[PATH_SIZE];
        status = path_format(path, err, "%s/%s%s.png", folder, stem, name[s]);
        if (status == STATUS_OK) {
            status = sample_sheet_write(&figure->sheet[s], path, err);
        }
    }
    return status;
}

static enum status find_first(struct figure *figure, bool *found, struct error *err)
{
    *found = false;
    for (size_t i = 0; i < figure->n_run; i++) {
        enum status status = samples_read(figure->run[i], &figure->first, err);
        if (status != STATUS_DATA) {
            *found = status == STATUS_OK;
            return status;
        }
        samples_free(&figure->first);
    }
    return STATUS_OK;
}

enum status figure_variants(const struct run *const *run, size_t n_run, const char *folder,
                            const char *stem, bool *drawn, struct error *err)
{
    size_t n_shown = n_run < FIGURE_MAX_VARIANT ? n_run : FIGURE_MAX_VARIANT;
    struct figure figure = {.run = run, .n_run = n_shown, .n_left_out = n_run - n_shown};
    enum status status = find_first(&figure, drawn, err);
    if (status == STATUS_OK && *drawn) {
        status = fill(&figure, err);
        if (status == STATUS_OK) {
            status = write_sheets(&figure, folder, stem, err);
        }
    }
    for (size_t s = 0; s < N_SHEET; s++) {
        sample_sheet_free(&figure.sheet[s]);
    }
    samples_free(&figure.first);
    return status;
}
