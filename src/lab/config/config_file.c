/* Every scalar is text until config_set reads it, so that YAML's own ideas of what `no`, `0x10` or
 * `1e-3` might be never apply. Events are read one by one and nothing may nest deeper than a list
 * in a mapping in a document, so that no file can exhaust memory or the stack.
 */
#include "lab/config/config_file.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/suggest.h"
#include "base/text.h"
#include "lab/config/config.h"
#include "lab/config/preset.h"
#include "lab/config/yaml_events.h"

#define MAX_INCLUDE 16
#define MAX_VALUE 10000 /* of a list */

/* Keys of a file that are none of a run. */
#define KEY_SEEDS "seeds"
#define KEY_INCLUDE "include"
#define KEY_WITHOUT_DATA "without_data"
static const char *const file_keys[] = {KEY_SEEDS, KEY_INCLUDE, KEY_WITHOUT_DATA};
#define N_FILE_KEY (sizeof file_keys / sizeof file_keys[0])

/* A file that is being read, and the one that includes it. */
struct file {
    const char *name; /* as users know it: a path, or "preset quick" */
    bool is_preset;
    char identity[PATH_SIZE];  /* the same for all spellings of a path */
    const struct file *parent; /* NULL: the user names it */
    struct place place;        /* of its include there */
    size_t depth;
};

struct reader {
    const struct file *file;
    struct yaml_events *events;
    struct grid_list *list;
    struct place empty; /* of a document without anything in it; line 0: there was none */
};

/* A document, or the mapping of without_data in it. */
struct mapping {
    struct grid *grid;
    struct place include_place, without_data_place; /* line 0: not there */
    char *include;
    struct grid *without_data;
    bool is_inner;
};

bool config_file_is_path(const char *word)
{
    const char *dot = strrchr(word, '.');
    return strchr(word, '/') || (dot && (!strcmp(dot, ".yaml") || !strcmp(dot, ".yml")));
}

static enum status read_file(const char *word, const struct file *parent, struct place place,
                             struct grid_list *list, struct error *err);

/* ---- keys ---- */

static enum status refuse_key(const struct reader *reader, const struct yaml_event *key,
                              struct error *err)
{
    const char *names[2 * 64 + N_FILE_KEY];
    size_t n = 0;
    for (size_t i = 0; i < N_FILE_KEY; i++) {
        names[n++] = file_keys[i];
    }
    for (size_t i = 0; config_key_at(i) && n + 2 <= sizeof names / sizeof names[0]; i++) {
        names[n++] = config_key_at(i)->name;
        if (config_key_at(i)->alias) {
            names[n++] = config_key_at(i)->alias;
        }
    }
    if (strcmp(key->text, "<<") == 0) {
        return grid_refuse(
            err, reader->file->name, key->place,
            "merge keys (<<) are not read; `include: FILE` takes keys from elsewhere");
    }
    if (strcmp(key->text, "") == 0) {
        return grid_refuse(err, reader->file->name, key->place,
                           "expected a key in front of the colon");
    }
    return grid_refuse(err, reader->file->name, key->place,
                       "there is no key '%s'%s; `qkvlab list keys` shows all", key->text,
                       did_you_mean(key->text, names, n).text);
}

/* ---- values ---- */

static void values_free(struct grid_key *key)
{
    for (size_t i = 0; i < key->n_value; i++) {
        free(key->value[i].text);
    }
    free(key->value);
    *key = (struct grid_key){0};
}

static enum status append_value(struct grid_key *key, const struct yaml_event *event,
                                struct error *err)
{
    if (event->text[0] == '\0') {
        return grid_refuse(err, key->file, event->place, "%s has no value", key->name);
    }
    for (size_t i = 0; i < key->n_value; i++) {
        if (strcmp(key->value[i].text, event->text) == 0) {
            return grid_refuse(err, key->file, event->place, "%s: %s is in the list twice",
                               key->name, event->text);
        }
    }
    struct grid_value *grown = realloc(key->value, (key->n_value + 1) * sizeof *grown);
    if (!grown) {
        return error_memory(err, "reading a configuration file");
    }
    key->value = grown;
    grown[key->n_value] = (struct grid_value){strdup(event->text), event->place};
    return grown[key->n_value++].text ? STATUS_OK
                                      : error_memory(err, "reading a configuration file");
}

static enum status refuse_nesting(const struct grid_key *key, const struct yaml_event *event,
                                  struct error *err)
{
    return grid_refuse(err, key->file, event->place,
                       "%s: expected a value or a list of values, found %s", key->name,
                       yaml_event_name(event));
}

