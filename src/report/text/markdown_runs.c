/* markdown_runs: variants, tasks, seeds, configuration, machine and program, each value once. */
#include "report/text/markdown_runs.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "lab/config/config.h"
#include "report/figures/figures.h"

#define MAX_TOLD 12 /* values of one key */

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

/* ---- distinct values ---- */

static void read_value(const struct run *run, const char *section, const char *key,
                       char value[RUN_TEXT_SIZE])
{
    if (strcmp(section, "config") == 0) {
        run_config(run, key, value);
        return;
    }
    const json_t *object = json_object_get(run->root, section);
    const json_t *member = json_object_get(object, key);
    if (json_is_integer(member)) {
        snprintf(value, RUN_TEXT_SIZE, "%lld", (long long)json_integer_value(member));
    } else {
        snprintf(value, RUN_TEXT_SIZE, "%s", json_get_text(object, key, "-"));
    }
}

/* Writes the distinct values that section.key has over runs; returns their number, at most
 * MAX_TOLD. */
static size_t find_distinct(const struct run *run, size_t n_run, const char *section,
                            const char *key, char value[MAX_TOLD][RUN_TEXT_SIZE])
{
    size_t n = 0;
    for (size_t i = 0; i < n_run && n < MAX_TOLD; i++) {
        size_t k = 0;
        read_value(&run[i], section, key, value[n]);
        while (strcmp(value[k], value[n]) != 0) {
            k++;
        }
        n += k == n;
    }
    return n;
}

static void append_distinct(struct text *text, const struct run *run, size_t n_run,
                            const char *section, const char *key, const char *between)
{
    char value[MAX_TOLD][RUN_TEXT_SIZE];
    size_t n = find_distinct(run, n_run, section, key, value);
    for (size_t i = 0; i < n; i++) {
        text_append(text, "%s%s", i ? between : "", value[i]);
    }
    text_append(text, n == MAX_TOLD ? ", ..." : "");
}

static void append_machine(struct text *text, const struct run *run, size_t n_run)
{
    text_append(text, "- machine class: ");
    append_distinct(text, run, n_run, "machine", "class", ", ");
    text_append(text, "; processor: ");
    append_distinct(text, run, n_run, "machine", "cpu", ", ");
    text_append(text, "\n- program: qkvlab ");
    static const char *const key[] = {"version", "commit", "compiler", "simd"};
    for (size_t i = 0; i < sizeof(key) / sizeof(key[0]); i++) {
        text_append(text, i ? ", %s " : "", key[i]);
        append_distinct(text, run, n_run, "build", key[i], ", ");
    }
    text_append(text, "\n");
}

/* Appends the keys that have one value over all runs, or those that have several. */
static size_t append_keys(struct text *text, const struct run *run, size_t n_run, bool several)
{
    const char *key;
    json_t *value;
    size_t n_told = 0;
    json_object_foreach(json_object_get(run->root, "config"), key, value)
    {
        char values[MAX_TOLD][RUN_TEXT_SIZE];
        if (config_is_in_id(key) ||
            (find_distinct(run, n_run, "config", key, values) > 1) != several) {
            continue;
        }
        text_append(text, "%s%s ", n_told++ ? (several ? "; " : ", ") : "", key);
        append_distinct(text, run, n_run, "config", key, several ? ", " : " or ");
    }
    return n_told;
}

static void append_config(struct text *text, const struct run *run, size_t n_run)
{
    struct text varied = {0};
    text_append(text, "- configuration, the same for all: ");
    append_keys(text, run, n_run, false);
    text_append(text, "\n");
    if (append_keys(&varied, run, n_run, true) > 0) {
        text_append(text, "- configuration, varied: %s\n", varied.data);
    }
    text->failed |= varied.failed;
    text_free(&varied);
}

/* ---- one setting ---- */

static void append_axes(struct text *text, const struct setting *setting)
{
    text_append(text, "- variants: ");
    for (size_t i = 0; i < setting->n_variant; i++) {
        text_append(text, "%s%s", i ? "; " : "", setting->variant[i]->variant_name);
    }
    text_append(text, "\n- tasks: ");
    for (size_t i = 0; i < setting->n_task; i++) {
        text_append(text, "%s%s (%s)", i ? ", " : "", setting->task[i]->title,
                    setting->task[i]->summary);
    }
    text_append(text, "\n- seeds: ");
    for (size_t i = 0; i < setting->n_seed; i++) {
        text_append(text, "%s%lld", i ? ", " : "", setting->seed[i]);
    }
    text_append(text, "\n");
}

static size_t count_ok(const struct setting *setting)
{
    size_t n = 0;
    for (size_t i = 0; i < setting->n_run; i++) {
        n += run_is_ok(&setting->run[i]);
    }
    return n;
}

static size_t count_missing(const struct setting *setting)
{
    return setting->n_variant * setting->n_task * setting->n_seed - count_ok(setting);
}

