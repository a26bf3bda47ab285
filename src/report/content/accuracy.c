/* accuracy: averages over all configurations, the tables of a part, and for the page a table of any
 * measure over all settings.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/kind/sequences/sequences.h"
#include "report/content/measure_table.h"
#include "report/content/part.h"
#include "report/content/topics.h"
#include "report/content/values.h"

/* ---- averages over all configurations ---- */

static void add_average(struct table *table, const struct group *block)
{
    enum measure measure = block->run[0]->kind->accuracy;
    struct spread accuracy = group_spread(block, measure);
    struct stats mean = group_stats(block, measure);
    struct stats above = group_stats(block, MEASURE_ABOVE_FLOOR);
    struct stats solved = group_stats(block, MEASURE_SOLVED);
    struct stats at_chance = group_stats(block, MEASURE_AT_CHANCE);
    table_row(table, facets_tag(group_facets(block)), false);
    table_text(table, run_task_title(block->run[0]));
    table_text(table, block->run[0]->variant_name);
    table_integer(table, (long long)accuracy.n_configuration);
    table_integer(table, (long long)accuracy.n);
    value_mean(table, &mean, 3);
    value_number(table, accuracy.between, 3);
    value_number(table, accuracy.within, 3);
    if (block->run[0]->kind->has_settings) {
        value_mean(table, &above, 3);
        value_runs(table, &solved);
        value_runs(table, &at_chance);
    }
}

static struct table *averages(const struct group *kind)
{
    static const struct column columns[] = {
        {.title = "task"},           {.title = "variant", .look = LOOK_HEAD},
        {.title = "configurations"}, {.title = "runs"},
        {.title = "mean"},           {.title = "sd between configurations"},
        {.title = "sd over seeds"},  {.title = "above the floor"},
        {.title = "solved"},         {.title = "at chance"}};
    bool has_floor = kind->run[0]->kind->has_settings;
    struct group originals = group_where(kind, run_is_original);
    struct groups blocks = groups_by(&originals, FACTOR_BIT(TASK) | FACTOR_BIT(VARIANT));
    struct table *table = table_create(columns, has_floor ? 10 : 7);
    for (size_t i = 0; i < blocks.n_group; i++) {
        add_average(table, &blocks.group[i]);
    }
    return table;
}

static void say_averages(struct document *document, const struct group *kind)
{
    size_t n_configuration = group_n(kind, FACTOR_CONFIGURATION);
    if (n_configuration < 2) {
        return;
    }
    unsigned before = document_for(document, FOR_PAGE);
    document_heading(document, 3, "Averages over all %zu configurations%s", n_configuration,
                     kind->run[0]->kind->has_settings ? "" : " on images");
    document_for(document, before);
    document_paragraph(
        document, TONE_PLAIN,
        "%s, mean over all finished runs. Two spreads, which answer different questions: the "
        "standard deviation between the means of configurations, and the one over seeds within a "
        "configuration (pooled). Above the floor: (accuracy - floor) / (1 - floor), where the "
        "floor is what the position alone gives. Single runs are often at chance or solved, so "
        "that a mean may describe none of them: solved is a token accuracy of at least %.2f, at "
        "chance less than %.2f above the floor.",
        kind->run[0]->kind->has_settings ? "Token accuracy" : "Top-1 accuracy", RUN_SOLVED,
        RUN_AT_CHANCE);
    document_table(document, averages(kind), "Averages over all configurations", NULL);
}

/* ---- any measure over all settings, for the page ---- */

static void say_choice(struct document *document, const struct group *kind)
{
    document_heading(document, 3, "Every setting");
    document_begin(document, GROUP_CHOICE, NULL, "Measure");
    for (int i = 0; i < MEASURE_COUNT; i++) {
        const struct measure_row *row = measure_row((enum measure)i);
        if (!group_any(kind, (enum measure)i)) {
            continue;
        }
        char name[128];
        snprintf(name, sizeof name, "%c%s by variant and task", toupper(row->title[0]),
                 row->title + 1);
        document_begin(document, GROUP_OPTION, NULL, "%c%s", name[0], row->title + 1);
        document_table(document,
                       measure_table(kind, (enum measure)i, WITH_SETTINGS | WITH_PARAMETERS), name,
                       "Mean ± sample standard deviation over seeds");
        document_end(document);
    }
    document_end(document);
    document_paragraph(document, TONE_NOTE,
                       "Fewer than %d seeds have no error bar and say their number; a dash was not "
                       "run. “75 (2 of 3)”: two of three seeds got there, at step 75 on average; "
                       "steps count from 0. Every number opens its runs.",
                       STATS_BAR_MIN);
}

