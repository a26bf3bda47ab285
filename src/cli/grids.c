#include "cli/grids.h"

#include <stdlib.h>

#include "cli/data_options.h"
#include "lab/config/config_file.h"

enum status grids_set(struct grid *grid, const struct arguments *arguments, struct error *err)
{
    for (size_t i = 0; i < arguments->n_set; i++) {
        enum status status = grid_set(grid, arguments->set[i], err);
        if (status == STATUS_USAGE) {
            error_prefix(err, "--set");
        }
        TRY(status);
    }
    return STATUS_OK;
}

static bool asks_for_data(const struct grid_list *list)
{
    for (size_t i = 0; i < list->n_grid; i++) {
        if (list->item[i].without_data) {
            return true;
        }
    }
    return false;
}

static enum status use_data(struct grid_list *list, const struct arguments *arguments,
                            char note[GRID_LIST_NOTE_SIZE], struct error *err)
{
    struct data_options data;
    if (!asks_for_data(list)) {
        return STATUS_OK;
    }
    TRY(data_options_make(&data, arguments, err));
    return grid_list_use_data(list, &data.options, note, err);
}

static enum status expand(struct grids *grids, struct grid_list *list, struct grid *layer,
                          const struct arguments *arguments, const char *name, struct error *err)
{
    if (!layer) {
        return error_memory(err, "listing the runs");
    }
    /* The command line as one grid: that finds what is wrong with any of it, and keys set twice. */
    TRY(grids_set(layer, arguments, err));
    if (arguments->seeds) {
        TRY(grid_seeds(layer, arguments->seeds, err));
    }
    TRY(name ? config_file_read(name, list, err)
             : grid_list_append(list, grid_create(), NULL, err));
    TRY(grid_list_layer(list, layer, err));
    TRY(use_data(list, arguments, grids->note, err));
    return grid_list_expand(list, &grids->config, &grids->n_config, err);
}

enum status grids_expand(struct grids *grids, const struct arguments *arguments, const char *name,
                         struct error *err)
{
    *grids = (struct grids){0};
    struct grid_list list = {0};
    struct grid *layer = grid_create();
    enum status status = expand(grids, &list, layer, arguments, name, err);
    grid_list_free(&list);
    grid_free(layer);
    return status;
}

void grids_free(struct grids *grids)
{
    free(grids->config);
    *grids = (struct grids){0};
}
