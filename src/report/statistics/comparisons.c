/* comparisons: pairs into differences by seed, those into p-values, p-values into verdicts. */
#include "report/statistics/comparisons.h"
#include "base/text.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* The seeds of all pairs, numbered from 0. */
struct seeds {
    size_t *place; /* [levels of the frame] from 1; 0: the pairs have no such seed */
    size_t n;
};

static size_t count_levels(const struct pairs *pairs)
{
    size_t n = 0;
    for (size_t i = 0; i < pairs->n_paired; i++) {
        for (size_t k = 0; k < pairs->paired[i].n_pair; k++) {
            size_t level = pairs->paired[i].pair[k].run->level[FACTOR_SEED];
            n = level + 1 > n ? level + 1 : n;
        }
    }
    return n;
}

/* Returns false where memory is short. */
static bool list_seeds(const struct pairs *pairs, struct seeds *seeds)
{
    *seeds = (struct seeds){.place = calloc(count_levels(pairs) + 1, sizeof *seeds->place)};
    for (size_t i = 0; seeds->place && i < pairs->n_paired; i++) {
        for (size_t k = 0; k < pairs->paired[i].n_pair; k++) {
            size_t *place = &seeds->place[pairs->paired[i].pair[k].run->level[FACTOR_SEED]];
            *place = *place ? *place : ++seeds->n;
        }
    }
    return seeds->place != NULL;
}

/* Describes the pairs that have the measure, and sums their differences by seed. */
static void collect(struct comparison *comparison, enum measure measure, const struct seeds *seeds,
                    struct flip_unit *unit)
{
    const struct paired *paired = comparison->paired;
    for (size_t i = 0, last = SIZE_MAX; i < paired->n_pair; i++) {
        const struct pair *pair = &paired->pair[i];
        double variant = pair->run->measure[measure];
        double reference = pair->reference->measure[measure];
        double difference = pair_difference(pair, measure);
        struct flip_unit *seed = &unit[seeds->place[pair->run->level[FACTOR_SEED]] - 1];
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
        comparison->n_seed += seed->n == 0;
        comparison->n_configuration += pair->configuration != last;
        last = pair->configuration;
        seed->sum += difference;
        seed->n++;
    }
}

/* ---- tables ---- */

/* The spread that more seeds would average out. */
static size_t count_needed(const struct comparison *comparison, const struct flip_unit *unit,
                           size_t n_seed)
{
    struct stats means = STATS_NONE;
    for (size_t i = 0; i < n_seed; i++) {
        if (unit[i].n > 0) {
            stats_add(&means, unit[i].sum / (double)unit[i].n);
        }
    }
    return flips_n_needed(comparison->difference.mean, means.sd);
}

static enum verdict judge(const struct comparison *comparison)
{
    if (isnan(comparison->p)) {
        return VERDICT_TOO_FEW;
    }
    if (comparison->p_corrected > FLIPS_LEVEL) {
        return VERDICT_UNDECIDED;
    }
    return comparison->difference.mean < 0 ? VERDICT_LOWER : VERDICT_HIGHER;
}

/* Fills row and unit [n_paired of [n_seed]] with the comparisons of the table. */
static void list_comparisons(const struct pairs *pairs, struct comparison_table *table,
                             const struct seeds *seeds, struct flip_row *row,
                             struct flip_unit *unit)
{
    for (size_t i = 0; i < pairs->n_paired; i++) {
        struct comparison comparison = {.paired = &pairs->paired[i],
                                        .variant = STATS_NONE,
                                        .reference = STATS_NONE,
                                        .difference = STATS_NONE,
                                        .n_needed = SIZE_MAX};
        struct flip_unit *here = unit + table->n_comparison * seeds->n;
        if (comparison.paired->run->kind != table->kind) {
            continue;
        }
        collect(&comparison, table->measure, seeds, here);
        if (comparison.difference.n + comparison.n_only_variant + comparison.n_only_reference > 0) {
            row[table->n_comparison].unit = here;
            table->comparison[table->n_comparison++] = comparison;
        }
    }
}

