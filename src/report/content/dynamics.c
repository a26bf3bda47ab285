/* dynamics: how the variants learned. A row holds all its measures, because one of them alone
 * misleads: a variant may leave the plateau late and then be quick.
 */
#include <stdio.h>
#include <string.h>

#include "lab/kind/sequences/sequences.h"
#include "report/content/part.h"
#include "report/content/topics.h"
#include "report/content/values.h"
#include "report/frame/pairs.h"
#include "report/frame/sizes.h"

static const struct {
    enum measure measure;
    const char *title;
} shown[] = {
    {MEASURE_ESCAPE_STEP, "plateau"},         {MEASURE_REACHES_50, "50 % right"},
    {MEASURE_REACHES_90, "90 % right"},       {MEASURE_REACHES_99, "99 % right"},
    {MEASURE_BELOW_2_2, "loss < 2.2"},        {MEASURE_BELOW_0_1, "loss < 0.1"},
    {MEASURE_FINAL_TRAIN_LOSS, "final loss"}, {MEASURE_MEAN_TRAIN_LOSS, "mean loss"},
};
#define N_SHOWN (sizeof shown / sizeof *shown)

/* Runs that kept no accuracies of their batches have the steps of the loss instead. */
static bool is_shown(enum measure measure, bool has_accuracies)
{
    bool of_loss = measure == MEASURE_BELOW_2_2 || measure == MEASURE_BELOW_0_1;
    bool of_accuracy = measure == MEASURE_REACHES_50 || measure == MEASURE_REACHES_90 ||
                       measure == MEASURE_REACHES_99;
    return has_accuracies ? !of_loss : !of_accuracy;
}

static bool has_floor(const struct group *group)
{
    for (size_t i = 0; i < group->n_run; i++) {
        const struct task *task = run_config(group->run[i])->task;
        if (task && sequence_task_of(task) && sequence_task_of(task)->position_floor) {
            return true;
        }
    }
    return false;
}

/* Says what the columns are, and then what else is said of them. */
static void say_legend(struct document *document, const struct group *group, bool accuracies,
                       const char *then)
{
    document_paragraph(
        document, TONE_PLAIN,
        "Read off the training batches, before each update; steps count from 0. Plateau: the "
        "number of steps before the smoothed training loss leaves the plateau on which it starts, "
        "that is, the escape step. %s Final loss: of training, at its end. Mean loss: over all "
        "steps of training, the area under the curve; it says how fast and how far in one number, "
        "and every run has it. %s%s",
        accuracies ? "50, 90, 99 % right: the first step at which the median accuracy of five "
                     "batches reaches that."
                   : "Loss < 2.2, < 0.1: the first step with a smaller training loss.",
        has_floor(group) ? "On Sort a model leaves the plateau as soon as it uses the position "
                           "alone, so there its length says little about attention. "
                         : "",
        then);
}

static void add_columns(struct table *table, bool accuracies)
{
    for (size_t i = 0; i < N_SHOWN; i++) {
        if (is_shown(shown[i].measure, accuracies)) {
            table_column(table, &(struct column){.title = shown[i].title,
                                                 .hint = measure_row(shown[i].measure)->title});
        }
    }
}

static void add_difference_columns(struct table *table)
{
    static const char hint[] =
        "variant minus baseline with the same seed: mean, lowest and highest";
    table_column(table, &(struct column){.title = "plateau, difference", .hint = hint});
    table_column(table, &(struct column){.title = "mean loss, difference", .hint = hint});
}

/* ---- over all configurations ---- */

static struct table *averages(const struct group *kind, bool accuracies)
{
    static const struct column columns[] = {
        {.title = "task"}, {.title = "variant", .look = LOOK_HEAD}, {.title = "runs"}};
    struct group originals = group_where(kind, run_is_original);
    struct groups blocks = groups_by(&originals, FACTOR_BIT(TASK) | FACTOR_BIT(VARIANT));
    struct table *table = table_create(columns, 3);
    add_columns(table, accuracies);
    for (size_t i = 0; i < blocks.n_group; i++) {
        const struct group *block = &blocks.group[i];
        table_row(table, facets_tag(group_facets(block)), false);
        table_text(table, run_task_title(block->run[0]));
        table_text(table, block->run[0]->variant_name);
        table_integer(table, (long long)block->n_ok);
        for (size_t k = 0; k < N_SHOWN; k++) {
            if (is_shown(shown[k].measure, accuracies)) {
                value_spread(table, block, shown[k].measure);
            }
        }
    }
    return table;
}

/* ---- every cell, for the page ---- */

