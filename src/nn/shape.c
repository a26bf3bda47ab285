#include "nn/shape.h"

#include "nn/patch.h"

static enum status check_range(const char *name, size_t value, size_t least, size_t most,
                               struct error *err)
{
    if (value < least || value > most) {
        return error_set(err, STATUS_USAGE, "%s: expected %zu to %zu, found %zu", name, least, most,
                         value);
    }
    return STATUS_OK;
}

static size_t divisor_below(size_t n, size_t d)
{
    while (n % d != 0) {
        d--;
    }
    return d;
}

static size_t divisor_above(size_t n, size_t d)
{
    while (d < n && n % d != 0) {
        d++;
    }
    return d;
}

/* check_heads names the nearest sizes that would work. */
static enum status check_heads(const struct model_shape *shape, struct error *err)
{
    size_t d = shape->n_embd, h = shape->n_head;
    if (d % h == 0) {
        return STATUS_OK;
    }
    size_t above = (d / h + 1) * h;
    if (d < h) {
        return error_set(err, STATUS_USAGE,
                         "n_embd %zu cannot be cut into n_head %zu equal heads; n_embd %zu or "
                         "n_head %zu would work",
                         d, h, above, d);
    }
    return error_set(err, STATUS_USAGE,
                     "n_embd %zu cannot be cut into n_head %zu equal heads; n_embd %zu or %zu, or "
                     "n_head %zu or %zu would work",
                     d, h, above - h, above, divisor_below(d, h), divisor_above(d, h));
}

/* check_input checks what only one kind of input has. */
static enum status check_input(const struct model_shape *shape, struct error *err)
{
    if (shape->input == INPUT_TOKENS) {
        return check_range("n_symbol", shape->n_symbol, RANGE_N_SYMBOL, err);
    }
    TRY(check_range("n_channel", shape->n_channel, RANGE_N_CHANNEL, err));
    TRY(check_range("image_size", shape->image_size, RANGE_IMAGE_SIZE, err));
    TRY(check_range("patch", shape->patch, 1, shape->image_size, err));
    if (shape->n_token != 1 + model_n_patch(shape)) {
        return error_set(err, STATUS_USAGE,
                         "images of %zu px in patches of %zu make %zu tokens with the class token, "
                         "found seq_len %zu",
                         shape->image_size, shape->patch, 1 + model_n_patch(shape), shape->n_token);
    }
    return STATUS_OK;
}

size_t model_n_patch(const struct model_shape *shape)
{
    return patches_count(shape->image_size, shape->image_size, shape->patch);
}

enum status model_shape_check(const struct model_shape *shape, struct error *err)
{
    TRY(check_range("n_embd", shape->n_embd, RANGE_N_EMBD, err));
    TRY(check_range("n_layer", shape->n_layer, RANGE_N_LAYER, err));
    TRY(check_range("n_head", shape->n_head, RANGE_N_HEAD, err));
    TRY(check_range("mlp_ratio", shape->mlp_ratio, RANGE_MLP_RATIO, err));
    TRY(check_range("seq_len", shape->n_token, RANGE_SEQ_LEN, err));
    TRY(check_range("n_position", shape->n_position, RANGE_N_POSITION, err));
    TRY(check_range("pos_dim", shape->pos_dim, RANGE_POS_DIM, err));
    TRY(check_range("n_class", shape->n_class, RANGE_N_CLASS, err));
    TRY(check_heads(shape, err));
    TRY(check_input(shape, err));
    if (!(shape->dropout >= 0.0 && shape->dropout < 1.0)) {
        return error_set(err, STATUS_USAGE, "dropout: expected 0 to below 1, found %g",
                         shape->dropout);
    }
    if (shape->n_token > shape->n_position) {
        return error_set(err, STATUS_USAGE,
                         "seq_len %zu is longer than the position table of n_position %zu; set "
                         "n_position to at least %zu or seq_len to at most %zu",
                         shape->n_token, shape->n_position, shape->n_token, shape->n_position);
    }
    return variant_check(&shape->variant, shape->n_head, err);
}

/* ---- batches ---- */

struct batch batch_part(const struct model_shape *shape, const struct batch *batch, size_t first,
                        size_t n)
{
    struct batch part = *batch;
    part.n_sequence = n;
    part.first = batch->first + first;
    if (shape->input == INPUT_PATCHES) {
        size_t patch = shape->n_channel * shape->patch * shape->patch;
        part.patches += first * (batch->n_token - 1) * patch;
        part.targets += first;
    } else {
        part.ids += first * batch->n_token;
        part.targets += first * batch->n_token;
    }
    return part;
}

size_t batch_n_answer(const struct model_shape *shape, const struct batch *batch)
{
    bool patches = shape->input == INPUT_PATCHES;
    return patches ? batch->n_sequence : batch->n_sequence * batch->n_token;
}
