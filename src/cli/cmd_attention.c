#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/folder.h"
#include "base/shell.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "lab/record/record.h"
#include "report/images/samples.h"
#include "report/run_pictures.h"

struct gallery {
    struct table *table;
    size_t n_picture, n_overview;
    char overview[PATH_SIZE]; /* the last one's path */
    size_t n_with_samples;    /* runs on images */
    size_t n_side_by_side;
    char side_by_side[PATH_SIZE]; /* the folder of the pictures of several runs */
    size_t n_diverged, n_without; /* runs that have no maps, and runs that kept none */
    struct error unwritten;       /* the first picture that could not be written */
};

static void add_head(struct table *table, const struct run *run, const char *head,
                     const struct attention_numbers *numbers)
{
    const char *key;
    table_text(table, run_id(run));
    table_text(table, head);
    for (size_t i = 0; (key = attention_number_key(i)) != NULL; i++) {
        table_number(table, attention_number(numbers, key));
    }
}

static void add_run(struct table *table, const struct run *run)
{
    const struct run_attention *attention = &run->record.attention;
    for (size_t i = 0; i < attention->n_head; i++) {
        char name[32];
        snprintf(name, sizeof name, "%zu", i);
        add_head(table, run, name, &attention->head[i]);
    }
    add_head(table, run, "mean", &attention->mean);
}

static void keep_first(struct error *first, const struct error *error)
{
    if (first->text[0] == '\0') {
        *first = *error;
    }
}

/* Numbers need no pictures: where those cannot be written, the numbers are shown all the same. */
static enum status show_maps(struct gallery *gallery, const struct run *run, const char *folder,
                             struct error *err)
{
    char maps[PATH_SIZE];
    size_t n_picture = 0;
    struct error picture_error = {0};
    TRY(path_format(maps, err, "%s/attention", folder));
    if (!folder_exists(maps)) {
        gallery->n_diverged += !run_is_ok(run);
        gallery->n_without += run_is_ok(run);
        return STATUS_OK;
    }
    gallery->n_with_samples += samples_are_kept(run);
    enum status status = run_pictures_write(run, &n_picture, &picture_error);
    gallery->n_picture += n_picture;
    if (status == STATUS_WRITE) {
        keep_first(&gallery->unwritten, &picture_error);
    } else if (status != STATUS_OK) {
        *err = picture_error;
        return status;
    } else if (path_format(gallery->overview, NULL, "%s/overview.png", maps) == STATUS_OK) {
        gallery->n_overview++;
    }
    add_run(gallery->table, run);
    return STATUS_OK;
}

static enum status show_run(struct gallery *gallery, const char *folder, struct error *err)
{
    struct run run;
    enum status status = run_load(folder, &run, err);
    if (status == STATUS_OK) {
        status = show_maps(gallery, &run, folder, err);
    }
    run_free(&run);
    return status;
}

/* Every finished run of an out folder; one that cannot be read is said, and the others go on. */
static enum status show_all(struct gallery *gallery, const char *out, const char *runs,
                            struct error *err)
{
    char **names;
    size_t n_name;
    enum status status = STATUS_OK, worst = STATUS_OK;
    TRY(folder_list(runs, &names, &n_name, err));
    for (size_t i = 0; status == STATUS_OK && i < n_name; i++) {
        char folder[PATH_SIZE];
        struct error one = {0};
        if (record_is_partial(names[i]) || !record_is_folder(out, names[i])) {
            continue;
        }
        status = path_format(folder, err, "%s/%s", runs, names[i]);
        if (status == STATUS_OK) {
            status = terminal_pass(show_run(gallery, folder, &one), &one, &worst, err);
        }
    }
    folder_list_free(names, n_name);
    return status == STATUS_OK ? worst : status;
}

