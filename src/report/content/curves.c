/* curves: learning curves and the accuracies of single runs, as plots: a panel a task, a line (or a
 * row) a variant. The thick line is the mean over seeds; single seeds are kept, because seeds leave
 * the plateau at different steps and a band would hide that.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "lab/record/record.h"
#include "report/content/part.h"
#include "report/content/topics.h"
#include "report/content/values.h"

#define MAX_EPOCH_FILE ((size_t)64 << 20)

/* ---- curves by step ---- */

struct curve_kind {
    const char *title, *y_title;
    const double *(*line)(const struct run *run); /* [run->n_curve], NULL: none */
    bool of_loss;
};

static const double *loss_of(const struct run *run)
{
    return run->curve;
}

static const double *accuracy_of(const struct run *run)
{
    return run->curve_accuracy;
}

static const struct curve_kind kinds[] = {
    {"Training loss by step", "training loss", loss_of, true},
    {"Training accuracy by step", "training accuracy", accuracy_of, false},
};
#define N_KIND (sizeof kinds / sizeof *kinds)

/* Adds a line from the mean, lowest and highest of a cell's n_line lines [n] at first, first + 1,
 * ...
 */
static void add_lines(struct plot *plot, const struct group *cell, const double *const *line,
                      size_t n_line, size_t n, size_t first)
{
    const struct run *run = cell->run[0];
    struct series *series = n_line == 0
                                ? NULL
                                : plot_series(plot, run->variant_name, run->level[FACTOR_VARIANT],
                                              MARK_LINE, NULL, NULL, n);
    if (!series) {
        return;
    }
    series->tag = facets_tag(group_facets(cell));
    plot_band(plot, NULL, NULL);
    for (size_t i = 0; !plot->failed && i < n; i++) {
        struct stats stats = STATS_NONE;
        for (size_t k = 0; k < n_line; k++) {
            stats_add(&stats, line[k][i]);
        }
        series->x[i] = (double)(first + i);
        series->y[i] = stats.mean;
        series->low[i] = stats.min;
        series->high[i] = stats.max;
    }
}

/* Up to the steps that all of a cell's runs made. */
static void add_cell(struct plot *plot, const struct group *cell, const struct curve_kind *kind)
{
    const double **line = calloc(cell->n_run + 1, sizeof *line);
    size_t n = SIZE_MAX, n_line = 0;
    plot->failed |= !line;
    for (size_t i = 0; line && i < cell->n_run; i++) {
        const struct run *run = cell->run[i];
        if (run_is_ok(run) && run->n_curve > 0 && kind->line(run)) {
            line[n_line++] = kind->line(run);
            n = run->n_curve < n ? run->n_curve : n;
        }
    }
    add_lines(plot, cell, line, n_line, n, 0);
    for (size_t i = 0; n_line > 1 && i < n_line; i++) {
        plot_single(plot, line[i]);
    }
    free(line);
}

/* The scale of a picture holds every mean and the chance line; single seeds may leave it. */
static double highest_mean(const struct plot *plot)
{
    double highest = 0;
    for (size_t i = 0; i < plot->n_panel; i++) {
        const struct panel *panel = &plot->panel[i];
        for (size_t k = 0; k < panel->n_series; k++) {
            for (size_t step = 0; step < panel->series[k].n; step++) {
                double value = panel->series[k].y[step];
                highest = isfinite(value) ? fmax(highest, value) : highest;
            }
        }
        for (size_t k = 0; k < panel->n_rule; k++) {
            highest = fmax(highest, panel->rule[k].at);
        }
    }
    return ceil((highest + 0.05) * 4) / 4;
}

static void set_axes(struct plot *plot, const struct curve_kind *kind)
{
    double high = kind->of_loss ? highest_mean(plot) : 1.02;
    for (size_t i = 0; i < plot->n_panel; i++) {
        struct panel *panel = &plot->panel[i];
        panel->y.low = 0;
        panel->y.high = high;
        panel->y.can_log = panel->x.can_log = true;
        panel->x.low = 0;
        panel->x.whole = true;
    }
}

