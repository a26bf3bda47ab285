/* Training to a tiny loss must not slow down: gradients of 1e-25 square to numbers below the normal
 * range, which processors handle a hundred times slower unless told to flush them to zero. */
#include <math.h>

#include "base/clock.h"
#include "nn/fixtures.h"
#include "testing.h"

#define N_SEQUENCE 16
#define N_TOKEN 12
#define N_STEP 10

/* fastest_steps returns the least time of N_STEP steps when the head is sure of class 0 by margin.
 */
static double fastest_steps(float margin, double *loss)
{
    struct model_shape shape = fixture_shape(variant_named(0), 48, 2, 3, N_TOKEN);
    struct engine_options options = {.batch_size = N_SEQUENCE, .threads = 1};
    struct adam_options adam = {
        .learning_rate = 1e-12, .beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8};
    struct fixture_batch made = fixture_batch_make(N_SEQUENCE, N_TOKEN, 1);
    struct engine *engine;
    ck_assert_int_eq(engine_create(&engine, &shape, &options, NULL), STATUS_OK);
    engine_initialise(engine, 1);
    const struct tensor *bias = model_find_tensor(engine_model(engine), "head.bias");
    engine_param(engine)[bias->offset] = margin;
    engine_weights_changed(engine);
    memset(made.targets, 0, N_SEQUENCE * N_TOKEN * sizeof *made.targets);
    double best = INFINITY;
    for (int repeat = 0; repeat < 5; repeat++) {
        double start = clock_process_seconds();
        for (int step = 0; step < N_STEP; step++) {
            *loss = engine_train_step(engine, &made.batch, &adam).loss;
        }
        best = fmin(best, clock_process_seconds() - start);
    }
    fixture_batch_free(&made);
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
