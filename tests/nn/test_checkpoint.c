/* A training that stops, is saved and goes on in another process must end in the same bits. */
#include "testing.h"

#include <stdio.h>

#include "base/file.h"
#include "base/safetensors.h"
#include "nn/checkpoint.h"
#include "nn/fixtures.h"

#define N_TOKEN 6
#define N_SEQUENCE 9

static const struct adam_options ADAM = {.learning_rate = 1e-2,
                                         .beta1 = 0.9,
                                         .beta2 = 0.999,
                                         .epsilon = 1e-8,
                                         .clip = 5.0,
                                         .weight_decay = 0.1};

static char path[PATH_SIZE];

static void set_up(void)
{
    scratch_make();
    scratch_path(path, "checkpoint.safetensors");
}

static struct engine *engine_of(const struct model_shape *shape, uint64_t seed)
{
    return fixture_engine(shape,
                          &(struct engine_options){
                              .lanes = 4, .micro_batch = 2, .batch_size = N_SEQUENCE, .threads = 2},
                          seed);
}

static struct engine *make_engine(const char *variant_text, size_t n_embd, uint64_t seed)
{
    struct variant variant = fixture_parse(variant_text);
    struct model_shape shape = fixture_shape(&variant, n_embd, 2, 4, N_TOKEN);
    return engine_of(&shape, seed);
}

/* Steps first..end-1, each on a batch of its own. */
static void train(struct engine *engine, size_t first, size_t end)
{
    for (size_t step = first; step < end; step++) {
        const struct model_shape *shape = &engine_model(engine)->shape;
        struct fixture_batch made = fixture_batch_for(shape, N_SEQUENCE, 1000 + step);
        engine_train_step(engine, &made.batch, &ADAM);
        fixture_batch_free(&made);
    }
}

static void check_same_state(struct engine *a, struct engine *b)
{
    size_t bytes = engine_model(a)->layout.n_param * sizeof(float);
    ck_assert_uint_eq(engine_adam(a)->step, engine_adam(b)->step);
    ck_assert_mem_eq(engine_param(a), engine_param(b), bytes);
    ck_assert_mem_eq(engine_adam(a)->m, engine_adam(b)->m, bytes);
    ck_assert_mem_eq(engine_adam(a)->v, engine_adam(b)->v, bytes);
}

static void check_resumed(const struct model_shape *shape)
{
    struct engine *unbroken = engine_of(shape, 1), *stopped = engine_of(shape, 1);
    train(unbroken, 0, 7);
    train(stopped, 0, 3);
    ck_assert_int_eq(checkpoint_save(path, stopped, NULL, 0, NULL), STATUS_OK);
    engine_free(stopped);

    struct engine *resumed = engine_of(shape, 2);
    train(resumed, 20, 22);
    struct error err;
    enum status status = checkpoint_load(path, resumed, NULL, &err);
    ck_assert_msg(status == STATUS_OK, "%s", status == STATUS_OK ? "" : err.text);
    ck_assert_uint_eq(engine_adam(resumed)->step, 3);
    train(resumed, 3, 7);
    check_same_state(unbroken, resumed);
    engine_free(unbroken);
    engine_free(resumed);
}

FIXTURE(set_up, scratch_remove)

TEST(a_resumed_training_equals_an_unbroken_one)
{
    for (size_t i = 0; variant_named(i); i++) {
        struct model_shape shape = fixture_shape(variant_named(i), 16, 2, 4, N_TOKEN);
        check_resumed(&shape);
    }
}

/* The masks of step 3 come after those of step 2, whoever computed them. */
TEST(dropout_and_patches_resume_too)
{
    for (size_t i = 0; variant_sharing_row(i); i += 4) {
        struct model_shape tokens = fixture_shape(variant_sharing_row(i), 16, 2, 4, N_TOKEN);
        struct model_shape patches = fixture_patch_shape(variant_sharing_row(i), 16, 2, 4);
        check_resumed(&patches);
        tokens.dropout = patches.dropout = 0.2;
        check_resumed(&tokens);
        check_resumed(&patches);
    }
}