/* The curves of a setting, a panel a task; NULL where there is none. */
static struct plot *curves_plot(const struct group *setting, const struct curve_kind *kind)
{
    struct part part = part_make(setting);
    struct plot *plot = plot_create(kind->title);
    size_t n_series = 0;
    for (size_t task = 0; plot && task < part.tasks.n_group; task++) {
        const struct run *run = part_task(&part, task);
        struct panel *panel = plot_panel(plot, run_task_title(run), "training step", kind->y_title);
        if (panel) {
            panel->tag = facets_tag(group_facets(&part.tasks.group[task]));
        }
        for (size_t variant = 0; variant < part.variants.n_group; variant++) {
            const struct group *cell = part_cell(&part, variant, task);
            if (cell) {
                add_cell(plot, cell, kind);
            }
        }
        if (kind->of_loss) {
            char chance[48];
            snprintf(chance, sizeof chance, "chance, ln %zu", run_config(run)->task->n_answer);
            plot_rule(plot, log((double)run_config(run)->task->n_answer), false, chance);
        }
        n_series += panel && !plot->failed ? plot->panel[plot->n_panel - 1].n_series : 0;
    }
    if (plot && n_series == 0 && !plot->failed) {
        plot_free(plot);
        return NULL;
    }
    if (plot) {
        plot->share_y = true;
        plot_titles(plot, "one seed", NULL);
        set_axes(plot, kind);
    }
    return plot;
}

/* ---- accuracies of single runs ---- */

/* A run is often at chance or solved, and a mean alone would show an accuracy that none had. */
static struct plot *accuracy_plot(const struct group *setting)
{
    struct part part = part_make(setting);
    struct plot *plot = plot_create("Token accuracy on the test sequences");
    char title[SETTING_TITLE_SIZE];
    bool means = false;
    setting_title(setting->run[0], title);
    plot_subtitle(plot, "%s", title);
    for (size_t task = 0; plot && task < part.tasks.n_group; task++) {
        const struct run *run = part_task(&part, task);
        struct panel *panel = plot_panel(plot, run_task_title(run), "token accuracy", NULL);
        if (panel) {
            panel->x.low = 0;
            panel->x.high = 1;
        }
        for (size_t variant = 0; variant < part.variants.n_group; variant++) {
            const struct group *cell = part_cell(&part, variant, task);
            struct stats stats = group_stats(cell, MEASURE_TOKEN_ACCURACY);
            double at = 0;
            plot_series(plot, part_variant(&part, variant)->variant_name,
                        part_variant(&part, variant)->level[FACTOR_VARIANT], MARK_STRIP, &at,
                        &stats.mean, 1);
            for (size_t i = 0; cell && i < cell->n_run; i++) {
                if (run_is_ok(cell->run[i])) {
                    plot_single(plot, &cell->run[i]->measure[MEASURE_TOKEN_ACCURACY]);
                }
            }
            means |= stats.n > 1;
        }
        plot_rule(plot, run->floor, true, "chance, or what knowing the position alone gives");
    }
    if (plot) {
        plot->n_column = 6;
        plot_titles(plot, "one seed", means ? "mean" : NULL);
    }
    return plot;
}

/* ---- the text ---- */

static void say_pictures(struct document *document, const struct group *setting, size_t number,
                         bool curves_first, const char *words_of_accuracy,
                         const char *words_of_curves)
{
    char stem[MATERIAL_STEM_SIZE], title[SETTING_TITLE_SIZE];
    struct plot *accuracy = accuracy_plot(setting), *curves = curves_plot(setting, &kinds[0]);
    material_stem(number, stem);
    setting_title(setting->run[0], title);
    plot_subtitle(curves, "%s; %s", title,
                  group_n(setting, FACTOR_SEED) > 1 ? "thick: mean over seeds, thin: single seeds"
                                                    : "one seed");
    plot_alt(accuracy, "Token accuracy by task and variant");
    plot_name(accuracy, "%saccuracy", stem);
    plot_name(curves, "%scurves", stem);
    for (int i = 0; i < 2; i++) {
        bool is_curves = (i == 0) == curves_first;
        const char *words = is_curves ? words_of_curves : words_of_accuracy;
        if (is_curves && !curves) {
            continue;
        }
        if (words) {
            document_heading(document, 3, is_curves ? "Learning curves" : "Token accuracy");
            document_paragraph(document, TONE_PLAIN, "%s", words);
        }
        document_plot(document, is_curves ? curves : accuracy);
    }
}

