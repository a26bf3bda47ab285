/* The task decides which keys there are, so it is set first; keys that follow from others are left
 * to config_resolve.
 */
#include "lab/config/config_read.h"

#include <stdio.h>
#include <string.h>

#define VALUE_SIZE 256

static void value_text(const json_t *value, char text[VALUE_SIZE])
{
    if (json_is_string(value)) {
        snprintf(text, VALUE_SIZE, "%s", json_string_value(value));
    } else if (json_is_integer(value)) {
        snprintf(text, VALUE_SIZE, "%lld", (long long)json_integer_value(value));
    } else if (json_is_real(value)) {
        snprintf(text, VALUE_SIZE, "%.17g", json_real_value(value));
    } else {
        text[0] = '\0';
    }
}

static bool is_derived(const struct config *config, const struct config_key *key)
{
    return config_is_vision(config) && key->preset_images &&
           strcmp(key->preset_images, CONFIG_DERIVED) == 0;
}

enum status config_read(const json_t *object, struct config *config, struct error *err)
{
    const char *task = json_get_text(object, "task", "");
    *config = config_default();
    enum status status = config_set(config, "task", task, NULL);
    if (status != STATUS_OK) {
        return error_set(err, status, "task \"%s\", which this program does not know", task);
    }
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)object, name, value)
    {
        char text[VALUE_SIZE];
        const struct config_key *key = config_key_find(name, err);
        if (status == STATUS_OK && !key) {
            return STATUS_USAGE;
        }
        if (status == STATUS_OK && !is_derived(config, key)) {
            value_text(value, text);
            status = config_set(config, name, text, err);
        }
    }
    return status == STATUS_OK ? config_resolve(config, err) : status;
}
