#include "runner.h"

#include <stdio.h>
#include <string.h>

#include "base/sha256.h"
#include "lab/config.h"

static struct error err;

static void set(struct config *config, const char *key, const char *value)
{
    ck_assert_msg(config_set(config, key, value, &err) == STATUS_OK, "%s", err.text);
}

static void expect_refused(const char *key, const char *value, const char *words)
{
    struct config config = config_default();
    ck_assert_msg(config_set(&config, key, value, &err) == STATUS_USAGE, "%s=%s was taken", key,
                  value);
    ck_assert_msg(strstr(err.text, words) != NULL, "expected '%s' in: %s", words, err.text);
}

static void id_of(const char *task, const char *variant, char id[CONFIG_ID_SIZE])
{
    struct config config = config_default();
    set(&config, "task", task);
    set(&config, "variant", variant);
    ck_assert_msg(config_resolve(&config, &err) == STATUS_OK, "%s", err.text);
    config_id(&config, id);
}

/* ---- table ---- */

START_TEST(defaults_are_the_reproduction_procedure)
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
END_TEST

START_TEST(every_row_takes_its_preset_and_prints_it)
{
    const struct config_key *key;
    for (size_t i = 0; (key = config_key_at(i)); i++) {
        struct config config = config_default();
        char text[200];
        set(&config, key->name, key->preset);
        if (key->alias) {
            set(&config, key->alias, key->preset);
        }
        ck_assert_int_eq(config_value(&config, key->name, text, sizeof text, &err), STATUS_OK);
        ck_assert_str_eq(text, key->preset);
        ck_assert(key->help[0] != '\0' && key->accepted[0] != '\0');
    }
    ck_assert_uint_gt(config_steps(&(struct config){.epochs = 1, .n_train = 1, .batch_size = 9}),
                      0);
}
END_TEST

/* The words of "a | b" and the ends of "1..9" are what the parser takes. */
START_TEST(accepted_texts_are_accepted)
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
END_TEST

START_TEST(a_value_survives_text)
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
END_TEST

START_TEST(json_has_every_key)
{
    struct config config = config_default();
    set(&config, "variant", "qk+");
    set(&config, "lr", "0.01");
    json_t *json = config_json(&config);
    size_t n_key = 0;
    for (; config_key_at(n_key); n_key++) {
        ck_assert_ptr_nonnull(json_object_get(json, config_key_at(n_key)->name));
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
END_TEST

/* ---- refusals ---- */

START_TEST(unknown_keys_name_the_nearest)
{
    expect_refused("learing_rate", "0.1", "did you mean 'learning_rate'?");
    expect_refused("n_heads", "4", "did you mean 'n_head'?");
    expect_refused("frobnicate", "1", "there is no key 'frobnicate'; `qkvlab list keys`");
    expect_refused("", "1", "`qkvlab list keys`");
    ck_assert_ptr_null(config_key_find("epoch", &err));
    ck_assert_ptr_nonnull(strstr(err.text, "did you mean 'epochs'?"));
    ck_assert_str_eq(config_key_find("lr", &err)->name, "learning_rate");
}
END_TEST

START_TEST(bad_whole_numbers_are_refused_with_the_range)
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
        expect_refused("n_embd", bad[i], "n_embd: expected a whole number in 1..65536, found");
    }
    expect_refused("n_embd", "12x", "found '12x'");
    expect_refused("seed", "9007199254740992", "0..9007199254740991");
    expect_refused("epochs", "0", "1..1000000");
}
END_TEST

START_TEST(bad_numbers_are_refused_with_the_range)
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
END_TEST

START_TEST(bad_choices_name_the_accepted)
{
    expect_refused("attention", "all", "expected one of none | final, found 'all'");
    expect_refused("procedure", "original", "not built yet; use reproduction");
    expect_refused("procedure", "repro", "expected one of reproduction, found 'repro'");
    expect_refused("task", "revers", "did you mean 'reverse'?");
    expect_refused("task", "mnist", "copy, reverse, shift, sort, sub, swap");
    expect_refused("variant", "qkk", "variant: expected qkv");
    expect_refused("score_term", "position", "score_term: expected one of none, position2d");
    expect_refused("n_kv_head", "x", "n_kv_head: expected a whole number");
}
END_TEST

