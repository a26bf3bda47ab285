#include "report/content/run_sheets.h"

#include <stdlib.h>

#include "report/frame/run_files.h"

#define TRAINING_SIDE 76.0

void sheet_name_axes(struct sheet *sheet, const char *unit, const char *place)
{
    sheet_text(sheet, &sheet->scale_title, "%s", unit);
    sheet_text(sheet, &sheet->right, "key %s", place);
    sheet_text(sheet, &sheet->down, "query %s", place);
}

/* Sets a panel to a map times scale; NULL is a failed allocation. */
static void set_panel(struct sheet *sheet, size_t row, size_t column, const float *map, size_t n,
                      float scale)
{
    float *value = sheet_grid(sheet, sheet_panel_at(sheet, row, column), n, n);
    sheet->failed |= !map;
    for (size_t i = 0; value && map && i < n * n; i++) {
        value[i] = map[i] * scale;
    }
}

static void set_mean(struct sheet *sheet, size_t row, size_t column, const struct maps *maps,
                     float scale)
{
    float *mean = maps_mean(maps);
    set_panel(sheet, row, column, mean, maps->n_token, scale);
    free(mean);
}

/* A layer's row of either sheet, from its snapshots. */
typedef enum status fill_row(struct sheet *sheet, const struct run *run,
                             const struct snapshots *snapshots, size_t row, size_t layer,
                             struct error *err);

/* Names and fills the rows, the last one the last layer's. */
static enum status fill(struct sheet *sheet, const struct run *run,
                        const struct snapshots *snapshots, fill_row *row_of, struct error *err)
{
    size_t first = run_config(run)->n_layer - sheet->n_row;
    for (size_t row = 0; !sheet->failed && row < sheet->n_row; row++) {
        sheet_text(sheet, &sheet->row_title[row], "layer %zu", first + row);
        TRY(row_of(sheet, run, snapshots, row, first + row, err));
    }
    return sheet->failed ? error_memory(err, "drawing %s", run->folder) : STATUS_OK;
}

/* ---- after training ---- */

static enum status fill_heads(struct sheet *sheet, const struct run *run,
                              const struct snapshots *snapshots, size_t row, size_t layer,
                              struct error *err)
{
    struct maps maps;
    size_t n = run_config(run)->seq_len, n_head = sheet->n_column - 1;
    TRY(snapshot_read(run->folder, &snapshots->at[snapshots->n - 1], layer, n, &maps, err));
    for (size_t head = 0; head < n_head && head < maps.n_head; head++) {
        set_panel(sheet, row, head, maps.head + head * n * n, n, 1);
    }
    set_mean(sheet, row, n_head, &maps, 1);
    maps_free(&maps);
    return STATUS_OK;
}

static struct sheet *overview(const struct run *run, const struct snapshots *snapshots)
{
    const struct config *config = run_config(run);
    size_t n_head = config->n_head < OVERVIEW_MAX_HEAD ? config->n_head : OVERVIEW_MAX_HEAD;
    struct sheet *sheet = sheet_create(run_id(run), config->n_layer, n_head + 1);
    if (!sheet) {
        return NULL;
    }
    sheet_text(sheet, &sheet->name, "overview");
    sheet_text(sheet, &sheet->subtitle,
               "Attention, mean over the probe sequences, after step %llu%s",
               snapshots->at[snapshots->n - 1].step,
               config->n_head > n_head ? "; the first heads and the mean over all" : "");
    sheet_name_axes(sheet, "share of attention", "position");
    for (size_t head = 0; head < n_head; head++) {
        sheet_text(sheet, &sheet->column_title[head], "head %zu", head);
    }
    sheet_text(sheet, &sheet->column_title[n_head], "mean of heads");
    return sheet;
}

/* ---- on the way ---- */

static enum status fill_means(struct sheet *sheet, const struct run *run,
                              const struct snapshots *snapshots, size_t row, size_t layer,
                              struct error *err)
{
    size_t n = run_config(run)->seq_len;
    for (size_t column = 0; column < sheet->n_column; column++) {
        struct maps maps;
        TRY(snapshot_read(run->folder, &snapshots->at[column], layer, n, &maps, err));
        set_mean(sheet, row, column, &maps, (float)n);
        maps_free(&maps);
    }
    return STATUS_OK;
}

static struct sheet *training(const struct run *run, const struct snapshots *snapshots)
{
    const struct config *config = run_config(run);
    size_t n_row = config->n_layer < TRAINING_MAX_LAYER ? config->n_layer : TRAINING_MAX_LAYER;
    struct sheet *sheet = sheet_create(run_id(run), n_row, snapshots->n);
    if (!sheet) {
        return NULL;
    }
    sheet->side = TRAINING_SIDE;
    sheet_text(sheet, &sheet->name, "training");
    sheet_text(sheet, &sheet->subtitle,
               "Attention during training, mean over the probe and %zu heads, in multiples of the "
               "uniform 1/%zu; step 0 is before training",
               config->n_head, config->seq_len);
    sheet_name_axes(sheet, "multiples of uniform", "token");
    for (size_t i = 0; i < snapshots->n; i++) {
        sheet_text(sheet, &sheet->column_title[i], i == 0 ? "step %llu" : "%llu",
                   snapshots->at[i].step);
    }
    return sheet;
}

/* ---- either ---- */

/* Makes a sheet of the snapshots, of which there have to be n_min. */
static enum status make(const struct run *run, size_t n_min,
                        struct sheet *(*empty)(const struct run *, const struct snapshots *),
                        fill_row *row_of, struct sheet **sheet, struct error *err)
{
    struct snapshots snapshots;
    *sheet = NULL;
    enum status status = snapshots_list(run->folder, &snapshots, err);
    if (status == STATUS_OK && snapshots.n >= n_min) {
        *sheet = empty(run, &snapshots);
        status = *sheet ? fill(*sheet, run, &snapshots, row_of, err)
                        : error_memory(err, "drawing %s", run->folder);
    }
    if (status != STATUS_OK) {
        sheet_free(*sheet);
        *sheet = NULL;
    }
    snapshots_free(&snapshots);
    return status;
}

enum status run_sheet(const struct run *run, struct sheet **sheet, struct error *err)
{
    return make(run, 1, overview, fill_heads, sheet, err);
}

enum status training_sheet(const struct run *run, struct sheet **sheet, struct error *err)
{
    TRY(make(run, 2, training, fill_means, sheet, err));
    if (*sheet) {
        sheet_scale(sheet, 1);
    }
    return STATUS_OK;
}
