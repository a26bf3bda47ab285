#include "testing.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/sha256.h"
#include "config_fixture.h"
#include "lab/kind/images/images.h"

static void set(struct config *config, const char *key, const char *value)
{
    FINE(config_set(config, key, value, &err));
}

static void expect_refused(const char *key, const char *value, const char *words)
{
    struct config config = config_default();
    ck_assert_msg(config_set(&config, key, value, &err) == STATUS_USAGE, "%s=%s was taken", key,
                  value);
    ck_assert_msg(strstr(err.text, words) != NULL, "expected '%s' in: %s", words, err.text);
}

/* ---- table ---- */

TEST(defaults_are_the_reproduction_procedure)
{
    struct config c = config_default();
    ck_assert_str_eq(c.task->name, "reverse");
    ck_assert_str_eq(c.variant.sharing, "qkv");
    ck_assert_uint_eq(c.n_embd, 64);
    ck_assert_uint_eq(c.n_layer, 2);
    ck_assert_uint_eq(c.n_head, 4);
    ck_assert_uint_eq(c.mlp_ratio, 4);
    ck_assert_uint_eq(c.seq_len, 16);
    ck_assert_uint_eq(c.n_position, 128);
    ck_assert_uint_eq(c.pos_dim, 10);
    ck_assert_uint_eq(c.batch_size, 128);
    ck_assert_uint_eq(c.epochs, 2);
    ck_assert_uint_eq(c.n_train, 10000);
    ck_assert_uint_eq(c.n_test, 2000);
    ck_assert_double_eq(c.learning_rate, 1e-3);
    ck_assert_double_eq(c.beta1, 0.9);
    ck_assert_double_eq(c.beta2, 0.999);
    ck_assert_double_eq(c.epsilon, 1e-8);
    ck_assert_double_eq(c.warmup, 0.05);
    ck_assert_double_eq(c.clip, 5);
    ck_assert_double_eq(c.weight_decay, 0);
    ck_assert_int_eq(c.attention, ATTENTION_FINAL);
    ck_assert_uint_eq(config_steps(&c), 158);
}

static void expect_value(const struct config *config, const char *key, const char *value)
{
    char text[200];
    FINE(config_value(config, key, text, sizeof text, &err));
    ck_assert_str_eq(text, value);
}

TEST(every_row_takes_its_preset_and_prints_it)
{
    const struct config_key *key;
    for (size_t i = 0; (key = config_key_at(i)); i++) {
        struct config config = config_default();
        if (key->preset) {
            set(&config, key->name, key->preset);
            set(&config, key->alias ? key->alias : key->name, key->preset);
            expect_value(&config, key->name, key->preset);
        }
        ck_assert(key->preset || config_kind_preset(&kind_images, key));
        ck_assert(key->help[0] != '\0' && key->accepted[0] != '\0');
    }
    ck_assert_uint_gt(config_steps(&(struct config){.epochs = 1, .n_train = 1, .batch_size = 9}),
                      0);
}

/* The words of "a | b" and the ends of "1..9" are what the parser takes. */
TEST(accepted_texts_are_accepted)
{
    const struct config_key *key;
    for (size_t i = 0; (key = config_key_at(i)); i++) {
        char copy[200];
        struct config config = config_default();
        snprintf(copy, sizeof copy, "%s", key->accepted);
        char *dots = strstr(copy, "..");
        if (dots) {
            *dots = '\0';
            set(&config, key->name, copy);
            set(&config, key->name, dots + 2);
        } else if (strstr(copy, " | ")) {
            for (char *word = strtok(copy, " |"); word; word = strtok(NULL, " |")) {
                set(&config, key->name, word);
            }
        }
    }
}

