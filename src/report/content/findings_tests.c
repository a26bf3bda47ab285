/* findings_tests: what the tests say, one sentence a measure. With too few pairs it says
 * that, once, instead of leaving a reader to guess.
 */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "report/content/finding.h"

static const char rule_test[] =
    "Each variant is compared with the baseline over pairs of the same configuration and seed. The "
    "seed is the unit: the two names are exchanged for all pairs of a seed at once, in all "
    "comparisons of the measure, two-sided 5 % for any of them (step-down maximum). What is said "
    "holds for the configurations of these runs. Below six seeds nothing can be concluded.";

/* With many runs the test sees differences that matter to nobody: those are counted, not told. */
enum finding_kind {
    KIND_LOWER,
    KIND_HIGHER,
    KIND_LOWER_ALONE,
    KIND_HIGHER_ALONE,
    KIND_SMALL,
    KIND_OPEN
};

static bool is_step(const struct comparison_table *table)
{
    return measure_row(table->measure)->unit == UNIT_STEP;
}

static double small_difference(const struct comparison_table *table)
{
    return is_step(table) ? FINDINGS_SMALL_STEP : FINDINGS_SMALL;
}

static enum finding_kind kind_of(const struct comparison_table *table, size_t row)
{
    const struct comparison *comparison = &table->comparison[row];
    bool below = comparison->difference.mean < 0;
    bool small = fabs(comparison->difference.mean) < small_difference(table);
    if (comparison->verdict == VERDICT_LOWER || comparison->verdict == VERDICT_HIGHER) {
        return small ? KIND_SMALL : below ? KIND_LOWER : KIND_HIGHER;
    }
    if (comparison->p <= FLIPS_LEVEL && !small) {
        return below ? KIND_LOWER_ALONE : KIND_HIGHER_ALONE;
    }
    return KIND_OPEN;
}

static bool same_variant(const struct comparison *a, const struct comparison *b)
{
    return strcmp(a->paired->run->variant_id, b->paired->run->variant_id) == 0;
}

static bool is_first(const struct comparison_table *table, size_t row, enum finding_kind kind)
{
    for (size_t i = 0; i < row; i++) {
        if (kind_of(table, i) == kind &&
            same_variant(&table->comparison[i], &table->comparison[row])) {
            return false;
        }
    }
    return true;
}

/* Appends "**Q=K** on Shift (-0.312), Sort (-0.020)", from a variant's first row on. */
static void append_variant(struct text *text, const struct comparison_table *table, size_t row,
                           enum finding_kind kind)
{
    const struct comparison *first = &table->comparison[row];
    text_append(text, "**%s** on ", first->paired->run->variant_name);
    for (size_t i = row; i < table->n_comparison; i++) {
        const struct comparison *comparison = &table->comparison[i];
        if (kind_of(table, i) == kind && same_variant(comparison, first)) {
            char mean[STATS_TEXT_SIZE];
            stats_signed_text(comparison->difference.mean, is_step(table) ? 0 : 3, mean);
            text_append(text, "%s%s (%s)", i > row ? ", " : "",
                        run_task_title(comparison->paired->run), mean);
        }
    }
}

static void append_kind(struct text *text, const struct comparison_table *table,
                        enum finding_kind kind, size_t *n_part)
{
    static const char *const side[2][2] = {{"lower", "higher"}, {"earlier", "later"}};
    bool above = kind == KIND_HIGHER || kind == KIND_HIGHER_ALONE;
    bool alone = kind == KIND_LOWER_ALONE || kind == KIND_HIGHER_ALONE;
    size_t n = 0;
    for (size_t i = 0; i < table->n_comparison; i++) {
        if (kind_of(table, i) != kind || !is_first(table, i, kind)) {
            continue;
        }
        if (n++ == 0) {
            text_append(text, "%s%s%s for ", *n_part > 0 ? "; " : "", side[is_step(table)][above],
                        alone ? " before correction" : "");
        } else {
            text_append(text, ", ");
        }
        append_variant(text, table, i, kind);
    }
    *n_part += n > 0;
}

