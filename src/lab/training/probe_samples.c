/* Of most kinds one item is kept. Of images several of different classes, because one says little
 * about a data set; they depend on the test split alone, so that all variants show the same ones.
 */
#include "lab/training/probe_samples.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/npy.h"
#include "lab/training/evaluate.h"

static size_t map_numbers(const struct config *config)
{
    return config->n_head * config->seq_len * config->seq_len;
}

size_t probe_samples_count(const struct config *config, size_t n_probe)
{
    size_t n = source_shows_items(config) ? PROBE_MAX_SAMPLE : 1;
    size_t fit = PROBE_SAMPLE_BYTES / (config->n_layer * map_numbers(config) * sizeof(float));
    if (config->attention == ATTENTION_NONE) {
        return 0;
    }
    n = n < n_probe ? n : n_probe;
    n = n < fit ? n : fit;
    return n > 0 ? n : 1;
}

/* ---- the choice ---- */

static bool has_class(const uint16_t *label, const size_t *item, size_t n, uint16_t class)
{
    for (size_t i = 0; i < n; i++) {
        if (label[item[i]] == class) {
            return true;
        }
    }
    return false;
}

static bool has_item(const size_t *item, size_t n, size_t wanted)
{
    for (size_t i = 0; i < n; i++) {
        if (item[i] == wanted) {
            return true;
        }
    }
    return false;
}

static int compare_items(const void *a, const void *b)
{
    size_t left = *(const size_t *)a, right = *(const size_t *)b;
    return (left > right) - (left < right);
}

void probe_samples_choose(const uint16_t *label, size_t n_probe, size_t n, size_t *item)
{
    size_t n_chosen = 0;
    for (size_t i = 0; i < n_probe && n_chosen < n; i++) {
        if (!has_class(label, item, n_chosen, label[i])) {
            item[n_chosen++] = i;
        }
    }
    for (size_t i = 0; i < n_probe && n_chosen < n; i++) {
        if (!has_item(item, n_chosen, i)) {
            item[n_chosen++] = i;
        }
    }
    qsort(item, n_chosen, sizeof *item, compare_items);
}

/* ---- the maps ---- */

enum status probe_samples_create(struct probe_samples *samples, const struct config *config,
                                 struct source *source, struct error *err)
{
    size_t n_probe = source_n_probe(source);
    *samples = (struct probe_samples){.config = config, .source = source};
    samples->n = probe_samples_count(config, n_probe);
    if (samples->n == 0) {
        return STATUS_OK;
    }
    if (source_shows_items(config)) {
        probe_samples_choose(source_labels(source), n_probe, samples->n, samples->item);
    }
    samples->maps =
        calloc(config->n_layer * samples->n * map_numbers(config), sizeof *samples->maps);
    return samples->maps
               ? STATUS_OK
               : error_memory(err, "keeping the attention maps of %zu samples", samples->n);
}

void probe_samples_free(struct probe_samples *samples)
{
    free(samples->maps);
    samples->maps = NULL;
}

void probe_samples_keep(struct probe_samples *samples, const struct activations *act, size_t first,
                        size_t n_sequence)
{
    size_t n_map = map_numbers(samples->config);
    for (size_t i = 0; i < samples->n; i++) {
        size_t item = samples->item[i];
        if (item < first || item - first >= n_sequence) {
            continue;
        }
        for (size_t layer = 0; layer < samples->config->n_layer; layer++) {
            memcpy(samples->maps + (layer * samples->n + i) * n_map,
                   activations_attention(act, layer) + (item - first) * n_map,
                   n_map * sizeof *samples->maps);
        }
    }
}

/* ---- files ---- */

static enum status write_layer(const struct probe_samples *samples, const char *folder,
                               size_t layer, struct error *err)
{
    char path[PATH_SIZE];
    const struct config *config = samples->config;
    const float *maps = samples->maps + layer * samples->n * map_numbers(config);
    size_t dim[4] = {samples->n, config->n_head, config->seq_len, config->seq_len};
    TRY(path_format(path, err, "%s/sample0_layer%zu.npy", folder, layer));
    TRY(npy_write(path, maps, dim + 1, 3, err));
    if (!source_shows_items(config)) {
        return STATUS_OK;
    }
    TRY(path_format(path, err, "%s/samples_layer%zu.npy", folder, layer));
    return npy_write(path, maps, dim, 4, err);
}

enum status probe_samples_write(const struct probe_samples *samples, const char *attention_folder,
                                const char *step_folder, struct error *err)
{
    char path[PATH_SIZE];
    for (size_t layer = 0; layer < samples->config->n_layer; layer++) {
        TRY(write_layer(samples, step_folder, layer, err));
    }
    if (!source_shows_items(samples->config)) {
        return STATUS_OK;
    }
    TRY(path_format(path, err, "%s/samples.npy", attention_folder));
    return source_write_items(samples->source, samples->item, samples->n, path, err);
}

enum status probe_samples_predict(const struct probe_samples *samples, struct engine *engine,
                                  struct run_sample *sample, struct error *err)
{
    size_t n_class = engine_model(engine)->shape.n_class;
    float *logits;
    TRY_CALLOC(err, logits, n_class, "predicting the samples");
    for (size_t i = 0; i < samples->n; i++) {
        struct batch batch = source_probe_batch(samples->source, samples->item[i], 1);
        engine_predict(engine, &batch, logits);
        sample[i] = (struct run_sample){.item = (long long)samples->item[i],
                                        .label = batch.targets[0],
                                        .prediction =
                                            (long long)evaluation_predicted_class(logits, n_class)};
    }
    free(logits);
    return STATUS_OK;
}
