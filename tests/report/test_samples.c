/* What a run kept of single images: rollout, reading, and the pictures made of it. */
#include "base/file.h"
#include "base/folder.h"
#include "fixture.h"
#include "picture.h"
#include "report/content/image_sheets.h"
#include "report/content/run_sheets.h"
#include "report/images/samples.h"
#include "report/report.h"
#include "report/write/draw_sheet.h"
#include "testing.h"

static struct error err;

/* ---- rollout ---- */

/* The definition, matrix by matrix: product over layers of (mean of heads + I) / 2. */
static void naive_rollout(const double *maps, size_t n_layer, size_t n_head, size_t n,
                          double *result)
{
    double product[9], next[9], mixed[9];
    for (size_t i = 0; i < n * n; i++) {
        product[i] = i / n == i % n;
    }
    for (size_t l = 0; l < n_layer; l++) {
        for (size_t i = 0; i < n * n; i++) {
            double sum = 0;
            for (size_t h = 0; h < n_head; h++) {
                sum += maps[(l * n_head + h) * n * n + i];
            }
            mixed[i] = 0.5 * sum / (double)n_head + 0.5 * (i / n == i % n);
        }
        for (size_t row = 0; row < n; row++) {
            for (size_t column = 0; column < n; column++) {
                next[row * n + column] = 0;
                for (size_t k = 0; k < n; k++) {
                    next[row * n + column] += mixed[row * n + k] * product[k * n + column];
                }
            }
        }
        memcpy(product, next, sizeof product);
    }
    memcpy(result, product, n * n * sizeof *result);
}

TEST(rollout_by_hand)
{
    /* layer 0: token 0 looks at 1 alone, 1 at itself; layer 1: token 0 looks at both alike */
    const float first[] = {0, 1, 0, 1}, second[] = {0.5f, 0.5f, 1, 0};
    const float *layer[] = {first, second};
    double row[2], space[2];
    rollout_row(layer, 1, 1, 2, 0, row, space);
    ck_assert(row[0] == 0.5 && row[1] == 0.5);
    /* second: (0.75, 0.25); first: (0.5, 0.5), (0, 1): 0.75 (0.5, 0.5) + 0.25 (0, 1) */
    rollout_row(layer, 2, 1, 2, 0, row, space);
    ck_assert(row[0] == 0.375 && row[1] == 0.625);
    /* token 1 of second: (0.5, 0.5) */
    rollout_row(layer, 2, 1, 2, 1, row, space);
    ck_assert(row[0] == 0.25 && row[1] == 0.75);
}

/* Pictures draw a rollout in multiples of this, so it must be what uniform layers really give. */
TEST(rollout_of_uniform_attention)
{
    const float map[] = {0.25f, 0.25f, 0.25f, 0.25f, 0.25f, 0.25f, 0.25f, 0.25f,
                         0.25f, 0.25f, 0.25f, 0.25f, 0.25f, 0.25f, 0.25f, 0.25f};
    const float *layer[] = {map, map, map};
    double row[4], space[4];
    ck_assert_double_eq_tol(rollout_uniform(1, 4), 0.125, 1e-15);
    for (size_t n_layer = 1; n_layer <= 3; n_layer++) {
        double uniform = rollout_uniform(n_layer, 4);
        rollout_row(layer, n_layer, 1, 4, 0, row, space);
        for (size_t i = 1; i < 4; i++) {
            ck_assert_double_eq_tol(row[i], uniform, 1e-15);
        }
        ck_assert_double_eq_tol(row[0], 1 - 3 * uniform, 1e-15);
    }
}