/* ... and nothing that a variant can be is left out of them. */
TEST(every_value_of_an_axis_is_told)
{
    for (int query = 0; query < QUERY_MAP_COUNT; query++) {
        for (int term = 0; term < SCORE_TERM_COUNT; term++) {
            struct variant variant = {.query = (enum query_map)query,
                                      .score_term = (enum score_term)term};
            for (size_t i = 0; variant_axis_key(i); i++) {
                char value[VARIANT_TEXT_SIZE];
                const struct config_key *key = config_key_find(variant_axis_key(i), &err);
                ck_assert_msg(key != NULL, "%s", err.text);
                variant_axis_value(&variant, i, value);
                ck_assert_msg(strstr(key->accepted, value) != NULL, "%s: %s", key->name, value);
            }
        }
    }
}

TEST(a_value_survives_text)
{
    struct config config = config_default();
    char text[200];
    set(&config, "lr", "0.1234567890123456");
    config_value(&config, "lr", text, sizeof text, NULL);
    ck_assert_str_eq(text, "0.1234567890123456");
    set(&config, "lr", "1e6");
    config_value(&config, "learning_rate", text, sizeof text, NULL);
    ck_assert_str_eq(text, "1e+06");
    ck_assert_double_eq(config.learning_rate, 1e6);
    set(&config, "variant", "Q-K=V");
    set(&config, "n_kv_head", "1");
    config_value(&config, "variant", text, sizeof text, NULL);
    ck_assert_str_eq(text, "kv:n_kv_head=1");
}

TEST(json_has_every_key_of_a_task)
{
    struct config config = config_default();
    set(&config, "variant", "qk+");
    set(&config, "lr", "0.01");
    json_t *json = config_json(&config);
    size_t n_key = 0;
    for (size_t i = 0; config_key_at(i); i++) {
        const struct config_key *key = config_key_at(i);
        ck_assert((json_object_get(json, key->name) != NULL) == (key->preset != NULL));
        n_key += key->preset != NULL;
    }
    ck_assert_uint_eq(json_object_size(json), n_key);
    ck_assert_str_eq(json_get_text(json, "variant", ""), "qk+");
    ck_assert_str_eq(json_get_text(json, "score_term", ""), "position2d");
    ck_assert_int_eq(json_get_integer(json, "qk_norm", -1), 0);
    ck_assert_int_eq(json_get_integer(json, "n_embd", -1), 64);
    ck_assert_double_eq(json_get_number(json, "learning_rate", -1), 0.01);
    ck_assert_str_eq(json_get_text(json, "attention", ""), "final");
    json_decref(json);
}

/* ---- refusals ---- */

TEST(unknown_keys_name_the_nearest)
{
    expect_refused("learing_rate", "0.1", "did you mean 'learning_rate'?");
    expect_refused("n_heads", "4", "did you mean 'n_head'?");
    expect_refused("frobnicate", "1", "there is no key 'frobnicate'; `qkvlab list keys`");
    expect_refused("", "1", "`qkvlab list keys`");
    ck_assert_ptr_null(config_key_find("epoch", &err));
    SAID("did you mean 'epochs'?");
    ck_assert_str_eq(config_key_find("lr", &err)->name, "learning_rate");
}

TEST(bad_whole_numbers_are_refused_with_the_range)
{
    const char *const bad[] = {"12x",
                               "-3",
                               "+3",
                               "",
                               " 5",
                               "5 ",
                               "0",
                               "65537",
                               "3.5",
                               "1e3",
                               "nan",
                               "0x10",
                               "99999999999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        expect_refused("n_embd", bad[i], "n_embd: expected a whole number in 2..16384, found");
    }
    expect_refused("n_embd", "12x", "found '12x'");
    expect_refused("n_embd", "1", "expected a whole number in 2..16384");
    expect_refused("n_embd", "16385", "expected a whole number in 2..16384");
    expect_refused("pos_dim", "1", "expected a whole number in 2..4096");
    expect_refused("seed", "9007199254740992", "0..9007199254740991");
    expect_refused("epochs", "0", "1..1000000");
}

