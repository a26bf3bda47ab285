/* published: numbers of others beside ours. Every table says under what conditions its published
 * columns were measured, and the text says what differs here.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "lab/training/metrics.h"
#include "report/content/part.h"
#include "report/content/topics.h"
#include "report/content/values.h"
#include "report/statistics/published.h"

static double accuracy_of(enum published_source source, const struct run *run)
{
    return published_accuracy(source, run->variant_id, run_task_name(run));
}

static bool is_published(const struct run *run)
{
    return isfinite(accuracy_of(PUBLISHED_PAPER, run)) ||
           isfinite(accuracy_of(PUBLISHED_REPRODUCTION, run));
}

static bool anything_published(const struct group *group)
{
    for (size_t i = 0; i < group->n_run; i++) {
        if (is_published(group->run[i])) {
            return true;
        }
    }
    return false;
}

/* ---- grid means ---- */

/* Columns of both sources, headed "published (<name><then>)". */
static void add_source_columns(struct table *table, const char *then)
{
    for (int source = 0; source < PUBLISHED_SOURCE_COUNT; source++) {
        char title[128];
        snprintf(title, sizeof title, "published (%s%s)",
                 published_name((enum published_source)source), then);
        table_column(table, &(struct column){.title = title});
    }
}

static void add_sources(struct table *table, const struct run *run)
{
    for (int source = 0; source < PUBLISHED_SOURCE_COUNT; source++) {
        value_number(table, accuracy_of((enum published_source)source, run), 3);
    }
}

static void say_conditions(struct document *document, const char *measured)
{
    document_item(document, 1, "measured: %s", measured);
    for (int source = 0; source < PUBLISHED_SOURCE_COUNT; source++) {
        document_item(document, 1, "published, %s: %s",
                      published_name((enum published_source)source),
                      published_conditions((enum published_source)source));
    }
}

static void begin_row(struct table *table, const struct group *group)
{
    table_row(table, facets_tag(group_facets(group)), false);
    table_text(table, run_task_title(group->run[0]));
    table_text(table, group->run[0]->variant_name);
}

static void say_grid_means(struct document *document, const struct group *sequences)
{
    static const struct column columns[] = {{.title = "task"},
                                            {.title = "variant", .look = LOOK_HEAD},
                                            {.title = "configurations"},
                                            {.title = "measured"}};
    struct group originals = group_where(sequences, run_is_original);
    struct groups blocks = groups_by(&originals, FACTOR_BIT(TASK) | FACTOR_BIT(VARIANT));
    struct table *table = table_create(columns, 4);
    add_source_columns(table, "");
    for (size_t i = 0; i < blocks.n_group; i++) {
        const struct group *block = &blocks.group[i];
        if (is_published(block->run[0])) {
            struct spread spread = group_spread(block, MEASURE_TOKEN_ACCURACY);
            struct stats accuracy = group_stats(block, MEASURE_TOKEN_ACCURACY);
            begin_row(table, block);
            table_integer(table, (long long)spread.n_configuration);
            value_mean(table, &accuracy, 3);
            add_sources(table, block->run[0]);
        }
    }
    document_heading(document, 4, "Token accuracy, grid means");
    document_paragraph(document, TONE_PLAIN,
                       "**The grids differ** in widths, lengths and procedure, and with them in "
                       "the share of runs that stay at chance. Read the order of the variants, not "
                       "the level.");
    say_conditions(document, "mean over all configurations listed above");
    document_table(document, table, "Published beside measured", NULL);
}

void published_rows(struct table *table, const struct part *part)
{
    for (size_t task = 0; task < part->tasks.n_group; task++) {
        for (size_t variant = 0; variant < part->variants.n_group; variant++) {
            const struct group *cell = part_cell(part, variant, task);
            const char *id = part_variant(part, variant)->variant_id;
            const char *name = run_task_name(part_task(part, task));
            double paper = published_accuracy(PUBLISHED_PAPER, id, name);
            double reproduction = published_accuracy(PUBLISHED_REPRODUCTION, id, name);
            if (!isfinite(paper) && !isfinite(reproduction)) {
                continue;
            }
            table_row(table, cell ? facets_tag(group_facets(cell)) : 0, false);
            table_text(table, run_task_title(part_task(part, task)));
            table_text(table, part_variant(part, variant)->variant_name);
            value_measure(table, cell, MEASURE_TOKEN_ACCURACY);
            value_number(table, paper, 3);
            value_number(table, reproduction, 3);
        }
    }
}

