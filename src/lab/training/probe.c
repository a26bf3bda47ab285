/* Numbers are taken from every probe sequence and then averaged, in double: the numbers of a mean
 * map would hide that a head looks elsewhere in every sequence.
 */
#include "lab/training/probe.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/folder.h"
#include "base/npy.h"
#include "lab/training/metrics.h"
#include "lab/training/probe_samples.h"

struct probe {
    struct engine *engine;
    const struct config *config;
    struct source *source;
    size_t n_probe;
    size_t n_map;                     /* H T T */
    double *mean;                     /* [L,H,T,T], sums over the probe */
    float *scratch;                   /* [H,T,T] */
    float *product, *scores;          /* [H,T,T] */
    struct attention_numbers *number; /* [H], sums over the probe */
    struct probe_samples samples;
    struct run_sample sample[PROBE_MAX_SAMPLE];
};

static enum status allocate(struct probe *probe, struct error *err)
{
    size_t n_layer = probe->config->n_layer;
    probe->mean = calloc(n_layer * probe->n_map, sizeof *probe->mean);
    probe->scratch = calloc(probe->n_map, sizeof *probe->scratch);
    probe->product = calloc(probe->n_map, sizeof *probe->product);
    probe->scores = calloc(probe->n_map, sizeof *probe->scores);
    probe->number = calloc(probe->config->n_head, sizeof *probe->number);
    if (!probe->mean || !probe->scratch || !probe->product || !probe->scores || !probe->number) {
        return error_memory(err, "making room for the attention maps of a run");
    }
    return probe_samples_create(&probe->samples, probe->config, probe->source, err);
}

enum status probe_create(struct probe **probe, struct engine *engine, const struct config *config,
                         struct source *source, struct error *err)
{
    struct probe *self = calloc(1, sizeof *self);
    *probe = self;
    if (!self) {
        return error_memory(err, "making room for the attention maps of a run");
    }
    self->engine = engine;
    self->config = config;
    self->source = source;
    self->n_probe = source_n_probe(source);
    self->n_map = config->n_head * config->seq_len * config->seq_len;
    return allocate(self, err);
}

void probe_free(struct probe *probe)
{
    if (!probe) {
        return;
    }
    free(probe->mean);
    free(probe->scratch);
    free(probe->product);
    free(probe->scores);
    free(probe->number);
    probe_samples_free(&probe->samples);
    free(probe);
}

/* Two kinds of scores of one layer, and maps that are kept pass through two more buffers on their
 * way into a file, the second as large as the samples of a layer. */
size_t probe_memory(const struct config *config)
{
    size_t n_map = config->n_head * config->seq_len * config->seq_len;
    size_t n_sample = probe_samples_count(config, config->n_probe);
    size_t n_buffer = config->attention == ATTENTION_NONE ? 2 : 3 + n_sample;
    return n_map * (config->n_layer * (sizeof(double) + n_sample * sizeof(float)) +
                    n_buffer * sizeof(float));
}

/* ---- measuring ---- */

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
    engine_scores(probe->engine, sequence, config->n_layer - 1, probe->product, probe->scores);
    for (size_t h = 0; h < config->n_head; h++) {
        numbers_add(&probe->number[h],
                    metrics_attention(config->task, config->seq_len, attention + h * square,
                                      probe->product + h * square, probe->scores + h * square));
    }
}

static void add_maps(struct probe *probe, const struct activations *act, size_t n_sequence)
{
    size_t n_map = probe->n_map;
    for (size_t layer = 0; layer < probe->config->n_layer; layer++) {
        const float *maps = activations_attention(act, layer);
        double *mean = probe->mean + layer * n_map;
        for (size_t s = 0; s < n_sequence; s++) {
            for (size_t i = 0; i < n_map; i++) {
                mean[i] += maps[s * n_map + i];
            }
        }
    }
}

