/* Patches, and what must hold of a model that reads them. The numbers themselves are checked by the
 * crosscheck bundles, the gradients and the tying oracle. */
#include "testing.h"

#include "nn/activations.h"
#include "nn/fixtures.h"

/* ---- patches ---- */

static const size_t IMAGES[][4] = {/* channels, height, width, patch */
                                   {1, 1, 1, 1}, {1, 4, 4, 2},   {3, 4, 4, 4},  {2, 3, 3, 2},
                                   {1, 5, 7, 3}, {3, 10, 10, 4}, {2, 7, 2, 2},  {1, 6, 6, 1},
                                   {3, 2, 9, 4}, {2, 3, 3, 3},   {3, 32, 32, 4}};
#define N_IMAGE (sizeof(IMAGES) / sizeof(IMAGES[0]))

/* Walks the patches and asks for pixels, where patches_from_image walks the pixels. */
static void check_patches(size_t n_channel, size_t height, size_t width, size_t p)
{
    size_t down = (height + p - 1) / p, across = (width + p - 1) / p;
    size_t n_pixel = n_channel * height * width, n = down * across * n_channel * p * p, at = 0;
    float *image = malloc(n_pixel * sizeof(float)), *patches = malloc((n + 1) * sizeof(float));
    ck_assert(image && patches);
    for (size_t i = 0; i < n_pixel; i++) {
        image[i] = (float)(i + 1);
    }
    for (size_t i = 0; i <= n; i++) {
        patches[i] = -7.0f;
    }
    ck_assert_uint_eq(patches_count(height, width, p), down * across);
    patches_from_image(image, n_channel, height, width, p, patches);
    for (size_t number = 0; number < down * across; number++) {
        for (size_t c = 0; c < n_channel; c++) {
            for (size_t i = 0; i < p; i++) {
                for (size_t j = 0; j < p; j++, at++) {
                    size_t y = number / across * p + i, x = number % across * p + j;
                    bool inside = y < height && x < width;
                    float expected = inside ? image[(c * height + y) * width + x] : 0.0f;
                    ck_assert_float_eq(patches[at], expected);
                    if (inside) {
                        ck_assert_uint_eq(patches_offset(n_channel, width, p, c, y, x), at);
                    }
                }
            }
        }
    }
    ck_assert_float_eq(patches[n], -7.0f);
    free(image);
    free(patches);
}

TEST(patches_are_those_of_a_plain_loop)
{
    for (size_t i = 0; i < N_IMAGE; i++) {
        check_patches(IMAGES[i][0], IMAGES[i][1], IMAGES[i][2], IMAGES[i][3]);
    }
}

/* ---- shapes ---- */

static struct model_shape shape_of(const char *variant_text)
{
    struct variant variant = fixture_parse(variant_text);
    return fixture_patch_shape(&variant, 16, 2, 4);
}

TEST(impossible_images_are_refused)
{
    const struct {
        size_t n_channel, image_size, patch, n_token, n_position;
        const char *phrase;
    } shapes[] = {
        {0, 3, 2, 5, 5, "n_channel: expected 1 to 64, found 0"},
        {2, 0, 2, 5, 5, "image_size: expected 1 to 4096, found 0"},
        {2, 3, 0, 5, 5, "patch: expected 1 to 3, found 0"},
        {2, 3, 4, 2, 5, "patch: expected 1 to 3, found 4"},
        {2, 3, 2, 4, 5,
         "images of 3 px in patches of 2 make 5 tokens with the class token, found seq_len 4"},
        {2, 3, 2, 5, 4, "seq_len 5 is longer than the position table"},
    };
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        struct model_shape shape = shape_of("qk");
        struct error err;
        shape.n_channel = shapes[i].n_channel;
        shape.image_size = shapes[i].image_size;
        shape.patch = shapes[i].patch;
        shape.n_token = shapes[i].n_token;
        shape.n_position = shapes[i].n_position;
        ck_assert_int_eq(model_shape_check(&shape, &err), STATUS_USAGE);
        ck_assert_msg(strstr(err.text, shapes[i].phrase), "expected '%s' in: %s", shapes[i].phrase,
                      err.text);
    }
}

