#include "report/content/measure_table.h"

#include <math.h>

#include "report/content/values.h"
#include "report/frame/sizes.h"

struct frame_of_table {
    struct groups rows, tasks, cells;
    struct sizes sizes;
    unsigned extras;
};

static void add_columns(struct table *table, const struct frame_of_table *frame)
{
    struct column variant = column_variant();
    table_column(table, &variant);
    if (frame->extras & WITH_SETTINGS) {
        sizes_columns(&frame->sizes, table);
    }
    for (size_t i = 0; i < frame->tasks.n_group; i++) {
        const struct group *task = &frame->tasks.group[i];
        struct facets facets = FACETS_ANY;
        facets.task = (int)task->level[FACTOR_TASK];
        struct column column = column_of(run_task_title(task->run[0]), NULL, facets);
        table_column(table, &column);
    }
    if (frame->extras & WITH_AVERAGE) {
        table_column(table, &(struct column){.title = "Avg."});
    }
    if (frame->extras & WITH_PARAMETERS) {
        table_column(table, &(struct column){.title = "parameters"});
    }
}

static void add_row(struct table *table, const struct frame_of_table *frame,
                    const struct group *row, enum measure measure)
{
    double sum = 0;
    table_row(table, facets_tag(group_facets(row)), false);
    table_text(table, row->run[0]->variant_name);
    if (frame->extras & WITH_SETTINGS) {
        sizes_cells(&frame->sizes, table, row);
    }
    for (size_t i = 0; i < frame->tasks.n_group; i++) {
        const struct group *cell = groups_beside(&frame->cells, row, FACTOR_TASK,
                                                 frame->tasks.group[i].level[FACTOR_TASK]);
        value_measure(table, cell, measure);
        sum += group_stats(cell, measure).mean;
    }
    if (frame->extras & WITH_AVERAGE) {
        value_number(table, sum / (double)frame->tasks.n_group, measure_row(measure)->decimals);
    }
    if (frame->extras & WITH_PARAMETERS) {
        table_integer(table, row->run[0]->record.n_param);
    }
}

struct table *measure_table(const struct group *of, enum measure measure, unsigned extras)
{
    unsigned row = FACTOR_BIT(VARIANT) | (extras & WITH_SETTINGS ? FACTOR_BIT(SETTING) : 0);
    struct frame_of_table frame = {.rows = groups_by(of, row),
                                   .tasks = groups_by(of, FACTOR_BIT(TASK)),
                                   .cells = groups_by(of, row | FACTOR_BIT(TASK)),
                                   .sizes = sizes_of(of),
                                   .extras = extras};
    struct table *table = table_create(NULL, 0);
    add_columns(table, &frame);
    for (size_t i = 0; i < frame.rows.n_group; i++) {
        add_row(table, &frame, &frame.rows.group[i], measure);
    }
    return table;
}
