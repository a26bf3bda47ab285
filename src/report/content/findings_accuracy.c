/* findings_accuracy: accuracy and learning speed, each variant against the reference, paired by
 * seed. */
#include "report/content/finding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "lab/kind/sequences/sequences.h"

static const struct task *task_of(const struct part *part, size_t task)
{
    return run_config(part_task(part, task))->task;
}

static const char *name_of(const struct part *part, size_t variant)
{
    return part_variant(part, variant)->variant_name;
}

/* ---- accuracy ---- */

static const char rule_shortfall[] =
    "A variant falls short on a task when the mean over seeds of its token accuracy minus that of "
    "QKV with the same seed is below -" FINDINGS_NUMBER(
        FINDINGS_SHORTFALL) ". A task on which no "
                            "run has left chance compares nothing. That there is no shortfall is "
                            "said where a "
                            "verdict can be given, from six seeds on.";

/* Appends "Shift by 0.312 (0.298 to 0.330 over 3 seeds)". */
static void append_shortfall(struct text *text, const char *task, const struct stats *difference)
{
    text_append(text, "%s by %.3f", task, -difference->mean);
    if (difference->n == 1) {
        text_append(text, " (1 seed)");
        return;
    }
    text_append(text, " (%.3f to %.3f over %zu seeds", stats_shown(-difference->max, 3),
                stats_shown(-difference->min, 3), difference->n);
    if (difference->max >= 0) {
        text_append(text, "; not with every seed, so not distinguishable with so few");
    }
    text_append(text, ")");
}

/* Whether that a difference is small may be said: below, it may be the luck of few seeds. */
static bool can_conclude(const struct part *part, size_t task, const struct stats *difference)
{
    return difference->n >= FLIPS_MIN_SEED && !part_at_chance(part, task);
}

/* Returns the number of tasks on which that there is no shortfall can be said. */
static size_t describe_shortfalls(const struct part *part, size_t reference, size_t variant,
                                  struct text *text)
{
    size_t n_compared = 0;
    for (size_t task = 0; task < part->tasks.n_group; task++) {
        struct stats difference =
            group_difference(part_cell(part, variant, task), part_cell(part, reference, task),
                             MEASURE_TOKEN_ACCURACY);
        n_compared += can_conclude(part, task, &difference);
        if (!(difference.mean < -FINDINGS_SHORTFALL)) {
            continue;
        }
        if (text->size == 0) {
            text_append(text, "**%s** falls short of %s on ", name_of(part, variant),
                        name_of(part, reference));
        } else {
            text_append(text, ", ");
        }
        append_shortfall(text, run_task_title(part_task(part, task)), &difference);
    }
    if (text->size > 0) {
        text_append(text, ".");
    }
    return n_compared;
}

static void find_shortfalls(const struct part *part, size_t reference, struct findings *findings)
{
    struct text equals = {0};
    for (size_t variant = 0; variant < part->variants.n_group; variant++) {
        struct text text = {0};
        if (variant == reference) {
            continue;
        }
        size_t n_compared = describe_shortfalls(part, reference, variant, &text);
        if (n_compared > 0 && text.size == 0) {
            text_append(&equals, "%s**%s** (%zu task%s)", equals.size ? ", " : "",
                        name_of(part, variant), n_compared, plural(n_compared));
        }
        findings_add(findings, rule_shortfall, true, &text);
    }
    if (equals.size > 0) {
        text_append(&equals, ": no shortfall against %s on any task compared.",
                    name_of(part, reference));
    }
    findings_add(findings, rule_shortfall, true, &equals);
}

/* A task hides the cost of symmetric scores when its needed keys are mutual: j needs i where i
 * needs j. On the others a symmetric score map cannot serve both. */
static bool has_one_way_keys(const struct task *task, size_t n_token)
{
    for (size_t t = 0; t < n_token; t++) {
        int key = task_needed_key(task, t, n_token);
        if (key != TASK_NO_KEY && task_needed_key(task, (size_t)key, n_token) != (int)t) {
            return true;
        }
    }
    return false;
}

static const char rule_one_way[] =
    "A task has one-way keys when some position needs a key that does not need it back; mutual "
    "keys "
    "(Reverse, Swap, Copy) suit a symmetric score map, one-way keys do not.";

static void append_accuracies(struct text *text, const struct part *part, size_t task,
                              bool symmetric)
{
    for (size_t variant = 0, n = 0; variant < part->variants.n_group; variant++) {
        struct stats stats = group_stats(part_cell(part, variant, task), MEASURE_TOKEN_ACCURACY);
        if (stats.n == 0 || variant_product_symmetric(
                                &run_config(part_variant(part, variant))->variant) != symmetric) {
            continue;
        }
        text_append(text, "%s%s %.3f", n++ ? ", " : "", name_of(part, variant), stats.mean);
    }
}

