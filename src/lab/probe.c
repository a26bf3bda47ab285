/* Numbers are taken from every probe sequence and then averaged, in double: the numbers of a mean
 * map would hide that a head looks elsewhere in every sequence.
 */
#include "lab/probe.h"

#include <stdlib.h>
#include <string.h>

#include "base/npy.h"
#include "lab/metrics.h"

struct probe {
    struct engine *engine;
    const struct config *config;
    struct source *source;
    size_t n_probe;
    size_t n_map;                     /* H T T */
    double *mean;                     /* [L,H,T,T], sums until the end */
    float *first;                     /* [L,H,T,T] of the first sequence */
    float *scratch;                   /* [H,T,T] */
    float *product, *scores;          /* [H,T,T] */
    struct attention_numbers *number; /* [H], sums until the end */
};

static enum status probe_allocate(struct probe *probe, struct error *err)
{
    size_t n_layer = probe->config->n_layer;
    probe->mean = calloc(n_layer * probe->n_map, sizeof *probe->mean);
    probe->first = calloc(n_layer * probe->n_map, sizeof *probe->first);
    probe->scratch = calloc(probe->n_map, sizeof *probe->scratch);
    probe->product = calloc(probe->n_map, sizeof *probe->product);
    probe->scores = calloc(probe->n_map, sizeof *probe->scores);
    probe->number = calloc(probe->config->n_head, sizeof *probe->number);
    if (!probe->mean || !probe->first || !probe->scratch || !probe->product || !probe->scores ||
        !probe->number) {
        return error_set(err, STATUS_MEMORY, "out of memory for the attention maps of a run");
    }
    return STATUS_OK;
}

static void probe_free(struct probe *probe)
{
    free(probe->mean);
    free(probe->first);
    free(probe->scratch);
    free(probe->product);
    free(probe->scores);
    free(probe->number);
}

static void numbers_add(struct attention_numbers *sum, struct attention_numbers part)
{
    sum->needed += part.needed;
    sum->diagonal += part.diagonal;
    sum->asymmetry_product += part.asymmetry_product;
    sum->asymmetry_scores += part.asymmetry_scores;
}

/* measure_sequence adds the numbers of one sequence's heads in the last layer. */
static void measure_sequence(struct probe *probe, size_t sequence, const float *attention)
{
    const struct config *config = probe->config;
    size_t square = config->seq_len * config->seq_len;
    engine_scores(probe->engine, config->seq_len, sequence, config->n_layer - 1, probe->product,
                  probe->scores);
    for (size_t h = 0; h < config->n_head; h++) {
        numbers_add(&probe->number[h],
                    metrics_attention(config->task, config->seq_len, attention + h * square,
                                      probe->product + h * square, probe->scores + h * square));
    }
}

static void measure_piece(struct probe *probe, const struct activations *act, size_t n_sequence,
                          bool is_first)
{
    size_t n_layer = probe->config->n_layer, n_map = probe->n_map;
    for (size_t layer = 0; layer < n_layer; layer++) {
        const float *maps = activations_attention(act, layer);
        double *mean = probe->mean + layer * n_map;
        if (is_first) {
            memcpy(probe->first + layer * n_map, maps, n_map * sizeof *maps);
        }
        for (size_t s = 0; s < n_sequence; s++) {
            for (size_t i = 0; i < n_map; i++) {
                mean[i] += maps[s * n_map + i];
            }
            if (layer == n_layer - 1) {
                measure_sequence(probe, s, maps + s * n_map);
            }
        }
    }
}

static void measure_batch(struct probe *probe)
{
    size_t most = probe->config->micro_batch;
    for (size_t first = 0, n = 0; first < probe->n_probe; first += n) {
        size_t left = probe->n_probe - first;
        struct batch batch = source_probe_batch(probe->source, first, left < most ? left : most);
        const struct activations *act = engine_forward(probe->engine, &batch, &n);
        measure_piece(probe, act, n, first == 0);
    }
}

/* ---- writing ---- */

static json_t *numbers_json(const struct attention_numbers *sum, double n)
{
    return json_pack("{s:o, s:o, s:o, s:o}", "needed", json_number(sum->needed / n), "diagonal",
                     json_number(sum->diagonal / n), "asymmetry_product",
                     json_number(sum->asymmetry_product / n), "asymmetry_scores",
                     json_number(sum->asymmetry_scores / n));
}

static json_t *attention_json(const struct probe *probe)
{
    const struct config *config = probe->config;
    double n_probe = (double)probe->n_probe;
    struct attention_numbers all = {0};
    json_t *heads = json_array();
    for (size_t h = 0; h < config->n_head; h++) {
        numbers_add(&all, probe->number[h]);
        json_array_append_new(heads, numbers_json(&probe->number[h], n_probe));
    }
    return json_pack("{s:I, s:I, s:o, s:o}", "layer", (json_int_t)(config->n_layer - 1), "n_probe",
                     (json_int_t)probe->n_probe, "heads", heads, "mean",
                     numbers_json(&all, n_probe * (double)config->n_head));
}

static enum status write_map(const struct probe *probe, const char *folder, const char *name,
                             size_t layer, const float *map, struct error *err)
{
    char path[PATH_SIZE];
    size_t n_token = probe->config->seq_len;
    size_t dim[3] = {probe->config->n_head, n_token, n_token};
    enum status status = path_format(path, err, "%s/%slayer%zu.npy", folder, name, layer);
    return status == STATUS_OK ? npy_write(path, map, dim, 3, err) : status;
}

static enum status write_layer(const struct probe *probe, const char *folder, size_t layer,
                               struct error *err)
{
    const double *mean = probe->mean + layer * probe->n_map;
    for (size_t i = 0; i < probe->n_map; i++) {
        probe->scratch[i] = (float)(mean[i] / (double)probe->n_probe);
    }
    enum status status = write_map(probe, folder, "", layer, probe->scratch, err);
    if (status == STATUS_OK) {
        const float *first = probe->first + layer * probe->n_map;
        status = write_map(probe, folder, "sample0_", layer, first, err);
    }
    return status;
}

static enum status write_maps(const struct probe *probe, size_t n_step, const char *run_folder,
                              struct error *err)
{
    char maps[PATH_SIZE], folder[PATH_SIZE];
    enum status status = path_format(maps, err, "%s/attention", run_folder);
    if (status == STATUS_OK) {
        status = path_format(folder, err, "%s/step%06zu", maps, n_step);
    }
    if (status == STATUS_OK) {
        status = folder_create(folder, err);
    }
    for (size_t layer = 0; layer < probe->config->n_layer && status == STATUS_OK; layer++) {
        status = write_layer(probe, folder, layer, err);
    }
    return status == STATUS_OK ? folder_sync(maps, err) : status;
}

enum status probe_measure(struct engine *engine, const struct config *config, struct source *source,
                          size_t n_step, const char *folder, json_t **attention, struct error *err)
{
    struct probe probe = {.engine = engine,
                          .config = config,
                          .source = source,
                          .n_probe = source_n_probe(source),
                          .n_map = config->n_head * config->seq_len * config->seq_len};
    *attention = NULL;
    enum status status = probe_allocate(&probe, err);
    if (status == STATUS_OK) {
        measure_batch(&probe);
        if (config->attention == ATTENTION_FINAL) {
            status = write_maps(&probe, n_step, folder, err);
        }
    }
    if (status == STATUS_OK) {
        *attention = attention_json(&probe);
    }
    probe_free(&probe);
    return status;
}
