/* lesson_maps: attention maps as bytes. A byte is 255 times the square root of a share, since most
 * shares are small: the error is at most 0.004 times the root of the share.
 */
#include "lesson/lesson_maps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/folder.h"
#include "base/npy.h"
#include "base/path.h"
#include "report/write/html_parts.h"

struct source {
    const struct run *run; /* NULL: no seed of the cell kept maps */
    char **names;          /* [n_name] of <run>/attention, "step000158" and others */
    size_t n_name;
};

static bool is_step(const char *name)
{
    return strncmp(name, "step", 4) == 0;
}

static size_t count_steps(const struct source *source)
{
    size_t n = 0;
    for (size_t i = 0; i < source->n_name; i++) {
        n += is_step(source->names[i]);
    }
    return n;
}

static void source_free(struct source *source)
{
    if (source->names) {
        folder_list_free(source->names, source->n_name);
    }
    *source = (struct source){0};
}

/* Leaves source empty where the run kept no maps. */
static void source_open(const struct run *run, struct source *source)
{
    char path[PATH_SIZE];
    *source = (struct source){0};
    if (!run_is_ok(run) || path_format(path, NULL, "%s/attention", run->folder) != STATUS_OK ||
        !folder_exists(path) ||
        folder_list(path, &source->names, &source->n_name, NULL) != STATUS_OK) {
        return;
    }
    source->run = run;
    if (count_steps(source) == 0) {
        source_free(source);
    }
}

/* ---- reading ---- */

static json_t *layer_json(const struct run *run, const char *step, size_t layer)
{
    char path[PATH_SIZE];
    float *map = NULL;
    size_t dim[NPY_MAX_DIM], n_dim;
    if (path_format(path, NULL, "%s/attention/%s/layer%zu.npy", run->folder, step, layer) !=
            STATUS_OK ||
        !file_exists(path) || npy_read(path, &map, dim, &n_dim, NULL) != STATUS_OK) {
        return NULL;
    }
    json_t *layer_text = NULL;
    bool fits = n_dim == 3 && dim[0] == run_config(run)->n_head &&
                dim[1] == run_config(run)->seq_len && dim[2] == dim[1];
    size_t n = run_config(run)->n_head * run_config(run)->seq_len * run_config(run)->seq_len;
    unsigned char *byte = fits ? malloc(n) : NULL;
    for (size_t i = 0; byte && i < n; i++) {
        float share = fminf(fmaxf(map[i], 0), 1); /* fmaxf turns NaN into 0 */
        byte[i] = (unsigned char)(255 * sqrtf(share) + 0.5f);
    }
    layer_text = byte ? html_base64(byte, n) : NULL;
    free(byte);
    free(map);
    return layer_text;
}

static json_t *snapshot_json(const struct run *run, const char *step)
{
    json_t *layers = json_array();
    for (size_t layer = 0; layer < run_config(run)->n_layer; layer++) {
        json_t *text = layer_json(run, step, layer);
        if (!text) {
            json_decref(layers);
            return NULL;
        }
        json_array_append_new(layers, text);
    }
    return layers;
}

/* Of n snapshots max are kept, the last among them, equally far apart. */
static bool is_kept(size_t i, size_t n, size_t max)
{
    return n <= max || (i + 1) * max / n > i * max / n;
}

static json_t *maps_json(const struct source *source, size_t max_snapshot)
{
    const struct run *run = source->run;
    json_t *steps = json_array(), *data = json_array();
    size_t n_step = count_steps(source), step = 0;
    for (size_t i = 0; i < source->n_name; i++) {
        if (!is_step(source->names[i])) {
            continue;
        }
        json_t *snapshot =
            is_kept(step++, n_step, max_snapshot) ? snapshot_json(run, source->names[i]) : NULL;
        if (snapshot) {
            json_array_append_new(steps, json_integer(atoll(source->names[i] + 4)));
            json_array_append_new(data, snapshot);
        }
    }
    if (json_array_size(steps) == 0) {
        json_decref(steps);
        json_decref(data);
        return NULL;
    }
    return json_pack("{s:I, s:I, s:I, s:o, s:o}", "n_layer", (json_int_t)run_config(run)->n_layer,
                     "n_head", (json_int_t)run_config(run)->n_head, "n_token",
                     (json_int_t)run_config(run)->seq_len, "steps", steps, "data", data);
}

json_t *lesson_maps(const struct run *run, size_t max_snapshot)
{
    struct source source;
    source_open(run, &source);
    json_t *maps = source.run ? maps_json(&source, max_snapshot) : NULL;
    source_free(&source);
    return maps;
}
