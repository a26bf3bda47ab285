/* attention: the last layer's numbers, averaged over heads. */
#include <stdlib.h>

#include "report/content/measure_table.h"
#include "report/content/topics.h"
#include "report/content/values.h"

static const struct {
    enum measure measure;
    const char *title, *words;
} told[] = {
    {MEASURE_NEEDED, "Share of attention on the needed key",
     "`-` where the task needs no single key."},
    {MEASURE_DIAGONAL, "Share of attention on the own position (diagonal)", NULL},
    {MEASURE_ASYMMETRY_PRODUCT, "Asymmetry of Q K^T",
     "Mean |S - S^T| over mean |S|; 0 is symmetric."},
    {MEASURE_ASYMMETRY_SCORES, "Asymmetry of the scores that enter the softmax", NULL},
};

void say_attention_of_part(struct document *document, const struct material *material,
                           size_t number)
{
    const struct part *part = &material->part[number];
    if (!group_any(part->group, MEASURE_DIAGONAL)) {
        return;
    }
    char *convention = values_convention(&part->cells);
    document_heading(document, 3, "Attention in numbers");
    document_paragraph(document, TONE_PLAIN,
                       "Of the last layer, averaged over heads and the probe sequences. %s",
                       convention ? convention : "");
    for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
        document_heading(document, 4, "%s", told[i].title);
        if (told[i].words) {
            document_paragraph(document, TONE_PLAIN, "%s", told[i].words);
        }
        document_table(document, measure_table(part->group, told[i].measure, 0), told[i].title,
                       NULL);
    }
    document_paragraph(document, TONE_PLAIN, "Every head of every run: [heads.csv](heads.csv).");
    free(convention);
}
