
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/folder.h"
#include "config_fixture.h"
#include "lab/record/record.h"
#include "lab/sweep/sweep.h"
#include "testing.h"

static struct config *configs;
static size_t n_config;

/* make_grid expands a small model over the given settings ("key=a,b key=c"). */
static void make_grid(const char *settings)
{
    grid_of("n_embd=16 n_layer=1 n_head=2 seq_len=4 n_position=4 n_train=100 n_test=20 "
            "batch_size=32 n_probe=3 warmup=0",
            settings, &configs, &n_config);
}

static void make_image_grid(void)
{
    grid_of("task=mnist", "", &configs, &n_config);
}

static void set_up(void)
{
    scratch_make();
    configs = NULL;
    err = (struct error){0};
}

static void tear_down(void)
{
    free(configs);
    scratch_remove();
}

struct watch {
    size_t n_begin, n_end;
    size_t n_stop, stop_at;
    enum run_state state[16];
    char message[1024];
};

static void begin(void *context, size_t index)
{
    struct watch *watch = context;
    ck_assert_uint_eq(index, watch->n_begin++);
}

static void end(void *context, size_t index, enum run_state state,
                const struct run_outcome *outcome, const struct error *failure)
{
    struct watch *watch = context;
    (void)outcome;
    ck_assert_uint_eq(index, watch->n_end++);
    watch->state[index] = state;
    snprintf(watch->message, sizeof watch->message, "%s", failure->text);
}

static int stop(void *context)
{
    struct watch *watch = context;
    return ++watch->n_stop == watch->stop_at ? 2 : 0;
}

static enum status sweep(const struct sweep_options *options, struct watch *watch,
                         struct sweep_totals *totals)
{
    struct sweep_hooks hooks = {
        .train = {.context = watch, .stop = stop}, .begin = begin, .end = end};
    return sweep_run(configs, n_config, options, &hooks, totals, &err);
}

FIXTURE(set_up, tear_down)

TEST(finished_runs_are_skipped_and_left_alone)
{
    struct sweep_options options = {.out = scratch, .threads = 1};
    struct sweep_totals totals;
    struct watch watch = {0};
    make_grid("variant=qkv,qk seed=0,1");
    ck_assert_msg(sweep(&options, &watch, &totals) == STATUS_OK, "%s", err.text);
    ck_assert_uint_eq(totals.done, 4);
    ck_assert_uint_eq(watch.n_end, 4);
    char id[CONFIG_ID_SIZE], path[PATH_SIZE];
    memcpy(id, configs[2].id, CONFIG_ID_SIZE);
    ck_assert_int_eq(path_format(path, NULL, "%s/runs/%s/run.json", scratch, id), STATUS_OK);
    char *before = scratch_read(path);
    watch = (struct watch){0};
    make_grid("variant=qkv,qk,kv seed=0,1");
    ck_assert_int_eq(sweep(&options, &watch, &totals), STATUS_OK);
    ck_assert_uint_eq(totals.skipped, 4);
    ck_assert_uint_eq(totals.done, 2);
    ck_assert_int_eq(watch.state[0], RUN_SKIPPED);
    ck_assert_int_eq(watch.state[5], RUN_DONE);
    char *after = scratch_read(path);
    ck_assert_str_eq(before, after);
    free(before);
    free(after);
}

TEST(no_runs_are_no_error)
{
    struct sweep_options options = {.out = scratch};
    struct sweep_totals totals;
    struct watch watch = {0};
    ck_assert_int_eq(sweep_run(NULL, 0, &options,
                               &(struct sweep_hooks){.train.context = &watch, .begin = begin},
                               &totals, &err),
                     STATUS_OK);
    ck_assert_uint_eq(watch.n_begin, 0);
}

TEST(a_diverged_run_does_not_stop_the_others)
{
    struct sweep_options options = {.out = scratch, .threads = 1};
    struct sweep_totals totals;
    struct watch watch = {0};
    make_grid("lr=1e6,0.001");
    ck_assert_int_eq(sweep(&options, &watch, &totals), STATUS_FAILED);
    ck_assert_ptr_nonnull(strstr(err.text, "1 of 2 runs diverged"));
    ck_assert_int_eq(watch.state[0], RUN_DIVERGED);
    ck_assert_int_eq(watch.state[1], RUN_DONE);
    ck_assert_uint_eq(totals.diverged_before, 0);
    ck_assert_int_eq(sweep(&options, &(struct watch){0}, &totals), STATUS_FAILED);
    ck_assert_ptr_nonnull(strstr(err.text, "1 of 2 runs diverged"));
    ck_assert_uint_eq(totals.skipped, 2); /* it is recorded */
    ck_assert_uint_eq(totals.diverged_before, 1);
}

TEST(a_run_somebody_else_makes_is_left_to_them)
{
    struct sweep_options options = {.out = scratch, .threads = 1};
    struct sweep_totals totals;
    struct watch watch = {0};
    make_grid("seed=0,1");
    char id[CONFIG_ID_SIZE];
    memcpy(id, configs[0].id, CONFIG_ID_SIZE);
    struct record *record;
    bool claimed;
    ck_assert_int_eq(record_claim(scratch, id, &record, &claimed, &err), STATUS_OK);
    ck_assert_int_eq(sweep(&options, &watch, &totals), STATUS_OK);
    ck_assert_int_eq(watch.state[0], RUN_BUSY);
    ck_assert_int_eq(watch.state[1], RUN_DONE);
    ck_assert_uint_eq(totals.busy, 1);
    record_abandon(record);
}

