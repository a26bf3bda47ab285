/* gaps: the gap to the reference by size: as pictures for the text, and for the page as a plot that
 * its reader makes.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/content/topics.h"
#include "report/content/values.h"
#include "report/frame/sizes.h"
#include "report/statistics/gap.h"

#define LEAST_RANGE 0.05 /* a hair's breadth must not look like a gap */
#define MAX_VALUE 24     /* a panel has room for no more */

/* ---- pictures ---- */

static const enum measure drawn[] = {MEASURE_TOKEN_ACCURACY, MEASURE_MEAN_TRAIN_LOSS};

struct lines {
    struct gap_line *line; /* [n] by task, variant and size; each has points */
    size_t n;
    double low, high; /* of all values, and at least LEAST_RANGE around 0 */
    bool failed;
};

static void keep_line(struct lines *lines, struct gap_line *line)
{
    struct stats values = stats_of(line->difference, line->n_combination * line->n_point);
    lines->low = fmin(lines->low, values.min);
    lines->high = fmax(lines->high, values.max);
    lines->n++;
}

static struct lines make_lines(const struct pairs *pairs, enum measure measure)
{
    struct lines lines = {.line = calloc(pairs->n_paired * SIZE_COUNT + 1, sizeof *lines.line),
                          .low = -LEAST_RANGE,
                          .high = LEAST_RANGE};
    lines.failed = !lines.line;
    for (size_t i = 0; !lines.failed && i < pairs->n_paired; i++) {
        const struct paired *paired = &pairs->paired[i];
        for (int size = 0; paired->run->kind->has_settings && size < SIZE_COUNT; size++) {
            struct gap_line *line = &lines.line[lines.n];
            lines.failed |= gap_make(paired, measure, (enum size)size, line, NULL) != STATUS_OK;
            if (line->n_point > 0 && line->n_point <= MAX_VALUE) {
                keep_line(&lines, line);
            } else {
                gap_free(line);
            }
        }
    }
    return lines;
}

static void free_lines(struct lines *lines)
{
    for (size_t i = 0; i < lines->n; i++) {
        gap_free(&lines->line[i]);
    }
    free(lines->line);
}

static bool has_size(const struct lines *lines, enum size size)
{
    for (size_t i = 0; i < lines->n; i++) {
        if (lines->line[i].size == size) {
            return true;
        }
    }
    return false;
}

static void add_line(struct plot *plot, const struct gap_line *line)
{
    const struct run *run = line->paired->run;
    plot_series(plot, run->variant_name, run->level[FACTOR_VARIANT], MARK_DOTS, line->value,
                line->mean, line->n_point);
    for (size_t k = 0; k < line->n_combination; k++) {
        plot_single(plot, line->difference + k * line->n_point);
    }
}

static size_t task_of(const struct gap_line *line)
{
    return line->paired->run->level[FACTOR_TASK];
}

/* A row of panels for the task of lines[first], one for each size that any task has. */
static void add_task(struct plot *plot, const struct lines *lines, size_t first)
{
    const char *title = run_task_title(lines->line[first].paired->run);
    double margin = 0.06 * (lines->high - lines->low);
    for (int size = 0; size < SIZE_COUNT; size++) {
        if (!has_size(lines, (enum size)size)) {
            continue;
        }
        struct panel *panel = plot_panel(plot, title, size_title((enum size)size), NULL);
        title = NULL; /* it is the row's */
        if (panel) {
            panel->x.discrete = true;
            panel->y.sign = true;
            panel->y.low = lines->low - margin;
            panel->y.high = lines->high + margin;
        }
        for (size_t i = first;
             i < lines->n && task_of(&lines->line[i]) == task_of(&lines->line[first]); i++) {
            if (lines->line[i].size == (enum size)size) {
                add_line(plot, &lines->line[i]);
            }
        }
        plot_rule(plot, 0, false, NULL);
    }
}

