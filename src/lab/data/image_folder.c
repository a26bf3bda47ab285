/* Nothing is guessed from a layout that could mean two things: validation images without their
 * annotations would otherwise become one class called "images".
 */
#include "lab/data/image_folder.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/folder.h"
#include "lab/data/data_lines.h"

#define WORDS_FILE "words.txt"
#define ANNOTATIONS "val/val_annotations.txt"

static bool is_jpeg(const char *name)
{
    const char *dot = strrchr(name, '.');
    return name[0] != '.' && dot && (!strcasecmp(dot, ".jpeg") || !strcasecmp(dot, ".jpg"));
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A name, and its place in another list. */
struct entry {
    const char *name;
    size_t index;
};

static int compare_entries(const void *a, const void *b)
{
    return strcmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}

static const struct entry *find_entry(const struct entry *entries, size_t n, const char *name)
{
    const struct entry key = {.name = name};
    return n ? bsearch(&key, entries, n, sizeof *entries, compare_entries) : NULL;
}

static const char *last_component(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* By file name first, so that the order does not depend on the folders. */
static int compare_files(const void *a, const void *b)
{
    const struct image_file *one = a, *other = b;
    int order = strcmp(last_component(one->path), last_component(other->path));
    return order ? order : strcmp(one->path, other->path);
}

/* ---- lists --------------------------------------------------------------------------------- */

static enum status list_add(struct image_list *list, uint16_t label, const char *path,
                            struct error *err)
{
    if (list->n_file == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 1024;
        struct image_file *file = realloc(list->file, capacity * sizeof *file);
        if (!file) {
            return error_memory(err, "listing images");
        }
        list->file = file;
        list->capacity = capacity;
    }
    char *copy = strdup(path);
    if (!copy) {
        return error_memory(err, "listing images");
    }
    list->file[list->n_file++] = (struct image_file){.path = copy, .label = label};
    return STATUS_OK;
}

static void list_free(struct image_list *list)
{
    for (size_t i = 0; i < list->n_file; i++) {
        free(list->file[i].path);
    }
    free(list->file);
}

/* Adds the JPEGs of <folder>/<below>, in bytewise order. */
static enum status add_folder(struct image_list *list, const char *folder, const char *below,
                              uint16_t label, struct error *err)
{
    char path[PATH_SIZE];
    char **names;
    size_t n_name;
    TRY(path_format(path, err, "%s/%s", folder, below));
    TRY(folder_list(path, &names, &n_name, err));
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < n_name; i++) {
        if (!is_jpeg(names[i])) {
            continue;
        }
        status = path_format(path, err, "%s/%s", below, names[i]);
        if (status == STATUS_OK) {
            status = list_add(list, label, path, err);
        }
    }
    folder_list_free(names, n_name);
    return status;
}

/* Adds the images of a class, from <split>/<class>/images or <split>/<class>. */
static enum status add_class(struct image_list *list, const char *folder, const char *split,
                             const char *class_id, uint16_t label, struct error *err)
{
    char path[PATH_SIZE], below[PATH_SIZE];
    size_t n_before = list->n_file;
    TRY(path_format(path, err, "%s/%s/%s/images", folder, split, class_id));
    TRY(path_format(below, err, "%s/%s%s", split, class_id, folder_exists(path) ? "/images" : ""));
    TRY(add_folder(list, folder, below, label, err));
    return list->n_file > n_before
               ? STATUS_OK
               : error_set(err, STATUS_DATA, "%s/%s holds no JPEG", folder, below);
}

/* ---- classes ------------------------------------------------------------------------------- */

static enum status add_class_id(struct image_folder *images, const char *class_id,
                                struct error *err)
{
    images->class_id[images->n_class] = strdup(class_id);
    return images->class_id[images->n_class++] ? STATUS_OK : error_memory(err, "listing images");
}

static enum status room_for_classes(struct image_folder *images, size_t n, struct error *err)
{
    if (n > UINT16_MAX) {
        return error_set(err, STATUS_DATA, "found %zu classes, expected at most %d", n, UINT16_MAX);
    }
    images->class_id = calloc(n + 1, sizeof *images->class_id);
    images->class_name = calloc(n + 1, sizeof *images->class_name);
    return images->class_id && images->class_name ? STATUS_OK : error_memory(err, "listing images");
}

static enum status refuse_doubles(const struct image_folder *images, const char *path,
                                  struct error *err)
{
    char **sorted = malloc((images->n_class + 1) * sizeof *sorted);
    enum status status = sorted ? STATUS_OK : error_memory(err, "listing images");
    if (sorted) {
        memcpy(sorted, images->class_id, images->n_class * sizeof *sorted);
        qsort(sorted, images->n_class, sizeof *sorted, compare_texts);
    }
    for (size_t i = 1; status == STATUS_OK && i < images->n_class; i++) {
        if (strcmp(sorted[i - 1], sorted[i]) == 0) {
            status = error_set(err, STATUS_DATA, "%s names %s twice", path, sorted[i]);
        }
    }
    free(sorted);
    return status;
}

static enum status classes_from_file(struct image_folder *images, const char *path,
                                     struct error *err)
{
    struct data_lines lines;
    enum status status = data_lines_read(path, &lines, err);
    if (status == STATUS_OK && lines.n_line == 0) {
        status = error_set(err, STATUS_DATA, "%s names no class", path);
    }
    if (status == STATUS_OK) {
        status = room_for_classes(images, lines.n_line, err);
    }
    for (size_t i = 0; status == STATUS_OK && i < lines.n_line; i++) {
        status = add_class_id(images, lines.line[i], err);
    }
    data_lines_free(&lines);
    return status == STATUS_OK ? refuse_doubles(images, path, err) : status;
}

static enum status classes_from_folders(struct image_folder *images, const char *train,
                                        struct error *err)
{
    char **names;
    size_t n_name;
    TRY(folder_list(train, &names, &n_name, err));
    enum status status = room_for_classes(images, n_name, err);
    for (size_t i = 0; status == STATUS_OK && i < n_name; i++) {
        char path[PATH_SIZE];
        status = path_format(path, err, "%s/%s", train, names[i]);
        if (status == STATUS_OK && names[i][0] != '.' && folder_exists(path)) {
            status = add_class_id(images, names[i], err);
        }
    }
    folder_list_free(names, n_name);
    if (status == STATUS_OK && images->n_class == 0) {
        status = error_set(err, STATUS_DATA, "%s holds no class folder", train);
    }
    return status;
}

/* words.txt has lines "n01443537<tab>goldfish, Carassius auratus"; the first word is enough. */
static void take_word(struct image_folder *images, const struct entry *order, char *line)
{
    char *tab = strchr(line, '\t');
    if (!tab) {
        return;
    }
    *tab = '\0';
    const struct entry *found = find_entry(order, images->n_class, line);
    if (found && !images->class_name[found->index]) {
        tab[1 + strcspn(tab + 1, ",")] = '\0';
        images->class_name[found->index] = strdup(tab + 1);
    }
}

static enum status read_words(const char *folder, struct image_folder *images,
                              const struct entry *order, struct error *err)
{
    char path[PATH_SIZE];
    struct data_lines lines = {0};
    enum status status = path_format(path, err, "%s/" WORDS_FILE, folder);
    if (status == STATUS_OK && file_exists(path)) {
        status = data_lines_read(path, &lines, err);
    }
    for (size_t i = 0; status == STATUS_OK && i < lines.n_line; i++) {
        take_word(images, order, lines.line[i]);
    }
    data_lines_free(&lines);
    for (size_t i = 0; status == STATUS_OK && i < images->n_class; i++) {
        if (!images->class_name[i]) {
            images->class_name[i] = strdup(images->class_id[i]);
        }
        status = images->class_name[i] ? STATUS_OK : error_memory(err, "listing images");
    }
    return status;
}

/* ---- training images ----------------------------------------------------------------------- */

static enum status list_train(const char *folder, struct image_folder *images, struct error *err)
{
    for (size_t i = 0; i < images->n_class; i++) {
        TRY(add_class(&images->train, folder, "train", images->class_id[i], (uint16_t)i, err));
    }
    return STATUS_OK;
}

/* ---- test images --------------------------------------------------------------------------- */

/* Gives each image of val/images the class its annotation names; images of classes that are left
 * out are dropped. */
static enum status annotate(const char *folder, struct image_folder *images,
                            const struct image_list *found, const struct entry *classes,
                            bool classes_are_chosen, struct data_lines *lines, struct error *err)
{
    struct entry *annotation = malloc((lines->n_line + 1) * sizeof *annotation);
    char **class_id = malloc((lines->n_line + 1) * sizeof *class_id);
    enum status status = annotation && class_id ? STATUS_OK : error_memory(err, "listing images");
    for (size_t i = 0; status == STATUS_OK && i < lines->n_line; i++) {
        char *tab = strchr(lines->line[i], '\t');
        if (!tab) {
            status = error_set(err, STATUS_DATA, "%s/" ANNOTATIONS ": no tab in '%.60s'", folder,
                               lines->line[i]);
            break;
        }
        *tab = '\0';
        class_id[i] = tab + 1;
        class_id[i][strcspn(class_id[i], "\t")] = '\0';
        annotation[i] = (struct entry){.name = lines->line[i], .index = i};
    }
    if (status == STATUS_OK) {
        qsort(annotation, lines->n_line, sizeof *annotation, compare_entries);
    }
    for (size_t i = 0; status == STATUS_OK && i < found->n_file; i++) {
        const char *name = last_component(found->file[i].path);
        const struct entry *line = find_entry(annotation, lines->n_line, name);
        const char *id = line ? class_id[line->index] : NULL;
        const struct entry *class = id ? find_entry(classes, images->n_class, id) : NULL;
        if (class) {
            status = list_add(&images->test, (uint16_t) class->index, found->file[i].path, err);
        } else if (!id) {
            status = error_set(err, STATUS_DATA,
                               "%s/" ANNOTATIONS " has no line for %s, which is in val/images",
                               folder, name);
        } else if (!classes_are_chosen) {
            status = error_set(err, STATUS_DATA,
                               "%s/" ANNOTATIONS " puts %s into class %s, which has no folder in "
                               "train",
                               folder, name, id);
        }
    }
    free(annotation);
    free(class_id);
    return status;
}

static enum status list_annotated(const char *folder, struct image_folder *images,
                                  const struct image_list *found, const struct entry *classes,
                                  bool classes_are_chosen, struct error *err)
{
    char path[PATH_SIZE];
    struct data_lines lines;
    TRY(path_format(path, err, "%s/" ANNOTATIONS, folder));
    if (!file_exists(path)) {
        return error_set(err, STATUS_DATA,
                         "%s/val/images holds %zu JPEGs, and their classes are unknown: %s is "
                         "missing",
                         folder, found->n_file, path);
    }
    TRY(data_lines_read(path, &lines, err));
    enum status status = annotate(folder, images, found, classes, classes_are_chosen, &lines, err);
    data_lines_free(&lines);
    return status;
}

static enum status list_sorted(const char *folder, struct image_folder *images, struct error *err)
{
    for (size_t i = 0; i < images->n_class; i++) {
        TRY(add_class(&images->test, folder, "val", images->class_id[i], (uint16_t)i, err));
    }
    return STATUS_OK;
}

static bool has_class_folder(const char *folder, const struct image_folder *images)
{
    char path[PATH_SIZE];
    for (size_t i = 0; i < images->n_class; i++) {
        if (path_format(path, NULL, "%s/val/%s", folder, images->class_id[i]) == STATUS_OK &&
            folder_exists(path)) {
            return true;
        }
    }
    return false;
}

static enum status find_test(const char *folder, struct image_folder *images,
                             struct image_list *found, const struct entry *classes,
                             bool classes_are_chosen, struct error *err)
{
    char path[PATH_SIZE];
    TRY(path_format(path, err, "%s/val/images", folder));
    if (folder_exists(path)) {
        TRY(add_folder(found, folder, "val/images", 0, err));
    }
    bool sorted = has_class_folder(folder, images);
    if (found->n_file > 0 && sorted) {
        return error_set(err, STATUS_DATA,
                         "%s/val holds %zu JPEGs in images and class folders beside it; move all "
                         "images to one of the two",
                         folder, found->n_file);
    }
    if (found->n_file > 0) {
        TRY(list_annotated(folder, images, found, classes, classes_are_chosen, err));
    } else if (sorted) {
        TRY(list_sorted(folder, images, err));
    }
    return images->test.n_file > 0
               ? STATUS_OK
               : error_set(err, STATUS_DATA,
                           "%s/val holds no image of the %zu classes, neither in images (with "
                           "val_annotations.txt) nor in folders named after them",
                           folder, images->n_class);
}

static enum status list_test(const char *folder, struct image_folder *images,
                             const struct entry *classes, bool classes_are_chosen,
                             struct error *err)
{
    struct image_list found = {0};
    enum status status = find_test(folder, images, &found, classes, classes_are_chosen, err);
    list_free(&found);
    if (images->test.n_file > 0) {
        qsort(images->test.file, images->test.n_file, sizeof *images->test.file, compare_files);
    }
    return status;
}

/* ---- manifest ------------------------------------------------------------------------------ */

static enum status add_to_manifest(const char *folder, const struct image_list *list,
                                   struct sha256 *sha256, struct error *err)
{
    for (size_t i = 0; i < list->n_file; i++) {
        char path[PATH_SIZE], line[PATH_SIZE + 128];
        struct stat info;
        TRY(path_format(path, err, "%s/%s", folder, list->file[i].path));
        if (stat(path, &info) != 0) {
            return error_set(err, STATUS_DATA, "cannot read %s: %s", path, strerror(errno));
        }
        int n = snprintf(line, sizeof line, "%s\t%u\t%lld\t%lld.%09ld\n", list->file[i].path,
                         list->file[i].label, (long long)info.st_size,
                         (long long)info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
        sha256_add(sha256, line, (size_t)n);
    }
    sha256_add(sha256, "\n", 1);
    return STATUS_OK;
}

static enum status make_manifest(const char *folder, struct image_folder *images, struct error *err)
{
    struct sha256 sha256;
    sha256_begin(&sha256);
    for (size_t i = 0; i < images->n_class; i++) {
        sha256_add(&sha256, images->class_id[i], strlen(images->class_id[i]) + 1);
        sha256_add(&sha256, images->class_name[i], strlen(images->class_name[i]) + 1);
    }
    TRY(add_to_manifest(folder, &images->train, &sha256, err));
    TRY(add_to_manifest(folder, &images->test, &sha256, err));
    sha256_end(&sha256, images->manifest);
    return STATUS_OK;
}

/* ---- all of it ----------------------------------------------------------------------------- */

static enum status list_all(const char *folder, struct image_folder *images,
                            const struct entry *classes, bool chosen, struct error *err)
{
    TRY(read_words(folder, images, classes, err));
    TRY(list_train(folder, images, err));
    return list_test(folder, images, classes, chosen, err);
}

static enum status list_images(const char *folder, struct image_folder *images, bool chosen,
                               struct error *err)
{
    struct entry *classes = malloc((images->n_class + 1) * sizeof *classes);
    if (!classes) {
        return error_memory(err, "listing images");
    }
    for (size_t i = 0; i < images->n_class; i++) {
        classes[i] = (struct entry){.name = images->class_id[i], .index = i};
    }
    qsort(classes, images->n_class, sizeof *classes, compare_entries);
    enum status status = list_all(folder, images, classes, chosen, err);
    free(classes);
    return status;
}

enum status image_folder_list(const char *folder, struct image_folder *images, struct error *err)
{
    char ids[PATH_SIZE], train[PATH_SIZE];
    *images = (struct image_folder){0};
    TRY(path_format(ids, err, "%s/wnids.txt", folder));
    TRY(path_format(train, err, "%s/train", folder));
    bool chosen = file_exists(ids);
    TRY(chosen ? classes_from_file(images, ids, err) : classes_from_folders(images, train, err));
    TRY(list_images(folder, images, chosen, err));
    return make_manifest(folder, images, err);
}

static void free_texts(char **text, size_t n)
{
    for (size_t i = 0; text && i < n; i++) {
        free(text[i]);
    }
    free(text);
}

void image_folder_free(struct image_folder *images)
{
    free_texts(images->class_id, images->n_class);
    free_texts(images->class_name, images->n_class);
    list_free(&images->train);
    list_free(&images->test);
    *images = (struct image_folder){0};
}