TEST(rollout_is_the_product_of_matrices)
{
    static const double maps[3 * 2 * 9] = {
        0.7, 0.2, 0.1, 0.1, 0.1, 0.8, 0.3, 0.3, 0.4, 0.2, 0.5, 0.3, 0.0, 1.0, 0.0, 0.6, 0.1, 0.3,
        0.1, 0.8, 0.1, 0.4, 0.4, 0.2, 0.5, 0.0, 0.5, 0.9, 0.0, 0.1, 0.2, 0.2, 0.6, 0.1, 0.7, 0.2,
        0.3, 0.3, 0.4, 0.8, 0.1, 0.1, 0.0, 0.2, 0.8, 0.6, 0.4, 0.0, 0.1, 0.3, 0.6, 0.2, 0.2, 0.6};
    float single[3 * 2 * 9];
    const float *layer[] = {single, single + 18, single + 36};
    double expected[9], row[3], space[3];
    for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++) {
        single[i] = (float)maps[i];
    }
    for (size_t n_layer = 1; n_layer <= 3; n_layer++) {
        naive_rollout(maps, n_layer, 2, 3, expected);
        for (size_t token = 0; token < 3; token++) {
            double sum = 0;
            rollout_row(layer, n_layer, 2, 3, token, row, space);
            for (size_t i = 0; i < 3; i++) {
                ck_assert_double_eq_tol(row[i], expected[token * 3 + i], 1e-7);
                sum += row[i];
            }
            ck_assert_double_eq_tol(sum, 1, 1e-6);
        }
    }
}

/* ---- a fake run: two images of 28 x 28 px in patches of 14, so five tokens ---- */

#define N_LAYER 2
#define N_HEAD 2
#define N_TOKEN 5
#define N_SAMPLE 2
#define SIDE 28

struct fake {
    const char *variant;
    int seed, patch;
    uint8_t shade; /* of the images */
    size_t side;   /* of the images; 0: SIDE */
};

static void fake_path(const struct fake *fake, const char *name, char path[PATH_SIZE])
{
    ck_assert_int_eq(path_format(path, NULL, "%s/runs/mnist-%s-s%d/%s", scratch, fake->variant,
                                 fake->seed, name),
                     STATUS_OK);
}

/* Head 0 of layer l looks at token l + 1 alone, head 1 at everything alike. */
static void write_layer(const struct fake *fake, size_t layer)
{
    float maps[N_SAMPLE][N_HEAD][N_TOKEN][N_TOKEN] = {0};
    char name[80], path[PATH_SIZE];
    const size_t dim[] = {N_SAMPLE, N_HEAD, N_TOKEN, N_TOKEN};
    for (size_t s = 0; s < N_SAMPLE; s++) {
        for (size_t query = 0; query < N_TOKEN; query++) {
            maps[s][0][query][layer + 1] = 1;
            for (size_t key = 0; key < N_TOKEN; key++) {
                maps[s][1][query][key] = 1.0f / N_TOKEN;
            }
        }
    }
    snprintf(name, sizeof name, "attention/step000007/samples_layer%zu.npy", layer);
    fake_path(fake, name, path);
    ck_assert_int_eq(npy_write(path, &maps[0][0][0][0], dim, 4, NULL), STATUS_OK);
    snprintf(name, sizeof name, "attention/step000007/layer%zu.npy", layer);
    fake_path(fake, name, path);
    ck_assert_int_eq(npy_write(path, &maps[0][0][0][0], dim + 1, 3, NULL), STATUS_OK);
}

static void write_images(const struct fake *fake)
{
    uint8_t image[N_SAMPLE * SIDE * SIDE];
    size_t side = fake->side ? fake->side : SIDE;
    char path[PATH_SIZE];
    for (size_t i = 0; i < sizeof image; i++) {
        image[i] = (uint8_t)(fake->shade + i);
    }
    fake_path(fake, "attention/samples.npy", path);
    ck_assert_int_eq(npy_write_bytes(path, image, (size_t[]){N_SAMPLE, side, side, 1}, 4, NULL),
                     STATUS_OK);
}

