/* What the most frequent digit of a row gets. */
#include "lesson/guess.h"
#include "testing.h"

/* The same by trying every row. */
static double by_trying(size_t n_token, size_t n_symbol)
{
    size_t n_row = 1, sum = 0;
    for (size_t t = 0; t < n_token; t++) {
        n_row *= n_symbol;
    }
    for (size_t row = 0; row < n_row; row++) {
        size_t count[8] = {0}, most = 0;
        for (size_t t = 0, rest = row; t < n_token; t++, rest /= n_symbol) {
            size_t c = ++count[rest % n_symbol];
            most = c > most ? c : most;
        }
        sum += most;
    }
    return (double)sum / (double)(n_row * n_token);
}

TEST(short_rows_agree_with_trying_them_all)
{
    for (size_t n_symbol = 1; n_symbol <= 4; n_symbol++) {
        for (size_t n_token = 1; n_token <= 7; n_token++) {
            ck_assert_double_eq_tol(guess_frequent(n_token, n_symbol), by_trying(n_token, n_symbol),
                                    1e-12);
        }
    }
}

/* From the exact fractions of (sum over k <= m of x^k / k!)^10. */
TEST(sixteen_digits_give_more_than_a_tenth)
{
    ck_assert_double_eq_tol(guess_frequent(16, 10), 0.2360248951004515, 1e-12);
}

TEST(long_rows_come_near_a_tenth)
{
    double long_row = guess_frequent(GUESS_MAX_TOKEN, 10);
    ck_assert(long_row > 0.1 && long_row < 0.16);
    ck_assert_double_eq(guess_frequent(4 * GUESS_MAX_TOKEN, 10), long_row);
}
