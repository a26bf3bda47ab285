/* Everything is checked against everything else before it is used: the images against run.json, the
 * maps against the images, and the grid of patches against the maps.
 */
#include "report/images/samples.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/npy.h"
#include "report/frame/run_files.h"

static enum status images_path(const struct run *run, char path[PATH_SIZE], struct error *err)
{
    return path_format(path, err, "%s/attention/samples.npy", run->folder);
}

bool samples_are_kept(const struct run *run)
{
    char path[PATH_SIZE];
    return images_path(run, path, NULL) == STATUS_OK && file_exists(path);
}

/* ---- reading ---- */

static enum status read_images(struct samples *samples, struct error *err)
{
    char path[PATH_SIZE];
    size_t dim[NPY_MAX_DIM], n_dim;
    TRY(images_path(samples->run, path, err));
    TRY(npy_read_bytes(path, &samples->image, dim, &n_dim, err));
    if (n_dim != 4 || dim[0] == 0 || dim[1] == 0 || dim[2] == 0 || (dim[3] != 1 && dim[3] != 3)) {
        return error_set(err, STATUS_DATA,
                         "%s has %zu dimensions or another shape, expected [n, height, width, 1 or "
                         "3 channels]",
                         path, n_dim);
    }
    samples->n = dim[0];
    samples->height = dim[1];
    samples->width = dim[2];
    samples->n_channel = dim[3];
    return STATUS_OK;
}

static enum status read_labels(struct samples *samples, struct error *err)
{
    const struct run_attention *attention = &samples->run->record.attention;
    bool fine = attention->n_sample == samples->n;
    for (size_t i = 0; fine && i < samples->n; i++) {
        fine = attention->sample[i].label >= 0 && attention->sample[i].prediction >= 0;
    }
    samples->sample = attention->sample;
    return fine ? STATUS_OK
                : error_set(err, STATUS_DATA,
                            "%s/run.json: attention.samples is no list of the label and the "
                            "prediction of the %zu images in samples.npy",
                            samples->run->folder, samples->n);
}

static enum status read_layer(struct samples *samples, const char *folder, size_t layer,
                              struct error *err)
{
    char path[PATH_SIZE];
    size_t dim[NPY_MAX_DIM], n_dim;
    TRY(path_format(path, err, "%s/samples_layer%zu.npy", folder, layer));
    TRY(npy_read(path, &samples->maps[layer], dim, &n_dim, err));
    return n_dim == 4 && dim[0] == samples->n && dim[1] == samples->n_head &&
                   dim[2] == samples->n_token && dim[3] == samples->n_token
               ? STATUS_OK
               : error_set(err, STATUS_DATA, "%s: expected maps of the shape [%zu, %zu, %zu, %zu]",
                           path, samples->n, samples->n_head, samples->n_token, samples->n_token);
}

static enum status read_maps(struct samples *samples, struct error *err)
{
    char folder[PATH_SIZE];
    TRY(run_files_attention_folder(samples->run->folder, folder, err));
    samples->n_layer = run_config(samples->run)->n_layer;
    samples->n_head = run_config(samples->run)->n_head;
    samples->n_token = run_config(samples->run)->seq_len;
    TRY_CALLOC(err, samples->maps, samples->n_layer, "reading the samples of a run");
    TRY_CALLOC(err, samples->layer, samples->n_layer, "reading the samples of a run");
    TRY_CALLOC(err, samples->row, samples->n_token, "reading the samples of a run");
    TRY_CALLOC(err, samples->scratch, samples->n_token, "reading the samples of a run");
    for (size_t layer = 0; layer < samples->n_layer; layer++) {
        TRY(read_layer(samples, folder, layer, err));
    }
    return STATUS_OK;
}

static enum status find_grid(struct samples *samples, struct error *err)
{
    size_t patch = run_config(samples->run)->patch;
    if (patch > 0) {
        samples->patch = patch;
        samples->n_row = (samples->height + samples->patch - 1) / samples->patch;
        samples->n_column = (samples->width + samples->patch - 1) / samples->patch;
    }
    if (patch == 0 || samples->n_row * samples->n_column + 1 != samples->n_token) {
        return error_set(err, STATUS_DATA,
                         "%s: images of %zu x %zu px in patches of %zu px do not make the %zu "
                         "tokens of the maps",
                         samples->run->folder, samples->height, samples->width, patch,
                         samples->n_token);
    }
    return STATUS_OK;
}

enum status samples_read(const struct run *run, struct samples *samples, struct error *err)
{
    *samples = (struct samples){.run = run};
    TRY(read_images(samples, err));
    TRY(read_labels(samples, err));
    TRY(read_maps(samples, err));
    return find_grid(samples, err);
}

