/* config: what a run is. One table of keys in config.c is parser, help, documentation and identity.
 */
#ifndef QKVLAB_LAB_CONFIG_H
#define QKVLAB_LAB_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "base/status.h"
#include "lab/config/grid.h"
#include "lab/data/dataset.h"
#include "lab/data/task.h"
#include "nn/engine.h"
#include "nn/variant.h"

enum attention_maps { ATTENTION_NONE, ATTENTION_FINAL, ATTENTION_SNAPSHOTS };
enum procedure { PROCEDURE_REPRODUCTION };
enum schedule { SCHEDULE_COSINE, SCHEDULE_STEP };
enum last_batch { LAST_BATCH_KEEP, LAST_BATCH_DROP };
enum patch_pad { PATCH_PAD_REFUSE, PATCH_PAD_ZERO };
enum augment_choice { AUGMENT_OF_DATASET, AUGMENT_OFF };

/* Raised when the same configuration would give other numbers: ids of runs change with it. */
#define ENGINE_VERSION 1

/* Defaults are the `reproduction` procedure, of tasks at d 64, L 2, H 4, T 16; of data sets at d
 * 64, L 2, H 2, patch 4, with what datasets/ says about each. */
struct config {
    const struct task *task;       /* what is learned: a task, */
    const struct dataset *dataset; /* or a data set; the other one is NULL */
    struct variant variant;
    enum procedure procedure;
    size_t n_embd, n_layer, n_head, mlp_ratio;
    size_t seq_len, n_position; /* of a data set: follow from image and patch */
    size_t pos_dim;
    size_t batch_size;
    size_t epochs;
    enum last_batch last_batch;
    size_t n_train, n_test; /* of a data set 0: all it has */
    size_t n_probe;
    double learning_rate, beta1, beta2, epsilon, warmup, clip, weight_decay, dropout;
    enum schedule schedule;
    uint64_t seed;
    size_t lanes, micro_batch; /* 0: engine's default for the shape; resolved by config_resolve */
    enum attention_maps attention;
    /* of a data set */
    size_t patch, image_size; /* image_size 0: as in the data set */
    enum patch_pad patch_pad;
    enum augment_choice augment;
    uint64_t is_set; /* a bit for each row of the key table: set by config_set, no default */
};

struct config config_default(void);

/* config_set sets one key (or alias) from text. Setting the task also gives every key that was not
 * set the default of that kind of task, so that the order of keys does not matter. Errors:
 * STATUS_USAGE naming the accepted values or the nearest key. */
enum status config_set(struct config *config, const char *key, const char *value,
                       struct error *err);

/* config_resolve fills derived defaults and refuses impossible combinations before any work. */
enum status config_resolve(struct config *config, struct error *err);

/* config_check_keys refuses keys that were set and mean nothing to this kind of task. STATUS_USAGE.
 */
enum status config_check_keys(const struct config *config, struct error *err);

/* config_is_vision: images of a data set are learned, not sequences of a task. */
bool config_is_vision(const struct config *config);
const char *config_task_name(const struct config *config);
int config_task_version(const struct config *config);

/* config_image_size and config_augmentation are what the keys of a data set come to. */
size_t config_image_size(const struct config *config);
enum augmentation config_augmentation(const struct config *config);

/* config_shape is the model of a resolved configuration; config_steps its number of training steps,
 * for a data set's published number of images where n_train is 0 (0 if that is not known). */
struct model_shape config_shape(const struct config *config);
size_t config_steps(const struct config *config);

/* config_epoch_steps is the number of steps of an epoch over n_train items. A partial batch that is
 * the only one is never dropped. */
size_t config_epoch_steps(const struct config *config, size_t n_train);

/* config_n_train is n_train, or for 0 the published number of images; config_n_test likewise. */
size_t config_n_train(const struct config *config);
size_t config_n_test(const struct config *config);

/* config_json returns every key that means something to this kind of task, with its value (new
 * reference). */
json_t *config_json(const struct config *config);

/* config_id writes <task>-<variant>-s<seed>-<12 hex> of a resolved configuration, with '.' for the
 * variant's ':'. The digits are the first of the canonical text's SHA-256. */
#define CONFIG_ID_SIZE 192
void config_id(const struct config *config, char id[CONFIG_ID_SIZE]);

/* config_is_in_id: an id shows the value of this key: task, variant, its axes, seed. */
bool config_is_in_id(const char *key);

/* config_canonical writes the canonical text, lines "key=value": engine and task version, then the
 * keys that differ from the default of this task or data set, sorted. Returns its length. */
size_t config_canonical(const struct config *config, char *text, size_t size);

/* config_value formats the value of one key as config_set would read it. Errors: STATUS_USAGE. */
enum status config_value(const struct config *config, const char *key, char *text, size_t size,
                         struct error *err);

/* The key table, for help, completion and documentation. */
struct config_key {
    const char *name;
    const char *alias;    /* NULL: none */
    const char *type;     /* "integer", "number", "choice", "variant", "task" */
    const char *accepted; /* "1..65536", "none | final" */
    /* The default as text, of tasks and of data sets (some have their own). NULL: the other kind's
     * key alone; CONFIG_DERIVED: no choice, but a consequence of other keys. */
    const char *preset, *preset_images;
    const char *help;
};
#define CONFIG_DERIVED "derived"
const struct config_key *config_key_at(size_t i); /* NULL past the last */

/* config_key_find returns the key of a name or alias; NULL with a sentence that names the nearest.
 */
const struct config_key *config_key_find(const char *name, struct error *err);

#endif
