/* stats: the few numbers a table cell shows about the seeds behind it.
 *
 * Values that are not finite are not counted, so n says how many seeds a mean rests on. Fewer than
 * STATS_BAR_MIN values give no error bar: a spread of two numbers would pretend to know something.
 */
#ifndef QKVLAB_REPORT_STATS_H
#define QKVLAB_REPORT_STATS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#define STATS_BAR_MIN 3
#define STATS_TEXT_SIZE 64

struct stats {
    size_t n;                  /* finite values */
    double mean, sd, min, max; /* NaN where n is 0; sd is the sample's (n - 1), NaN below n 2 */
    double squares;            /* sum of squared distances from the mean */
};

#define STATS_NONE ((struct stats){0, NAN, NAN, NAN, NAN, 0})

/* stats_add takes one more value in. */
void stats_add(struct stats *stats, double value);

struct stats stats_of(const double *value, size_t n_value);

/* stats_compare orders doubles, for qsort. */
int stats_compare(const void *left, const void *right);

/* stats_has_bar: there are enough values for an error bar. */
bool stats_has_bar(const struct stats *stats);

/* stats_text writes "0.998 ± 0.001", "0.998 (n=2)" below STATS_BAR_MIN values, "-" for none. */
void stats_text(const struct stats *stats, int n_decimal, char text[STATS_TEXT_SIZE]);

/* stats_step_text is stats_text for steps that may never come: "71 ± 2", "75 (2 of 3)" where only
 * two of three seeds got there, "never (0 of 3)"; "-" where there was no seed. */
void stats_step_text(const struct stats *stats, size_t n_seed, char text[STATS_TEXT_SIZE]);

/* stats_shown returns a value that is shown with so many decimals: what rounds to nothing is 0,
 * without a sign. stats_signed_text writes it with one otherwise, "+0.012", "-0.300", "0.000". */
double stats_shown(double value, int n_decimal);
void stats_signed_text(double value, int n_decimal, char text[STATS_TEXT_SIZE]);

#endif
