/* train_fixture: runs in folders below the scratch folder, and what they left there. */
#ifndef QKVLAB_TESTS_TRAIN_FIXTURE_H
#define QKVLAB_TESTS_TRAIN_FIXTURE_H

#include <math.h>
#include <stdarg.h>

#include "base/file.h"
#include "base/npy.h"
#include "config_fixture.h"
#include "data_fixture.h"
#include "lab/training/train.h"
#include "testing.h"

static const char *root[] = {scratch};
static const struct dataset_options data = {.root = root, .n_root = 1};

static enum status run(const struct config *config, int threads, const char *out,
                       const struct train_hooks *hooks, struct run_outcome *outcome)
{
    char path[PATH_SIZE];
    struct record *record;
    bool claimed;
    scratch_path(path, out);
    FINE(record_claim(path, config->id, &record, &claimed, &err));
    ck_assert(claimed);
    return train_run(config, &data, threads, record, hooks, outcome, &err);
}

static struct run_outcome run_fine(const struct config *config, int threads, const char *out)
{
    struct run_outcome outcome;
    FINE(run(config, threads, out, NULL, &outcome));
    return outcome;
}

/* file_of writes the path of a file of a finished run. */
static void file_of(const struct config *config, const char *out, const char *name,
                    char path[PATH_SIZE])
{
    ck_assert_int_eq(path_format(path, NULL, "%s/%s/runs/%s/%s", scratch, out, config->id, name),
                     STATUS_OK);
}

static bool has_file(const struct config *config, const char *out, const char *name)
{
    char path[PATH_SIZE];
    file_of(config, out, name, path);
    return file_exists(path);
}

/* Every run.json that a test read, until it ends: FIXTURE(scratch_make, forget_runs). */
static json_t *runs_read;

static void forget_runs(void)
{
    json_decref(runs_read);
    runs_read = NULL;
    scratch_remove();
}

static const json_t *read_run(const struct config *config, const char *out)
{
    char path[PATH_SIZE];
    json_t *found;
    file_of(config, out, "run.json", path);
    FINE(json_read(path, &found, &err));
    runs_read = runs_read ? runs_read : json_array();
    json_array_append_new(runs_read, found);
    return found;
}

static const char *weights_of(const json_t *run_json)
{
    const char *hash = json_get_text(run_json, "weights_sha256", "");
    ck_assert_uint_eq(strlen(hash), 64);
    return hash;
}

static char *read_table(const struct config *config, const char *out, const char *name)
{
    char path[PATH_SIZE];
    file_of(config, out, name, path);
    return scratch_read(path);
}

/* expect_equal compares what is the same in runs of the same bits. Lists end at NULL. */
static void expect_equal(const struct config *a, const char *out_a, const struct config *b,
                         const char *out_b, const char *const *section, const char *const *table)
{
    const json_t *run_a = read_run(a, out_a), *run_b = read_run(b, out_b);
    ck_assert_str_eq(weights_of(run_a), weights_of(run_b));
    for (; *section; section++) {
        ck_assert(json_equal(json_object_get(run_a, *section), json_object_get(run_b, *section)));
    }
    for (; *table; table++) {
        char *text_a = read_table(a, out_a, *table), *text_b = read_table(b, out_b, *table);
        ck_assert_str_eq(text_a, text_b);
        free(text_a);
        free(text_b);
    }
}

/* expect_threads_change_nothing trains with one thread and with several others. */
static void expect_threads_change_nothing(const struct config *config, const char *const *section,
                                          const char *const *table)
{
    static const int threads[] = {2, 3, 7};
    run_fine(config, 1, "t1");
    for (size_t k = 0; k < sizeof threads / sizeof threads[0]; k++) {
        char out[16];
        snprintf(out, sizeof out, "t%d", threads[k]);
        run_fine(config, threads[k], out);
        expect_equal(config, "t1", config, out, section, table);
    }
}

/* read_maps reads an array of n_map attention maps [n_token,n_token] of a finished run, and checks
 * that the shares of every query add up to 1. Caller frees. */
static __attribute__((format(printf, 5, 6))) float *read_maps(const struct config *config,
                                                              const char *out, size_t n_map,
                                                              size_t n_token, const char *format,
                                                              ...)
{
    char name[100], path[PATH_SIZE];
    float *map;
    size_t dim[NPY_MAX_DIM], n_dim, n = 1;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    file_of(config, out, name, path);
    FINE(npy_read(path, &map, dim, &n_dim, &err));
    for (size_t i = 0; i + 2 < n_dim; i++) {
        n *= dim[i];
    }
    ck_assert(n == n_map && dim[n_dim - 3] == config->n_head && dim[n_dim - 2] == n_token &&
              dim[n_dim - 1] == n_token);
    for (size_t row = 0; row < n_map * n_token; row++) {
        double sum = 0;
        for (size_t i = 0; i < n_token; i++) {
            sum += map[row * n_token + i];
        }
        ck_assert_double_eq_tol(sum, 1, 1e-5);
    }
    return map;
}

#endif
