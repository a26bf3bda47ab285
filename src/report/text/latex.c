/* latex: the cells are those of report.md, with the plus-minus as LaTeX writes it. */
#include "report/text/latex.h"

#include <math.h>
#include <string.h>

#include "base/path.h"
#include "base/text.h"
#include "report/figures/figures.h"
#include "report/statistics/published.h"
#include "report/statistics/published_images.h"
#include "report/text/tables.h"

/* ---- texts ---- */

void latex_append_escaped(struct text *text, const char *value)
{
    static const char plus_minus[] = "\xc2\xb1";
    for (; *value; value++) {
        if (strncmp(value, plus_minus, 2) == 0) {
            text_append(text, "$\\pm$");
            value++;
        } else if (*value == '\\') {
            text_append(text, "\\textbackslash{}");
        } else if (*value == '~' || *value == '^') {
            text_append(text, "\\%c{}", *value);
        } else if (*value == '<' || *value == '>') {
            text_append(text, "$%c$", *value);
        } else if (strchr("&%$#_{}", *value)) {
            text_append(text, "\\%c", *value);
        } else {
            text_append(text, "%c", *value);
        }
    }
}

static void append_cell(struct text *text, const struct cell *cell, enum measure measure,
                        int n_decimal)
{
    char value[TABLES_CELL_SIZE];
    tables_cell_text(cell, measure, n_decimal, value);
    text_append(text, " & ");
    latex_append_escaped(text, strcmp(value, "-") == 0 ? "--" : value);
}

static void append_number(struct text *text, double value, int n_decimal)
{
    if (isfinite(value)) {
        text_append(text, " & %.*f", n_decimal, stats_shown(value, n_decimal));
    } else {
        text_append(text, " & --");
    }
}

static void begin_table(struct text *text)
{
    if (text->size == 0) {
        text_append(text, "%% Written by qkvlab report; needs \\usepackage{booktabs}.\n");
    }
    text_append(text, "\\begin{table}[t]\n\\centering\n\\caption{");
}

static void begin_columns(struct text *text, const char *label, size_t number, size_t n_column)
{
    text_append(text, "}\n\\label{tab:%s-%zu}\n\\begin{tabular}{l", label, number);
    for (size_t i = 0; i < n_column; i++) {
        text_append(text, "r");
    }
    text_append(text, "}\n\\toprule\n");
}

static void end_table(struct text *text)
{
    text_append(text, "\\bottomrule\n\\end{tabular}\n\\end{table}\n\n");
}

static void append_seeds(struct text *text, size_t n_seed)
{
    text_append(text, "%zu seed%s%s", n_seed, n_seed == 1 ? "" : "s",
                n_seed < STATS_BAR_MIN ? "" : ", mean $\\pm$ sample standard deviation");
}

/* ---- variants down, tasks across ---- */

struct layout {
    const char *caption, *label;
    enum measure measure;
    int n_decimal;
    bool average; /* a last column with the mean of the row's means */
};

static void append_task_row(struct text *text, const struct setting *setting, size_t variant,
                            const struct layout *layout)
{
    double sum = 0;
    latex_append_escaped(text, setting->variant[variant]->variant_name);
    for (size_t task = 0; task < setting->n_task; task++) {
        const struct cell *cell = setting_cell(setting, variant, task);
        append_cell(text, cell, layout->measure, layout->n_decimal);
        sum += cell_stats(cell, layout->measure).mean;
    }
    if (layout->average) {
        append_number(text, sum / (double)setting->n_task, layout->n_decimal);
    }
    text_append(text, " \\\\\n");
}

