/* comparisons: pairs into independent units, units into numbers, numbers into a verdict. */
#include "report/statistics/comparisons.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/statistics/resample.h"

/* ---- what the pairs hold ---- */

static bool has(const struct run *run, enum measure measure)
{
    return isfinite(run->measure[measure]);
}

static void count_pair(struct comparison *comparison, const struct pair *pair, enum measure measure)
{
    double difference = pair_difference(pair, measure);
    if (isfinite(difference)) {
        stats_add(&comparison->variant, pair->run->measure[measure]);
        stats_add(&comparison->reference, pair->reference->measure[measure]);
        stats_add(&comparison->difference, difference);
        comparison->n_above += difference > 0;
        comparison->n_below += difference < 0;
    } else {
        comparison->n_only_variant += has(pair->run, measure);
        comparison->n_only_reference += has(pair->reference, measure);
    }
}

/* Pairs come by configuration, and a seed may come with any of them. */
static void count_groups(struct comparison *comparison, enum measure measure)
{
    const struct paired *paired = comparison->paired;
    const struct pair *last = NULL;
    for (size_t i = 0; i < paired->n_pair; i++) {
        const struct pair *pair = &paired->pair[i];
        if (!isfinite(pair_difference(pair, measure))) {
            continue;
        }
        bool known = false;
        for (size_t j = 0; j < i && !known; j++) {
            known = run_seed(paired->pair[j].run) == run_seed(pair->run) &&
                    isfinite(pair_difference(&paired->pair[j], measure));
        }
        comparison->n_seed += !known;
        comparison->n_configuration += !last || last->configuration != pair->configuration;
        last = pair;
    }
}

static struct comparison describe(const struct paired *paired, enum measure measure)
{
    struct comparison comparison = {.paired = paired,
                                    .variant = STATS_NONE,
                                    .reference = STATS_NONE,
                                    .difference = STATS_NONE,
                                    .low = NAN,
                                    .high = NAN,
                                    .p = NAN,
                                    .p_holm = NAN,
                                    .n_needed = SIZE_MAX};
    for (size_t i = 0; i < paired->n_pair; i++) {
        count_pair(&comparison, &paired->pair[i], measure);
    }
    count_groups(&comparison, measure);
    return comparison;
}

/* ---- units ---- */

/* Whether each configuration has enough pairs to be resampled on its own. */
static bool can_stratify(const struct paired *paired, enum measure measure)
{
    size_t n_here = 0, configuration = SIZE_MAX;
    for (size_t i = 0; i < paired->n_pair; i++) {
        if (!isfinite(pair_difference(&paired->pair[i], measure))) {
            continue;
        }
        if (paired->pair[i].configuration != configuration) {
            if (configuration != SIZE_MAX && n_here < COMPARISONS_MIN_STRATUM) {
                return false;
            }
            configuration = paired->pair[i].configuration;
            n_here = 0;
        }
        n_here++;
    }
    return n_here >= COMPARISONS_MIN_STRATUM;
}

/* Fills unit [n_pair] and returns how many there are. */
static size_t make_units(const struct comparison *comparison, enum measure measure,
                         struct resample_unit *unit)
{
    const struct paired *paired = comparison->paired;
    bool stratify = can_stratify(paired, measure);
    size_t n_unit = 0, configuration = SIZE_MAX;
    for (size_t i = 0; i < paired->n_pair; i++) {
        const struct pair *pair = &paired->pair[i];
        double difference = pair_difference(pair, measure);
        if (!isfinite(difference)) {
            continue;
        }
        if (comparison->unit == UNIT_PAIR) {
            unit[n_unit++] =
                (struct resample_unit){difference, 1, stratify ? pair->configuration : 0};
        } else if (pair->configuration == configuration) {
            unit[n_unit - 1].sum += difference;
            unit[n_unit - 1].n_pair++;
        } else {
            unit[n_unit++] = (struct resample_unit){difference, 1, 0};
        }
        configuration = pair->configuration;
    }
    return n_unit;
}

/* The spread that more units would average out: that of the units' means. */
static size_t count_needed(const struct comparison *comparison, const struct resample_unit *unit,
                           size_t n_unit)
{
    struct stats means = STATS_NONE;
    for (size_t i = 0; i < n_unit; i++) {
        stats_add(&means, unit[i].sum / (double)unit[i].n_pair);
    }
    return resample_n_needed(comparison->difference.mean, means.sd);
}