static void write_fake(struct fake fake)
{
    char path[PATH_SIZE], id[80];
    fake.patch = fake.patch ? fake.patch : 14;
    snprintf(id, sizeof id, "mnist-%s-s%d", fake.variant, fake.seed);
    fake_path(&fake, "attention/step000007", path);
    ck_assert_int_eq(folder_create(path, NULL), STATUS_OK);
    for (size_t layer = 0; layer < N_LAYER; layer++) {
        write_layer(&fake, layer);
    }
    write_images(&fake);
    json_t *config = json_pack("{s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:i}", "task", "mnist",
                               "variant", fake.variant, "n_embd", 8, "n_layer", N_LAYER, "n_head",
                               N_HEAD, "seq_len", N_TOKEN, "patch", fake.patch, "seed", fake.seed);
    json_object_set_new(config, "patch_pad", json_string("zero"));
    json_t *root =
        json_pack("{s:s, s:s, s:s, s:o, s:i, s:{s:f, s:f, s:f, s:f, s:i}, s:{s:s, s:[s, s]}, "
                  "s:{s:[{s:i, s:i, s:i}, {s:i, s:i, s:i}]}, s:s, s:{s:s}, s:{s:s}}",
                  "format", "qkvlab-run-1", "id", id, "status", "ok", "config", config, "n_param",
                  99, "results", "top1", 0.5, "top5", 0.9, "loss", 1.0, "final_train_loss", 1.0,
                  "n_step", 7, "data", "sha256", "da7a", "class_name",
                  "\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4"
                  "\u00e4\u00e4\u00e4\u00e4\u00e4",
                  "dog", "attention", "samples", "item", 0, "label", 1, "prediction", 1, "item", 3,
                  "label", 0, "prediction", 1, "weights_sha256", "f00d", "build", "commit", "abc",
                  "machine", "class", "test");
    ck_assert_ptr_nonnull(root);
    fake_path(&fake, "run.json", path);
    ck_assert_int_eq(json_dump_file(root, path, 0), 0);
    json_decref(root);
}

static struct run load(const struct fake *fake)
{
    char folder[PATH_SIZE];
    struct run run;
    path_format(folder, NULL, "%s/runs/mnist-%s-s%d", scratch, fake->variant, fake->seed);
    ck_assert_msg(run_load(folder, &run, &err) == STATUS_OK, "%s", err.text);
    return run;
}

static const struct fake usual = {.variant = "qkv", .shade = 10};

/* ---- reading ---- */

FIXTURE(scratch_make, scratch_remove)

TEST(samples_come_back)
{
    write_fake(usual);
    struct run run = load(&usual);
    struct samples samples;
    char name[SAMPLES_CLASS_SIZE];
    ck_assert(samples_are_kept(&run));
    ck_assert_msg(samples_read(&run, &samples, &err) == STATUS_OK, "%s", err.text);
    ck_assert_uint_eq(samples.n, 2);
    ck_assert(samples.n_row == 2 && samples.n_column == 2 && samples.n_token == 5);
    ck_assert(samples.sample[1].label == 0 && samples.sample[1].prediction == 1);
    ck_assert_uint_eq(samples_pixels(&samples, 1, 2, 3)[0],
                      (uint8_t)(10 + SIDE * SIDE + 2 * SIDE + 3));
    samples_class(&run, 1, name);
    ck_assert_str_eq(name, "dog");
    samples_class(&run, 0, name); /* 16 characters of two bytes, of which 15 fit whole */
    ck_assert_uint_eq(strlen(name), 30);
    samples_class(&run, 7, name);
    ck_assert_str_eq(name, "7");
    const double *row = samples_head_row(&samples, 1, 1, 0, 0);
    ck_assert(row[2] == 1 && row[1] == 0);
    row = samples_mean_row(&samples, 1, 1, 0);
    ck_assert_double_eq_tol(row[2], 0.6, 1e-6);
    ck_assert_double_eq_tol(row[4], 0.1, 1e-6);
    /* layer 0 from the class token: half itself, half (0.1, 0.6, 0.1, 0.1, 0.1) */
    row = samples_rollout(&samples, 0, 1);
    ck_assert_double_eq_tol(row[0], 0.55, 1e-6);
    ck_assert_double_eq_tol(row[1], 0.3, 1e-6);
    samples_free(&samples);
    run_free(&run);
}

static void expect_unreadable(const struct fake *fake, const char *phrase)
{
    struct run run = load(fake);
    struct samples samples;
    ck_assert_int_eq(samples_read(&run, &samples, &err), STATUS_DATA);
    ck_assert_msg(strstr(err.text, phrase) != NULL, "'%s' has no '%s'", err.text, phrase);
    samples_free(&samples);
    run_free(&run);
}