TEST(bad_numbers_are_refused_with_the_range)
{
    const char *const bad[] = {"12x", "-1", "",   "nan", "NaN", "inf",  "1e999", "0x1p3",
                               " 1",  "1 ", "e5", "1,5", "2e9", "-inf", "1e"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        expect_refused("lr", bad[i], "learning_rate: expected a number in 0..1e9, found");
    }
    expect_refused("warmup", "1.5", "0..1");
    expect_refused("beta2", "1", "0..0.999999");
    expect_refused("epsilon", "0", "1e-30..1");
}

/* Only what differs from the default is in an id: a new value leaves those of older runs alone. */
TEST(snapshots_are_a_run_of_their_own_and_final_is_not_named)
{
    char text[CONFIG_CANONICAL_SIZE];
    struct config config = config_default();
    ck_assert_int_eq(config_set(&config, "attention", "final", NULL), STATUS_OK);
    ck_assert_int_eq(config_resolve(&config, NULL), STATUS_OK);
    config_canonical(&config, text);
    ck_assert_ptr_null(strstr(text, "attention="));
    ck_assert_int_eq(config_set(&config, "attention", "snapshots", NULL), STATUS_OK);
    config_canonical(&config, text);
    ck_assert_ptr_nonnull(strstr(text, "\nattention=snapshots\n"));
    ck_assert_int_eq(config_set(&config, "attention", "none", NULL), STATUS_OK);
    config_canonical(&config, text);
    ck_assert_ptr_nonnull(strstr(text, "\nattention=none\n"));
}

static void expect_guess(const char *key, const char *value, const char *guess)
{
    char words[128];
    snprintf(words, sizeof words, "found '%s'; did you mean '%s'?", value, guess);
    expect_refused(key, value, words);
}

static void expect_no_guess(const char *key, const char *value)
{
    struct config config = config_default();
    ck_assert_int_eq(config_set(&config, key, value, &err), STATUS_USAGE);
    ck_assert_msg(!strstr(err.text, "did you mean"), "%s", err.text);
}

TEST(other_notations_are_refused_with_the_one_that_is_read)
{
    expect_guess("epochs", "08", "8");
    expect_guess("n_train", "1e3", "1000");
    expect_guess("n_train", "1_000", "1000");
    expect_guess("n_train", "1000.0", "1000");
    expect_guess("n_test", "00", "0");
    expect_guess("seed", "+7", "7");
    expect_guess("lr", "01.5", "1.5");
    expect_guess("lr", "0_1", "1");
    expect_guess("causal", "yes", "1");
    expect_guess("causal", "True", "1");
    expect_guess("qk_norm", "off", "0");
    expect_guess("qk_norm", "01", "1");
    expect_guess("n_kv_head", "02", "2");
    expect_guess("attention", "no", "none");
    expect_guess("attention", "Final", "final");
    expect_guess("schedule", "cosin", "cosine");
    expect_no_guess("n_embd", "1e9"); /* nor anything else out of range */
    expect_no_guess("n_embd", "0");
    expect_no_guess("n_embd", "2.5");
    expect_no_guess("n_embd", "0x10");
    expect_no_guess("n_embd", "yes");
    expect_no_guess("causal", "2");
    expect_no_guess("attention", "sometimes");
}

TEST(bad_choices_name_the_accepted)
{
    expect_refused("attention", "all", "expected one of none | final | snapshots, found 'all'");
    expect_refused("procedure", "original", "not built yet; use reproduction");
    expect_refused("procedure", "repro", "expected one of reproduction, found 'repro'");
    expect_refused("task", "revers", "did you mean 'reverse'?");
    expect_refused("task", "imagenet", "copy, reverse, shift, sort, sub, swap, cifar10");
    expect_refused("task", "fashion", "mnist, tinyimagenet");
    expect_refused("task", "fashion", ", found 'fashion'");
    expect_refused("task", "mnits", "did you mean 'mnist'?");
    expect_refused("variant", "qkk", "variant: expected qkv");
    expect_refused("score_term", "position", "score_term: expected one of none, position2d");
    expect_refused("n_kv_head", "x", "n_kv_head: expected a whole number");
}

