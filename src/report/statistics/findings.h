/* findings: what the numbers of one setting say, as sentences computed from them. Each carries the
 * rule it follows from, so that a reader can disagree with the rule and not with the sentence.
 * Only the sentences from comparisons.h rest on a test; the others describe.
 */
#ifndef QKVLAB_REPORT_FINDINGS_H
#define QKVLAB_REPORT_FINDINGS_H

#include "base/text.h"
#include "report/runs/run_set.h"
#include "report/statistics/comparisons.h"
#include "report/statistics/overview.h"

/* A variant falls short on a task when it is more than this below the baseline. */
#define FINDINGS_SHORTFALL 0.05
/* A map shows an X when both shares are at least this, ... */
#define FINDINGS_X_SHARE 0.25
/* ... and draws the needed keys cleanly from this share on them and up to that on the diagonal. */
#define FINDINGS_CLEAN_NEEDED 0.5
#define FINDINGS_CLEAN_DIAGONAL 0.1
/* A difference that passes the test but is below these (accuracies, shares and losses; steps) is
 * counted, not told. */
#define FINDINGS_SMALL 0.005
#define FINDINGS_SMALL_STEP 1.0
/* Everything is compared with this row. */
#define FINDINGS_BASELINE PAIRED_BASELINE

/* FINDINGS_NUMBER turns one of these into the text of a rule. */
#define FINDINGS_NUMBER(constant) FINDINGS_NUMBER_TEXT(constant)
#define FINDINGS_NUMBER_TEXT(constant) #constant

struct finding {
    const char *rule;
    bool headline;    /* belongs into the summary, not only into the full list */
    struct text text; /* one or two sentences */
};

struct findings {
    struct finding *finding;
    size_t n_finding, capacity;
    bool failed; /* sticky: out of memory */
};

/* findings_make appends the findings of a setting. Caller frees with findings_free. */
void findings_make(const struct setting *setting, struct findings *findings);
void findings_free(struct findings *findings);

/* findings_make_comparisons appends what the tests say, in findings_comparisons.c. */
void findings_make_comparisons(const struct comparisons *comparisons, struct findings *findings);

/* findings_make_grid says in how many settings of a grid the variants do the same, in
 * findings_grid.c. */
void findings_make_grid(const struct run_set *set, const struct overview *tasks,
                        struct findings *findings);

/* findings_make_chance says, where it is so, that no run of these settings has left chance; which
 * runs, ends the subject: "" or " on a task". Call it before the others: nothing else matters then.
 */
void findings_make_chance(const struct setting *setting, size_t n_setting, const char *which,
                          struct findings *findings);

/* findings_at_chance: every finished run on one of the setting's tasks is at chance. */
bool findings_at_chance(const struct setting *setting, size_t task);

/* findings_add appends one and takes over its text; an empty text is no finding. */
void findings_add(struct findings *findings, const char *rule, bool headline, struct text *text);

/* The part about attention maps, in findings_attention.c. */
void findings_make_attention(const struct setting *setting, struct findings *findings);

#endif