static bool has_both_kinds(const struct part *part, size_t task)
{
    size_t n_kind[2] = {0};
    for (size_t variant = 0; variant < part->variants.n_group; variant++) {
        const struct group *cell = part_cell(part, variant, task);
        if (cell && cell->n_ok > 0) {
            n_kind[variant_product_symmetric(&run_config(part_variant(part, variant))->variant)]++;
        }
    }
    return n_kind[0] > 0 && n_kind[1] > 0;
}

static void find_one_way_tasks(const struct part *part, struct findings *findings)
{
    for (size_t task = 0; task < part->tasks.n_group; task++) {
        if (!has_one_way_keys(task_of(part, task), run_config(part->group->run[0])->seq_len) ||
            !has_both_kinds(part, task)) {
            continue;
        }
        struct text text = {0};
        text_append(&text, "**%s** has one-way keys. Token accuracy where Q K^T is symmetric: ",
                    run_task_title(part_task(part, task)));
        append_accuracies(&text, part, task, true);
        text_append(&text, "; where it is not: ");
        append_accuracies(&text, part, task, false);
        text_append(&text, ".");
        findings_add(findings, rule_one_way, true, &text);
    }
}

static const char rule_floor[] =
    "The best predictor that knows only the position reaches this accuracy without reading the "
    "input; only what lies above it was learned from the sequence.";

static void find_floors(const struct part *part, struct findings *findings)
{
    for (size_t task = 0; task < part->tasks.n_group; task++) {
        double floor = task_chance(task_of(part, task), run_config(part->group->run[0])->seq_len);
        struct text text = {0};
        if (!sequence_task_of(task_of(part, task))->position_floor) {
            continue;
        }
        text_append(&text, "**%s**: the position alone gives %.4f; above it are",
                    run_task_title(part_task(part, task)), floor);
        for (size_t variant = 0, n = 0; variant < part->variants.n_group; variant++) {
            struct stats stats = group_stats(part_cell(part, variant, task), MEASURE_ABOVE_FLOOR);
            if (stats.n > 0) {
                char mean[STATS_TEXT_SIZE];
                stats_signed_text(stats.mean, 3, mean);
                text_append(&text, "%s %s %s", n++ ? "," : "", name_of(part, variant), mean);
            }
        }
        text_append(&text, ".");
        findings_add(findings, rule_floor, false, &text);
    }
}

/* ---- learning speed ---- */

static const char rule_escape[] =
    "A variant leaves the plateau later when its escape step is later than QKV's with every seed "
    "they share, or when it never leaves where QKV does.";

enum pace { PACE_NOT_LATER, PACE_LATER, PACE_NEVER };

struct delay {
    enum pace pace;
    size_t n_never, n_pair;
    struct stats delay; /* over the seeds with which both leave */
};

static struct delay compare_escape(const struct group *cell, const struct group *reference)
{
    struct delay result = {PACE_NOT_LATER, 0, 0, STATS_NONE};
    for (size_t i = 0; cell && i < cell->n_run; i++) {
        const struct run *run = group_find_seed(cell, run_seed(cell->run[i]));
        const struct run *other = group_find_seed(reference, run_seed(cell->run[i]));
        if (!run || !other || isnan(other->measure[MEASURE_ESCAPE_STEP])) {
            continue;
        }
        result.n_pair++;
        result.n_never += isnan(run->measure[MEASURE_ESCAPE_STEP]);
        stats_add(&result.delay,
                  run->measure[MEASURE_ESCAPE_STEP] - other->measure[MEASURE_ESCAPE_STEP]);
    }
    if (result.n_pair > 0 && result.n_never == result.n_pair) {
        result.pace = PACE_NEVER;
    } else if (result.n_pair > 0 && result.delay.min > 0) {
        result.pace = PACE_LATER;
    }
    return result;
}

static void append_comparison(struct text *text, const char *name, const struct delay *result)
{
    if (result->pace == PACE_NEVER) {
        text_append(text, "%s (never, %zu of %zu seeds)", name, result->n_never, result->n_pair);
        return;
    }
    text_append(text, "%s (%.0f steps later", name, result->delay.mean);
    if (result->n_never > 0) {
        text_append(text, "; never with %zu of %zu seeds", result->n_never, result->n_pair);
    }
    text_append(text, ")");
}

static bool ever_escapes(const struct part *part, size_t variant)
{
    for (size_t task = 0; task < part->tasks.n_group; task++) {
        if (group_stats(part_cell(part, variant, task), MEASURE_ESCAPE_STEP).n > 0) {
            return true;
        }
    }
    return false;
}

/* Appends "**Q=K** on Reverse, Shift (never)", or nothing where the variant is not later. */
static void append_late_tasks(struct text *text, const struct part *part, size_t reference,
                              size_t variant)
{
    size_t n_late = 0;
    for (size_t task = 0; task < part->tasks.n_group; task++) {
        struct delay result =
            compare_escape(part_cell(part, variant, task), part_cell(part, reference, task));
        if (result.pace == PACE_NOT_LATER) {
            continue;
        }
        if (n_late++ > 0) {
            text_append(text, ", ");
        } else {
            text_append(text, "%s**%s** on ", text->size ? "; " : "", name_of(part, variant));
        }
        text_append(text, "%s%s", run_task_title(part_task(part, task)),
                    result.pace == PACE_NEVER ? " (never)" : "");
    }
}