static void append_tasks(struct text *text, const struct setting *setting, size_t number,
                         const struct layout *layout)
{
    char title[SETTING_TITLE_SIZE];
    setting_title(setting, title);
    begin_table(text);
    text_append(text, "%s after %zu steps at ", layout->caption, setting->n_step);
    latex_append_escaped(text, title);
    text_append(text, "; ");
    append_seeds(text, setting->n_seed);
    text_append(text, ".");
    begin_columns(text, layout->label, number, setting->n_task + layout->average);
    text_append(text, "Variant");
    for (size_t task = 0; task < setting->n_task; task++) {
        text_append(text, " & ");
        latex_append_escaped(text, setting->task[task]->title);
    }
    text_append(text, "%s \\\\\n\\midrule\n", layout->average ? " & Avg." : "");
    for (size_t variant = 0; variant < setting->n_variant; variant++) {
        append_task_row(text, setting, variant, layout);
    }
    end_table(text);
}

static void make_tasks(const struct run_set *set, const struct layout *layout, struct text *text)
{
    for (size_t i = 0; i < set->n_setting; i++) {
        append_tasks(text, &set->setting[i], i + 1, layout);
    }
}

/* ---- averages over a grid ---- */

static void append_overview_row(struct text *text, const struct overview *overview, size_t variant)
{
    double sum = 0;
    latex_append_escaped(text, overview->variant[variant]->variant_name);
    for (size_t task = 0; task < overview->n_task; task++) {
        const struct overview_cell *cell = &overview->cell[variant * overview->n_task + task];
        double mean = cell->run ? cell->measure[MEASURE_TOKEN_ACCURACY].mean : NAN;
        append_number(text, mean, 3);
        sum += mean;
    }
    append_number(text, sum / (double)overview->n_task, 3);
    text_append(text, " \\\\\n");
}

/* With one configuration these would be the numbers of the other table. */
static void make_overview(const struct overview *overview, struct text *text)
{
    if (overview->n_configuration < 2) {
        return;
    }
    begin_table(text);
    text_append(text, "Token accuracy, mean over all runs of %zu configurations.",
                overview->n_configuration);
    begin_columns(text, "overview", 1, overview->n_task + 1);
    text_append(text, "Variant");
    for (size_t task = 0; task < overview->n_task; task++) {
        text_append(text, " & ");
        latex_append_escaped(text, run_task_title(overview->task[task]));
    }
    text_append(text, " & Avg. \\\\\n\\midrule\n");
    for (size_t variant = 0; variant < overview->n_variant; variant++) {
        append_overview_row(text, overview, variant);
    }
    end_table(text);
}

/* ---- published beside measured ---- */

static void append_published_rows(struct text *text, const struct setting *setting, size_t task)
{
    const char *name = setting->task[task]->name;
    for (size_t variant = 0; variant < setting->n_variant; variant++) {
        const struct run *run = setting->variant[variant];
        double paper = published_accuracy(PUBLISHED_PAPER, run->variant_id, name);
        double reproduction = published_accuracy(PUBLISHED_REPRODUCTION, run->variant_id, name);
        if (!isfinite(paper) && !isfinite(reproduction)) {
            continue;
        }
        latex_append_escaped(text, setting->task[task]->title);
        text_append(text, " & ");
        latex_append_escaped(text, run->variant_name);
        append_cell(text, setting_cell(setting, variant, task), MEASURE_TOKEN_ACCURACY, 3);
        append_number(text, paper, 3);
        append_number(text, reproduction, 3);
        text_append(text, " \\\\\n");
    }
}

static bool has_published(const struct setting *setting)
{
    for (size_t i = 0; i < setting->n_task * setting->n_variant; i++) {
        const char *variant = setting->variant[i / setting->n_task]->variant_id;
        const char *task = setting->task[i % setting->n_task]->name;
        if (isfinite(published_accuracy(PUBLISHED_PAPER, variant, task)) ||
            isfinite(published_accuracy(PUBLISHED_REPRODUCTION, variant, task))) {
            return true;
        }
    }
    return false;
}