static struct plot *gap_plot(const struct pairs *pairs, enum measure measure,
                             struct document *document)
{
    struct lines lines = make_lines(pairs, measure);
    char title[128];
    snprintf(title, sizeof title, "Gap to the baseline in %s, by size",
             measure_row(measure)->title);
    struct plot *plot = plot_create(title);
    document->failed |= lines.failed || !plot;
    plot_subtitle(plot,
                  "Variant minus baseline with the same configuration and seed. Dot: a combination "
                  "of the other sizes, mean over seeds; line: the mean of the dots.\n"
                  "Only combinations that the variant has at every value of the size; one scale "
                  "for all panels.");
    plot_name(plot, "gap-%s", measure_row(measure)->key);
    if (plot) {
        plot->share_y = true;
        plot->n_column = 0;
        for (int size = 0; size < SIZE_COUNT; size++) {
            plot->n_column += has_size(&lines, (enum size)size);
        }
    }
    for (size_t i = 0; plot && i < lines.n; i++) {
        if (i == 0 || task_of(&lines.line[i]) != task_of(&lines.line[i - 1])) {
            add_task(plot, &lines, i);
        }
    }
    free_lines(&lines);
    if (plot && plot->n_panel == 0) {
        plot_free(plot);
        return NULL;
    }
    return plot;
}

void say_gaps(struct document *document, const struct material *material)
{
    for (size_t i = 0, n_told = 0; material->n_part > 1 && i < sizeof drawn / sizeof *drawn; i++) {
        struct plot *plot = gap_plot(&material->all.pairs, drawn[i], document);
        if (!plot) {
            continue;
        }
        if (n_told++ == 0) {
            document_heading(document, 2, "The gap to the baseline by size");
            document_paragraph(document, TONE_PLAIN,
                               "One size changes along an axis, and a point is a mean over the "
                               "same combinations of the other sizes; combinations that were not "
                               "run at every value are left out. A gap that closes at one end may "
                               "mean that both solve the task there, or that neither learns it: "
                               "the tables by setting tell which.");
        }
        document_plot(document, plot);
    }
}

/* ---- the page ---- */

static const enum measure chosen[] = {MEASURE_TOKEN_ACCURACY, MEASURE_TOP1, MEASURE_MEAN_TRAIN_LOSS,
                                      MEASURE_ESCAPE_STEP, MEASURE_REACHES_90};
#define N_CHOSEN (sizeof chosen / sizeof *chosen)
enum { VARIANT_COLUMN, TASK_COLUMN, PROCEDURE_COLUMN, N_NAME }; /* in front of the sizes */

/* Which of the procedures met so far a run has, from 1. */
struct procedures {
    char **text; /* [n] */
    size_t n;
};

static size_t procedure_of(struct procedures *procedures, const struct run *run)
{
    struct text text = {0};
    size_t i = 0;
    gap_append_procedure(run, &text);
    while (i < procedures->n && text.data && strcmp(procedures->text[i], text.data) != 0) {
        i++;
    }
    if (i == procedures->n && text.data) {
        procedures->text[procedures->n++] = text.data;
        return i + 1;
    }
    text_free(&text);
    return i + 1;
}

static void add_row(struct table *table, const struct group *cell, const struct group *reference,
                    size_t procedure)
{
    table_row(table, facets_tag(group_facets(cell)), false);
    table_text(table, cell->run[0]->variant_name);
    table_text(table, run_task_title(cell->run[0]));
    table_integer(table, (long long)procedure);
    for (int size = 0; size < SIZE_COUNT; size++) {
        table_integer(table, (long long)size_of(cell, (enum size)size));
    }
    for (size_t i = 0; i < N_CHOSEN; i++) {
        struct stats gap = group_difference(cell, reference, chosen[i]);
        table_number(table, gap.mean);
        table_number(table, gap.min);
        table_number(table, gap.max);
    }
}

