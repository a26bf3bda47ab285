/* report: reads the runs, lets the topics speak, writes the files. */
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/folder.h"
#include "base/text.h"
#include "report/content/topics.h"
#include "report/frame/sizes.h"
#include "report/report_folder.h"
#include "report/write/data.h"
#include "report/write/draw_plot.h"
#include "report/write/draw_sheet.h"
#include "report/write/latex.h"
#include "report/write/markdown.h"
#include "report/write/page.h"

static enum status write_pictures(const struct document *document, const char *folder,
                                  struct error *err)
{
    for (size_t i = 0; i < document->n_block; i++) {
        const struct block *block = &document->block[i];
        if (block->plot && block->plot->name) {
            TRY(draw_plot_write(block->plot, folder, err));
        }
        if (block->sheet && block->sheet->name) {
            TRY(draw_sheet_write(block->sheet, folder, err));
        }
    }
    return STATUS_OK;
}

/* ---- the page's levels ---- */

struct levels {
    struct page_levels page;
    struct text lead;
    double *size;
    char (*title)[SETTING_NAME_SIZE];
};

static void free_levels(struct levels *levels)
{
    free(levels->page.task);
    free(levels->page.variant);
    free(levels->page.setting);
    free(levels->size);
    free(levels->title);
    text_free(&levels->lead);
}

static void write_lead(const struct frame *frame, struct text *lead)
{
    const struct run *run = frame->list[0];
    char class[RUN_TEXT_SIZE], version[RUN_TEXT_SIZE], commit[RUN_TEXT_SIZE];
    run_fact(run, "machine", "class", class);
    run_fact(run, "build", "version", version);
    run_fact(run, "build", "commit", commit);
    text_append(lead,
                "%zu finished run%s: %zu variant%s, %zu task%s, %zu setting%s; machine class %s; "
                "qkvlab %s (%s).",
                frame->all.n_ok, plural(frame->all.n_ok), frame->n_level[FACTOR_VARIANT],
                plural(frame->n_level[FACTOR_VARIANT]), frame->n_level[FACTOR_TASK],
                plural(frame->n_level[FACTOR_TASK]), frame->n_level[FACTOR_SETTING],
                plural(frame->n_level[FACTOR_SETTING]), class, version, commit);
}

static void fill_levels(const struct frame *frame, struct levels *levels)
{
    struct page_levels *page = &levels->page;
    for (size_t i = 0; i < page->n_task; i++) {
        const struct run *run = frame->sample[FACTOR_TASK][i];
        page->task[i] = (struct page_level){run_task_name(run), run_task_title(run), NULL};
    }
    for (size_t i = 0; i < page->n_variant; i++) {
        const struct run *run = frame->sample[FACTOR_VARIANT][i];
        page->variant[i] = (struct page_level){run->variant_id, run->variant_name, NULL};
    }
    for (size_t i = 0; i < page->n_setting; i++) {
        const struct group *setting = &frame->setting.group[i];
        double *size = levels->size + i * SIZE_COUNT;
        setting_name(frame, setting, levels->title[i]);
        for (int k = 0; k < SIZE_COUNT; k++) {
            size[k] = (double)size_of(setting, (enum size)k);
        }
        page->setting[i] = (struct page_level){"", levels->title[i], size};
    }
}

static enum status make_levels(const struct frame *frame, struct levels *levels, struct error *err)
{
    static const char *size_names[SIZE_COUNT];
    const size_t *n = frame->n_level;
    for (int i = 0; i < SIZE_COUNT; i++) {
        size_names[i] = size_letter((enum size)i);
    }
    *levels = (struct levels){
        .page = {.n_task = n[FACTOR_TASK],
                 .n_variant = n[FACTOR_VARIANT],
                 .n_setting = n[FACTOR_SETTING],
                 .runs = RUNS_ANCHOR,
                 .size = size_names,
                 .n_size = SIZE_COUNT,
                 .task = calloc(n[FACTOR_TASK] + 1, sizeof *levels->page.task),
                 .variant = calloc(n[FACTOR_VARIANT] + 1, sizeof *levels->page.variant),
                 .setting = calloc(n[FACTOR_SETTING] + 1, sizeof *levels->page.setting)},
        .size = calloc((n[FACTOR_SETTING] + 1) * SIZE_COUNT, sizeof *levels->size),
        .title = calloc(n[FACTOR_SETTING] + 1, sizeof *levels->title)};
    if (!levels->page.task || !levels->page.variant || !levels->page.setting || !levels->size ||
        !levels->title) {
        return error_memory(err, "writing the report");
    }
    write_lead(frame, &levels->lead);
    levels->page.lead = levels->lead.data ? levels->lead.data : "";
    fill_levels(frame, levels);
    return STATUS_OK;
}