TEST(a_refused_value_changes_nothing)
{
    struct config config = config_default(), before = config;
    ck_assert_int_eq(config_set(&config, "n_embd", "12x", NULL), STATUS_USAGE);
    ck_assert_int_eq(config_set(&config, "variant", "x", NULL), STATUS_USAGE);
    ck_assert_int_eq(config_set(&config, "lr", "nan", NULL), STATUS_USAGE);
    ck_assert_mem_eq(&config, &before, sizeof config);
}

/* ---- combinations ---- */

/* settings is "key=value key=value" */
static enum status resolve(const char *settings, struct config *config)
{
    return config_try("", settings, config);
}

/* id_of returns an id that stays until four others were asked for. */
static __attribute__((format(printf, 1, 2))) const char *id_of(const char *format, ...)
{
    static struct config made[5];
    static size_t n;
    char settings[100];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(settings, sizeof settings, format, arguments);
    va_end(arguments);
    struct config *config = &made[n++ % 5];
    *config = config_of("", settings);
    return config->id;
}

static void expect_impossible(const char *settings, const char *words)
{
    struct config config;
    ck_assert_msg(resolve(settings, &config) == STATUS_USAGE, "%s was taken", settings);
    ck_assert_msg(strstr(err.text, words) != NULL, "expected '%s' in: %s", words, err.text);
}

TEST(impossible_combinations_name_values_that_work)
{
    expect_impossible("n_embd=30", "n_embd 28 or 32, or n_head 3 or 5 would work");
    expect_impossible("n_embd=31", "n_head 1 or 31 would work");
    expect_impossible("n_embd=3", "n_embd 4 or n_head 3 would work");
    expect_impossible("seq_len=200", "n_position to at least 200 or seq_len to at most 128");
    expect_impossible("task=swap seq_len=15", "14 or 16 would work");
    expect_impossible("variant=kv n_kv_head=3", "n_kv_head 3 does not divide n_head 4");
    expect_impossible("variant=qk n_kv_head=2", "as many key-value heads as query heads");
    expect_impossible("variant=qk query=identity", "use qkv or kv");
    expect_impossible("n_train=100000000 seq_len=100", "more tokens than a run can hold");
    expect_impossible("epochs=1000000 batch_size=1", "more than 10000000");
    expect_impossible("n_test=0", "n_test 0 stands for all images of a data set");
    expect_impossible("patch=4", "patch is a key of image data sets, and reverse is a task");
    expect_impossible("augment=none", "augment is a key of image data sets");
}

TEST(the_values_named_do_work)
{
    struct config config;
    const char *const fine[] = {"n_embd=28",
                                "n_embd=32",
                                "n_embd=30 n_head=3",
                                "n_embd=30 n_head=5",
                                "n_embd=31 n_head=1",
                                "n_embd=31 n_head=31",
                                "n_embd=3 n_head=3",
                                "seq_len=200 n_position=200",
                                "seq_len=1",
                                "task=swap seq_len=14",
                                "variant=kv n_kv_head=2",
                                "n_train=1 n_test=1 n_probe=1"};
    for (size_t i = 0; i < sizeof fine / sizeof fine[0]; i++) {
        ck_assert_msg(resolve(fine[i], &config) == STATUS_OK, "%s: %s", fine[i], err.text);
    }
}

TEST(resolving_fills_the_engines_defaults_once)
{
    struct config config, again;
    config = config_of("", "");
    struct model_shape shape = config_shape(&config);
    ck_assert_uint_eq(config.lanes, engine_default_lanes(&shape));
    ck_assert_uint_eq(config.micro_batch, engine_default_micro_batch(&shape));
    again = config;
    FINE(config_resolve(&again, &err));
    ck_assert_mem_eq(&again, &config, sizeof config);
}

/* ---- identity ---- */