void samples_free(struct samples *samples)
{
    for (size_t layer = 0; samples->maps && layer < samples->n_layer; layer++) {
        free(samples->maps[layer]);
    }
    free(samples->maps);
    free(samples->row);
    free(samples->scratch);
    free(samples->layer);
    free(samples->image);
    *samples = (struct samples){0};
}

/* ---- rollout ----
 *
 * A row of a product of matrices is a row times matrices: T^2 a layer, and no matrix is kept. */

/* pass adds share times the row of one token's attention, averaged over heads, to sum. */
static void pass(const float *maps, size_t n_head, size_t n_token, size_t token, double share,
                 double *sum)
{
    for (size_t head = 0; head < n_head; head++) {
        const float *row = maps + (head * n_token + token) * n_token;
        for (size_t i = 0; i < n_token; i++) {
            sum[i] += share * row[i] / (double)n_head;
        }
    }
}

void rollout_row(const float *const *layer, size_t n_layer, size_t n_head, size_t n_token,
                 size_t token, double *row, double *scratch)
{
    for (size_t i = 0; i < n_token; i++) {
        row[i] = i == token;
    }
    for (size_t l = n_layer; l-- > 0;) {
        for (size_t i = 0; i < n_token; i++) {
            scratch[i] = row[i] / 2;
        }
        for (size_t i = 0; i < n_token; i++) {
            pass(layer[l], n_head, n_token, i, row[i] / 2, scratch);
        }
        memcpy(row, scratch, n_token * sizeof *row);
    }
}

double rollout_uniform(size_t n_layer, size_t n_token)
{
    return (1 - ldexp(1, -(int)n_layer)) / (double)n_token;
}

/* ---- looking ---- */

const uint8_t *samples_pixels(const struct samples *samples, size_t sample, size_t y, size_t x)
{
    return samples->image +
           ((sample * samples->height + y) * samples->width + x) * samples->n_channel;
}

const float *samples_map(const struct samples *samples, size_t sample, size_t layer, size_t head)
{
    size_t square = samples->n_token * samples->n_token;
    return samples->maps[layer] + (sample * samples->n_head + head) * square;
}

const double *samples_head_row(const struct samples *samples, size_t sample, size_t layer,
                               size_t head, size_t query)
{
    const float *map = samples_map(samples, sample, layer, head) + query * samples->n_token;
    for (size_t i = 0; i < samples->n_token; i++) {
        samples->row[i] = map[i];
    }
    return samples->row;
}

const double *samples_mean_row(const struct samples *samples, size_t sample, size_t layer,
                               size_t query)
{
    memset(samples->row, 0, samples->n_token * sizeof *samples->row);
    for (size_t head = 0; head < samples->n_head; head++) {
        const float *map = samples_map(samples, sample, layer, head) + query * samples->n_token;
        for (size_t i = 0; i < samples->n_token; i++) {
            samples->row[i] += map[i] / (double)samples->n_head;
        }
    }
    return samples->row;
}

const double *samples_rollout(const struct samples *samples, size_t sample, size_t n_layer)
{
    for (size_t l = 0; l < n_layer; l++) {
        samples->layer[l] = samples_map(samples, sample, l, 0);
    }
    rollout_row(samples->layer, n_layer, samples->n_head, samples->n_token, 0, samples->row,
                samples->scratch);
    return samples->row;
}

/* A name that is cut may not end within a character: cairo draws no broken UTF-8. */
static void copy_name(const char *from, char name[SAMPLES_CLASS_SIZE])
{
    size_t n = strlen(from);
    if (n >= SAMPLES_CLASS_SIZE) {
        n = SAMPLES_CLASS_SIZE - 1;
        while (n > 0 && ((unsigned char)from[n] & 0xc0) == 0x80) {
            n--;
        }
    }
    memcpy(name, from, n);
    name[n] = '\0';
}

void samples_class(const struct run *run, size_t class, char name[SAMPLES_CLASS_SIZE])
{
    const struct run_data *data = &run->record.data;
    if (data->class_name && class < data->n_class && data->class_name[class]) {
        copy_name(data->class_name[class], name);
    } else {
        snprintf(name, SAMPLES_CLASS_SIZE, "%zu", class);
    }
}

bool samples_show_the_same(const struct samples *a, const struct samples *b)
{
    return a->n == b->n && a->height == b->height && a->width == b->width &&
           a->n_channel == b->n_channel &&
           memcmp(a->image, b->image, a->n * a->height * a->width * a->n_channel) == 0;
}