static void say_one_configuration(struct document *document, const struct part *part)
{
    static const struct column columns[] = {{.title = "task"},
                                            {.title = "variant", .look = LOOK_HEAD}};
    char setting[SETTING_TITLE_SIZE], title[SETTING_TITLE_SIZE + 32];
    setting_title(part->group->run[0], setting);
    snprintf(title, sizeof title, "measured (%s)", setting);
    struct table *table = table_create(columns, 2);
    table_column(table, &(struct column){.title = title});
    add_source_columns(table, ", grid mean");
    published_rows(table, part);
    snprintf(title, sizeof title, "%s, %zu steps", setting, group_n_step(part->group));
    document_heading(document, 4, "Token accuracy, grid means");
    document_paragraph(document, TONE_PLAIN,
                       "**The conditions differ**: the measured column is one configuration, the "
                       "published columns are means over grids that hold longer sequences and "
                       "other widths, on which many runs stay at chance. Read the order of the "
                       "variants, not the level.");
    say_conditions(document, title);
    document_table(document, table, "Published beside measured", NULL);
}

/* ---- Reverse at one width and length ---- */

static bool is_reverse(const struct run *run)
{
    return strcmp(run_task_name(run), "reverse") == 0;
}

static double reverse_of(const struct run *run)
{
    return published_reverse(run->variant_id, run_config(run)->n_embd, run_config(run)->seq_len);
}

static void say_reverse_of_part(struct document *document, const struct part *part, size_t task)
{
    const struct config *config = run_config(part->group->run[0]);
    size_t n_step = group_n_step(part->group);
    char measured[96], published[64];
    if (!isfinite(published_reverse("qkv", config->n_embd, config->seq_len))) {
        return;
    }
    snprintf(measured, sizeof measured, "measured (%zu layers, %zu heads, %zu steps)",
             config->n_layer, config->n_head, n_step);
    snprintf(published, sizeof published, "published (mean of 12 runs, %d steps)",
             PUBLISHED_REVERSE_STEPS);
    const struct column columns[] = {
        {.title = "variant", .look = LOOK_HEAD}, {.title = measured}, {.title = published}};
    struct table *table = table_create(columns, 3);
    for (size_t i = 0; i < part->variants.n_group; i++) {
        const struct run *run = part_variant(part, i);
        table_text(table, run->variant_name);
        value_measure(table, part_cell(part, i, task), MEASURE_TOKEN_ACCURACY);
        value_number(table, reverse_of(run), 3);
    }
    document_heading(document, 4, "Reverse at d %zu, T %zu", config->n_embd, config->seq_len);
    if (n_step == PUBLISHED_REVERSE_STEPS) {
        document_paragraph(document, TONE_PLAIN,
                           "Published by %s: %s. Measured here: the same width, length and number "
                           "of steps, but %zu layers and %zu heads only, so a published mean over "
                           "depths and heads stands beside a mean over seeds.",
                           published_name(PUBLISHED_REPRODUCTION), published_reverse_conditions,
                           config->n_layer, config->n_head);
    } else {
        document_paragraph(document, TONE_PLAIN,
                           "Published by %s: %s. **Not comparable**: measured here after %zu "
                           "steps, published after %d.",
                           published_name(PUBLISHED_REPRODUCTION), published_reverse_conditions,
                           n_step, PUBLISHED_REVERSE_STEPS);
    }
    document_table(document, table, "Reverse at the same width and length", NULL);
}

static bool is_of_published_size(const struct run *run)
{
    const struct config *config = run_config(run);
    return is_reverse(run) && run->n_step == PUBLISHED_REVERSE_STEPS && run_is_original(run) &&
           isfinite(published_reverse("qkv", config->n_embd, config->seq_len));
}

static bool same_size(const struct run *a, const struct run *b)
{
    return run_config(a)->n_embd == run_config(b)->n_embd &&
           run_config(a)->seq_len == run_config(b)->seq_len;
}

/* A row for each variant that has runs at the size of like, over layers, heads and seeds. */
static void add_size(struct table *table, const struct groups *variants, const struct run *like)
{
    for (size_t i = 0; i < variants->n_group; i++) {
        const struct group *variant = &variants->group[i];
        struct stats stats = STATS_NONE;
        const struct run *one = NULL;
        for (size_t k = 0; k < variant->n_run; k++) {
            const struct run *run = variant->run[k];
            if (run_is_ok(run) && same_size(run, like)) {
                stats_add(&stats, run->measure[MEASURE_TOKEN_ACCURACY]);
                one = run;
            }
        }
        if (one) {
            struct facets facets = group_facets(variant);
            facets.task = (int)one->level[FACTOR_TASK];
            table_row(table, facets_tag(facets), false);
            table_integer(table, (long long)run_config(like)->n_embd);
            table_integer(table, (long long)run_config(like)->seq_len);
            table_text(table, one->variant_name);
            table_integer(table, (long long)stats.n);
            value_mean(table, &stats, 3);
            value_number(table, reverse_of(one), 3);
        }
    }
}

static bool is_first_of_size(const struct group *group, size_t i)
{
    for (size_t k = 0; k < i; k++) {
        if (same_size(group->run[k], group->run[i])) {
            return false;
        }
    }
    return true;
}

