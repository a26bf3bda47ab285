/* The table of keys below is parser, help, JSON, identity and documentation at once: everything
 * here walks it. A new key is one row (and a member of struct config); as long as it keeps its
 * default, it leaves the ids of older runs alone, because only keys that differ are hashed.
 */
#include "lab/config/config.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sha256.h"
#include "base/suggest.h"
#include "lab/config/config_guess.h"

enum key_kind { KEY_TASK, KEY_VARIANT, KEY_AXIS, KEY_CHOICE, KEY_SIZE, KEY_SEED, KEY_NUMBER };

struct key_row {
    struct config_key key;
    enum key_kind kind;
    size_t offset;   /* of the member in struct config */
    double min, max; /* of numbers, both allowed; whole ones stay below 2^53 and so are exact */
};

/* clang-format off */
#define AXIS(name, type, accepted, preset, help) \
    {{name, NULL, type, accepted, preset, preset, help}, KEY_AXIS, offsetof(struct config, variant), 0, 65536}
#define CHOICE(member, accepted, preset, images, help) \
    {{#member, NULL, "choice", accepted, preset, images, help}, KEY_CHOICE, offsetof(struct config, member), 0, 0}
#define INTEGER(member, min, max, preset, images, help) \
    {{#member, NULL, "integer", #min ".." #max, preset, images, help}, KEY_SIZE, offsetof(struct config, member), min, max}
#define NUMBER(member, alias, min, max, preset, images, help) \
    {{#member, alias, "number", #min ".." #max, preset, images, help}, KEY_NUMBER, offsetof(struct config, member), min, max}

/* name, (alias,) accepted, default of tasks, default of data sets, help */
static const struct key_row ROWS[] = {
    {{"task", NULL, "task", "a name from `qkvlab list tasks` or `qkvlab list datasets`", "reverse", "mnist",
      "what the model learns: a task, or the images of a data set"}, KEY_TASK, offsetof(struct config, task), 0, 0},
    {{"variant", NULL, "variant", "an id from `qkvlab list variants`, further axes after colons", "qkv", "qkv",
      "which of Q, K and V have projections of their own"}, KEY_VARIANT, offsetof(struct config, variant), 0, 0},
    AXIS("query", "choice", "linear | identity | residual_mlp", "linear", "how queries are made of the input"),
    AXIS("score_term", "choice", "none | position2d | temperature | key_bias | relative | temperature_scalar",
         "none", "what is added to the scores; position2d is the + of the papers"),
    AXIS("qk_norm", "integer", "0 | 1", "0", "RMSNorm over the head width of queries and keys"),
    AXIS("causal", "integer", "0 | 1", "0", "a position sees itself and those before it"),
    AXIS("n_kv_head", "integer", "0..65536", "0", "key-value heads; 0: as many as query heads"),
    CHOICE(procedure, "reproduction", "reproduction", "reproduction",
           "which published procedure the model and training follow"),
    INTEGER(n_embd, 2, 16384, "64", "64", "width of the model"),
    INTEGER(n_layer, 1, 256, "2", "2", "number of blocks"),
    INTEGER(n_head, 1, 1024, "4", "2", "attention heads a block"),
    INTEGER(mlp_ratio, 1, 64, "4", "4", "width of the MLP in units of n_embd"),
    INTEGER(seq_len, 1, 65536, "16", CONFIG_DERIVED, "tokens of a sequence; of an image: a class token and its patches"),
    INTEGER(n_position, 1, 65536, "128", CONFIG_DERIVED, "rows of the learned position table, at least seq_len"),
    INTEGER(pos_dim, 2, 4096, "10", "50", "channels of the 2D positional encoding of score terms"),
    INTEGER(batch_size, 1, 1048576, "128", "128", "sequences or images of a training step"),
    CHOICE(last_batch, "keep | drop", "keep", "drop", "whether an epoch's last, smaller batch is trained on"),
    INTEGER(epochs, 1, 1000000, "2", "20", "passes over the training split; some data sets have a default of their own"),
    INTEGER(n_train, 0, 100000000, "10000", "0", "training sequences, or the first so many images (TinyImageNet's are ordered by class); 0: all images"),
    INTEGER(n_test, 0, 100000000, "2000", "0", "test sequences, or the first so many images; 0: all images"),
    INTEGER(n_probe, 1, 1000000, "64", "64", "sequences or test images over which attention maps are averaged"),
    NUMBER(learning_rate, "lr", 0, 1e9, "0.001", "0.001", "peak of the schedule"),
    CHOICE(schedule, "cosine | step", "cosine", "step",
           "behind the warm-up: cosine to 0, or a tenth at half and again at three quarters of the steps"),
    NUMBER(beta1, NULL, 0, 0.999999, "0.9", "0.9", "Adam: decay of the mean gradient"),
    NUMBER(beta2, NULL, 0, 0.999999, "0.999", "0.999", "Adam: decay of the mean squared gradient"),
    NUMBER(epsilon, NULL, 1e-30, 1, "1e-08", "1e-08", "Adam: keeps the step finite"),
    NUMBER(warmup, NULL, 0, 1, "0.05", "0", "share of the steps over which the learning rate rises"),
    NUMBER(clip, NULL, 0, 1e9, "5", "0", "largest global gradient norm; 0: no clipping"),
    NUMBER(weight_decay, NULL, 0, 1000, "0", "0",
           "decoupled weight decay (AdamW) of matrices; for query=identity arXiv 2510.23912 advises 0.03125 (2^-5)"),
    NUMBER(dropout, NULL, 0, 0.999, "0", "0.1", "share of values dropped behind the embedding and the MLP layers"),
    {{"seed", NULL, "integer", "0..9007199254740991", "0", "0", "draws data, initial weights and order"},
     KEY_SEED, offsetof(struct config, seed), 0, 9007199254740991.0},
    INTEGER(lanes, 0, 4096, "0", "0", "fixed parts of a batch, computed in parallel; 0: from the model's shape"),
    INTEGER(micro_batch, 0, 1048576, "0", "0", "sequences a lane computes at once; 0: from the model's shape"),
    CHOICE(attention, "none | final | snapshots", "final", "final",
           "which attention maps a run keeps: those of the trained model, or also up to 14 on the way there"),
    INTEGER(patch, 1, 4096, NULL, "4", "side of the square patches of an image, in pixels"),
    CHOICE(patch_pad, "refuse | zero", NULL, "refuse",
           "where the patch does not divide the image: refuse, or continue it with zeros right and bottom"),
    INTEGER(image_size, 0, 4096, NULL, "0", "side in pixels that images are given when they are loaded (smaller: area averaging; larger: bilinear); 0: their own"),
    CHOICE(augment, "own | none", NULL, "own", "augmentation while training: the data set's own, or none"),
};
/* clang-format on */

#define N_ROW (sizeof ROWS / sizeof ROWS[0])
#define VALUE_SIZE (VARIANT_TEXT_SIZE + 32)

_Static_assert(N_ROW <= 64, "is_set has a bit for each row");

/* ---- finding keys ---- */

const struct config_key *config_key_at(size_t i)
{
    return i < N_ROW ? &ROWS[i].key : NULL;
}

static const struct key_row *find_row(const char *name, struct error *err)
{
    const char *names[2 * N_ROW];
    size_t n_name = 0;
    for (size_t i = 0; i < N_ROW; i++) {
        const struct config_key *key = &ROWS[i].key;
        if (strcmp(key->name, name) == 0 || (key->alias && strcmp(key->alias, name) == 0)) {
            return &ROWS[i];
        }
        names[n_name++] = key->name;
        if (key->alias) {
            names[n_name++] = key->alias;
        }
    }
    error_set(err, STATUS_USAGE, "there is no key '%s'%s; `qkvlab list keys` shows all", name,
              did_you_mean(name, names, n_name).text);
    return NULL;
}

const struct config_key *config_key_find(const char *name, struct error *err)
{
    const struct key_row *row = find_row(name, err);
    return row ? &row->key : NULL;
}

/* ---- values from text ---- */

static enum status refuse(const struct key_row *row, const char *what, const char *value,
                          struct error *err)
{
    char guess[CONFIG_GUESS_SIZE];
    config_guess(&row->key, row->min, row->max, value, guess);
    return error_set(err, STATUS_USAGE, "%s: expected %s %s, found '%s'%s", row->key.name, what,
                     row->key.accepted, value, did_you_mean_word(guess).text);
}

/* A number with a zero in front is refused: YAML reads 010 as eight, everybody else as ten. */
static enum status parse_integer(const struct key_row *row, const char *value, uint64_t *number,
                                 struct error *err)
{
    char *end;
    errno = 0;
    unsigned long long parsed = strtoull(value, &end, 10);
    if (!isdigit((unsigned char)value[0]) || config_has_leading_zero(value) || *end != '\0' ||
        errno != 0 || (double)parsed < row->min || (double)parsed > row->max) {
        return refuse(row, "a whole number in", value, err);
    }
    *number = parsed;
    return STATUS_OK;
}

/* strtod alone would take "nan", "inf", hexadecimal digits and leading blanks. */
static enum status parse_number(const struct key_row *row, const char *value, double *number,
                                struct error *err)
{
    char *end;
    bool plain = value[0] != '\0' && strspn(value, "0123456789.eE+-") == strlen(value) &&
                 !config_has_leading_zero(value);
    double parsed = strtod(value, &end);
    if (!plain || *end != '\0' || !isfinite(parsed) || parsed < row->min || parsed > row->max) {
        return refuse(row, "a number in", value, err);
    }
    *number = parsed == 0 ? 0 : parsed; /* -0 is 0 */
    return STATUS_OK;
}

/* choice_at copies the i-th of the words between the bars of "none | final". */
static bool choice_at(const struct key_row *row, size_t i, char word[VALUE_SIZE])
{
    const char *start = row->key.accepted;
    for (; i > 0; i--) {
        start = strstr(start, " | ");
        if (!start) {
            return false;
        }
        start += 3;
    }
    const char *end = strstr(start, " | ");
    snprintf(word, VALUE_SIZE, "%.*s", (int)(end ? end - start : (long)strlen(start)), start);
    return true;
}

_Static_assert(sizeof(enum procedure) == sizeof(int) &&
                   sizeof(enum attention_maps) == sizeof(int) &&
                   sizeof(enum schedule) == sizeof(int) && sizeof(enum last_batch) == sizeof(int) &&
                   sizeof(enum patch_pad) == sizeof(int) &&
                   sizeof(enum augment_choice) == sizeof(int),
               "choices are read and written as int");

static enum status parse_choice(const struct key_row *row, const char *value, int *choice,
                                struct error *err)
{
    char word[VALUE_SIZE];
    for (size_t i = 0; choice_at(row, i, word); i++) {
        if (strcmp(word, value) == 0) {
            *choice = (int)i;
            return STATUS_OK;
        }
    }
    if (strcmp(row->key.name, "procedure") == 0 && strcmp(value, "original") == 0) {
        return error_set(err, STATUS_USAGE,
                         "procedure: 'original' (the 2023 code behind the paper's table) is not "
                         "built yet; use reproduction");
    }
    return refuse(row, "one of", value, err);
}

/* An axis that is a number or a switch is said like any other of them. */
static enum status parse_axis(const struct key_row *row, const char *value, struct variant *variant,
                              struct error *err)
{
    bool number = strcmp(row->key.type, "integer") == 0;
    if (number && config_has_leading_zero(value)) {
        return refuse(row, "a whole number in", value, err);
    }
    struct variant parsed = *variant;
    enum status status = variant_set_axis(&parsed, row->key.name, value, err);
    if (status == STATUS_OK) {
        *variant = parsed;
    } else if (number) {
        return refuse(row, strchr(row->key.accepted, '|') ? "one of" : "a whole number in", value,
                      err);
    }
    return status;
}

#define MAX_NAMES 64

/* The names that the key task accepts. */
static size_t task_names(const char *names[MAX_NAMES])
{
    size_t n = 0;
    for (size_t i = 0; n < MAX_NAMES && task_at(i); i++) {
        names[n++] = task_at(i)->name;
    }
    for (size_t i = 0; n < MAX_NAMES && dataset_at(i); i++) {
        names[n++] = dataset_at(i)->name;
    }
    return n;
}

static enum status refuse_task(const char *value, struct error *err)
{
    const char *names[MAX_NAMES];
    size_t n_name = task_names(names), used = 0;
    char list[512] = "";
    for (size_t i = 0; i < n_name && used < sizeof list; i++) {
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
    }
    return error_set(err, STATUS_USAGE, "task: expected one of %s, found '%s'%s", list, value,
                     did_you_mean(value, names, n_name).text);
}

static void fill_presets(struct config *config);

static enum status parse_task(struct config *config, const char *value, struct error *err)
{
    const struct task *task = task_find(value);
    const struct dataset *dataset = dataset_find_name(value), *before = config->dataset;
    if (!task && !dataset) {
        return refuse_task(value, err);
    }
    config->task = task;
    config->dataset = task ? NULL : dataset;
    if (config->dataset != before) {
        fill_presets(config);
    }
    return STATUS_OK;
}

static enum status set_value(struct config *config, const struct key_row *row, const char *value,
                             struct error *err)
{
    void *member = (char *)config + row->offset;
    uint64_t integer = 0;
    enum status status;
    switch (row->kind) {
    case KEY_TASK:
        return parse_task(config, value, err);
    case KEY_VARIANT:
        return variant_parse(value, member, err);
    case KEY_AXIS:
        return parse_axis(row, value, member, err);
    case KEY_CHOICE:
        return parse_choice(row, value, member, err);
    case KEY_NUMBER:
        return parse_number(row, value, member, err);
    case KEY_SEED:
        return parse_integer(row, value, member, err);
    case KEY_SIZE:
        status = parse_integer(row, value, &integer, err);
        if (status == STATUS_OK) {
            *(size_t *)member = (size_t)integer;
        }
        return status;
    }
    return STATUS_OK;
}

/* ---- defaults ---- */

/* The default of a row for what the configuration learns; NULL or CONFIG_DERIVED where there is
 * nothing to choose. */
static const char *row_preset(const struct config *config, const struct key_row *row)
{
    if (!config->dataset) {
        return row->key.preset;
    }
    const char *own = dataset_preset(config->dataset, row->key.name);
    return own ? own : row->key.preset_images;
}

static bool is_choice(const char *preset)
{
    return preset && strcmp(preset, CONFIG_DERIVED) != 0;
}

static bool row_is_set(const struct config *config, const struct key_row *row)
{
    return config->is_set >> (row - ROWS) & 1;
}

/* Variants have the same defaults everywhere, and an id may have set several axes at once. */
static bool depends_on_task(const struct key_row *row)
{
    return row->kind == KEY_SIZE || row->kind == KEY_NUMBER || row->kind == KEY_CHOICE;
}

/* Gives every key that was not set its default; those without one become 0, the first choice. */
static void fill_presets(struct config *config)
{
    for (size_t i = 0; i < N_ROW; i++) {
        const char *preset = row_preset(config, &ROWS[i]);
        if (row_is_set(config, &ROWS[i]) || !depends_on_task(&ROWS[i])) {
            continue;
        }
        if (is_choice(preset)) {
            set_value(config, &ROWS[i], preset, NULL);
        } else if (ROWS[i].kind == KEY_SIZE) {
            *(size_t *)((char *)config + ROWS[i].offset) = 0;
        } else {
            *(int *)((char *)config + ROWS[i].offset) = 0;
        }
    }
}

struct config config_default(void)
{
    struct config config = {0};
    for (size_t i = 0; i < N_ROW; i++) {
        if (!depends_on_task(&ROWS[i])) {
            set_value(&config, &ROWS[i], ROWS[i].key.preset, NULL);
        }
    }
    fill_presets(&config);
    return config;
}

enum status config_set(struct config *config, const char *key, const char *value, struct error *err)
{
    const struct key_row *row = find_row(key, err);
    enum status status = row ? set_value(config, row, value, err) : STATUS_USAGE;
    if (status == STATUS_OK) {
        config->is_set |= (uint64_t)1 << (row - ROWS);
    }
    return status;
}

enum status config_check_keys(const struct config *config, struct error *err)
{
    const char *name = config_task_name(config);
    for (size_t i = 0; i < N_ROW; i++) {
        const char *preset = row_preset(config, &ROWS[i]), *key = ROWS[i].key.name;
        if (!row_is_set(config, &ROWS[i]) || is_choice(preset)) {
            continue;
        }
        if (preset) {
            return error_set(err, STATUS_USAGE,
                             "%s follows from the images of %s and the patch; leave it out, or set "
                             "patch",
                             key, name);
        }
        return error_set(err, STATUS_USAGE,
                         "%s is a key of image data sets, and %s is a task over sequences; leave "
                         "it out, or set task to a data set",
                         key, name);
    }
    return STATUS_OK;
}

/* ---- values as text and JSON ---- */

/* The shortest decimal text that reads back as the same double. */
static void format_number(double number, char text[VALUE_SIZE])
{
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, VALUE_SIZE, "%.*g", digits, number);
        if (strtod(text, NULL) == number) {
            return;
        }
    }
}

static void format_axis(const struct variant *variant, const char *key, char text[VALUE_SIZE])
{
    text[0] = '\0';
    for (size_t i = 0; variant_axis_key(i); i++) {
        if (strcmp(variant_axis_key(i), key) == 0) {
            variant_axis_value(variant, i, text);
        }
    }
}

static void format_value(const struct config *config, const struct key_row *row,
                         char text[VALUE_SIZE])
{
    const void *member = (const char *)config + row->offset;
    switch (row->kind) {
    case KEY_TASK:
        snprintf(text, VALUE_SIZE, "%s", config_task_name(config));
        break;
    case KEY_VARIANT:
        variant_id(member, text);
        break;
    case KEY_AXIS:
        format_axis(member, row->key.name, text);
        break;
    case KEY_CHOICE:
        choice_at(row, (size_t) * (const int *)member, text);
        break;
    case KEY_SIZE:
        snprintf(text, VALUE_SIZE, "%zu", *(const size_t *)member);
        break;
    case KEY_SEED:
        snprintf(text, VALUE_SIZE, "%llu", (unsigned long long)*(const uint64_t *)member);
        break;
    case KEY_NUMBER:
        format_number(*(const double *)member, text);
        break;
    }
}

enum status config_value(const struct config *config, const char *key, char *text, size_t size,
                         struct error *err)
{
    const struct key_row *row = find_row(key, err);
    if (!row) {
        return STATUS_USAGE;
    }
    char value[VALUE_SIZE];
    format_value(config, row, value);
    snprintf(text, size, "%s", value);
    return STATUS_OK;
}

json_t *config_json(const struct config *config)
{
    json_t *object = json_object();
    for (size_t i = 0; i < N_ROW; i++) {
        const struct key_row *row = &ROWS[i];
        char text[VALUE_SIZE];
        if (!row_preset(config, row)) {
            continue;
        }
        format_value(config, row, text);
        json_t *value;
        if (strcmp(row->key.type, "integer") == 0) {
            value = json_integer(strtoll(text, NULL, 10));
        } else if (row->kind == KEY_NUMBER) {
            value = json_number(strtod(text, NULL));
        } else {
            value = json_string(text);
        }
        json_object_set_new(object, row->key.name, value);
    }
    return object;
}

/* ---- identity ---- */

static int compare_rows(const void *a, const void *b)
{
    const struct key_row *const *left = a, *const *right = b;
    return strcmp((*left)->key.name, (*right)->key.name);
}

/* The value that the canonical text leaves out. A data set always stands in it. */
static void usual_value(const struct config *preset, const struct key_row *row,
                        char text[VALUE_SIZE])
{
    if (row->kind == KEY_TASK) {
        snprintf(text, VALUE_SIZE, "%s", row->key.preset);
    } else {
        format_value(preset, row, text);
    }
}

/* Further axes are part of the variant's id; lanes and micro-batch count only where they are not
 * what the engine would choose. */
size_t config_canonical(const struct config *config, char *text, size_t size)
{
    struct config named = *config;
    struct config preset = config_default();
    parse_task(&preset, config_task_name(config), NULL);
    struct model_shape shape = config_shape(config);
    if (named.lanes == engine_default_lanes(&shape)) {
        named.lanes = 0;
    }
    if (named.micro_batch == engine_default_micro_batch(&shape)) {
        named.micro_batch = 0;
    }
    const struct key_row *sorted[N_ROW];
    for (size_t i = 0; i < N_ROW; i++) {
        sorted[i] = &ROWS[i];
    }
    qsort(sorted, N_ROW, sizeof sorted[0], compare_rows);
    size_t used = (size_t)snprintf(text, size, "engine=%d\ntask_version=%d\n", ENGINE_VERSION,
                                   config_task_version(config));
    for (size_t i = 0; i < N_ROW && used < size; i++) {
        char value[VALUE_SIZE], usual[VALUE_SIZE];
        if (sorted[i]->kind == KEY_AXIS || !is_choice(row_preset(config, sorted[i]))) {
            continue;
        }
        format_value(&named, sorted[i], value);
        usual_value(&preset, sorted[i], usual);
        if (strcmp(value, usual) != 0) {
            used +=
                (size_t)snprintf(text + used, size - used, "%s=%s\n", sorted[i]->key.name, value);
        }
    }
    return used;
}

/* Variants are written with ':' before further axes, which file names of some systems cannot have.
 */
static void fit_for_file_name(char *name)
{
    for (; *name != '\0'; name++) {
        if (*name == ':') {
            *name = '.';
        } else if (!isalnum((unsigned char)*name) && !strchr("+=_.-", *name)) {
            *name = '_';
        }
    }
}

bool config_is_in_id(const char *key)
{
    const struct key_row *row = find_row(key, NULL);
    return row && (row->kind == KEY_TASK || row->kind == KEY_VARIANT || row->kind == KEY_AXIS ||
                   row->kind == KEY_SEED);
}

void config_id(const struct config *config, char id[CONFIG_ID_SIZE])
{
    char text[N_ROW * (VALUE_SIZE + 32)];
    size_t size = config_canonical(config, text, sizeof text);
    char hex[SHA256_HEX_SIZE];
    sha256_hex(text, size, hex);
    char variant[VARIANT_TEXT_SIZE];
    variant_id(&config->variant, variant);
    snprintf(id, CONFIG_ID_SIZE, "%.40s-%s-s%llu-%.12s", config_task_name(config), variant,
             (unsigned long long)config->seed, hex);
    fit_for_file_name(id);
}
