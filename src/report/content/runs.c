/* runs: what was run: variants, tasks, seeds, configuration, machine and program, each value once.
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "lab/kind/sequences/sequences.h"
#include "report/content/topics.h"

#define MAX_TOLD 12 /* values of one key */

/* ---- distinct values ---- */

struct distinct {
    char value[MAX_TOLD][RUN_TEXT_SIZE];
    size_t n; /* at most MAX_TOLD */
};

static void find_distinct(const struct group *group, const char *section, const char *key,
                          struct distinct *distinct)
{
    distinct->n = 0;
    for (size_t i = 0; i < group->n_run && distinct->n < MAX_TOLD; i++) {
        size_t k = 0;
        run_fact(group->run[i], section, key, distinct->value[distinct->n]);
        while (strcmp(distinct->value[k], distinct->value[distinct->n]) != 0) {
            k++;
        }
        distinct->n += k == distinct->n;
    }
}

static void append_values(struct text *text, const struct distinct *distinct, const char *between)
{
    for (size_t i = 0; i < distinct->n; i++) {
        text_append(text, "%s%s", i ? between : "", distinct->value[i]);
    }
    text_append(text, distinct->n == MAX_TOLD ? ", ..." : "");
}

static void append_distinct(struct text *text, const struct group *group, const char *section,
                            const char *key)
{
    struct distinct distinct;
    find_distinct(group, section, key, &distinct);
    append_values(text, &distinct, ", ");
}

/* Appends the keys that have one value over all runs, or those that have several. */
static size_t append_keys(struct text *text, const struct group *group, bool several)
{
    const char *key;
    size_t n_told = 0;
    for (size_t i = 0; (key = run_fact_key(group->run[0], "config", i)) != NULL; i++) {
        struct distinct distinct;
        if (config_is_in_id(key)) {
            continue;
        }
        find_distinct(group, "config", key, &distinct);
        if ((distinct.n > 1) == several) {
            text_append(text, "%s%s ", n_told++ ? (several ? "; " : ", ") : "", key);
            append_values(text, &distinct, several ? ", " : " or ");
        }
    }
    return n_told;
}

static void item(struct document *document, struct text *text)
{
    document->failed |= text->failed;
    document_item(document, 1, "%s", text->data ? text->data : "");
    text_free(text);
}

static void say_config(struct document *document, const struct group *group)
{
    struct text same = {0}, varied = {0};
    text_append(&same, "configuration, the same for all: ");
    append_keys(&same, group, false);
    item(document, &same);
    text_append(&varied, "configuration, varied: ");
    if (append_keys(&varied, group, true) > 0) {
        item(document, &varied);
    }
    text_free(&varied);
}

static void say_machine(struct document *document, const struct group *group)
{
    struct text machine = {0}, program = {0};
    text_append(&machine, "machine class: ");
    append_distinct(&machine, group, "machine", "class");
    text_append(&machine, "; processor: ");
    append_distinct(&machine, group, "machine", "cpu");
    item(document, &machine);
    text_append(&program, "program: qkvlab ");
    static const char *const key[] = {"version", "commit", "compiler", "simd"};
    for (size_t i = 0; i < sizeof key / sizeof *key; i++) {
        text_append(&program, i ? ", %s " : "", key[i]);
        append_distinct(&program, group, "build", key[i]);
    }
    item(document, &program);
}

/* Says at which lengths test sequences stand in the training set, too, by one run of each. */
static void say_seen(struct document *document, const struct group *group)
{
    struct groups settings = groups_by(group, FACTOR_BIT(SETTING) | FACTOR_BIT(SEED));
    struct text text = {0};
    size_t last = 0;
    for (size_t i = 0; i < settings.n_group; i++) {
        const struct config *config = run_config(settings.group[i].run[0]);
        size_t n_seen = 0;
        if (config->seq_len != last) {
            document->failed |= sequences_seen(config, &n_seen, NULL) != STATUS_OK;
        }
        if (n_seen > 0) {
            text_append(&text, "%s%zu of %zu at T %zu (seed %llu)",
                        text.size ? ", " : "test sequences that stand in the training set, too: ",
                        n_seen, config->n_test, config->seq_len, (unsigned long long)config->seed);
            last = config->seq_len;
        }
    }
    if (text.size > 0) {
        item(document, &text);
    }
    text_free(&text);
}

/* Variants, tasks and seeds of a group, a line each. */
static void say_axes(struct document *document, const struct group *group)
{
    struct groups variants = groups_by(group, FACTOR_BIT(VARIANT));
    struct groups tasks = groups_by(group, FACTOR_BIT(TASK));
    struct text variant = {0}, task = {0}, seed = {0};
    text_append(&variant, "variants: ");
    for (size_t i = 0; i < variants.n_group; i++) {
        text_append(&variant, "%s%s", i ? "; " : "", variants.group[i].run[0]->variant_name);
    }
    text_append(&task, "tasks: ");
    for (size_t i = 0; i < tasks.n_group; i++) {
        const struct run *run = tasks.group[i].run[0];
        text_append(&task, "%s%s (%s)", i ? ", " : "", run_task_title(run),
                    run_config(run)->task->summary);
    }
    text_append(&seed, "seeds: ");
    append_distinct(&seed, group, "config", "seed");
    item(document, &variant);
    item(document, &task);
    item(document, &seed);
}

