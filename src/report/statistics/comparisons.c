/* comparisons: pairs into independent units, units into numbers, numbers into a verdict. */
#include "report/statistics/comparisons.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/statistics/resample.h"

/* ---- what the pairs hold ---- */

/* A pair of which both sides have the measure. */
struct sample {
    double difference;
    size_t configuration; /* ascending from sample to sample */
    long long seed;
};

static bool is_seed_of(long long seed, const struct sample *sample, size_t n)
{
    while (n > 0 && sample[n - 1].seed != seed) {
        n--;
    }
    return n > 0;
}

/* Describes the pairs, and lists those that count: comparison->difference.n of them. */
static void collect(struct comparison *comparison, enum measure measure, struct sample *sample)
{
    for (size_t i = 0, n = 0; i < comparison->paired->n_pair; i++) {
        const struct pair *pair = &comparison->paired->pair[i];
        double variant = pair->run->measure[measure];
        double reference = pair->reference->measure[measure];
        double difference = pair_difference(pair, measure);
        if (!isfinite(difference)) {
            comparison->n_only_variant += isfinite(variant);
            comparison->n_only_reference += isfinite(reference);
            continue;
        }
        stats_add(&comparison->variant, variant);
        stats_add(&comparison->reference, reference);
        stats_add(&comparison->difference, difference);
        comparison->n_above += difference > 0;
        comparison->n_below += difference < 0;
        comparison->n_seed += !is_seed_of(run_seed(pair->run), sample, n);
        sample[n++] = (struct sample){difference, pair->configuration, run_seed(pair->run)};
    }
}

/* ---- units ---- */

/* Fills unit [difference.n] with what is resampled and flipped as a whole. */
static void make_units(struct comparison *comparison, const struct sample *sample,
                       struct resample_unit *unit)
{
    size_t n_pair = comparison->difference.n, n = 0, fewest = SIZE_MAX;
    for (size_t i = 0; i < n_pair; i++) {
        if (i == 0 || sample[i].configuration != sample[i - 1].configuration) {
            unit[n++] = (struct resample_unit){0};
        }
        unit[n - 1].sum += sample[i].difference;
        unit[n - 1].n_pair++;
    }
    comparison->n_configuration = comparison->n_unit = n;
    comparison->unit = UNIT_CONFIGURATION;
    if (n >= COMPARISONS_MIN_UNIT) {
        return;
    }
    for (size_t i = 0; i < n; i++) {
        fewest = unit[i].n_pair < fewest ? unit[i].n_pair : fewest;
    }
    comparison->n_unit = n_pair;
    comparison->unit = UNIT_PAIR;
    for (size_t i = 0; i < n_pair; i++) {
        size_t stratum = fewest >= COMPARISONS_MIN_STRATUM ? sample[i].configuration : 0;
        unit[i] = (struct resample_unit){sample[i].difference, 1, stratum};
    }
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

static enum status test_units(struct comparison *comparison, const struct resample_unit *unit,
                              struct error *err)
{
    size_t n_unit = comparison->n_unit;
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
    double *p;
    TRY_CALLOC(err, p, table->n_comparison, "comparing variants");
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

/* Adds the comparison of one variant, if a pair has the measure. sample and unit have room for all
 * its pairs. */
static enum status add_comparison(struct comparison_table *table, const struct paired *paired,
                                  struct sample *sample, struct resample_unit *unit,
                                  struct error *err)
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
    collect(&comparison, table->measure, sample);
    if (comparison.difference.n + comparison.n_only_variant + comparison.n_only_reference == 0) {
        return STATUS_OK;
    }
    make_units(&comparison, sample, unit);
    TRY(test_units(&comparison, unit, err));
    table->comparison[table->n_comparison++] = comparison;
    return STATUS_OK;
}

static enum status fill_table(const struct pairs *pairs, struct comparison_table *table,
                              struct error *err)
{
    size_t most = 0;
    for (size_t i = 0; i < pairs->n_paired; i++) {
        most = pairs->paired[i].n_pair > most ? pairs->paired[i].n_pair : most;
    }
    struct sample *sample = calloc(most + 1, sizeof *sample);
    struct resample_unit *unit = calloc(most + 1, sizeof *unit);
    table->comparison = calloc(pairs->n_paired + 1, sizeof *table->comparison);
    bool enough = sample && unit && table->comparison;
    enum status status = enough ? STATUS_OK : error_memory(err, "comparing variants");
    for (size_t i = 0; status == STATUS_OK && i < pairs->n_paired; i++) {
        const struct paired *paired = &pairs->paired[i];
        if (paired->run->kind == table->kind) {
            status = add_comparison(table, paired, sample, unit, err);
        }
    }
    free(sample);
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
    TRY_CALLOC(err, comparisons->table, (size_t)N_REPORT_KIND * MEASURE_COUNT,
               "comparing variants");
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
