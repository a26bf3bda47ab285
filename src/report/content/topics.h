/* topics: the parts of a report, one function a part; topics.def has their table. */
#ifndef QKVLAB_REPORT_TOPICS_H
#define QKVLAB_REPORT_TOPICS_H

#include "report/content/topic.h"

#define WHOLE(say, audience) void say(struct document *document, const struct material *material);
#define PART(say) void say(struct document *document, const struct material *material, size_t part);
#include "report/content/topics.def"
#undef WHOLE
#undef PART

/* The anchor of the section with all runs (all_runs.c). */
#define RUNS_ANCHOR "runs"

/* Runs that lost their maps, and runs that have no curve (notes.c). */
size_t notes_without_maps(const struct frame *frame);
size_t notes_without_curve(const struct frame *frame);

/* Differences of images, in their section (differences.c). */
void say_differences_of_images(struct document *document, const struct material *material);

/* What was published for the variants and tasks of a part, whatever its conditions: a new array
 * (published.c). */
json_t *published_json(const struct part *part);

/* published_rows adds a row for each task and variant of a part that someone published: task,
 * variant, measured, paper, reproduction (published.c). */
void published_rows(struct table *table, const struct part *part);

#endif
