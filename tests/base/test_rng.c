#include <inttypes.h>
#include <math.h>
#include <stdbool.h>

#include "base/expect.h"
#include "base/rng.h"
#include "testing.h"

#define N_SAMPLE 200000

/* kat_vectors of Random123, philox4x32 with 10 rounds. */
TEST(philox_gives_the_known_answers)
{
    static const struct {
        uint32_t counter[4], key[2], word[4];
    } known[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < 3; i++) {
        uint32_t word[4];
        rng_philox(known[i].key, known[i].counter, word);
        for (size_t j = 0; j < 4; j++) {
            ck_assert_msg(word[j] == known[i].word[j],
                          "vector %zu, word %zu is %08" PRIx32 ", expected %08" PRIx32, i, j,
                          word[j], known[i].word[j]);
        }
    }
}

/* Computed by an implementation in Python. A change here changes the data and the initial weights
 * of every run: raise the engine's version with it. */
TEST(streams_never_change)
{
    static const struct {
        uint64_t seed, index, bits;
        const char *purpose;
        double uniform;
        uint32_t below_10, below_most;
    } known[] = {
        {0, 0, 0x18c00280ea1adce0, "init/head.weight", 0.09667983672452907, 0, 415236736},
        {1, 12345678901, 0x92e21ab68b8b1fe7, "data/train", 0.5737625785509802, 5, 2464291509},
        {UINT64_MAX, UINT64_MAX, 0xa59501ff11b5e754, "", 0.646804928562879, 6, 2778006014},
    };
    for (size_t i = 0; i < 3; i++) {
        struct rng rng = rng_make(known[i].seed, "%s", known[i].purpose);
        uint64_t bits = rng_bits(rng, known[i].index);
        ck_assert_msg(bits == known[i].bits, "%zu: bits %016" PRIx64 ", expected %016" PRIx64, i,
                      bits, known[i].bits);
        double uniform = rng_uniform(rng, known[i].index);
        ck_assert_msg(uniform == known[i].uniform, "%zu: uniform %.17g, expected %.17g", i, uniform,
                      known[i].uniform);
        uint32_t below = rng_below(rng, known[i].index, 10);
        ck_assert_msg(below == known[i].below_10, "%zu: below 10: %" PRIu32, i, below);
        below = rng_below(rng, known[i].index, UINT32_MAX);
        ck_assert_msg(below == known[i].below_most, "%zu: below 2^32 - 1: %" PRIu32, i, below);
    }
}

TEST(purposes_are_formatted)
{
    struct rng a = rng_make(3, "shuffle/%d", 12), b = rng_make(3, "shuffle/12");
    ck_assert_msg(a.key[0] == b.key[0] && a.key[1] == b.key[1], "two keys for one purpose");
}

