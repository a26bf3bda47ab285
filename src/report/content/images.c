/* images: runs on image data sets: a table for each data set and configuration, with published
 * numbers beside, what the models look at, and the confusions of one run a row.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/content/confusion_sheet.h"
#include "report/content/image_sheets.h"
#include "report/content/topics.h"
#include "report/content/values.h"
#include "report/frame/sizes.h"
#include "report/images/samples.h"
#include "report/statistics/published.h"

#define SINGLE_EMBD 64
#define SINGLE_LAYER 2
#define SINGLE_PATCH 4
#define CONFUSIONS_PAGE_ROOM ((size_t)200000) /* squares */

static const struct run *first_finished(const struct group *group)
{
    for (size_t i = 0; i < group->n_run; i++) {
        if (run_is_ok(group->run[i])) {
            return group->run[i];
        }
    }
    return NULL;
}

/* ---- what was run ---- */

static bool tells_procedure(const struct task *task, const char *key)
{
    return !config_is_in_id(key) && strcmp(key, "lanes") != 0 && strcmp(key, "micro_batch") != 0 &&
           config_is_choice(config_preset(task, config_key_find(key, NULL)));
}

/* Appends the settings in which a run was trained otherwise than its data set's default, "epochs 1
 * (20), n_head 4 (2)": its numbers say little beside the published. */
static void append_departures(struct text *text, const struct run *run)
{
    struct config usual = config_usual(run_config(run));
    const char *key;
    size_t n = 0;
    for (size_t i = 0; (key = run_fact_key(run, "config", i)) != NULL; i++) {
        char here[RUN_TEXT_SIZE], there[RUN_TEXT_SIZE];
        run_fact(run, "config", key, here);
        if (tells_procedure(usual.task, key) &&
            config_value(&usual, key, there, sizeof there, NULL) == STATUS_OK &&
            strcmp(here, there) != 0) {
            text_append(text, "%s%s %s (%s)", n++ ? ", " : "", key, here, there);
        }
    }
}

static bool is_published_data(const struct run *run)
{
    return run->record.data.origin != IMAGES_OTHER;
}

static void say_conditions(struct document *document, const struct run *run)
{
    const struct config *config = run_config(run);
    struct text departures = {0};
    document_paragraph(
        document, TONE_PLAIN,
        "d %zu, %zu layers, %zu heads, patch %zu (%zu tokens with the class token), %zu epoch%s = "
        "%zu steps; %ld training and %ld test images.",
        config->n_embd, config->n_layer, config->n_head, config->patch, config->seq_len,
        config->epochs, plural(config->epochs), run->n_step, run->record.data.n_train,
        run->record.data.n_test);
    if (!is_published_data(run)) {
        document_paragraph(document, TONE_WARNING,
                           "**Not the published images**: the files that were found differ from "
                           "the published ones of %s, so that the published numbers say nothing "
                           "about these runs.",
                           run_task_title(run));
    }
    append_departures(&departures, run);
    if (departures.size > 0) {
        document_paragraph(document, TONE_WARNING, "**Not the default procedure**: %s.",
                           departures.data);
    }
    document->failed |= departures.failed;
    text_free(&departures);
}

/* ---- the table ---- */

static double single_run(const struct run *run)
{
    const struct config *config = run_config(run);
    bool same_size = config->n_embd == SINGLE_EMBD && config->n_layer == SINGLE_LAYER &&
                     config->patch == SINGLE_PATCH;
    return same_size ? published_top1_single(run->variant_id, run_task_name(run), config->n_head)
                     : NAN;
}

/* Published numbers stand in italics in the text. */
static void add_published(struct table *table, double value, int n_decimal)
{
    if (isfinite(value)) {
        table_shown(table, value, "_%.*f_", n_decimal, value);
    } else {
        table_missing(table);
    }
}

static void add_row(struct table *table, const struct group *cell, bool with_setting,
                    const struct sizes *sizes)
{
    const struct run *run = cell->run[0];
    table_row(table, facets_tag(group_facets(cell)), false);
    if (with_setting) {
        table_text(table, run_task_title(run));
    }
    table_text(table, run->variant_name);
    if (with_setting) {
        sizes_cells(sizes, table, cell);
    }
    table_integer(table, (long long)cell->n_ok);
    value_measure(table, cell, MEASURE_TOP1);
    value_measure(table, cell, MEASURE_TOP5);
    value_measure_to(table, cell, MEASURE_LOSS, 3);
    table_integer(table, run->record.n_param);
    for (int i = 0; i < PUBLISHED_SOURCE_COUNT; i++) {
        add_published(
            table,
            published_accuracy((enum published_source)i, run->variant_id, run_task_name(run)), 3);
    }
    add_published(table, single_run(run), 4);
}

/* A row a cell; with_setting: with the columns that tell data sets and settings apart. */
static struct table *table_of(const struct group *group, bool with_setting)
{
    static const struct column measured[] = {
        {.title = "seeds"},        {.title = "top-1"},      {.title = "top-5"},
        {.title = "test loss"},    {.title = "parameters"}, {.title = "published top-1: paper"},
        {.title = "reproduction"}, {.title = "single run"}};
    struct groups cells = groups_by(group, FACTOR_BIT(TASK) | FACTOR_BIT(VARIANT) |
                                               FACTOR_BIT(SETTING) | FACTOR_BIT(CELL));
    struct sizes sizes = sizes_of(group);
    struct column variant = column_variant();
    struct table *table = table_create(NULL, 0);
    if (with_setting) {
        table_column(table, &(struct column){.title = "data set"});
    }
    table_column(table, &variant);
    if (with_setting) {
        sizes_columns(&sizes, table);
    }
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
        table_column(table, &measured[i]);
    }
    for (size_t i = 0; i < cells.n_group; i++) {
        add_row(table, &cells.group[i], with_setting, &sizes);
    }
    return table;
}