static void append_missing(struct text *text, size_t n_missing, const char *of)
{
    if (n_missing > 0) {
        text_append(text,
                    " **%zu combination%s of %s %s missing**, so some means rest on fewer runs "
                    "than others.",
                    n_missing, plural(n_missing), of, n_missing == 1 ? "is" : "are");
    }
}

void markdown_append_setting_runs(struct text *text, const struct setting *setting, bool has_images)
{
    char title[SETTING_TITLE_SIZE];
    size_t n_ok = count_ok(setting);
    setting_title(setting, title);
    text_append(text,
                "%zu finished run%s: %zu variant%s, %zu task%s, %zu seed%s, at %s, %zu steps of "
                "training%s.",
                n_ok, plural(n_ok), setting->n_variant, plural(setting->n_variant), setting->n_task,
                plural(setting->n_task), setting->n_seed, plural(setting->n_seed), title,
                setting->n_step, n_ok == 1 ? "" : " each");
    append_missing(text, count_missing(setting), "variant, task and seed");
    if (has_images) {
        text_append(text, " The runs on images are told of under "
                          "[Image data sets](#image-data-sets).");
    }
    text_append(text, "\n\n");
    append_axes(text, setting);
    append_config(text, setting->run, setting->n_run);
    append_machine(text, setting->run, setting->n_run);
    text_append(text, "\n");
}

/* ---- a grid ---- */

/* Only what is not a size: those have columns of their own. */
static bool is_size(const char *key)
{
    static const char *const size[] = {"n_embd",  "n_layer", "n_head",
                                       "seq_len", "lanes",   "micro_batch"};
    for (size_t i = 0; i < sizeof(size) / sizeof(size[0]); i++) {
        if (strcmp(key, size[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Of the machine only the class decides what may be averaged. */
static bool is_told(const char *section, const char *key)
{
    if (strcmp(section, "config") == 0) {
        return !config_is_in_id(key) && !is_size(key) && !run_key_looks(key);
    }
    return strcmp(section, "machine") != 0 || strcmp(key, "class") == 0;
}

static void append_other_differences(struct text *text, const struct run *run,
                                     const struct run *first)
{
    static const char *const section[] = {"config", "build", "machine", "versions"};
    size_t n_told = 0;
    for (size_t i = 0; i < sizeof(section) / sizeof(section[0]); i++) {
        const char *key;
        json_t *value;
        json_object_foreach(json_object_get(run->root, section[i]), key, value)
        {
            json_t *there = json_object_get(json_object_get(first->root, section[i]), key);
            if (!is_told(section[i], key) || json_equal(value, there)) {
                continue;
            }
            char here[RUN_TEXT_SIZE];
            read_value(run, section[i], key, here);
            text_append(text, "%s%s%s %s", n_told++ ? ", " : "", key,
                        strcmp(section[i], "versions") == 0 ? " version" : "", here);
        }
    }
    text_append(text, n_told > 0 ? "" : "-");
}

static void append_list(struct text *text, const struct run_set *set)
{
    text_append(text, "| setting | d | L | H | T | steps | finished runs | missing | other "
                      "differences from setting 1 |\n|---:|---:|---:|---:|---:|---:|---:|---:|---|"
                      "\n");
    for (size_t i = 0; i < set->n_setting; i++) {
        const struct setting *setting = &set->setting[i];
        const struct run *run = setting->run;
        text_append(text, "| %zu | %zu | %zu | %zu | %zu | %zu | %zu | %zu | ", i + 1, run->n_embd,
                    run->n_layer, run->n_head, run->n_token, setting->n_step, count_ok(setting),
                    count_missing(setting));
        append_other_differences(text, run, set->setting[0].run);
        text_append(text, " |\n");
    }
    text_append(text, "\n");
}

void markdown_append_grid_runs(struct text *text, const struct run_set *set,
                               const struct overview *tasks)
{
    size_t n_missing = 0;
    for (size_t i = 0; i < set->n_setting; i++) {
        n_missing += count_missing(&set->setting[i]);
    }
    text_append(text, "%zu finished runs in %zu settings.", set->n_ok, set->n_setting);
    append_missing(text, n_missing, "variant, task and seed within a setting");
    text_append(text, "\n\n- variants: ");
    for (size_t i = 0; i < tasks->n_variant; i++) {
        text_append(text, "%s%s", i ? "; " : "", tasks->variant[i]->variant_name);
    }
    text_append(text, "\n- tasks: ");
    for (size_t i = 0; i < tasks->n_task; i++) {
        text_append(text, "%s%s (%s)", i ? ", " : "", run_task_title(tasks->task[i]),
                    tasks->task[i]->task->summary);
    }
    text_append(text, "\n- seeds: ");
    append_distinct(text, set->run, set->n_run, "config", "seed", ", ");
    text_append(text, "\n");
    append_config(text, set->run, set->n_run);
    append_machine(text, set->run, set->n_run);
    text_append(text, "\n");
    append_list(text, set);
}