START_TEST(a_refused_value_changes_nothing)
{
    struct config config = config_default(), before = config;
    ck_assert_int_eq(config_set(&config, "n_embd", "12x", NULL), STATUS_USAGE);
    ck_assert_int_eq(config_set(&config, "variant", "x", NULL), STATUS_USAGE);
    ck_assert_int_eq(config_set(&config, "lr", "nan", NULL), STATUS_USAGE);
    ck_assert_mem_eq(&config, &before, sizeof config);
}
END_TEST

/* ---- combinations ---- */

/* settings is "key=value key=value" */
static enum status resolve(const char *settings, struct config *config)
{
    char copy[200];
    snprintf(copy, sizeof copy, "%s", settings);
    *config = config_default();
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " ")) {
        char *equals = strchr(word, '=');
        *equals = '\0';
        set(config, word, equals + 1);
    }
    return config_resolve(config, &err);
}

static void expect_impossible(const char *settings, const char *words)
{
    struct config config;
    ck_assert_msg(resolve(settings, &config) == STATUS_USAGE, "%s was taken", settings);
    ck_assert_msg(strstr(err.text, words) != NULL, "expected '%s' in: %s", words, err.text);
}

START_TEST(impossible_combinations_name_values_that_work)
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
}
END_TEST

START_TEST(the_values_named_do_work)
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
END_TEST

START_TEST(resolving_fills_the_engines_defaults_once)
{
    struct config config, again;
    ck_assert_int_eq(resolve("", &config), STATUS_OK);
    struct model_shape shape = config_shape(&config);
    ck_assert_uint_eq(config.lanes, engine_default_lanes(&shape));
    ck_assert_uint_eq(config.micro_batch, engine_default_micro_batch(&shape));
    again = config;
    ck_assert_int_eq(config_resolve(&again, &err), STATUS_OK);
    ck_assert_mem_eq(&again, &config, sizeof config);
}
END_TEST

/* ---- identity ---- */

/* Pinned: whoever adds a key or a task must not change them. */
START_TEST(ids_stay_what_they_were)
{
    char id[CONFIG_ID_SIZE];
    id_of("reverse", "qkv", id);
    ck_assert_str_eq(id, "reverse-qkv-s0-9a5b4f2c9f2f");
    id_of("sort", "qk", id);
    ck_assert_str_eq(id, "sort-qk-s0-0438aec623b0");
}
END_TEST

START_TEST(only_what_differs_is_hashed)
{
    struct config config;
    char text[2000], id[CONFIG_ID_SIZE], hex[SHA256_HEX_SIZE];
    ck_assert_int_eq(resolve("", &config), STATUS_OK);
    size_t size = config_canonical(&config, text, sizeof text);
    ck_assert_str_eq(text, "engine=1\ntask_version=1\n");
    ck_assert_uint_eq(size, strlen(text));
    sha256_hex(text, size, hex);
    config_id(&config, id);
    ck_assert(strncmp(strrchr(id, '-') + 1, hex, 12) == 0 && strlen(strrchr(id, '-')) == 13);
    ck_assert_int_eq(resolve("seed=3 variant=qk score_term=position2d lr=0.01 task=copy", &config),
                     STATUS_OK);
    config_canonical(&config, text, sizeof text);
    ck_assert_str_eq(text, "engine=1\ntask_version=1\nlearning_rate=0.01\nseed=3\ntask=copy\n"
                           "variant=qk+\n");
}
END_TEST

