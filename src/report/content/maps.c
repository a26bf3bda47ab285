/* maps: attention maps of the last layer, variants by tasks, a sheet a seed; for the page every
 * layer, head and snapshot of one seed of each cell, within a budget.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/content/part.h"
#include "report/content/run_sheets.h"
#include "report/content/topics.h"
#include "report/frame/run_files.h"

/* ---- a sheet a seed ---- */

static void name_axes(struct sheet *sheet, const struct part *part)
{
    for (size_t i = 0; i < part->variants.n_group; i++) {
        sheet_text(sheet, &sheet->row_title[i], "%s", part_variant(part, i)->variant_name);
    }
    for (size_t i = 0; i < part->tasks.n_group; i++) {
        sheet_text(sheet, &sheet->column_title[i], "%s", run_task_title(part_task(part, i)));
    }
    sheet_name_axes(sheet, "share of attention", "position");
}

static bool fill_panel(struct sheet *sheet, size_t row, size_t column, const struct run *run)
{
    struct sheet_panel *panel = sheet_panel_at(sheet, row, column);
    panel->value = run ? run_attention_map(run) : NULL;
    if (!panel->value) {
        return false;
    }
    double needed = run->measure[MEASURE_NEEDED];
    panel->n_row = panel->n_column = run_config(run)->seq_len;
    if (isfinite(needed)) {
        sheet_text(sheet, &panel->note, "on needed key: %.2f", needed);
    } else {
        sheet_text(sheet, &panel->note, "no single needed key");
    }
    return true;
}

/* Returns NULL where no run of the seed kept maps, or when out of memory, which `failed` tells. */
static struct sheet *sheet_of_seed(const struct part *part, long long seed, const char *stem,
                                   bool *failed)
{
    char title[128], setting[SETTING_TITLE_SIZE];
    snprintf(title, sizeof title, "Attention of the last layer, mean over heads, seed %lld", seed);
    struct sheet *sheet = sheet_create(title, part->variants.n_group, part->tasks.n_group);
    bool any = false;
    if (!sheet) {
        *failed = true;
        return NULL;
    }
    setting_title(part->group->run[0], setting);
    sheet_text(sheet, &sheet->subtitle, "%s", setting);
    sheet_text(sheet, &sheet->alt, "Attention maps of seed %lld", seed);
    sheet_text(sheet, &sheet->name, "%sattention-seed%lld", stem, seed);
    name_axes(sheet, part);
    for (size_t row = 0; row < sheet->n_row; row++) {
        for (size_t column = 0; column < sheet->n_column; column++) {
            any |=
                fill_panel(sheet, row, column, group_find_seed(part_cell(part, row, column), seed));
        }
    }
    if (!any) {
        sheet_free(sheet);
        return NULL;
    }
    return sheet;
}

void say_maps_of_part(struct document *document, const struct material *material, size_t number)
{
    const struct part *part = &material->part[number];
    struct groups seeds = groups_by(part->group, FACTOR_BIT(SEED));
    char stem[MATERIAL_STEM_SIZE];
    material_stem(number, stem);
    for (size_t i = 0, n_told = 0; i < seeds.n_group; i++) {
        long long seed = run_seed(seeds.group[i].run[0]);
        struct part of_seed = part_make(&seeds.group[i]); /* tasks may lack the seed */
        struct sheet *sheet = sheet_of_seed(&of_seed, seed, stem, &document->failed);
        if (!sheet) {
            continue;
        }
        if (n_told++ == 0) {
            document_heading(document, 3, "Attention maps");
            document_paragraph(
                document, TONE_PLAIN,
                "Row: the position that asks (query), from the top; column: the position it reads "
                "(key), from the left; the colour is the share of attention, on the same scale "
                "everywhere. A row adds up to 1, so a map that looks at everything alike is flat "
                "and dark. Reverse needs the anti-diagonal, Swap two shifted halves, Shift the "
                "line beside the diagonal; Copy and Sub need the diagonal or no attention at all, "
                "since every position carries its own digit past it. Below each map: the share of "
                "attention on the needed keys. Maps differ by seed.");
        }
        document_sheet(document, sheet);
    }
}

/* ---- every map of one seed of a cell, for the page ---- */

#define MAP_BUDGET (((size_t)6 << 20) / 4 * 3) /* values over all settings, a byte each */
#define FEW_SNAPSHOTS 8

struct source {
    const struct run *run; /* the first of the cell that kept maps; NULL: none */
    struct snapshots snapshots;
};

/* The sources of a setting. */
struct sources {
    struct part part;
    struct source *source; /* [n_variant, n_task] */
    size_t n;
    struct snapshots steps; /* of the one that kept most */
};

static void sources_free(struct sources *sources)
{
    for (size_t i = 0; sources->source && i < sources->n; i++) {
        snapshots_free(&sources->source[i].snapshots);
    }
    free(sources->source);
}

