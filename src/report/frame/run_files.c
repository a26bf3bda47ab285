/* run_files: a missing or broken array costs its picture, not the report. */
#include "report/frame/run_files.h"

#include "base/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/folder.h"
#include "base/npy.h"
#include "base/path.h"

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
    curve->loss = malloc(n_line * sizeof(*curve->loss));
    curve->accuracy = has_accuracy ? malloc(n_line * sizeof(*curve->accuracy)) : NULL;
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
    enum status status = path_format(path, err, "%s/curve.csv", folder);
    if (status != STATUS_OK) {
        return status;
    }
    if (!file_exists(path)) {
        return error_set(err, STATUS_DATA, "curve.csv is missing");
    }
    status = file_read(path, CURVE_MAX_SIZE, &text, &size, err);
    if (status != STATUS_OK) {
        return status;
    }
    status = read_table(text, curve, err);
    free(text);
    return status;
}

enum status run_files_attention_folder(const char *folder, char path[PATH_SIZE], struct error *err)
{
    char parent[PATH_SIZE];
    enum status status = path_format(parent, err, "%s/attention", folder);
    if (status != STATUS_OK) {
        return status;
    }
    if (!folder_exists(parent)) {
        return error_set(err, STATUS_DATA,
                         "%s keeps no attention maps; run it with attention=final", folder);
    }
    char **names;
    size_t n_name;
    status = folder_list(parent, &names, &n_name, err);
    if (status != STATUS_OK) {
        return status;
    }
    size_t last = n_name;
    for (size_t i = 0; i < n_name; i++) {
        if (strncmp(names[i], "step", 4) == 0) {
            last = i;
        }
    }
    if (last < n_name) {
        status = path_format(path, err, "%s/%s", parent, names[last]);
    } else {
        status = error_set(err, STATUS_DATA, "%s has no step folder", parent);
    }
    folder_list_free(names, n_name);
    return status;
}

long long run_files_n_snapshot(const char *folder)
{
    char parent[PATH_SIZE], **names;
    size_t n_name;
    long long n = 0;
    if (path_format(parent, NULL, "%s/attention", folder) != STATUS_OK || !folder_exists(parent) ||
        folder_list(parent, &names, &n_name, NULL) != STATUS_OK) {
        return 0;
    }
    for (size_t i = 0; i < n_name; i++) {
        n += starts_with(names[i], "step");
    }
    folder_list_free(names, n_name);
    return n;
}

/* The size that the header of a NumPy file of float32 [H,T,T] makes it have. */
static enum status check_map_file(const char *folder, const char *step, size_t layer, size_t n,
                                  struct error *err)
{
    char path[PATH_SIZE];
    unsigned char start[MAP_HEADER_START] = {0};
    long long size = -1;
    enum status status =
        path_format(path, err, "%s/attention/%s/layer%zu.npy", folder, step, layer);
    if (status != STATUS_OK) {
        return status;
    }
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
    char parent[PATH_SIZE], **names;
    size_t n_name, n_step = 0;
    enum status status = path_format(parent, err, "%s/attention", folder);
    if (status == STATUS_OK && !folder_exists(parent)) {
        return error_set(err, STATUS_DATA, "attention/ is missing");
    }
    if (status == STATUS_OK) {
        status = folder_list(parent, &names, &n_name, err);
    }
    if (status != STATUS_OK) {
        return status;
    }
    for (size_t i = 0; i < n_name; i++) {
        bool is_step = starts_with(names[i], "step");
        for (size_t layer = 0; is_step && status == STATUS_OK && layer < n_layer; layer++) {
            status = check_map_file(folder, names[i], layer, n_head * n_token * n_token, err);
        }
        n_step += is_step;
    }
    folder_list_free(names, n_name);
    return status == STATUS_OK && n_step == 0
               ? error_set(err, STATUS_DATA, "attention/ holds no maps")
               : status;
}

void attention_mean(const float *maps, size_t n_head, size_t n_token, float *mean)
{
    size_t n = n_token * n_token;
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t head = 0; head < n_head; head++) {
            sum += maps[head * n + i];
        }
        mean[i] = (float)(sum / (double)n_head);
    }
}

float *run_files_attention(const char *folder, long long layer, size_t n_token)
{
    char step[PATH_SIZE], path[PATH_SIZE];
    if (run_files_attention_folder(folder, step, NULL) != STATUS_OK ||
        path_format(path, NULL, "%s/layer%lld.npy", step, layer) != STATUS_OK ||
        !file_exists(path)) {
        return NULL;
    }
    float *maps;
    size_t dim[NPY_MAX_DIM], n_dim;
    if (npy_read(path, &maps, dim, &n_dim, NULL) != STATUS_OK) {
        return NULL;
    }
    float *mean = NULL;
    if (n_dim == 3 && dim[0] > 0 && dim[1] == n_token && dim[2] == n_token) {
        mean = malloc(n_token * n_token * sizeof(*mean));
    }
    if (mean) {
        attention_mean(maps, dim[0], n_token, mean);
    }
    free(maps);
    return mean;
}
