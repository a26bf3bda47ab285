/* Cells come sorted by data set and configuration, so the section is one walk over them. */
#include "report/text/image_runs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/folder.h"
#include "base/path.h"
#include "base/text.h"
#include "lab/config/config.h"
#include "report/figures/figure_variants.h"
#include "report/runs/confusion.h"
#include "report/runs/rollout.h"
#include "report/runs/samples.h"
#include "report/statistics/published_images.h"
#include "report/text/tables.h"

#define SINGLE_EMBD 64
#define SINGLE_LAYER 2
#define SINGLE_PATCH "4"

static const struct run *first_finished(const struct cell *cell)
{
    for (size_t i = 0; i < cell->n_run; i++) {
        if (run_is_ok(&cell->run[i])) {
            return &cell->run[i];
        }
    }
    return NULL;
}

static enum status confusion_path(const struct run *run, const char *folder, char path[PATH_SIZE],
                                  struct error *err)
{
    return path_format(path, err, "%s/confusion-%s.png", folder, run->id);
}

static bool same_setting(const struct cell *a, const struct cell *b)
{
    return a->run->dataset == b->run->dataset &&
           strcmp(a->run->setting_key, b->run->setting_key) == 0;
}

/* The end of the table that begins with a cell. */
static size_t table_end(const struct run_set *set, size_t first)
{
    size_t end = first;
    while (end < set->n_image_cell &&
           same_setting(&set->image_cell[first], &set->image_cell[end])) {
        end++;
    }
    return end;
}

/* ---- what the models look at ---- */

/* The first run of a table whose samples can be drawn. */
static const struct run *first_with_samples(const struct cell *cell, size_t n_cell)
{
    for (size_t i = 0; i < n_cell; i++) {
        for (size_t k = 0; k < cell[i].n_run; k++) {
            const struct run *run = &cell[i].run[k];
            struct samples samples;
            bool readable = run_is_ok(run) && samples_are_kept(run) &&
                            samples_read(run, &samples, NULL) == STATUS_OK;
            if (readable) {
                samples_free(&samples);
                return run;
            }
        }
    }
    return NULL;
}

static void attention_stem(const struct run *run, char stem[PATH_SIZE])
{
    snprintf(stem, PATH_SIZE, "class-token-%s-", run->id);
}

static enum status draw_attention(const struct cell *cell, size_t n_cell, const char *folder,
                                  size_t *n_picture, struct error *err)
{
    const struct run *first = first_with_samples(cell, n_cell);
    const struct run **run = calloc(n_cell, sizeof(*run));
    enum status status = STATUS_OK;
    if (!run) {
        status = error_memory(err, "drawing samples");
    } else if (first) {
        char stem[PATH_SIZE];
        size_t n_run = 0;
        bool drawn;
        for (size_t i = 0; i < n_cell; i++) {
            const struct run *same_seed = cell_find_seed(&cell[i], first->seed);
            if (same_seed) {
                run[n_run++] = same_seed;
            }
        }
        attention_stem(first, stem);
        status = folder_create(folder, err);
        if (status == STATUS_OK) {
            status = figure_variants(run, n_run, folder, stem, &drawn, err);
            *n_picture += status == STATUS_OK && drawn ? 2 : 0;
        }
    }
    free(run);
    return status;
}

enum status image_runs_draw_attention(const struct run_set *set, const char *folder,
                                      size_t *n_picture, struct error *err)
{
    enum status status = STATUS_OK;
    for (size_t first = 0, end; status == STATUS_OK && first < set->n_image_cell; first = end) {
        end = table_end(set, first);
        status = draw_attention(&set->image_cell[first], end - first, folder, n_picture, err);
    }
    return status;
}

