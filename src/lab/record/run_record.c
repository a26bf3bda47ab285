/* A run that a full disk, a broken copy or a hand has damaged must not pass for a finished one: it
 * would be skipped for ever, and its numbers would stand in tables. So what everything later relies
 * on is checked here.
 *
 * FIELDS is the file, in its order: the writer and the reader walk it.
 */
#include "lab/record/run_record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "lab/config/config.h"

enum field_kind {
    FIELD_TEXT,   /* const char * */
    FIELD_WHOLE,  /* long */
    FIELD_NUMBER, /* double */
    FIELD_FORMAT,
    FIELD_ID,
    FIELD_STATUS,
    FIELD_CONFIG,
    FIELD_VARIANT, /* follows from the configuration: written for other readers */
    FIELD_RESULTS,
    FIELD_ATTENTION, /* null for a model that diverged */
    FIELD_HEADS,
    FIELD_NUMBERS, /* struct attention_numbers */
    FIELD_SAMPLES,
    FIELD_OBJECT, /* json_t *, of provenance.h */
    FIELD_CLASSES,
    FIELD_PUBLISHED
};

struct field {
    const char *section, *key; /* section "": of the file itself */
    enum field_kind kind;
    size_t offset;
};

#define AT(member) offsetof(struct run_record, member)
static const struct field FIELDS[] = {
    {"", "format", FIELD_FORMAT, 0},
    {"", "id", FIELD_ID, 0},
    {"", "status", FIELD_STATUS, 0},
    {"versions", "engine", FIELD_WHOLE, AT(engine_version)},
    {"versions", "task", FIELD_WHOLE, AT(task_version)},
    {"", "config", FIELD_CONFIG, 0},
    {"", "variant", FIELD_VARIANT, 0},
    {"", "n_param", FIELD_WHOLE, AT(n_param)},
    {"", "results", FIELD_RESULTS, 0},
    {"", "attention", FIELD_ATTENTION, 0},
    {"attention", "layer", FIELD_WHOLE, AT(attention.layer)},
    {"attention", "n_probe", FIELD_WHOLE, AT(attention.n_probe)},
    {"attention", "heads", FIELD_HEADS, 0},
    {"attention", "mean", FIELD_NUMBERS, AT(attention.mean)},
    {"attention", "samples", FIELD_SAMPLES, 0},
    {"", "weights_sha256", FIELD_TEXT, AT(weights_sha256)},
    {"timing", "train_seconds", FIELD_NUMBER, AT(train_seconds)},
    {"timing", "batch_seconds", FIELD_NUMBER, AT(batch_seconds)},
    {"timing", "evaluate_seconds", FIELD_NUMBER, AT(evaluate_seconds)},
    {"timing", "wall_seconds", FIELD_NUMBER, AT(wall_seconds)},
    {"", "machine", FIELD_OBJECT, AT(provenance.machine)},
    {"", "build", FIELD_OBJECT, AT(provenance.build)},
    {"", "message", FIELD_TEXT, AT(message)},
    {"data", "sha256", FIELD_TEXT, AT(data.sha256)},
    {"data", "n_train", FIELD_WHOLE, AT(data.n_train)},
    {"data", "n_test", FIELD_WHOLE, AT(data.n_test)},
    {"data", "class_name", FIELD_CLASSES, 0},
    {"data", "published", FIELD_PUBLISHED, 0},
    {"data", "warning", FIELD_TEXT, AT(data.warning)},
    {"", "process", FIELD_WHOLE, AT(process)},
};
#define N_FIELD (sizeof FIELDS / sizeof FIELDS[0])

static const char *const STATUS_NAME[] = {"ok", "diverged", "failed"};

const char *run_status_name(enum run_status status)
{
    return STATUS_NAME[status];
}

static const struct {
    const char *key;
    size_t offset;
} NUMBERS[] = {
    {"needed", offsetof(struct attention_numbers, needed)},
    {"diagonal", offsetof(struct attention_numbers, diagonal)},
    {"asymmetry_product", offsetof(struct attention_numbers, asymmetry_product)},
    {"asymmetry_scores", offsetof(struct attention_numbers, asymmetry_scores)},
};
#define N_NUMBER (sizeof NUMBERS / sizeof NUMBERS[0])