static void find_source(struct source *source, const struct group *cell)
{
    for (size_t i = 0; cell && i < cell->n_run && !source->run; i++) {
        if (run_is_ok(cell->run[i]) &&
            snapshots_list(cell->run[i]->folder, &source->snapshots, NULL) == STATUS_OK &&
            source->snapshots.n > 0) {
            source->run = cell->run[i];
        } else {
            snapshots_free(&source->snapshots);
        }
    }
}

static bool sources_make(const struct group *setting, struct sources *sources)
{
    *sources = (struct sources){.part = part_make(setting)};
    size_t n_task = sources->part.tasks.n_group;
    sources->n = sources->part.variants.n_group * n_task;
    sources->source = calloc(sources->n + 1, sizeof *sources->source);
    for (size_t i = 0; sources->source && i < sources->n; i++) {
        struct source *source = &sources->source[i];
        find_source(source, part_cell(&sources->part, i / n_task, i % n_task));
        if (source->snapshots.n > sources->steps.n) {
            sources->steps = source->snapshots;
        }
    }
    return sources->source != NULL;
}

/* Of n steps max are kept, the last among them, equally far apart. */
static bool is_kept(size_t i, size_t n, size_t max)
{
    return n <= max || (i + 1) * max / n > i * max / n;
}

static size_t size_of_sources(const struct sources *sources, size_t max)
{
    const struct config *config = run_config(sources->part.group->run[0]);
    size_t n_source = 0, n_step = sources->steps.n < max ? sources->steps.n : max;
    for (size_t i = 0; i < sources->n; i++) {
        n_source += sources->source[i].run != NULL;
    }
    return n_source * n_step * config->n_layer * config->n_head * config->seq_len * config->seq_len;
}

/* The last snapshot up to a step, or the first. */
static const struct snapshot *snapshot_up_to(const struct source *source, unsigned long long step)
{
    size_t i = source->snapshots.n - 1;
    while (i > 0 && source->snapshots.at[i].step > step) {
        i--;
    }
    return &source->snapshots.at[i];
}

/* Reads [n_layer][n_head][T,T]; false where a file is not what a run writes. */
static bool read_snapshot(const struct source *source, const struct snapshot *snapshot,
                          float *value)
{
    const struct config *config = run_config(source->run);
    size_t n = config->n_head * config->seq_len * config->seq_len;
    bool fine = true;
    for (size_t layer = 0; fine && layer < config->n_layer; layer++) {
        struct maps maps;
        fine = snapshot_read(source->run->folder, snapshot, layer, config->seq_len, &maps, NULL) ==
                   STATUS_OK &&
               maps.n_head == config->n_head;
        if (fine) {
            memcpy(value + layer * n, maps.head, n * sizeof *value);
        }
        maps_free(&maps);
    }
    return fine;
}

/* Fills the panel of a source; it stays without numbers where they cannot be read. */
static void fill_all(struct sheet *sheet, struct sheet_panel *panel, const struct source *source,
                     const struct sources *sources, size_t max)
{
    const struct config *config = run_config(source->run);
    size_t n = config->n_layer * config->n_head * config->seq_len * config->seq_len, n_kept = 0;
    float *value = sheet_grid(sheet, panel, config->seq_len, config->seq_len);
    bool fine = value != NULL, own = true;
    for (size_t i = 0; fine && i < sources->steps.n; i++) {
        if (is_kept(i, sources->steps.n, max)) {
            const struct snapshot *snapshot = snapshot_up_to(source, sources->steps.at[i].step);
            own &= snapshot->step == sources->steps.at[i].step;
            fine = read_snapshot(source, snapshot, value + n_kept++ * n);
        }
    }
    if (!fine) {
        free(panel->value);
        panel->value = NULL;
        return;
    }
    sheet_text(sheet, &panel->folder, "%s", run_id(source->run));
    sheet_text(sheet, &panel->note, "seed %lld%s", run_seed(source->run),
               own ? "" : ", its last snapshot up to the step");
}

static void number_labels(struct sheet *sheet, const char *title, size_t n, bool can_mean)
{
    struct sheet_dimension *dimension = sheet_dimension(sheet, title, n);
    for (size_t i = 0; dimension && i < n; i++) {
        sheet_text(sheet, &dimension->label[i], "%zu", i);
    }
    if (dimension) {
        dimension->can_mean = can_mean;
    }
}

static void add_dimensions(struct sheet *sheet, const struct sources *sources, size_t max)
{
    const struct run *run = sources->part.group->run[0];
    size_t n_kept = sources->steps.n < max ? sources->steps.n : max, k = 0;
    struct sheet_dimension *step = sheet_dimension(sheet, "step", n_kept);
    for (size_t i = 0; step && i < sources->steps.n; i++) {
        if (is_kept(i, sources->steps.n, max)) {
            sheet_text(sheet, &step->label[k++], "%llu", sources->steps.at[i].step);
        }
    }
    number_labels(sheet, "layer", run_config(run)->n_layer, false);
    number_labels(sheet, "head", run_config(run)->n_head, true);
    sheet->faint = (run->kind->bit & OF_IMAGES) != 0;
}

