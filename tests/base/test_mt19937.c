/* The Mersenne Twister gives the numbers that its authors published. */
#include "base/mt19937.h"

#include "testing.h"

TEST(known_answers)
{
    struct mt19937 mt = mt19937_make(5489);
    ck_assert_uint_eq(mt19937_next(&mt), 3499211612);
    ck_assert_uint_eq(mt19937_next(&mt), 581869302);
    for (int i = 2; i < 9999; i++) {
        mt19937_next(&mt);
    }
    ck_assert_uint_eq(mt19937_next(&mt), 4123659995);
}
