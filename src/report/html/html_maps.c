/* html_maps: attention maps as bytes. A byte is 255 times the square root of a share, since most
 * shares are small: the error is at most 0.004 times the root of the share. Of every cell the first
 * seed that kept maps is shown; where that is too much, first snapshots go, then whole cells.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/folder.h"
#include "base/npy.h"
#include "base/path.h"
#include "report/html/html_data.h"
#include "report/runs/run_files.h"

#define FEW_SNAPSHOTS 8

struct source {
    const struct run *run; /* NULL: no seed of the cell kept maps */
    char **names;          /* [n_name] of <run>/attention, "step000158" and others */
    size_t n_name;
};

struct sources {
    struct source *source; /* [n] a cell */
    size_t n;
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

static void find_source(const struct cell *cell, struct source *source)
{
    for (size_t i = 0; i < cell->n_run && !source->run; i++) {
        source_open(&cell->run[i], source);
    }
}

/* ---- what fits ---- */

static size_t size_of_source(const struct source *source, size_t max_snapshot)
{
    size_t n = source->run ? count_steps(source) : 0;
    const struct run *run = source->run;
    n = n < max_snapshot ? n : max_snapshot;
    return n ? n * run->n_layer * run->n_head * run->n_token * run->n_token / 3 * 4 : 0;
}

static size_t size_of_sources(const struct sources *sources, size_t max_snapshot)
{
    size_t size = 0;
    for (size_t i = 0; i < sources->n; i++) {
        size += size_of_source(&sources->source[i], max_snapshot);
    }
    return size;
}

static size_t choose_snapshots(const struct sources *sources)
{
    static const size_t choice[] = {SIZE_MAX, FEW_SNAPSHOTS, 1};
    size_t i = 0;
    while (i < 2 && size_of_sources(sources, choice[i]) > HTML_MAP_BUDGET) {
        i++;
    }
    return choice[i];
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
    bool fits = n_dim == 3 && dim[0] == run->n_head && dim[1] == run->n_token && dim[2] == dim[1];
    size_t n = run->n_head * run->n_token * run->n_token;
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
    for (size_t layer = 0; layer < run->n_layer; layer++) {
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
    return json_pack("{s:I, s:I, s:I, s:o, s:o}", "n_layer", (json_int_t)run->n_layer, "n_head",
                     (json_int_t)run->n_head, "n_token", (json_int_t)run->n_token, "steps", steps,
                     "data", data);
}

json_t *html_run_maps(const struct run *run, size_t max_snapshot)
{
    struct source source;
    source_open(run, &source);
    json_t *maps = source.run ? maps_json(&source, max_snapshot) : NULL;
    source_free(&source);
    return maps;
}

static void free_sources(struct sources *sources)
{
    for (size_t i = 0; sources->source && i < sources->n; i++) {
        source_free(&sources->source[i]);
    }
    free(sources->source);
}

json_t *html_add_maps(const struct html_index *index, json_t *cells)
{
    struct sources sources = {NULL, html_n_cell(index)};
    size_t size = 0, n_shown = 0, n_left_out = 0;
    sources.source = calloc(sources.n + 1, sizeof(*sources.source));
    if (!sources.source) {
        return NULL;
    }
    for (size_t i = 0; i < sources.n; i++) {
        find_source(html_cell(index, i), &sources.source[i]);
    }
    size_t max_snapshot = choose_snapshots(&sources);
    for (size_t i = 0; i < sources.n; i++) {
        size_t more = size_of_source(&sources.source[i], max_snapshot);
        bool fits = more > 0 && size + more <= HTML_MAP_BUDGET;
        json_t *maps = fits ? maps_json(&sources.source[i], max_snapshot) : NULL;
        if (maps) {
            json_object_set_new(
                maps, "run",
                json_integer((json_int_t)html_run_number(index, sources.source[i].run)));
            json_object_set_new(json_array_get(cells, i), "maps", maps);
            size += more;
            n_shown++;
        } else {
            n_left_out += more > 0;
        }
    }
    free_sources(&sources);
    return json_pack("{s:I, s:I, s:o}", "n_shown", (json_int_t)n_shown, "n_left_out",
                     (json_int_t)n_left_out, "max_snapshot",
                     max_snapshot == SIZE_MAX ? json_null()
                                              : json_integer((json_int_t)max_snapshot));
}