static enum status test_units(struct comparison *comparison, enum measure measure,
                              struct resample_unit *unit, struct error *err)
{
    comparison->unit =
        comparison->n_configuration >= COMPARISONS_MIN_UNIT ? UNIT_CONFIGURATION : UNIT_PAIR;
    size_t n_unit = comparison->n_unit = make_units(comparison, measure, unit);
    if (n_unit < COMPARISONS_MIN_UNIT) {
        comparison->verdict = VERDICT_TOO_FEW;
        return STATUS_OK;
    }
    comparison->n_needed = count_needed(comparison, unit, n_unit);
    TRY(resample_flip_p(unit, n_unit, &comparison->p, &comparison->exact, err));
    return resample_interval(unit, n_unit, &comparison->low, &comparison->high, err);
}

/* ---- tables ---- */

static enum verdict judge(const struct comparison *comparison)
{
    if (isnan(comparison->p)) {
        return VERDICT_TOO_FEW;
    }
    if (!(comparison->p_holm <= COMPARISONS_LEVEL)) {
        return VERDICT_UNDECIDED;
    }
    return comparison->difference.mean < 0 ? VERDICT_LOWER : VERDICT_HIGHER;
}

static enum status correct(struct comparison_table *table, struct error *err)
{
    double *p = calloc(table->n_comparison + 1, sizeof *p);
    if (!p) {
        return error_memory(err, "comparing variants");
    }
    for (size_t i = 0; i < table->n_comparison; i++) {
        p[i] = table->comparison[i].p;
        table->n_tested += isfinite(p[i]);
    }
    table->n_min = resample_min_unit(table->n_tested);
    enum status status = resample_holm(p, table->n_comparison, p, err);
    for (size_t i = 0; status == STATUS_OK && i < table->n_comparison; i++) {
        struct comparison *comparison = &table->comparison[i];
        comparison->p_holm = p[i];
        comparison->verdict = judge(comparison);
        if (comparison->n_needed < table->n_min) {
            comparison->n_needed = table->n_min;
        }
    }
    free(p);
    return status;
}

static size_t most_pairs(const struct pairs *pairs)
{
    size_t n = 0;
    for (size_t i = 0; i < pairs->n_paired; i++) {
        n = pairs->paired[i].n_pair > n ? pairs->paired[i].n_pair : n;
    }
    return n;
}

static enum status fill_table(const struct pairs *pairs, struct comparison_table *table,
                              struct error *err)
{
    struct resample_unit *unit = calloc(most_pairs(pairs) + 1, sizeof *unit);
    table->comparison = calloc(pairs->n_paired + 1, sizeof *table->comparison);
    enum status status =
        unit && table->comparison ? STATUS_OK : error_memory(err, "comparing variants");
    for (size_t i = 0; status == STATUS_OK && i < pairs->n_paired; i++) {
        const struct paired *paired = &pairs->paired[i];
        if (paired->n_pair == 0 || paired->run->kind != table->kind) {
            continue;
        }
        struct comparison comparison = describe(paired, table->measure);
        if (comparison.difference.n + comparison.n_only_variant + comparison.n_only_reference > 0) {
            status = test_units(&comparison, table->measure, unit, err);
            table->comparison[table->n_comparison++] = comparison;
        }
    }
    free(unit);
    return status == STATUS_OK ? correct(table, err) : status;
}

static enum status add_tables(struct comparisons *comparisons, const struct report_kind *kind,
                              struct error *err)
{
    for (int i = 0; i < MEASURE_COUNT; i++) {
        enum measure measure = (enum measure)i;
        if (!(measure_row(measure)->compared & kind->bit)) {
            continue;
        }
        struct comparison_table *table = &comparisons->table[comparisons->n_table++];
        *table = (struct comparison_table){.measure = measure, .kind = kind};
        TRY(fill_table(&comparisons->pairs, table, err));
        if (table->n_comparison == 0) {
            free(table->comparison);
            comparisons->n_table--;
        }
    }
    return STATUS_OK;
}

enum status comparisons_make(const struct group *group, const struct references *references,
                             struct comparisons *comparisons, struct error *err)
{
    *comparisons = (struct comparisons){0};
    TRY(pairs_of(group, references, &comparisons->pairs, err));
    for (size_t i = 0; i < comparisons->pairs.n_paired; i++) {
        comparisons->n_without_reference += comparisons->pairs.paired[i].n_without_reference;
    }
    comparisons->table = calloc((size_t)N_REPORT_KIND * MEASURE_COUNT, sizeof *comparisons->table);
    if (!comparisons->table) {
        return error_memory(err, "comparing variants");
    }
    for (size_t i = 0; i < N_REPORT_KIND; i++) {
        TRY(add_tables(comparisons, &report_kinds[i], err));
    }
    return STATUS_OK;
}

