/* published: what others measured, with the source and the conditions of each number.
 *
 * These values stand beside measured ones in a report and are never mixed with them. Sources:
 * Table 1 of arXiv 2606.04032 ("Do Transformers Need Three Projections?") and its authors' public
 * reproduction, which differs from the paper in procedure and grid; for images its Table 2 and the
 * same reproduction. Nothing was published for the Shift task and for Q=V.
 */
#ifndef QKVLAB_REPORT_PUBLISHED_H
#define QKVLAB_REPORT_PUBLISHED_H

#include <stdbool.h>
#include <stddef.h>

enum published_source { PUBLISHED_PAPER, PUBLISHED_REPRODUCTION, PUBLISHED_SOURCE_COUNT };

/* published_name is the source as a heading, published_conditions how its grid means came about;
 * those of images have others. */
const char *published_name(enum published_source source);
const char *published_conditions(enum published_source source);
const char *published_images_name(enum published_source source);
const char *published_images_conditions(enum published_source source);

/* published_accuracy returns the mean over the source's grid for a variant id ("qk", "qkv_tied+"):
 * the token accuracy of a task, or the top-1 accuracy of a data set; NaN where nothing was
 * published. */
double published_accuracy(enum published_source source, const char *variant, const char *task);

/* published_reverse returns the reproduction's mean token accuracy on Reverse at one width and
 * sequence length: 12 runs, 2 and 4 layers x 2 and 4 heads x 3 seeds. NaN where unpublished. */
double published_reverse(const char *variant, size_t n_embd, size_t n_token);
#define PUBLISHED_REVERSE_STEPS 158 /* 2 epochs of 79 */
extern const char *const published_reverse_conditions;

/* Learning dynamics on Reverse: the first step at which the mean of the seeds' training loss curves
 * is below 2.2 and below 0.1. NULL where unpublished. */
struct published_dynamics {
    const char *variant;
    int below_2_2, below_0_1;
};
const struct published_dynamics *published_dynamics(const char *variant);
extern const char *const published_dynamics_conditions;

/* The only setting whose steps may be compared with published_dynamics. */
bool published_dynamics_comparable(size_t n_embd, size_t n_layer, size_t n_head, size_t n_token,
                                   size_t n_step);

/* published_top1_single returns a single run of the reproduction at d 64, 2 layers, patch 4 and 2
 * or 4 heads; NaN for everything else. */
double published_top1_single(const char *variant, const char *dataset, size_t n_head);
extern const char *const published_top1_single_conditions;

#endif
