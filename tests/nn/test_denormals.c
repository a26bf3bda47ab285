/* Training to a tiny loss must not slow down: gradients of 1e-25 square to numbers below the normal
 * range, which processors handle a hundred times slower unless told to flush them to zero. */
#include <math.h>
#include <time.h>

#include "nn/engine.h"
#include "testing.h"

#define N_SEQUENCE 16
#define N_TOKEN 12
#define N_STEP 10

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* fastest_steps returns the least time of N_STEP steps when the head is sure of class 0 by margin.
 */
static double fastest_steps(float margin, double *loss)
{
    struct model_shape shape = {.n_embd = 48,
                                .n_layer = 2,
                                .n_head = 3,
                                .mlp_ratio = 4,
                                .n_token = N_TOKEN,
                                .n_position = N_TOKEN,
                                .pos_dim = 10,
                                .n_symbol = 10,
                                .n_class = 10};
    struct engine_options options = {.batch_size = N_SEQUENCE, .threads = 1};
    struct adam_options adam = {
        .learning_rate = 1e-12, .beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8};
    int32_t ids[N_SEQUENCE * N_TOKEN], targets[N_SEQUENCE * N_TOKEN] = {0};
    struct engine *engine;
    ck_assert_int_eq(variant_parse("qkv", &shape.variant, NULL), STATUS_OK);
    ck_assert_int_eq(engine_create(&engine, &shape, &options, NULL), STATUS_OK);
    engine_initialise(engine, 1);
    const struct tensor *bias = model_find_tensor(engine_model(engine), "head.bias");
    engine_param(engine)[bias->offset] = margin;
    engine_weights_changed(engine);
    for (int i = 0; i < N_SEQUENCE * N_TOKEN; i++) {
        ids[i] = i % 10;
    }
    struct batch batch = {
        .n_sequence = N_SEQUENCE, .n_token = N_TOKEN, .ids = ids, .targets = targets};
    double best = INFINITY;
    for (int repeat = 0; repeat < 5; repeat++) {
        double start = seconds();
        for (int step = 0; step < N_STEP; step++) {
            *loss = engine_train_step(engine, &batch, &adam).loss;
        }
        best = fmin(best, seconds() - start);
    }
    engine_free(engine);
    return best;
}

TEST(a_tiny_loss_does_not_slow_training)
{
    double plain_loss, tiny_loss;
    double plain = fastest_steps(0.0f, &plain_loss), tiny = fastest_steps(84.0f, &tiny_loss);
    ck_assert_msg(tiny_loss < 1e-9, "the loss is %g: the test tests nothing", tiny_loss);
    ck_assert_msg(tiny < 3 * plain, "%d steps took %.3g s at a loss of %.2g, %.3g s at %.2g",
                  N_STEP, tiny, tiny_loss, plain, plain_loss);
}