TEST(damaged_samples_are_told)
{
    char path[PATH_SIZE];
    const uint8_t few[16] = {0};
    const float zero[25] = {0};
    write_fake((struct fake){"qkv", 0, 15, 10});
    write_fake((struct fake){"kv", 0, 0, 10, 4});
    write_fake((struct fake){"qk", 0, 0, 10});
    expect_unreadable(&(struct fake){"kv", 0, 0, 10, 4},
                      "4 x 4 px in patches of 14 px do not make the 5 tokens");
    struct run padded = load(&usual); /* patches of 15 px reach beyond the image: 2 x 2 as well */
    struct samples samples;
    ck_assert_int_eq(samples_read(&padded, &samples, &err), STATUS_OK);
    samples_free(&samples);
    run_free(&padded);

    struct fake other = {"qk", 0, 0, 10};
    fake_path(&other, "attention/step000007/samples_layer1.npy", path);
    ck_assert_int_eq(npy_write(path, zero, (size_t[]){5, 5}, 2, NULL), STATUS_OK);
    expect_unreadable(&other, "samples_layer1.npy: expected maps of the shape [2, 2, 5, 5]");
    fake_path(&other, "attention/samples.npy", path);
    ck_assert_int_eq(npy_write_bytes(path, few, (size_t[]){1, 4, 4, 1}, 4, NULL), STATUS_OK);
    expect_unreadable(&other, "the label and the prediction of the 1 images");
    ck_assert_int_eq(npy_write_bytes(path, few, (size_t[]){4, 4, 1}, 3, NULL), STATUS_OK);
    expect_unreadable(&other, "expected [n, height, width, 1 or 3 channels]");
}

TEST(a_run_without_samples)
{
    struct fake_run task = {.task = "copy", .variant = "qkv"};
    char folder[PATH_SIZE];
    struct run run;
    fake_write(scratch, &task);
    fake_folder(scratch, &task, folder);
    ck_assert_int_eq(run_load(folder, &run, &err), STATUS_OK);
    ck_assert(!samples_are_kept(&run));
    run_free(&run);
}

/* ---- drawing ---- */

static void expect_picture(const char *name, bool there)
{
    char path[PATH_SIZE];
    ck_assert_int_eq(path_format(path, NULL, "%s/%s", scratch, name), STATUS_OK);
    ck_assert_msg(file_exists(path) == there, "%s: %s", name, there ? "not there" : "there");
}

static enum status draw(struct sheet *sheet, const char *folder)
{
    enum status status = draw_sheet_write(sheet, folder, &err);
    sheet_free(sheet);
    return status;
}

TEST(pictures_of_one_run)
{
    write_fake(usual);
    struct run run = load(&usual);
    struct samples samples;
    ck_assert_int_eq(samples_read(&run, &samples, &err), STATUS_OK);
    for (size_t layer = 0; layer < N_LAYER; layer++) {
        ck_assert_int_eq(draw(class_token_sheet(&samples, layer), scratch), STATUS_OK);
    }
    ck_assert_int_eq(draw(patches_sheet(&samples), scratch), STATUS_OK);
    expect_picture("class-token-layer0.png", true);
    expect_picture("class-token-layer1.png", true);
    expect_picture("class-token-layer2.png", false);
    expect_picture("patch-to-patch.png", true);
    ck_assert_int_eq(draw(patches_sheet(&samples), "/nonexistent"), STATUS_WRITE);
    ck_assert_ptr_nonnull(strstr(err.text, "/nonexistent/patch-to-patch.png"));
    samples_free(&samples);
    run_free(&run);
}