static struct table *every_cell(const struct group *kind, bool accuracies)
{
    static const struct column columns[] = {{.title = "task"},
                                            {.title = "variant", .look = LOOK_HEAD}};
    struct groups cells =
        groups_by(kind, FACTOR_BIT(TASK) | FACTOR_BIT(VARIANT) | FACTOR_BIT(SETTING));
    struct sizes sizes = sizes_of(kind);
    struct table *table = table_create(columns, 2);
    sizes_columns(&sizes, table);
    add_columns(table, accuracies);
    add_difference_columns(table);
    for (size_t i = 0; i < cells.n_group; i++) {
        const struct group *cell = &cells.group[i], *reference = group_reference(&cells, cell);
        struct stats plateau = group_difference(cell, reference, MEASURE_ESCAPE_STEP);
        struct stats mean = group_difference(cell, reference, MEASURE_MEAN_TRAIN_LOSS);
        table_row(table, facets_tag(group_facets(cell)), false);
        table_text(table, run_task_title(cell->run[0]));
        table_text(table, cell->run[0]->variant_name);
        sizes_cells(&sizes, table, cell);
        for (size_t k = 0; k < N_SHOWN; k++) {
            if (is_shown(shown[k].measure, accuracies)) {
                value_measure(table, cell, shown[k].measure);
            }
        }
        value_difference(table, &plateau, 0);
        value_difference(table, &mean, 3);
    }
    return table;
}

void say_dynamics(struct document *document, const struct material *material)
{
    const struct group *sequences = frame_kind(material->frame, OF_SEQUENCES);
    if (!sequences) {
        return;
    }
    bool accuracies = group_any(sequences, MEASURE_REACHES_50);
    document_begin(document, GROUP_SECTION, "dynamics", "Dynamics");
    if (material->n_part > 1) {
        unsigned before = document_for(document, FOR_TEXT);
        document_heading(document, 3, "Learning dynamics");
        document_for(document, before);
        say_legend(document, sequences, accuracies,
                   "`62 (17 of 48)`: 17 of 48 runs got there, at step 62 on average. Those are "
                   "other runs for each variant, so that two variants are compared by the paired "
                   "differences below or by the mean loss.");
        document_table(document, averages(sequences, accuracies),
                       "Learning dynamics over all configurations", NULL);
    }
    unsigned before = document_for(document, FOR_PAGE);
    document_heading(document, 3, "Every setting");
    document_table(document, every_cell(sequences, accuracies), "Learning dynamics",
                   "Mean ± sample standard deviation over seeds");
    document_for(document, before);
    document_end(document);
}

/* ---- of a part ---- */

static void add_difference(struct table *table, const struct comparison *comparison, int n_decimal)
{
    if (!comparison) {
        table_missing(table);
    } else if (comparison->n_only_variant + comparison->n_only_reference > 0) {
        value_difference_of(table, &comparison->difference, n_decimal);
    } else {
        value_difference(table, &comparison->difference, n_decimal);
    }
}

static bool has_accuracies(const struct group *group)
{
    for (size_t i = 0; i < group->n_run; i++) {
        if (group->run[i]->curve_accuracy) {
            return true;
        }
    }
    return false;
}

void say_dynamics_of_part(struct document *document, const struct material *material, size_t number)
{
    const struct comparisons *comparisons = material_comparisons(material, number);
    const struct part *part = &material->part[number];
    bool accuracies = has_accuracies(part->group);
    char then[512];
    snprintf(then, sizeof then,
             "`75 (2 of 3)`: two of three seeds got there, at step 75 on average; `never`: none "
             "did in the %zu steps of training. Differences: variant minus baseline with the same "
             "seed, in brackets the lowest and the highest; of the plateau over the pairs in which "
             "both left it.",
             group_n_step(part->group));
    document_heading(document, 4, "Learning dynamics");
    say_legend(document, part->group, accuracies, then);
    for (size_t task = 0; task < part->tasks.n_group; task++) {
        struct column variant = column_variant();
        struct table *table = table_create(&variant, 1);
        add_columns(table, accuracies);
        add_difference_columns(table);
        for (size_t row = 0; row < part->variants.n_group; row++) {
            const struct group *cell = part_cell(part, row, task);
            table_text(table, part_variant(part, row)->variant_name);
            for (size_t i = 0; i < N_SHOWN; i++) {
                if (is_shown(shown[i].measure, accuracies)) {
                    value_measure(table, cell, shown[i].measure);
                }
            }
            add_difference(
                table, cell ? comparisons_of(comparisons, MEASURE_ESCAPE_STEP, cell->run[0]) : NULL,
                0);
            add_difference(table,
                           cell ? comparisons_of(comparisons, MEASURE_MEAN_TRAIN_LOSS, cell->run[0])
                                : NULL,
                           3);
        }
        document_paragraph(document, TONE_PLAIN, "**%s**", run_task_title(part_task(part, task)));
        document_table(document, table, "Learning dynamics", NULL);
    }
}
