/* topics: lets the rows of topics.def speak. */
#include "report/content/topics.h"

struct topic {
    unsigned audience;
    void (*whole)(struct document *document, const struct material *material);
    void (*part)(struct document *document, const struct material *material, size_t part);
};

#define WHOLE(say, whom) {.whole = say, .audience = whom},
#define PART(say) {.part = say},
static const struct topic topics[] = {
#include "report/content/topics.def"
};
#define N_TOPIC (sizeof topics / sizeof *topics)

void say_title(struct document *document, const struct material *material)
{
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
}

void say_every_part(struct document *document, const struct material *material)
{
    for (size_t part = 0; material_tells_parts(material) && part < material->n_part; part++) {
        if (material->n_part > 1) {
            char title[SETTING_TITLE_SIZE];
            setting_title(material->part[part].group->run[0], title);
            document_heading(document, 2, "Setting %zu: %s", part + 1, title);
        }
        for (size_t i = 0; i < N_TOPIC; i++) {
            if (topics[i].part) {
                topics[i].part(document, material, part);
            }
        }
    }
}

void topics_say(struct document *document, const struct material *material)
{
    for (size_t i = 0; i < N_TOPIC; i++) {
        if (topics[i].whole) {
            unsigned before = document_for(document, topics[i].audience);
            topics[i].whole(document, material);
            document_for(document, before);
        }
    }
}
