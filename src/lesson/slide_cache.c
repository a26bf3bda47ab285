#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "lesson/slide.h"
#include "nn/cost.h"

#define MODEL "300m"
#define LEFT 230.0
#define BAR_WIDTH 520.0
#define ROW 50.0

/* "K=V, n_kv_head 4" as an audience reads it: "K=V, 4 kv heads". */
static void shorten(char name[VARIANT_TEXT_SIZE])
{
    static const char key[] = ", n_kv_head ";
    char *at = strstr(name, key);
    if (at) {
        long n = strtol(at + strlen(key), NULL, 10);
        snprintf(at, VARIANT_TEXT_SIZE - (size_t)(at - name), ", %ld kv head%s", n, plural(n));
    }
}

static void draw_bar(cairo_t *cr, const char *name, uint64_t cache, uint64_t most, size_t row,
                     bool one_role)
{
    char text[48];
    double y = SLIDE_TOP + 20 + ROW * (double)row;
    double width = BAR_WIDTH * (double)cache / (double)most;
    chart_colour(cr, slide_colour(one_role ? 3 : 2), 1);
    cairo_rectangle(cr, LEFT, y, width, ROW * 0.62);
    cairo_fill(cr);
    chart_colour(cr, CHART_INK, 1);
    chart_text(cr, LEFT - 12, y + ROW * 0.31, 16, CHART_RIGHT, name);
    snprintf(text, sizeof text, "%.2f GB", (double)cache / 1e9);
    chart_text_bold(cr, LEFT + width + 10, y + ROW * 0.31, 16, CHART_LEFT, text);
}

void slide_cache(cairo_t *cr, const void *data)
{
    const struct slide *slide = data;
    const struct cost_model *model = cost_model_find(MODEL, NULL);
    struct lesson_value value[] = {
        {.name = "model", .text = MODEL},
        lesson_number("context", cost_model_context(model)),
        lesson_number("layers", model->shape.n_layer),
        lesson_number("heads", model->shape.n_head),
        lesson_number("width", model->shape.n_embd / model->shape.n_head),
        lesson_number("bytes", model->bytes),
    };
    char id[VARIANT_TEXT_SIZE], name[VARIANT_TEXT_SIZE];
    uint64_t most = 0;
    slide_frame(cr, slide, "cache", value, sizeof(value) / sizeof(value[0]));
    for (size_t i = 0; cost_variant_at(model, i, id); i++) {
        struct variant variant;
        struct cost cost;
        if (variant_parse(id, &variant, NULL) == STATUS_OK &&
            cost_compute(model, &variant, &cost, NULL) == STATUS_OK) {
            most = most ? most : cost.cache;
            variant_name(&variant, name);
            shorten(name);
            draw_bar(cr, name, cost.cache, most, i, variant_cache_roles(&variant) == 1);
        }
    }
}
