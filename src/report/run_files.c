/* run_files: a missing or broken array costs its picture, not the report. */
#include "report/run_files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/npy.h"

#define CURVE_MAX_SIZE ((size_t)256 << 20)

static size_t count_lines(const char *text)
{
    size_t n = 0;
    for (; *text; text++) {
        n += *text == '\n';
    }
    return n;
}

/* Reads "step,loss,..." lines; a step out of order means the file was damaged. */
static bool parse_curve(const char *line, double *loss, size_t *n_step)
{
    for (*n_step = 0; *line; (*n_step)++) {
        char *end;
        if (strtoull(line, &end, 10) != *n_step || end == line || *end != ',') {
            return false;
        }
        line = end + 1;
        loss[*n_step] = strtod(line, &end);
        if (end == line) {
            return false;
        }
        line = strchr(end, '\n');
        if (!line) {
            return false;
        }
        line++;
    }
    return *n_step > 0;
}

double *run_files_curve(const char *folder, size_t *n_step, struct error *err)
{
    *n_step = 0;
    char path[PATH_SIZE];
    char *text;
    size_t size;
    if (path_format(path, err, "%s/curve.csv", folder) != STATUS_OK) {
        return NULL;
    }
    if (!file_exists(path)) {
        error_set(err, STATUS_DATA, "curve.csv is missing");
        return NULL;
    }
    if (file_read(path, CURVE_MAX_SIZE, &text, &size, err) != STATUS_OK) {
        return NULL;
    }
    static const char header[] = "step,loss,";
    const char *first = strchr(text, '\n');
    double *loss = malloc((count_lines(text) + 1) * sizeof(*loss));
    if (!loss || !first || strncmp(text, header, strlen(header)) != 0 ||
        !parse_curve(first + 1, loss, n_step)) {
        error_set(err, STATUS_DATA, "curve.csv is truncated or damaged at line %zu", *n_step + 2);
        free(loss);
        loss = NULL;
        *n_step = 0;
    }
    free(text);
    return loss;
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
