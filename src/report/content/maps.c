/* maps: attention maps of the last layer, variants by tasks, a sheet a seed; for the page every
 * layer, head and snapshot of one seed of each cell, within a budget.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/folder.h"
#include "base/npy.h"
#include "base/path.h"
#include "report/content/part.h"
#include "report/content/topics.h"

/* ---- a sheet a seed ---- */

static void name_axes(struct sheet *sheet, const struct part *part)
{
    for (size_t i = 0; i < part->variants.n_group; i++) {
        sheet_text(sheet, &sheet->row_title[i], "%s", part_variant(part, i)->variant_name);
    }
    for (size_t i = 0; i < part->tasks.n_group; i++) {
        sheet_text(sheet, &sheet->column_title[i], "%s", run_task_title(part_task(part, i)));
    }
    sheet_text(sheet, &sheet->scale_title, "share of attention");
    sheet_text(sheet, &sheet->right, "key position");
    sheet_text(sheet, &sheet->down, "query position");
}

static bool fill_panel(struct sheet *sheet, size_t row, size_t column, const struct run *run)
{
    struct sheet_panel *panel = sheet_panel_at(sheet, row, column);
    panel->value = run ? run_attention_map(run) : NULL;
    if (!panel->value) {
        return false;
    }
    double needed = run->measure[MEASURE_NEEDED];
    panel->n = run_config(run)->seq_len;
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
    *failed |= !sheet || sheet->failed;
    if (*failed) {
        sheet_free(sheet);
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
    struct part part = part_make(&material->part[number]);
    struct groups seeds = groups_by(part.group, FACTOR_BIT(SEED));
    char stem[MATERIAL_STEM_SIZE];
    material_stem(number, stem);
    document->failed |= part.failed || seeds.failed;
    for (size_t i = 0, n_told = 0; i < seeds.n_group; i++) {
        long long seed = run_seed(seeds.group[i].run[0]);
        struct sheet *sheet = sheet_of_seed(&part, seed, stem, &document->failed);
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
    groups_free(&seeds);
    part_free(&part);
}

/* ---- every map of one seed, for the page ---- */

#define MAP_BUDGET ((size_t)5 << 20) /* values over all settings */
#define FEW_SNAPSHOTS 8

struct steps {
    char **names; /* [n_name] of <run>/attention, "step000158" and others */
    size_t n_name;
    size_t *kept; /* [n] places in names */
    size_t n;
};

static void steps_free(struct steps *steps)
{
    if (steps->names) {
        folder_list_free(steps->names, steps->n_name);
    }
    free(steps->kept);
    *steps = (struct steps){0};
}

/* Of the snapshots of a run max are kept, the last among them, equally far apart. */
static struct steps steps_of(const struct run *run, size_t max)
{
    struct steps steps = {0};
    char path[PATH_SIZE];
    size_t n_step = 0, i_step = 0;
    if (!run_is_ok(run) || path_format(path, NULL, "%s/attention", run->folder) != STATUS_OK ||
        !folder_exists(path) || folder_list(path, &steps.names, &steps.n_name, NULL) != STATUS_OK) {
        return steps;
    }
    steps.kept = calloc(steps.n_name + 1, sizeof *steps.kept);
    for (size_t i = 0; i < steps.n_name; i++) {
        n_step += strncmp(steps.names[i], "step", 4) == 0;
    }
    for (size_t i = 0; steps.kept && i < steps.n_name; i++) {
        if (strncmp(steps.names[i], "step", 4) == 0) {
            bool keep = n_step <= max || (i_step + 1) * max / n_step > i_step * max / n_step;
            i_step++;
            if (keep) {
                steps.kept[steps.n++] = i;
            }
        }
    }
    if (steps.n == 0) {
        steps_free(&steps);
    }
    return steps;
}

/* The first run of a cell that kept maps. */
static const struct run *run_with_maps(const struct group *cell)
{
    for (size_t i = 0; cell && i < cell->n_run; i++) {
        struct steps steps = steps_of(cell->run[i], 1);
        bool found = steps.n > 0;
        steps_free(&steps);
        if (found) {
            return cell->run[i];
        }
    }
    return NULL;
}

static size_t size_of_run_maps(const struct run *run, size_t max)
{
    const struct config *config = run_config(run);
    struct steps steps = steps_of(run, max);
    size_t size = steps.n * config->n_layer * config->n_head * config->seq_len * config->seq_len;
    steps_free(&steps);
    return size;
}

/* Reads [n_step][n_layer][n_head][T,T]; NULL where a file is not what a run writes. */
static float *read_all_maps(const struct run *run, const struct steps *steps)
{
    const struct config *config = run_config(run);
    size_t layer_size = config->n_head * config->seq_len * config->seq_len;
    float *value = malloc((steps->n * config->n_layer * layer_size + 1) * sizeof *value);
    for (size_t i = 0; value && i < steps->n * config->n_layer; i++) {
        char path[PATH_SIZE];
        float *map = NULL;
        size_t dim[NPY_MAX_DIM], n_dim;
        bool fine = path_format(path, NULL, "%s/attention/%s/layer%zu.npy", run->folder,
                                steps->names[steps->kept[i / config->n_layer]],
                                i % config->n_layer) == STATUS_OK &&
                    file_exists(path) && npy_read(path, &map, dim, &n_dim, NULL) == STATUS_OK &&
                    n_dim == 3 && dim[0] == config->n_head && dim[1] == config->seq_len &&
                    dim[2] == dim[1];
        if (fine) {
            memcpy(value + i * layer_size, map, layer_size * sizeof *value);
        } else {
            free(value);
            value = NULL;
        }
        free(map);
    }
    return value;
}

static bool same_steps(const struct steps *a, const struct steps *b)
{
    bool same = a->n == b->n;
    for (size_t i = 0; same && i < a->n; i++) {
        same = strcmp(a->names[a->kept[i]], b->names[b->kept[i]]) == 0;
    }
    return same;
}

static void add_dimensions(struct sheet *sheet, const struct run *run, const struct steps *steps)
{
    const struct config *config = run_config(run);
    struct sheet_dimension *step = sheet_dimension(sheet, "step", steps->n);
    for (size_t i = 0; step && i < steps->n; i++) {
        sheet_text(sheet, &step->label[i], "%lld", atoll(steps->names[steps->kept[i]] + 4));
    }
    struct sheet_dimension *layer = sheet_dimension(sheet, "layer", config->n_layer);
    for (size_t i = 0; layer && i < config->n_layer; i++) {
        sheet_text(sheet, &layer->label[i], "%zu", i);
    }
    struct sheet_dimension *head = sheet_dimension(sheet, "head", config->n_head);
    for (size_t i = 0; head && i < config->n_head; i++) {
        sheet_text(sheet, &head->label[i], "%zu", i);
    }
    if (head) {
        head->can_mean = true;
    }
}

static struct sheet *sheet_of_all(const struct part *part, size_t max)
{
    struct sheet *sheet =
        sheet_create("Attention maps", part->variants.n_group, part->tasks.n_group);
    struct steps first = {0};
    if (!sheet || sheet->failed) {
        return sheet;
    }
    name_axes(sheet, part);
    for (size_t i = 0; i < sheet->n_row * sheet->n_column; i++) {
        const struct group *cell = part_cell(part, i / sheet->n_column, i % sheet->n_column);
        const struct run *run = run_with_maps(cell);
        struct steps steps = run ? steps_of(run, max) : (struct steps){0};
        bool is_first = run && first.n == 0;
        if (is_first) {
            add_dimensions(sheet, run, &steps);
        }
        if (run && (is_first || same_steps(&first, &steps))) {
            struct sheet_panel *panel = &sheet->panel[i];
            panel->value = read_all_maps(run, &steps);
            panel->n = run_config(run)->seq_len;
            panel->tag = facets_tag(group_facets(cell));
            sheet_text(sheet, &panel->folder, "%s", run_id(run));
            sheet_text(sheet, &panel->note, "seed %lld", run_seed(run));
        }
        if (is_first) {
            first = steps;
        } else {
            steps_free(&steps);
        }
    }
    steps_free(&first);
    return sheet;
}

static size_t size_of_setting(const struct group *setting, size_t max)
{
    struct groups cells = groups_by(setting, FACTOR_BIT(VARIANT) | FACTOR_BIT(TASK));
    size_t size = 0;
    for (size_t i = 0; i < cells.n_group; i++) {
        const struct run *run = run_with_maps(&cells.group[i]);
        size += run ? size_of_run_maps(run, max) : 0;
    }
    groups_free(&cells);
    return size;
}

/* Where everything is too much, first snapshots go, then whole settings. */
static size_t choose_snapshots(const struct groups *settings)
{
    static const size_t choice[] = {64, FEW_SNAPSHOTS, 1};
    for (size_t i = 0; i < 2; i++) {
        size_t size = 0;
        for (size_t k = 0; k < settings->n_group && size <= MAP_BUDGET; k++) {
            size += size_of_setting(&settings->group[k], choice[i]);
        }
        if (size <= MAP_BUDGET) {
            return choice[i];
        }
    }
    return choice[2];
}

void say_maps(struct document *document, const struct material *material)
{
    const struct groups *settings = &material->frame->setting;
    unsigned before = document_for(document, FOR_PAGE);
    size_t max = choose_snapshots(settings), used = 0, n_left_out = 0, n_told = 0;
    for (size_t i = 0; i < settings->n_group; i++) {
        const struct group *setting = &settings->group[i];
        size_t size = size_of_setting(setting, max);
        char title[SETTING_TITLE_SIZE];
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
                               "to read the values.");
            document_begin(document, GROUP_CHOICE, NULL, "Setting");
        }
        struct part part = part_make(setting);
        used += size;
        document->failed |= part.failed;
        setting_title(setting->run[0], title);
        document_begin(document, GROUP_OPTION, NULL, "%s", title);
        document_group_tag(document, facets_tag(group_facets(setting)));
        document_sheet(document, sheet_of_all(&part, max));
        document_end(document);
        part_free(&part);
    }
    if (n_told > 0) {
        document_end(document);
        if (n_left_out > 0) {
            document_paragraph(document, TONE_NOTE,
                               "The maps of %zu further settings are left out to keep this page "
                               "small; they are in the run folders.",
                               n_left_out);
        }
        document_end(document);
    }
    document_for(document, before);
}
