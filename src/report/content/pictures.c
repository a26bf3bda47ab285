#include "report/content/pictures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/folder.h"
#include "base/path.h"
#include "report/images/figure_variants.h"
#include "report/images/rollout.h"
#include "report/images/samples.h"

/* ---- what the class token sees ---- */

/* The first run of a setting whose samples can be drawn. */
static const struct run *first_with_samples(const struct group *setting)
{
    for (size_t i = 0; i < setting->n_run; i++) {
        const struct run *run = setting->run[i];
        struct samples samples;
        bool readable = run_is_ok(run) && samples_are_kept(run) &&
                        samples_read(run, &samples, NULL) == STATUS_OK;
        if (readable) {
            samples_free(&samples);
            return run;
        }
    }
    return NULL;
}

static char *stem_of(const struct run *run)
{
    char stem[PATH_SIZE];
    snprintf(stem, sizeof stem, "class-token-%s-", run_id(run));
    return strdup(stem);
}

static enum status draw_variants(const struct picture *picture, const char *folder,
                                 struct error *err)
{
    bool drawn;
    char stem[PATH_SIZE];
    snprintf(stem, sizeof stem, "class-token-%s-", run_id(picture->run[0]));
    return figure_variants(picture->run, picture->n_run, folder, stem, &drawn, err);
}

/* The runs of the first one's seed, a row each, the first of them in front. */
static const struct run **runs_of_seed(const struct group *setting, const struct run *first,
                                       size_t *n)
{
    struct groups cells = groups_by(setting, FACTOR_BIT(VARIANT) | FACTOR_BIT(CELL));
    const struct run **run = calloc(cells.n_group + 1, sizeof *run);
    *n = 0;
    for (size_t i = 0; run && i < cells.n_group; i++) {
        const struct run *same_seed = group_find_seed(&cells.group[i], run_seed(first));
        if (same_seed) {
            run[(*n)++] = same_seed;
        }
    }
    groups_free(&cells);
    return run;
}

/* A picture drawn elsewhere: only its address is told. */
static enum status draw_nothing(const struct picture *picture, const char *folder,
                                struct error *err)
{
    (void)picture, (void)folder, (void)err;
    return STATUS_OK;
}

static struct picture *picture_of(const struct group *setting, const struct run *first,
                                  const char *title, const char *name, bool draws)
{
    struct picture *picture = calloc(1, sizeof *picture);
    char *stem = stem_of(first), file[PATH_SIZE];
    if (picture && stem) {
        snprintf(file, sizeof file, "%s%s", stem, name);
        picture->title = strdup(title);
        picture->name = strdup(file);
        picture->run = runs_of_seed(setting, first, &picture->n_run);
        picture->draw = draws ? draw_variants : draw_nothing;
    }
    free(stem);
    return picture;
}

void say_class_token(struct document *document, const struct group *setting)
{
    const struct run *first = first_with_samples(setting);
    if (!first) {
        return;
    }
    const struct config *config = run_config(first);
    document_paragraph(
        document, TONE_PLAIN,
        "What the class token sees of the same test images (seed %lld), a variant a column: "
        "attention rollout (Abnar and Zuidema, arXiv 2005.00928) through all layers. A rollout "
        "keeps half of a token in each layer, so that uniform attention in every layer gives a "
        "patch %.4f of the whole; that, not 1/T, is 1 on its scale.",
        run_seed(first), rollout_uniform(config->n_layer, config->seq_len));
    document_picture(document,
                     picture_of(setting, first,
                                "Attention rollout from the class token, a variant a column",
                                "rollout", true));
    document_begin(document, GROUP_FOLD, NULL, "Attention from the class token in the last layer");
    document_picture(document, picture_of(setting, first,
                                          "Attention from the class token in the last layer, mean "
                                          "of heads, a variant a column",
                                          "last-layer", false));
    document_end(document);
}

enum status pictures_draw_class_token(const struct frame *frame, const char *folder,
                                      size_t *n_picture, struct error *err)
{
    for (size_t i = 0; i < frame->setting.n_group; i++) {
        const struct group *setting = &frame->setting.group[i];
        const struct run *first =
            setting->run[0]->kind->has_settings ? NULL : first_with_samples(setting);
        if (!first) {
            continue;
        }
        size_t n_run;
        bool drawn = false;
        const struct run **run = runs_of_seed(setting, first, &n_run);
        char *stem = stem_of(first);
        enum status status =
            run && stem ? folder_create(folder, err) : error_memory(err, "drawing samples");
        if (status == STATUS_OK) {
            status = figure_variants(run, n_run, folder, stem, &drawn, err);
        }
        *n_picture += status == STATUS_OK && drawn ? 2 : 0;
        free(stem);
        free(run);
        TRY(status);
    }
    return STATUS_OK;
}

/* ---- confusions ---- */