/* The variants side by side, for all runs of an out folder. */
static enum status draw_variants(struct gallery *gallery, const char *out, struct error *err)
{
    struct frame frame = {0};
    struct error picture_error = {0};
    TRY(path_format(gallery->side_by_side, err, "%s/attention", out));
    if (gallery->n_with_samples == 0) {
        return STATUS_OK;
    }
    enum status status = frame_load(out, &frame, &picture_error);
    if (status == STATUS_OK) {
        status = run_pictures_write_variants(&frame, gallery->side_by_side,
                                             &gallery->n_side_by_side, &picture_error);
    }
    frame_free(&frame);
    if (status == STATUS_WRITE) {
        keep_first(&gallery->unwritten, &picture_error);
    }
    if (status == STATUS_MEMORY) {
        *err = picture_error;
        return status;
    }
    return STATUS_OK;
}

static enum status show(struct gallery *gallery, const char *folder, struct error *err)
{
    char runs[PATH_SIZE], run_json[PATH_SIZE];
    TRY(path_format(runs, err, "%s/runs", folder));
    TRY(path_format(run_json, err, "%s/run.json", folder));
    if (file_exists(run_json)) {
        return show_run(gallery, folder, err);
    }
    if (folder_exists(runs)) {
        enum status status = show_all(gallery, folder, runs, err);
        enum status drawn = draw_variants(gallery, folder, err);
        return drawn == STATUS_OK ? status : drawn;
    }
    char *quoted = shell_path(folder);
    error_set(err, STATUS_DATA,
              "%s: no runs are kept there (no runs/ in it), nor is it a run (no run.json in it); "
              "train some with qkvlab run --out %s",
              folder, quoted ? quoted : "OUT");
    free(quoted);
    return STATUS_DATA;
}

/* Several folders come from the shell's pattern, which also finds runs that are not finished; one
 * that cannot be read does not hide the others. */
static enum status show_operands(struct gallery *gallery, const struct arguments *arguments,
                                 struct error *err)
{
    if (arguments->n_operand <= 1) {
        return show(gallery, arguments_folder(arguments), err);
    }
    enum status worst = STATUS_OK;
    for (size_t i = 0; i < arguments->n_operand; i++) {
        struct error one = {0};
        if (record_is_partial(arguments->operand[i])) {
            continue;
        }
        TRY(terminal_pass(show(gallery, arguments->operand[i], &one), &one, &worst, err));
    }
    return worst;
}

static void say_counts(const struct gallery *gallery)
{
    fprintf(stderr, "%zu picture%s written beside the maps\n", gallery->n_picture,
            plural(gallery->n_picture));
    if (gallery->n_overview > 0) {
        fprintf(
            stderr, "All maps of %s run with labels: %s\n", gallery->n_overview > 1 ? "a" : "the",
            gallery->n_overview > 1 ? "attention/overview.png in its folder" : gallery->overview);
    }
    if (gallery->n_side_by_side > 0) {
        fprintf(stderr, "The variants side by side on the same images: %zu pictures in %s\n",
                gallery->n_side_by_side, gallery->side_by_side);
    }
    if (gallery->n_diverged > 0) {
        fprintf(stderr, "%zu run%s diverged and left no maps\n", gallery->n_diverged,
                plural(gallery->n_diverged));
    }
    if (gallery->n_without > 0) {
        fprintf(stderr, "%zu run%s kept no maps: train with --set attention=final\n",
                gallery->n_without, plural(gallery->n_without));
    }
}

enum status cmd_attention(const struct arguments *arguments, struct error *err)
{
    static const struct column columns[] = {
        {"id", "run"},
        {"head", "head"},
        {"needed", "needed", 3},
        {"diagonal", "diagonal", 3},
        {"asymmetry_product", "asym QK^T", 3},
        {"asymmetry_scores", "asym scores", 3},
    };
    struct gallery gallery = {.table = table_create(columns, sizeof columns / sizeof columns[0])};
    enum status status = show_operands(&gallery, arguments, err);
    if (status == STATUS_OK || (status == STATUS_DATA && err->text[0] == '\0')) {
        enum status printed = table_print(gallery.table, arguments->format, err);
        status = printed == STATUS_OK ? status : printed;
        if (!arguments->quiet) {
            say_counts(&gallery);
        }
        if (status == STATUS_OK && gallery.unwritten.text[0]) {
            *err = gallery.unwritten;
            status = STATUS_WRITE;
        }
    }
    table_free(gallery.table);
    return status;
}
