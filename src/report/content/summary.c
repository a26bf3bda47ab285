/* summary: what the tests say and what the runs did, sentence by sentence, and the rules behind. */
#include "base/text.h"
#include "report/content/finding.h"
#include "report/content/topics.h"

/* The headlines as a list, or a sentence where there is none. */
static void say_headlines(struct document *document, const struct findings *findings)
{
    for (size_t i = 0; i < findings->n_finding; i++) {
        if (findings->finding[i].headline) {
            document_item(document, 1, "%s", findings->finding[i].text.data);
        }
    }
    if (findings->n_finding == 0) {
        document_item(document, 1, "Too few variants to compare.");
    }
}

/* The headlines, or the others, under a heading. */
static void say_list(struct document *document, int level, const char *heading,
                     const struct findings *findings, bool headlines)
{
    for (size_t i = 0, n_told = 0; i < findings->n_finding; i++) {
        if (findings->finding[i].headline == headlines) {
            if (n_told++ == 0) {
                document_heading(document, level, "%s", heading);
            }
            document_item(document, 1, "%s", findings->finding[i].text.data);
        }
    }
}

static void say_caveat(struct document *document, const struct group *part)
{
    size_t n_seed = group_n(part, FACTOR_SEED);
    document_paragraph(document, TONE_NOTE,
                       "With %zu seed%s this describes what these runs did; only what is said to "
                       "be tested was. Differences are paired: the same seed gives every variant "
                       "the same data in the same order.",
                       n_seed, plural(n_seed));
}

/* The rules, and under each what it gave that is not among the headlines. */
static void say_rules(struct document *document, const struct findings *findings)
{
    const char *rule = NULL;
    for (size_t i = 0; i < findings->n_finding; i++) {
        const struct finding *finding = &findings->finding[i];
        if (rule != finding->rule) {
            document_item(document, 1, "%s", finding->rule);
        }
        rule = finding->rule;
        if (!finding->headline) {
            document_item(document, 2, "%s", finding->text.data);
        }
    }
}

/* ---- over all runs ---- */

/* On the page every part's findings follow, each folded. */
static void say_parts(struct document *document, const struct material *material)
{
    document_heading(document, 3, "What the runs did");
    for (size_t i = 0; i < material->n_part; i++) {
        char title[SETTING_NAME_SIZE];
        const struct group *part = material->part[i].group;
        setting_name(material->frame, part, title);
        document_begin(document, GROUP_FOLD, NULL, "%s", title);
        document_group_tag(document, facets_tag(group_facets(part)));
        if (i == 0) {
            document_group_open(document);
        }
        say_headlines(document, &material->findings_of_part[i]);
        say_caveat(document, part);
        document_begin(document, GROUP_FOLD, NULL, "The rules behind the findings");
        say_rules(document, &material->findings_of_part[i]);
        document_end(document);
        document_end(document);
    }
}

void say_findings(struct document *document, const struct material *material)
{
    document_begin(document, GROUP_SECTION, "findings", "What it says");
    say_list(document, 2, "What the tests say", &material->findings, true);
    document_member(document, "findings", findings_json(&material->findings));
    unsigned before = document_for(document, FOR_PAGE);
    say_parts(document, material);
    document_for(document, before);
    document_end(document);
}

static void say_rest(struct document *document, const struct material *material)
{
    const struct findings *findings = &material->findings;
    const char *rule = NULL;
    say_list(document, 3, "Further measures, tested", findings, false);
    for (size_t i = 0; i < findings->n_finding; i++) {
        if (findings->finding[i].rule != rule) {
            document_paragraph(document, TONE_PLAIN, "%s: %s", i > 0 ? "And" : "The rule",
                               findings->finding[i].rule);
        }
        rule = findings->finding[i].rule;
    }
}

void say_further_tests(struct document *document, const struct material *material)
{
    if (material->n_part > 1) {
        say_rest(document, material);
    }
}

/* ---- of a part ---- */

void say_findings_of_part(struct document *document, const struct material *material, size_t number)
{
    document_heading(document, material->n_part > 1 ? 3 : 2, "What it says");
    say_headlines(document, &material->findings_of_part[number]);
    say_caveat(document, material->part[number].group);
}

void say_rules_of_part(struct document *document, const struct material *material, size_t number)
{
    document_heading(document, 3, "The rules behind the findings");
    say_rules(document, &material->findings_of_part[number]);
    if (material->n_part == 1) {
        say_rest(document, material);
    }
}