const char *attention_number_key(size_t i)
{
    return i < N_NUMBER ? NUMBERS[i].key : NULL;
}

static double *number_at(const struct attention_numbers *numbers, size_t i)
{
    return (double *)((char *)numbers + NUMBERS[i].offset);
}

double attention_number(const struct attention_numbers *numbers, const char *key)
{
    for (size_t i = 0; i < N_NUMBER; i++) {
        if (strcmp(NUMBERS[i].key, key) == 0) {
            return *number_at(numbers, i);
        }
    }
    return NAN;
}

/* ---- writing ---- */

static json_t *text_or_null(const char *text)
{
    return text ? json_string(text) : json_null();
}

static json_t *variant_json(const struct variant *variant)
{
    char id[VARIANT_TEXT_SIZE], name[VARIANT_TEXT_SIZE];
    variant_id(variant, id);
    variant_name(variant, name);
    return json_pack("{s:s, s:s, s:I, s:b, s:b}", "id", id, "name", name, "n_slot",
                     (json_int_t)variant_n_slot(variant), "product_symmetric",
                     variant_product_symmetric(variant), "scores_symmetric",
                     variant_scores_symmetric(variant));
}

static json_t *value_json(const struct run_value *value)
{
    if (!value->list) {
        return value->whole && isfinite(value->value) ? json_integer((json_int_t)value->value)
                                                      : json_number(value->value);
    }
    json_t *list = json_array();
    for (size_t i = 0; i < value->n_list; i++) {
        json_array_append_new(list, json_number(value->list[i]));
    }
    return list;
}

static json_t *results_json(const struct run_record *run)
{
    json_t *results = json_object();
    for (size_t i = 0; i < run->n_result; i++) {
        json_object_set_new(results, run->result[i].key, value_json(&run->result[i]));
    }
    return results;
}

static json_t *numbers_json(const struct attention_numbers *numbers)
{
    json_t *object = json_object();
    for (size_t i = 0; i < N_NUMBER; i++) {
        json_object_set_new(object, NUMBERS[i].key, json_number(*number_at(numbers, i)));
    }
    return object;
}

static json_t *samples_json(const struct run_attention *attention)
{
    json_t *list = json_array();
    for (size_t i = 0; i < attention->n_sample; i++) {
        const struct run_sample *sample = &attention->sample[i];
        json_array_append_new(list, json_pack("{s:I, s:I, s:I}", "item", (json_int_t)sample->item,
                                              "label", (json_int_t)sample->label, "prediction",
                                              (json_int_t)sample->prediction));
    }
    return list;
}

static json_t *heads_json(const struct run_attention *attention)
{
    json_t *heads = json_array();
    for (size_t h = 0; h < attention->n_head; h++) {
        json_array_append_new(heads, numbers_json(&attention->head[h]));
    }
    return heads;
}

static json_t *classes_json(const struct run_data *data)
{
    json_t *names = json_array();
    for (size_t c = 0; c < data->n_class; c++) {
        json_array_append_new(names, json_text(data->class_name[c]));
    }
    return names;
}

static json_t *field_json(const struct run_record *run, const struct field *field)
{
    const void *member = (const char *)run + field->offset;
    switch (field->kind) {
    case FIELD_TEXT:
        return text_or_null(*(const char *const *)member);
    case FIELD_WHOLE:
        return json_integer(*(const long *)member);
    case FIELD_NUMBER:
        return json_number(*(const double *)member);
    case FIELD_FORMAT:
        return json_string(RUN_RECORD_FORMAT);
    case FIELD_ID:
        return json_string(run->id);
    case FIELD_STATUS:
        return json_string(run_status_name(run->status));
    case FIELD_CONFIG:
        return config_json(&run->config);
    case FIELD_VARIANT:
        return variant_json(&run->config.variant);
    case FIELD_RESULTS:
        return results_json(run);
    case FIELD_ATTENTION:
        return run->has_attention ? json_object() : json_null();
    case FIELD_HEADS:
        return heads_json(&run->attention);
    case FIELD_NUMBERS:
        return numbers_json(member);
    case FIELD_SAMPLES:
        return samples_json(&run->attention);
    case FIELD_OBJECT:
        return json_incref(*(json_t *const *)member);
    case FIELD_CLASSES:
        return classes_json(&run->data);
    case FIELD_PUBLISHED:
        return run->data.origin == IMAGES_UNKNOWN
                   ? json_null()
                   : json_boolean(run->data.origin == IMAGES_PUBLISHED);
    }
    return NULL;
}

