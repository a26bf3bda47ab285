/* html_settings: what was run, and what it says. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "lab/config/config.h"
#include "report/figures/figures.h"
#include "report/html/html_data.h"
#include "report/statistics/gap.h"

#define MAX_DISTINCT 6 /* values of a key that are named */

/* Runs of one setting, in a row. */
struct group {
    const struct run *run;
    size_t n_run;
};

static json_t *integer(size_t n)
{
    return json_integer((json_int_t)n);
}

/* ---- configuration, machine and program ---- */

typedef void value_of(const struct run *run, const char *section, const char *key,
                      char text[RUN_TEXT_SIZE]);

static void config_text(const struct run *run, const char *section, const char *key,
                        char text[RUN_TEXT_SIZE])
{
    (void)section;
    run_config(run, key, text);
}

static void section_text(const struct run *run, const char *section, const char *key,
                         char text[RUN_TEXT_SIZE])
{
    snprintf(text, RUN_TEXT_SIZE, "%s",
             json_get_text(json_object_get(run->root, section), key, "-"));
}

/* The distinct values over a group, "8 or 16". */
static json_t *distinct(const struct group *group, value_of *value, const char *section,
                        const char *key)
{
    char known[MAX_DISTINCT][RUN_TEXT_SIZE];
    size_t n = 0;
    struct text text = {0};
    for (size_t i = 0; i < group->n_run && n < MAX_DISTINCT; i++) {
        size_t j = 0;
        value(&group->run[i], section, key, known[n]);
        while (j < n && strcmp(known[j], known[n]) != 0) {
            j++;
        }
        if (j == n) {
            text_append(&text, "%s%s", n > 0 ? " or " : "", known[n]);
            n++;
        }
    }
    json_t *string = json_text(text.data ? text.data : "");
    text_free(&text);
    return string;
}

static json_t *config_json_of(const struct group *group)
{
    json_t *object = json_object(), *value;
    const char *key;
    json_object_foreach(json_object_get(group->run->root, "config"), key, value)
    {
        if (!config_is_in_id(key)) {
            json_object_set_new(object, key, distinct(group, config_text, "config", key));
        }
    }
    return object;
}

static json_t *machine_json(const struct group *group)
{
    static const struct {
        const char *title, *section, *key;
    } line[] = {
        {"machine class", "machine", "class"}, {"processor", "machine", "cpu"},
        {"program", "build", "version"},       {"commit", "build", "commit"},
        {"compiler", "build", "compiler"},     {"SIMD", "build", "simd"},
    };
    json_t *object = json_object();
    for (size_t i = 0; i < sizeof(line) / sizeof(line[0]); i++) {
        json_object_set_new(object, line[i].title,
                            distinct(group, section_text, line[i].section, line[i].key));
    }
    return object;
}

/* What must be the same before settings may stand on one line over d, L, H, T or steps. */
static json_t *procedure_json(const struct run *run)
{
    const json_t *machine = json_object_get(run->root, "machine");
    json_t *key = json_pack("{s:o, s:s}", "config", gap_procedure(run), "class",
                            json_get_text(machine, "class", ""));
    json_t *build = json_object_get(run->root, "build");
    if (build) {
        json_object_set(key, "build", build);
    }
    char *text = json_dumps(key, JSON_COMPACT | JSON_SORT_KEYS);
    json_t *string = json_string(text ? text : "");
    free(text);
    json_decref(key);
    return string;
}

static json_t *base_json(const struct group *group, size_t n_step)
{
    const struct run *run = group->run;
    size_t n_ok = 0;
    for (size_t i = 0; i < group->n_run; i++) {
        n_ok += run_is_ok(&group->run[i]);
    }
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "d",
                     integer(run->n_embd), "L", integer(run->n_layer), "H", integer(run->n_head),
                     "T", integer(run->n_token), "steps", integer(n_step), "n_run",
                     integer(group->n_run), "n_ok", integer(n_ok), "config", config_json_of(group),
                     "machine", machine_json(group), "procedure", procedure_json(run));
}

/* ---- of tasks ---- */

json_t *html_findings(const struct findings *findings)
{
    json_t *array = json_array();
    for (size_t i = 0; i < findings->n_finding; i++) {
        const struct finding *finding = &findings->finding[i];
        json_array_append_new(array,
                              json_pack("{s:s, s:s, s:b}", "text", finding->text.data, "rule",
                                        finding->rule, "headline", finding->headline));
    }
    return array;
}

