/* A folder holds a data set when all its files are there in some spelling. Folders named after the
 * data set come before plain ones, because MNIST and Fashion-MNIST publish files of the same names;
 * where the names leave it open, the published hashes of the small files decide.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/folder.h"
#include "base/text.h"
#include "lab/data/dataset.h"

const char *const dataset_system_folder[] = {"/usr/share/datasets", "/usr/local/share/datasets",
                                             NULL};

#define SMALL_FILE ((size_t)1 << 20)

/* ---- one file ------------------------------------------------------------------------------ */

static bool is_there(const struct dataset_file *file, const char *path)
{
    return file->size > 0 ? file_exists(path) : folder_exists(path);
}

/* What stands where a file or a folder of the data should; NULL: nothing does. */
static const char *obstacle_at(const struct dataset_file *file, const char *path)
{
    struct stat info;
    if (is_there(file, path) || lstat(path, &info) != 0) {
        return NULL;
    }
    if (S_ISLNK(info.st_mode) && stat(path, &info) != 0) {
        return "a link to nothing";
    }
    return S_ISDIR(info.st_mode)    ? "a folder"
           : S_ISREG(info.st_mode)  ? "a file"
           : S_ISFIFO(info.st_mode) ? "a pipe (FIFO)"
                                    : "a device or socket";
}

/* Looks for name in the folder, and in a folder of that name, as some archives unpack. */
static bool find_name(const struct dataset_file *file, const char *folder, const char *name,
                      char path[PATH_SIZE])
{
    return (path_format(path, NULL, "%s/%s", folder, name) == STATUS_OK && is_there(file, path)) ||
           (path_format(path, NULL, "%s/%s/%s", folder, name, name) == STATUS_OK &&
            is_there(file, path));
}

/* IDX files come packed, and as "train-images.idx3-ubyte" inside their archives. */
static bool find_idx(const struct dataset_file *file, const char *folder, char path[PATH_SIZE])
{
    const char *kind = strstr(file->name, "-idx");
    for (int i = 0; kind && i < 4; i++) {
        char name[128];
        snprintf(name, sizeof name, "%.*s%c%s%s", (int)(kind - file->name), file->name,
                 i < 2 ? '-' : '.', kind + 1, i % 2 ? ".gz" : "");
        if (find_name(file, folder, name, path)) {
            return true;
        }
    }
    return false;
}

/* Writes path and returns true if the file is in the folder in some spelling. */
static bool find_file(const struct dataset_file *file, const char *folder, char path[PATH_SIZE])
{
    if (find_name(file, folder, file->name, path) || find_idx(file, folder, path)) {
        return true;
    }
    path[0] = '\0';
    return false;
}

/* ---- one folder ---------------------------------------------------------------------------- */

/* What was seen so far, for the sentence when nothing is found. */
struct search {
    char incomplete[PATH_SIZE]; /* the first folder with some of the files */
    const struct dataset_file *missing;
    const char *other; /* the data set that a folder turned out to hold */
    char other_folder[PATH_SIZE];
    const struct dataset_file *blocked; /* something else has its name: */
    const char *obstacle;               /* what that is, and where */
    char obstacle_path[PATH_SIZE];
};

static const struct dataset_file *file_named(const struct dataset *dataset, const char *name)
{
    for (size_t i = 0; i < dataset_n_file(dataset); i++) {
        if (strcmp(dataset->file[i].name, name) == 0) {
            return &dataset->file[i];
        }
    }
    return NULL;
}

/* The title of another data set that publishes this very file under the same name, or NULL. */
static const char *owner_of(const struct dataset *dataset, const struct dataset_file *file,
                            const char *path)
{
    char hex[SHA256_HEX_SIZE] = "";
    for (size_t i = 0; dataset_at(i); i++) {
        const struct dataset_file *twin = file_named(dataset_at(i), file->name);
        if (dataset_at(i) == dataset || !twin || !twin->sha256) {
            continue;
        }
        size_t size;
        if (!hex[0] && data_bytes_hash(path, hex, &size, NULL) != STATUS_OK) {
            return NULL;
        }
        if (strcmp(hex, twin->sha256) == 0) {
            return dataset_at(i)->task.title;
        }
    }
    return NULL;
}

static const char *other_owner(const struct dataset_place *place)
{
    for (size_t i = 0; i < dataset_n_file(place->dataset); i++) {
        const struct dataset_file *file = &place->dataset->file[i];
        if (file->size > 0 && file->size <= SMALL_FILE && place->path[i][0]) {
            const char *owner = owner_of(place->dataset, file, place->path[i]);
            if (owner) {
                return owner;
            }
        }
    }
    return NULL;
}

/* Remembers the first thing that has the name of a missing file and is none. */
static void note_obstacle(struct search *search, const struct dataset_file *file,
                          const char *folder)
{
    static const char *const endings[] = {"", ".gz"};
    for (size_t i = 0; !search->obstacle && i < sizeof endings / sizeof endings[0]; i++) {
        char path[PATH_SIZE];
        if (path_format(path, NULL, "%s/%s%s", folder, file->name, endings[i]) == STATUS_OK &&
            (search->obstacle = obstacle_at(file, path)) != NULL) {
            memcpy(search->obstacle_path, path, PATH_SIZE);
            search->blocked = file;
        }
    }
}