TEST(the_class_token_in_numbers)
{
    write_fake(usual);
    struct run run = load(&usual);
    struct samples samples;
    ck_assert_int_eq(samples_read(&run, &samples, &err), STATUS_OK);
    struct sheet *sheet = class_token_sheet(&samples, 1);
    ck_assert(sheet && !sheet->failed && sheet->n_row == N_SAMPLE && sheet->n_column == 3 + N_HEAD);
    const struct sheet_panel *image = sheet_panel_at(sheet, 1, 0);
    ck_assert(!image->value && image->rgb && image->wrong);
    ck_assert_str_eq(image->note, "taken for dog");
    ck_assert_uint_eq(image->rgb[3 * (2 * SIDE + 3)], samples_pixels(&samples, 1, 2, 3)[0]);
    ck_assert_str_eq(sheet_panel_at(sheet, 0, 0)->note, "recognised");
    /* head 0 of layer 1 looks at token 2 alone: 1 over the uniform 1/5; head 1 at all alike */
    const struct sheet_panel *head = sheet_panel_at(sheet, 0, 1);
    ck_assert(head->n_row == 2 && head->n_column == 2 && head->square == SIDE / 2);
    ck_assert(head->value[0] == 0 && fabsf(head->value[1] - 5) < 1e-5f);
    ck_assert_str_eq(head->note, "itself 0.00");
    ck_assert_float_eq_tol(sheet_panel_at(sheet, 0, 2)->value[3], 1, 1e-5f);
    ck_assert_float_eq_tol(sheet_panel_at(sheet, 0, 3)->value[1], 3, 1e-5f);
    const double *row = samples_rollout(&samples, 0, 2);
    ck_assert_float_eq_tol(sheet_panel_at(sheet, 0, 4)->value[1],
                           (float)(row[2] / rollout_uniform(2, N_TOKEN)), 1e-5f);
    ck_assert(sheet->top == 5);
    sheet_free(sheet);
    samples_free(&samples);
    run_free(&run);
}

TEST(one_patch_is_a_row_of_the_map)
{
    write_fake(usual);
    struct run run = load(&usual);
    struct samples samples;
    ck_assert_int_eq(samples_read(&run, &samples, &err), STATUS_OK);
    struct sheet *sheet = patches_sheet(&samples);
    ck_assert(sheet && !sheet->failed && sheet->n_row == N_LAYER && sheet->n_column == 3);
    for (size_t layer = 0; layer < N_LAYER; layer++) {
        const struct sheet_panel *one = sheet_panel_at(sheet, layer, 1);
        const struct sheet_panel *all = sheet_panel_at(sheet, layer, 2);
        size_t token = all->frame.row;
        ck_assert(all->n_row == N_TOKEN && all->frame.n_column == N_TOKEN);
        ck_assert_uint_eq(token, 1 + one->frame.row * 2 + one->frame.column);
        for (size_t i = 0; i + 1 < N_TOKEN; i++) {
            ck_assert_float_eq(one->value[i], all->value[token * N_TOKEN + i + 1]);
        }
    }
    sheet_free(sheet);
    samples_free(&samples);
    run_free(&run);
}

/* Writes the sheets of two runs, a cell each, into out/<name>. */
static void write_side_by_side(struct fake other, const char *name, bool expected)
{
    struct run run[] = {load(&usual), load(&other)};
    const struct run *both[] = {&run[0], &run[1]};
    struct group group = {.cuts = cuts_create(), .run = both, .n_run = 2, .n_ok = 2};
    struct variant_sheets sheets;
    char folder[PATH_SIZE];
    for (size_t i = 0; i < FACTOR_COUNT; i++) {
        group.level[i] = LEVEL_ANY;
    }
    run[1].level[FACTOR_VARIANT] = run[1].level[FACTOR_CELL] = 1;
    path_format(folder, NULL, "%s/%s", scratch, name);
    ck_assert_int_eq(folder_create(folder, NULL), STATUS_OK);
    ck_assert_msg(variant_sheets_make(&group, &sheets, &err) == STATUS_OK, "%s", err.text);
    ck_assert((sheets.first != NULL) == expected);
    if (expected) {
        ck_assert(sheets.rollout->n_column == 3 && sheets.rollout->top == sheets.last_layer->top);
        ck_assert_int_eq(draw_sheet_write(sheets.rollout, folder, &err), STATUS_OK);
        ck_assert_int_eq(draw_sheet_write(sheets.last_layer, folder, &err), STATUS_OK);
    }
    variant_sheets_free(&sheets);
    cuts_free(group.cuts);
    run_free(&run[0]);
    run_free(&run[1]);
}

static bool same_bytes(const char *a, const char *b)
{
    char path[PATH_SIZE], *left, *right;
    size_t n_left, n_right;
    path_format(path, NULL, "%s/%s", scratch, a);
    ck_assert_int_eq(file_read(path, 1 << 24, &left, &n_left, NULL), STATUS_OK);
    path_format(path, NULL, "%s/%s", scratch, b);
    ck_assert_int_eq(file_read(path, 1 << 24, &right, &n_right, NULL), STATUS_OK);
    bool same = n_left == n_right && memcmp(left, right, n_left) == 0;
    free(left);
    free(right);
    return same;
}

