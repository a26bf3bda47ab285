/* lesson_data: the numbers that the widgets of the page draw from, as JSON. */
#ifndef QKVLAB_LESSON_LESSON_DATA_H
#define QKVLAB_LESSON_LESSON_DATA_H

#include "base/json.h"
#include "lesson/lesson_runs.h"
#include "lesson/lesson_text.h"

#define LESSON_FORMAT "qkvlab-lesson-1"
#define LESSON_MAX_POINT 200  /* of a loss curve; longer ones are means of equally many steps */
#define LESSON_PUZZLE_TOKEN 6 /* positions of the map that the reader draws */
#define LESSON_MAP_BUDGET ((size_t)3 << 19) /* characters of all attention maps */

/* lesson_data returns, as a new reference,
 *
 *     format, pos_dim, colours
 *     texts           those of the widgets
 *     tasks           [{name, title, formula, example, needed: [T]}] of the runs
 *     puzzles         the same of tasks that move tokens, needed: [6]
 *     variants        [{id, name, sharing, sharing_id, gram}]
 *     runs            [{id, task, variant, seed, accuracy, escape_step, hash}]; of the first seed
 *                     also loss: {bucket, data} and maps, see lesson_data.c; where sequences are
 *                     too long for all moments of training, of fewer
 *     mislead         see mislead.h
 *     models          [{name, n_embd, n_layer, n_head, context, bytes}]
 *     cache_variants  [{id, name, roles, n_kv_head}]
 *     published       [{id, paper, reproduction, same, paper_sort, reproduction_sort}], token
 *                     accuracy on Reverse, then on Sort
 *     frequent        what the most frequent digit of a row gets, see guess.h
 *
 * NULL when out of memory. */
json_t *lesson_data(const struct lesson_runs *runs, const struct lesson_texts *texts);

#endif