void comparisons_free(struct comparisons *comparisons)
{
    for (size_t i = 0; i < comparisons->n_table; i++) {
        free(comparisons->table[i].comparison);
    }
    free(comparisons->table);
    pairs_free(&comparisons->pairs);
    *comparisons = (struct comparisons){0};
}

const struct comparison_table *comparisons_find(const struct comparisons *comparisons,
                                                enum measure measure, enum measured_kind kind)
{
    for (size_t i = 0; i < comparisons->n_table; i++) {
        const struct comparison_table *table = &comparisons->table[i];
        if (table->measure == measure && table->kind->bit == kind) {
            return table;
        }
    }
    return NULL;
}

const struct comparison *comparisons_of(const struct comparisons *comparisons, enum measure measure,
                                        const struct run *run)
{
    const struct comparison_table *table = comparisons_find(comparisons, measure, run->kind->bit);
    for (size_t i = 0; table && i < table->n_comparison; i++) {
        const struct run *here = table->comparison[i].paired->run;
        if (here->level[FACTOR_TASK] == run->level[FACTOR_TASK] &&
            here->level[FACTOR_VARIANT] == run->level[FACTOR_VARIANT]) {
            return &table->comparison[i];
        }
    }
    return NULL;
}

/* ---- words ---- */

const char *comparison_verdict_key(enum verdict verdict)
{
    static const char *const key[] = {[VERDICT_TOO_FEW] = "too few",
                                      [VERDICT_LOWER] = "lower",
                                      [VERDICT_HIGHER] = "higher",
                                      [VERDICT_UNDECIDED] = "not distinguishable"};
    return key[verdict];
}

const char *comparison_unit_name(enum comparison_unit unit)
{
    return unit == UNIT_PAIR ? "pair" : "configuration";
}

/* More seeds in one configuration are more pairs; in several, a pair is one of either. */
static const char *needed_name(const struct comparison *comparison)
{
    if (comparison->unit == UNIT_CONFIGURATION) {
        return "configurations";
    }
    return comparison->n_configuration > 1 ? "pairs" : "seeds";
}

static bool is_identical(const struct comparison *comparison)
{
    return comparison->difference.mean == 0 && comparison->difference.sd == 0;
}

const char *comparison_verdict_words(const struct comparison *comparison)
{
    bool below = comparison->difference.mean < 0;
    if (comparison->verdict == VERDICT_TOO_FEW) {
        return "nothing can be concluded";
    }
    if (comparison->verdict == VERDICT_UNDECIDED && is_identical(comparison)) {
        return "identical in all pairs";
    }
    if (comparison->verdict == VERDICT_UNDECIDED && comparison->p <= COMPARISONS_LEVEL) {
        return below ? "lower before correction" : "higher before correction";
    }
    return comparison_verdict_key(comparison->verdict);
}

void comparison_needed(const struct comparison *comparison, char text[COMPARISON_NEEDED_SIZE])
{
    const char *what = needed_name(comparison);
    text[0] = '\0';
    if (comparison->verdict == VERDICT_TOO_FEW) {
        snprintf(text, COMPARISON_NEEDED_SIZE, "%d pairs", COMPARISONS_MIN_UNIT);
    } else if (comparison->verdict != VERDICT_UNDECIDED || is_identical(comparison)) {
        return;
    } else if (comparison->n_needed > COMPARISONS_MAX_NEEDED) {
        snprintf(text, COMPARISON_NEEDED_SIZE, "more than %d %s", COMPARISONS_MAX_NEEDED, what);
    } else if (comparison->n_needed > comparison->n_unit) {
        snprintf(text, COMPARISON_NEEDED_SIZE, "%zu %s", comparison->n_needed, what);
    }
}

void comparison_words(const struct comparison *comparison, char text[COMPARISON_WORDS_SIZE])
{
    const char *verdict = comparison_verdict_words(comparison);
    char needed[COMPARISON_NEEDED_SIZE];
    comparison_needed(comparison, needed);
    if (comparison->verdict == VERDICT_TOO_FEW) {
        snprintf(text, COMPARISON_WORDS_SIZE, "%s (%zu pair%s, %d are needed)", verdict,
                 comparison->difference.n, comparison->difference.n == 1 ? "" : "s",
                 COMPARISONS_MIN_UNIT);
    } else if (needed[0]) {
        snprintf(text, COMPARISON_WORDS_SIZE,
                 "%s (%s%s would be needed to see a difference of this size)", verdict,
                 comparison->n_needed > COMPARISONS_MAX_NEEDED ? "" : "about ", needed);
    } else {
        snprintf(text, COMPARISON_WORDS_SIZE, "%s", verdict);
    }
}