/* Pinned: whoever adds a key or a task must not change them. */
TEST(ids_stay_what_they_were)
{
    ck_assert_str_eq(id_of("%s", ""), "reverse-qkv-s0-9a5b4f2c9f2f");
    ck_assert_str_eq(id_of("task=sort variant=qk"), "sort-qk-s0-0438aec623b0");
}

TEST(only_what_differs_is_hashed)
{
    struct config config;
    char text[CONFIG_CANONICAL_SIZE], id[CONFIG_ID_SIZE], hex[SHA256_HEX_SIZE];
    config = config_of("", "");
    size_t size = config_canonical(&config, text);
    ck_assert_str_eq(text, "engine=1\ntask_version=1\n");
    ck_assert_uint_eq(size, strlen(text));
    sha256_hex(text, size, hex);
    memcpy(id, config.id, CONFIG_ID_SIZE);
    ck_assert(strncmp(strrchr(id, '-') + 1, hex, 12) == 0 && strlen(strrchr(id, '-')) == 13);
    config = config_of("seed=3 variant=qk score_term=position2d", "lr=0.01 task=copy");
    config_canonical(&config, text);
    ck_assert_str_eq(text, "engine=1\ntask_version=1\nlearning_rate=0.01\nseed=3\ntask=copy\n"
                           "variant=qk+\n");
}

TEST(every_key_but_its_preset_changes_the_id)
{
    const char *const other[] = {"task=copy",       "variant=qk",
                                 "query=identity",  "score_term=relative",
                                 "qk_norm=1",       "causal=1",
                                 "n_kv_head=2",     "n_embd=32",
                                 "n_layer=1",       "n_head=2",
                                 "mlp_ratio=2",     "seq_len=8",
                                 "n_position=64",   "variant=qkv+ pos_dim=8",
                                 "batch_size=64",   "epochs=1",
                                 "n_train=100",     "n_test=100",
                                 "n_probe=8",       "lr=0.01",
                                 "beta1=0.8",       "beta2=0.99",
                                 "epsilon=1e-7",    "warmup=0",
                                 "clip=1",          "weight_decay=0.1",
                                 "seed=1",          "lanes=2",
                                 "micro_batch=2",   "attention=none",
                                 "dropout=0.1",     "schedule=step",
                                 "last_batch=drop", "numbers=pytorch"};
    enum { N_OTHER = sizeof other / sizeof other[0] };
    static char ids[N_OTHER + 1][CONFIG_ID_SIZE];
    for (size_t i = 0; i <= N_OTHER; i++) {
        strcpy(ids[i], id_of("%s", i < N_OTHER ? other[i] : ""));
    }
    for (size_t i = 0; i <= N_OTHER; i++) {
        for (size_t j = 0; j < i; j++) {
            ck_assert_msg(strcmp(ids[i], ids[j]) != 0, "%s", other[j]);
        }
    }
    size_t n_key = 0;
    for (size_t i = 0; config_key_at(i); i++) {
        n_key += config_key_at(i)->preset != NULL;
    }
    ck_assert_uint_eq(N_OTHER, n_key - 1); /* procedure has one value */
}

TEST(a_key_that_the_variant_does_not_read_leaves_the_id_alone)
{
    static const char *const task[] = {"task=copy", "task=mnist"};
    static const char *const reading[] = {"position2d", "temperature", "key_bias", "relative"};
    for (size_t i = 0; i < 2; i++) {
        ck_assert_str_eq(id_of("%s pos_dim=8", task[i]), id_of("%s", task[i]));
        ck_assert_str_eq(id_of("%s score_term=temperature_scalar pos_dim=8", task[i]),
                         id_of("%s score_term=temperature_scalar", task[i]));
        for (size_t r = 0; r < 4; r++) {
            ck_assert_str_ne(id_of("%s score_term=%s pos_dim=8", task[i], reading[r]),
                             id_of("%s score_term=%s", task[i], reading[r]));
        }
    }
}