START_TEST(every_key_but_its_preset_changes_the_id)
{
    const char *const other[] = {
        "task=copy",     "variant=qk",       "query=identity", "score_term=relative",
        "qk_norm=1",     "causal=1",         "n_kv_head=2",    "n_embd=32",
        "n_layer=1",     "n_head=2",         "mlp_ratio=2",    "seq_len=8",
        "n_position=64", "pos_dim=8",        "batch_size=64",  "epochs=1",
        "n_train=100",   "n_test=100",       "n_probe=8",      "lr=0.01",
        "beta1=0.8",     "beta2=0.99",       "epsilon=1e-7",   "warmup=0",
        "clip=1",        "weight_decay=0.1", "seed=1",         "lanes=2",
        "micro_batch=2", "attention=none"};
    enum { N_OTHER = sizeof other / sizeof other[0] };
    static char ids[N_OTHER + 1][CONFIG_ID_SIZE];
    struct config config;
    ck_assert_int_eq(resolve("", &config), STATUS_OK);
    config_id(&config, ids[N_OTHER]);
    for (size_t i = 0; i < N_OTHER; i++) {
        ck_assert_msg(resolve(other[i], &config) == STATUS_OK, "%s: %s", other[i], err.text);
        config_id(&config, ids[i]);
    }
    for (size_t i = 0; i <= N_OTHER; i++) {
        for (size_t j = 0; j < i; j++) {
            ck_assert_msg(strcmp(ids[i], ids[j]) != 0, "%s", other[j]);
        }
    }
    size_t n_key = 0;
    while (config_key_at(n_key)) {
        n_key++;
    }
    ck_assert_uint_eq(N_OTHER, n_key - 1); /* procedure has one value */
}
END_TEST

START_TEST(defaults_spelled_out_leave_the_id_alone)
{
    char plain[CONFIG_ID_SIZE], spelled[CONFIG_ID_SIZE], settings[100];
    struct config config;
    id_of("reverse", "qkv", plain);
    for (size_t i = 0; config_key_at(i); i++) {
        snprintf(settings, sizeof settings, "%s=%s", config_key_at(i)->name,
                 config_key_at(i)->preset);
        ck_assert_int_eq(resolve(settings, &config), STATUS_OK);
        config_id(&config, spelled);
        ck_assert_str_eq(spelled, plain);
    }
    ck_assert_int_eq(resolve("", &config), STATUS_OK);
    snprintf(settings, sizeof settings, "lanes=%zu micro_batch=%zu n_kv_head=4", config.lanes,
             config.micro_batch);
    ck_assert_int_eq(resolve(settings, &config), STATUS_OK);
    config_id(&config, spelled);
    ck_assert_str_eq(spelled, plain);
}
END_TEST

START_TEST(spellings_of_a_variant_share_an_id)
{
    char id[CONFIG_ID_SIZE], other[CONFIG_ID_SIZE];
    struct config config;
    id_of("reverse", "qk+", id);
    id_of("reverse", "(Q=K-V)+", other);
    ck_assert_str_eq(id, other);
    ck_assert_int_eq(resolve("variant=qk score_term=position2d", &config), STATUS_OK);
    config_id(&config, other);
    ck_assert_str_eq(id, other);
    id_of("reverse", "kv:n_kv_head=1", id);
    ck_assert_int_eq(resolve("variant=kv n_kv_head=1", &config), STATUS_OK);
    config_id(&config, other);
    ck_assert_str_eq(id, other);
    ck_assert_int_eq(strncmp(id, "reverse-kv.n_kv_head=1-s0-", 26), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("config");
    TCase *tcase = tcase_create("config");
    tcase_add_test(tcase, defaults_are_the_reproduction_procedure);
    tcase_add_test(tcase, every_row_takes_its_preset_and_prints_it);
    tcase_add_test(tcase, accepted_texts_are_accepted);
    tcase_add_test(tcase, a_value_survives_text);
    tcase_add_test(tcase, json_has_every_key);
    tcase_add_test(tcase, unknown_keys_name_the_nearest);
    tcase_add_test(tcase, bad_whole_numbers_are_refused_with_the_range);
    tcase_add_test(tcase, bad_numbers_are_refused_with_the_range);
    tcase_add_test(tcase, bad_choices_name_the_accepted);
    tcase_add_test(tcase, a_refused_value_changes_nothing);
    tcase_add_test(tcase, impossible_combinations_name_values_that_work);
    tcase_add_test(tcase, the_values_named_do_work);
    tcase_add_test(tcase, resolving_fills_the_engines_defaults_once);
    tcase_add_test(tcase, ids_stay_what_they_were);
    tcase_add_test(tcase, only_what_differs_is_hashed);
    tcase_add_test(tcase, every_key_but_its_preset_changes_the_id);
    tcase_add_test(tcase, defaults_spelled_out_leave_the_id_alone);
    tcase_add_test(tcase, spellings_of_a_variant_share_an_id);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
