/* latex_tables: the tables of a paper, in the layout of arXiv 2606.04032: variants down, tasks
 * across; one table a setting, and one over all of them.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "report/content/measure_table.h"
#include "report/content/part.h"
#include "report/content/topics.h"
#include "report/content/values.h"
#include "report/statistics/published.h"

#define CAPTION_SIZE 384

/* ---- variants down, tasks across ---- */

static void add_parts(struct document *document, const struct material *material,
                      enum measure measure, unsigned extras, const char *file, const char *title,
                      const char *what)
{
    if (material->n_part == 0) {
        return;
    }
    document_begin(document, GROUP_FILE, title, "%s", file);
    for (size_t i = 0; i < material->n_part; i++) {
        const struct group *part = material->part[i].group;
        size_t n_seed = group_n(part, FACTOR_SEED);
        char setting[SETTING_TITLE_SIZE], caption[CAPTION_SIZE];
        setting_title(part->run[0], setting);
        snprintf(caption, sizeof caption, "%s after %zu steps at %s; %zu seed%s%s.", what,
                 group_n_step(part), setting, n_seed, plural(n_seed),
                 n_seed < STATS_BAR_MIN ? "" : ", mean ± sample standard deviation");
        document_table(document, measure_table(part, measure, extras), title, caption);
    }
    document_end(document);
}

/* ---- averages over a grid ---- */

static struct table *average_table(const struct part *part)
{
    struct column variant = column_variant();
    struct table *table = table_create(&variant, 1);
    for (size_t i = 0; i < part->tasks.n_group; i++) {
        table_column(table, &(struct column){.title = run_task_title(part_task(part, i))});
    }
    table_column(table, &(struct column){.title = "Avg."});
    for (size_t row = 0; row < part->variants.n_group; row++) {
        double sum = 0;
        table_text(table, part_variant(part, row)->variant_name);
        for (size_t i = 0; i < part->tasks.n_group; i++) {
            double mean = group_stats(part_cell(part, row, i), MEASURE_TOKEN_ACCURACY).mean;
            value_number(table, mean, 3);
            sum += mean;
        }
        value_number(table, sum / (double)part->tasks.n_group, 3);
    }
    return table;
}

/* With one configuration these would be the numbers of the other table. */
static void say_averages(struct document *document, const struct group *sequences)
{
    size_t n_configuration = sequences ? group_n(sequences, FACTOR_CONFIGURATION) : 0;
    if (n_configuration < 2) {
        return;
    }
    struct group originals = group_where(sequences, run_is_original);
    struct part part = part_make(&originals);
    char caption[CAPTION_SIZE];
    snprintf(caption, sizeof caption, "Token accuracy, mean over all runs of %zu configurations.",
             n_configuration);
    document_begin(document, GROUP_FILE, "averages over configurations", "table_overview.tex");
    document_table(document, average_table(&part), "overview", caption);
    document_end(document);
}

/* ---- published beside measured ---- */

static struct table *published_table(const struct part *part)
{
    const struct column columns[] = {{.title = "task"},
                                     {.title = "variant"},
                                     {.title = "measured"},
                                     {.title = published_name(PUBLISHED_PAPER)},
                                     {.title = published_name(PUBLISHED_REPRODUCTION)}};
    struct table *table = table_create(columns, sizeof columns / sizeof *columns);
    published_rows(table, part);
    return table;
}

static void say_published_tables(struct document *document, const struct material *material)
{
    bool begun = false;
    for (size_t i = 0; i < material->n_part; i++) {
        const struct group *part = material->part[i].group;
        struct table *table = published_table(&material->part[i]);
        char setting[SETTING_TITLE_SIZE], caption[CAPTION_SIZE];
        setting_title(part->run[0], setting);
        snprintf(caption, sizeof caption,
                 "Token accuracy at %s (%zu steps) beside published means over grids of other "
                 "sizes: the order of the variants can be compared, not the level.",
                 setting, group_n_step(part));
        if (table_n_row(table) > 0) {
            if (!begun) {
                document_begin(document, GROUP_FILE, "published beside measured",
                               "table_published.tex");
            }
            begun = true;
            document_table(document, table, "published", caption);
        } else {
            table_free(table);
        }
    }
    if (begun) {
        document_end(document);
    }
}

/* ---- images ---- */

static struct table *images_table(const struct group *setting)
{
    static const struct column columns[] = {{.title = "variant"},
                                            {.title = "top-1"},
                                            {.title = "top-5"},
                                            {.title = "top-1, paper"},
                                            {.title = "top-1, reproduction"}};
    struct groups cells = groups_by(setting, FACTOR_BIT(VARIANT) | FACTOR_BIT(CELL));
    struct table *table = table_create(columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < cells.n_group; i++) {
        const struct run *run = cells.group[i].run[0];
        table_text(table, run->variant_name);
        value_measure(table, &cells.group[i], MEASURE_TOP1);
        value_measure(table, &cells.group[i], MEASURE_TOP5);
        for (int k = 0; k < PUBLISHED_SOURCE_COUNT; k++) {
            value_number(
                table,
                published_accuracy((enum published_source)k, run->variant_id, run_task_name(run)),
                3);
        }
    }
    return table;
}

static void say_images_tables(struct document *document, const struct group *images)
{
    if (!images) {
        return;
    }
    struct groups settings = groups_by(images, FACTOR_BIT(SETTING));
    document_begin(document, GROUP_FILE, "image data sets", "table_images.tex");
    for (size_t i = 0; i < settings.n_group; i++) {
        const struct run *run = settings.group[i].run[0];
        const struct config *config = run_config(run);
        char caption[CAPTION_SIZE];
        snprintf(caption, sizeof caption,
                 "Accuracy on the test images of %s after %zu steps (d %zu, %zu layers, %zu "
                 "heads).",
                 run_task_title(run), run->n_step, config->n_embd, config->n_layer, config->n_head);
        document_table(document, images_table(&settings.group[i]), "images", caption);
    }
    document_end(document);
}

void say_latex(struct document *document, const struct material *material)
{
    document_begin(document, GROUP_SECTION, "latex", "LaTeX");
    document_for(document, FOR_PAGE);
    document_paragraph(document, TONE_PLAIN,
                       "In the papers' layout, with booktabs: variants down, tasks across; a table "
                       "for each setting, and one over all of them.");
    document_for(document, FOR_LATEX);
    add_parts(document, material, MEASURE_TOKEN_ACCURACY, WITH_AVERAGE, "table_accuracy.tex",
              "token accuracy", "Token accuracy");
    add_parts(document, material, MEASURE_ESCAPE_STEP, 0, "table_escape.tex", "escape step",
              "Step at which training leaves its plateau");
    say_published_tables(document, material);
    say_images_tables(document, frame_kind(material->frame, OF_IMAGES));
    say_averages(document, frame_kind(material->frame, OF_SEQUENCES));
    document_for(document, FOR_PAGE | FOR_LATEX);
    document_end(document);
}