static void add_numbers(struct probe *probe, const struct activations *act, size_t n_sequence)
{
    const float *maps = activations_attention(act, probe->config->n_layer - 1);
    for (size_t s = 0; s < n_sequence; s++) {
        measure_sequence(probe, s, maps + s * probe->n_map);
    }
}

/* walk runs the model over the probe; with everything, it takes numbers and samples too. */
static void walk(struct probe *probe, bool everything)
{
    const struct config *config = probe->config;
    memset(probe->mean, 0, config->n_layer * probe->n_map * sizeof *probe->mean);
    memset(probe->number, 0, config->n_head * sizeof *probe->number);
    for (size_t first = 0, n = 0; first < probe->n_probe; first += n) {
        size_t left = probe->n_probe - first, most = config->micro_batch;
        struct batch batch = source_probe_batch(probe->source, first, left < most ? left : most);
        const struct activations *act = engine_forward(probe->engine, &batch, &n);
        add_maps(probe, act, n);
        if (everything) {
            add_numbers(probe, act, n);
            probe_samples_keep(&probe->samples, act, first, n);
        }
    }
}

/* ---- writing ---- */

static void numbers_divide(struct attention_numbers *sum, double n)
{
    sum->needed /= n;
    sum->diagonal /= n;
    sum->asymmetry_product /= n;
    sum->asymmetry_scores /= n;
}

/* The sums over the probe become means. */
static void fill_attention(struct probe *probe, struct run_attention *attention)
{
    const struct config *config = probe->config;
    double n_probe = (double)probe->n_probe;
    *attention = (struct run_attention){.layer = (long)config->n_layer - 1,
                                        .n_probe = (long)probe->n_probe,
                                        .head = probe->number,
                                        .n_head = config->n_head};
    for (size_t h = 0; h < config->n_head; h++) {
        numbers_add(&attention->mean, probe->number[h]);
        numbers_divide(&probe->number[h], n_probe);
    }
    numbers_divide(&attention->mean, n_probe * (double)config->n_head);
}

static enum status write_layer(const struct probe *probe, const char *folder, size_t layer,
                               struct error *err)
{
    char path[PATH_SIZE];
    const double *mean = probe->mean + layer * probe->n_map;
    size_t n_token = probe->config->seq_len, dim[3] = {probe->config->n_head, n_token, n_token};
    for (size_t i = 0; i < probe->n_map; i++) {
        probe->scratch[i] = (float)(mean[i] / (double)probe->n_probe);
    }
    TRY(path_format(path, err, "%s/layer%zu.npy", folder, layer));
    return npy_write(path, probe->scratch, dim, 3, err);
}

static enum status write_maps(const struct probe *probe, size_t n_step, const char *run_folder,
                              bool with_samples, struct error *err)
{
    char maps[PATH_SIZE], folder[PATH_SIZE];
    TRY(path_format(maps, err, "%s/attention", run_folder));
    TRY(path_format(folder, err, "%s/step%06zu", maps, n_step));
    TRY(folder_create(folder, err));
    for (size_t layer = 0; layer < probe->config->n_layer; layer++) {
        TRY(write_layer(probe, folder, layer, err));
    }
    if (with_samples) {
        TRY(probe_samples_write(&probe->samples, maps, folder, err));
    }
    return folder_sync(maps, err);
}

enum status probe_snapshot(struct probe *probe, size_t n_step, const char *folder,
                           struct error *err)
{
    walk(probe, false);
    return write_maps(probe, n_step, folder, false, err);
}

/* ---- the trained model ---- */

enum status probe_measure(struct probe *probe, size_t n_step, const char *folder,
                          struct run_attention *attention, struct error *err)
{
    walk(probe, true);
    if (probe->config->attention != ATTENTION_NONE) {
        TRY(write_maps(probe, n_step, folder, true, err));
    }
    fill_attention(probe, attention);
    if (!source_shows_items(probe->config)) {
        return STATUS_OK;
    }
    attention->sample = probe->sample;
    attention->n_sample = probe->samples.n;
    return probe_samples_predict(&probe->samples, probe->engine, probe->sample, err);
}
