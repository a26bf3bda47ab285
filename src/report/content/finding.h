/* finding: what the numbers say, as sentences computed from them. Each carries the
 * rule it follows from, so that a reader can disagree with the rule and not with the sentence.
 * Only the sentences from comparisons.h rest on a test; the others describe.
 */
#ifndef QKVLAB_REPORT_FINDING_H
#define QKVLAB_REPORT_FINDING_H

#include <jansson.h>

#include "base/text.h"
#include "report/content/part.h"
#include "report/statistics/comparisons.h"

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

void findings_free(struct findings *findings);

/* findings_add appends one and takes over its text; an empty text is no finding. */
void findings_add(struct findings *findings, const char *rule, bool headline, struct text *text);

/* findings_json returns a new array of texts and rules. */
json_t *findings_json(const struct findings *findings);

/* Each appends what it finds.
 * find_accuracy: accuracy and learning speed of a part, against the reference and by score term
 * (findings_accuracy.c). find_attention: what the maps show (findings_attention.c). find_tests:
 * what the tests say (findings_tests.c). find_chance: where it is so, that no run of these parts
 * has left chance (which runs, ends the subject: "" or " on a task"); call it before the others,
 * nothing else matters then. find_room: in how many parts of a grid the variants do the same
 * (findings_grid.c).
 */
void find_accuracy(const struct part *part, struct findings *findings);
void find_attention(const struct part *part, struct findings *findings);
void find_tests(const struct comparisons *comparisons, struct findings *findings);
void find_chance(const struct part *part, size_t n_part, const char *which,
                 struct findings *findings);
void find_room(const struct part *part, size_t n_part, struct findings *findings);

/* part_at_chance: every finished run on one of the part's tasks is at chance. */
bool part_at_chance(const struct part *part, size_t task);

#endif