static bool is_there(const struct run_record *run, const struct field *field)
{
    return strcmp(field->section, "data") == 0        ? run->has_data
           : field->kind == FIELD_SAMPLES             ? run->attention.sample != NULL
           : strcmp(field->section, "attention") == 0 ? run->has_attention
                                                      : true;
}

enum status run_record_write(const struct run_record *run, const char *path, struct error *err)
{
    struct run_record signed_run = *run;
    json_t *root = json_object();
    bool fine = root != NULL;
    signed_run.process = getpid();
    for (size_t i = 0; fine && i < N_FIELD; i++) {
        json_t *object = root;
        if (!is_there(run, &FIELDS[i])) {
            continue;
        }
        if (FIELDS[i].section[0] != '\0') {
            object = json_object_get(root, FIELDS[i].section);
            if (!object) {
                object = json_object();
                json_object_set_new(root, FIELDS[i].section, object);
            }
        }
        fine = json_object_set_new(object, FIELDS[i].key, field_json(&signed_run, &FIELDS[i])) == 0;
    }
    enum status status = fine ? json_write(path, root, err) : error_memory(err, "writing %s", path);
    json_decref(root);
    return status;
}

/* ---- reading ---- */

/* An array of n elements in the record's care, never NULL but when out of memory, which read_all
 * tells. */
static void *keep(struct run_record *run, size_t n, size_t size)
{
    size_t slot = 0;
    while (run->memory[slot]) {
        slot++;
    }
    run->memory[slot] = calloc(n + 1, size);
    return run->memory[slot];
}

