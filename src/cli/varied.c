#include "cli/varied.h"

#include <jansson.h>
#include <string.h>

static bool differs(const struct config *configs, size_t n, const struct config_key *key)
{
    for (size_t k = 0; kind_at(k); k++) {
        char first[CONFIG_VALUE_SIZE] = "", other[CONFIG_VALUE_SIZE] = "";
        for (size_t i = 0; i < n; i++) {
            if (configs[i].task->kind != kind_at(k) || !config_preset(configs[i].task, key)) {
                continue;
            }
            config_value(&configs[i], key->name, other, sizeof other, NULL);
            if (first[0] && strcmp(first, other) != 0) {
                return true;
            }
            memcpy(first, other, sizeof first);
        }
    }
    return false;
}

struct varied varied_find(const struct config *configs, size_t n,
                          bool (*is_told)(const struct config *configs, size_t n, const char *key))
{
    struct varied varied = {.n = 0};
    const struct config_key *key;
    for (size_t k = 0; (key = config_key_at(k)) && varied.n < VARIED_MAX; k++) {
        if (differs(configs, n, key) && !is_told(configs, n, key->name)) {
            varied.key[varied.n++] = key;
        }
    }
    return varied;
}

void varied_columns(const struct varied *varied, struct table *table)
{
    for (size_t i = 0; i < varied->n; i++) {
        const char *name = varied->key[i]->name;
        table_column(table, &(struct column){name, name, -6});
    }
}

void varied_cells(const struct varied *varied, const struct config *config, struct table *table)
{
    json_t *values = varied->n > 0 ? config_json(config) : NULL;
    for (size_t i = 0; i < varied->n; i++) {
        const json_t *value = json_object_get(values, varied->key[i]->name);
        if (json_is_integer(value)) {
            table_integer(table, json_integer_value(value));
        } else if (json_is_real(value)) {
            table_number(table, json_real_value(value));
        } else {
            table_text(table, json_string_value(value));
        }
    }
    json_decref(values);
}
