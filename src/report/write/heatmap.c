/* heatmap: libpng into memory, then an atomic write, so that no half picture is left behind. */
#include "report/write/heatmap.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/folder.h"
#include "base/npy.h"
#include "base/path.h"
#include "report/frame/run_files.h"
#include "report/write/colormap.h"

size_t heatmap_square(size_t n_token)
{
    size_t square = (HEATMAP_WIDTH + n_token / 2) / n_token;
    return square ? square : 1;
}

static unsigned char *paint(const float *map, size_t n_token, size_t square)
{
    size_t width = n_token * square;
    unsigned char *pixels = malloc(width * width * 3);
    for (size_t y = 0; pixels && y < width; y++) {
        for (size_t x = 0; x < width; x++) {
            struct rgb colour = colormap_viridis(map[y / square * n_token + x / square]);
            unsigned char *pixel = &pixels[(y * width + x) * 3];
            pixel[0] = colour.r;
            pixel[1] = colour.g;
            pixel[2] = colour.b;
        }
    }
    return pixels;
}

/* png_image is libpng's simplified interface; it writes no time and no text chunk. */
static enum status encode(const unsigned char *pixels, size_t width, const char *path,
                          struct error *err)
{
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)width,
                       .height = (png_uint_32)width,
                       .format = PNG_FORMAT_RGB};
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
    void *file = malloc(size);
    if (!file) {
        return error_memory(err, "painting %s", path);
    }
    enum status status;
    if (png_image_write_to_memory(&image, file, &size, 0, pixels, 0, NULL)) {
        status = file_write(path, file, size, err);
    } else {
        status = error_set(err, STATUS_WRITE, "libpng cannot encode %s: %s", path, image.message);
    }
    png_image_free(&image);
    free(file);
    return status;
}

enum status heatmap_write(const char *path, const float *map, size_t n_token, struct error *err)
{
    size_t square = heatmap_square(n_token);
    unsigned char *pixels = paint(map, n_token, square);
    if (!pixels) {
        return error_memory(err, "painting %s", path);
    }
    enum status status = encode(pixels, n_token * square, path, err);
    free(pixels);
    return status;
}

/* ---- the pictures of a run ---- */

static enum status write_heads(const char *stem, const float *maps, size_t n_head, size_t n_token,
                               size_t *n_picture, struct error *err)
{
    char path[PATH_SIZE];
    enum status status = STATUS_OK;
    for (size_t head = 0; status == STATUS_OK && head < n_head; head++) {
        status = path_format(path, err, "%s_head%zu.png", stem, head);
        if (status == STATUS_OK) {
            status = heatmap_write(path, &maps[head * n_token * n_token], n_token, err);
        }
        *n_picture += status == STATUS_OK;
    }
    float *mean = malloc(n_token * n_token * sizeof(*mean));
    if (status == STATUS_OK && !mean) {
        status = error_memory(err, "painting %s", stem);
    }
    if (status == STATUS_OK) {
        status = path_format(path, err, "%s_mean.png", stem);
    }
    if (status == STATUS_OK) {
        attention_mean(maps, n_head, n_token, mean);
        status = heatmap_write(path, mean, n_token, err);
        *n_picture += status == STATUS_OK;
    }
    free(mean);
    return status;
}

static enum status write_file(const char *folder, const char *name, size_t *n_picture,
                              struct error *err)
{
    char path[PATH_SIZE], stem[PATH_SIZE];
    enum status status = path_format(path, err, "%s/%s", folder, name);
    if (status == STATUS_OK) {
        status =
            path_format(stem, err, "%s/%.*s", folder, (int)(strlen(name) - strlen(".npy")), name);
    }
    if (status != STATUS_OK) {
        return status;
    }
    float *maps;
    size_t dim[NPY_MAX_DIM], n_dim;
    status = npy_read(path, &maps, dim, &n_dim, err);
    if (status != STATUS_OK) {
        return status;
    }
    if (n_dim == 3 && dim[0] > 0 && dim[1] > 0 && dim[1] == dim[2]) {
        status = write_heads(stem, maps, dim[0], dim[1], n_picture, err);
    } else {
        status = error_set(err, STATUS_DATA,
                           "%s has %zu dimensions or is not square, expected [heads, T, T]", path,
                           n_dim);
    }
    free(maps);
    return status;
}

/* Maps of several samples in one file have pictures of their own, see figure_samples.h. */
static bool is_map(const char *name)
{
    size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".npy") == 0 &&
           strncmp(name, "samples_", strlen("samples_")) != 0;
}

static enum status write_snapshot(const char *folder, size_t *n_picture, struct error *err)
{
    char **names;
    size_t n_name;
    enum status status = folder_list(folder, &names, &n_name, err);
    if (status != STATUS_OK) {
        return status;
    }
    for (size_t i = 0; status == STATUS_OK && i < n_name; i++) {
        if (is_map(names[i])) {
            status = write_file(folder, names[i], n_picture, err);
        }
    }
    folder_list_free(names, n_name);
    return status;
}

enum status heatmap_write_run(const char *run_folder, size_t *n_picture, struct error *err)
{
    char folder[PATH_SIZE];
    *n_picture = 0;
    enum status status = run_files_attention_folder(run_folder, folder, err);
    return status == STATUS_OK ? write_snapshot(folder, n_picture, err) : status;
}