static struct table *gap_table(const struct group *all)
{
    static const struct column columns[] = {
        {.title = "variant"}, {.title = "task"}, {.title = "procedure"}};
    struct groups cells =
        groups_by(all, FACTOR_BIT(TASK) | FACTOR_BIT(VARIANT) | FACTOR_BIT(SETTING));
    struct procedures procedures = {.text = calloc(cells.n_group + 1, sizeof *procedures.text)};
    struct table *table = procedures.text ? table_create(columns, N_NAME) : NULL;
    for (int size = 0; size < SIZE_COUNT; size++) {
        table_column(table, &(struct column){.title = size_title((enum size)size)});
    }
    for (size_t i = 0; i < N_CHOSEN; i++) {
        table_column(table, &(struct column){.title = measure_row(chosen[i])->title,
                                             .decimals = measure_row(chosen[i])->decimals});
        table_column(table, &(struct column){.title = "lowest"});
        table_column(table, &(struct column){.title = "highest"});
    }
    for (size_t i = 0; table && i < cells.n_group; i++) {
        const struct group *cell = &cells.group[i], *reference = group_reference(&cells, cell);
        if (reference) {
            add_row(table, cell, reference, procedure_of(&procedures, cell->run[0]));
        }
    }
    for (size_t i = 0; i < procedures.n; i++) {
        free(procedures.text[i]);
    }
    free(procedures.text);
    return table;
}

/* Within a task, whose rows stand together: sizes that differ between tasks alone are no scaling.
 */
static bool column_varies(const struct table *table, size_t column)
{
    for (size_t row = 1; row < table_n_row(table); row++) {
        bool same_task = strcmp(table_cell_at(table, row, TASK_COLUMN)->text,
                                table_cell_at(table, row - 1, TASK_COLUMN)->text) == 0;
        if (same_task && table_cell_at(table, row, column)->number !=
                             table_cell_at(table, row - 1, column)->number) {
            return true;
        }
    }
    return false;
}

static bool column_filled(const struct table *table, size_t column)
{
    for (size_t row = 0; row < table_n_row(table); row++) {
        if (table_cell_at(table, row, column)->type == CELL_NUMBER) {
            return true;
        }
    }
    return false;
}

static struct pivot *pivot_of(struct table *table)
{
    struct pivot *pivot = calloc(1, sizeof *pivot);
    size_t *list = calloc(SIZE_COUNT + N_CHOSEN + 1, sizeof *list);
    if (!pivot || !list) {
        table_free(table);
        free(pivot);
        free(list);
        return NULL;
    }
    *pivot = (struct pivot){.table = table,
                            .x = list,
                            .y = malloc((N_CHOSEN + 1) * sizeof *pivot->y),
                            .fixed = malloc(sizeof *pivot->fixed),
                            .line = VARIANT_COLUMN,
                            .panel = TASK_COLUMN};
    for (size_t i = 0; i < SIZE_COUNT; i++) {
        if (column_varies(table, N_NAME + i)) {
            pivot->x[pivot->n_x++] = N_NAME + i;
        }
    }
    for (size_t i = 0; pivot->y && i < N_CHOSEN; i++) {
        size_t column = N_NAME + SIZE_COUNT + 3 * i;
        if (column_filled(table, column)) {
            pivot->y[pivot->n_y++] = column;
        }
    }
    if (pivot->fixed && column_varies(table, PROCEDURE_COLUMN)) {
        pivot->fixed[pivot->n_fixed++] = PROCEDURE_COLUMN;
    }
    return pivot;
}

void say_scaling(struct document *document, const struct material *material)
{
    struct table *table = gap_table(&material->frame->all);
    bool varies = false;
    for (size_t i = 0; i < SIZE_COUNT; i++) {
        varies |= table_n_row(table) > 0 && column_varies(table, N_NAME + i);
    }
    if (!varies) {
        table_free(table);
        return;
    }
    document_begin(document, GROUP_SECTION, "scaling", "Scaling");
    document_paragraph(document, TONE_PLAIN,
                       "A variant minus the baseline with the same seed, mean over seeds; the bar "
                       "reaches from the lowest to the highest seed; of steps over the seeds in "
                       "which both got there. One size changes, all others are fixed: nothing is "
                       "averaged over settings. A gap that closes may mean that both solve the "
                       "task there, or that neither learns it.");
    document_pivot(document, pivot_of(table), "Difference in");
    document_end(document);
}
