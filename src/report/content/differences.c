/* differences: each variant against its reference, with interval, p-values and verdict. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "report/content/topics.h"
#include "report/content/values.h"

/* What is told of a kind of work, in this order; the CSV has every measure. */
static const struct {
    enum measure measure;
    unsigned kinds;
} told[] = {{MEASURE_TOKEN_ACCURACY, OF_SEQUENCES},
            {MEASURE_SOLVED, OF_SEQUENCES},
            {MEASURE_ESCAPED, OF_SEQUENCES},
            {MEASURE_ESCAPE_STEP, OF_SEQUENCES},
            {MEASURE_REACHES_90, OF_SEQUENCES},
            {MEASURE_MEAN_TRAIN_LOSS, OF_SEQUENCES},
            {MEASURE_TOP1, OF_IMAGES},
            {MEASURE_LOSS, OF_IMAGES}};
#define N_TOLD (sizeof told / sizeof *told)

/* ---- a table ---- */

static void add_p(struct table *table, double p)
{
    if (isnan(p)) {
        table_missing(table);
    } else if (p < 0.0001) {
        table_shown(table, p, "< 0.0001");
    } else {
        table_shown(table, p, "%.*f", p < 0.001 ? 4 : 3, p);
    }
}

static void add_interval(struct table *table, const struct comparison *comparison, int n_decimal)
{
    char low[STATS_TEXT_SIZE], high[STATS_TEXT_SIZE];
    if (comparison->difference.n == 0 || isnan(comparison->low)) {
        table_missing(table);
        return;
    }
    stats_signed_text(comparison->low, n_decimal, low);
    stats_signed_text(comparison->high, n_decimal, high);
    table_shown(table, comparison->low, "%s to %s", low, high);
}

static void add_row(struct table *table, const struct comparison *comparison, enum measure measure)
{
    const struct run *run = comparison->paired->run, *reference = comparison->paired->reference;
    int n_decimal = measure_row(measure)->unit == UNIT_STEP ? 1 : 3;
    bool usual = strcmp(reference->variant_id, REFERENCE_VARIANT) == 0;
    char needed[COMPARISON_NEEDED_SIZE];
    struct facets facets = FACETS_ANY;
    facets.task = (int)run->level[FACTOR_TASK];
    facets.variant = (int)run->level[FACTOR_VARIANT];
    comparison_needed(comparison, needed);
    table_row(table, facets_tag(facets), false);
    table_text(table, run_task_title(run));
    table_format(table, "%s%s%s", run->variant_name, usual ? "" : " against ",
                 usual ? "" : reference->variant_name);
    value_signed(table, comparison->difference.n == 0 ? NAN : comparison->difference.mean,
                 n_decimal);
    table_sums_up(table, comparison->difference.n, comparison->difference.min,
                  comparison->difference.max);
    add_interval(table, comparison, n_decimal);
    if (comparison->n_only_variant + comparison->n_only_reference > 0) {
        table_shown(table, (double)comparison->difference.n, "%zu, %zu (%zu, %zu with one alone)",
                    comparison->difference.n, comparison->n_seed, comparison->n_only_variant,
                    comparison->n_only_reference);
    } else {
        table_shown(table, (double)comparison->difference.n, "%zu, %zu", comparison->difference.n,
                    comparison->n_seed);
    }
    table_shown(table, (double)comparison->n_above - (double)comparison->n_below, "%zu, %zu",
                comparison->n_above, comparison->n_below);
    add_p(table, comparison->p);
    add_p(table, comparison->p_corrected);
    table_text(table, comparison_verdict_words(comparison));
    if (needed[0]) {
        table_shown(table, (double)comparison->n_needed, "%s", needed);
    } else {
        table_missing(table);
    }
}

static struct table *table_of(const struct comparison_table *of)
{
    const struct column columns[] = {
        {.title = of->kind->has_settings ? "task" : "data set"},
        {.title = "variant", .look = LOOK_HEAD},
        {.title = "difference"},
        {.title = "95 % interval"},
        {.title = "pairs, seeds", .hint = "pairs with the measure, and the seeds they have"},
        {.title = "above, below", .hint = "pairs with a difference above 0, below 0"},
        {.title = "p"},
        {.title = "corrected p", .hint = "for all comparisons of this table"},
        {.title = "verdict"},
        {.title = "needed",
         .hint = "about how many it would take to see a difference of this size"}};
    struct table *table = table_create(columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < of->n_comparison; i++) {
        add_row(table, &of->comparison[i], of->measure);
    }
    return table;
}

/* ---- what is said of it ---- */

static void say_caption(struct document *document, const struct comparison_table *table)
{
    const char *of_steps =
        measure_row(table->measure)->unit == UNIT_STEP
            ? "Over the pairs in which both got there; in brackets the pairs in which the variant "
              "alone, the baseline alone did. Those are in no difference here; the differences in "
              "the share of runs that left the plateau and in the mean training loss hold them. "
            : "";
    if (table->n_tested == 0) {
        document_paragraph(document, TONE_PLAIN,
                           "%sBelow %d seeds nothing can be concluded, so there is no test here.",
                           of_steps, FLIPS_MIN_SEED);
        return;
    }
    document_paragraph(document, TONE_PLAIN,
                       "%sVerdicts follow from the p-values corrected for the %zu comparison%s of "
                       "this table that %s %d seeds or more.",
                       of_steps, table->n_tested, plural(table->n_tested),
                       table->n_tested == 1 ? "has" : "have", FLIPS_MIN_SEED);
}

