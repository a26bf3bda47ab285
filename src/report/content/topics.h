/* topics: the parts of a report, one function a part; topics.def has their table. */
#ifndef QKVLAB_REPORT_TOPICS_H
#define QKVLAB_REPORT_TOPICS_H

#include "report/content/topic.h"

#define WHOLE(say) void say(struct document *document, const struct material *material);
#define PART(say) void say(struct document *document, const struct material *material, size_t part);
#include "report/content/topics.def"
#undef WHOLE
#undef PART

/* Runs that lost their maps, and runs that have no curve (notes.c). */
size_t notes_without_maps(const struct frame *frame);
size_t notes_without_curve(const struct frame *frame);

/* Differences of images, in their section (differences.c). */
void say_differences_of_images(struct document *document, const struct material *material);

/* What was published for the variants and tasks of a part, whatever its conditions: a new array
 * (published.c). */
json_t *published_json(const struct group *part);

#endif
