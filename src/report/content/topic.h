/* topic: one part of what a report says, in one file. A topic reads the frame and appends blocks
 * (tables, plots, sentences) to the document; a row of topics.def puts it into every report, on the
 * page, in the text and wherever else its blocks say they belong.
 */
#ifndef QKVLAB_REPORT_TOPIC_H
#define QKVLAB_REPORT_TOPIC_H

#include "report/content/finding.h"
#include "report/content/part.h"
#include "report/document/document.h"
#include "report/frame/frame.h"
#include "report/statistics/comparisons.h"

/* With more settings than this a report has no part and no figure for each: nobody would read them,
 * and the grid as a whole is what was asked about. */
#define MATERIAL_MAX_PART 12

/* What topics speak of: made once, read by all. */
struct material {
    const struct frame *frame;
    struct comparisons all;   /* over all runs */
    struct findings findings; /* the same */
    struct part *part;        /* [n_part] the settings of sequences, in their order */
    size_t n_part;
    struct comparisons *of_part; /* [n_part] within each, where there are 2..MATERIAL_MAX_PART */
    struct findings *findings_of_part; /* [n_part] */
};

/* material_make compares every variant with its reference and says what is found. Caller frees with
 * material_free, also on failure; the frame is borrowed. Errors: STATUS_MEMORY. */
enum status material_make(const struct frame *frame, const struct references *references,
                          struct material *material, struct error *err);
void material_free(struct material *material);

/* material_comparisons returns the comparisons within a part, NULL where there are too many parts
 * for that. */
const struct comparisons *material_comparisons(const struct material *material, size_t part);

/* material_tells_parts: each setting has a part of its own. */
bool material_tells_parts(const struct material *material);

/* material_draws: the part has pictures: all where each is told, else one for each sequence length
 * (of the most runs; then the papers' d 64, 2 layers, 4 heads; then the first). */
bool material_draws(const struct material *material, size_t part);

/* material_stem writes the beginning of the names of a part's pictures: "" for the first, then
 * "setting2-" and so on. */
#define MATERIAL_STEM_SIZE 32
void material_stem(size_t part, char stem[MATERIAL_STEM_SIZE]);

/* topics_say appends everything. */
void topics_say(struct document *document, const struct material *material);

#endif
