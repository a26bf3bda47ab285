/* tables_settings: a measure of every setting of a grid, where averages over it hide what matters:
 * at which sizes a task is learned at all.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "report/statistics/gap.h"
#include "report/text/tables.h"

static size_t size_of(const struct setting *setting, enum gap_size size)
{
    const struct run *run = setting->run;
    const size_t value[GAP_N_SIZE] = {run->n_embd, run->n_layer, run->n_head, run->n_token,
                                      setting->n_step};
    return value[size];
}

static bool varies(const struct run_set *set, enum gap_size size)
{
    for (size_t i = 1; i < set->n_setting; i++) {
        if (size_of(&set->setting[i], size) != size_of(&set->setting[0], size)) {
            return true;
        }
    }
    return false;
}

static const char *const letter[GAP_N_SIZE] = {"d", "L", "H", "T", "steps"};

/* Appends the header of "setting" and of the sizes that vary; returns the number of columns. */
static size_t append_size_titles(struct text *text, const struct run_set *set)
{
    size_t n = 1;
    text_append(text, "| setting |");
    for (int i = 0; i < GAP_N_SIZE; i++) {
        if (varies(set, (enum gap_size)i)) {
            text_append(text, " %s |", letter[i]);
            n++;
        }
    }
    return n;
}

static void append_sizes(struct text *text, const struct run_set *set, size_t setting)
{
    text_append(text, "| %zu |", setting + 1);
    for (int i = 0; i < GAP_N_SIZE; i++) {
        if (varies(set, (enum gap_size)i)) {
            text_append(text, " %zu |", size_of(&set->setting[setting], (enum gap_size)i));
        }
    }
}

static void append_rule(struct text *text, size_t n_column)
{
    text_append(text, "\n|");
    for (size_t i = 0; i < n_column; i++) {
        text_append(text, "---:|");
    }
    text_append(text, "\n");
}

static const struct cell *cell_of(const struct setting *setting, const struct run *variant,
                                  const struct task *task)
{
    size_t row = setting_find_variant(setting, variant->variant_id);
    for (size_t i = 0; row < setting->n_variant && i < setting->n_task; i++) {
        if (setting->task[i] == task) {
            return setting_cell(setting, row, i);
        }
    }
    return NULL;
}

static bool has_task(const struct setting *setting, const struct task *task)
{
    for (size_t i = 0; i < setting->n_task; i++) {
        if (setting->task[i] == task) {
            return true;
        }
    }
    return false;
}

static void append_table(struct text *text, const struct run_set *set, const struct overview *tasks,
                         const struct task *task, enum measure measure, int n_decimal)
{
    text_append(text, "**%s**, %s\n\n", task->title, measure_title(measure));
    size_t n = append_size_titles(text, set);
    for (size_t i = 0; i < tasks->n_variant; i++) {
        text_append(text, " %s |", tasks->variant[i]->variant_name);
    }
    append_rule(text, n + tasks->n_variant);
    for (size_t i = 0; i < set->n_setting; i++) {
        if (!has_task(&set->setting[i], task)) {
            continue;
        }
        append_sizes(text, set, i);
        for (size_t variant = 0; variant < tasks->n_variant; variant++) {
            char cell[TABLES_CELL_SIZE];
            tables_cell_text(cell_of(&set->setting[i], tasks->variant[variant], task), measure,
                             n_decimal, cell);
            text_append(text, " %s |", cell);
        }
        text_append(text, "\n");
    }
    text_append(text, "\n");
}

void tables_append_by_setting(struct text *text, const struct run_set *set,
                              const struct overview *tasks)
{
    text_append(text,
                "Mean ± sample standard deviation over seeds; `-`: not run; `75 (2 of 3)`: two of "
                "three seeds got there, at step 75 on average. The runs behind each number are in "
                "`cells.csv`.\n\n");
    for (size_t i = 0; i < tasks->n_task; i++) {
        const struct task *task = tasks->task[i]->task;
        text_append(text, "<details><summary>%s</summary>\n\n", task->title);
        append_table(text, set, tasks, task, MEASURE_TOKEN_ACCURACY, 3);
        append_table(text, set, tasks, task, MEASURE_ESCAPE_STEP, 0);
        append_table(text, set, tasks, task, MEASURE_MEAN_TRAIN_LOSS, 3);
        text_append(text, "</details>\n\n");
    }
}
