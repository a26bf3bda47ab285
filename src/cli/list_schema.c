/* Made of the key table alone: "a | b" are choices, "0..9" is a range. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "lab/config/config.h"
#include "lab/config/preset.h"

/* "0", "0-5" or "0,2-4": no number with a zero in front. */
#define SEED "(0|[1-9][0-9]*)"
#define SEEDS SEED "(-" SEED ")?"
#define SEEDS_PATTERN "^" SEEDS "(," SEEDS ")*$"

/* ---- one value ---- */

static json_t *choices(const struct config_key *key)
{
    json_t *list = json_array();
    const char *at = key->accepted;
    while (at) {
        const char *bar = strstr(at, " | ");
        int n = bar ? (int)(bar - at) : (int)strlen(at);
        json_array_append_new(list, strcmp(key->type, "integer") == 0
                                        ? json_integer(strtoll(at, NULL, 10))
                                        : json_stringn(at, (size_t)n));
        at = bar ? bar + 3 : NULL;
    }
    return json_pack("{s:o}", "enum", list);
}

static json_t *range(const struct config_key *key)
{
    const char *dots = strstr(key->accepted, "..");
    return json_pack("{s:s, s:f, s:f}", "type", key->type, "minimum", strtod(key->accepted, NULL),
                     "maximum", strtod(dots + 2, NULL));
}

static json_t *tasks(void)
{
    json_t *list = json_array();
    for (size_t i = 0; task_at(i); i++) {
        json_array_append_new(list, json_string(task_at(i)->name));
    }
    return json_pack("{s:o}", "enum", list);
}

static json_t *value_schema(const struct config_key *key)
{
    if (strcmp(key->type, "task") == 0) {
        return tasks();
    }
    if (strcmp(key->type, "variant") == 0) {
        return json_pack("{s:s}", "type", "string");
    }
    return strstr(key->accepted, "..") ? range(key) : choices(key);
}

/* ---- keys ---- */

static json_t *value_or_list(json_t *value, const char *help)
{
    return json_pack("{s:s, s:[O, {s:s, s:o, s:i, s:b}]}", "description", help, "anyOf", value,
                     "type", "array", "items", value, "minItems", 1, "uniqueItems", 1);
}

static json_t *seeds_schema(void)
{
    return value_or_list(json_pack("{s:[{s:s, s:i}, {s:s, s:s}]}", "anyOf", "type", "integer",
                                   "minimum", 0, "type", "string", "pattern", SEEDS_PATTERN),
                         "seeds: one, a list, or a range such as 0-2");
}

static json_t *run_keys(void)
{
    json_t *properties = json_object();
    for (size_t i = 0; config_key_at(i); i++) {
        const struct config_key *key = config_key_at(i);
        if (strcmp(key->name, "seed") == 0) {
            continue;
        }
        json_object_set_new(properties, key->name, value_or_list(value_schema(key), key->help));
        if (key->alias) {
            json_object_set_new(properties, key->alias,
                                value_or_list(value_schema(key), key->help));
        }
    }
    json_object_set_new(properties, "seed", seeds_schema());
    json_object_set_new(properties, "seeds", seeds_schema());
    return properties;
}

static json_t *include_schema(void)
{
    json_t *names = json_array();
    for (size_t i = 0; preset_at(i); i++) {
        json_array_append_new(names, json_string(preset_at(i)->name));
    }
    return json_pack("{s:s, s:s, s:o}", "description",
                     "a preset, or a file beside this one; own keys win over its keys", "type",
                     "string", "examples", names);
}

static json_t *schema(void)
{
    json_t *properties = run_keys();
    json_object_set_new(properties, "include", include_schema());
    json_object_set_new(properties, "without_data",
                        json_pack("{s:s, s:s, s:b, s:o}", "description",
                                  "keys that take over where files of the data set are missing",
                                  "type", "object", "additionalProperties", 0, "properties",
                                  run_keys()));
    return json_pack("{s:s, s:s, s:s, s:b, s:o}", "$schema",
                     "http://json-schema.org/draft-07/schema#", "title",
                     "qkvlab configuration file", "type", "object", "additionalProperties", 0,
                     "properties", properties);
}

enum status list_schema(const struct arguments *arguments, struct error *err)
{
    (void)arguments;
    struct text text = {0};
    json_t *root = schema();
    if (root) {
        json_append(&text, root);
    }
    json_decref(root);
    bool fine = text.data && !text.failed;
    if (fine) {
        puts(text.data);
    }
    text_free(&text);
    return fine ? STATUS_OK : error_memory(err, "making the schema");
}