static json_t *floors_json(const struct setting *setting)
{
    json_t *object = json_object();
    for (size_t i = 0; i < setting->n_task; i++) {
        json_object_set_new(object, setting->task[i]->name,
                            json_number(task_chance(setting->task[i], setting->run->n_token)));
    }
    return object;
}

static void add_figure(json_t *array, const char *stem, const char *name, const char *title)
{
    struct text file = {0};
    text_append(&file, "%s%s", stem, name);
    json_array_append_new(array, json_pack("[s, s]", file.data ? file.data : "", title));
    text_free(&file);
}

static json_t *figures_json(const struct setting *setting, const struct setting_report *report)
{
    json_t *array = json_array();
    add_figure(array, report->stem, "accuracy.png", "accuracy, PNG");
    add_figure(array, report->stem, "accuracy.svg", "SVG");
    if (report->has_curves) {
        add_figure(array, report->stem, "curves.png", "learning curves, PNG");
        add_figure(array, report->stem, "curves.svg", "SVG");
    }
    for (size_t i = 0; i < setting->n_seed; i++) {
        char name[64], title[64];
        snprintf(name, sizeof(name), "attention-seed%lld.png", setting->seed[i]);
        snprintf(title, sizeof(title), "attention maps of seed %lld", setting->seed[i]);
        if (report->has_attention[i]) {
            add_figure(array, report->stem, name, title);
        }
    }
    return array;
}

static json_t *setting_json(const struct setting *setting, const struct html_content *content,
                            size_t number)
{
    const struct setting_report *report = &content->reports[number];
    char title[SETTING_TITLE_SIZE];
    struct group group = {setting->run, setting->n_run};
    json_t *object = base_json(&group, setting->n_step), *seeds = json_array();
    for (size_t i = 0; i < setting->n_seed; i++) {
        json_array_append_new(seeds, json_integer(setting->seed[i]));
    }
    setting_title(setting, title);
    json_object_set_new(object, "images", json_false());
    json_object_set_new(object, "title", json_string(title));
    json_object_set_new(object, "seeds", seeds);
    json_object_set_new(object, "n_expected",
                        integer(setting->n_variant * setting->n_task * setting->n_seed));
    json_object_set_new(object, "floors", floors_json(setting));
    json_object_set_new(object, "findings", html_findings(&report->findings));
    if (statistics_tells_settings(content->statistics)) {
        json_object_set_new(object, "figures", figures_json(setting, report));
    }
    return object;
}

/* ---- of data sets ---- */

static json_t *image_setting_json(const struct group *group)
{
    const struct run *run = group->run;
    const json_t *data = json_object_get(run->root, "data");
    struct text title = {0};
    char patch[RUN_TEXT_SIZE];
    size_t n_step = 0;
    for (size_t i = 0; i < group->n_run; i++) {
        n_step = group->run[i].n_step > n_step ? group->run[i].n_step : n_step;
    }
    run_config(run, "patch", patch);
    text_append(&title, "%s: d %zu, %zu layers, %zu heads, patch %s, T %zu",
                run->dataset->task.title, run->n_embd, run->n_layer, run->n_head, patch,
                run->n_token);
    json_t *object = base_json(group, n_step);
    json_object_set_new(object, "images", json_true());
    json_object_set_new(object, "title", json_text(title.data ? title.data : ""));
    json_object_set_new(object, "n_train", json_integer(json_get_integer(data, "n_train", 0)));
    json_object_set_new(object, "n_test", json_integer(json_get_integer(data, "n_test", 0)));
    json_object_set_new(object, "n_class", integer(run->dataset->task.n_answer));
    json_object_set_new(object, "is_published",
                        json_boolean(!json_is_false(json_object_get(data, "published"))));
    text_free(&title);
    return object;
}

/* Image cells of one setting lie in a row, and so do their runs. */
static void append_image_settings(const struct html_index *index, json_t *array)
{
    const struct run_set *set = index->set;
    for (size_t first = 0, end; first < set->n_image_cell; first = end) {
        struct group group = {set->image_cell[first].run, 0};
        for (end = first;
             end < set->n_image_cell && index->image_setting[end] == index->image_setting[first];
             end++) {
            group.n_run += set->image_cell[end].n_run;
        }
        json_array_append_new(array, image_setting_json(&group));
    }
}

json_t *html_settings(const struct html_index *index, const struct html_content *content)
{
    json_t *array = json_array();
    for (size_t i = 0; i < index->set->n_setting; i++) {
        json_array_append_new(array, setting_json(&index->set->setting[i], content, i));
    }
    append_image_settings(index, array);
    return array;
}