/* The seed of the masks is no part of a checkpoint: it is the configuration's. */
TEST(the_seed_of_dropout_matters)
{
    struct model_shape shape = fixture_shape(variant_named(0), 16, 2, 4, N_TOKEN);
    shape.dropout = 0.2;
    struct engine *unbroken = engine_of(&shape, 1), *resumed = engine_of(&shape, 1);
    train(unbroken, 0, 3);
    ck_assert_int_eq(checkpoint_save(path, unbroken, NULL, 0, NULL), STATUS_OK);
    engine_initialise(resumed, 2);
    ck_assert_int_eq(checkpoint_load(path, resumed, NULL, NULL), STATUS_OK);
    check_same_state(unbroken, resumed);
    train(unbroken, 3, 4);
    train(resumed, 3, 4);
    size_t bytes = engine_model(unbroken)->layout.n_param * sizeof(float);
    ck_assert_int_ne(memcmp(engine_param(unbroken), engine_param(resumed), bytes), 0);
    engine_free(unbroken);
    engine_free(resumed);
}

/* Weights alone are not the state: without Adam's moments the bits differ. */
TEST(the_moments_matter)
{
    struct engine *unbroken = make_engine("qk", 16, 1), *forgetful = make_engine("qk", 16, 1);
    train(unbroken, 0, 4);
    train(forgetful, 0, 3);
    size_t bytes = engine_model(unbroken)->layout.n_param * sizeof(float);
    memset(engine_adam(forgetful)->m, 0, bytes);
    train(forgetful, 3, 4);
    ck_assert_int_ne(memcmp(engine_param(unbroken), engine_param(forgetful), bytes), 0);
    engine_free(unbroken);
    engine_free(forgetful);
}

TEST(weights_are_stored_under_plain_names)
{
    struct engine *engine = make_engine("qk+", 16, 1);
    train(engine, 0, 2);
    ck_assert_int_eq(checkpoint_save(path, engine, NULL, 0, NULL), STATUS_OK);
    struct safetensors file;
    ck_assert_int_eq(safetensors_read(path, &file, NULL), STATUS_OK);
    ck_assert_str_eq(safetensors_text(&file, "step", ""), "2");
    const struct layout *layout = &engine_model(engine)->layout;
    ck_assert_uint_eq(file.n_entry, 3 * layout->n_tensor);
    const struct tensor *tensor =
        model_find_tensor(engine_model(engine), "blocks.1.attn.qk.weight");
    const struct safetensors_entry *weight = safetensors_find(&file, "blocks.1.attn.qk.weight");
    const struct safetensors_entry *v = safetensors_find(&file, "adam_v/blocks.1.attn.qk.weight");
    ck_assert(tensor && weight && v);
    ck_assert_uint_eq(weight->n_dim, 2);
    ck_assert_mem_eq(weight->data, engine_param(engine) + tensor->offset,
                     tensor->n_element * sizeof(float));
    ck_assert_mem_eq(v->data, engine_adam(engine)->v + tensor->offset,
                     tensor->n_element * sizeof(float));
    safetensors_free(&file);
    engine_free(engine);
}

TEST(patches_are_stored_as_a_convolution)
{
    struct model_shape shape = fixture_patch_shape(variant_named(0), 16, 2, 4);
    struct engine *engine = engine_of(&shape, 1);
    ck_assert_int_eq(checkpoint_save(path, engine, NULL, 0, NULL), STATUS_OK);
    struct safetensors file;
    ck_assert_int_eq(safetensors_read(path, &file, NULL), STATUS_OK);
    const struct safetensors_entry *weight = safetensors_find(&file, "patch_embed.weight");
    ck_assert_ptr_nonnull(weight);
    ck_assert_ptr_nonnull(safetensors_find(&file, "adam_m/cls"));
    ck_assert_uint_eq(weight->n_dim, 4);
    const size_t dim[4] = {16, 2, 2, 2};
    ck_assert_mem_eq(weight->dim, dim, sizeof(dim));
    ck_assert_mem_eq(weight->data, engine_param(engine) + engine_model(engine)->layout.embed_weight,
                     weight->n_element * sizeof(float));
    safetensors_free(&file);
    engine_free(engine);
}

TEST(notes_come_back)
{
    char task_key[] = "task", task[] = "reverse", text_key[] = "note", text[] = "d = 16, \"Q=K\"\n";
    struct safetensors_metadata pair[] = {{task_key, task}, {text_key, text}};
    struct safetensors read;
    struct engine *engine = make_engine("kv", 16, 1);
    ck_assert_int_eq(checkpoint_save(path, engine, pair, 2, NULL), STATUS_OK);
    ck_assert_int_eq(checkpoint_load(path, engine, &read, NULL), STATUS_OK);
    ck_assert_str_eq(safetensors_text(&read, "task", ""), "reverse");
    ck_assert_str_eq(safetensors_text(&read, "note", ""), text);
    safetensors_free(&read);

    char step_key[] = "step";
    pair[1].key = step_key;
    struct error err;
    ck_assert_int_eq(checkpoint_save(path, engine, pair, 2, &err), STATUS_USAGE);
    ck_assert_ptr_nonnull(strstr(err.text, "the note 'step'"));
    engine_free(engine);
}

