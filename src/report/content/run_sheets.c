/* run_sheets: layers are read from layer0.npy on until there is none. A sheet has an end: what does
 * not fit is said in the subtitle, and has its own picture anyway.
 */
#include "report/content/run_sheets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/folder.h"
#include "base/npy.h"
#include "report/frame/run_files.h"
#include "report/images/overlay.h"

#define MAX_LAYER 64
#define MAX_HEAD 16
#define TRAINING_SIDE 76.0

/* ---- maps of a layer ---- */

struct maps {
    float *head; /* [n_head,T,T] */
    size_t n_head, n_token;
};

static enum status read_maps(const char *path, struct maps *maps, struct error *err)
{
    size_t dim[NPY_MAX_DIM], n_dim;
    *maps = (struct maps){0};
    TRY(npy_read(path, &maps->head, dim, &n_dim, err));
    if (n_dim != 3 || dim[0] == 0 || dim[1] == 0 || dim[1] != dim[2]) {
        free(maps->head);
        maps->head = NULL;
        return error_set(err, STATUS_DATA, "%s is not square, expected [heads, T, T]", path);
    }
    maps->n_head = dim[0];
    maps->n_token = dim[1];
    return STATUS_OK;
}

/* Sets a panel to a map times scale. */
static void set_panel(struct sheet *sheet, size_t row, size_t column, const float *map, size_t n,
                      float scale)
{
    struct sheet_panel *panel = sheet_panel_at(sheet, row, column);
    panel->n = n;
    panel->value = malloc(n * n * sizeof *panel->value);
    sheet->failed |= !panel->value;
    for (size_t i = 0; panel->value && i < n * n; i++) {
        panel->value[i] = map[i] * scale;
    }
}

static void set_mean(struct sheet *sheet, size_t row, size_t column, const struct maps *maps,
                     float scale)
{
    size_t n = maps->n_token;
    float *mean = malloc(n * n * sizeof *mean);
    sheet->failed |= !mean;
    if (mean) {
        attention_mean(maps->head, maps->n_head, n, mean);
        set_panel(sheet, row, column, mean, n, scale);
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
        TRY(read_maps(path, here, err));
        if (here->n_head != layers->layer[0].n_head || here->n_token != layers->layer[0].n_token) {
            free(here->head);
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
            status = error_memory(err, "drawing %s", folder);
        }
    }
    for (size_t i = 0; i < layers.n; i++) {
        free(layers.layer[i].head);
    }
    return status;
}

/* ---- on the way ---- */

struct snapshot {
    unsigned long long step;
    char name[32]; /* of its folder */
};

static int compare_steps(const void *a, const void *b)
{
    unsigned long long left = ((const struct snapshot *)a)->step;
    unsigned long long right = ((const struct snapshot *)b)->step;
    return (left > right) - (left < right);
}

static enum status list_snapshots(const struct run *run, struct snapshot **list, size_t *n,
                                  struct error *err)
{
    char folder[PATH_SIZE];
    char **names;
    size_t n_name;
    *n = 0;
    TRY(path_format(folder, err, "%s/attention", run->folder));
    TRY(folder_list(folder, &names, &n_name, err));
    *list = calloc(n_name + 1, sizeof **list);
    for (size_t i = 0; *list && i < n_name; i++) {
        struct snapshot *snapshot = &(*list)[*n];
        char *end;
        if (strncmp(names[i], "step", 4) != 0 || strlen(names[i]) >= sizeof snapshot->name) {
            continue;
        }
        snapshot->step = strtoull(names[i] + 4, &end, 10);
        snprintf(snapshot->name, sizeof snapshot->name, "%s", names[i]);
        *n += *end == '\0' && end > names[i] + 4;
    }
    folder_list_free(names, n_name);
    if (!*list) {
        return error_memory(err, "drawing snapshots");
    }
    qsort(*list, *n, sizeof **list, compare_steps);
    return STATUS_OK;
}

static enum status fill_panel(struct sheet *sheet, const struct run *run,
                              const struct snapshot *snapshot, size_t row, size_t column,
                              size_t layer, struct error *err)
{
    char path[PATH_SIZE];
    struct maps maps;
    size_t n_token = run_config(run)->seq_len;
    TRY(path_format(path, err, "%s/attention/%s/layer%zu.npy", run->folder, snapshot->name, layer));
    TRY(read_maps(path, &maps, err));
    if (maps.n_token == n_token) {
        set_mean(sheet, row, column, &maps, (float)n_token);
    }
    free(maps.head);
    return maps.n_token == n_token
               ? STATUS_OK
               : error_set(err, STATUS_DATA, "%s: expected maps of the shape [heads, %zu, %zu]",
                           path, n_token, n_token);
}

/* One scale for all panels, up to a round multiple of uniform attention. */
static enum status scale_sheet(struct sheet *sheet, struct error *err)
{
    size_t n_panel = sheet->n_row * sheet->n_column, n = 0;
    size_t size = sheet->panel[0].n * sheet->panel[0].n;
    double *value = calloc(n_panel * size + 1, sizeof *value);
    if (!value) {
        return error_memory(err, "scaling maps");
    }
    for (size_t i = 0; i < n_panel; i++) {
        for (size_t k = 0; sheet->panel[i].value && k < size; k++) {
            value[n++] = sheet->panel[i].value[k];
        }
    }
    struct overlay_scale scale = overlay_scale_of(value, n);
    sheet->top = scale.top;
    sheet->clipped = scale.clipped;
    free(value);
    return STATUS_OK;
}

static enum status fill_training(struct sheet *sheet, const struct run *run,
                                 const struct snapshot *snapshot, size_t first_layer,
                                 struct error *err)
{
    const struct config *config = run_config(run);
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
                   snapshot[column].step);
        for (size_t row = 0; row < sheet->n_row; row++) {
            sheet_text(sheet, &sheet->row_title[row], "layer %zu", first_layer + row);
            TRY(fill_panel(sheet, run, &snapshot[column], row, column, first_layer + row, err));
        }
    }
    return sheet->failed ? error_memory(err, "drawing snapshots") : scale_sheet(sheet, err);
}

enum status training_sheet(const struct run *run, struct sheet **sheet, struct error *err)
{
    struct snapshot *snapshot = NULL;
    size_t n, n_layer = run_config(run)->n_layer;
    size_t n_row = n_layer < TRAINING_MAX_LAYER ? n_layer : TRAINING_MAX_LAYER;
    *sheet = NULL;
    enum status status = list_snapshots(run, &snapshot, &n, err);
    if (status == STATUS_OK && n > 1) {
        *sheet = sheet_create(run_id(run), n_row, n);
        status = *sheet ? fill_training(*sheet, run, snapshot, n_layer - n_row, err)
                        : error_memory(err, "drawing snapshots");
    }
    free(snapshot);
    return status;
}