/* True if place->folder has everything; fills the paths. */
static bool folder_is_complete(struct dataset_place *place, struct search *search)
{
    size_t n_found = 0;
    const struct dataset_file *missing = NULL;
    for (size_t i = 0; i < dataset_n_file(place->dataset); i++) {
        const struct dataset_file *file = &place->dataset->file[i];
        bool found = find_file(file, place->folder, place->path[i]);
        n_found += found && !file->optional;
        if (!found && !file->optional) {
            note_obstacle(search, file, place->folder);
            missing = missing ? missing : file;
        }
    }
    if (missing && n_found > 0 && !search->missing) {
        search->missing = missing;
        memcpy(search->incomplete, place->folder, PATH_SIZE);
    }
    if (missing) {
        return false;
    }
    const char *other = other_owner(place);
    if (other) {
        search->other = other;
        memcpy(search->other_folder, place->folder, PATH_SIZE);
    }
    return !other;
}

static bool try_folder(struct dataset_place *place, struct search *search, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool try_folder(struct dataset_place *place, struct search *search, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(place->folder, PATH_SIZE, format, arguments);
    va_end(arguments);
    return n > 0 && n < PATH_SIZE && folder_exists(place->folder) &&
           folder_is_complete(place, search);
}

static bool try_root(struct dataset_place *place, struct search *search, const char *root)
{
    const struct dataset *dataset = place->dataset;
    for (size_t i = 0; i < DATASET_MAX_FOLDER && dataset->folder[i]; i++) {
        if (try_folder(place, search, "%s/%s/%s", root, dataset->task.name, dataset->folder[i]) ||
            try_folder(place, search, "%s/%s", root, dataset->folder[i])) {
            return true;
        }
    }
    return try_folder(place, search, "%s/%s", root, dataset->task.name) ||
           try_folder(place, search, "%s", root);
}

/* ---- all of them --------------------------------------------------------------------------- */

static void append(struct text *text, size_t i, size_t n, const char *word)
{
    text_append(text, "%s%s", i == 0 ? "" : i + 1 == n ? " and " : ", ", word);
}

static void list_files(const struct dataset *dataset, struct text *text)
{
    size_t n_file = 0;
    while (n_file < dataset_n_file(dataset) && !dataset->file[n_file].optional) {
        n_file++;
    }
    for (size_t i = 0; i < n_file; i++) {
        char item[160];
        const struct dataset_file *file = &dataset->file[i];
        if (file->size > 0) {
            snprintf(item, sizeof item, "%s (%zu bytes)", file->name, file->size);
        } else {
            snprintf(item, sizeof item, "the folder %s", file->name);
        }
        append(text, i, n_file, item);
    }
}

static void say_expected(struct text *text, const struct dataset_file *file)
{
    if (file->size > 0) {
        text_append(text, "a file of %zu bytes, plain or .gz", file->size);
    } else {
        text_append(text, "a folder");
    }
}

static enum status say_not_found(const struct dataset *dataset,
                                 const struct dataset_options *options, const struct search *search,
                                 struct error *err)
{
    struct text text = {0};
    if (search->blocked) {
        text_append(&text, "%s cannot be read: %s is %s, expected ", dataset->task.title,
                    search->obstacle_path, search->obstacle);
        say_expected(&text, search->blocked);
    } else if (search->missing) {
        text_append(&text, "%s is incomplete in %s: no %s", dataset->task.title, search->incomplete,
                    search->missing->name);
        if (search->missing->size > 0) {
            text_append(&text, " (%zu bytes, plain or .gz)", search->missing->size);
        }
    } else if (search->other) {
        text_append(&text, "%s was not found: %s holds %s, whose files have the same names",
                    dataset->task.title, search->other_folder, search->other);
    } else {
        text_append(&text, "%s was not found: looked for ", dataset->task.title);
        list_files(dataset, &text);
        text_append(&text, " in ");
        for (size_t i = 0; i < options->n_root; i++) {
            append(&text, i, options->n_root, options->root[i]);
        }
        text_append(&text, options->n_root ? "" : "no folder at all");
    }
    text_append(&text,
                "; get it with scripts/fetch_data.sh %s (%s), or name its folder with --data",
                dataset->task.name, dataset->origin);
    enum status status = text.failed ? error_memory(err, "looking for data")
                                     : error_set(err, STATUS_DATA, "%s", text.data);
    text_free(&text);
    return status;
}

enum status dataset_find(const struct dataset *dataset, const struct dataset_options *options,
                         struct dataset_place *place, struct error *err)
{
    *place = (struct dataset_place){.dataset = dataset};
    if (dataset_n_file(dataset) == 0) {
        return STATUS_OK;
    }
    struct search search = {0};
    for (size_t i = 0; i < options->n_root; i++) {
        if (try_root(place, &search, options->root[i])) {
            return STATUS_OK;
        }
    }
    return say_not_found(dataset, options, &search, err);
}