static void append_attention(struct text *text, const struct cell *cell, size_t n_cell)
{
    const struct run *run = first_with_samples(cell, n_cell);
    if (!run) {
        return;
    }
    char stem[PATH_SIZE];
    attention_stem(run, stem);
    text_append(text,
                "\nWhat the class token sees of the same test images (seed %lld), a variant a "
                "column: attention rollout (Abnar and Zuidema, arXiv 2005.00928) through all "
                "layers. A rollout keeps half of a token in each layer, so that uniform attention "
                "in every layer gives a patch %.4f of the whole; that, not 1/T, is 1 on its "
                "scale.\n\n"
                "![Attention rollout from the class token, a variant a column](%srollout.png)\n\n"
                "<details><summary>Attention from the class token in the last layer</summary>\n\n"
                "![Attention from the class token in the last layer, mean of heads, a variant a "
                "column](%slast-layer.png)\n\n</details>\n",
                run->seed, rollout_uniform(run->n_layer, run->n_token), stem, stem);
}

/* ---- pictures ---- */

enum status image_runs_draw(const struct run_set *set, const char *folder, struct error *err)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < set->n_image_cell; i++) {
        const struct run *run = first_finished(&set->image_cell[i]);
        char path[PATH_SIZE];
        bool drawn;
        if (!run) {
            continue;
        }
        status = confusion_path(run, folder, path, err);
        if (status == STATUS_OK) {
            status = figure_confusion(run, path, &drawn, err);
        }
    }
    size_t n_picture = 0;
    return status == STATUS_OK ? image_runs_draw_attention(set, folder, &n_picture, err) : status;
}

/* ---- what was run ---- */

static void append_conditions(struct text *text, const struct run *run)
{
    const json_t *data = json_object_get(run->root, "data");
    char patch[RUN_TEXT_SIZE], epochs[RUN_TEXT_SIZE];
    run_config(run, "patch", patch);
    run_config(run, "epochs", epochs);
    text_append(text,
                "d %zu, %zu layers, %zu heads, patch %s (%zu tokens with the class token), %s "
                "epoch%s = %zu steps; %lld training and %lld test images.\n\n",
                run->n_embd, run->n_layer, run->n_head, patch, run->n_token, epochs,
                strcmp(epochs, "1") == 0 ? "" : "s", run->n_step,
                json_get_integer(data, "n_train", 0), json_get_integer(data, "n_test", 0));
    if (json_is_false(json_object_get(data, "published"))) {
        text_append(text,
                    "**Not the published images**: the files that were found differ from the "
                    "published ones of %s, so that the published numbers say nothing about these "
                    "runs.\n\n",
                    run->dataset->task.title);
    }
}

static bool tells_procedure(const char *key)
{
    static const char *const silent[] = {"task", "variant", "seed", "lanes", "micro_batch"};
    for (size_t i = 0; i < sizeof(silent) / sizeof(silent[0]); i++) {
        if (strcmp(silent[i], key) == 0) {
            return false;
        }
    }
    for (size_t i = 0; variant_axis_key(i); i++) {
        if (strcmp(variant_axis_key(i), key) == 0) {
            return false;
        }
    }
    return true;
}

void image_runs_append_departures(struct text *text, const struct run *run)
{
    struct config usual = config_default();
    size_t n = 0;
    if (config_set(&usual, "task", run_task_name(run), NULL) != STATUS_OK ||
        config_resolve(&usual, NULL) != STATUS_OK) {
        return;
    }
    for (size_t i = 0; config_key_at(i); i++) {
        const char *key = config_key_at(i)->name;
        char here[RUN_TEXT_SIZE], there[RUN_TEXT_SIZE];
        run_config(run, key, here);
        if (!tells_procedure(key) || strcmp(here, "-") == 0 ||
            config_value(&usual, key, there, sizeof(there), NULL) != STATUS_OK ||
            strcmp(here, there) == 0) {
            continue;
        }
        text_append(text, "%s%s %s (%s)", n++ ? ", " : "", key, here, there);
    }
}

static void append_warning(struct text *text, const struct run *run)
{
    struct text departures = {0};
    image_runs_append_departures(&departures, run);
    if (departures.size > 0) {
        text_append(text, "**Not the default procedure**: %s.\n\n", departures.data);
    }
    text->failed |= departures.failed;
    text_free(&departures);
}

/* ---- the table ---- */

