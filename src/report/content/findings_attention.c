/* findings_attention: what the maps of the last layer show. A map differs by seed, so every
 * sentence names the seeds it holds for.
 */
#include <math.h>

#include "base/text.h"
#include "report/content/finding.h"

/* On tasks like Copy the needed key is the own position: both shares are the same number. */
static bool needs_other_positions(const struct task *task, size_t n_token)
{
    size_t n_other = 0;
    for (size_t t = 0; t < n_token; t++) {
        int key = task_needed_key(task, t, n_token);
        if (key == TASK_NO_KEY) {
            return false;
        }
        n_other += key != (int)t;
    }
    return 2 * n_other > n_token;
}

static const struct task *task_of(const struct part *part, size_t task)
{
    return run_config(part_task(part, task))->task;
}

typedef bool map_test(const struct run *run);

static bool shows_x(const struct run *run)
{
    return run->measure[MEASURE_NEEDED] >= FINDINGS_X_SHARE &&
           run->measure[MEASURE_DIAGONAL] >= FINDINGS_X_SHARE;
}

static bool is_clean(const struct run *run)
{
    return run->measure[MEASURE_NEEDED] >= FINDINGS_CLEAN_NEEDED &&
           run->measure[MEASURE_DIAGONAL] <= FINDINGS_CLEAN_DIAGONAL;
}

/* Appends "Q=K (all 3 seeds)" or "Q=K (seeds 0, 2 of 3)" for a cell some of whose runs pass. */
static bool append_seeds(struct text *text, const struct group *cell, map_test *test, bool first)
{
    size_t n = 0;
    struct text seeds = {0};
    for (size_t i = 0; cell && i < cell->n_run; i++) {
        if (run_is_ok(cell->run[i]) && test(cell->run[i])) {
            text_append(&seeds, "%s%lld", n++ ? ", " : "", run_seed(cell->run[i]));
        }
    }
    if (n > 0) {
        text_append(text, "%s%s ", first ? "" : ", ", cell->run[0]->variant_name);
    }
    if (n > 1 && n == cell->n_ok) {
        text_append(text, "(all %zu seeds)", n);
    } else if (n > 0) {
        text_append(text, "(seed%s %s of %zu)", plural(n), seeds.data, cell->n_ok);
    }
    text->failed |= seeds.failed;
    text_free(&seeds);
    return n > 0;
}

/* One sentence over all tasks: "... on Reverse with Q=K (...), Q=K=V (...); on Swap with no
 * variant". */
static void find_maps(const struct part *part, const char *what, const char *rule, bool headline,
                      map_test *test, struct findings *findings)
{
    struct text text = {0}, titles = {0}, sentence = {0};
    size_t n_task = 0, n_shown = 0;
    for (size_t task = 0; task < part->tasks.n_group; task++) {
        bool first = true;
        if (!needs_other_positions(task_of(part, task), run_config(part->group->run[0])->seq_len)) {
            continue;
        }
        text_append(&text, "%s**%s** with ", n_task++ ? "; on " : "",
                    run_task_title(part_task(part, task)));
        text_append(&titles, "%s%s", titles.size ? ", " : "",
                    run_task_title(part_task(part, task)));
        for (size_t variant = 0; variant < part->variants.n_group; variant++) {
            if (append_seeds(&text, part_cell(part, variant, task), test, first)) {
                first = false;
            }
        }
        text_append(&text, "%s", first ? "no variant" : "");
        n_shown += !first;
    }
    if (n_shown > 0) {
        text_append(&sentence, "The map %s on %s.", what, text.data);
    } else if (n_task > 0) {
        text_append(&sentence, "No map %s on %s.", what, titles.data);
    }
    sentence.failed |= text.failed || titles.failed;
    text_free(&text);
    text_free(&titles);
    findings_add(findings, rule, headline, &sentence);
}

static const char rule_x[] =
    "A map, the mean over heads of the last layer, shows an X when at least " FINDINGS_NUMBER(
        FINDINGS_X_SHARE) " of the attention lies on the needed keys and as much on the "
                          "diagonal. Tasks whose needed key is the own "
                          "position, or that need no single key, are not looked at.";

static const char rule_clean[] =
    "A map draws the needed keys cleanly when at least " FINDINGS_NUMBER(
        FINDINGS_CLEAN_NEEDED) " of the attention lies on them and at "
                               "most " FINDINGS_NUMBER(FINDINGS_CLEAN_DIAGONAL) " on the "
                                                                                "diagonal.";

static const char rule_symmetry[] = "Asymmetry is the mean |S - S^T| over the mean |S| of a head's "
                                    "scores, averaged over heads: 0 is "
                                    "symmetric. The row of a variant says whether it must be.";

static bool has_attention(const struct part *part)
{
    for (size_t i = 0; i < part->group->n_run; i++) {
        if (isfinite(part->group->run[i]->measure[MEASURE_DIAGONAL])) {
            return true;
        }
    }
    return false;
}

static void find_symmetry(const struct part *part, struct findings *findings)
{
    struct stats symmetric = STATS_NONE, with_term = STATS_NONE, free = STATS_NONE;
    for (size_t i = 0; i < part->group->n_run; i++) {
        const struct run *run = part->group->run[i];
        double asymmetry = run->measure[MEASURE_ASYMMETRY_SCORES];
        if (!run_is_ok(run)) {
            continue;
        }
        if (variant_scores_symmetric(&run_config(run)->variant)) {
            stats_add(&symmetric, asymmetry);
        } else if (variant_product_symmetric(&run_config(run)->variant)) {
            stats_add(&with_term, asymmetry);
        } else {
            stats_add(&free, asymmetry);
        }
    }
    struct text text = {0};
    if (symmetric.n > 0) {
        text_append(&text, "Scores that must be symmetric: largest asymmetry in %zu run%s %.2g. ",
                    symmetric.n, plural(symmetric.n), symmetric.max);
    }
    if (with_term.n > 0) {
        text_append(&text,
                    "Symmetric Q K^T with a score term: the scores that enter the softmax have "
                    "asymmetry %.2f on average (%.2f to %.2f, %zu run%s). ",
                    with_term.mean, with_term.min, with_term.max, with_term.n, plural(with_term.n));
    }
    if (free.n > 0) {
        text_append(&text, "Separate projections for Q and K: %.2f (%.2f to %.2f, %zu run%s).",
                    free.mean, free.min, free.max, free.n, plural(free.n));
    }
    findings_add(findings, rule_symmetry, true, &text);
}

void find_attention(const struct part *part, struct findings *findings)
{
    if (!has_attention(part)) {
        return;
    }
    find_maps(part, "shows an X (needed keys and diagonal)", rule_x, true, shows_x, findings);
    find_maps(part, "draws the needed keys cleanly", rule_clean, true, is_clean, findings);
    find_symmetry(part, findings);
}