TEST(padding_adds_patches)
{
    const size_t cases[][3] = {{32, 4, 64}, {28, 4, 49}, {28, 5, 36}, {10, 4, 9}, {3, 3, 1}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct model_shape shape = {.image_size = cases[i][0], .patch = cases[i][1]};
        ck_assert_uint_eq(model_n_patch(&shape), cases[i][2]);
    }
}

/* The class token starts at 0, positions with a standard deviation of 0.02; only the weights of the
 * patches decay. */
TEST(tensors_of_the_input)
{
    struct model_shape shape = shape_of("qkv");
    shape.n_position = 300;
    struct model model;
    ck_assert_int_eq(model_create(&model, &shape, NULL), STATUS_OK);
    const struct tensor *weight = model_find_tensor(&model, "patch_embed.weight");
    const struct tensor *bias = model_find_tensor(&model, "patch_embed.bias");
    const struct tensor *cls = model_find_tensor(&model, "cls");
    const struct tensor *position = model_find_tensor(&model, "pos_emb");
    ck_assert(weight && bias && cls && position);
    ck_assert_ptr_null(model_find_tensor(&model, "embed.weight"));
    const size_t dim[4] = {16, 2, 2, 2};
    ck_assert_uint_eq(weight->n_dim, 4);
    ck_assert_mem_eq(weight->dim, dim, sizeof(dim));
    ck_assert_uint_eq(weight->n_element, 128);
    ck_assert_uint_eq(cls->n_element, 16);
    ck_assert(weight->decay && !bias->decay && !cls->decay && !position->decay);

    float *param = malloc(model.layout.n_param * sizeof(float));
    ck_assert_ptr_nonnull(param);
    model_initialise(&model, NUMBERS_OWN, 3, param);
    double largest = 0.0, squares = 0.0;
    for (size_t i = 0; i < weight->n_element; i++) {
        largest = fmax(largest, fabs((double)param[weight->offset + i]));
    }
    for (size_t i = 0; i < position->n_element; i++) {
        squares += pow((double)param[position->offset + i], 2.0);
    }
    for (size_t i = 0; i < cls->n_element; i++) {
        ck_assert_float_eq(param[cls->offset + i], 0.0f);
    }
    ck_assert(largest <= 1.0 / sqrt(8.0) && largest > 0.9 / sqrt(8.0));
    ck_assert_double_eq_tol(sqrt(squares / (double)position->n_element), 0.02, 0.001);
    free(param);
    model_free(&model);
}

/* ---- models ---- */

#define N_SEQUENCE 11

static struct engine *make_engine(const struct model_shape *shape, int threads)
{
    return fixture_engine(
        shape,
        &(struct engine_options){
            .lanes = 4, .micro_batch = 2, .batch_size = N_SEQUENCE, .threads = threads},
        5);
}

TEST(a_batch_of_images_is_many_batches_of_one)
{
    for (size_t v = 0; variant_named(v); v++) {
        struct model_shape shape = fixture_patch_shape(variant_named(v), 16, 2, 4);
        struct engine *engine = make_engine(&shape, 1);
        struct fixture_batch made = fixture_images_make(&shape, 2, 7);
        const struct model *model = engine_model(engine);
        float both[2 * 10];
        size_t n;
        ck_assert_uint_eq(batch_n_answer(&model->shape, &made.batch), 2);
        memcpy(both, activations_logits(engine_forward(engine, &made.batch, &n)), sizeof(both));
        ck_assert_uint_eq(n, 2);
        for (size_t s = 0; s < 2; s++) {
            struct batch one = batch_part(&model->shape, &made.batch, s, 1);
            ck_assert_uint_eq(one.first, s);
            ck_assert_int_eq(one.targets[0], made.targets[s]);
            const float *logits = activations_logits(engine_forward(engine, &one, &n));
            for (size_t c = 0; c < 10; c++) {
                ck_assert_float_eq_tol(logits[c], both[s * 10 + c], 3e-6f);
            }
        }
        fixture_batch_free(&made);
        engine_free(engine);
    }
}

