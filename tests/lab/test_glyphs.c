/* Drawn digits must be the same for everyone, and worth a network: too hard for single pixels. */
#include <math.h>

#include "data_fixture.h"
#include "testing.h"

static void load_glyphs(struct dataset_options options, struct image_data *data)
{
    FINE(fixture_load_with("glyphs", options, data));
}

FIXTURE(scratch_make, scratch_remove)

TEST(numbers_and_splits)
{
    struct image_data data;
    load_glyphs((struct dataset_options){.n_train = 30, .n_test = 20}, &data);
    ck_assert_uint_eq(data.train.n_image, 30);
    ck_assert_uint_eq(data.test.n_image, 20);
    ck_assert_uint_eq(data.train.height, 28);
    ck_assert_uint_eq(data.n_class, 10);
    ck_assert_mem_ne(data.train.image[0], data.test.image[0], 784);
    image_data_free(&data);
}

TEST(an_image_depends_on_seed_and_index_alone)
{
    struct image_data few, many, other;
    load_glyphs((struct dataset_options){.n_train = 5, .n_test = 1, .seed = 4}, &few);
    load_glyphs((struct dataset_options){.n_train = 50, .n_test = 1, .seed = 4}, &many);
    load_glyphs((struct dataset_options){.n_train = 5, .n_test = 1, .seed = 5}, &other);
    for (size_t i = 0; i < 5; i++) {
        ck_assert_mem_eq(few.train.image[i], many.train.image[i], 784);
        ck_assert_uint_eq(few.train.label[i], many.train.label[i]);
        ck_assert_mem_ne(few.train.image[i], other.train.image[i], 784);
    }
    ck_assert_str_ne(image_data_hash(&few), image_data_hash(&many));
    image_data_free(&few);
    image_data_free(&many);
    image_data_free(&other);
}

TEST(classes_mean_and_deviation)
{
    struct image_data data;
    size_t count[10] = {0};
    double sum = 0, squares = 0, n = 0;
    load_glyphs((struct dataset_options){.n_train = 2000, .n_test = 1}, &data);
    for (size_t i = 0; i < data.train.n_image; i++) {
        count[data.train.label[i]]++;
        for (size_t k = 0; k < 784; k++) {
            double x = data.train.image[i][k] / 255.0;
            sum += x;
            squares += x * x;
        }
    }
    n = 784.0 * (double)data.train.n_image;
    for (size_t c = 0; c < 10; c++) {
        ck_assert_double_eq_tol((double)count[c], 200, 70); /* five standard deviations */
    }
    ck_assert_double_eq_tol(sum / n, (double)data.dataset->mean[0], 0.01);
    ck_assert_double_eq_tol(sqrt(squares / n - sum / n * sum / n), (double)data.dataset->std[0],
                            0.01);
    image_data_free(&data);
}

/* ---- how hard it is ---- */

enum { N_INPUT = 785, N_CLASS = 10 };

static void read_input(const struct image_set *set, size_t i, const struct dataset *dataset,
                       float input[N_INPUT])
{
    for (size_t k = 0; k < 784; k++) {
        input[k] = ((float)set->image[i][k] / 255 - dataset->mean[0]) / dataset->std[0];
    }
    input[784] = 1;
}

/* Multinomial logistic regression on pixels, by plain gradient steps. */
static float linear_weight[N_CLASS][N_INPUT];

static size_t linear_scores(const float input[N_INPUT], float score[N_CLASS])
{
    size_t best = 0;
    for (size_t c = 0; c < N_CLASS; c++) {
        float sum = 0;
        for (size_t k = 0; k < N_INPUT; k++) {
            sum += linear_weight[c][k] * input[k];
        }
        score[c] = sum;
        best = score[c] > score[best] ? c : best;
    }
    return best;
}

static void linear_step(const float input[N_INPUT], size_t label, float rate)
{
    float score[N_CLASS], total = 0;
    size_t best = linear_scores(input, score);
    float top = score[best];
    for (size_t c = 0; c < N_CLASS; c++) {
        score[c] = expf(score[c] - top);
        total += score[c];
    }
    for (size_t c = 0; c < N_CLASS; c++) {
        float gradient = score[c] / total - (c == label ? 1.0f : 0.0f);
        for (size_t k = 0; k < N_INPUT; k++) {
            linear_weight[c][k] -= rate * gradient * input[k];
        }
    }
}

static double share_correct(const struct image_data *data, const struct image_set *set)
{
    size_t n_correct = 0;
    for (size_t i = 0; i < set->n_image; i++) {
        float input[N_INPUT], score[N_CLASS];
        read_input(set, i, data->dataset, input);
        n_correct += linear_scores(input, score) == set->label[i];
    }
    return (double)n_correct / (double)set->n_image;
}

TEST(a_linear_classifier_is_not_enough)
{
    struct image_data data;
    load_glyphs((struct dataset_options){.n_train = 8000, .n_test = 1000}, &data);
    for (size_t epoch = 0; epoch < 6; epoch++) {
        for (size_t i = 0; i < data.train.n_image; i++) {
            float input[N_INPUT];
            read_input(&data.train, i, data.dataset, input);
            linear_step(input, data.train.label[i], 0.002f / (float)(1 + epoch));
        }
    }
    double train = share_correct(&data, &data.train), test = share_correct(&data, &data.test);
    printf("linear classifier: %.3f of training, %.3f of test images\n", train, test);
    ck_assert_double_lt(test, 0.9);
    ck_assert_double_gt(test, 0.3); /* chance is 0.1: there is something to learn */
    image_data_free(&data);
}