static void say_reverse(struct document *document, const struct group *sequences)
{
    static const struct column columns[] = {
        {.title = "d"},    {.title = "T"},        {.title = "variant", .look = LOOK_HEAD},
        {.title = "runs"}, {.title = "measured"}, {.title = "published"}};
    struct group reverse = group_where(sequences, is_of_published_size);
    struct groups variants = groups_by(&reverse, FACTOR_BIT(VARIANT));
    if (reverse.n_run == 0) {
        return;
    }
    struct table *table = table_create(columns, 6);
    for (size_t i = 0; i < reverse.n_run; i++) {
        if (is_first_of_size(&reverse, i)) {
            add_size(table, &variants, reverse.run[i]);
        }
    }
    document_heading(document, 4, "Reverse at one width and length");
    document_paragraph(document, TONE_PLAIN,
                       "Published, %s: %s. Measured: the mean over all runs here of that width and "
                       "length and as many steps, over their layers, heads and seeds.",
                       published_name(PUBLISHED_REPRODUCTION), published_reverse_conditions);
    document_table(document, table, "Reverse at the same width and length", NULL);
}

/* ---- learning dynamics ---- */

static void add_step(struct table *table, const double *curve, size_t n_step, double level)
{
    long step = curve ? metrics_first_below(curve, n_step, level) : STEP_NEVER;
    if (!curve) {
        table_missing(table);
    } else if (step == STEP_NEVER) {
        table_shown(table, NAN, "never");
    } else {
        table_integer(table, step);
    }
}

static void add_published_steps(struct table *table, const char *variant)
{
    const struct published_dynamics *steps = published_dynamics(variant);
    if (steps) {
        table_integer(table, steps->below_2_2);
        table_integer(table, steps->below_0_1);
    } else {
        table_missing(table);
        table_missing(table);
    }
}

static void say_steps_of_others(struct document *document, const struct part *part)
{
    static const struct column columns[] = {{.title = "variant", .look = LOOK_HEAD},
                                            {.title = "published (T 64, 790 steps), below 2.2"},
                                            {.title = "published (T 64, 790 steps), below 0.1"}};
    struct table *table = table_create(columns, 3);
    for (size_t i = 0; i < part->variants.n_group; i++) {
        const struct run *run = part_variant(part, i);
        if (published_dynamics(run->variant_id)) {
            table_text(table, run->variant_name);
            add_published_steps(table, run->variant_id);
        }
    }
    document_table(document, table, "Leaving the plateau on Reverse, published", NULL);
}

/* One table where the conditions are the published ones, else two that are not side by side. */
static void say_dynamics_on_reverse(struct document *document, const struct part *part, size_t task)
{
    static const struct column columns[] = {{.title = "variant", .look = LOOK_HEAD},
                                            {.title = "measured, below 2.2"},
                                            {.title = "measured, below 0.1"},
                                            {.title = "published, below 2.2"},
                                            {.title = "published, below 0.1"}};
    const struct config *config = run_config(part->group->run[0]);
    size_t n_step = group_n_step(part->group);
    bool comparable = published_dynamics_comparable(config->n_embd, config->n_layer, config->n_head,
                                                    config->seq_len, n_step);
    struct table *table = table_create(columns, comparable ? 5 : 3);
    for (size_t i = 0; i < part->variants.n_group; i++) {
        size_t n_curve;
        double *curve = group_mean_curve(part_cell(part, i, task), &n_curve);
        table_text(table, part_variant(part, i)->variant_name);
        add_step(table, curve, n_curve, 2.2);
        add_step(table, curve, n_curve, 0.1);
        if (comparable) {
            add_published_steps(table, part_variant(part, i)->variant_id);
        }
        free(curve);
    }
    document_heading(document, 4, "Leaving the plateau on Reverse");
    document_paragraph(document, TONE_PLAIN,
                       "First step at which the mean of the seeds' training loss curves is below "
                       "2.2 and below 0.1.");
    document_table(document, table, "Leaving the plateau on Reverse", NULL);
    if (comparable) {
        document_paragraph(document, TONE_PLAIN,
                           "Published by %s: %s. Those are the conditions here.",
                           published_name(PUBLISHED_REPRODUCTION), published_dynamics_conditions);
        return;
    }
    document_paragraph(document, TONE_PLAIN,
                       "Published by %s: %s. **Not comparable with the steps above** (T %zu, %zu "
                       "steps, another warm-up and schedule): only the order of the variants can "
                       "be set against theirs.",
                       published_name(PUBLISHED_REPRODUCTION), published_dynamics_conditions,
                       config->seq_len, n_step);
    say_steps_of_others(document, part);
}

