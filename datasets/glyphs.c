/* Glyphs: drawn digits, for machines without any data set at hand. Each image is the strokes of its
 * digit, bent, slanted, turned, scaled and moved at random, with a scratch across it and noise on
 * top. A classifier of single pixels gets nowhere near right; small convolutional networks do.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "lab/data/dataset.h"
#include "lab/kind/images/images.h"

#define SIZE 28
#define N_PIXEL (SIZE * SIZE)
#define N_TRAIN 10000
#define N_TEST 2000
#define MAX_STROKE 3
#define N_PIECE 14 /* straight pieces of a stroke */

static const char *const digits[] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};

/* ---- shapes -------------------------------------------------------------------------------- */

/* An arc of an ellipse around (x, y) from one angle to another in degrees, clockwise from the
 * right; or where rx is 0 a line from (x, y) to (from, to). In a unit square, y down. */
struct stroke {
    double x, y, rx, ry, from, to;
};

static const struct stroke shape[10][MAX_STROKE] = {
    {{.5, .5, .28, .42, 0, 360}},
    {{.34, .26, 0, 0, .53, .08}, {.53, .08, 0, 0, .53, .92}},
    {{.5, .3, .26, .22, -170, 40}, {.7, .44, 0, 0, .25, .92}, {.25, .92, 0, 0, .78, .92}},
    {{.48, .29, .25, .21, -160, 90}, {.48, .71, .28, .21, -90, 160}},
    {{.62, .08, 0, 0, .2, .64}, {.2, .64, 0, 0, .82, .64}, {.62, .08, 0, 0, .62, .92}},
    {{.72, .08, 0, 0, .32, .08}, {.32, .08, 0, 0, .29, .45}, {.48, .64, .27, .27, -135, 150}},
    {{.5, .66, .26, .26, 0, 360}, {.72, .62, .48, .54, 180, 265}},
    {{.22, .08, 0, 0, .78, .08}, {.78, .08, 0, 0, .42, .92}},
    {{.5, .29, .22, .2, 0, 360}, {.5, .71, .27, .22, 0, 360}},
    {{.5, .34, .26, .26, 0, 360}, {.28, .38, .48, .54, 0, 85}},
};

struct point {
    double x, y;
};

static bool stroke_is_there(const struct stroke *stroke)
{
    return stroke->rx > 0 || stroke->from != 0 || stroke->to != 0;
}

/* The point at share t of a stroke. */
static struct point stroke_at(const struct stroke *stroke, double t)
{
    if (stroke->rx > 0) {
        double angle = (stroke->from + t * (stroke->to - stroke->from)) * (3.14159265358979 / 180);
        return (struct point){stroke->x + stroke->rx * cos(angle),
                              stroke->y + stroke->ry * sin(angle)};
    }
    return (struct point){stroke->x + t * (stroke->from - stroke->x),
                          stroke->y + t * (stroke->to - stroke->y)};
}

/* ---- one image's chances ------------------------------------------------------------------- */

enum chance {
    CHANCE_LABEL,
    CHANCE_ANGLE,
    CHANCE_SLANT,
    CHANCE_WIDTH,
    CHANCE_HEIGHT,
    CHANCE_X,
    CHANCE_Y,
    CHANCE_THICKNESS,
    CHANCE_INK,
    CHANCE_PAPER,
    CHANCE_BEND,
    CHANCE_BEND_PHASE,
    CHANCE_SCRATCH_X,
    CHANCE_SCRATCH_Y,
    CHANCE_SCRATCH_ANGLE,
    CHANCE_COUNT
};

struct chances {
    struct rng rng;
    uint64_t first;
};

static double between(const struct chances *chances, enum chance chance, double low, double high)
{
    return low + (high - low) * rng_uniform(chances->rng, chances->first + chance);
}

/* Where a point of the unit square comes to lie, in pixels. */
struct transform {
    double xx, xy, yx, yy, x, y;
    double bend, phase;
};