static const char *chance_of(const struct group *setting, char text[32])
{
    snprintf(text, 32, "ln %zu", run_config(setting->run[0])->task->n_answer);
    return text;
}

void say_curves_of_part(struct document *document, const struct material *material, size_t number)
{
    const struct group *part = material->part[number].group;
    char words[512], chance[32];
    snprintf(words, sizeof words,
             "Training loss of every step. The dotted line is chance, %s: a variant that stays on "
             "it has learned nothing yet. All variants see the same batches, so what differs is "
             "when they leave it. With a fixed number of steps, accuracy mostly measures that "
             "moment.",
             chance_of(part, chance));
    say_pictures(document, part, number, false,
                 "A ring is one seed, the bar the mean of several; the dashed line is chance, or "
                 "what a predictor reaches that knows only the position. A run is often still on "
                 "its way when training ends: look at the rings before the mean.",
                 words);
}

/* Where not every setting has a part, one of each sequence length has pictures. */
void say_some_curves(struct document *document, const struct material *material)
{
    for (size_t i = 0, n_told = 0; !material_tells_parts(material) && i < material->n_part; i++) {
        char title[SETTING_TITLE_SIZE], chance[32];
        if (!material_draws(material, i)) {
            continue;
        }
        if (n_told++ == 0) {
            document_heading(document, 2, "Curves and accuracies of single settings");
            document_paragraph(document, TONE_PLAIN,
                               "One setting for each sequence length. The dotted line of a curve "
                               "is chance, %s. A ring of the accuracies is one seed, the bar the "
                               "mean; their dashed line is chance, or what the position alone "
                               "gives. The curves of every setting are in "
                               "[report.html](report.html).",
                               chance_of(material->part[i].group, chance));
        }
        setting_title(material->part[i].group->run[0], title);
        document_heading(document, 3, "%s (setting %zu)", title, i + 1);
        say_pictures(document, material->part[i].group, i, true, NULL, NULL);
    }
}

/* ---- images: by epoch ---- */

static const struct {
    enum epoch_number number;
    const char *title;
} epoch_panels[] = {{EPOCH_TEST_TOP1, "test top-1"},
                    {EPOCH_TRAIN_TOP1, "training top-1"},
                    {EPOCH_TEST_LOSS, "test loss"},
                    {EPOCH_TRAIN_LOSS, "training loss"}};
#define N_EPOCH_PANEL (sizeof epoch_panels / sizeof *epoch_panels)

/* Reads a number of every epoch of a run's epochs.csv. Caller frees. NULL where there is none. */
static double *read_epochs(const struct run *run, enum epoch_number number, size_t *n)
{
    char path[PATH_SIZE], *text;
    size_t size, n_line = 0;
    *n = 0;
    if (!run_is_ok(run) || path_format(path, NULL, "%s/epochs.csv", run->folder) != STATUS_OK ||
        !file_exists(path) || file_read(path, MAX_EPOCH_FILE, &text, &size, NULL) != STATUS_OK) {
        return NULL;
    }
    for (const char *c = text; *c; c++) {
        n_line += *c == '\n';
    }
    double *value = calloc(n_line + 1, sizeof *value);
    const char *line = strchr(text, '\n');
    while (value && line && line[1]) {
        const char *field = line + 1;
        for (size_t i = 0; field && i <= number; i++) {
            field = strpbrk(field, ",\n");
            field = field && *field == ',' ? field + 1 : NULL;
        }
        char *end = (char *)field;
        double here = field ? strtod(field, &end) : NAN;
        value[(*n)++] = field && end > field ? here : NAN;
        line = strchr(line + 1, '\n');
    }
    free(text);
    return value;
}