TEST(defaults_spelled_out_leave_the_id_alone)
{
    const struct config_key *key;
    for (size_t i = 0; (key = config_key_at(i)); i++) {
        ck_assert_str_eq(key->preset ? id_of("%s=%s", key->name, key->preset) : id_of("%s", ""),
                         id_of("%s", ""));
    }
    struct config config = config_of("", "");
    ck_assert_str_eq(
        id_of("lanes=%zu micro_batch=%zu n_kv_head=4", config.lanes, config.micro_batch),
        config.id);
}

TEST(spellings_of_a_variant_share_an_id)
{
    ck_assert_str_eq(id_of("variant=qk+"), id_of("variant=(Q=K-V)+"));
    ck_assert_str_eq(id_of("variant=qk+"), id_of("variant=qk score_term=position2d"));
    ck_assert_str_eq(id_of("variant=kv:n_kv_head=1"), id_of("variant=kv n_kv_head=1"));
    ck_assert_int_eq(strncmp(id_of("variant=kv n_kv_head=1"), "reverse-kv.n_kv_head=1-s0-", 26), 0);
}

/* ---- data sets ---- */

TEST(data_sets_have_the_defaults_of_their_procedure)
{
    struct config c;
    FINE(resolve("task=mnist", &c));
    ck_assert_ptr_eq(c.task->kind, &kind_images);
    ck_assert_str_eq(c.task->name, "mnist");
    ck_assert(c.n_embd == 64 && c.n_layer == 2 && c.n_head == 2 && c.patch == 4);
    ck_assert(c.seq_len == 50 && c.n_position == 50 && c.pos_dim == 50);
    ck_assert(c.batch_size == 128 && c.last_batch == LAST_BATCH_DROP && c.epochs == 20);
    ck_assert(c.n_train == 0 && c.n_test == 0 && c.image_size == 0);
    ck_assert(c.schedule == SCHEDULE_STEP && c.augment == AUGMENT_OF_DATASET);
    ck_assert(c.learning_rate == 1e-3 && c.warmup == 0 && c.clip == 0 && c.weight_decay == 0);
    ck_assert_double_eq(c.dropout, 0.1);
    ck_assert_uint_eq(config_steps(&c), 20 * 468);
    c = config_of("", "task=cifar10");
    ck_assert(c.epochs == 40 && c.seq_len == 65);
    ck_assert_uint_eq(config_steps(&c), 40 * 390);
    ck_assert_int_eq(images_augmentation(&c), AUGMENT_CROP_FLIP);
    c = config_of("", "task=cifar100");
    ck_assert(c.epochs == 50);
    c = config_of("", "task=tinyimagenet");
    ck_assert(c.n_embd == 192 && c.patch == 8);
    for (size_t i = 0; dataset_at(i); i++) {
        char settings[100];
        snprintf(settings, sizeof settings, "task=%s", dataset_at(i)->task.name);
        c = config_of("", settings);
    }
}

TEST(the_model_of_images_is_that_of_the_paper)
{
    const struct {
        const char *variant;
        size_t n_param;
    } row[] = {{"variant=qkv", 105098},
               {"variant=kv", 96778},
               {"variant=qk+", 96880},
               {"variant=qkv_tied", 88458},
               {"variant=qkv_tied+", 88560}};
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        ck_assert_uint_eq(config_of("task=mnist", row[i].variant).n_param, row[i].n_param);
    }
}

TEST(the_order_of_keys_does_not_matter)
{
    struct config a, b;
    a = config_of("", "task=cifar10 n_head=4 epochs=2 clip=5");
    b = config_of("", "clip=5 n_head=4 epochs=2 task=cifar10");
    ck_assert_mem_eq(&a, &b, sizeof a);
    ck_assert(a.n_head == 4 && a.epochs == 2 && a.clip == 5 && a.dropout == 0.1);
    a = config_of("", "task=cifar10 n_head=4 task=reverse");
    ck_assert(dataset_of(a.task) == NULL && a.n_head == 4 && a.n_train == 10000 && a.dropout == 0);
    ck_assert_uint_eq(a.patch, 0);
}