static struct transform draw_transform(const struct chances *chances)
{
    double angle = between(chances, CHANCE_ANGLE, -0.3, 0.3);
    double slant = between(chances, CHANCE_SLANT, -0.3, 0.3);
    double width = between(chances, CHANCE_WIDTH, 15, 22);
    double height = between(chances, CHANCE_HEIGHT, 16, 22);
    return (struct transform){.xx = width * cos(angle),
                              .xy = height * (slant * cos(angle) - sin(angle)),
                              .yx = width * sin(angle),
                              .yy = height * (slant * sin(angle) + cos(angle)),
                              .x = SIZE / 2.0 + between(chances, CHANCE_X, -3, 3),
                              .y = SIZE / 2.0 + between(chances, CHANCE_Y, -3, 3),
                              .bend = between(chances, CHANCE_BEND, -0.09, 0.09),
                              .phase = between(chances, CHANCE_BEND_PHASE, 0, 6.28)};
}

static struct point place(const struct transform *transform, struct point point)
{
    double x = point.x - 0.5 + transform->bend * sin(5 * point.y + transform->phase);
    double y = point.y - 0.5 + transform->bend * sin(5 * point.x + transform->phase);
    return (struct point){transform->x + transform->xx * x + transform->xy * y,
                          transform->y + transform->yx * x + transform->yy * y};
}

/* ---- painting ------------------------------------------------------------------------------ */

static double distance(struct point p, struct point a, struct point b)
{
    double dx = b.x - a.x, dy = b.y - a.y, squared = dx * dx + dy * dy;
    double t = squared > 0 ? ((p.x - a.x) * dx + (p.y - a.y) * dy) / squared : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    double ex = p.x - a.x - t * dx, ey = p.y - a.y - t * dy;
    return sqrt(ex * ex + ey * ey);
}

static size_t clamp_pixel(double at)
{
    return at < 0 ? 0 : at > SIZE - 1 ? SIZE - 1 : (size_t)at;
}

/* Covers the pixels within radius of a piece, their edges softly. */
static void paint_piece(struct point a, struct point b, double radius, float cover[N_PIXEL])
{
    double reach = radius + 1;
    size_t left = clamp_pixel(fmin(a.x, b.x) - reach), right = clamp_pixel(fmax(a.x, b.x) + reach);
    size_t top = clamp_pixel(fmin(a.y, b.y) - reach), bottom = clamp_pixel(fmax(a.y, b.y) + reach);
    for (size_t y = top; y <= bottom; y++) {
        for (size_t x = left; x <= right; x++) {
            struct point middle = {(double)x + 0.5, (double)y + 0.5};
            double covered = radius + 0.5 - distance(middle, a, b);
            float share = covered < 0 ? 0 : covered > 1 ? 1 : (float)covered;
            float *pixel = &cover[y * SIZE + x];
            *pixel = share > *pixel ? share : *pixel;
        }
    }
}

static void paint_digit(const struct chances *chances, size_t digit, float cover[N_PIXEL])
{
    struct transform transform = draw_transform(chances);
    double radius = between(chances, CHANCE_THICKNESS, 0.6, 1.6);
    for (size_t s = 0; s < MAX_STROKE && stroke_is_there(&shape[digit][s]); s++) {
        struct point before = place(&transform, stroke_at(&shape[digit][s], 0));
        for (int i = 1; i <= N_PIECE; i++) {
            struct point after =
                place(&transform, stroke_at(&shape[digit][s], (double)i / N_PIECE));
            paint_piece(before, after, radius, cover);
            before = after;
        }
    }
}