/* Parts of parts count from the whole. */
TEST(a_part_knows_where_it_begins)
{
    struct model_shape shape = shape_of("qkv");
    struct model model;
    ck_assert_int_eq(model_create(&model, &shape, NULL), STATUS_OK);
    struct fixture_batch made = fixture_images_make(&shape, N_SEQUENCE, 7);
    struct batch part = batch_part(&model.shape, &made.batch, 3, 6);
    part = batch_part(&model.shape, &part, 2, 1);
    ck_assert_uint_eq(part.first, 5);
    ck_assert_uint_eq(part.n_sequence, 1);
    ck_assert_ptr_eq(part.patches, made.patches + 5 * 4 * 8);
    ck_assert_ptr_eq(part.targets, made.targets + 5);
    fixture_batch_free(&made);
    model_free(&model);
}

/* One answer an image, so both counts are the number of images whose largest logit is the label. */
TEST(evaluation_counts_images)
{
    struct model_shape shape = shape_of("kv");
    struct engine *engine = make_engine(&shape, 2);
    struct fixture_batch made = fixture_images_make(&shape, 500, 7);
    size_t n_correct = 0, n = 0;
    for (size_t done = 0; done < 500; done += n) {
        struct batch rest = batch_part(&engine_model(engine)->shape, &made.batch, done, 500 - done);
        const float *logits = activations_logits(engine_forward(engine, &rest, &n));
        for (size_t s = 0; s < n; s++) {
            size_t best = 0;
            for (size_t c = 1; c < 10; c++) {
                best = logits[s * 10 + c] > logits[s * 10 + best] ? c : best;
            }
            n_correct += best == (size_t)made.targets[done + s];
        }
    }
    struct loss_sums sums = engine_predict(engine, &made.batch, NULL);
    ck_assert_uint_gt(n_correct, 0);
    ck_assert_uint_eq(sums.n_correct_sequence, n_correct);
    ck_assert_uint_eq(sums.n_correct_token, n_correct);
    fixture_batch_free(&made);
    engine_free(engine);
}

/* How much the logits of one image change when its patches are put in reverse order. */
static double change_of_order(struct engine *engine, struct fixture_batch *made)
{
    float straight[10], swapped[8];
    size_t n;
    double largest = 0.0;
    memcpy(straight, activations_logits(engine_forward(engine, &made->batch, &n)),
           sizeof(straight));
    for (size_t i = 0; i < 2; i++) {
        memcpy(swapped, made->patches + i * 8, sizeof(swapped));
        memcpy(made->patches + i * 8, made->patches + (3 - i) * 8, sizeof(swapped));
        memcpy(made->patches + (3 - i) * 8, swapped, sizeof(swapped));
    }
    const float *logits = activations_logits(engine_forward(engine, &made->batch, &n));
    for (size_t c = 0; c < 10; c++) {
        largest = fmax(largest, fabs((double)logits[c] - (double)straight[c]));
    }
    return largest;
}

/* The class token sees a set of patches; only the table of positions tells where they are. */
TEST(without_positions_the_order_of_patches_does_not_matter)
{
    struct model_shape shape = shape_of("qkv");
    struct engine *engine = make_engine(&shape, 1);
    struct fixture_batch made = fixture_images_make(&shape, 1, 7);
    const struct tensor *position = model_find_tensor(engine_model(engine), "pos_emb");
    ck_assert_double_gt(change_of_order(engine, &made), 1e-3);
    memset(engine_param(engine) + position->offset, 0, position->n_element * sizeof(float));
    engine_weights_changed(engine);
    ck_assert_double_lt(change_of_order(engine, &made), 1e-5);
    fixture_batch_free(&made);
    engine_free(engine);
}

TEST(images_are_learned_with_the_same_bits_at_any_number_of_threads)
{
    const char *const variants[] = {"qkv", "qkv_tied+", "kv:n_kv_head=1:qk_norm=1"};
    for (size_t v = 0; v < sizeof(variants) / sizeof(variants[0]); v++) {
        struct model_shape shape = shape_of(variants[v]);
        struct fixture_batch made = fixture_images_make(&shape, N_SEQUENCE, 7);
        double share = fixture_check_threads(&shape, &made.batch, 60);
        ck_assert_msg(share < 0.2, "%s: the loss fell to %g of the first", variants[v], share);
        fixture_batch_free(&made);
    }
}
