#include "testing.h"

#include <stdio.h>
#include <string.h>

#include "lab/config/config.h"
#include "lab/config/grid.h"

static struct grid *grid;
static struct config *configs;
static size_t n_config;
static struct error err;

static void set_up(void)
{
    grid = grid_create();
    configs = NULL;
    err = (struct error){0};
}

static void tear_down(void)
{
    grid_free(grid);
    free(configs);
}

static void set(const char *assignment)
{
    FINE(grid_set(grid, assignment, &err));
}

static void expand(void)
{
    FINE(grid_expand(grid, &configs, &n_config, &err));
}

static void expect_said(const char *words)
{
    ck_assert_msg(strstr(err.text, words) != NULL, "expected '%s' in: %s", words, err.text);
}

static void expect_set_refused(const char *assignment, const char *words)
{
    ck_assert_msg(grid_set(grid, assignment, &err) == STATUS_USAGE, "%s was taken", assignment);
    expect_said(words);
}

static void expect_seeds_refused(const char *seeds, const char *words)
{
    ck_assert_msg(grid_seeds(grid, seeds, &err) == STATUS_USAGE, "%s was taken", seeds);
    expect_said(words);
}

static void expect_expand_refused(const char *words)
{
    ck_assert_int_eq(grid_expand(grid, &configs, &n_config, &err), STATUS_USAGE);
    ck_assert_ptr_null(configs);
    expect_said(words);
}

FIXTURE(set_up, tear_down)

TEST(an_empty_grid_is_the_default_run)
{
    expand();
    ck_assert_uint_eq(n_config, 1);
    ck_assert_uint_eq(configs[0].seed, 0);
    ck_assert_uint_gt(configs[0].lanes, 0); /* resolved */
}

TEST(keys_turn_in_the_order_they_were_set_seeds_fastest)
{
    FINE(grid_seeds(grid, "0,2", &err));
    set("variant=qkv,qk");
    set("task=sub,copy");
    expand();
    ck_assert_uint_eq(n_config, 8);
    const char *const variant[] = {"qkv", "qkv", "qkv", "qkv", "qk", "qk", "qk", "qk"};
    const char *const task[] = {"sub", "sub", "copy", "copy", "sub", "sub", "copy", "copy"};
    for (size_t i = 0; i < 8; i++) {
        ck_assert_str_eq(configs[i].variant.sharing, variant[i]);
        ck_assert_str_eq(configs[i].task->name, task[i]);
        ck_assert_uint_eq(configs[i].seed, i % 2 == 0 ? 0 : 2);
    }
}

TEST(seeds_are_always_a_list)
{
    FINE(grid_seeds(grid, "3", &err));
    expand();
    ck_assert_uint_eq(n_config, 1);
    ck_assert_uint_eq(configs[0].seed, 3);
}

TEST(seed_ranges)
{
    FINE(grid_seeds(grid, "0-2,7,9-9", &err));
    expand();
    const uint64_t seeds[] = {0, 1, 2, 7, 9};
    ck_assert_uint_eq(n_config, 5);
    for (size_t i = 0; i < 5; i++) {
        ck_assert_uint_eq(configs[i].seed, seeds[i]);
    }
}

TEST(seed_is_a_key_too)
{
    set("seed=4,5");
    expect_seeds_refused("1", "seeds are set twice");
    expand();
    ck_assert_uint_eq(n_config, 2);
    ck_assert_uint_eq(configs[1].seed, 5);
}

TEST(bad_seeds)
{
    const char *const bad[] = {"",
                               "a",
                               "1,",
                               ",1",
                               "1-",
                               "-1",
                               "1--2",
                               "1-2-3",
                               "1 2",
                               "1.5",
                               "99999999999999999999",
                               "9007199254740992"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        expect_seeds_refused(bad[i], "expected a list such as 0 or 0,1,2 or 0-5");
    }
    expect_seeds_refused("5-3", "the range 5-3 runs backwards; write 3-5");
    expect_seeds_refused("0-100000", "more than 100000");
    expect_seeds_refused("0-9007199254740991", "more than 100000");
    expect_seeds_refused("1,0-1", "seeds: 1 is in the list twice");
    expect_seeds_refused("0,0", "seeds: 0 is in the list twice");
    expect_seeds_refused("00-09", "a number begins with 0 in '00-09'");
    expand(); /* none of them has left a trace */
    ck_assert_uint_eq(n_config, 1);
}

TEST(bad_assignments)
{
    expect_set_refused("n_embd", "expected key=value, found 'n_embd'");
    expect_set_refused("=3", "expected key=value, found '=3'");
    expect_set_refused("learing_rate=0.1", "did you mean 'learning_rate'?");
    expect_set_refused("n_embd=32,12x", "found '12x'");
    expect_set_refused("n_embd=32,,64", "n_embd: value 2 of the list is empty");
    expect_set_refused("n_embd=", "n_embd: value 1 of the list is empty");
    expect_set_refused("n_embd=32,", "n_embd: value 2 of the list is empty");
    expand(); /* none of them has left a trace */
    ck_assert_uint_eq(n_config, 1);
    ck_assert_uint_eq(configs[0].n_embd, 64);
}

TEST(a_key_set_twice_is_refused)
{
    set("lr=0.1");
    expect_set_refused("learning_rate=0.2", "learning_rate is set twice");
    expect_said("learning_rate=0.1,0.2");
}

TEST(values_with_equals_signs)
{
    set("variant=Q-K=V,kv:n_kv_head=1");
    expand();
    ck_assert_str_eq(configs[0].variant.sharing, "kv");
    ck_assert_uint_eq(configs[1].variant.n_kv_head, 1);
}

TEST(axes_and_variant_in_any_order)
{
    char id[CONFIG_ID_SIZE], other[CONFIG_ID_SIZE];
    set("score_term=position2d");
    set("variant=qk");
    expand();
    memcpy(id, configs[0].id, CONFIG_ID_SIZE);
    struct config config = config_default();
    config_set(&config, "variant", "qk+", NULL);
    FINE(config_resolve(&config, &err));
    memcpy(other, config.id, CONFIG_ID_SIZE);
    ck_assert_str_eq(id, other);
}

TEST(an_axis_may_repeat_the_variant_but_not_contradict_it)
{
    set("variant=qk+");
    set("score_term=position2d");
    expand();
    ck_assert_uint_eq(n_config, 1);
    free(configs);
    configs = NULL;
    grid_free(grid);
    grid = grid_create();
    set("variant=qk+");
    set("score_term=none");
    expect_expand_refused("variant qk+ already says score_term=position2d, and score_term=none");
}

TEST(an_impossible_cell_is_named_before_anything_runs)
{
    set("task=reverse,swap");
    set("seq_len=16,15");
    expect_expand_refused("cell task=swap seq_len=15 seed=0: swap needs two halves");
}

TEST(the_same_run_twice_is_refused)
{
    set("variant=qk,Q=K-V");
    expect_expand_refused("the cells variant=qk seed=0 and variant=Q=K-V seed=0 are the same run");
}

TEST(too_many_cells)
{
    FINE(grid_seeds(grid, "0-50000", &err));
    set("n_layer=1,2");
    expect_expand_refused("more than 100000 runs");
}