static void append_open(struct text *text, const struct comparison_table *table, size_t n_part)
{
    size_t n_open = 0, n_small = 0, n_few = table->n_comparison - table->n_tested;
    for (size_t i = 0; i < table->n_comparison; i++) {
        n_open += !isnan(table->comparison[i].p) && kind_of(table, i) == KIND_OPEN;
        n_small += kind_of(table, i) == KIND_SMALL;
    }
    if (n_small > 0) {
        text_append(text, "%sa difference of less than %g in %zu of %zu comparison%s",
                    n_part++ > 0 ? "; " : "", small_difference(table), n_small, table->n_tested,
                    plural(table->n_tested));
    }
    if (n_open > 0) {
        text_append(text, "%snot distinguishable in %zu of %zu comparison%s",
                    n_part > 0 ? "; " : "", n_open, table->n_tested, plural(table->n_tested));
    }
    if (n_few > 0) {
        text_append(text, "; too few seeds for %zu more", n_few);
    }
}

static const char *reference_name(const struct comparison_table *table)
{
    const struct run *first = table->comparison[0].paired->reference;
    for (size_t i = 1; i < table->n_comparison; i++) {
        if (strcmp(table->comparison[i].paired->reference->variant_id, first->variant_id) != 0) {
            return "the baseline of the same sharing";
        }
    }
    return first->variant_name;
}

static void find_verdicts(const struct comparison_table *table, const char *what, bool headline,
                          struct findings *findings)
{
    struct text text = {0};
    size_t n_part = 0;
    text_append(&text, "%s against %s,%s tested: ", what, reference_name(table),
                is_step(table) ? " over the pairs in which both got there," : "");
    for (int kind = 0; kind < KIND_SMALL; kind++) {
        append_kind(&text, table, (enum finding_kind)kind, &n_part);
    }
    append_open(&text, table, n_part);
    text_append(&text, ".");
    findings_add(findings, rule_test, headline, &text);
}

static size_t most_seeds(const struct comparison_table *table)
{
    size_t n = 0;
    for (size_t i = 0; i < table->n_comparison; i++) {
        n = table->comparison[i].n_seed > n ? table->comparison[i].n_seed : n;
    }
    return n;
}

static void find_too_few(const struct comparison_table *table, const char *what,
                         struct findings *findings)
{
    struct text text = {0};
    size_t n = most_seeds(table);
    text_append(&text,
                "%s: **no test**, %zu seed%s; these runs are described below, and a verdict about "
                "differences from %s needs %d seeds.",
                what, n, plural(n), reference_name(table), FLIPS_MIN_SEED);
    findings_add(findings, rule_test, true, &text);
}

/* Runs of variants, but none with a partner. */
static void find_no_pairs(const struct comparisons *comparisons, struct findings *findings)
{
    struct text text = {0};
    if (comparisons->pairs.n_paired > 0) {
        text_append(&text, "**No test**: no variant shares a configuration and a seed with a "
                           "finished run of its baseline.");
    }
    findings_add(findings, rule_test, true, &text);
}

struct told {
    enum measure measure;
    enum measured_kind kind;
    bool headline;
    const char *what;
};

void find_tests(const struct comparisons *comparisons, struct findings *findings)
{
    static const struct told told[] = {
        {MEASURE_TOKEN_ACCURACY, OF_SEQUENCES, true, "Token accuracy"},
        {MEASURE_TOP1, OF_IMAGES, true, "Top-1 accuracy on images"},
        {MEASURE_SOLVED, OF_SEQUENCES, true, "Share of runs solved"},
        {MEASURE_ESCAPE_STEP, OF_SEQUENCES, true, "Escape step"},
        {MEASURE_ESCAPED, OF_SEQUENCES, false, "Share of runs that left the plateau"},
        {MEASURE_LOSS, OF_SEQUENCES, false, "Test loss"},
        {MEASURE_MEAN_TRAIN_LOSS, OF_SEQUENCES, false, "Mean training loss"},
        {MEASURE_REACHES_90, OF_SEQUENCES, false, "Step with 90 % of a batch right"},
    };
    if (comparisons->n_table == 0) {
        find_no_pairs(comparisons, findings);
    }
    for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
        const struct comparison_table *table =
            comparisons_find(comparisons, told[i].measure, told[i].kind);
        if (table && table->n_tested > 0) {
            find_verdicts(table, told[i].what, told[i].headline, findings);
        } else if (table && (i == 0 || told[i].kind == OF_IMAGES)) {
            find_too_few(table, told[i].what, findings);
        }
    }
}