static void append_header(struct text *text)
{
    text_append(text,
                "| variant | seeds | top-1 | top-5 | test loss | parameters | published top-1: "
                "paper | reproduction | single run |\n"
                "|---|---:|---:|---:|---:|---:|---:|---:|---:|\n");
}

static void append_number(struct text *text, double value, int n_decimal)
{
    if (isfinite(value)) {
        text_append(text, " _%.*f_ |", n_decimal, value);
    } else {
        text_append(text, " - |");
    }
}

static double single_run(const struct run *run)
{
    char patch[RUN_TEXT_SIZE];
    run_config(run, "patch", patch);
    bool same_size = run->n_embd == SINGLE_EMBD && run->n_layer == SINGLE_LAYER &&
                     strcmp(patch, SINGLE_PATCH) == 0;
    return same_size ? published_top1_single(run->variant_id, run->dataset->task.name, run->n_head)
                     : NAN;
}

static void append_row(struct text *text, const struct cell *cell)
{
    static const struct {
        enum measure measure;
        int n_decimal;
    } column[] = {{MEASURE_TOP1, 4}, {MEASURE_TOP5, 4}, {MEASURE_LOSS, 3}};
    const struct run *run = cell->run;
    text_append(text, "| %s | %zu |", run->variant_name, cell->n_ok);
    for (size_t i = 0; i < sizeof(column) / sizeof(column[0]); i++) {
        char value[TABLES_CELL_SIZE];
        tables_cell_text(cell, column[i].measure, column[i].n_decimal, value);
        text_append(text, " %s |", value);
    }
    text_append(text, " %zu |", run->n_param);
    for (int source = 0; source < PUBLISHED_SOURCE_COUNT; source++) {
        append_number(
            text,
            published_top1((enum published_source)source, run->variant_id, run->dataset->task.name),
            3);
    }
    append_number(text, single_run(run), 4);
    text_append(text, "\n");
}

static void append_confusions(struct text *text, const struct cell *cell, size_t n_cell)
{
    text_append(text, "\n<details><summary>Confusions of one run a row</summary>\n\n");
    for (size_t i = 0; i < n_cell; i++) {
        const struct run *run = first_finished(&cell[i]);
        size_t n_class;
        double *count = run ? confusion_read(run, &n_class) : NULL;
        if (count) {
            text_append(text, "![Confusions of %s, seed %lld](confusion-%s.png)\n\n",
                        run->variant_name, run->seed, run->id);
        }
        free(count);
    }
    text_append(text, "</details>\n\n");
}

/* ---- the section ---- */

static void append_preface(struct text *text)
{
    text_append(text,
                "## Image data sets\n\n"
                "Accuracy on the test images, with the weights after the last step; "
                "nothing was chosen by it. Mean ± sample standard deviation over seeds; fewer than "
                "%d seeds have no error bar. Published values stand in italics beside the measured "
                "ones and are in no mean:\n\n",
                STATS_BAR_MIN);
    for (int i = 0; i < PUBLISHED_SOURCE_COUNT; i++) {
        enum published_source source = (enum published_source)i;
        text_append(text, "- %s (%s): %s\n", i == 0 ? "paper" : "reproduction",
                    published_images_name(source), published_images_conditions(source));
    }
    text_append(text, "- single run (%s): %s\n\n", published_images_name(PUBLISHED_REPRODUCTION),
                published_top1_single_conditions);
}

void image_runs_append(struct text *text, const struct run_set *set)
{
    if (set->n_image_cell > 0) {
        append_preface(text);
    }
    for (size_t first = 0, end; first < set->n_image_cell; first = end) {
        const struct cell *cell = &set->image_cell[first];
        const struct run *run = first_finished(cell) ? first_finished(cell) : cell->run;
        if (first == 0 || cell[-1].run->dataset != run->dataset) {
            text_append(text, "### %s\n\n", run->dataset->task.title);
        }
        append_conditions(text, run);
        append_warning(text, run);
        append_header(text);
        end = table_end(set, first);
        for (size_t i = first; i < end; i++) {
            append_row(text, &set->image_cell[i]);
        }
        append_attention(text, cell, end - first);
        append_confusions(text, cell, end - first);
    }
}
