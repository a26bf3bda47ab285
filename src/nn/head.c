#include "nn/parts.h"

#include <math.h>
#include <string.h>

#include "nn/kernels/kernels.h"

/* answered_rows returns the rows of x_out that are answered: all, or copies of the class tokens'.
 */
static const float *answered_rows(const struct pass *pass)
{
    struct activations *act = pass->act;
    if (pass->model->shape.input != INPUT_PATCHES) {
        return act->x_out;
    }
    size_t d = pass->model->shape.n_embd;
    for (size_t b = 0; b < act->n_sequence; b++) {
        memcpy(act->answers + b * d, act->x_out + b * act->n_token * d, d * sizeof(float));
    }
    return act->answers;
}

void head_forward(const struct pass *pass)
{
    const struct layout *layout = &pass->model->layout;
    const struct model_shape *shape = &pass->model->shape;
    struct activations *act = pass->act;
    size_t n_answer = batch_n_answer(shape, pass->batch);
    kernels_active()->layer_norm_forward(
        n_answer, shape->n_embd, answered_rows(pass), pass->param + layout->ln_f_weight,
        pass->param + layout->ln_f_bias, act->ln_f, act->ln_f_saved.mean, act->ln_f_saved.rstd);
    linear_forward(&pass->prepared->head, n_answer, act->ln_f, pass->param + layout->head_bias,
                   NULL, act->logits);
}

/* ---- the loss ---- */

/* Answers whose exponentials are taken at a time. */
#define LOSS_ROWS 64

/* shift_row writes logits minus their largest, and returns where that is. */
static size_t shift_row(size_t n_class, const float *logits, float *shifted)
{
    size_t best = 0;
    for (size_t c = 1; c < n_class; c++) {
        best = logits[c] > logits[best] ? c : best;
    }
    float largest = logits[best];
    for (size_t c = 0; c < n_class; c++) {
        shifted[c] = logits[c] - largest;
    }
    return best;
}

/* finish_row turns exp(shifted logits) into the gradient, and returns log of their sum. */
static double finish_row(size_t n_class, size_t target, float scale, float *dlogits)
{
    double sum = 0.0;
    for (size_t c = 0; c < n_class; c++) {
        sum += (double)dlogits[c];
    }
    float to_gradient = (float)((double)scale / sum);
    for (size_t c = 0; c < n_class; c++) {
        dlogits[c] *= to_gradient;
    }
    dlogits[target] -= scale;
    return log(sum);
}

/* cross_entropy returns the summed loss of n <= LOSS_ROWS answers, fills their dlogits, and says
 * which are right. */
static double cross_entropy(size_t n, size_t n_class, const float *logits, const int32_t *targets,
                            float scale, float *dlogits, bool correct[LOSS_ROWS])
{
    double loss = 0.0;
    for (size_t r = 0; r < n; r++) {
        size_t target = (size_t)targets[r];
        float *shifted = dlogits + r * n_class;
        correct[r] = shift_row(n_class, logits + r * n_class, shifted) == target;
        loss -= (double)shifted[target];
    }
    kernels_active()->vector_exp(n * n_class, dlogits, dlogits);
    for (size_t r = 0; r < n; r++) {
        loss += finish_row(n_class, (size_t)targets[r], scale, dlogits + r * n_class);
    }
    return loss;
}

struct loss_sums head_loss(const struct pass *pass, float gradient_scale)
{
    const struct batch *batch = pass->batch;
    struct activations *act = pass->act;
    size_t n_class = pass->model->shape.n_class;
    size_t n_answer = batch_n_answer(&pass->model->shape, batch);
    size_t per_sequence = n_answer / batch->n_sequence, n_correct = 0;
    struct loss_sums sums = {0};
    for (size_t first = 0; first < n_answer; first += LOSS_ROWS) {
        size_t n = n_answer - first < LOSS_ROWS ? n_answer - first : LOSS_ROWS;
        bool correct[LOSS_ROWS];
        sums.loss +=
            cross_entropy(n, n_class, act->logits + first * n_class, batch->targets + first,
                          gradient_scale, act->dlogits + first * n_class, correct);
        for (size_t r = 0; r < n; r++) {
            n_correct += correct[r];
            if ((first + r + 1) % per_sequence == 0) {
                sums.n_correct_token += n_correct;
                sums.n_correct_sequence += n_correct == per_sequence;
                n_correct = 0;
            }
        }
    }
    return sums;
}

/* ---- backward ---- */

void head_backward(const struct pass *pass)
{
    const struct layout *layout = &pass->model->layout;
    const struct model_shape *shape = &pass->model->shape;
    struct activations *act = pass->act;
    float *grad = pass->grad;
    bool patches = shape->input == INPUT_PATCHES;
    size_t d = shape->n_embd, n_answer = batch_n_answer(shape, pass->batch);
    float *danswers = patches ? act->danswers : act->dx;
    linear_gradient(&pass->prepared->head, n_answer, act->ln_f, act->dlogits,
                    grad + layout->head_weight, grad + layout->head_bias);
    linear_backward(&pass->prepared->head, n_answer, act->dlogits, act->dnorm);
    memset(danswers, 0, n_answer * d * sizeof *danswers);
    kernels_active()->layer_norm_backward(
        n_answer, d, act->dnorm, patches ? act->answers : act->x_out, act->ln_f_saved.mean,
        act->ln_f_saved.rstd, pass->param + layout->ln_f_weight, danswers,
        grad + layout->ln_f_weight, grad + layout->ln_f_bias);
    if (patches) {
        memset(act->dx, 0, act->n_row * d * sizeof *act->dx);
        for (size_t b = 0; b < act->n_sequence; b++) {
            memcpy(act->dx + b * act->n_token * d, danswers + b * d, d * sizeof *danswers);
        }
    }
}