static double number_of(const json_t *value)
{
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* Lists are for other readers; here they are no number. */
static void read_results(struct run_record *run, json_t *results)
{
    const char *key;
    json_t *value;
    struct run_value *result = keep(run, json_object_size(results), sizeof *result);
    run->result = result;
    json_object_foreach(results, key, value)
    {
        if (result) {
            result[run->n_result++] = (struct run_value){
                .key = key, .value = number_of(value), .whole = json_is_integer(value)};
        }
    }
}

static void read_numbers(const json_t *object, struct attention_numbers *numbers)
{
    for (size_t i = 0; i < N_NUMBER; i++) {
        *number_at(numbers, i) = json_get_number(object, NUMBERS[i].key, NAN);
    }
}

static void read_heads(struct run_record *run, const json_t *heads)
{
    size_t n_head = json_array_size(heads);
    struct attention_numbers *head = keep(run, n_head, sizeof *head);
    for (size_t h = 0; head && h < n_head; h++) {
        read_numbers(json_array_get(heads, h), &head[h]);
    }
    run->attention.head = head;
    run->attention.n_head = n_head;
}

static void read_samples(struct run_record *run, const json_t *samples)
{
    size_t n_sample = json_array_size(samples);
    struct run_sample *sample = keep(run, n_sample, sizeof *sample);
    for (size_t i = 0; sample && i < n_sample; i++) {
        const json_t *entry = json_array_get(samples, i);
        sample[i] = (struct run_sample){.item = json_get_integer(entry, "item", -1),
                                        .label = json_get_integer(entry, "label", -1),
                                        .prediction = json_get_integer(entry, "prediction", -1)};
    }
    run->attention.sample = json_is_array(samples) ? sample : NULL;
    run->attention.n_sample = n_sample;
}

static void read_classes(struct run_record *run, const json_t *names)
{
    size_t n_class = json_array_size(names);
    const char **name = keep(run, n_class, sizeof *name);
    for (size_t c = 0; name && c < n_class; c++) {
        const char *text = json_string_value(json_array_get(names, c));
        name[c] = text ? text : "";
    }
    run->has_data = names != NULL;
    run->data.class_name = name;
    run->data.n_class = n_class;
}

static enum status read_format(const json_t *value, struct error *err)
{
    const char *format = json_is_string(value) ? json_string_value(value) : "";
    return strcmp(format, RUN_RECORD_FORMAT) == 0
               ? STATUS_OK
               : error_set(err, STATUS_DATA,
                           "format is \"%s\", this program reads \"" RUN_RECORD_FORMAT
                           "\"; read it with the version that wrote it",
                           format);
}

static enum status read_id(struct run_record *run, const char *name, const json_t *value,
                           struct error *err)
{
    const char *id = json_is_string(value) ? json_string_value(value) : "";
    if (strcmp(id, name) != 0 || strlen(id) >= sizeof run->id) {
        return error_set(err, STATUS_DATA,
                         "id is \"%s\", expected the name of its folder, \"%s\": a renamed or "
                         "copied folder is not counted twice",
                         id, name);
    }
    memcpy(run->id, id, strlen(id) + 1);
    return STATUS_OK;
}

static enum status read_status(struct run_record *run, const json_t *value, struct error *err)
{
    const char *word = json_is_string(value) ? json_string_value(value) : "";
    for (size_t i = 0; i < sizeof STATUS_NAME / sizeof STATUS_NAME[0]; i++) {
        if (strcmp(word, STATUS_NAME[i]) == 0) {
            run->status = (enum run_status)i;
            return STATUS_OK;
        }
    }
    return error_set(err, STATUS_DATA, "status is \"%s\", expected ok, diverged or failed", word);
}

/* The id is a hash of the configuration: one that was changed by hand shows. Runs of other versions
 * have ids that cannot be made here. */
static enum status read_config(struct run_record *run, const json_t *config, struct error *err)
{
    struct error *problem = &run->config_problem;
    bool known = config_from_json(config, &run->config, problem) == STATUS_OK &&
                 config_resolve(&run->config, problem) == STATUS_OK;
    if (!known) {
        error_prefix(problem, "config");
    }
    if (run->engine_version != ENGINE_VERSION ||
        (known && run->task_version != run->config.task->version)) {
        return STATUS_OK;
    }
    if (!known) {
        return error_set(err, STATUS_DATA, "%s", problem->text);
    }
    if (strcmp(run->config.id, run->id) == 0) {
        return STATUS_OK;
    }
    return error_set(err, STATUS_DATA,
                     "its config is that of the run %s: it was changed after the run",
                     run->config.id);
}

static enum status read_field(struct run_record *run, const struct field *field, const char *name,
                              struct error *err)
{
    const json_t *section =
        field->section[0] ? json_object_get(run->root, field->section) : run->root;
    json_t *value = json_object_get(section, field->key);
    void *member = (char *)run + field->offset;
    switch (field->kind) {
    case FIELD_TEXT:
        *(const char **)member = json_string_value(value);
        break;
    case FIELD_WHOLE:
        *(long *)member =
            json_is_integer(value) ? (long)json_integer_value(value) : *(long *)member;
        break;
    case FIELD_NUMBER:
        *(double *)member = number_of(value);
        break;
    case FIELD_FORMAT:
        return read_format(value, err);
    case FIELD_ID:
        return read_id(run, name, value, err);
    case FIELD_STATUS:
        return read_status(run, value, err);
    case FIELD_CONFIG:
        return read_config(run, value, err);
    case FIELD_VARIANT:
        break;
    case FIELD_RESULTS:
        read_results(run, value);
        break;
    case FIELD_ATTENTION:
        run->has_attention = json_is_object(value);
        run->attention.layer = (long)run->config.n_layer - 1;
        break;
    case FIELD_HEADS:
        read_heads(run, value);
        break;
    case FIELD_NUMBERS:
        read_numbers(value, member);
        break;
    case FIELD_SAMPLES:
        read_samples(run, value);
        break;
    case FIELD_OBJECT:
        *(json_t **)member = value;
        break;
    case FIELD_CLASSES:
        read_classes(run, value);
        break;
    case FIELD_PUBLISHED:
        run->data.origin = json_is_true(value)    ? IMAGES_PUBLISHED
                           : json_is_false(value) ? IMAGES_OTHER
                                                  : IMAGES_UNKNOWN;
        break;
    }
    return STATUS_OK;
}

static const struct run_value *find_result(const struct run_record *run, const char *key)
{
    for (size_t i = 0; i < run->n_result; i++) {
        if (strcmp(run->result[i].key, key) == 0) {
            return &run->result[i];
        }
    }
    return NULL;
}

/* A share is a number in 0..1; every other result any finite number. */
static enum status check_number(const struct run_record *run, const char *key, bool is_share,
                                struct error *err)
{
    double value = run_record_result(run, key);
    if (isfinite(value) && (!is_share || (value >= 0 && value <= 1))) {
        return STATUS_OK;
    }
    return error_set(err, STATUS_DATA, "status is ok, but results.%s is no number%s", key,
                     is_share ? " in 0..1" : "");
}

/* By which runs of the kind are judged; where the configuration does not say it, of the first kind
 * whose result is there. */
static const char *accuracy_key(const struct run_record *run)
{
    if (!run->config_problem.text[0]) {
        return kind_accuracy(run->config.task->kind)->key;
    }
    for (size_t i = 0; kind_at(i); i++) {
        if (find_result(run, kind_accuracy(kind_at(i))->key)) {
            return kind_accuracy(kind_at(i))->key;
        }
    }
    return kind_accuracy(kind_at(0))->key;
}

static enum status check_results(const struct run_record *run, struct error *err)
{
    if (run->status != RUN_STATUS_OK) {
        return STATUS_OK;
    }
    TRY(check_number(run, accuracy_key(run), true, err));
    TRY(check_number(run, "loss", false, err));
    return check_number(run, "final_train_loss", false, err);
}

static enum status read_all(struct run_record *run, const char *name, struct error *err)
{
    for (size_t i = 0; i < N_FIELD; i++) {
        TRY(read_field(run, &FIELDS[i], name, err));
    }
    if (!run->result || !run->attention.head || !run->data.class_name) {
        return error_memory(err, "reading runs");
    }
    return check_results(run, err);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

enum status run_record_read(const char *folder, struct run_record *run, struct error *err)
{
    char path[PATH_SIZE];
    *run = (struct run_record){.engine_version = -1, .task_version = -1};
    TRY(path_format(path, err, "%s/run.json", folder));
    if (!file_exists(path)) {
        return error_set(err, STATUS_DATA, "%s has no run.json", folder);
    }
    json_t *root;
    TRY(json_read(path, &root, err));
    provenance_forget_blas(root);
    run->root = root;
    enum status status = read_all(run, base_name(folder), err);
    if (status != STATUS_OK) {
        error_prefix(err, "%s", path);
    }
    return status;
}

void run_record_free(struct run_record *run)
{
    for (size_t i = 0; i < sizeof run->memory / sizeof run->memory[0]; i++) {
        free(run->memory[i]);
    }
    json_decref(run->root);
    *run = (struct run_record){0};
}

/* ---- numbers by name ---- */

double run_record_result(const struct run_record *run, const char *key)
{
    const struct run_value *result = find_result(run, key);
    return result ? result->value : NAN;
}

size_t run_record_n_step(const struct run_record *run)
{
    double n_step = run_record_result(run, "n_step");
    return n_step > 0 ? (size_t)n_step : 0;
}

double run_record_number(const struct run_record *run, const char *section, const char *key)
{
    if (strcmp(section, "results") == 0) {
        return run_record_result(run, key);
    }
    if (strcmp(section, "attention") == 0) {
        return run->has_attention ? attention_number(&run->attention.mean, key) : NAN;
    }
    for (size_t i = 0; i < N_FIELD; i++) {
        const void *member = (const char *)run + FIELDS[i].offset;
        if (strcmp(FIELDS[i].section, section) != 0 || strcmp(FIELDS[i].key, key) != 0) {
            continue;
        }
        return FIELDS[i].kind == FIELD_NUMBER  ? *(const double *)member
               : FIELDS[i].kind == FIELD_WHOLE ? (double)*(const long *)member
                                               : NAN;
    }
    return NAN;
}

json_t *run_record_section(const struct run_record *run, const char *section)
{
    return json_object_get(run->root, section);
}
