/* fixture: run folders that no training made, so that a test knows every number in them. */
#ifndef QKVLAB_TESTS_REPORT_FIXTURE_H
#define QKVLAB_TESTS_REPORT_FIXTURE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/folder.h"
#include "base/json.h"
#include "base/npy.h"
#include "base/text.h"
#include "nn/variant.h"
#include "testing.h"

#define FAKE_HEADS 2
#define FAKE_TOKENS 4
#define FAKE_STEPS 30

struct fake_run {
    const char *task, *variant;
    int seed;
    double accuracy;
    int escape;         /* -1: never */
    const char *status; /* NULL: ok */
    const char *commit; /* NULL: "abc" */
    int n_embd;         /* 0: 8 */
    int lanes;          /* 0: 16 */
    int n_layer;        /* 0: 1 */
    int n_step;         /* 0: FAKE_STEPS */
    double needed, diagonal;
    int n_probe;           /* 0: not in the configuration */
    double clip;           /* 0: not in the configuration */
    const char *weights;   /* NULL: no hash of the final weights */
    const char *attention; /* NULL: not in the configuration */
};

static inline void fake_id(const struct fake_run *fake, char id[PATH_SIZE])
{
    snprintf(id, PATH_SIZE, "%s-%s-s%d-%04d%04d%02d%03d%03.0f%s", fake->task, fake->variant,
             fake->seed, fake->n_embd, fake->lanes, fake->n_layer, fake->n_probe, fake->clip,
             fake->commit ? fake->commit : "abc");
}

static inline json_t *fake_numbers(const struct fake_run *fake)
{
    return json_pack("{s:o, s:f, s:f, s:f}", "needed", json_number(fake->needed), "diagonal",
                     fake->diagonal, "asymmetry_product", 0.5, "asymmetry_scores", 0.25);
}

static inline json_t *fake_config(const struct fake_run *fake)
{
    json_t *config = json_pack("{s:s, s:s, s:i, s:i, s:i, s:i, s:f, s:i, s:i}", "task", fake->task,
                               "variant", fake->variant, "n_embd", fake->n_embd ? fake->n_embd : 8,
                               "n_layer", fake->n_layer ? fake->n_layer : 1, "n_head", FAKE_HEADS,
                               "seq_len", FAKE_TOKENS, "learning_rate", 0.001, "seed", fake->seed,
                               "lanes", fake->lanes ? fake->lanes : 16);
    if (fake->n_probe) {
        json_object_set_new(config, "n_probe", json_integer(fake->n_probe));
    }
    if (fake->attention) {
        json_object_set_new(config, "attention", json_string(fake->attention));
    }
    if (fake->clip > 0) {
        json_object_set_new(config, "clip", json_real(fake->clip));
    }
    return config;
}

static inline json_t *fake_json(const struct fake_run *fake)
{
    char id[PATH_SIZE];
    fake_id(fake, id);
    json_t *step = fake->escape < 0 ? json_null() : json_integer(fake->escape);
    json_t *results = json_pack("{s:o, s:f, s:f, s:O, s:O, s:o, s:i}", "token_accuracy",
                                json_number(fake->accuracy), "sequence_accuracy", 0.5, "loss", 0.25,
                                "escape_step", step, "step_below_2.2", step, "step_below_0.1",
                                json_null(), "n_step", fake->n_step ? fake->n_step : FAKE_STEPS);
    json_object_set_new(results, "final_train_loss", json_real(0.25));
    json_decref(step);
    json_t *attention =
        json_pack("{s:i, s:i, s:[o, o], s:o}", "layer", 0, "n_probe", fake->n_probe, "heads",
                  fake_numbers(fake), fake_numbers(fake), "mean", fake_numbers(fake));
    return json_pack(
        "{s:s, s:s, s:s, s:o, s:i, s:o, s:o, s:s, s:{s:s, s:s}, s:{s:s, s:s}}", "format",
        "qkvlab-run-1", "id", id, "status", fake->status ? fake->status : "ok", "config",
        fake_config(fake), "n_param", 1234, "results", results, "attention", attention,
        "weights_sha256", fake->weights ? fake->weights : "f00d", "build", "version", "0.1.0",
        "commit", fake->commit ? fake->commit : "abc", "machine", "class", "test", "cpu", "none");
}

static inline void fake_write_file(const char *folder, const char *name, const char *content)
{
    char path[PATH_SIZE];
    ck_assert_int_eq(path_format(path, NULL, "%s/%s", folder, name), STATUS_OK);
    scratch_write(path, content, strlen(content));
}

static inline void fake_write_curve(const char *folder, const struct fake_run *fake)
{
    struct text text = {0};
    text_append(&text, "step,loss,learning_rate,grad_norm\n");
    for (int step = 0; step < (fake->n_step ? fake->n_step : FAKE_STEPS); step++) {
        text_append(&text, "%d,%g,0.001,1\n", step,
                    fake->escape >= 0 && step >= fake->escape ? 0.05 : 2.3);
    }
    fake_write_file(folder, "curve.csv", text.data);
    text_free(&text);
}

/* A NumPy file: magic, version, header of 118 bytes, then the first head all 0 and the second
 * all 1.
 */
static inline void fake_write_maps(const char *folder)
{
    char path[PATH_SIZE], header[119];
    struct {
        char magic[8];
        unsigned char header_size[2];
        char header[118];
        float maps[FAKE_HEADS][FAKE_TOKENS * FAKE_TOKENS];
    } file = {.magic = "\x93NUMPY\x01", .header_size = {118, 0}};
    char description[96];
    snprintf(description, sizeof(description),
             "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d, %d), }", FAKE_HEADS,
             FAKE_TOKENS, FAKE_TOKENS);
    snprintf(header, sizeof(header), "%-117s\n", description);
    memcpy(file.header, header, sizeof(file.header));
    for (size_t i = 0; i < FAKE_TOKENS * FAKE_TOKENS; i++) {
        file.maps[1][i] = 1;
    }
    ck_assert_int_eq(path_format(path, NULL, "%s/attention/step000030", folder), STATUS_OK);
    ck_assert_int_eq(folder_create(path, NULL), STATUS_OK);
    static const char *const name[] = {"layer0", "sample0_layer0"};
    for (size_t i = 0; i < 2; i++) {
        path_format(path, NULL, "%s/attention/step000030/%s.npy", folder, name[i]);
        scratch_write(path, &file, sizeof(file));
    }
}

/* fake_folder writes the path of a fake run's folder. */
static inline void fake_folder(const char *out, const struct fake_run *fake, char path[PATH_SIZE])
{
    char id[PATH_SIZE];
    fake_id(fake, id);
    ck_assert_int_eq(path_format(path, NULL, "%s/runs/%s", out, id), STATUS_OK);
}

/* fake_write writes a whole run folder with curve and maps. */
static inline void fake_write(const char *out, const struct fake_run *fake)
{
    char folder[PATH_SIZE], path[PATH_SIZE];
    fake_folder(out, fake, folder);
    ck_assert_int_eq(folder_create(folder, NULL), STATUS_OK);
    fake_write_curve(folder, fake);
    fake_write_maps(folder);
    json_t *root = fake_json(fake);
    ck_assert_ptr_nonnull(root);
    path_format(path, NULL, "%s/run.json", folder);
    ck_assert_int_eq(json_dump_file(root, path, 0), 0);
    json_decref(root);
}

#endif
