#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/folder.h"
#include "cli/command.h"
#include "cli/data_options.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "lab/data/dataset.h"
#include "report/content/image_sheets.h"
#include "report/write/draw_sheet.h"

#define N_COLUMN(columns) (sizeof(columns) / sizeof((columns)[0]))

static bool is_drawn(const struct dataset *dataset)
{
    return dataset_n_file(dataset) == 0;
}

/* ---- list ---- */

/* has_published_sizes: every file is as large as the published one. Packed files are not judged,
 * and neither is what is in a file: that is `data check`. */
static bool has_published_sizes(const struct dataset_place *place)
{
    for (size_t i = 0; i < dataset_n_file(place->dataset); i++) {
        const char *path = place->path[i];
        size_t published = place->dataset->file[i].size, n = strlen(path);
        bool packed = n > 3 && strcmp(path + n - 3, ".gz") == 0;
        struct stat found;
        if (published > 0 && n > 0 && !packed &&
            (stat(path, &found) != 0 || (uintmax_t)found.st_size != published)) {
            return false;
        }
    }
    return true;
}

static const char *state_of(const struct dataset *dataset, const struct dataset_place *place,
                            bool found)
{
    if (is_drawn(dataset)) {
        return "built in";
    }
    if (!found) {
        return "missing";
    }
    return has_published_sizes(place) ? "found" : "found, sizes differ";
}

static void add_dataset(struct table *table, const struct dataset *dataset,
                        const struct dataset_options *options)
{
    static struct dataset_place place;
    struct error err = {0};
    bool found = dataset_find(dataset, options, &place, &err) == STATUS_OK;
    table_text(table, dataset->task.name);
    table_text(table, dataset->task.title);
    table_format(table, "%zu x %zu %s", dataset->image_size, dataset->image_size,
                 dataset->n_channel == 3 ? "colour" : "grey");
    table_integer(table, (long long)dataset->task.n_answer);
    table_text(table, state_of(dataset, &place, found));
    table_text(table, found && !is_drawn(dataset) ? place.folder : NULL);
    if (is_drawn(dataset)) {
        table_text(table, "-");
    } else if (found) {
        table_text(table, place.folder);
    } else {
        table_format(table, "scripts/fetch_data.sh %s", dataset->task.name);
    }
    table_text(table, found ? NULL : err.text);
}

static void print_roots(const struct data_options *data)
{
    puts("\nlooked in:");
    for (size_t i = 0; i < data->options.n_root; i++) {
        terminal_print(stdout, "  %-12s %s%s\n", data->origin[i], data->root[i],
                       folder_exists(data->root[i]) ? "" : " (does not exist)");
    }
}

static enum status data_list(const struct data_options *data, const struct dataset *only,
                             const struct arguments *arguments, struct error *err)
{
    static const struct column columns[] = {
        {"name", "name"},
        {"title", NULL},
        {"images", "images"},
        {"n_class", "classes"},
        {"state", "state"},
        {"folder", NULL},
        {NULL, "where, or how to get it"},
        {"reason", NULL},
    };
    struct table *table = table_create(columns, N_COLUMN(columns));
    for (size_t i = 0; dataset_at(i); i++) {
        if (!only || dataset_at(i) == only) {
            add_dataset(table, dataset_at(i), &data->options);
        }
    }
    TRY(table_finish(table, arguments->format, err));
    if (arguments->format == FORMAT_TEXT) {
        print_roots(data);
    }
    return STATUS_OK;
}

/* ---- check ---- */

static void add_check(struct table *table, const struct dataset *dataset, const char *item,
                      size_t count, const char *hash, const char *verdict)
{
    table_text(table, dataset->task.name);
    table_text(table, item);
    table_integer(table, (long long)count);
    table_text(table, hash);
    if (hash) {
        table_format(table, "%.12s", hash);
    } else {
        table_missing(table);
    }
    table_text(table, verdict);
}

static const char *judge_file(const struct dataset_file *file, const char *hash)
{
    if (!file->sha256) {
        return "no published hash";
    }
    return strcmp(hash, file->sha256) == 0 ? "as published" : "differs from published";
}

static enum status check_files(struct table *table, const struct dataset_place *place,
                               struct error *err)
{
    for (size_t i = 0; i < dataset_n_file(place->dataset); i++) {
        const struct dataset_file *file = &place->dataset->file[i];
        char hash[SHA256_HEX_SIZE];
        size_t size;
        if (file->size == 0 || !place->path[i][0]) {
            continue;
        }
        TRY(data_bytes_hash(place->path[i], hash, &size, err));
        add_check(table, place->dataset, file->name, size, hash, judge_file(file, hash));
        if (file->sha256 && strcmp(hash, file->sha256) != 0) {
            terminal_say("warning: %s differs from the published file: %zu bytes with SHA-256 "
                         "%s, expected %zu with %s",
                         place->path[i], size, hash, file->size, file->sha256);
        }
    }
    return STATUS_OK;
}

/* count_verdict says how many of the published images there are. */
#define VERDICT_SIZE 64
static const char *count_verdict(size_t n_image, size_t n_published, char text[VERDICT_SIZE])
{
    if (n_published == 0 || n_image == n_published) {
        return "whole";
    }
    snprintf(text, VERDICT_SIZE, "%zu were published", n_published);
    return text;
}

