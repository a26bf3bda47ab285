/* run_files: a missing or broken array costs its picture, not the report. */
#include "report/frame/run_files.h"

#include "base/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/folder.h"
#include "base/npy.h"

#define SHARE_SLACK 1e-3f   /* of rounding */
#define MAP_HEADER_START 10 /* bytes up to the length of the header, in two of which it stands */

#define CURVE_MAX_SIZE ((size_t)256 << 20)

/* The table's beginning, and that of runs which kept the accuracy of their training batches. */
#define CURVE_HEADER "step,loss,"
#define CURVE_HEADER_WITH_ACCURACY "step,loss,learning_rate,grad_norm,accuracy"
#define CURVE_LOSS 1
#define CURVE_ACCURACY 4

static size_t count_lines(const char *text)
{
    size_t n = 0;
    for (; *text; text++) {
        n += *text == '\n';
    }
    return n;
}

/* Reads the number in a line's column; NULL where there is none, else the place behind it. */
static const char *parse_column(const char *line, size_t column, double *value)
{
    char *end;
    for (; column > 0; column--) {
        line += strcspn(line, ",\n");
        if (*line++ != ',') {
            return NULL;
        }
    }
    *value = strtod(line, &end);
    return end == line || !strchr(",\n", *end) || !*end ? NULL : end;
}

/* Reads "step,loss,..." lines; a step out of order means the file was damaged. */
static bool parse_curve(const char *line, struct curve *curve)
{
    for (size_t *step = &curve->n_step; *line; (*step)++) {
        char *end;
        if (strtoull(line, &end, 10) != *step || end == line || *end != ',' ||
            !parse_column(line, CURVE_LOSS, &curve->loss[*step]) ||
            (curve->accuracy && !parse_column(line, CURVE_ACCURACY, &curve->accuracy[*step]))) {
            return false;
        }
        line = strchr(line, '\n');
        if (!line) {
            return false;
        }
        line++;
    }
    return curve->n_step > 0;
}

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static enum status read_table(const char *text, struct curve *curve, struct error *err)
{
    const char *first = strchr(text, '\n');
    size_t n_line = count_lines(text) + 1;
    bool has_accuracy = starts_with(text, CURVE_HEADER_WITH_ACCURACY);
    curve->loss = malloc(n_line * sizeof *curve->loss);
    curve->accuracy = has_accuracy ? malloc(n_line * sizeof *curve->accuracy) : NULL;
    if (!curve->loss || (has_accuracy && !curve->accuracy)) {
        return error_set(err, STATUS_MEMORY, "out of memory for the %zu lines of curve.csv",
                         n_line);
    }
    if (!first || !starts_with(text, CURVE_HEADER) || !parse_curve(first + 1, curve)) {
        return error_set(err, STATUS_DATA, "curve.csv is truncated or damaged at line %zu",
                         curve->n_step + 2);
    }
    return STATUS_OK;
}

void curve_free(struct curve *curve)
{
    free(curve->loss);
    free(curve->accuracy);
    *curve = (struct curve){0};
}

enum status run_files_curve(const char *folder, struct curve *curve, struct error *err)
{
    *curve = (struct curve){0};
    char path[PATH_SIZE];
    char *text;
    size_t size;
    TRY(path_format(path, err, "%s/curve.csv", folder));
    if (!file_exists(path)) {
        return error_set(err, STATUS_DATA, "curve.csv is missing");
    }
    TRY(file_read(path, CURVE_MAX_SIZE, &text, &size, err));
    enum status status = read_table(text, curve, err);
    free(text);
    return status;
}

/* ---- attention maps ---- */

static int compare_snapshots(const void *a, const void *b)
{
    unsigned long long left = ((const struct snapshot *)a)->step;
    unsigned long long right = ((const struct snapshot *)b)->step;
    return (left > right) - (left < right);
}

static bool parse_snapshot(const char *name, struct snapshot *snapshot)
{
    char *end;
    if (!starts_with(name, "step") || strlen(name) >= sizeof snapshot->name) {
        return false;
    }
    snapshot->step = strtoull(name + strlen("step"), &end, 10);
    snprintf(snapshot->name, sizeof snapshot->name, "%s", name);
    return *end == '\0' && end > name + strlen("step");
}

enum status snapshots_list(const char *folder, struct snapshots *snapshots, struct error *err)
{
    char parent[PATH_SIZE], **names;
    size_t n_name;
    *snapshots = (struct snapshots){0};
    TRY(path_format(parent, err, "%s/attention", folder));
    if (!folder_exists(parent)) {
        return STATUS_OK;
    }
    TRY(folder_list(parent, &names, &n_name, err));
    snapshots->at = calloc(n_name + 1, sizeof *snapshots->at);
    for (size_t i = 0; snapshots->at && i < n_name; i++) {
        snapshots->n += parse_snapshot(names[i], &snapshots->at[snapshots->n]);
    }
    folder_list_free(names, n_name);
    if (!snapshots->at) {
        return error_memory(err, "reading %s", parent);
    }
    qsort(snapshots->at, snapshots->n, sizeof *snapshots->at, compare_snapshots);
    return STATUS_OK;
}

void snapshots_free(struct snapshots *snapshots)
{
    free(snapshots->at);
    *snapshots = (struct snapshots){0};
}

static bool has_attention(const char *folder)
{
    char parent[PATH_SIZE];
    return path_format(parent, NULL, "%s/attention", folder) == STATUS_OK && folder_exists(parent);
}