static enum status test_rows(struct comparison_table *table, struct flip_row *row, size_t n_seed,
                             struct error *err)
{
    TRY(flips_test(row, table->n_comparison, n_seed, &table->exact, err));
    for (size_t i = 0; i < table->n_comparison; i++) {
        struct comparison *comparison = &table->comparison[i];
        comparison->p = row[i].p;
        comparison->p_corrected = row[i].p_corrected;
        comparison->low = row[i].low;
        comparison->high = row[i].high;
        comparison->verdict = judge(comparison);
        if (comparison->verdict != VERDICT_TOO_FEW) {
            comparison->n_needed = count_needed(comparison, row[i].unit, n_seed);
            table->n_tested++;
        }
    }
    return STATUS_OK;
}

static enum status fill_table(const struct pairs *pairs, const struct seeds *seeds,
                              struct comparison_table *table, struct error *err)
{
    struct flip_row *row = calloc(pairs->n_paired + 1, sizeof *row);
    struct flip_unit *unit = calloc((pairs->n_paired + 1) * (seeds->n + 1), sizeof *unit);
    enum status status = STATUS_OK;
    table->comparison = calloc(pairs->n_paired + 1, sizeof *table->comparison);
    if (row && unit && table->comparison) {
        list_comparisons(pairs, table, seeds, row, unit);
        status = test_rows(table, row, seeds->n, err);
    } else {
        status = error_memory(err, "comparing variants");
    }
    free(row);
    free(unit);
    return status;
}

static enum status add_tables(struct comparisons *comparisons, const struct seeds *seeds,
                              const struct report_kind *kind, struct error *err)
{
    for (int i = 0; i < MEASURE_COUNT; i++) {
        enum measure measure = (enum measure)i;
        if (!(measure_row(measure)->compared & kind->bit)) {
            continue;
        }
        struct comparison_table *table = &comparisons->table[comparisons->n_table++];
        *table = (struct comparison_table){.measure = measure, .kind = kind};
        TRY(fill_table(&comparisons->pairs, seeds, table, err));
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
    struct seeds seeds = {0};
    enum status status = comparisons->table && list_seeds(&comparisons->pairs, &seeds)
                             ? STATUS_OK
                             : error_memory(err, "comparing variants");
    for (size_t i = 0; status == STATUS_OK && i < N_REPORT_KIND; i++) {
        status = add_tables(comparisons, &seeds, &report_kinds[i], err);
    }
    free(seeds.place);
    return status;
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
    if (comparison->verdict == VERDICT_UNDECIDED && comparison->p <= FLIPS_LEVEL) {
        return below ? "lower before correction" : "higher before correction";
    }
    return comparison_verdict_key(comparison->verdict);
}

void comparison_needed(const struct comparison *comparison, char text[COMPARISON_NEEDED_SIZE])
{
    text[0] = '\0';
    if (comparison->verdict == VERDICT_TOO_FEW) {
        snprintf(text, COMPARISON_NEEDED_SIZE, "at least %d seeds", FLIPS_MIN_SEED);
    } else if (comparison->verdict != VERDICT_UNDECIDED || is_identical(comparison)) {
        return;
    } else if (comparison->n_needed > COMPARISONS_MAX_NEEDED) {
        snprintf(text, COMPARISON_NEEDED_SIZE, "more than %d seeds", COMPARISONS_MAX_NEEDED);
    } else if (comparison->n_needed > comparison->n_seed) {
        snprintf(text, COMPARISON_NEEDED_SIZE, "%zu seeds", comparison->n_needed);
    }
}

void comparison_words(const struct comparison *comparison, char text[COMPARISON_WORDS_SIZE])
{
    const char *verdict = comparison_verdict_words(comparison);
    char needed[COMPARISON_NEEDED_SIZE];
    comparison_needed(comparison, needed);
    if (comparison->verdict == VERDICT_TOO_FEW) {
        snprintf(text, COMPARISON_WORDS_SIZE, "%s (%zu seed%s, %d are needed)", verdict,
                 comparison->n_seed, plural(comparison->n_seed), FLIPS_MIN_SEED);
    } else if (needed[0]) {
        snprintf(text, COMPARISON_WORDS_SIZE,
                 "%s (%s%s would be needed to see a difference of this size)", verdict,
                 comparison->n_needed > COMPARISONS_MAX_NEEDED ? "" : "about ", needed);
    } else {
        snprintf(text, COMPARISON_WORDS_SIZE, "%s", verdict);
    }
}