static struct sheet *sheet_of_all(const struct sources *sources, size_t max, size_t *n_unread)
{
    const struct part *part = &sources->part;
    struct sheet *sheet =
        sheet_create("Attention maps", part->variants.n_group, part->tasks.n_group);
    if (!sheet) {
        return NULL;
    }
    name_axes(sheet, part);
    add_dimensions(sheet, sources, max);
    for (size_t i = 0; !sheet->failed && i < sources->n; i++) {
        if (sources->source[i].run) {
            const struct group *cell = part_cell(part, i / sheet->n_column, i % sheet->n_column);
            fill_all(sheet, &sheet->panel[i], &sources->source[i], sources, max);
            sheet->panel[i].tag = facets_tag(group_facets(cell));
            *n_unread += !sheet->panel[i].value;
        }
    }
    return sheet;
}

/* Where everything is too much, first snapshots go, then whole settings. */
static size_t choose_snapshots(const struct sources *sources, size_t n)
{
    static const size_t choice[] = {SIZE_MAX, FEW_SNAPSHOTS};
    for (size_t c = 0; c < 2; c++) {
        size_t size = 0;
        for (size_t i = 0; i < n; i++) {
            size += size_of_sources(&sources[i], choice[c]);
        }
        if (size <= MAP_BUDGET) {
            return choice[c];
        }
    }
    return 1;
}

static void say_setting(struct document *document, const struct frame *frame,
                        const struct sources *sources, size_t max, size_t *n_unread)
{
    const struct group *setting = sources->part.group;
    char name[SETTING_NAME_SIZE];
    setting_name(frame, setting, name);
    document_begin(document, GROUP_OPTION, NULL, "%s", name);
    document_group_tag(document, facets_tag(group_facets(setting)));
    document_sheet(document, sheet_of_all(sources, max, n_unread));
    document_end(document);
}

static void say_limits(struct document *document, size_t max, size_t n_left_out, size_t n_unread)
{
    if (max != SIZE_MAX) {
        document_paragraph(document, TONE_NOTE,
                           "To keep this page small, at most %zu snapshot%s of a run %s in it.",
                           max, plural(max), max == 1 ? "is" : "are");
    }
    if (n_left_out > 0) {
        document_paragraph(document, TONE_NOTE,
                           "The maps of %zu further setting%s are left out to keep this page "
                           "small; they are in the run folders.",
                           n_left_out, plural(n_left_out));
    }
    if (n_unread > 0) {
        document_paragraph(document, TONE_NOTE,
                           "The maps of %zu combination%s of variant, task and setting could not "
                           "be read.",
                           n_unread, plural(n_unread));
    }
}

static void say_sources(struct document *document, const struct frame *frame,
                        const struct sources *sources)
{
    size_t n = frame->setting.n_group;
    size_t max = choose_snapshots(sources, n), used = 0, n_told = 0, n_left_out = 0, n_unread = 0;
    for (size_t i = 0; i < n; i++) {
        size_t size = size_of_sources(&sources[i], max);
        if (size == 0 || used + size > MAP_BUDGET) {
            n_left_out += size > 0;
            continue;
        }
        if (n_told++ == 0) {
            document_begin(document, GROUP_SECTION, "maps", "Maps");
            document_paragraph(document, TONE_PLAIN,
                               "Row: the position that asks (query), from the top; column: the "
                               "position it reads (key), from the left; the colour is the share of "
                               "attention, mean over the probe. A map is of the first seed that "
                               "kept maps. Point at a map, or focus it and press the arrow keys, "
                               "to read the values; a value is off by at most 0.004.");
            document_begin(document, GROUP_CHOICE, NULL, "Setting");
        }
        used += size;
        say_setting(document, frame, &sources[i], max, &n_unread);
    }
    if (n_told > 0) {
        document_end(document);
        say_limits(document, max, n_left_out, n_unread);
        document_end(document);
    }
}

void say_maps(struct document *document, const struct material *material)
{
    const struct groups *settings = &material->frame->setting;
    struct sources *sources = calloc(settings->n_group + 1, sizeof *sources);
    document->failed |= !sources;
    for (size_t i = 0; sources && i < settings->n_group; i++) {
        document->failed |= !sources_make(&settings->group[i], &sources[i]);
    }
    if (sources && !document->failed) {
        say_sources(document, material->frame, sources);
    }
    for (size_t i = 0; sources && i < settings->n_group; i++) {
        sources_free(&sources[i]);
    }
    free(sources);
}