/* Of every variant with every seed of a task: tasks may have seeds of their own. */
static size_t count_missing(const struct group *part)
{
    struct groups tasks = groups_by(part, FACTOR_BIT(TASK));
    size_t n = 0;
    for (size_t i = 0; i < tasks.n_group; i++) {
        n += group_n(&tasks.group[i], FACTOR_SEED);
    }
    return n * group_n(part, FACTOR_VARIANT) - part->n_ok;
}

/* " **3 combinations of ... are missing**, ...", or nothing. */
static void append_missing(struct text *text, size_t n_missing, const char *of)
{
    if (n_missing > 0) {
        text_append(text,
                    " **%zu combination%s of %s %s missing**, so some means rest on fewer runs "
                    "than others.",
                    n_missing, plural(n_missing), of, n_missing == 1 ? "is" : "are");
    }
}

void say_runs_of_part(struct document *document, const struct material *material, size_t part)
{
    const struct group *group = material->part[part].group;
    size_t n_variant = group_n(group, FACTOR_VARIANT), n_task = group_n(group, FACTOR_TASK),
           n_seed = group_n(group, FACTOR_SEED), n_ok = group->n_ok;
    char title[SETTING_TITLE_SIZE];
    struct text text = {0};
    setting_title(group->run[0], title);
    text_append(&text,
                "%zu finished run%s: %zu variant%s, %zu task%s, %zu seed%s, at %s, %zu steps of "
                "training%s.",
                n_ok, plural(n_ok), n_variant, plural(n_variant), n_task, plural(n_task), n_seed,
                plural(n_seed), title, group_n_step(group), n_ok == 1 ? "" : " each");
    append_missing(&text, count_missing(group), "variant, task and seed");
    if (frame_kind(material->frame, OF_IMAGES)) {
        text_append(&text, " The runs on images are told of under "
                           "[Image data sets](#image-data-sets).");
    }
    document_heading(document, material->n_part > 1 ? 3 : 2, "What was run");
    document_paragraph(document, TONE_PLAIN, "%s", text.data);
    text_free(&text);
    say_axes(document, group);
    say_config(document, group);
    say_seen(document, group);
    say_machine(document, group);
    if (material->n_part == 1) {
        document_heading(document, 2, "Figures and tables");
    }
}

/* ---- a grid ---- */

/* Sizes have columns of their own. */
static bool is_size(const char *key)
{
    static const char *const size[] = {"n_embd",  "n_layer", "n_head",
                                       "seq_len", "lanes",   "micro_batch"};
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
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

static void append_differences(struct text *text, const struct run *run, const struct run *first)
{
    static const char *const section[] = {"config", "build", "machine", "versions"};
    size_t n_told = 0;
    for (size_t i = 0; i < sizeof section / sizeof *section; i++) {
        const char *key;
        for (size_t k = 0; (key = run_fact_key(run, section[i], k)) != NULL; k++) {
            char here[RUN_TEXT_SIZE], there[RUN_TEXT_SIZE];
            run_fact(run, section[i], key, here);
            run_fact(first, section[i], key, there);
            if (is_told(section[i], key) && strcmp(here, there) != 0) {
                text_append(text, "%s%s%s %s", n_told++ ? ", " : "", key,
                            strcmp(section[i], "versions") == 0 ? " version" : "", here);
            }
        }
    }
}

static void say_list(struct document *document, const struct material *material)
{
    static const struct column columns[] = {{NULL, "setting", 0},
                                            {NULL, "d", 0},
                                            {NULL, "L", 0},
                                            {NULL, "H", 0},
                                            {NULL, "T", 0},
                                            {NULL, "steps", 0},
                                            {NULL, "finished runs", 0},
                                            {NULL, "missing", 0},
                                            {NULL, "other differences from setting 1", 0}};
    struct table *table = table_create(columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < material->n_part; i++) {
        const struct group *part = material->part[i].group;
        const struct config *config = run_config(part->run[0]);
        struct text text = {0};
        table_row(table, facets_tag(group_facets(part)), false);
        table_integer(table, (long long)i + 1);
        table_integer(table, (long long)config->n_embd);
        table_integer(table, (long long)config->n_layer);
        table_integer(table, (long long)config->n_head);
        table_integer(table, (long long)config->seq_len);
        table_integer(table, (long long)group_n_step(part));
        table_integer(table, (long long)part->n_ok);
        table_integer(table, (long long)count_missing(part));
        append_differences(&text, part->run[0], material->part[0].group->run[0]);
        table_text(table, text.data ? text.data : "-");
        document->failed |= text.failed;
        text_free(&text);
    }
    document_table(document, table, "Settings", NULL);
}

void say_runs(struct document *document, const struct material *material)
{
    const struct group *sequences = frame_kind(material->frame, OF_SEQUENCES);
    if (material->n_part < 2) {
        return;
    }
    size_t n_missing = 0;
    struct text text = {0};
    for (size_t i = 0; i < material->n_part; i++) {
        n_missing += count_missing(material->part[i].group);
    }
    text_append(&text, "%zu finished runs in %zu settings.", sequences->n_ok, material->n_part);
    append_missing(&text, n_missing, "variant, task and seed within a setting");
    document_begin(document, GROUP_SECTION, "what-was-run", "What was run");
    unsigned before = document_for(document, FOR_TEXT);
    document_heading(document, 2, "What was run");
    document_for(document, before);
    document_paragraph(document, TONE_PLAIN, "%s", text.data);
    text_free(&text);
    say_axes(document, sequences);
    say_config(document, sequences);
    say_seen(document, sequences);
    say_machine(document, sequences);
    say_list(document, material);
    document_end(document);
}