static bool is_identical(const struct comparison_table *table)
{
    size_t n_different = 0;
    for (size_t i = 0; i < table->n_comparison; i++) {
        const struct comparison *comparison = &table->comparison[i];
        n_different += comparison->n_above + comparison->n_below;
        n_different += comparison->n_only_variant + comparison->n_only_reference;
    }
    return n_different == 0;
}

static void say_table(struct document *document, const struct comparison_table *table)
{
    if (is_identical(table)) {
        document_paragraph(document, TONE_PLAIN,
                           "None: in all %zu comparisons the two agree in every pair.",
                           table->n_comparison);
        return;
    }
    say_caption(document, table);
    document_table(document, table_of(table), "Comparisons with the baseline", NULL);
}

static void say_preface(struct document *document, const struct comparisons *comparisons)
{
    char alone[192] = "";
    size_t n = comparisons->n_without_reference;
    if (n > 0) {
        snprintf(alone, sizeof alone,
                 "**%zu run%s no partner among the baseline's** and %s in no difference. ", n,
                 n == 1 ? " has" : "s have", n == 1 ? "is" : "are");
    }
    document_paragraph(
        document, TONE_PLAIN,
        "Variant minus baseline with the same configuration and seed, mean over pairs. The seed is "
        "the unit, since whatever shares one shares data, order and most initial weights: all its "
        "differences are exchanged at once, and a grid of any size over %d seeds is %d draws. p: "
        "how often an exchange of the two variants' names gives so large a difference; corrected "
        "p: so large a one in any row (step-down maximum); \"before correction\": it would pass as "
        "the only comparison. Interval: 95 %%, what the row's own test would not reject. Needed: "
        "how many seeds it would take to see a difference of this size with 80 %% power at the 5 "
        "%% level, a hint for the next sweep, which few runs give poorly. %sFurther measures: "
        "[comparisons.csv](comparisons.csv).",
        FLIPS_MIN_SEED, FLIPS_MIN_SEED, alone);
}

/* ---- of a kind, for the text ---- */

static const struct comparison_table *find(const struct comparisons *comparisons, size_t i,
                                           enum measured_kind kind)
{
    return told[i].kinds & kind ? comparisons_find(comparisons, told[i].measure, kind) : NULL;
}

static void say_comparisons(struct document *document, const struct comparisons *comparisons,
                            enum measured_kind kind)
{
    bool any = false, tested = false;
    for (size_t i = 0; i < N_TOLD; i++) {
        const struct comparison_table *table = find(comparisons, i, kind);
        any |= table != NULL;
        tested |= table && table->n_tested > 0;
    }
    if (!any) {
        document_paragraph(document, TONE_PLAIN,
                           "None: no variant shares a configuration and a seed with a finished run "
                           "of its baseline.");
        return;
    }
    if (!tested) {
        document_paragraph(document, TONE_PLAIN,
                           "Not tested: no variant has %d seeds in common with its baseline, and "
                           "fewer let nothing be concluded. The differences of these runs are in "
                           "[comparisons.csv](comparisons.csv).",
                           FLIPS_MIN_SEED);
        return;
    }
    say_preface(document, comparisons);
    for (size_t i = 0; i < N_TOLD; i++) {
        const struct comparison_table *table = find(comparisons, i, kind);
        if (table) {
            document_heading(document, 4, "Difference in %s", measure_row(told[i].measure)->title);
            say_table(document, table);
        }
    }
}

/* ---- for the page: a measure of all, chosen ---- */

void say_comparisons_of_all(struct document *document, const struct material *material)
{
    const struct comparisons *comparisons = &material->all;
    if (comparisons->n_table == 0) {
        return;
    }
    document_begin(document, GROUP_SECTION, "comparisons", "Comparisons");
    say_preface(document, comparisons);
    document_begin(document, GROUP_CHOICE, NULL, "Difference in");
    for (size_t i = 0; i < comparisons->n_table; i++) {
        const struct comparison_table *table = &comparisons->table[i];
        document_begin(document, GROUP_OPTION, NULL, "%s%s", measure_row(table->measure)->title,
                       table->kind->bit == OF_IMAGES ? " (images)" : "");
        say_table(document, table);
        document_end(document);
    }
    document_end(document);
    document_paragraph(document, TONE_NOTE,
                       "Pairs share the configuration and the seed, and with it the data and their "
                       "order. They are collected over all configurations, so the filter by sizes "
                       "does not apply here.");
    document_end(document);
}

void say_differences(struct document *document, const struct material *material)
{
    if (material->n_part > 1) {
        document_heading(document, 3, "Differences from the baseline");
        say_comparisons(document, &material->all, OF_SEQUENCES);
    }
}

void say_differences_of_part(struct document *document, const struct material *material,
                             size_t number)
{
    const struct comparisons *comparisons = material_comparisons(material, number);
    if (comparisons) {
        document_heading(document, 3, "Differences from the baseline");
        say_comparisons(document, comparisons, OF_SEQUENCES);
    }
}

void say_differences_of_images(struct document *document, const struct material *material)
{
    if (comparisons_find(&material->all, MEASURE_TOP1, OF_IMAGES)) {
        document_heading(document, 3, "Differences from the baseline on images");
        say_comparisons(document, &material->all, OF_IMAGES);
    }
}