/* One headline: which variants are later, and on which tasks. */
static void find_late_variants(const struct part *part, size_t reference, struct findings *findings)
{
    struct text list = {0}, sentence = {0};
    for (size_t variant = 0; variant < part->variants.n_group; variant++) {
        if (variant != reference) {
            append_late_tasks(&list, part, reference, variant);
        }
    }
    if (part->variants.n_group < 2) {
        return;
    }
    if (ever_escapes(part, reference)) {
        text_append(&sentence, "Later off the plateau than %s with every seed: %s.",
                    name_of(part, reference), list.size ? list.data : "none");
    } else {
        text_append(&sentence,
                    "%s itself leaves no plateau in these runs, so nothing is said about "
                    "delays.",
                    name_of(part, reference));
    }
    sentence.failed |= list.failed;
    text_free(&list);
    findings_add(findings, rule_escape, true, &sentence);
}

static void find_escape(const struct part *part, size_t reference, struct findings *findings)
{
    for (size_t task = 0; task < part->tasks.n_group; task++) {
        const struct group *base = part_cell(part, reference, task);
        struct stats steps = group_stats(base, MEASURE_ESCAPE_STEP);
        struct text text = {0};
        size_t n_later = 0;
        if (steps.n == 0) {
            continue;
        }
        text_append(&text,
                    "**%s**: %s leaves the plateau at step %.0f on average (%zu of %zu seeds); "
                    "later with every seed: ",
                    run_task_title(part_task(part, task)), name_of(part, reference), steps.mean,
                    steps.n, base->n_ok);
        for (size_t variant = 0; variant < part->variants.n_group; variant++) {
            struct delay result = compare_escape(part_cell(part, variant, task), base);
            if (variant == reference || result.pace == PACE_NOT_LATER) {
                continue;
            }
            text_append(&text, "%s", n_later++ ? ", " : "");
            append_comparison(&text, name_of(part, variant), &result);
        }
        text_append(&text, "%s.", n_later ? "" : "none");
        findings_add(findings, rule_escape, false, &text);
    }
}

/* ---- score terms ---- */

static const char rule_score_term[] =
    "A row with a score term is compared with the row that differs from it by that term alone, "
    "paired by seed; differences of token accuracy up to " FINDINGS_NUMBER(
        FINDINGS_SHORTFALL) " are not told.";

static size_t find_plain_row(const struct part *part, size_t variant)
{
    struct variant plain = run_config(part_variant(part, variant))->variant;
    char id[VARIANT_TEXT_SIZE];
    plain.score_term = SCORE_NONE;
    variant_id(&plain, id);
    return part_find_variant(part, id);
}

static void find_score_terms(const struct part *part, struct findings *findings)
{
    for (size_t variant = 0; variant < part->variants.n_group; variant++) {
        size_t plain = find_plain_row(part, variant);
        struct text text = {0};
        if (plain == variant || plain == part->variants.n_group) {
            continue;
        }
        size_t n_told = 0, n_compared = 0;
        text_append(&text, "**%s** against %s: token accuracy ", name_of(part, variant),
                    name_of(part, plain));
        for (size_t task = 0; task < part->tasks.n_group; task++) {
            struct stats difference =
                group_difference(part_cell(part, variant, task), part_cell(part, plain, task),
                                 MEASURE_TOKEN_ACCURACY);
            n_compared += can_conclude(part, task, &difference);
            if (fabs(difference.mean) > FINDINGS_SHORTFALL) {
                text_append(&text, "%s%+.3f on %s", n_told++ ? ", " : "", difference.mean,
                            run_task_title(part_task(part, task)));
            }
        }
        if (n_told == 0) {
            text_append(&text, "within %.2f on every task compared", FINDINGS_SHORTFALL);
        }
        text_append(&text, ".");
        if (n_told + n_compared > 0) {
            findings_add(findings, rule_score_term, true, &text);
        }
        text_free(&text);
    }
}

void find_accuracy(const struct part *part, struct findings *findings)
{
    size_t reference = part_find_variant(part, REFERENCE_VARIANT);
    if (reference < part->variants.n_group) {
        find_shortfalls(part, reference, findings);
        find_one_way_tasks(part, findings);
        find_late_variants(part, reference, findings);
        find_escape(part, reference, findings);
    } else {
        struct text text = {0};
        text_append(&text, "No run of QKV in this setting: nothing is said about shortfalls and "
                           "delays, which are told against it.");
        findings_add(findings, rule_shortfall, true, &text);
        find_one_way_tasks(part, findings);
    }
    find_score_terms(part, findings);
    find_floors(part, findings);
}
