/* config_keys: the keys of a configuration, one row a key in config_keys.c: parser, help, JSON,
 * identity and documentation. Part of config.h, which includes it.
 */
#ifndef QKVLAB_LAB_CONFIG_KEYS_H
#define QKVLAB_LAB_CONFIG_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json.h"
#include "base/status.h"
#include "lab/kind/kind.h"
#include "nn/variant.h"

struct config;

/* Ranges are two numbers, the least and the most; sizes of a model have theirs in nn/model.h. */
#define RANGE_LAST_(least, most) most
#define RANGE_LAST(range) RANGE_LAST_(range)
#define RANGE_SEED 0, 9007199254740991

struct config_key {
    const char *name;
    const char *alias;    /* NULL: none */
    const char *type;     /* "integer", "number", "choice", "variant", "task" */
    const char *accepted; /* "1..65536", "none | final" */
    const char *preset;   /* the default as text, where kind and task have no other one; NULL: it is
                             a key of the kinds alone that give it a default */
    const char *help;
};
const struct config_key *config_key_at(size_t i); /* NULL past the last */

/* config_key_find returns the key of a name or alias; NULL with a sentence that names the nearest.
 */
const struct config_key *config_key_find(const char *name, struct error *err);

/* config_preset returns the default that a key has for a task, config_kind_preset the one that it
 * has for a kind, but for tasks with a default of their own. NULL: there is no such key;
 * CONFIG_DERIVED: no choice, but a consequence of other keys. */
#define CONFIG_DERIVED "derived"
const char *config_preset(const struct task *task, const struct config_key *key);
const char *config_kind_preset(const struct kind *kind, const struct config_key *key);
bool config_is_choice(const char *preset);

/* config_is_axis: an axis of the variant, which the variant's id says as well. config_is_in_id: an
 * id shows the value of this key: task, variant, its axes, seed. */
bool config_is_axis(const char *key);
bool config_is_in_id(const char *key);

/* config_default is a configuration with every key at its default; config_usual the one of the same
 * task. */
struct config config_default(void);
struct config config_usual(const struct config *config);

/* config_set sets one key (or alias) from text. Setting the task also gives every key that was not
 * set the default for that task, so that the order of keys does not matter. The configuration is no
 * longer resolved. Errors: STATUS_USAGE naming the accepted values or the nearest key. */
enum status config_set(struct config *config, const char *key, const char *value,
                       struct error *err);

/* config_check_keys refuses keys that were set and mean nothing to this kind of task. STATUS_USAGE.
 */
enum status config_check_keys(const struct config *config, struct error *err);

/* config_value formats the value of one key as config_set would read it. Errors: STATUS_USAGE. */
#define CONFIG_VALUE_SIZE (VARIANT_TEXT_SIZE + 32)
enum status config_value(const struct config *config, const char *key, char *text, size_t size,
                         struct error *err);

/* config_json returns every key that means something to this kind of task, with its value (new
 * reference); config_from_json makes the configuration, not resolved, of such an object. Errors:
 * STATUS_USAGE for a key or a value that this program does not know. */
json_t *config_json(const struct config *config);
enum status config_from_json(const json_t *object, struct config *config, struct error *err);

#endif