/* What neither source measured: a variant, or a task with any variant. */
static void say_unpublished(struct document *document, const struct part *part)
{
    struct text names = {0};
    for (size_t i = 0; i < part->variants.n_group; i++) {
        const struct run *run = part_variant(part, i);
        if (!published_dynamics(run->variant_id)) {
            text_append(&names, "%s%s", names.size ? ", " : "", run->variant_name);
        }
    }
    for (size_t i = 0; i < part->tasks.n_group; i++) {
        const struct run *run = part_task(part, i);
        if (!isfinite(published_accuracy(PUBLISHED_PAPER, "qkv", run_task_name(run))) &&
            !isfinite(published_accuracy(PUBLISHED_REPRODUCTION, "qkv", run_task_name(run)))) {
            text_append(&names, "%s%s", names.size ? ", " : "", run_task_title(run));
        }
    }
    if (names.size > 0) {
        document_paragraph(document, TONE_PLAIN, "In neither source: %s.", names.data);
    }
    document->failed |= names.failed;
    text_free(&names);
}

/* ---- the topic ---- */

static void say_rule(struct document *document)
{
    document_paragraph(document, TONE_PLAIN,
                       "Published numbers keep to columns of their own and enter no mean and no "
                       "finding of this report.");
}

void say_published_of_part(struct document *document, const struct material *material,
                           size_t number)
{
    const struct part *part = &material->part[number];
    size_t reverse = 0;
    if (!anything_published(part->group)) {
        return;
    }
    document_heading(document, 3, "Published numbers beside the measured ones");
    say_rule(document);
    say_unpublished(document, part);
    say_one_configuration(document, part);
    while (reverse < part->tasks.n_group && !is_reverse(part_task(part, reverse))) {
        reverse++;
    }
    if (reverse < part->tasks.n_group) {
        say_reverse_of_part(document, part, reverse);
        say_dynamics_on_reverse(document, part, reverse);
    }
}

void say_published(struct document *document, const struct material *material)
{
    const struct group *sequences = frame_kind(material->frame, OF_SEQUENCES);
    if (!sequences || !anything_published(sequences)) {
        return;
    }
    document_begin(document, GROUP_SECTION, "published", "Published");
    unsigned before = document_for(document, FOR_PAGE);
    if (material->n_part == 1) {
        say_published_of_part(document, material, 0);
    }
    document_for(document, before);
    if (material->n_part > 1) {
        document_heading(document, 2, "Published numbers beside the measured ones");
        say_rule(document);
        say_grid_means(document, sequences);
        say_reverse(document, sequences);
    }
    document_end(document);
}

/* ---- for programs ---- */

static json_t *grid_json(const struct run *run, const char *task, enum published_source source)
{
    return json_pack("{s:s, s:s, s:s, s:f, s:s, s:s}", "kind", "grid mean", "task", task, "variant",
                     run->variant_id, "token_accuracy",
                     published_accuracy(source, run->variant_id, task), "source",
                     published_name(source), "conditions", published_conditions(source));
}

static json_t *reverse_json(const struct run *run)
{
    return json_pack("{s:s, s:s, s:s, s:I, s:I, s:f, s:s, s:s}", "kind", "Reverse at one size",
                     "task", "reverse", "variant", run->variant_id, "n_embd",
                     (json_int_t)run_config(run)->n_embd, "seq_len",
                     (json_int_t)run_config(run)->seq_len, "token_accuracy", reverse_of(run),
                     "source", published_name(PUBLISHED_REPRODUCTION), "conditions",
                     published_reverse_conditions);
}

static json_t *dynamics_json(const struct published_dynamics *steps)
{
    return json_pack("{s:s, s:s, s:s, s:i, s:i, s:s, s:s}", "kind", "learning dynamics", "task",
                     "reverse", "variant", steps->variant, "step_below_2.2", steps->below_2_2,
                     "step_below_0.1", steps->below_0_1, "source",
                     published_name(PUBLISHED_REPRODUCTION), "conditions",
                     published_dynamics_conditions);
}

json_t *published_json(const struct part *part)
{
    json_t *array = json_array();
    for (size_t i = 0; i < part->variants.n_group; i++) {
        const struct run *run = part_variant(part, i);
        for (size_t k = 0; k < part->tasks.n_group; k++) {
            const char *task = run_task_name(part_task(part, k));
            for (int source = 0; source < PUBLISHED_SOURCE_COUNT; source++) {
                enum published_source of = (enum published_source)source;
                if (isfinite(published_accuracy(of, run->variant_id, task))) {
                    json_array_append_new(array, grid_json(run, task, of));
                }
            }
        }
        if (isfinite(reverse_of(run))) {
            json_array_append_new(array, reverse_json(run));
        }
        if (published_dynamics(run->variant_id)) {
            json_array_append_new(array, dynamics_json(published_dynamics(run->variant_id)));
        }
    }
    return array;
}
