#include "lesson/lesson_maps.h"

#include "report/frame/run_files.h"
#include "report/write/html_parts.h"

/* The maps of every layer at one moment; NULL where they are not those of the configuration. */
static json_t *moment_json(const struct run *run, const struct snapshot *snapshot)
{
    const struct config *config = run_config(run);
    json_t *layers = json_array();
    for (size_t layer = 0; layer < config->n_layer; layer++) {
        struct maps maps;
        if (snapshot_read(run->folder, snapshot, layer, config->seq_len, &maps, NULL) !=
            STATUS_OK) {
            break;
        }
        if (maps.n_head == config->n_head) {
            size_t n = maps.n_head * maps.n_token * maps.n_token;
            json_array_append_new(layers, html_root_bytes(maps.head, n, 1));
        }
        maps_free(&maps);
    }
    if (json_array_size(layers) < config->n_layer) {
        json_decref(layers);
        return NULL;
    }
    return layers;
}

/* Of n moments max are kept, the last among them, equally far apart. */
static bool is_kept(size_t i, size_t n, size_t max)
{
    return n <= max || (i + 1) * max / n > i * max / n;
}

json_t *lesson_maps(const struct run *run, size_t max_snapshot)
{
    const struct config *config = run_config(run);
    json_t *steps = json_array(), *data = json_array(), *maps = NULL;
    struct snapshots snapshots;
    snapshots_list(run->folder, &snapshots, NULL);
    for (size_t i = 0; i < snapshots.n; i++) {
        json_t *moment =
            is_kept(i, snapshots.n, max_snapshot) ? moment_json(run, &snapshots.at[i]) : NULL;
        if (moment) {
            json_array_append_new(steps, json_integer((json_int_t)snapshots.at[i].step));
            json_array_append_new(data, moment);
        }
    }
    if (json_array_size(steps) > 0) {
        maps = json_pack("{s:I, s:I, s:I, s:O, s:O}", "n_layer", (json_int_t)config->n_layer,
                         "n_head", (json_int_t)config->n_head, "n_token",
                         (json_int_t)config->seq_len, "steps", steps, "data", data);
    }
    json_decref(steps);
    json_decref(data);
    snapshots_free(&snapshots);
    return maps;
}