TEST(a_failed_run_does_not_stop_the_others)
{
    struct sweep_options options = {.out = scratch, .threads = 1}; /* there are no data */
    struct sweep_totals totals;
    struct watch watch = {0};
    char id[CONFIG_ID_SIZE];
    make_grid("");
    struct config task = configs[0], both[2];
    make_image_grid();
    both[0] = configs[0];
    both[1] = task;
    memcpy(id, both[0].id, CONFIG_ID_SIZE);
    struct sweep_hooks hooks = {.train = {.context = &watch}, .begin = begin, .end = end};
    ck_assert_int_eq(sweep_run(both, 2, &options, &hooks, &totals, &err), STATUS_DATA);
    ck_assert_int_eq(watch.state[0], RUN_FAILED);
    ck_assert_int_eq(watch.state[1], RUN_DONE);
    ck_assert(strncmp(err.text, id, strlen(id)) == 0); /* says which */
    ck_assert_ptr_nonnull(strstr(err.text, "MNIST was not found"));
    ck_assert_str_eq(watch.message, ""); /* of the run that was fine */
}

TEST(what_cannot_be_written_stops_the_sweep)
{
    struct sweep_options options = {.out = scratch, .threads = 1};
    struct sweep_totals totals;
    struct watch watch = {0};
    make_grid("seed=0-2");
    char id[CONFIG_ID_SIZE], path[PATH_SIZE];
    memcpy(id, configs[1].id, CONFIG_ID_SIZE);
    ck_assert_int_eq(path_format(path, NULL, "%s/runs", scratch), STATUS_OK);
    ck_assert_int_eq(folder_create(path, NULL), STATUS_OK);
    ck_assert_int_eq(path_format(path, NULL, "%s/runs/%s.partial", scratch, id), STATUS_OK);
    ck_assert_int_eq(file_write_atomic(path, "", 0, NULL), STATUS_OK);
    ck_assert_int_eq(sweep(&options, &watch, &totals), STATUS_WRITE);
    ck_assert_uint_eq(watch.n_begin, 2); /* the third was not tried */
    ck_assert_int_eq(watch.state[0], RUN_DONE);
    ck_assert_int_eq(watch.state[1], RUN_FAILED);
    ck_assert(strncmp(err.text, id, strlen(id)) == 0);
    ck_assert_ptr_nonnull(strstr(err.text, ".partial"));
}

TEST(a_stopped_sweep_goes_on_where_it_was)
{
    struct sweep_options options = {.out = scratch, .threads = 1};
    struct sweep_totals totals;
    struct watch watch = {.stop_at = 15}; /* in the second run */
    make_grid("seed=0-2");
    ck_assert_int_eq(sweep(&options, &watch, &totals), STATUS_INTERRUPTED);
    ck_assert_ptr_nonnull(strstr(err.text, "stopped by signal 2"));
    ck_assert_uint_eq(totals.done, 1);
    ck_assert_int_eq(sweep(&options, &(struct watch){0}, &totals), STATUS_OK);
    ck_assert_uint_eq(totals.skipped, 1);
    ck_assert_uint_eq(totals.done, 2);
}

static void read_bits(const char *out, size_t i, char **curve, json_t **run)
{
    char id[CONFIG_ID_SIZE], path[PATH_SIZE];
    memcpy(id, configs[i].id, CONFIG_ID_SIZE);
    ck_assert_int_eq(path_format(path, NULL, "%s/runs/%s/curve.csv", out, id), STATUS_OK);
    *curve = scratch_read(path);
    ck_assert_int_eq(path_format(path, NULL, "%s/runs/%s/run.json", out, id), STATUS_OK);
    ck_assert_int_eq(json_read(path, run, &err), STATUS_OK);
}

TEST(alone_and_inside_a_sweep_the_bits_are_the_same)
{
    char alone[PATH_SIZE], *curve[2];
    json_t *run[2];
    struct sweep_totals totals;
    ck_assert_int_eq(path_format(alone, NULL, "%s/alone", scratch), STATUS_OK);
    make_grid("variant=qkv,qk+,qkv_tied");
    struct sweep_options options = {.out = scratch, .threads = 2};
    ck_assert_int_eq(sweep_run(configs, n_config, &options, NULL, &totals, &err), STATUS_OK);
    options = (struct sweep_options){.out = alone, .threads = 1};
    ck_assert_int_eq(sweep_run(configs + 2, 1, &options, NULL, &totals, &err), STATUS_OK);
    read_bits(scratch, 2, &curve[0], &run[0]);
    read_bits(alone, 2, &curve[1], &run[1]);
    ck_assert_str_eq(curve[0], curve[1]);
    ck_assert_str_eq(json_get_text(run[0], "weights_sha256", "a"),
                     json_get_text(run[1], "weights_sha256", "b"));
    for (size_t i = 0; i < 2; i++) {
        free(curve[i]);
        json_decref(run[i]);
    }
}
