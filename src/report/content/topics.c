/* topics: the table of the parts of a report, in the order of reading: what was run, what it says,
 * averages, each setting, images, the small print.
 */
#include "report/content/topics.h"

static void say_title(struct document *document, const struct material *material);
static void say_parts(struct document *document, const struct material *material);

static const struct topic topics[] = {
    /* about all runs    about a part */
    {say_title},
    {say_notes},
    {say_findings, say_findings_of_part},
    {say_runs, say_runs_of_part},
    {say_accuracy},
    {NULL, say_curves_of_part},
    {say_dynamics},
    {say_maps, say_maps_of_part},
    {say_differences, say_differences_of_part},
    {say_further_tests},
    {say_gaps},
    {say_curves},
    {say_published},
    {say_every_setting},
    {NULL, say_accuracy_of_part},
    {NULL, say_dynamics_of_part},
    {NULL, say_variants_of_part},
    {NULL, say_attention_of_part},
    {NULL, say_published_of_part},
    {NULL, say_rules_of_part},
    {say_parts},
    {say_images},
    {say_left_out},
    {say_all_runs},
    {say_latex},
    {say_files},
};

#define N_TOPIC (sizeof topics / sizeof *topics)

static void say_title(struct document *document, const struct material *material)
{
    unsigned before = document_for(document, FOR_TEXT);
    document_heading(document, 1, "Which of Q, K and V does attention need?");
    if (material->n_part > 1) {
        document_paragraph(
            document, TONE_PLAIN,
            "The runs belong to %zu settings, which differ in configuration, program or class of "
            "machine. %s",
            material->n_part,
            material_tells_parts(material)
                ? "Each has its own part below, behind what can be said over all of them."
                : "That is too many for a part each: the page is about all of them together, with "
                  "the numbers of each under [Every setting](#every-setting).");
    }
    document_for(document, before);
}

static void say_parts(struct document *document, const struct material *material)
{
    unsigned before = document_for(document, FOR_TEXT);
    for (size_t part = 0; material_tells_parts(material) && part < material->n_part; part++) {
        if (material->n_part > 1) {
            char title[SETTING_TITLE_SIZE];
            setting_title(material->part[part].run[0], title);
            document_heading(document, 2, "Setting %zu: %s", part + 1, title);
        }
        for (size_t i = 0; i < N_TOPIC; i++) {
            if (topics[i].part) {
                topics[i].part(document, material, part);
            }
        }
    }
    document_for(document, before);
}

void topics_say(struct document *document, const struct material *material)
{
    for (size_t i = 0; i < N_TOPIC; i++) {
        if (topics[i].whole) {
            topics[i].whole(document, material);
        }
    }
}
