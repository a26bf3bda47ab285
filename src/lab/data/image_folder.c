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

/* A class by its id, or a line of the annotations by the name of its image; lists are sorted by
 * name. */
struct entry {
    const char *name;
    size_t index;         /* of a class */
    const char *class_id; /* of an annotation */
};

/* What is known of a folder while it is listed. */
struct lister {
    const char *folder;
    struct image_folder *images;
    bool chosen;             /* wnids.txt says which classes count */
    struct entry *class;     /* [n_class] */
    struct image_list found; /* in val/images */
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

static const struct entry *find_class(const struct lister *lister, const char *id)
{
    return find_entry(lister->class, lister->images->n_class, id);
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

static enum status add_jpegs(struct image_list *list, const char *below, uint16_t label,
                             char **names, size_t n_name, struct error *err)
{
    for (size_t i = 0; i < n_name; i++) {
        char path[PATH_SIZE];
        if (is_jpeg(names[i])) {
            TRY(path_format(path, err, "%s/%s", below, names[i]));
            TRY(list_add(list, label, path, err));
        }
    }
    return STATUS_OK;
}

/* Adds the JPEGs of <folder>/<below>, in bytewise order. */
static enum status add_folder(struct image_list *list, const char *folder, const char *below,
                              uint16_t label, struct error *err)
{
    char path[PATH_SIZE], **names;
    size_t n_name;
    TRY(path_format(path, err, "%s/%s", folder, below));
    TRY(folder_list(path, &names, &n_name, err));
    enum status status = add_jpegs(list, below, label, names, n_name, err);
    folder_list_free(names, n_name);
    return status;
}

/* Adds the images of every class, from <split>/<class>/images or <split>/<class>. */
static enum status add_classes(const struct lister *lister, const char *split,
                               struct image_list *list, struct error *err)
{
    const struct image_folder *images = lister->images;
    for (size_t i = 0; i < images->n_class; i++) {
        char path[PATH_SIZE], below[PATH_SIZE];
        size_t n_before = list->n_file;
        TRY(path_format(path, err, "%s/%s/%s/images", lister->folder, split, images->class_id[i]));
        TRY(path_format(below, err, "%s/%s%s", split, images->class_id[i],
                        folder_exists(path) ? "/images" : ""));
        TRY(add_folder(list, lister->folder, below, (uint16_t)i, err));
        if (list->n_file == n_before) {
            return error_set(err, STATUS_DATA, "%s/%s holds no JPEG", lister->folder, below);
        }
    }
    return STATUS_OK;
}

/* ---- classes ------------------------------------------------------------------------------- */

/* Makes classes of the names; of those that are folders in `folder`, unless that is NULL. */
static enum status take_classes(struct image_folder *images, char **names, size_t n_name,
                                const char *folder, struct error *err)
{
    if (n_name > UINT16_MAX) {
        return error_set(err, STATUS_DATA, "found %zu classes, expected at most %d", n_name,
                         UINT16_MAX);
    }
    images->class_id = calloc(n_name + 1, sizeof *images->class_id);
    images->class_name = calloc(n_name + 1, sizeof *images->class_name);
    if (!images->class_id || !images->class_name) {
        return error_memory(err, "listing images");
    }
    for (size_t i = 0; i < n_name; i++) {
        char path[PATH_SIZE];
        if (folder) {
            TRY(path_format(path, err, "%s/%s", folder, names[i]));
        }
        if (folder && (names[i][0] == '.' || !folder_exists(path))) {
            continue;
        }
        images->class_id[images->n_class] = strdup(names[i]);
        if (!images->class_id[images->n_class++]) {
            return error_memory(err, "listing images");
        }
    }
    return STATUS_OK;
}

static enum status classes_from_file(struct image_folder *images, const char *path,
                                     struct error *err)
{
    struct data_lines lines;
    TRY(data_lines_read(path, &lines, err));
    enum status status = take_classes(images, lines.line, lines.n_line, NULL, err);
    data_lines_free(&lines);
    TRY(status);
    return images->n_class > 0 ? STATUS_OK : error_set(err, STATUS_DATA, "%s names no class", path);
}

static enum status classes_from_folders(struct image_folder *images, const char *train,
                                        struct error *err)
{
    char **names;
    size_t n_name;
    TRY(folder_list(train, &names, &n_name, err));
    enum status status = take_classes(images, names, n_name, train, err);
    folder_list_free(names, n_name);
    TRY(status);
    return images->n_class > 0 ? STATUS_OK
                               : error_set(err, STATUS_DATA, "%s holds no class folder", train);
}

static enum status find_classes(struct lister *lister, struct error *err)
{
    char ids[PATH_SIZE], train[PATH_SIZE];
    struct image_folder *images = lister->images;
    TRY(path_format(ids, err, "%s/wnids.txt", lister->folder));
    TRY(path_format(train, err, "%s/train", lister->folder));
    lister->chosen = file_exists(ids);
    TRY(lister->chosen ? classes_from_file(images, ids, err)
                       : classes_from_folders(images, train, err));
    TRY_CALLOC(err, lister->class, images->n_class, "listing images");
    for (size_t i = 0; i < images->n_class; i++) {
        lister->class[i] = (struct entry){.name = images->class_id[i], .index = i};
    }
    qsort(lister->class, images->n_class, sizeof *lister->class, compare_entries);
    for (size_t i = 1; i < images->n_class; i++) {
        if (strcmp(lister->class[i - 1].name, lister->class[i].name) == 0) {
            return error_set(err, STATUS_DATA, "%s names %s twice", ids, lister->class[i].name);
        }
    }
    return STATUS_OK;
}

/* words.txt has lines "n01443537<tab>goldfish, Carassius auratus"; the first word is enough. */
static void take_word(const struct lister *lister, char *line)
{
    char **name = lister->images->class_name, *tab = strchr(line, '\t');
    if (!tab) {
        return;
    }
    *tab = '\0';
    const struct entry *found = find_class(lister, line);
    if (found && !name[found->index]) {
        tab[1 + strcspn(tab + 1, ",")] = '\0';
        name[found->index] = strdup(tab + 1);
    }
}

static enum status read_words(const struct lister *lister, struct error *err)
{
    char path[PATH_SIZE];
    struct data_lines lines;
    TRY(path_format(path, err, "%s/" WORDS_FILE, lister->folder));
    if (!file_exists(path)) {
        return STATUS_OK;
    }
    TRY(data_lines_read(path, &lines, err));
    for (size_t i = 0; i < lines.n_line; i++) {
        take_word(lister, lines.line[i]);
    }
    data_lines_free(&lines);
    return STATUS_OK;
}

static enum status name_classes(const struct lister *lister, struct error *err)
{
    struct image_folder *images = lister->images;
    TRY(read_words(lister, err));
    for (size_t i = 0; i < images->n_class; i++) {
        if (!images->class_name[i]) {
            images->class_name[i] = strdup(images->class_id[i]);
        }
        if (!images->class_name[i]) {
            return error_memory(err, "listing images");
        }
    }
    return STATUS_OK;
}

/* ---- test images --------------------------------------------------------------------------- */

static enum status read_annotations(const struct lister *lister, const struct data_lines *lines,
                                    struct entry *annotation, struct error *err)
{
    for (size_t i = 0; i < lines->n_line; i++) {
        char *line = lines->line[i], *tab = strchr(line, '\t');
        if (!tab) {
            return error_set(err, STATUS_DATA, "%s/" ANNOTATIONS ": no tab in '%.60s'",
                             lister->folder, line);
        }
        *tab = '\0';
        tab[1 + strcspn(tab + 1, "\t")] = '\0';
        annotation[i] = (struct entry){.name = line, .class_id = tab + 1};
    }
    qsort(annotation, lines->n_line, sizeof *annotation, compare_entries);
    return STATUS_OK;
}

/* Gives each image of val/images the class its annotation names; images of classes that are left
 * out are dropped. */
static enum status annotate(struct lister *lister, const struct data_lines *lines,
                            struct entry *annotation, struct error *err)
{
    TRY(read_annotations(lister, lines, annotation, err));
    for (size_t i = 0; i < lister->found.n_file; i++) {
        const char *path = lister->found.file[i].path, *name = last_component(path);
        const struct entry *line = find_entry(annotation, lines->n_line, name);
        if (!line) {
            return error_set(err, STATUS_DATA,
                             "%s/" ANNOTATIONS " has no line for %s, which is in val/images",
                             lister->folder, name);
        }
        const struct entry *class = find_class(lister, line->class_id);
        if (class) {
            TRY(list_add(&lister->images->test, (uint16_t) class->index, path, err));
        } else if (!lister->chosen) {
            return error_set(err, STATUS_DATA,
                             "%s/" ANNOTATIONS " puts %s into class %s, which has no folder in "
                             "train",
                             lister->folder, name, line->class_id);
        }
    }
    return STATUS_OK;
}

static enum status list_annotated(struct lister *lister, struct error *err)
{
    char path[PATH_SIZE];
    struct data_lines lines;
    TRY(path_format(path, err, "%s/" ANNOTATIONS, lister->folder));
    if (!file_exists(path)) {
        return error_set(err, STATUS_DATA,
                         "%s/val/images holds %zu JPEGs, and their classes are unknown: %s is "
                         "missing",
                         lister->folder, lister->found.n_file, path);
    }
    TRY(data_lines_read(path, &lines, err));
    struct entry *annotation = malloc((lines.n_line + 1) * sizeof *annotation);
    enum status status = annotation ? annotate(lister, &lines, annotation, err)
                                    : error_memory(err, "listing images");
    free(annotation);
    data_lines_free(&lines);
    return status;
}

static bool has_class_folder(const struct lister *lister)
{
    char path[PATH_SIZE];
    for (size_t i = 0; i < lister->images->n_class; i++) {
        if (path_format(path, NULL, "%s/val/%s", lister->folder, lister->images->class_id[i]) ==
                STATUS_OK &&
            folder_exists(path)) {
            return true;
        }
    }
    return false;
}

static enum status list_test(struct lister *lister, struct error *err)
{
    char path[PATH_SIZE];
    const char *folder = lister->folder;
    struct image_list *test = &lister->images->test;
    TRY(path_format(path, err, "%s/val/images", folder));
    if (folder_exists(path)) {
        TRY(add_folder(&lister->found, folder, "val/images", 0, err));
    }
    bool annotated = lister->found.n_file > 0, sorted = has_class_folder(lister);
    if (annotated && sorted) {
        return error_set(err, STATUS_DATA,
                         "%s/val holds %zu JPEGs in images and class folders beside it; move all "
                         "images to one of the two",
                         folder, lister->found.n_file);
    }
    TRY(annotated ? list_annotated(lister, err) : STATUS_OK);
    TRY(sorted ? add_classes(lister, "val", test, err) : STATUS_OK);
    if (test->n_file == 0) {
        return error_set(err, STATUS_DATA,
                         "%s/val holds no image of the %zu classes, neither in images (with "
                         "val_annotations.txt) nor in folders named after them",
                         folder, lister->images->n_class);
    }
    qsort(test->file, test->n_file, sizeof *test->file, compare_files);
    return STATUS_OK;
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

static enum status list_all(struct lister *lister, struct error *err)
{
    TRY(find_classes(lister, err));
    TRY(name_classes(lister, err));
    TRY(add_classes(lister, "train", &lister->images->train, err));
    TRY(list_test(lister, err));
    return make_manifest(lister->folder, lister->images, err);
}

enum status image_folder_list(const char *folder, struct image_folder *images, struct error *err)
{
    struct lister lister = {.folder = folder, .images = images};
    *images = (struct image_folder){0};
    enum status status = list_all(&lister, err);
    free(lister.class);
    list_free(&lister.found);
    return status;
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