/* Other images, or none, are a column without pictures; no images at all no picture. */
TEST(variants_side_by_side_show_the_same_images)
{
#define ROLLOUT "class-token-mnist-qkv-s0-rollout.png"
    struct fake other = {"kv", 0, 0, 10, SIDE};
    char path[PATH_SIZE];
    write_fake(usual);
    write_fake(other);
    write_side_by_side(other, "same", true);
    write_side_by_side(other, "again", true);
    expect_picture("same/class-token-mnist-qkv-s0-last-layer.png", true);
    ck_assert(same_bytes("same/" ROLLOUT, "again/" ROLLOUT));
    other.shade = 99;
    write_fake(other);
    write_side_by_side(other, "other", true);
    ck_assert(!same_bytes("same/" ROLLOUT, "other/" ROLLOUT));
    fake_path(&other, "attention/samples.npy", path);
    remove(path);
    write_side_by_side(other, "none", true);
    ck_assert(same_bytes("none/" ROLLOUT, "other/" ROLLOUT));
    fake_path(&usual, "attention/samples.npy", path);
    remove(path);
    write_side_by_side(other, "nothing", false);
    expect_picture("nothing/" ROLLOUT, false);
}

TEST(snapshots_are_drawn_where_there_are_several)
{
    const float zero[25] = {0}, maps[N_HEAD * 25] = {1};
    char path[PATH_SIZE];
    struct sheet *sheet;
    write_fake(usual);
    struct run run = load(&usual);
    ck_assert_int_eq(training_sheet(&run, &sheet, &err), STATUS_OK);
    ck_assert_ptr_null(sheet);
    fake_path(&usual, "attention/step000000", path);
    ck_assert_int_eq(folder_create(path, NULL), STATUS_OK);
    ck_assert_int_eq(training_sheet(&run, &sheet, &err), STATUS_DATA);
    ck_assert_ptr_nonnull(strstr(err.text, "step000000/layer0.npy"));
    for (size_t layer = 0; layer < N_LAYER; layer++) {
        char name[80];
        snprintf(name, sizeof name, "attention/step000000/layer%zu.npy", layer);
        fake_path(&usual, name, path);
        ck_assert_int_eq(npy_write(path, maps, (size_t[]){N_HEAD, 5, 5}, 3, NULL), STATUS_OK);
    }
    ck_assert_msg(training_sheet(&run, &sheet, &err) == STATUS_OK, "%s", err.text);
    ck_assert_ptr_nonnull(sheet);
    ck_assert(sheet->n_row == N_LAYER && sheet->n_column == 2 && !sheet->failed);
    ck_assert_int_eq(draw_sheet_write(sheet, scratch, &err), STATUS_OK);
    expect_picture("training.png", true);
    sheet_free(sheet);
    ck_assert_int_eq(npy_write(path, zero, (size_t[]){5, 5}, 2, NULL), STATUS_OK);
    ck_assert_int_eq(training_sheet(&run, &sheet, &err), STATUS_DATA);
    ck_assert_ptr_nonnull(strstr(err.text, "expected maps of the shape [heads, 5, 5]"));
    run_free(&run);
}

TEST(the_report_shows_variants_side_by_side)
{
    struct report_summary summary;
    write_fake((struct fake){"qkv", 1, 0, 10});
    write_fake((struct fake){"kv", 1, 0, 10});
    ck_assert_msg(report_write(scratch, &summary, &err) == STATUS_OK, "%s", err.text);
    char *page = scratch_read("report/report.md");
    ck_assert_ptr_nonnull(strstr(page, "](class-token-mnist-qkv-s1-rollout.png)"));
    ck_assert_ptr_nonnull(strstr(page, "](class-token-mnist-qkv-s1-last-layer.png)"));
    ck_assert_ptr_nonnull(strstr(page, "the same test images (seed 1)"));
    free(page);
    expect_picture("report/class-token-mnist-qkv-s1-rollout.png", true);
    expect_picture("report/class-token-mnist-qkv-s1-last-layer.png", true);
    expect_picture("report/class-token-mnist-kv-s1-rollout.png", false);
}
