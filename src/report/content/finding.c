#include "report/content/finding.h"

#include <stdlib.h>

#include "base/json.h"

void findings_add(struct findings *findings, const char *rule, bool headline, struct text *text)
{
    if (text->failed || !text->data) {
        findings->failed |= text->failed;
        text_free(text);
        return;
    }
    if (findings->n_finding == findings->capacity) {
        size_t capacity = 2 * findings->capacity + 16;
        struct finding *grown = realloc(findings->finding, capacity * sizeof *grown);
        if (!grown) {
            findings->failed = true;
            text_free(text);
            return;
        }
        findings->finding = grown;
        findings->capacity = capacity;
    }
    findings->finding[findings->n_finding++] = (struct finding){rule, headline, *text};
    *text = (struct text){0};
}

void findings_free(struct findings *findings)
{
    for (size_t i = 0; i < findings->n_finding; i++) {
        text_free(&findings->finding[i].text);
    }
    free(findings->finding);
    *findings = (struct findings){0};
}

json_t *findings_json(const struct findings *findings)
{
    json_t *array = json_array();
    for (size_t i = 0; i < findings->n_finding; i++) {
        const struct finding *finding = &findings->finding[i];
        json_array_append_new(
            array, json_pack("{s:s, s:s}", "text", finding->text.data, "rule", finding->rule));
    }
    return array;
}