static void append_published(struct text *text, const struct setting *setting, size_t number)
{
    char title[SETTING_TITLE_SIZE];
    setting_title(setting, title);
    begin_table(text);
    text_append(text, "Token accuracy at ");
    latex_append_escaped(text, title);
    text_append(text,
                " (%zu steps) beside published means over grids of other sizes: the order of "
                "the variants can be compared, not the level.",
                setting->n_step);
    begin_columns(text, "published", number, 4);
    text_append(text, "Task & Variant & Measured & ");
    latex_append_escaped(text, published_name(PUBLISHED_PAPER));
    text_append(text, " & ");
    latex_append_escaped(text, published_name(PUBLISHED_REPRODUCTION));
    text_append(text, " \\\\\n\\midrule\n");
    for (size_t task = 0; task < setting->n_task; task++) {
        append_published_rows(text, setting, task);
    }
    end_table(text);
}

/* ---- images ---- */

static bool same_setting(const struct cell *a, const struct cell *b)
{
    return a->run->dataset == b->run->dataset &&
           strcmp(a->run->setting_key, b->run->setting_key) == 0;
}

static void append_image_row(struct text *text, const struct cell *cell)
{
    const struct run *run = cell->run;
    latex_append_escaped(text, run->variant_name);
    append_cell(text, cell, MEASURE_TOP1, 4);
    append_cell(text, cell, MEASURE_TOP5, 4);
    for (int i = 0; i < PUBLISHED_SOURCE_COUNT; i++) {
        enum published_source source = (enum published_source)i;
        append_number(text, published_top1(source, run->variant_id, run->dataset->task.name), 3);
    }
    text_append(text, " \\\\\n");
}

static void make_images(const struct run_set *set, struct text *text)
{
    size_t number = 0;
    for (size_t first = 0, end; first < set->n_image_cell; first = end) {
        const struct cell *cell = &set->image_cell[first];
        begin_table(text);
        text_append(text, "Accuracy on the test images of ");
        latex_append_escaped(text, cell->run->dataset->task.title);
        text_append(text, " after %zu steps (d %zu, %zu layers, %zu heads).", cell->run->n_step,
                    cell->run->n_embd, cell->run->n_layer, cell->run->n_head);
        begin_columns(text, "images", ++number, 4);
        text_append(text, "Variant & Top-1 & Top-5 & Top-1, paper & Top-1, reproduction "
                          "\\\\\n\\midrule\n");
        for (end = first; end < set->n_image_cell && same_setting(cell, &set->image_cell[end]);
             end++) {
            append_image_row(text, &set->image_cell[end]);
        }
        end_table(text);
    }
}

/* ---- all of them ---- */

void latex_make(const struct run_set *set, const struct statistics *statistics, struct latex *latex)
{
    static const struct layout accuracy = {"Token accuracy", "accuracy", MEASURE_TOKEN_ACCURACY, 3,
                                           true};
    static const struct layout escape = {"Step at which training leaves its plateau", "escape",
                                         MEASURE_ESCAPE_STEP, 0, false};
    *latex = (struct latex){{{"table_accuracy.tex", "token accuracy", {0}},
                             {"table_escape.tex", "escape step", {0}},
                             {"table_published.tex", "published beside measured", {0}},
                             {"table_images.tex", "image data sets", {0}},
                             {"table_overview.tex", "averages over configurations", {0}}}};
    make_tasks(set, &accuracy, &latex->table[0].text);
    make_tasks(set, &escape, &latex->table[1].text);
    for (size_t i = 0; i < set->n_setting; i++) {
        if (has_published(&set->setting[i])) {
            append_published(&latex->table[2].text, &set->setting[i], i + 1);
        }
    }
    make_images(set, &latex->table[3].text);
    make_overview(&statistics->tasks, &latex->table[4].text);
}

void latex_free(struct latex *latex)
{
    for (size_t i = 0; i < LATEX_N_TABLE; i++) {
        text_free(&latex->table[i].text);
    }
}

enum status latex_write(const struct latex *latex, const char *folder, struct error *err)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < LATEX_N_TABLE; i++) {
        const struct latex_table *table = &latex->table[i];
        char path[PATH_SIZE];
        if (table->text.size == 0 && !table->text.failed) {
            continue;
        }
        status = path_format(path, err, "%s/%s", folder, table->file);
        if (status == STATUS_OK) {
            status = text_write_unsynced(&table->text, path, err);
        }
    }
    return status;
}
