#include "report/run_pictures.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/folder.h"
#include "base/npy.h"
#include "report/content/image_sheets.h"
#include "report/content/run_sheets.h"
#include "report/frame/run_files.h"
#include "report/write/draw_sheet.h"

/* ---- plain maps ---- */

static enum status write_maps(const char *stem, const struct maps *maps, size_t *n_picture,
                              struct error *err)
{
    char path[PATH_SIZE];
    size_t n = maps->n_token;
    for (size_t head = 0; head < maps->n_head; head++) {
        TRY(path_format(path, err, "%s_head%zu.png", stem, head));
        TRY(draw_map_write(path, maps->head + head * n * n, n, err));
        ++*n_picture;
    }
    float *mean = maps_mean(maps);
    if (!mean) {
        return error_memory(err, "painting %s", stem);
    }
    enum status status = path_format(path, err, "%s_mean.png", stem);
    if (status == STATUS_OK) {
        status = draw_map_write(path, mean, n, err);
    }
    free(mean);
    *n_picture += status == STATUS_OK;
    return status;
}

static enum status write_file(const char *folder, const char *name, size_t *n_picture,
                              struct error *err)
{
    char path[PATH_SIZE], stem[PATH_SIZE];
    struct maps maps;
    TRY(path_format(path, err, "%s/%s", folder, name));
    TRY(path_format(stem, err, "%.*s", (int)(strlen(path) - strlen(".npy")), path));
    TRY(maps_read(path, 0, &maps, err));
    enum status status = write_maps(stem, &maps, n_picture, err);
    maps_free(&maps);
    return status;
}

/* Maps of several samples in one file have pictures of their own. */
static bool is_map(const char *name)
{
    size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".npy") == 0 &&
           strncmp(name, "samples_", strlen("samples_")) != 0;
}

static enum status write_snapshot(const char *run_folder, size_t *n_picture, struct error *err)
{
    char folder[PATH_SIZE], **names;
    size_t n_name;
    TRY(run_files_attention_folder(run_folder, folder, err));
    TRY(folder_list(folder, &names, &n_name, err));
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < n_name; i++) {
        if (is_map(names[i])) {
            status = write_file(folder, names[i], n_picture, err);
        }
    }
    folder_list_free(names, n_name);
    return status;
}

/* ---- sheets ---- */

/* Frees the sheet. */
static enum status write_sheet(struct sheet *sheet, const char *folder, size_t *n_picture,
                               struct error *err)
{
    enum status status = draw_sheet_write(sheet, folder, err);
    *n_picture += status == STATUS_OK;
    sheet_free(sheet);
    return status;
}

enum status run_pictures_write_maps(const struct run *run, size_t *n_picture, struct error *err)
{
    char folder[PATH_SIZE];
    struct sheet *sheet;
    *n_picture = 0;
    TRY(path_format(folder, err, "%s/attention", run->folder));
    TRY(write_snapshot(run->folder, n_picture, err));
    TRY(run_sheet(run, &sheet, err));
    return write_sheet(sheet, folder, n_picture, err);
}

static enum status write_samples(const struct run *run, const char *folder, size_t *n_picture,
                                 struct error *err)
{
    struct samples samples;
    enum status status = samples_read(run, &samples, err);
    for (size_t layer = 0; status == STATUS_OK && layer < samples.n_layer; layer++) {
        status = write_sheet(class_token_sheet(&samples, layer), folder, n_picture, err);
    }
    if (status == STATUS_OK) {
        status = write_sheet(patches_sheet(&samples), folder, n_picture, err);
    }
    samples_free(&samples);
    return status;
}

enum status run_pictures_write(const struct run *run, size_t *n_picture, struct error *err)
{
    char folder[PATH_SIZE];
    struct sheet *sheet;
    TRY(run_pictures_write_maps(run, n_picture, err));
    TRY(path_format(folder, err, "%s/attention", run->folder));
    if (samples_are_kept(run)) {
        TRY(write_samples(run, folder, n_picture, err));
    }
    TRY(training_sheet(run, &sheet, err));
    return sheet ? write_sheet(sheet, folder, n_picture, err) : STATUS_OK;
}

/* ---- variants ---- */

static enum status write_variants(struct variant_sheets *sheets, const char *folder,
                                  size_t *n_picture, struct error *err)
{
    TRY(folder_create(folder, err));
    TRY(draw_sheet_write(sheets->rollout, folder, err));
    TRY(draw_sheet_write(sheets->last_layer, folder, err));
    *n_picture += 2;
    return STATUS_OK;
}

enum status run_pictures_write_variants(const struct frame *frame, const char *folder,
                                        size_t *n_picture, struct error *err)
{
    for (size_t i = 0; i < frame->setting.n_group; i++) {
        struct variant_sheets sheets;
        TRY(variant_sheets_make(&frame->setting.group[i], &sheets, err));
        enum status status =
            sheets.first ? write_variants(&sheets, folder, n_picture, err) : STATUS_OK;
        variant_sheets_free(&sheets);
        TRY(status);
    }
    return STATUS_OK;
}