/* A misspelt key in a file of datasets/ or in a kind would be silently without effect. */
TEST(defaults_of_tasks_and_kinds_are_keys_with_valid_values)
{
    for (size_t d = 0; task_at(d); d++) {
        const struct task *task = task_at(d);
        for (const struct key_value *own = task->preset; own->key; own++) {
            struct config config;
            char text[64], setting[100];
            ck_assert_str_eq(task_preset(task, own->key), own->value);
            snprintf(setting, sizeof setting, "task=%s", task->name);
            FINE(resolve(setting, &config));
            ck_assert_msg(config_value(&config, own->key, text, sizeof text, &err) == STATUS_OK,
                          "%s: %s", task->name, err.text);
            ck_assert_str_eq(text, own->value);
        }
        ck_assert_ptr_null(task_preset(task, "seed"));
        ck_assert((task->n_train > 0 && task->n_test > 0) == (task->kind == &kind_images));
    }
    for (size_t k = 0; kind_at(k); k++) {
        for (const struct key_value *own = kind_at(k)->preset; own->key; own++) {
            struct config config = config_default();
            ck_assert_msg(config_key_find(own->key, &err) != NULL, "%s", err.text);
            if (config_is_choice(own->value)) {
                set(&config, own->key, own->value);
            }
        }
    }
}

TEST(every_kind_is_whole)
{
    for (size_t k = 0; kind_at(k); k++) {
        const struct kind *kind = kind_at(k);
        ck_assert(kind->name && kind->a_task && kind->all && kind->instead && kind->accuracy);
        ck_assert(kind->task_at(0) && kind->resolve && kind->shape && kind->say_size);
        ck_assert_ptr_nonnull(kind_accuracy(kind)->title);
        for (size_t i = 0; i < k; i++) {
            ck_assert_str_ne(kind_accuracy(kind)->key, kind_accuracy(kind_at(i))->key);
        }
        for (size_t i = 0; kind->task_at(i); i++) {
            struct config config = config_default();
            const struct task *task = kind->task_at(i);
            ck_assert_ptr_eq(task->kind, kind);
            ck_assert_ptr_eq(task_find(task->name), task);
            ck_assert(task->title && task->version >= 1 && task->n_answer >= 2);
            set(&config, "task", task->name);
            FINE(config_resolve(&config, &err));
            ck_assert_double_ge(task_chance(task, config.seq_len), 1.0 / (double)task->n_answer);
        }
    }
}

TEST(impossible_images_name_values_that_work)
{
    struct config config;
    expect_impossible("task=mnist patch=5",
                      "patch 5 does not divide the 28 px of MNIST images; patch 1, 2, 4, 7, 14 or "
                      "28 would work, or patch_pad=zero");
    expect_impossible("task=cifar10 patch=7", "patch 1, 2, 4, 8, 16 or 32 would work");
    expect_impossible("task=mnist patch=30", "patch 1, 2, 4, 7, 14 or 28 would work");
    expect_impossible("task=mnist patch=30 patch_pad=zero", "14 or 28 would work");
    expect_refused("patch", "0", "patch: expected a whole number in 1..4096, found '0'");
    expect_impossible("task=mnist image_size=30",
                      "patch 4 does not divide the 30 px of MNIST images; patch 1, 2, 3, 5, 6, 10, "
                      "15 or 30 would work");
    expect_refused("image_size", "5000", "image_size: expected a whole number in 0..4096");
    expect_impossible("task=mnist seq_len=50", "seq_len follows from the images of mnist");
    expect_impossible("task=mnist n_position=128", "n_position follows from the images of mnist");
    expect_impossible("task=mnist variant=qkv causal=1", "causal=1 hides all patches");
    expect_impossible("task=mnist n_embd=30 n_head=4", "n_embd 28 or 32, or n_head 3 or 5");
    expect_impossible("task=mnist image_size=4096",
                      "image_size 4096 in patches of 4 px makes 1048577 tokens of an image, more "
                      "than 65536; patch 32 or image_size 1020 would work");
    config = config_of("", "task=mnist image_size=4096 patch=32");
    config = config_of("", "task=mnist image_size=1020");
    ck_assert_uint_eq(config.seq_len, 65026);
    expect_impossible("task=mnist image_size=4094 patch=7 patch_pad=zero",
                      "patch 17 or image_size 1785 would work");
    expect_refused("augment", "flip", "expected one of own | none");
    config = config_of("", "task=mnist patch=7");
    ck_assert(config.seq_len == 17);
    config = config_of("", "task=mnist patch=5 patch_pad=zero");
    ck_assert_uint_eq(config.seq_len, 37);
    config = config_of("", "task=cifar10 patch=7 patch_pad=zero");
    ck_assert_uint_eq(config.seq_len, 26);
    config = config_of("", "task=mnist image_size=32");
    ck_assert(config.seq_len == 65);
    config = config_of("", "task=mnist image_size=14 patch=7");
    ck_assert(config.seq_len == 5 && images_size(&config) == 14);
    ck_assert_uint_eq(config_shape(&config).image_size, 14);
}

