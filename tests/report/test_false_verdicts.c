/* How often a verdict is false: the same variant under two names. The runs are real
 * (reports/false-verdicts/runs.csv): QKV over a grid of 16 configurations, 24 seeds, two tasks, and
 * two sets of random numbers. With QKVLAB_TABLE set, the table of reports/false-verdicts is
 * printed.
 */
#include <math.h>
#include <stdio.h>

#include "base/file.h"
#include "base/rng.h"
#include "report/statistics/flips.h"
#include "testing.h"

#define N_TASK 2
#define N_GRID 16
#define N_NUMBERS 2
#define N_SEED 24
#define N_MEASURE 5
#define MAX_ROW 30 /* as many as five tasks with six variants have */
#define N_DRAW 200
#define MAX_GROUP 12 /* seeds */

/* Five of a hundred are allowed; four standard deviations above that have a probability of 3e-5. */
static size_t most_false(size_t n_draw)
{
    double n = (double)n_draw, level = FLIPS_LEVEL;
    return (size_t)(n * level + 4 * sqrt(n * level * (1 - level)));
}

static size_t draws(bool *told)
{
    const char *text = getenv("QKVLAB_DRAWS");
    *told = text != NULL;
    return text ? strtoul(text, NULL, 10) : N_DRAW;
}

static const char *const measure_name[N_MEASURE] = {"token_accuracy", "loss", "mean_train_loss",
                                                    "escape_step", "step_accuracy_90"};

static double value[N_MEASURE][N_TASK][N_GRID][N_NUMBERS][N_SEED];

/* Rows of runs.csv are sorted by task, configuration, numbers and seed. */
static void read_runs(void)
{
    char *text;
    size_t size;
    struct error err;
    ck_assert_msg(file_read("../reports/false-verdicts/runs.csv", 1 << 20, &text, &size, &err) ==
                      STATUS_OK,
                  "%s", err.text);
    char *line = strchr(text, '\n') + 1;
    for (size_t i = 0; i < N_TASK * N_GRID * N_NUMBERS * N_SEED; i++) {
        size_t seed = i % N_SEED, numbers = i / N_SEED % N_NUMBERS;
        size_t grid = i / N_SEED / N_NUMBERS % N_GRID, task = i / N_SEED / N_NUMBERS / N_GRID;
        char *field = line;
        for (int k = 0; k < 6; k++) {
            field = strchr(field, ',') + 1;
        }
        ck_assert_uint_eq(strtoul(field, NULL, 10), seed);
        for (size_t m = 0; m < N_MEASURE; m++) {
            field = strchr(field, ',') + 1;
            bool missing = *field == ',' || *field == '\n' || *field == '\0';
            value[m][task][grid][numbers][seed] = missing ? NAN : strtod(field, NULL);
        }
        line = strchr(line, '\n') + 1;
    }
    free(text);
}

struct drawn {
    uint32_t seed[N_SEED], grid[N_GRID], numbers[2]; /* numbers of the variant and the baseline */
};

/* Differences of the k-th group of seeds from the baseline's; the baseline is behind all groups. */
static void fill(const struct drawn *drawn, size_t m, size_t task, size_t n_grid, size_t n_seed,
                 size_t from, size_t reference, struct flip_unit *unit)
{
    for (size_t i = 0; i < n_seed; i++) {
        unit[i] = (struct flip_unit){0};
        for (size_t g = 0; g < n_grid; g++) {
            const double(*of)[N_SEED] = value[m][task][drawn->grid[g]];
            double difference = of[drawn->numbers[0]][drawn->seed[from + i]] -
                                of[drawn->numbers[1]][drawn->seed[reference + i]];
            if (isfinite(difference)) {
                unit[i].sum += difference;
                unit[i].n++;
            }
        }
    }
}

/* Two names for one variant with different seeds (groups: 2, or 1 where the seeds do not reach), or
 * with different random numbers under the same seeds (groups: 0). */
static bool is_false(const struct drawn *drawn, size_t m, size_t n_grid, size_t n_seed,
                     size_t n_group)
{
    static struct flip_unit unit[2 * N_TASK][MAX_GROUP];
    struct flip_row row[2 * N_TASK];
    struct error err;
    size_t n_row = 0;
    bool exact, any = false;
    for (size_t task = 0; task < N_TASK; task++) {
        for (size_t group = 0; group < (n_group ? n_group : 1); group++) {
            row[n_row].unit = unit[n_row];
            fill(drawn, m, task, n_grid, n_seed, group * n_seed, n_group * n_seed, unit[n_row++]);
        }
    }
    ck_assert_int_eq(flips_test(row, n_row, n_seed, &exact, &err), STATUS_OK);
    for (size_t i = 0; i < n_row; i++) {
        any |= row[i].p_corrected <= FLIPS_LEVEL;
    }
    return any;
}

