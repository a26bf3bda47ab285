/* numbers=pytorch: the published runs, number by number. */
#include "config_fixture.h"
#include "lab/kind/sequences/sequences.h"
#include "lab/training/source.h"
#include "lab/training/train.h"
#include "testing.h"

FIXTURE(scratch_make, scratch_remove)

/* By another program that has the Mersenne Twister of Python's library. */
TEST(sequences_and_orders_of_a_seed)
{
    static const int32_t train[] = {6, 8, 7, 7, 0, 0, 0, 5, 1, 9, 4, 1, 5, 9, 6, 9, 5, 4, 0, 4};
    static const int32_t test[] = {6, 9, 1, 6, 2, 8, 7, 4, 4, 0};
    static const size_t order[2][4] = {{2, 0, 1, 3}, {1, 0, 2, 3}};
    struct config config = config_of("n_embd=8 n_head=2 task=copy seq_len=5 n_train=4 n_test=2",
                                     "batch_size=4 numbers=pytorch seed=3");
    struct source *source;
    ck_assert_msg(source_create(&source, &config, NULL, 1, &err) == STATUS_OK, "%s", err.text);
    struct batch batch = source_test_slice(source, 0);
    ck_assert_mem_eq(batch.ids, test, sizeof test);
    ck_assert_mem_eq(batch.targets, test, sizeof test);
    for (size_t i = 0; i < 3; i++) { /* an epoch's order does not depend on what was asked before */
        size_t epoch = i % 2;
        source_begin_epoch(source, epoch);
        batch = source_train_batch(source, 0);
        for (size_t k = 0; k < 4; k++) {
            ck_assert_mem_eq(batch.ids + 5 * k, train + 5 * order[epoch][k], 5 * sizeof *train);
        }
    }
    source_free(source);
}

/* 5,452 of 32,000 tokens: 0.1704 in the authors' table of runs. */
TEST(a_published_run_ends_where_it_did)
{
    struct config config =
        config_of("task=reverse variant=qkv_tied n_embd=32 n_head=2", "numbers=pytorch");
    struct run_outcome outcome;
    struct record *record;
    bool claimed;
    ck_assert_msg(record_claim(scratch, config.id, &record, &claimed, &err) == STATUS_OK &&
                      train_run(&config, NULL, 2, record, NULL, &outcome, &err) == STATUS_OK,
                  "%s", err.text);
    ck_assert_double_eq_tol(outcome.accuracy, 5452.0 / 32000, 1e-12);
}

static void refuse(const char *settings, const char *words)
{
    struct config config;
    ck_assert_int_eq(config_try("numbers=pytorch", settings, &config), STATUS_USAGE);
    ck_assert_msg(strstr(err.text, words), "'%s' lacks '%s'", err.text, words);
}

TEST(elsewhere_they_are_refused)
{
    refuse("task=shift", "nobody published runs on shift");
    refuse("task=copy variant=qv", "nobody published runs of qv");
    refuse("task=copy variant=qk+:causal=1", "nobody published runs of qk+:causal=1");
    refuse("task=mnist", "not on images");
    refuse("task=copy seed=4294967296", "one up to 4294967295");
}

/* Ids of runs with our own numbers are those of before the key. */
TEST(the_default_is_our_own)
{
    struct config bare = config_of("", ""), own = config_of("", "numbers=own");
    ck_assert_str_eq(bare.id, own.id);
    own = config_of("", "numbers=pytorch");
    ck_assert_str_ne(bare.id, own.id);
}

/* Of 10^4 sequences that there are, 10,000 drawn ones hold 1 - (1 - 1e-4)^10000 = 63.2 %. */
TEST(test_sequences_of_the_training_set_are_counted)
{
    struct config config = config_of("task=reverse seq_len=4", "seed=1");
    size_t n_seen;
    ck_assert_int_eq(sequences_seen(&config, &n_seen, &err), STATUS_OK);
    ck_assert(n_seen > 2000 * 0.59 && n_seen < 2000 * 0.67);
    config = config_of("task=reverse seq_len=4 numbers=pytorch", "seed=1");
    ck_assert_int_eq(sequences_seen(&config, &n_seen, &err), STATUS_OK);
    ck_assert(n_seen > 2000 * 0.59 && n_seen < 2000 * 0.67);
    config = config_of("task=reverse seq_len=1", "n_test=50");
    ck_assert_int_eq(sequences_seen(&config, &n_seen, &err), STATUS_OK);
    ck_assert_uint_eq(n_seen, 50);
    config = config_of("task=reverse seq_len=16", "");
    ck_assert_int_eq(sequences_seen(&config, &n_seen, &err), STATUS_OK);
    ck_assert_uint_eq(n_seen, 0);
}