static enum status write_page(const struct document *document, const struct frame *frame,
                              const char *folder, struct error *err)
{
    struct levels levels;
    enum status status = make_levels(frame, &levels, err);
    if (status == STATUS_OK) {
        status = page_write(document, &levels.page, folder, err);
    }
    free_levels(&levels);
    return status;
}

/* ---- all of it ---- */

/* Every format of the document but the page, which is told the levels of the frame, too. */
typedef enum status write_format(const struct document *document, const char *folder,
                                 struct error *err);
static write_format *const formats[] = {
    write_pictures,
    data_write,
    latex_write,
    markdown_write,
};

static enum status write_all(const struct document *document, const struct frame *frame,
                             const char *folder, struct error *err)
{
    if (document_failed(document)) {
        return error_memory(err, "writing the report");
    }
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        TRY(formats[i](document, folder, err));
    }
    return write_page(document, frame, folder, err);
}

/* What was there stays as it is where the new report cannot be written to the end. */
static enum status replace_report(const struct document *document, const struct frame *frame,
                                  const char *out, struct error *err)
{
    struct report_folder folder;
    TRY(report_folder_begin(out, &folder, err));
    if (write_all(document, frame, folder.work, err) == STATUS_OK) {
        return report_folder_finish(&folder, err);
    }
    report_folder_abandon(&folder);
    if (folder_exists(folder.path)) {
        error_prefix(err, "%s stays as it was", folder.path);
    }
    return err->status;
}

static enum status say(const struct frame *frame, const struct references *references,
                       struct document *document, struct error *err)
{
    struct material material = {0};
    TRY(references_check(references, &frame->all, err));
    enum status status = material_make(frame, references, &material, err);
    if (status == STATUS_OK) {
        topics_say(document, &material);
        document->failed |= cuts_failed(frame->cuts);
    }
    material_free(&material);
    return status;
}

static struct report_summary summarise(const struct frame *frame)
{
    return (struct report_summary){
        .n_run = frame->all.n_ok,
        .n_left_out = frame->n_run - frame->all.n_ok + frame->n_left_out,
        .n_repeat = frame->n_repeat,
        .n_planned = frame->n_planned,
        .n_missing = frame->n_missing,
        .n_without_maps = notes_without_maps(frame),
        .n_without_curve = notes_without_curve(frame),
    };
}

enum status report_write_against(const char *out, const char *const *reference, size_t n_reference,
                                 struct report_summary *summary, struct error *err)
{
    struct frame frame = {0};
    struct references references = {0};
    struct document document = document_create();
    char markdown[PATH_SIZE];
    struct error local;
    err = err ? err : &local;
    enum status status = path_format(markdown, err, "%s/report/report.md", out);
    if (status == STATUS_OK) {
        status = references_read(reference, n_reference, &references, err);
    }
    if (status == STATUS_OK) {
        status = frame_load(out, &frame, err);
    }
    if (status == STATUS_OK) {
        status = say(&frame, &references, &document, err);
    }
    if (status == STATUS_OK) {
        status = replace_report(&document, &frame, out, err);
    }
    *summary = summarise(&frame);
    memcpy(summary->markdown, markdown, sizeof markdown);
    document_free(&document);
    references_free(&references);
    frame_free(&frame);
    return status;
}

enum status report_write(const char *out, struct report_summary *summary, struct error *err)
{
    return report_write_against(out, NULL, 0, summary, err);
}