static void paint_scratch(const struct chances *chances, float cover[N_PIXEL])
{
    double x = between(chances, CHANCE_SCRATCH_X, 2, SIZE - 2);
    double y = between(chances, CHANCE_SCRATCH_Y, 2, SIZE - 2);
    double angle = between(chances, CHANCE_SCRATCH_ANGLE, 0, 3.1416);
    struct point a = {x - 6 * cos(angle), y - 6 * sin(angle)};
    struct point b = {x + 6 * cos(angle), y + 6 * sin(angle)};
    paint_piece(a, b, 0.5, cover);
}

/* The sum of a word's four bytes is near enough to normal, with a deviation of 148. */
static void develop(const struct chances *chances, struct rng noise, size_t index,
                    const float cover[N_PIXEL], uint8_t *pixels)
{
    double paper = between(chances, CHANCE_PAPER, 0, 70);
    double ink = between(chances, CHANCE_INK, 110, 255 - 70);
    for (size_t i = 0; i < N_PIXEL; i += 4) {
        uint32_t word[4];
        rng_block(noise, (uint64_t)index * (N_PIXEL / 4) + i / 4, word);
        for (size_t k = 0; k < 4; k++) {
            uint32_t w = word[k];
            double sum = (double)((w & 255) + (w >> 8 & 255) + (w >> 16 & 255) + (w >> 24));
            double value = paper + ink * cover[i + k] + (sum - 510) * (24.0 / 148);
            pixels[i + k] = value < 0 ? 0 : value > 255 ? 255 : (uint8_t)value;
        }
    }
}

static uint16_t draw_image(uint64_t seed, const char *split, size_t index, uint8_t *pixels)
{
    struct chances chances = {.rng = rng_make(seed, "data/glyphs/%s/shape", split),
                              .first = (uint64_t)index * CHANCE_COUNT};
    float cover[N_PIXEL] = {0};
    uint32_t digit = rng_below(chances.rng, chances.first + CHANCE_LABEL, 10);
    paint_digit(&chances, digit, cover);
    paint_scratch(&chances, cover);
    develop(&chances, rng_make(seed, "data/glyphs/%s/noise", split), index, cover, pixels);
    return (uint16_t)digit;
}

/* ---- the data set -------------------------------------------------------------------------- */

static enum status draw_set(uint64_t seed, const char *split, size_t n_image,
                            struct image_data *data, struct image_set *set, struct error *err)
{
    uint8_t *pixels = calloc(n_image, N_PIXEL);
    enum status status = image_set_create(set, n_image, 1, SIZE, 10, err);
    if (!pixels || status != STATUS_OK) {
        free(pixels);
        return error_memory(err, "drawing %zu glyphs", n_image);
    }
    image_data_keep(data, (struct data_bytes){.data = pixels, .size = n_image * N_PIXEL});
    for (size_t i = 0; i < n_image; i++) {
        set->image[i] = pixels + i * N_PIXEL;
        set->label[i] = draw_image(seed, split, i, pixels + i * N_PIXEL);
    }
    return STATUS_OK;
}

static enum status load(const struct dataset_place *place_unused,
                        const struct dataset_options *options, struct image_data *data,
                        struct error *err)
{
    (void)place_unused;
    size_t n_train = options->n_train ? options->n_train : N_TRAIN;
    size_t n_test = options->n_test ? options->n_test : N_TEST;
    TRY(draw_set(options->seed, "train", n_train, data, &data->train, err));
    return draw_set(options->seed, "test", n_test, data, &data->test, err);
}

const struct dataset dataset_glyphs = {
    .task.name = "glyphs",
    .task.title = "Glyphs",
    .task.kind = &kind_images,
    .task.version = 1,
    .task.n_answer = 10,
    .task.n_train = N_TRAIN,
    .task.n_test = N_TEST,
    .task.preset = {{"epochs", "10"}}, /* enough to tell variants apart within a minute */
    .n_channel = 1,
    .image_size = SIZE,
    .class_name = digits,
    .mean = {0.2136f},
    .std = {0.2065f},
    .augmentation = AUGMENT_NONE,
    .origin = "drawn by the program itself",
    .load = load,
};
