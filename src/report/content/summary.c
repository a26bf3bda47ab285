/* summary: what the tests say and what the runs did, sentence by sentence, and the rules behind. */
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

static void say_caveat(struct document *document, const struct group *part)
{
    size_t n_seed = group_n(part, FACTOR_SEED);
    document_paragraph(document, TONE_NOTE,
                       "With %zu seed%s this describes what these runs did; only what is said to "
                       "be tested was. Differences are paired: the same seed gives every variant "
                       "the same data in the same order.",
                       n_seed, n_seed == 1 ? "" : "s");
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
        char title[SETTING_TITLE_SIZE];
        struct findings findings = {0};
        findings_of_part(material, i, &findings);
        document->failed |= findings.failed;
        setting_title(material->part[i].run[0], title);
        document_begin(document, GROUP_FOLD, NULL, "%s", title);
        document_group_tag(document, facets_tag(group_facets(&material->part[i])));
        if (i == 0) {
            document_group_open(document);
        }
        say_headlines(document, &findings);
        say_caveat(document, &material->part[i]);
        document_begin(document, GROUP_FOLD, NULL, "The rules behind the findings");
        say_rules(document, &findings);
        document_end(document);
        document_end(document);
        findings_free(&findings);
    }
}

void say_findings(struct document *document, const struct material *material)
{
    struct findings findings = {0};
    findings_of_all(material, &findings);
    document->failed |= findings.failed;
    document_begin(document, GROUP_SECTION, "findings", "What it says");
    for (size_t i = 0, n_told = 0; i < findings.n_finding; i++) {
        if (findings.finding[i].headline) {
            if (n_told++ == 0) {
                document_heading(document, 2, "What the tests say");
            }
            document_item(document, 1, "%s", findings.finding[i].text.data);
        }
    }
    document_member(document, "findings", findings_json(&findings));
    unsigned before = document_for(document, FOR_PAGE);
    say_parts(document, material);
    document_for(document, before);
    document_end(document);
    findings_free(&findings);
}

static void say_rest(struct document *document, const struct material *material)
{
    struct findings findings = {0};
    findings_of_all(material, &findings);
    document->failed |= findings.failed;
    unsigned before = document_for(document, FOR_TEXT);
    for (size_t i = 0, n_told = 0; i < findings.n_finding; i++) {
        if (!findings.finding[i].headline) {
            if (n_told++ == 0) {
                document_heading(document, 3, "Further measures, tested");
            }
            document_item(document, 1, "%s", findings.finding[i].text.data);
        }
    }
    const char *rule = NULL;
    for (size_t i = 0; i < findings.n_finding; i++) {
        if (findings.finding[i].rule != rule) {
            document_paragraph(document, TONE_PLAIN, "%s: %s", i > 0 ? "And" : "The rule",
                               findings.finding[i].rule);
        }
        rule = findings.finding[i].rule;
    }
    document_for(document, before);
    findings_free(&findings);
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
    struct findings findings = {0};
    findings_of_part(material, number, &findings);
    document->failed |= findings.failed;
    document_heading(document, material->n_part > 1 ? 3 : 2, "What it says");
    say_headlines(document, &findings);
    say_caveat(document, &material->part[number]);
    findings_free(&findings);
}

void say_rules_of_part(struct document *document, const struct material *material, size_t number)
{
    struct findings findings = {0};
    findings_of_part(material, number, &findings);
    document->failed |= findings.failed;
    document_heading(document, 3, "The rules behind the findings");
    say_rules(document, &findings);
    findings_free(&findings);
    if (material->n_part == 1) {
        say_rest(document, material);
    }
}
