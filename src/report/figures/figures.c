/* figures: what the pictures have in common. */
#include "report/figures/figures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/figures/chart.h"

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

void setting_title(const struct setting *setting, char title[SETTING_TITLE_SIZE])
{
    const struct run *run = setting->run;
    snprintf(title, SETTING_TITLE_SIZE, "d %zu, %zu layer%s, %zu head%s, T %zu", run->n_embd,
             run->n_layer, plural(run->n_layer), run->n_head, plural(run->n_head), run->n_token);
}

bool figure_name_line(const char *name, size_t i, char line[VARIANT_TEXT_SIZE])
{
    static const char separator[] = ", ";
    while (i > 0 && (name = strstr(name, separator)) != NULL) {
        name += strlen(separator);
        i--;
    }
    if (!name) {
        return false;
    }
    const char *end = strstr(name, separator);
    snprintf(line, VARIANT_TEXT_SIZE, "%.*s%s", (int)(end ? end - name : (long)strlen(name)), name,
             end ? "," : "");
    return true;
}

double figure_name_width(const struct setting *setting, double size)
{
    double width = 0;
    for (size_t i = 0; i < setting->n_variant; i++) {
        width = fmax(width, chart_width(size, setting->variant[i]->variant_name));
    }
    return width;
}

double figure_name_line_width(const struct setting *setting, double size)
{
    double width = 0;
    char line[VARIANT_TEXT_SIZE];
    for (size_t i = 0; i < setting->n_variant; i++) {
        for (size_t j = 0; figure_name_line(setting->variant[i]->variant_name, j, line); j++) {
            width = fmax(width, chart_width(size, line));
        }
    }
    return width;
}