/* Images are decoded again here, not read from the cache. */
static enum status check_images(struct table *table, const struct dataset_place *place,
                                const struct dataset_options *options, struct error *err)
{
    struct dataset_options fresh = *options;
    struct image_data data;
    fresh.cache = NULL;
    TRY(dataset_load(place, &fresh, &data, err));
    const struct dataset *dataset = place->dataset;
    const char *hash = image_data_hash(&data);
    size_t n_train = data.train.n_image, n_test = data.test.n_image;
    char verdict[VERDICT_SIZE];
    add_check(table, dataset, "(training images)", n_train, NULL,
              count_verdict(n_train, dataset->task.n_train, verdict));
    add_check(table, dataset, "(test images)", n_test, NULL,
              count_verdict(n_test, dataset->task.n_test, verdict));
    add_check(
        table, dataset, "(all images)", n_train + n_test, hash,
        count_verdict(n_train + n_test, dataset->task.n_train + dataset->task.n_test, verdict));
    image_data_free(&data);
    return STATUS_OK;
}

static enum status check_place(struct table *table, const struct dataset_place *place,
                               const struct dataset_options *options, struct error *err)
{
    TRY(check_files(table, place, err));
    return check_images(table, place, options, err);
}

static enum status check_one(struct table *table, const struct dataset *dataset,
                             const struct dataset_options *options, struct error *err)
{
    static struct dataset_place place;
    TRY(dataset_find(dataset, options, &place, err));
    return check_place(table, &place, options, err);
}

/* Without a name, what is not there is left out, and what is broken does not hide the rest. */
static enum status check_all(struct table *table, const struct dataset_options *options,
                             struct error *err)
{
    static struct dataset_place place;
    enum status worst = STATUS_OK;
    for (size_t i = 0; dataset_at(i); i++) {
        struct error one = {0};
        if (dataset_find(dataset_at(i), options, &place, NULL) != STATUS_OK) {
            continue;
        }
        enum status status = check_place(table, &place, options, &one);
        if (status == STATUS_DATA) {
            add_check(table, dataset_at(i), "-", 0, NULL, "BAD");
        }
        TRY(terminal_pass(status, &one, &worst, err));
    }
    return worst;
}

static enum status data_check(const struct data_options *data, const struct dataset *dataset,
                              const struct arguments *arguments, struct error *err)
{
    static const struct column columns[] = {
        {"dataset", "data set"}, {"item", "file"},  {"count", "bytes/images"},
        {"sha256", NULL},        {NULL, "SHA-256"}, {"verdict", "verdict"},
    };
    struct table *table = table_create(columns, N_COLUMN(columns));
    enum status status = dataset ? check_one(table, dataset, &data->options, err)
                                 : check_all(table, &data->options, err);
    bool complete = status == STATUS_OK || (status == STATUS_DATA && !dataset);
    if (complete) {
        enum status printed = table_print(table, arguments->format, err);
        status = printed == STATUS_OK ? status : printed;
    }
    table_free(table);
    return status;
}

/* ---- show ---- */

static enum status print_path(const struct dataset *dataset, const char *path, enum format format,
                              struct error *err)
{
    static const struct column columns[] = {{"dataset", NULL}, {"path", NULL}};
    if (format == FORMAT_TEXT) {
        puts(path);
        return STATUS_OK;
    }
    struct table *table = table_create(columns, N_COLUMN(columns));
    table_text(table, dataset->task.name);
    table_text(table, path);
    return table_finish(table, format, err);
}

static enum status data_show(const struct data_options *data, const struct dataset *dataset,
                             const struct arguments *arguments, struct error *err)
{
    static struct dataset_place place;
    struct image_data images;
    char folder[PATH_SIZE], path[PATH_SIZE];
    if (!dataset) {
        return error_set(err, STATUS_USAGE,
                         "data show needs the name of a data set; see qkvlab data list");
    }
    TRY(dataset_find(dataset, &data->options, &place, err));
    TRY(path_format(folder, err, "%s/data", arguments->out));
    TRY(path_format(path, err, "%s/%s.png", folder, dataset->task.name));
    TRY(dataset_load(&place, &data->options, &images, err));
    enum status status = folder_create(folder, err);
    if (status == STATUS_OK) {
        struct sheet *sheet = contact_sheet(&images);
        status = draw_sheet_write(sheet, folder, err);
        sheet_free(sheet);
    }
    if (status == STATUS_OK) {
        status = print_path(dataset, path, arguments->format, err);
    }
    image_data_free(&images);
    return status;
}

/* ---- the command ---- */

static const struct {
    const char *name;
    enum status (*run)(const struct data_options *data, const struct dataset *dataset,
                       const struct arguments *arguments, struct error *err); /* NULL: all sets */
} actions[] = {{"list", data_list}, {"check", data_check}, {"show", data_show}};

const char *data_action_at(size_t i)
{
    return i < N_COLUMN(actions) ? actions[i].name : NULL;
}

enum status cmd_data(const struct arguments *arguments, struct error *err)
{
    static struct data_options data;
    const struct dataset *dataset = NULL;
    size_t action = 0;
    TRY(word_check(WORD_DATA_ACTION, arguments->operand[0], err));
    if (arguments->n_operand > 1) {
        TRY(word_check(WORD_DATASET, arguments->operand[1], err));
        dataset = dataset_find_name(arguments->operand[1]);
    }
    TRY(data_options_make(&data, arguments, err));
    while (strcmp(actions[action].name, arguments->operand[0]) != 0) {
        action++;
    }
    return actions[action].run(&data, dataset, arguments, err);
}