TEST(ids_of_images_hash_what_differs_from_their_procedure)
{
    char text[CONFIG_CANONICAL_SIZE];
    struct config config = config_of("task=cifar10", "variant=qk lr=0.01");
    config_canonical(&config, text);
    ck_assert_str_eq(text, "engine=1\ntask_version=1\nlearning_rate=0.01\ntask=cifar10\n"
                           "variant=qk\n");
    ck_assert_int_eq(strncmp(id_of("task=mnist"), "mnist-qkv-s0-", 13), 0);
    const char *const same[] = {"n_head=2",      "patch=4",      "patch_pad=zero",
                                "image_size=28", "augment=none", "epochs=20"};
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        ck_assert_str_eq(id_of("task=mnist %s", same[i]), id_of("task=mnist"));
    }
    const char *const other[] = {"task=mnist n_head=4",      "task=mnist patch=7",
                                 "task=mnist n_train=60000", "task=mnist dropout=0",
                                 "task=fashion_mnist",       "task=mnist image_size=32"};
    for (size_t i = 0; i < sizeof other / sizeof other[0]; i++) {
        ck_assert_str_ne(strrchr(id_of("%s", other[i]), '-'), strrchr(id_of("task=mnist"), '-'));
    }
    ck_assert_str_ne(id_of("task=cifar10"), id_of("task=cifar10 augment=none"));
}

TEST(json_of_images_has_what_follows)
{
    struct config config;
    config = config_of("", "task=mnist");
    json_t *json = config_json(&config);
    for (size_t i = 0; config_key_at(i); i++) {
        const struct config_key *key = config_key_at(i);
        const char *preset = config_preset(config.task, key);
        ck_assert((json_object_get(json, key->name) != NULL) == (preset != NULL));
        ck_assert(config_is_choice(preset) || json_get_integer(json, key->name, 0) == 50);
    }
    ck_assert_str_eq(json_get_text(json, "task", ""), "mnist");
    ck_assert_str_eq(json_get_text(json, "patch_pad", ""), "refuse");
    json_decref(json);
}

TEST(ids_show_task_variant_and_seed)
{
    const char *const shown[] = {"task", "variant", "seed", "causal", "n_kv_head", "score_term"};
    for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
        ck_assert_msg(config_is_in_id(shown[i]), "%s", shown[i]);
    }
    ck_assert(!config_is_in_id("n_embd"));
    ck_assert(!config_is_in_id("no such key"));
}

TEST(an_only_batch_is_never_dropped)
{
    struct config config = config_default();
    ck_assert_uint_eq(config_epoch_steps(&config, 300), 3);
    set(&config, "last_batch", "drop");
    ck_assert_uint_eq(config_epoch_steps(&config, 300), 2);
    ck_assert_uint_eq(config_epoch_steps(&config, 256), 2);
    ck_assert_uint_eq(config_epoch_steps(&config, 10), 1);
}
