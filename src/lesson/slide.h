/* slide: what the slides share. Private to slide_*.c and slides.c.
 *
 * A slide is drawn on 960 x 540 points, of which the PNG has two pixels each. Title on top, caption
 * at the bottom, the picture between SLIDE_TOP and SLIDE_BOTTOM.
 */
#ifndef QKVLAB_LESSON_SLIDE_H
#define QKVLAB_LESSON_SLIDE_H

#include <stdbool.h>

#include "lesson/lesson_runs.h"
#include "lesson/lesson_text.h"
#include "report/write/chart.h"

#define SLIDE_WIDTH 960.0
#define SLIDE_HEIGHT 540.0
#define SLIDE_EDGE 36.0
#define SLIDE_TOP 78.0
#define SLIDE_BOTTOM 452.0
#define SLIDE_TEXT 15.0
#define SLIDE_SMALL 12.0

struct slide {
    const struct lesson_runs *runs;
    const struct lesson_texts *texts;
    const char *font;
};

/* The pictures, each for struct slide. */
void slide_needed(cairo_t *cr, const void *slide);
void slide_gram(cairo_t *cr, const void *slide);
void slide_maps(cairo_t *cr, const void *slide);
void slide_curves(cairo_t *cr, const void *slide);
void slide_seeds(cairo_t *cr, const void *slide);
void slide_cache(cairo_t *cr, const void *slide);

/* slide_frame draws title and caption, the texts slide.<name>.title and .caption. */
void slide_frame(cairo_t *cr, const struct slide *slide, const char *name,
                 const struct lesson_value *value, size_t n_value);

/* slide_say writes one line around the height y, in the slide's font. */
enum slide_weight { SLIDE_PLAIN, SLIDE_BOLD };
void slide_say(cairo_t *cr, const struct slide *slide, double x, double y, double size,
               enum slide_weight weight, enum chart_align align, const char *text);

/* slide_needed_map draws the map [n,n] that a task needs into a square; chart_frame is around it.
 */
void slide_needed_map(cairo_t *cr, const struct task *task, size_t n, double x, double y,
                      double side);

/* slide_word returns a text of the language, slide.<key>. */
const char *slide_word(const struct slide *slide, const char *key);

/* slide_variants lists the sharing variants that have runs, at most max. */
size_t slide_variants(const struct lesson_runs *runs, size_t *variant, size_t max);

#define SLIDE_MAX_VARIANT 7

/* slide_colour is the line colour of a variant, dark enough for white paper. */
struct rgb slide_colour(size_t variant);

#endif
