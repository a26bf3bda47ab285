/* run_sheets: layers are read from layer0.npy on until there is none. A sheet has an end: what does
 * not fit is said in the subtitle, and has its own picture anyway.
 */
#include "report/content/run_sheets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/folder.h"
#include "report/frame/run_files.h"

#define MAX_LAYER 64
#define MAX_HEAD 16
#define TRAINING_SIDE 76.0

/* ---- maps of a layer ---- */

/* Sets a panel to a map times scale. */
static void set_panel(struct sheet *sheet, size_t row, size_t column, const float *map, size_t n,
                      float scale)
{
    float *value = sheet_grid(sheet, sheet_panel_at(sheet, row, column), n, n);
    for (size_t i = 0; value && i < n * n; i++) {
        value[i] = map[i] * scale;
    }
}

static void set_mean(struct sheet *sheet, size_t row, size_t column, const struct maps *maps,
                     float scale)
{
    float *mean = maps_mean(maps);
    sheet->failed |= !mean;
    if (mean) {
        set_panel(sheet, row, column, mean, maps->n_token, scale);
    }
    free(mean);
}

/* ---- after training ---- */

struct layers {
    struct maps layer[MAX_LAYER];
    size_t n;
};

static enum status read_layers(const char *folder, struct layers *layers, struct error *err)
{
    char path[PATH_SIZE];
    for (; layers->n < MAX_LAYER; layers->n++) {
        struct maps *here = &layers->layer[layers->n];
        TRY(path_format(path, err, "%s/layer%zu.npy", folder, layers->n));
        if (!file_exists(path)) {
            break;
        }
        TRY(maps_read(path, 0, here, err));
        if (here->n_head != layers->layer[0].n_head || here->n_token != layers->layer[0].n_token) {
            maps_free(here);
            return error_set(err, STATUS_DATA, "%s has another shape than layer0.npy", path);
        }
    }
    return layers->n > 0 ? STATUS_OK : error_set(err, STATUS_DATA, "%s has no layer0.npy", folder);
}

static struct sheet *sheet_of_layers(const char *id, unsigned long step,
                                     const struct layers *layers)
{
    size_t n_head = layers->layer[0].n_head, n = layers->layer[0].n_token;
    size_t n_column = n_head < MAX_HEAD ? n_head : MAX_HEAD;
    struct sheet *sheet = sheet_create(id, layers->n, n_column + 1);
    if (!sheet || sheet->failed) {
        return sheet;
    }
    sheet_text(sheet, &sheet->name, "overview");
    sheet_text(sheet, &sheet->subtitle,
               "Attention, mean over the probe sequences, after step %lu%s", step,
               n_head > n_column ? "; the first heads and the mean over all" : "");
    sheet_text(sheet, &sheet->scale_title, "share of attention");
    sheet_text(sheet, &sheet->right, "key position");
    sheet_text(sheet, &sheet->down, "query position");
    for (size_t row = 0; row < layers->n; row++) {
        const struct maps *maps = &layers->layer[row];
        sheet_text(sheet, &sheet->row_title[row], "layer %zu", row);
        for (size_t head = 0; head < n_column; head++) {
            sheet_text(sheet, &sheet->column_title[head], "head %zu", head);
            set_panel(sheet, row, head, maps->head + head * n * n, n, 1);
        }
        sheet_text(sheet, &sheet->column_title[n_column], "mean of heads");
        set_mean(sheet, row, n_column, maps, 1);
    }
    return sheet;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

enum status run_sheet(const char *run_folder, struct sheet **sheet, struct error *err)
{
    char folder[PATH_SIZE], whole[PATH_SIZE];
    struct layers layers = {.n = 0};
    *sheet = NULL;
    TRY(run_files_attention_folder(run_folder, folder, err));
    TRY(path_format(whole, err, "%s", run_folder));
    for (size_t n = strlen(whole); n > 1 && whole[n - 1] == '/'; n--) {
        whole[n - 1] = '\0';
    }
    enum status status = read_layers(folder, &layers, err);
    if (status == STATUS_OK) {
        unsigned long step = strtoul(base_name(folder) + strlen("step"), NULL, 10);
        *sheet = sheet_of_layers(base_name(whole), step, &layers);
        if (!*sheet || (*sheet)->failed) {
            sheet_free(*sheet);
            *sheet = NULL;
            status = error_memory(err, "drawing %s", folder);
        }
    }
    for (size_t i = 0; i < layers.n; i++) {
        maps_free(&layers.layer[i]);
    }
    return status;
}

/* ---- on the way ---- */

static enum status fill_training(struct sheet *sheet, const struct run *run,
                                 const struct snapshots *snapshots, size_t first_layer,
                                 struct error *err)
{
    const struct config *config = run_config(run);
    struct maps maps;
    sheet->side = TRAINING_SIDE;
    sheet_text(sheet, &sheet->name, "training");
    sheet_text(sheet, &sheet->subtitle,
               "Attention during training, mean over the probe and %zu heads, in multiples of the "
               "uniform 1/%zu; step 0 is before training",
               config->n_head, config->seq_len);
    sheet_text(sheet, &sheet->scale_title, "multiples of uniform");
    sheet_text(sheet, &sheet->right, "key token");
    sheet_text(sheet, &sheet->down, "query token");
    for (size_t column = 0; column < sheet->n_column; column++) {
        sheet_text(sheet, &sheet->column_title[column], column == 0 ? "step %llu" : "%llu",
                   snapshots->at[column].step);
        for (size_t row = 0; row < sheet->n_row; row++) {
            sheet_text(sheet, &sheet->row_title[row], "layer %zu", first_layer + row);
            TRY(snapshot_read(run->folder, &snapshots->at[column], first_layer + row,
                              config->seq_len, &maps, err));
            set_mean(sheet, row, column, &maps, (float)config->seq_len);
            maps_free(&maps);
        }
    }
    sheet_scale(&sheet, 1);
    return sheet->failed ? error_memory(err, "drawing snapshots") : STATUS_OK;
}

enum status training_sheet(const struct run *run, struct sheet **sheet, struct error *err)
{
    struct snapshots snapshots;
    size_t n_layer = run_config(run)->n_layer;
    size_t n_row = n_layer < TRAINING_MAX_LAYER ? n_layer : TRAINING_MAX_LAYER;
    *sheet = NULL;
    enum status status = snapshots_list(run->folder, &snapshots, err);
    if (status == STATUS_OK && snapshots.n > 1) {
        *sheet = sheet_create(run_id(run), n_row, snapshots.n);
        status = *sheet && !(*sheet)->failed
                     ? fill_training(*sheet, run, &snapshots, n_layer - n_row, err)
                     : error_memory(err, "drawing snapshots");
    }
    if (status != STATUS_OK) {
        sheet_free(*sheet);
        *sheet = NULL;
    }
    snapshots_free(&snapshots);
    return status;
}
