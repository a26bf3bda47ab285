#include "testing.h"

#include <stdio.h>
#include <string.h>

#include "lab/config/config.h"
#include "lab/config/config_file.h"
#include "lab/config/preset.h"

static struct error err;

/* again makes a configuration of the words alone. */
static struct config again(char **words)
{
    struct grid *grid = grid_create();
    struct config *configs, config;
    size_t n;
    for (size_t i = 0; words[i]; i++) {
        FINE(grid_set(grid, words[i], &err));
    }
    FINE(grid_expand(grid, &configs, &n, &err));
    ck_assert_uint_eq(n, 1);
    config = configs[0];
    free(configs);
    grid_free(grid);
    return config;
}

static void expect_same(const struct config *config)
{
    char **words = config_words(config);
    ck_assert_ptr_nonnull(words);
    ck_assert_int_eq(strncmp(words[0], "task=", 5), 0);
    struct config made = again(words);
    ck_assert_str_eq(config->id, made.id);
    json_t *a = config_json(config), *b = config_json(&made);
    ck_assert_msg(json_equal(a, b), "%s", config->id);
    json_decref(a);
    json_decref(b);
    config_words_free(words);
}

static void expect_all_same(const char *text)
{
    struct grid_list list = {0};
    struct config *configs;
    size_t n;
    FINE(config_file_parse(text, strlen(text), "test", &list, &err));
    FINE(grid_list_expand(&list, &configs, &n, &err));
    for (size_t i = 0; i<n; i += n> 200 ? 37 : 1) {
        expect_same(&configs[i]);
    }
    free(configs);
    grid_list_free(&list);
}

TEST(words_make_the_same_run_again)
{
    for (size_t i = 0; preset_at(i); i++) {
        expect_all_same(preset_at(i)->text);
    }
    expect_all_same("{}");
    expect_all_same("{task: cifar10, patch: 7, patch_pad: zero, augment: none, n_train: 100}");
    expect_all_same("{task: mnist, patch: 7, patch_pad: zero, lanes: 3, micro_batch: 2}");
    expect_all_same("{variant: [kv:n_kv_head=1, qk+:causal=1, 'qkv:query=identity'], lr: 3.3e-4}");
    expect_all_same("{variant: qk, score_term: relative, pos_dim: 12, seeds: 9007199254740991}");
    expect_all_same("{task: glyphs, dropout: 0.333333333333333, n_train: 0, epsilon: 1e-30}");
}

TEST(defaults_are_left_out)
{
    struct config config = config_default();
    FINE(config_set(&config, "n_embd", "32", &err));
    char **words = config_words(&config);
    ck_assert_str_eq(words[0], "task=reverse");
    ck_assert_str_eq(words[1], "n_embd=32");
    ck_assert_ptr_null(words[2]);
    config_words_free(words);
}