/* Loads what is at path into an engine, which must refuse it and stay as it was. */
static void check_refused(const char *variant_text, size_t n_embd, const char *phrase)
{
    struct engine *engine = make_engine(variant_text, n_embd, 3);
    struct engine *untouched = make_engine(variant_text, n_embd, 3);
    struct error err;
    ck_assert_int_eq(checkpoint_load(path, engine, NULL, &err), STATUS_DATA);
    ck_assert_msg(strstr(err.text, phrase) && strstr(err.text, path),
                  "expected '%s' and the path in: %s", phrase, err.text);
    check_same_state(engine, untouched);
    engine_free(engine);
    engine_free(untouched);
}

TEST(another_model_is_refused)
{
    struct engine *engine = make_engine("qk", 16, 1);
    ck_assert_int_eq(checkpoint_save(path, engine, NULL, 0, NULL), STATUS_OK);
    engine_free(engine);
    check_refused("kv", 16, "tensor blocks.0.attn.q.weight is missing");
    check_refused("qk+", 16, "tensor blocks.0.attn.pos_w is missing");
    check_refused("qk", 8, "tensor embed.weight: expected F32 [8,10], found F32 [16,10]");

    engine = make_engine("qk+", 16, 1);
    ck_assert_int_eq(checkpoint_save(path, engine, NULL, 0, NULL), STATUS_OK);
    engine_free(engine);
    check_refused("qk", 16, "tensor blocks.0.attn.pos_w has no place in a model of variant qk");

    struct model_shape patches = fixture_patch_shape(variant_named(0), 16, 2, 4);
    engine = engine_of(&patches, 1);
    ck_assert_int_eq(checkpoint_save(path, engine, NULL, 0, NULL), STATUS_OK);
    engine_free(engine);
    check_refused("qkv", 16, "tensor embed.weight is missing");
    patches.n_channel = 1;
    struct error err;
    engine = engine_of(&patches, 1);
    ck_assert_int_eq(checkpoint_load(path, engine, NULL, &err), STATUS_DATA);
    ck_assert_ptr_nonnull(strstr(
        err.text, "tensor patch_embed.weight: expected F32 [16,1,2,2], found F32 [16,2,2,2]"));
    engine_free(engine);
}

static void write_edited(const char *key, const char *value)
{
    struct safetensors file;
    ck_assert_int_eq(safetensors_read(path, &file, NULL), STATUS_OK);
    char text[32];
    snprintf(text, sizeof(text), "%s", value);
    for (size_t i = 0; i < file.n_metadata; i++) {
        if (strcmp(file.metadata[i].key, key) == 0) {
            char *kept = file.metadata[i].value;
            file.metadata[i].value = text;
            ck_assert_int_eq(safetensors_write(path, &file, NULL), STATUS_OK);
            file.metadata[i].value = kept;
        }
    }
    safetensors_free(&file);
}

TEST(a_file_that_is_no_checkpoint_is_refused)
{
    struct engine *engine = make_engine("qk", 16, 1);
    ck_assert_int_eq(checkpoint_save(path, engine, NULL, 0, NULL), STATUS_OK);
    write_edited("step", "-4");
    check_refused("qk", 16, "step: expected a whole number, found '-4'");
    write_edited("format", "crosscheck-1");
    check_refused("qk", 16, "expected format qkvlab-checkpoint-1, found crosscheck-1");
    ck_assert_int_eq(file_write_atomic(path, "half", 4, NULL), STATUS_OK);
    check_refused("qk", 16, "checkpoint.safetensors");
    ck_assert_int_eq(remove(path), 0);
    check_refused("qk", 16, "checkpoint.safetensors");
    engine_free(engine);
}

TEST(a_folder_that_is_not_there_is_named)
{
    struct engine *engine = make_engine("qk", 16, 1);
    struct error err;
    char nowhere[sizeof(path) + 16];
    snprintf(nowhere, sizeof(nowhere), "%s/no/where", scratch);
    ck_assert_int_eq(checkpoint_save(nowhere, engine, NULL, 0, &err), STATUS_WRITE);
    ck_assert_ptr_nonnull(strstr(err.text, nowhere));
    engine_free(engine);
}