static int compare_bits(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

TEST(no_two_streams_are_equal)
{
    enum { N_SEED = 64, N_PURPOSE = 64, N = N_SEED * N_PURPOSE * 2 };
    static uint64_t first[N];
    size_t n = 0;
    for (uint64_t seed = 0; seed < N_SEED; seed++) {
        for (int purpose = 0; purpose < N_PURPOSE; purpose++) {
            struct rng rng = rng_make(seed, "shuffle/%d", purpose);
            first[n++] = rng_bits(rng, 0);
            first[n++] = rng_bits(rng, 1);
        }
    }
    qsort(first, N, sizeof first[0], compare_bits);
    for (size_t i = 1; i < N; i++) {
        ck_assert_msg(first[i] != first[i - 1], "two streams share %016" PRIx64, first[i]);
    }
}

/* Bounds are about five standard errors. */
static void expect_near(double found, double expected, double bound, const char *what)
{
    ck_assert_msg(fabs(found - expected) < bound, "%s is %g, expected %g +- %g", what, found,
                  expected, bound);
}

TEST(uniform_has_its_moments)
{
    struct rng rng = rng_make(1, "test/uniform");
    double sum = 0, squares = 0, products = 0, previous = 0;
    for (uint64_t i = 0; i < N_SAMPLE; i++) {
        double x = rng_uniform(rng, i);
        ck_assert_msg(x >= 0 && x < 1, "uniform %" PRIu64 " is %.17g", i, x);
        ck_assert_msg(x * 0x1p53 == floor(x * 0x1p53), "%.17g is no multiple of 2^-53", x);
        sum += x - 0.5;
        squares += (x - 0.5) * (x - 0.5);
        products += (x - 0.5) * previous;
        previous = x - 0.5;
    }
    double error = 5 / sqrt(N_SAMPLE);
    expect_near(sum / N_SAMPLE, 0, error * 0.289, "mean - 1/2");
    expect_near(squares / N_SAMPLE, 1 / 12., error * 0.0745, "variance");
    expect_near(products / N_SAMPLE, 0, error / 12, "covariance of neighbours");
}

TEST(normal_has_its_moments)
{
    struct rng rng = rng_make(1, "test/normal");
    double moment[5] = {0};
    size_t n_beyond_2 = 0;
    for (uint64_t i = 0; i < N_SAMPLE; i++) {
        double x = rng_normal(rng, i);
        ck_assert_msg(isfinite(x) && fabs(x) < 8.6, "normal %" PRIu64 " is %g", i, x);
        n_beyond_2 += fabs(x) > 2;
        for (int k = 1; k <= 4; k++) {
            moment[k] += pow(x, k) / N_SAMPLE;
        }
    }
    double error = 5 / sqrt(N_SAMPLE);
    expect_near(moment[1], 0, error, "mean");
    expect_near(moment[2], 1, error * sqrt(2), "variance");
    expect_near(moment[3], 0, error * sqrt(15), "third moment");
    expect_near(moment[4], 3, error * sqrt(96), "fourth moment");
    expect_near((double)n_beyond_2 / N_SAMPLE, 0.0455, error * 0.2084, "share beyond 2");
}

TEST(different_streams_are_uncorrelated)
{
    static const char *const purposes[] = {"data/train", "data/test", "shuffle/0", "shuffle/1"};
    for (size_t a = 0; a < 4; a++) {
        struct rng x = rng_make(0, "%s", purposes[a]);
        struct rng y = rng_make(a == 3 ? 1 : 0, "%s", purposes[a == 3 ? 3 : a + 1]);
        double products = 0;
        for (uint64_t i = 0; i < N_SAMPLE / 4; i++) {
            products += (rng_uniform(x, i) - 0.5) * (rng_uniform(y, i) - 0.5);
        }
        expect_near(products / (N_SAMPLE / 4), 0, 5. / 12 / sqrt(N_SAMPLE / 4), purposes[a]);
    }
}

TEST(below_is_uniform)
{
    static const uint32_t bounds[] = {1, 2, 3, 10, 100};
    struct rng rng = rng_make(5, "test/below");
    for (size_t i = 0; i < 5; i++) {
        uint32_t n = bounds[i];
        size_t count[100] = {0};
        for (uint64_t j = 0; j < N_SAMPLE; j++) {
            uint32_t x = rng_below(rng, j, n);
            ck_assert_msg(x < n, "%" PRIu32 " is not below %" PRIu32, x, n);
            count[x]++;
        }
        double expected = (double)N_SAMPLE / n, chi2 = 0;
        for (uint32_t x = 0; x < n; x++) {
            chi2 += pow((double)count[x] - expected, 2) / expected;
        }
        /* mean n - 1, variance 2 (n - 1) */
        ck_assert_msg(chi2 <= n - 1 + 5 * sqrt(2. * (n - 1)), "below %" PRIu32 ": chi^2 is %g", n,
                      chi2);
    }
}

TEST(permutations_are_permutations)
{
    static uint32_t order[1000];
    for (size_t n = 0; n <= 1000; n = n < 5 ? n + 1 : n * 3) {
        bool seen[1000] = {false};
        rng_permutation(rng_make(0, "shuffle/%zu", n), n, order);
        for (size_t i = 0; i < n; i++) {
            ck_assert_msg(order[i] < n && !seen[order[i]], "n %zu: order[%zu] is %" PRIu32, n, i,
                          order[i]);
            seen[order[i]] = true;
        }
    }
}

TEST(permutations_of_three_are_equally_likely)
{
    enum { N = 60000 };
    size_t count[27] = {0}, n_kind = 0;
    for (int i = 0; i < N; i++) {
        uint32_t order[3];
        rng_permutation(rng_make(9, "shuffle/%d", i), 3, order);
        count[order[0] * 9 + order[1] * 3 + order[2]]++;
    }
    for (size_t i = 0; i < 27; i++) {
        if (count[i] > 0) {
            n_kind++;
            expect_near((double)count[i] / N, 1 / 6., 5 * 0.3727 / sqrt(N), "share");
        }
    }
    expect_size(n_kind, 6, "number of permutations");
}
