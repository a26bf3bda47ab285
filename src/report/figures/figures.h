/* figures: what the pictures of one setting show. Each writes into folder under <stem><name>. */
#ifndef QKVLAB_REPORT_FIGURES_H
#define QKVLAB_REPORT_FIGURES_H

#include "report/runs/run_set.h"

/* figure_attention writes <stem>attention-seed<seed>.png: the last layer's maps averaged over
 * heads, variants down, tasks across, one colour scale from 0 to 1. *drawn false: the seed kept no
 * maps. */
enum status figure_attention(const struct setting *setting, long long seed, const char *folder,
                             const char *stem, bool *drawn, struct error *err);

/* figure_curves writes <stem>curves.png and .svg: training loss by step, a panel a task, a line a
 * variant. *drawn false: no run kept its curve. */
enum status figure_curves(const struct setting *setting, const char *folder, const char *stem,
                          bool *drawn, struct error *err);

/* figure_accuracy writes <stem>accuracy.png and .svg: token accuracy, a panel a task, a row a
 * variant, a dot a seed. */
enum status figure_accuracy(const struct setting *setting, const char *folder, const char *stem,
                            struct error *err);

/* figure_name_width returns the width of the widest variant name in bold text of a size, and
 * figure_name_line_width that of the widest part of a name between commas. */
double figure_name_width(const struct setting *setting, double size);
double figure_name_line_width(const struct setting *setting, double size);

/* figure_name_line copies the i-th part of a name ("K=V, n_kv_head 1" has two); false past the
 * last. */
bool figure_name_line(const char *name, size_t i, char line[VARIANT_TEXT_SIZE]);

/* setting_title writes "d 64, 2 layers, 4 heads, T 16". */
#define SETTING_TITLE_SIZE 128
void setting_title(const struct setting *setting, char title[SETTING_TITLE_SIZE]);

#endif