void say_accuracy(struct document *document, const struct material *material)
{
    const struct group *sequences = frame_kind(material->frame, OF_SEQUENCES);
    if (!sequences) {
        return;
    }
    document_begin(document, GROUP_SECTION, "accuracy", "Accuracy");
    if (material->n_part > 1) {
        unsigned before = document_for(document, FOR_TEXT);
        document_heading(document, 2, "Over all %zu configurations",
                         group_n(sequences, FACTOR_CONFIGURATION));
        document_heading(document, 3, "Accuracy");
        document_for(document, before);
        say_averages(document, sequences);
    }
    unsigned before = document_for(document, FOR_PAGE);
    say_choice(document, sequences);
    document_for(document, before);
    document_end(document);
}

/* ---- of a part ---- */

static const struct task *task_of(const struct part *part, size_t task)
{
    return run_config(part_task(part, task))->task;
}

static bool has_floor(const struct part *part)
{
    for (size_t i = 0; i < part->tasks.n_group; i++) {
        if (sequence_task_of(task_of(part, i))->position_floor) {
            return true;
        }
    }
    return false;
}

static void say_token_accuracy(struct document *document, const struct part *part)
{
    char *convention = values_convention(&part->cells);
    struct table *table = measure_table(part->group, MEASURE_TOKEN_ACCURACY, 0);
    table_row(table, 0, true);
    table_text(table, "position alone");
    for (size_t i = 0; i < part->tasks.n_group; i++) {
        value_number(table, task_chance(task_of(part, i), run_config(part_task(part, i))->seq_len),
                     3);
    }
    document_heading(document, 4, "Token accuracy");
    document_paragraph(document, TONE_PLAIN, "%s", convention ? convention : "");
    document_table(document, table, "Token accuracy", NULL);
    document_paragraph(document, TONE_PLAIN,
                       "The last row is computed, not measured: what the best predictor reaches "
                       "that knows only the position.");
    free(convention);
}

/* "2, 1 of 3": two solved, one at chance. */
static void add_shares(struct table *table, const struct group *cell)
{
    struct stats solved = group_stats(cell, MEASURE_SOLVED);
    struct stats at_chance = group_stats(cell, MEASURE_AT_CHANCE);
    if (solved.n == 0) {
        table_missing(table);
    } else {
        table_shown(table, solved.mean, "%.0f, %.0f of %zu", solved.mean * (double)solved.n,
                    at_chance.mean * (double)at_chance.n, solved.n);
    }
}

static void say_solved(struct document *document, const struct part *part)
{
    struct column variant = column_variant();
    struct table *table = table_create(&variant, 1);
    document_heading(document, 4, "Runs solved, and runs at chance");
    document_paragraph(document, TONE_PLAIN,
                       "Single runs are often either: then the mean describes none of them. "
                       "Solved: a token accuracy of at least %.2f. At chance: less than %.2f of "
                       "what the position alone leaves to gain. `2, 1 of 3`: two solved, one at "
                       "chance.",
                       RUN_SOLVED, RUN_AT_CHANCE);
    for (size_t i = 0; i < part->tasks.n_group; i++) {
        table_column(table, &(struct column){.title = run_task_title(part_task(part, i))});
    }
    for (size_t row = 0; row < part->variants.n_group; row++) {
        table_text(table, part_variant(part, row)->variant_name);
        for (size_t i = 0; i < part->tasks.n_group; i++) {
            add_shares(table, part_cell(part, row, i));
        }
    }
    document_table(document, table, "Runs solved, and runs at chance", NULL);
}

static void say_measure(struct document *document, const struct part *part, enum measure measure,
                        const char *title, const char *words)
{
    document_heading(document, 4, "%s", title);
    document_paragraph(document, TONE_PLAIN, "%s", words);
    document_table(document, measure_table(part->group, measure, 0), title, NULL);
}

/* The loss at chance of the part's tasks, which have the same number of symbols. */
static void say_loss(struct document *document, const struct part *part)
{
    char words[128];
    double n = (double)run_config(part->group->run[0])->task->n_answer;
    snprintf(words, sizeof words,
             "Cross-entropy in nats, mean over tokens; chance is ln %.0f = %.3f.", n, log(n));
    say_measure(document, part, MEASURE_LOSS, "Test loss", words);
}

void say_accuracy_of_part(struct document *document, const struct material *material, size_t number)
{
    const struct part *part = &material->part[number];
    document_heading(document, 3, "Tables");
    say_token_accuracy(document, part);
    if (has_floor(part)) {
        say_measure(document, part, MEASURE_ABOVE_FLOOR,
                    "Token accuracy above what the position alone gives",
                    "(accuracy - floor) / (1 - floor): 0 is the floor, 1 is every token right. On "
                    "Sort the position alone gives far more than chance.");
    }
    say_solved(document, part);
    say_measure(document, part, MEASURE_SEQUENCE_ACCURACY, "Sequence accuracy",
                "Share of test sequences with every token right.");
    say_loss(document, part);
}