static enum status read_list(struct reader *reader, struct grid_key *key, struct error *err)
{
    struct yaml_event event;
    for (;;) {
        TRY(yaml_events_next(reader->events, &event, err));
        if (event.type == YAML_SEQUENCE_END_EVENT) {
            break;
        }
        TRY(event.type == YAML_SCALAR_EVENT ? append_value(key, &event, err)
                                            : refuse_nesting(key, &event, err));
        if (key->n_value > MAX_VALUE) {
            return grid_refuse(err, key->file, event.place, "%s: more than %d values", key->name,
                               MAX_VALUE);
        }
    }
    if (key->n_value == 0) {
        return grid_refuse(err, key->file, key->place,
                           "%s: the list is empty; leave the key out for its default", key->name);
    }
    return STATUS_OK;
}

/* read_values reads what stands behind a key. Caller frees with values_free, also on failure. */
static enum status read_values(struct reader *reader, const char *name, struct place place,
                               struct grid_key *key, struct error *err)
{
    struct yaml_event event;
    *key = (struct grid_key){.name = name, .file = (char *)reader->file->name, .place = place};
    TRY(yaml_events_next(reader->events, &event, err));
    if (event.type == YAML_SEQUENCE_START_EVENT) {
        return read_list(reader, key, err);
    }
    return event.type == YAML_SCALAR_EVENT ? append_value(key, &event, err)
                                           : refuse_nesting(key, &event, err);
}

/* ---- one key of a mapping ---- */

static enum status take_seeds(struct mapping *mapping, const struct grid_key *key,
                              struct error *err)
{
    struct text list = {0};
    for (size_t i = 0; i < key->n_value; i++) {
        text_append(&list, "%s%s", i ? "," : "", key->value[i].text);
    }
    enum status status = list.failed ? error_memory(err, "reading a configuration file")
                                     : grid_seeds(mapping->grid, list.data, err);
    if (status == STATUS_USAGE) {
        grid_say_place(err, key->file, key->value[0].place);
    }
    text_free(&list);
    return status;
}

static enum status refuse_twice(const struct grid_key *key, struct place first, struct error *err)
{
    return grid_refuse(err, key->file, key->place, "%s is set twice, the first time in line %zu",
                       key->name, first.line);
}

static enum status refuse_inside(const struct grid_key *key, struct error *err)
{
    return grid_refuse(err, key->file, key->place,
                       "%s: expected among the keys of a document, not in without_data", key->name);
}

static enum status take_include(struct mapping *mapping, const struct grid_key *key,
                                struct error *err)
{
    if (mapping->include) {
        return refuse_twice(key, mapping->include_place, err);
    }
    if (mapping->is_inner) {
        return refuse_inside(key, err);
    }
    if (key->n_value != 1) {
        return grid_refuse(
            err, key->file, key->place,
            "include: expected one name, found %zu; several grids are documents, separated by ---",
            key->n_value);
    }
    mapping->include = strdup(key->value[0].text);
    mapping->include_place = key->value[0].place;
    return mapping->include ? STATUS_OK : error_memory(err, "reading a configuration file");
}

static enum status read_mapping(struct reader *reader, struct mapping *mapping, struct error *err);

static enum status read_without_data(struct reader *reader, struct mapping *mapping,
                                     struct place place, struct error *err)
{
    struct grid_key key = {
        .name = KEY_WITHOUT_DATA, .file = (char *)reader->file->name, .place = place};
    struct yaml_event event;
    if (mapping->is_inner) {
        return refuse_inside(&key, err);
    }
    if (mapping->without_data) {
        return refuse_twice(&key, mapping->without_data_place, err);
    }
    TRY(yaml_events_next(reader->events, &event, err));
    if (event.type != YAML_MAPPING_START_EVENT) {
        return grid_refuse(
            err, key.file, event.place,
            "without_data: expected keys with values, such as {task: glyphs}, found %s",
            yaml_event_name(&event));
    }
    mapping->without_data_place = place;
    mapping->without_data = grid_create();
    struct mapping inner = {.grid = mapping->without_data, .is_inner = true};
    return inner.grid ? read_mapping(reader, &inner, err)
                      : error_memory(err, "reading a configuration file");
}

static enum status take_run_key(struct mapping *mapping, const struct grid_key *key,
                                struct error *err)
{
    return grid_add(mapping->grid, key, err);
}

typedef enum status take_values(struct mapping *mapping, const struct grid_key *key,
                                struct error *err);

/* read_and_take reads what stands behind a key and gives it to the mapping. */
static enum status read_and_take(struct reader *reader, struct mapping *mapping, const char *name,
                                 struct place place, take_values *take, struct error *err)
{
    struct grid_key key;
    enum status status = read_values(reader, name, place, &key, err);
    if (status == STATUS_OK) {
        status = take(mapping, &key, err);
    }
    values_free(&key);
    return status;
}

