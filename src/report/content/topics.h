/* topics: the parts of a report, one function a part, in the order of reading. Each is defined in
 * the file of its name; topics.c has their table.
 */
#ifndef QKVLAB_REPORT_TOPICS_H
#define QKVLAB_REPORT_TOPICS_H

#include "report/content/topic.h"

/* What must be known of the runs before any number. */
void say_notes(struct document *document, const struct material *material); /* notes.c */
size_t notes_without_maps(const struct frame *frame);  /* runs that lost their maps, */
size_t notes_without_curve(const struct frame *frame); /* and runs that have no curve */
/* What the tests say over all runs; what the runs of a part did, and the rules behind it. */
void say_findings(struct document *document, const struct material *material); /* summary.c */
void say_findings_of_part(struct document *document, const struct material *material, size_t part);
void say_rules_of_part(struct document *document, const struct material *material, size_t part);
/* What was run: variants, tasks, seeds, configuration, machine. */
void say_runs(struct document *document, const struct material *material); /* runs.c */
void say_runs_of_part(struct document *document, const struct material *material, size_t part);
/* Accuracy: averages over all configurations; every setting; tables of a part. */
void say_accuracy(struct document *document, const struct material *material); /* accuracy.c */
void say_accuracy_of_part(struct document *document, const struct material *material, size_t part);
/* How the variants learned, in numbers. */
void say_dynamics(struct document *document, const struct material *material); /* dynamics.c */
void say_dynamics_of_part(struct document *document, const struct material *material, size_t part);
/* Differences from the reference, tested. */
void say_differences(struct document *document,
                     const struct material *material); /* differences.c */
void say_differences_of_part(struct document *document, const struct material *material,
                             size_t part);
void say_differences_of_images(struct document *document, const struct material *material);
/* What was tested beside accuracy, and the rules of the tests. */
void say_further_tests(struct document *document, const struct material *material); /* summary.c */
/* What a variant learns with: projections, parameters, symmetry. */
void say_variants_of_part(struct document *document, const struct material *material,
                          size_t part); /* variants.c */
/* Attention of the last layer, in numbers. */
void say_attention_of_part(struct document *document, const struct material *material,
                           size_t part); /* attention.c */
/* Learning curves, accuracies of single runs, the gap by size, maps: plots and sheets. */
void say_curves(struct document *document, const struct material *material); /* curves.c */
void say_curves_of_part(struct document *document, const struct material *material, size_t part);
void say_gaps(struct document *document, const struct material *material); /* gaps.c */
void say_maps(struct document *document, const struct material *material); /* maps.c */
void say_maps_of_part(struct document *document, const struct material *material, size_t part);
/* Published numbers beside the measured ones. */
void say_published(struct document *document, const struct material *material); /* published.c */
void say_published_of_part(struct document *document, const struct material *material, size_t part);
/* What was published for the variants and tasks of a part, whatever its conditions: a new array. */
json_t *published_json(const struct group *part);
/* A few measures of every setting, by task. */
void say_every_setting(struct document *document,
                       const struct material *material); /* every_setting.c */
/* Runs on images. */
void say_images(struct document *document, const struct material *material); /* images.c */
/* Runs that are in no mean or in no curve, all runs, and the files beside the page. */
void say_left_out(struct document *document, const struct material *material); /* left_out.c */
void say_all_runs(struct document *document, const struct material *material); /* all_runs.c */
void say_files(struct document *document, const struct material *material);    /* exports.c */
/* Tables for a paper. */
void say_latex(struct document *document, const struct material *material); /* latex_tables.c */

#endif
