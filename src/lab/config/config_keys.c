/* The table of keys below is parser, help, JSON, identity and documentation at once: everything
 * here walks it. A new key is one row (and a member of struct config); as long as it keeps its
 * default, it leaves the ids of older runs alone, because only keys that differ are hashed.
 */
#include "lab/config/config_keys.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "base/text.h"
#include "lab/config/config.h"
#include "lab/config/config_guess.h"

enum key_kind { KEY_TASK, KEY_VARIANT, KEY_AXIS, KEY_CHOICE, KEY_SIZE, KEY_SEED, KEY_NUMBER };

struct key_row {
    struct config_key key;
    enum key_kind kind;
    size_t offset;   /* of the member in struct config */
    double min, max; /* of numbers, both allowed; whole ones stay below 2^53 and so are exact */
};

/* clang-format off */
#define ARGS(...) __VA_ARGS__
#define RANGE_TEXT_(least, most) #least ".." #most
#define RANGE_TEXT(range) RANGE_TEXT_(range)
#define AT(member) offsetof(struct config, member)
#define AXIS(name, type, accepted, preset, help) \
    {{name, NULL, type, accepted, preset, help}, KEY_AXIS, AT(variant), RANGE_N_KV_HEAD}
#define CHOICE(member, accepted, preset, help) \
    {{#member, NULL, "choice", accepted, preset, help}, KEY_CHOICE, AT(member), 0, 0}
#define INTEGER(member, range, preset, help) \
    {{#member, NULL, "integer", RANGE_TEXT(ARGS range), preset, help}, KEY_SIZE, AT(member), ARGS range}
#define NUMBER(member, alias, range, preset, help) \
    {{#member, alias, "number", RANGE_TEXT(ARGS range), preset, help}, KEY_NUMBER, AT(member), ARGS range}

/* "none | position2d | ...": behind the first bar */
#define BAR_AND_NAME(id, name, ...) " | " name
#define QUERY_NAMES (&(QUERY_MAP_TABLE(BAR_AND_NAME))[3])
#define SCORE_TERM_NAMES (&(SCORE_TERM_TABLE(BAR_AND_NAME))[3])

#define OR_0_(least, most) 0, most
#define OR_0(range) OR_0_(range)
#define RANGE_N_KV_HEAD 0, 65536

/* name, (alias,) accepted, default (of most kinds; NULL: of those that give it one), help */
static const struct key_row ROWS[] = {
    {{"task", NULL, "task", "a name from `qkvlab list tasks` or `qkvlab list datasets`", "reverse",
      "what the model learns: a task, or the images of a data set"}, KEY_TASK, AT(task), 0, 0},
    {{"variant", NULL, "variant", "an id from `qkvlab list variants`, further axes after colons", "qkv",
      "which of Q, K and V have projections of their own"}, KEY_VARIANT, AT(variant), 0, 0},
    AXIS("query", "choice", QUERY_NAMES, "linear", "how queries are made of the input"),
    AXIS("score_term", "choice", SCORE_TERM_NAMES, "none", "what is added to the scores; position2d is the + of the papers"),
    AXIS("qk_norm", "integer", "0 | 1", "0", "RMSNorm over the head width of queries and keys"),
    AXIS("causal", "integer", "0 | 1", "0", "a position sees itself and those before it"),
    AXIS("n_kv_head", "integer", RANGE_TEXT(RANGE_N_KV_HEAD), "0", "key-value heads; 0: as many as query heads"),
    CHOICE(procedure, "reproduction", "reproduction", "which published procedure the model and training follow"),
    INTEGER(n_embd, (RANGE_N_EMBD), "64", "width of the model"),
    INTEGER(n_layer, (RANGE_N_LAYER), "2", "number of blocks"),
    INTEGER(n_head, (RANGE_N_HEAD), "4", "attention heads a block"),
    INTEGER(mlp_ratio, (RANGE_MLP_RATIO), "4", "width of the MLP in units of n_embd"),
    INTEGER(seq_len, (RANGE_SEQ_LEN), "16", "tokens of a sequence; of an image: a class token and its patches"),
    INTEGER(n_position, (RANGE_N_POSITION), "128", "rows of the learned position table, at least seq_len"),
    INTEGER(pos_dim, (RANGE_POS_DIM), "10", "channels of the 2D positional encoding of score terms"),
    INTEGER(batch_size, (1, 1048576), "128", "sequences or images of a training step"),
    CHOICE(last_batch, "keep | drop", "keep", "whether an epoch's last, smaller batch is trained on"),
    INTEGER(epochs, (1, 1000000), "2", "passes over the training split; some data sets have a default of their own"),
    INTEGER(n_train, (0, 100000000), "10000", "training sequences, or the first so many images (TinyImageNet's are ordered by class); 0: all images"),
    INTEGER(n_test, (0, 100000000), "2000", "test sequences, or the first so many images; 0: all images"),
    INTEGER(n_probe, (1, 1000000), "64", "sequences or test images over which attention maps are averaged"),
    NUMBER(learning_rate, "lr", (0, 1e9), "0.001", "peak of the schedule"),
    CHOICE(schedule, "cosine | step", "cosine",
           "behind the warm-up: cosine to 0, or a tenth at half and again at three quarters of the steps"),
    NUMBER(beta1, NULL, (0, 0.999999), "0.9", "Adam: decay of the mean gradient"),
    NUMBER(beta2, NULL, (0, 0.999999), "0.999", "Adam: decay of the mean squared gradient"),
    NUMBER(epsilon, NULL, (1e-30, 1), "1e-08", "Adam: keeps the step finite"),
    NUMBER(warmup, NULL, (0, 1), "0.05", "share of the steps over which the learning rate rises"),
    NUMBER(clip, NULL, (0, 1e9), "5", "largest global gradient norm; 0: no clipping"),
    NUMBER(weight_decay, NULL, (0, 1000), "0",
           "decoupled weight decay (AdamW) of matrices; for query=identity arXiv 2510.23912 advises 0.03125 (2^-5)"),
    NUMBER(dropout, NULL, (0, 0.999), "0", "share of values dropped behind the embedding and the MLP layers"),
    {{"seed", NULL, "integer", RANGE_TEXT(RANGE_SEED), "0", "draws data, initial weights and order"},
     KEY_SEED, AT(seed), RANGE_SEED},
    CHOICE(numbers, "own | pytorch", "own",
           "whose random numbers a seed draws; pytorch: those of the published runs, for their tasks and variants"),
    INTEGER(lanes, (0, 4096), "0", "fixed parts of a batch, computed in parallel; 0: from the model's shape"),
    INTEGER(micro_batch, (0, 1048576), "0", "sequences a lane computes at once; 0: from the model's shape"),
    CHOICE(attention, "none | final | snapshots", "final",
           "which attention maps a run keeps: those of the trained model, or also up to 14 on the way there"),
    INTEGER(patch, (RANGE_PATCH), NULL, "side of the square patches of an image, in pixels"),
    CHOICE(patch_pad, "refuse | zero", NULL,
           "where the patch does not divide the image: refuse, or continue it with zeros right and bottom"),
    INTEGER(image_size, (OR_0(RANGE_IMAGE_SIZE)), NULL, "side in pixels that images are given when they are loaded (smaller: area averaging; larger: bilinear); 0: their own"),
    CHOICE(augment, "own | none", NULL, "augmentation while training: the data set's own, or none"),
};
/* clang-format on */

#define N_ROW (sizeof ROWS / sizeof ROWS[0])
#define VALUE_SIZE CONFIG_VALUE_SIZE

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
                   sizeof(enum schedule) == sizeof(int) && sizeof(enum numbers) == sizeof(int) &&
                   sizeof(enum last_batch) == sizeof(int) &&
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

static enum status refuse_task(const char *value, struct error *err)
{
    const char *names[MAX_NAMES];
    size_t n_name = 0;
    for (; n_name < MAX_NAMES && task_at(n_name); n_name++) {
        names[n_name] = task_at(n_name)->name;
    }
    return error_expected(err, "task", names, n_name, value);
}

static void fill_presets(struct config *config);

static enum status parse_task(struct config *config, const char *value, struct error *err)
{
    const struct task *task = task_find(value), *before = config->task;
    if (!task) {
        return refuse_task(value, err);
    }
    config->task = task;
    if (task != before) {
        fill_presets(config);
    }
    return STATUS_OK;
}

static enum status set_value(struct config *config, const struct key_row *row, const char *value,
                             struct error *err)
{
    void *member = (char *)config + row->offset;
    uint64_t integer = 0;
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
        TRY(parse_integer(row, value, &integer, err));
        *(size_t *)member = (size_t)integer;
        return STATUS_OK;
    }
    return STATUS_OK;
}

/* ---- defaults ---- */

const char *config_preset(const struct task *task, const struct config_key *key)
{
    const char *own = task_preset(task, key->name);
    return own ? own : key->preset;
}

const char *config_kind_preset(const struct kind *kind, const struct config_key *key)
{
    const char *own = kind_preset(kind, key->name);
    return own ? own : key->preset;
}

bool config_is_choice(const char *preset)
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
        if (row_is_set(config, &ROWS[i]) || !depends_on_task(&ROWS[i])) {
            continue;
        }
        const char *preset = config_preset(config->task, &ROWS[i].key);
        if (config_is_choice(preset)) {
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
        if (!depends_on_task(&ROWS[i])) { /* the task sets all that do */
            set_value(&config, &ROWS[i], ROWS[i].key.preset, NULL);
        }
    }
    return config;
}

struct config config_usual(const struct config *config)
{
    struct config usual = config_default();
    parse_task(&usual, config->task->name, NULL);
    return usual;
}

enum status config_set(struct config *config, const char *key, const char *value, struct error *err)
{
    const struct key_row *row = find_row(key, err);
    if (!row) {
        return STATUS_USAGE;
    }
    TRY(set_value(config, row, value, err));
    config->is_set |= (uint64_t)1 << (row - ROWS);
    config->n_param = 0; /* another model, and another run */
    memset(config->id, 0, sizeof config->id);
    return STATUS_OK;
}

/* A kind whose tasks have this key as a choice. */
static const struct kind *kind_with(const struct config_key *key)
{
    size_t i = 0;
    while (kind_at(i) && !config_is_choice(config_kind_preset(kind_at(i), key))) {
        i++;
    }
    return kind_at(i);
}

enum status config_check_keys(const struct config *config, struct error *err)
{
    const char *name = config->task->name;
    const struct kind *kind = config->task->kind;
    for (size_t i = 0; i < N_ROW; i++) {
        const struct config_key *key = &ROWS[i].key;
        const char *preset = config_preset(config->task, key);
        if (!row_is_set(config, &ROWS[i]) || config_is_choice(preset)) {
            continue;
        }
        if (preset) {
            return error_set(err, STATUS_USAGE,
                             "%s follows from the %s of %s and the %s; leave it out, or set %s",
                             key->name, kind->derived_from, name, kind->derived_by,
                             kind->derived_by);
        }
        return error_set(
            err, STATUS_USAGE, "%s is a key of %s, and %s is %s; leave it out, or set task to %s",
            key->name, kind_with(key)->all, name, kind->a_task, kind_with(key)->instead);
    }
    return STATUS_OK;
}

/* ---- values as text and JSON ---- */

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
        snprintf(text, VALUE_SIZE, "%s", config->task->name);
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
        snprintf(text, VALUE_SIZE, "%.*g", text_digits(*(const double *)member, 1),
                 *(const double *)member);
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

/* ---- JSON ---- */

static json_t *value_json(const struct config *config, const struct key_row *row)
{
    char text[VALUE_SIZE];
    format_value(config, row, text);
    return strcmp(row->key.type, "integer") == 0 ? json_integer(strtoll(text, NULL, 10))
           : row->kind == KEY_NUMBER             ? json_number(strtod(text, NULL))
                                                 : json_string(text);
}

json_t *config_json(const struct config *config)
{
    json_t *object = json_object();
    for (size_t i = 0; i < N_ROW; i++) {
        if (config_preset(config->task, &ROWS[i].key)) {
            json_object_set_new(object, ROWS[i].key.name, value_json(config, &ROWS[i]));
        }
    }
    return object;
}

static void value_text(const json_t *value, char text[VALUE_SIZE])
{
    if (json_is_string(value)) {
        snprintf(text, VALUE_SIZE, "%s", json_string_value(value));
    } else if (json_is_integer(value)) {
        snprintf(text, VALUE_SIZE, "%lld", (long long)json_integer_value(value));
    } else if (json_is_real(value)) {
        snprintf(text, VALUE_SIZE, "%.17g", json_real_value(value));
    } else {
        text[0] = '\0';
    }
}

/* The task decides which keys there are, so it is set first. */
enum status config_from_json(const json_t *object, struct config *config, struct error *err)
{
    const char *task = json_get_text(object, "task", ""), *name;
    json_t *value;
    *config = config_default();
    if (config_set(config, "task", task, NULL) != STATUS_OK) {
        return error_set(err, STATUS_USAGE, "task \"%s\", which this program does not know", task);
    }
    json_object_foreach((json_t *)object, name, value)
    {
        char text[VALUE_SIZE];
        const struct key_row *row = find_row(name, err);
        if (!row) {
            return STATUS_USAGE;
        }
        const char *preset = config_preset(config->task, &row->key);
        if (!preset || config_is_choice(preset)) {
            value_text(value, text);
            TRY(config_set(config, name, text, err));
        }
    }
    return STATUS_OK;
}

/* ---- questions ---- */

static enum key_kind kind_of_key(const char *key)
{
    const struct key_row *row = find_row(key, NULL);
    return row ? row->kind : KEY_NUMBER;
}

bool config_is_axis(const char *key)
{
    return kind_of_key(key) == KEY_AXIS;
}

bool config_is_in_id(const char *key)
{
    enum key_kind kind = kind_of_key(key);
    return kind == KEY_TASK || kind == KEY_VARIANT || kind == KEY_AXIS || kind == KEY_SEED;
}