#define MAX_FILE ((size_t)64 << 20)
#define MAX_CLASS 4096
#define MAX_NAME 24
#define SIDE 420.0

/* The numbers behind the n last commas of a line; names before them may hold commas. */
static bool parse_row(const char *line, size_t length, size_t n, float *row)
{
    const char *at = line + length;
    for (size_t i = n; i-- > 0;) {
        while (at > line && at[-1] != ',') {
            at--;
        }
        char *end;
        row[i] = strtof(at, &end);
        if (at == line || end == at || !(row[i] >= 0)) {
            return false;
        }
        at--;
    }
    return true;
}

static float *parse_table(const char *text, size_t n)
{
    float *count = n > 0 ? calloc(n * n, sizeof *count) : NULL;
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

/* Reads a run's counts [n,n], true classes down. Caller frees. NULL where there are none. */
static float *read_confusion(const struct run *run, size_t *n_class)
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
    float *count = parse_table(text, n);
    free(text);
    *n_class = count ? n : 0;
    return count;
}

/* A row is one true class, so rows are coloured as shares that add up to 1: classes of different
 * size look alike, and a good model is a bright diagonal. */
static float *shares_of(const float *count, size_t n)
{
    float *share = calloc(n * n + 1, sizeof *share);
    for (size_t row = 0; share && row < n; row++) {
        double sum = 0;
        for (size_t c = 0; c < n; c++) {
            sum += count[row * n + c];
        }
        for (size_t c = 0; c < n; c++) {
            share[row * n + c] = sum > 0 ? (float)(count[row * n + c] / sum) : NAN;
        }
    }
    return share;
}

static void label_classes(struct sheet *sheet, const struct run *run, size_t n)
{
    const struct run_data *data = &run->record.data;
    sheet->label = calloc(n + 1, sizeof *sheet->label);
    sheet->n_label = sheet->label ? n : 0;
    sheet->failed |= !sheet->label;
    for (size_t i = 0; i < sheet->n_label; i++) {
        if (data->class_name && i < data->n_class && data->class_name[i]) {
            sheet_text(sheet, &sheet->label[i], "%.*s", MAX_NAME - 1, data->class_name[i]);
        } else {
            sheet_text(sheet, &sheet->label[i], "%zu", i);
        }
    }
}

static struct sheet *confusion_sheet(const struct run *run, float *count, size_t n)
{
    const struct config *config = run_config(run);
    char title[2 * VARIANT_TEXT_SIZE];
    snprintf(title, sizeof title, "%s, %s", run_task_title(run), run->variant_name);
    struct sheet *sheet = sheet_create(title, 1, 1);
    if (!sheet || sheet->failed) {
        free(count);
        return sheet;
    }
    struct sheet_panel *panel = sheet_panel_at(sheet, 0, 0);
    panel->n = n;
    panel->number = count;
    panel->value = shares_of(count, n);
    panel->tag =
        facets_tag((struct facets){(int)run->level[FACTOR_TASK], (int)run->level[FACTOR_VARIANT],
                                   (int)run->level[FACTOR_SETTING], FACET_ANY});
    sheet->failed |= !panel->value;
    sheet->side = SIDE;
    sheet_text(sheet, &sheet->alt, "Confusions of %s, seed %lld", run->variant_name, run_seed(run));
    sheet_text(sheet, &sheet->name, "confusion-%s", run_id(run));
    sheet_text(sheet, &panel->folder, "%s", run_id(run));
    sheet_text(sheet, &sheet->subtitle,
               "d %zu, L %zu, H %zu, %zu tokens, seed %lld: top-1 %.4f on the test images",
               config->n_embd, config->n_layer, config->n_head, config->seq_len, run_seed(run),
               run->measure[MEASURE_TOP1]);
    sheet_text(sheet, &sheet->right, "predicted class");
    sheet_text(sheet, &sheet->down, "true class");
    sheet_text(sheet, &sheet->scale_title, "share of the true class");
    label_classes(sheet, run, n);
    return sheet;
}

static const struct run *first_finished(const struct group *group)
{
    for (size_t i = 0; i < group->n_run; i++) {
        if (run_is_ok(group->run[i])) {
            return group->run[i];
        }
    }
    return NULL;
}

void say_confusions(struct document *document, const struct group *setting)
{
    struct groups cells = groups_by(setting, FACTOR_BIT(VARIANT) | FACTOR_BIT(CELL));
    document->failed |= cells.failed;
    document_begin(document, GROUP_FOLD, NULL, "Confusions of one run a row");
    for (size_t i = 0; i < cells.n_group; i++) {
        const struct run *run = first_finished(&cells.group[i]);
        size_t n = 0;
        float *count = run ? read_confusion(run, &n) : NULL;
        if (count) {
            document_sheet(document, confusion_sheet(run, count, n));
        }
    }
    document_end(document);
    groups_free(&cells);
}