static void add_epochs(struct plot *plot, const struct group *cell, enum epoch_number number)
{
    double **line = calloc(cell->n_run + 1, sizeof *line);
    size_t n = SIZE_MAX, n_line = 0;
    plot->failed |= !line;
    for (size_t i = 0; line && i < cell->n_run; i++) {
        size_t here;
        double *value = read_epochs(cell->run[i], number, &here);
        if (value && here > 0) {
            line[n_line++] = value;
            n = here < n ? here : n;
        } else {
            free(value);
        }
    }
    add_lines(plot, cell, (const double *const *)line, n_line, n, 1);
    for (size_t i = 0; i < n_line; i++) {
        free(line[i]);
    }
    free(line);
}

static void say_epochs(struct document *document, const struct group *setting)
{
    char title[SETTING_TITLE_SIZE];
    struct groups cells = groups_by(setting, FACTOR_BIT(VARIANT) | FACTOR_BIT(CELL));
    setting_title(setting->run[0], title);
    struct plot *plot = plot_create(title);
    for (size_t i = 0; plot && i < N_EPOCH_PANEL; i++) {
        struct panel *panel =
            plot_panel(plot, epoch_panels[i].title, "epoch", epoch_panels[i].title);
        if (panel) {
            panel->x.whole = true;
            panel->tag = facets_tag(group_facets(setting));
        }
        for (size_t k = 0; k < cells.n_group; k++) {
            add_epochs(plot, &cells.group[k], epoch_panels[i].number);
        }
    }
    if (plot && (plot->failed || plot->panel[0].n_series + plot->panel[3].n_series > 0)) {
        document_plot(document, plot);
    } else {
        plot_free(plot);
    }
}

/* ---- the page ---- */

/* Where values are read by pointer, losses are best seen on a scale of each panel's own. */
static void say_kind(struct document *document, const struct group *setting,
                     const struct curve_kind *kind)
{
    struct plot *plot = curves_plot(setting, kind);
    for (size_t i = 0; plot && kind->of_loss && i < plot->n_panel; i++) {
        plot->panel[i].y.low = plot->panel[i].y.high = NAN;
    }
    if (plot) {
        plot->share_y = !kind->of_loss;
        document_begin(document, GROUP_OPTION, NULL, "%s", kind->y_title);
        document_plot(document, plot);
        document_end(document);
    }
}

static void say_setting(struct document *document, const struct group *setting)
{
    document_begin(document, GROUP_CHOICE, NULL, "Show");
    for (size_t i = 0; i < N_KIND; i++) {
        say_kind(document, setting, &kinds[i]);
    }
    document_end(document);
}

void say_curves(struct document *document, const struct material *material)
{
    const struct groups *settings = &material->frame->setting;
    document_begin(document, GROUP_SECTION, "curves", "Curves");
    document_paragraph(document, TONE_PLAIN,
                       "Training loss of every step, or the accuracy of the training batches. The "
                       "dotted line is a loss at chance: a variant that stays on it has learned "
                       "nothing yet. All variants see the same batches, so what differs is when "
                       "they leave it. Point at a panel, or focus it and press the arrow keys, to "
                       "read the values.");
    document_begin(document, GROUP_CHOICE, NULL, "Setting");
    for (size_t i = 0; i < settings->n_group; i++) {
        const struct group *setting = &settings->group[i];
        char name[SETTING_NAME_SIZE];
        setting_name(material->frame, setting, name);
        document_begin(document, GROUP_OPTION, NULL, "%s, %zu steps", name, group_n_step(setting));
        document_group_tag(document, facets_tag(group_facets(setting)));
        say_setting(document, setting);
        if (!setting->run[0]->kind->has_settings) {
            say_epochs(document, setting);
        }
        document_end(document);
    }
    document_end(document);
    document_end(document);
}