enum status run_files_attention_folder(const char *folder, char path[PATH_SIZE], struct error *err)
{
    struct snapshots snapshots;
    if (!has_attention(folder)) {
        return error_set(err, STATUS_DATA,
                         "%s keeps no attention maps; run it with attention=final", folder);
    }
    TRY(snapshots_list(folder, &snapshots, err));
    enum status status =
        snapshots.n > 0
            ? path_format(path, err, "%s/attention/%s", folder, snapshots.at[snapshots.n - 1].name)
            : error_set(err, STATUS_DATA, "%s/attention has no step folder", folder);
    snapshots_free(&snapshots);
    return status;
}

long long run_files_n_snapshot(const char *folder)
{
    struct snapshots snapshots;
    snapshots_list(folder, &snapshots, NULL);
    long long n = (long long)snapshots.n;
    snapshots_free(&snapshots);
    return n;
}

/* The size that the header of a NumPy file of float32 [H,T,T] makes it have. */
static enum status check_map_file(const char *folder, const char *step, size_t layer, size_t n,
                                  struct error *err)
{
    char path[PATH_SIZE];
    unsigned char start[MAP_HEADER_START] = {0};
    long long size = -1;
    TRY(path_format(path, err, "%s/attention/%s/layer%zu.npy", folder, step, layer));
    FILE *file = file_exists(path) ? fopen(path, "rb") : NULL;
    if (file) {
        size_t n_read = fread(start, 1, sizeof(start), file);
        size = n_read == sizeof(start) && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : 0;
        fclose(file);
    }
    size_t header = MAP_HEADER_START + start[8] + 256 * (size_t)start[9];
    if (size < 0 || (size_t)size != header + n * sizeof(float)) {
        return error_set(err, STATUS_DATA, "attention/%s/layer%zu.npy is %s", step, layer,
                         size < 0 ? "missing" : "truncated or damaged");
    }
    return STATUS_OK;
}

enum status run_files_check_maps(const char *folder, size_t n_layer, size_t n_head, size_t n_token,
                                 struct error *err)
{
    struct snapshots snapshots;
    if (!has_attention(folder)) {
        return error_set(err, STATUS_DATA, "attention/ is missing");
    }
    TRY(snapshots_list(folder, &snapshots, err));
    enum status status =
        snapshots.n > 0 ? STATUS_OK : error_set(err, STATUS_DATA, "attention/ holds no maps");
    for (size_t i = 0; status == STATUS_OK && i < snapshots.n * n_layer; i++) {
        status = check_map_file(folder, snapshots.at[i / n_layer].name, i % n_layer,
                                n_head * n_token * n_token, err);
    }
    snapshots_free(&snapshots);
    return status;
}

enum status maps_read(const char *path, size_t n_token, struct maps *maps, struct error *err)
{
    size_t dim[NPY_MAX_DIM], n_dim;
    *maps = (struct maps){0};
    TRY(npy_read(path, &maps->head, dim, &n_dim, err));
    bool square = n_dim == 3 && dim[0] > 0 && dim[1] > 0 && dim[1] == dim[2];
    if (n_token > 0 && (!square || dim[1] != n_token)) {
        maps_free(maps);
        return error_set(err, STATUS_DATA, "%s: expected maps of the shape [heads, %zu, %zu]", path,
                         n_token, n_token);
    }
    if (!square) {
        maps_free(maps);
        return error_set(err, STATUS_DATA,
                         "%s has %zu dimensions or is not square, expected [heads, T, T]", path,
                         n_dim);
    }
    maps->n_head = dim[0];
    maps->n_token = dim[1];
    for (size_t i = 0; i < dim[0] * dim[1] * dim[2]; i++) {
        float share = maps->head[i];
        if (!(share >= -SHARE_SLACK && share <= 1 + SHARE_SLACK)) {
            maps_free(maps);
            return error_set(err, STATUS_DATA,
                             "%s: expected shares of attention between 0 and 1, found %g", path,
                             (double)share);
        }
    }
    return STATUS_OK;
}

void maps_free(struct maps *maps)
{
    free(maps->head);
    *maps = (struct maps){0};
}

float *maps_mean(const struct maps *maps)
{
    size_t n = maps->n_token * maps->n_token;
    float *mean = malloc(n * sizeof *mean);
    for (size_t i = 0; mean && i < n; i++) {
        double sum = 0;
        for (size_t head = 0; head < maps->n_head; head++) {
            sum += maps->head[head * n + i];
        }
        mean[i] = (float)(sum / (double)maps->n_head);
    }
    return mean;
}

enum status snapshot_read(const char *folder, const struct snapshot *snapshot, size_t layer,
                          size_t n_token, struct maps *maps, struct error *err)
{
    char path[PATH_SIZE];
    TRY(path_format(path, err, "%s/attention/%s/layer%zu.npy", folder, snapshot->name, layer));
    return maps_read(path, n_token, maps, err);
}

float *run_files_attention(const char *folder, long long layer, size_t n_token)
{
    char step[PATH_SIZE], path[PATH_SIZE];
    struct maps maps;
    if (run_files_attention_folder(folder, step, NULL) != STATUS_OK ||
        path_format(path, NULL, "%s/layer%lld.npy", step, layer) != STATUS_OK ||
        !file_exists(path) || maps_read(path, n_token, &maps, NULL) != STATUS_OK) {
        return NULL;
    }
    float *mean = maps_mean(&maps);
    maps_free(&maps);
    return mean;
}