/* False verdicts of n_draw draws, for each measure. */
static void count(size_t n_draw, size_t n_grid, size_t n_seed, bool two_numbers,
                  size_t n_false[N_MEASURE])
{
    for (size_t m = 0; m < N_MEASURE; m++) {
        n_false[m] = 0;
    }
    for (uint64_t draw = 0; draw < n_draw; draw++) {
        struct drawn drawn;
        size_t n_group = two_numbers ? 0 : 3 * n_seed <= N_SEED ? 2 : 1;
        rng_permutation(rng_make(draw, "seeds/%zu/%zu", n_grid, n_seed), N_SEED, drawn.seed);
        rng_permutation(rng_make(draw, "grid/%zu/%zu", n_grid, n_seed), N_GRID, drawn.grid);
        drawn.numbers[0] = draw % 2;
        drawn.numbers[1] = two_numbers ? 1 - draw % 2 : draw % 2;
        for (size_t m = 0; m < N_MEASURE; m++) {
            n_false[m] += is_false(&drawn, m, n_grid, n_seed, n_group);
        }
    }
}

TEST(false_verdicts)
{
    static const size_t grid[] = {1, 4, 16};
    bool told;
    size_t n_draw = draws(&told);
    read_runs();
    for (size_t i = 0; i < 2 * sizeof grid / sizeof *grid; i++) {
        bool two_numbers = i >= sizeof grid / sizeof *grid;
        size_t n_grid = grid[i % (sizeof grid / sizeof *grid)];
        for (size_t n_seed = FLIPS_MIN_SEED; n_seed <= MAX_GROUP; n_seed += told ? 1 : 3) {
            size_t n_false[N_MEASURE];
            count(n_draw, n_grid, n_seed, two_numbers, n_false);
            printf(told ? "| %s | %zu | %zu |" : "", two_numbers ? "numbers" : "seeds", n_grid,
                   n_seed);
            for (size_t m = 0; m < N_MEASURE; m++) {
                printf(told ? " %.3f |" : "", (double)n_false[m] / (double)n_draw);
                ck_assert_msg(n_false[m] <= most_false(n_draw),
                              "%zu of %zu false verdicts on %s with %zu configurations and %zu "
                              "seeds (%s)",
                              n_false[m], n_draw, measure_name[m], n_grid, n_seed,
                              two_numbers ? "other numbers" : "other seeds");
            }
            printf(told ? "\n" : "");
        }
    }
}

/* ---- power ---- */

/* The share of draws in which a shift of one row, in standard deviations between seeds, is found
 * among n_row rows of normal differences that share a baseline. */
static double share_found(size_t n_draw, size_t n_row, size_t n_seed, double shift)
{
    static struct flip_unit unit[MAX_ROW][MAX_GROUP];
    struct flip_row row[MAX_ROW];
    size_t n_found = 0;
    for (uint64_t draw = 0; draw < n_draw; draw++) {
        struct rng rng = rng_make(draw, "power/%zu/%zu", n_row, n_seed);
        bool exact;
        for (size_t r = 0; r < n_row; r++) {
            row[r].unit = unit[r];
            for (size_t i = 0; i < n_seed; i++) {
                double noise = rng_normal(rng, i) + rng_normal(rng, (r + 1) * MAX_GROUP + i);
                unit[r][i] = (struct flip_unit){noise / sqrt(2) + (r == 0 ? shift : 0), 1};
            }
        }
        ck_assert_int_eq(flips_test(row, n_row, n_seed, &exact, NULL), STATUS_OK);
        n_found += row[0].p_corrected <= FLIPS_LEVEL;
    }
    return (double)n_found / (double)n_draw;
}

/* The smallest shift, in steps of a quarter, that is found in four of five draws. */
TEST(power)
{
    static const size_t n_row[] = {1, 10, 30};
    bool told;
    size_t n_draw = draws(&told) / 4;
    for (size_t n_seed = FLIPS_MIN_SEED; n_seed <= (told ? MAX_GROUP : FLIPS_MIN_SEED); n_seed++) {
        printf(told ? "| %zu |" : "", n_seed);
        for (size_t i = 0; i < sizeof n_row / sizeof *n_row; i++) {
            double shift = 0.5;
            while (share_found(n_draw, n_row[i], n_seed, shift) < 0.8) {
                shift += 0.25;
                ck_assert_msg(shift <= 6, "%zu seeds see nothing in %zu rows", n_seed, n_row[i]);
            }
            printf(told ? " %.2f |" : "", shift);
        }
        printf(told ? "\n" : "");
    }
}
