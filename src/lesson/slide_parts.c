#include "base/text.h"
#include "lesson/slide.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LINE 512
#define LINE_HEIGHT 1.35

static void set_font(cairo_t *cr, const struct slide *slide, double size, enum slide_weight weight)
{
    cairo_select_font_face(cr, slide->font, CAIRO_FONT_SLANT_NORMAL,
                           weight == SLIDE_BOLD ? CAIRO_FONT_WEIGHT_BOLD
                                                : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cr, size);
}

static double width_of(cairo_t *cr, const char *text)
{
    cairo_text_extents_t extents;
    cairo_text_extents(cr, text, &extents);
    return extents.x_advance;
}

void slide_say(cairo_t *cr, const struct slide *slide, double x, double y, double size,
               enum slide_weight weight, enum chart_align align, const char *text)
{
    cairo_save(cr);
    set_font(cr, slide, size, weight);
    (weight == SLIDE_BOLD ? chart_text_bold : chart_text)(cr, x, y, size, align, text);
    cairo_restore(cr);
}

void slide_needed_map(cairo_t *cr, const struct task *task, size_t n, double x, double y,
                      double side)
{
    float *map = calloc(n * n, sizeof *map);
    for (size_t t = 0; map && t < n; t++) {
        map[t * n + (size_t)task_needed_key(task, t, n)] = 1;
    }
    if (map) {
        chart_image(cr, x, y, side, map, n);
    }
    chart_frame(cr, x, y, side, side);
    free(map);
}

const char *slide_word(const struct slide *slide, const char *key)
{
    char full[64];
    snprintf(full, sizeof full, "slide.%s", key);
    const char *text = lesson_text(slide->texts, full);
    return text ? text : "";
}

/* Writes words into lines of a width, the first line around the height y. */
static void say_wrapped(cairo_t *cr, const struct slide *slide, double y, const char *text)
{
    char line[MAX_LINE] = "";
    size_t used = 0;
    set_font(cr, slide, SLIDE_TEXT, SLIDE_PLAIN);
    while (*text) {
        size_t n = strcspn(text, " \n");
        char longer[MAX_LINE];
        snprintf(longer, sizeof longer, "%s%s%.*s", line, used ? " " : "", (int)n, text);
        if (used && width_of(cr, longer) > SLIDE_WIDTH - 2 * SLIDE_EDGE) {
            slide_say(cr, slide, SLIDE_EDGE, y, SLIDE_TEXT, SLIDE_PLAIN, CHART_LEFT, line);
            y += SLIDE_TEXT * LINE_HEIGHT;
            snprintf(longer, sizeof longer, "%.*s", (int)n, text);
        }
        snprintf(line, sizeof line, "%s", longer);
        used = strlen(line);
        text += n;
        text += strspn(text, " \n");
    }
    slide_say(cr, slide, SLIDE_EDGE, y, SLIDE_TEXT, SLIDE_PLAIN, CHART_LEFT, line);
}

void slide_frame(cairo_t *cr, const struct slide *slide, const char *name,
                 const struct lesson_value *value, size_t n_value)
{
    char key[48];
    struct text caption = {0};
    chart_colour(cr, CHART_INK, 1);
    snprintf(key, sizeof key, "%s.title", name);
    slide_say(cr, slide, SLIDE_EDGE, 40, 27, SLIDE_BOLD, CHART_LEFT, slide_word(slide, key));
    snprintf(key, sizeof key, "%s.caption", name);
    lesson_text_fill(&caption, slide_word(slide, key), value, n_value);
    say_wrapped(cr, slide, SLIDE_BOTTOM + 26, caption.data ? caption.data : "");
    text_free(&caption);
}

size_t slide_variants(const struct lesson_runs *runs, size_t *variant, size_t max)
{
    size_t n = 0;
    for (size_t i = 0; i < runs->n_variant && n < max; i++) {
        if (lesson_is_sharing(runs->variant[i])) {
            variant[n++] = i;
        }
    }
    return n;
}

struct rgb slide_colour(size_t variant)
{
    static const struct rgb colours[SLIDE_MAX_VARIANT] = {
        {0x00, 0x00, 0x00}, {0xc2, 0x4e, 0x00}, {0x00, 0x4f, 0x86}, {0x00, 0x79, 0x5a},
        {0xb0, 0x48, 0x7f}, {0xa8, 0x65, 0x00}, {0x2a, 0x78, 0xb5}};
    return colours[variant % SLIDE_MAX_VARIANT];
}