static enum status read_key(struct reader *reader, struct mapping *mapping,
                            const struct yaml_event *event, struct error *err)
{
    const char *name = event->text;
    struct place place = event->place;
    if (event->type != YAML_SCALAR_EVENT) {
        return grid_refuse(err, reader->file->name, place, "expected a key, found %s",
                           yaml_event_name(event));
    }
    if (strcmp(name, KEY_SEEDS) == 0 || strcmp(name, "seed") == 0) {
        return read_and_take(reader, mapping, KEY_SEEDS, place, take_seeds, err);
    }
    if (strcmp(name, KEY_INCLUDE) == 0) {
        return read_and_take(reader, mapping, KEY_INCLUDE, place, take_include, err);
    }
    if (strcmp(name, KEY_WITHOUT_DATA) == 0) {
        return read_without_data(reader, mapping, place, err);
    }
    const struct config_key *found = config_key_find(name, NULL);
    return found ? read_and_take(reader, mapping, found->name, place, take_run_key, err)
                 : refuse_key(reader, event, err);
}

static enum status read_mapping(struct reader *reader, struct mapping *mapping, struct error *err)
{
    struct yaml_event event;
    TRY(yaml_events_next(reader->events, &event, err));
    while (event.type != YAML_MAPPING_END_EVENT) {
        TRY(read_key(reader, mapping, &event, err));
        TRY(yaml_events_next(reader->events, &event, err));
    }
    return STATUS_OK;
}

/* ---- documents ---- */

/* list_document puts the document's own keys over what it includes. */
static enum status list_document(struct reader *reader, struct mapping *mapping,
                                 struct grid_list *own, struct error *err)
{
    if (!mapping->include) {
        struct grid *grid = mapping->grid, *without_data = mapping->without_data;
        mapping->grid = mapping->without_data = NULL;
        return grid_list_append(own, grid, without_data, err);
    }
    TRY(read_file(mapping->include, reader->file, mapping->include_place, own, err));
    TRY(grid_list_layer(own, mapping->grid, err));
    return mapping->without_data ? grid_list_without_data(own, mapping->without_data, err)
                                 : STATUS_OK;
}

static enum status add_document(struct reader *reader, struct mapping *mapping, struct error *err)
{
    struct grid_list own = {0};
    enum status status = list_document(reader, mapping, &own, err);
    if (status == STATUS_OK) {
        status = grid_list_move(reader->list, &own, err);
    }
    grid_list_free(&own);
    return status;
}

static enum status refuse_root(const struct reader *reader, const struct yaml_event *event,
                               struct error *err)
{
    if (event->type == YAML_SCALAR_EVENT) {
        return grid_refuse(err, reader->file->name, event->place,
                           "expected keys with values, such as 'task: reverse', found '%s' (a "
                           "colon and a blank stand behind a key)",
                           event->text);
    }
    return grid_refuse(err, reader->file->name, event->place,
                       "expected keys with values, such as 'task: reverse', found %s",
                       yaml_event_name(event));
}

/* A document with nothing in it is remembered: at the end of a file it is one --- too many, which
 * does no harm; elsewhere something was forgotten. */
static enum status read_document(struct reader *reader, struct place start, struct error *err)
{
    struct yaml_event event;
    if (reader->empty.line > 0) {
        return grid_refuse(err, reader->file->name, reader->empty,
                           "no keys stand behind this ---; expected some, such as 'task: reverse'");
    }
    TRY(yaml_events_next(reader->events, &event, err));
    if (event.type == YAML_SCALAR_EVENT && event.text[0] == '\0') {
        reader->empty = start;
        return STATUS_OK;
    }
    if (event.type != YAML_MAPPING_START_EVENT) {
        return refuse_root(reader, &event, err);
    }
    struct mapping mapping = {.grid = grid_create()};
    if (mapping.grid) {
        mapping.grid->file = strdup(reader->file->name);
        mapping.grid->place = event.place;
    }
    enum status status = mapping.grid && mapping.grid->file
                             ? read_mapping(reader, &mapping, err)
                             : error_memory(err, "reading a configuration file");
    if (status == STATUS_OK) {
        status = add_document(reader, &mapping, err);
    }
    free(mapping.include);
    grid_free(mapping.grid);
    grid_free(mapping.without_data);
    return status;
}

static enum status read_documents(struct reader *reader, struct error *err)
{
    struct yaml_event event;
    size_t n_document = 0;
    do {
        TRY(yaml_events_next(reader->events, &event, err));
        if (event.type == YAML_DOCUMENT_START_EVENT) {
            TRY(read_document(reader, event.place, err));
            n_document += reader->empty.line == 0;
        }
    } while (event.type != YAML_STREAM_END_EVENT);
    return n_document > 0 ? STATUS_OK
                          : error_set(err, STATUS_USAGE,
                                      "%s holds no keys; expected some, such as 'task: reverse'",
                                      reader->file->name);
}