/* ---- the section ---- */

static void say_preface(struct document *document)
{
    document_paragraph(document, TONE_PLAIN,
                       "Accuracy on the test images, with the weights after the last step; nothing "
                       "was chosen by it. Mean ± sample standard deviation over seeds; fewer than "
                       "%d seeds have no error bar. Published values stand in italics beside the "
                       "measured ones and are in no mean:",
                       STATS_BAR_MIN);
    for (int i = 0; i < PUBLISHED_SOURCE_COUNT; i++) {
        enum published_source source = (enum published_source)i;
        document_item(document, 1, "%s (%s): %s", i == 0 ? "paper" : "reproduction",
                      published_images_name(source), published_images_conditions(source));
    }
    document_item(document, 1, "single run (%s): %s", published_images_name(PUBLISHED_REPRODUCTION),
                  published_top1_single_conditions);
}

/* ---- sheets ---- */

/* The variants side by side on the same images. */
static void say_class_token(struct document *document, const struct group *setting)
{
    struct variant_sheets sheets;
    if (variant_sheets_make(setting, &sheets, NULL) != STATUS_OK) {
        document->failed = true;
        return;
    }
    if (!sheets.first) {
        return;
    }
    const struct config *config = run_config(sheets.first);
    document_paragraph(
        document, TONE_PLAIN,
        "What the class token sees of the same test images (seed %lld), a variant a column: "
        "attention rollout (Abnar and Zuidema, arXiv 2005.00928) through all layers. A rollout "
        "keeps half of a token in each layer, so that uniform attention in every layer gives a "
        "patch %.4f of the whole; that, not 1/T, is 1 on its scale.",
        run_seed(sheets.first), rollout_uniform(config->n_layer, config->seq_len));
    document_sheet(document, sheets.rollout);
    document_begin(document, GROUP_FOLD, NULL, "Attention from the class token in the last layer");
    document_sheet(document, sheets.last_layer);
    document_end(document);
}

/* Those of the first finished run of each cell; for the page as many as *page_room squares hold,
 * which it takes. */
static void say_confusions(struct document *document, const struct group *setting,
                           size_t *page_room)
{
    struct groups cells = groups_by(setting, FACTOR_BIT(VARIANT) | FACTOR_BIT(CELL));
    unsigned before = document->audience;
    size_t n_left_out = 0;
    document_begin(document, GROUP_FOLD, NULL, "Confusions of one run a row");
    for (size_t i = 0; i < cells.n_group; i++) {
        const struct run *run = first_finished(&cells.group[i]);
        struct sheet *sheet = NULL;
        document->failed |= run && confusion_sheet(run, &sheet, NULL) != STATUS_OK;
        if (sheet) {
            size_t size = sheet->panel[0].n_row * sheet->panel[0].n_column;
            bool fits = size <= *page_room;
            *page_room -= fits ? size : 0;
            n_left_out += !fits;
            document_for(document, fits ? before : before & ~(unsigned)FOR_PAGE);
            document_sheet(document, sheet);
        }
    }
    if (n_left_out > 0) {
        document_for(document, FOR_PAGE);
        document_paragraph(document, TONE_NOTE,
                           "%zu confusion%s left out to keep this page small: see confusion-*.png "
                           "beside it.",
                           n_left_out, plural(n_left_out));
    }
    document_for(document, before);
    document_end(document);
}

/* ---- the part ---- */

static void say_setting(struct document *document, const struct group *setting, size_t *page_room)
{
    const struct run *finished = first_finished(setting);
    say_conditions(document, finished ? finished : setting->run[0]);
    unsigned before = document_for(document, FOR_TEXT);
    document_table(document, table_of(setting, false), "Accuracy on images", NULL);
    say_class_token(document, setting);
    document_for(document, before);
    say_confusions(document, setting, page_room);
}

void say_images(struct document *document, const struct material *material)
{
    const struct group *images = frame_kind(material->frame, OF_IMAGES);
    if (!images) {
        return;
    }
    struct groups settings = groups_by(images, FACTOR_BIT(TASK) | FACTOR_BIT(SETTING));
    size_t page_room = CONFUSIONS_PAGE_ROOM;
    document_begin(document, GROUP_SECTION, "images", "Images");
    unsigned before = document_for(document, FOR_TEXT);
    document_heading(document, 2, "Image data sets");
    document_for(document, before);
    say_preface(document);
    document_for(document, FOR_PAGE);
    document_table(document, table_of(images, true), "Accuracy on images", NULL);
    document_for(document, before);
    for (size_t i = 0; i < settings.n_group; i++) {
        const struct group *setting = &settings.group[i];
        if (i == 0 || setting[-1].level[FACTOR_TASK] != setting->level[FACTOR_TASK]) {
            document_heading(document, 3, "%s", run_task_title(setting->run[0]));
        }
        say_setting(document, setting, &page_room);
    }
    document_for(document, FOR_TEXT);
    say_differences_of_images(document, material);
    document_for(document, before);
    document_end(document);
}