static enum status read_text(const char *text, size_t size, const struct file *file,
                             struct grid_list *list, struct error *err)
{
    struct reader reader = {.file = file, .list = list};
    TRY(yaml_events_create(&reader.events, text, size, file->name, err));
    enum status status = read_documents(&reader, err);
    yaml_events_free(reader.events);
    return status;
}

/* ---- files ---- */

static enum status check_includes(const struct file *file, struct error *err)
{
    for (const struct file *above = file->parent; above; above = above->parent) {
        if (strcmp(above->identity, file->identity) == 0) {
            return error_set(err, STATUS_USAGE, "include: %s includes itself%s", file->name,
                             above == file->parent ? "" : ", by way of others");
        }
    }
    return file->depth <= MAX_INCLUDE
               ? STATUS_OK
               : error_set(err, STATUS_USAGE, "include: more than %d files inside each other",
                           MAX_INCLUDE);
}

/* What went wrong before the file could be read is told where it is included. */
static enum status refuse_file(const struct file *file, enum status status, struct error *err)
{
    if (file->parent) {
        grid_say_place(err, file->parent->name, file->place);
    }
    return status;
}

static enum status refuse_preset(const char *word, struct error *err)
{
    const char *near = preset_nearest(word);
    return error_set(err, STATUS_USAGE,
                     "there is no preset '%s'%s; `qkvlab list presets` shows all, and the name "
                     "of a file ends in .yaml or has a / in it",
                     word, did_you_mean_word(near).text);
}

static enum status read_preset(const char *word, struct file *file, struct grid_list *list,
                               struct error *err)
{
    char name[128];
    const struct preset *preset = preset_find(word);
    snprintf(name, sizeof name, "preset %.100s", word);
    file->name = name;
    file->is_preset = true;
    snprintf(file->identity, sizeof file->identity, "%s", name);
    enum status status = preset ? check_includes(file, err) : refuse_preset(word, err);
    return status == STATUS_OK ? read_text(preset->text, preset->size, file, list, err)
                               : refuse_file(file, status, err);
}

/* resolve_path makes a path relative to the file that includes it. */
static enum status resolve_path(const char *word, const struct file *parent, char path[PATH_SIZE],
                                struct error *err)
{
    const char *slash = parent && !parent->is_preset ? strrchr(parent->name, '/') : NULL;
    if (word[0] == '/' || !slash) {
        return path_format(path, err, "%s", word);
    }
    return path_format(path, err, "%.*s/%s", (int)(slash - parent->name), parent->name, word);
}

/* What cannot be read is the user's word for it, and nothing about data. */
static enum status as_usage(enum status status, struct error *err)
{
    if (status == STATUS_DATA && err) {
        err->status = STATUS_USAGE;
    }
    return status == STATUS_DATA ? STATUS_USAGE : status;
}

static enum status open_path(const char *word, struct file *file, char path[PATH_SIZE], char **text,
                             size_t *size, struct error *err)
{
    TRY(resolve_path(word, file->parent, path, err));
    char *real = realpath(path, NULL);
    file->name = path;
    snprintf(file->identity, sizeof file->identity, "%s", real ? real : path);
    free(real);
    TRY(check_includes(file, err));
    return as_usage(file_read(path, CONFIG_FILE_MAX_SIZE, text, size, err), err);
}

static enum status read_path(const char *word, struct file *file, struct grid_list *list,
                             struct error *err)
{
    char path[PATH_SIZE], *text = NULL;
    size_t size = 0;
    enum status status = open_path(word, file, path, &text, &size, err);
    status = status == STATUS_OK ? read_text(text, size, file, list, err)
                                 : refuse_file(file, status, err);
    free(text);
    return status;
}

static enum status read_file(const char *word, const struct file *parent, struct place place,
                             struct grid_list *list, struct error *err)
{
    struct file file = {.parent = parent, .place = place, .depth = parent ? parent->depth + 1 : 0};
    return config_file_is_path(word) ? read_path(word, &file, list, err)
                                     : read_preset(word, &file, list, err);
}

enum status config_file_read(const char *name, struct grid_list *list, struct error *err)
{
    return read_file(name, NULL, (struct place){0}, list, err);
}

enum status config_file_parse(const char *text, size_t size, const char *name,
                              struct grid_list *list, struct error *err)
{
    struct file file = {.name = name};
    snprintf(file.identity, sizeof file.identity, "%s", name);
    return read_text(text, size, &file, list, err);
}
