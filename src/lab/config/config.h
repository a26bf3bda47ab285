/* config: what a run is. Keys are set by name (config_keys.h), then the configuration is resolved:
 * completed, checked, and given the name that its run has on disk.
 */
#ifndef QKVLAB_LAB_CONFIG_H
#define QKVLAB_LAB_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "base/status.h"
#include "lab/config/config_keys.h"
#include "lab/kind/kind.h"
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

#define CONFIG_ID_SIZE 192

/* Defaults are the `reproduction` procedure at d 64, L 2, with what kind and task say beside it. */
struct config {
    const struct task *task; /* what is learned */
    struct variant variant;
    enum procedure procedure;
    size_t n_embd, n_layer, n_head, mlp_ratio;
    size_t seq_len, n_position; /* of images: follow from image and patch */
    size_t pos_dim;
    size_t batch_size;
    size_t epochs;
    enum last_batch last_batch;
    size_t n_train, n_test; /* of images 0: all there are */
    size_t n_probe;
    double learning_rate, beta1, beta2, epsilon, warmup, clip, weight_decay, dropout;
    enum schedule schedule;
    uint64_t seed;
    enum numbers numbers;      /* whose a seed's are */
    size_t lanes, micro_batch; /* 0: engine's default for the shape; resolved by config_resolve */
    enum attention_maps attention;
    /* of images */
    size_t patch, image_size; /* image_size 0: as in the data set */
    enum patch_pad patch_pad;
    enum augment_choice augment;

    uint64_t is_set; /* a bit for each row of the key table: set by config_set, no default */
    /* Of a resolved configuration, "" and 0 before. id is <task>-<variant>-s<seed>-<12 hex>, with
     * '.' for the variant's ':'; the digits are the first of the canonical text's SHA-256. */
    char id[CONFIG_ID_SIZE];
    size_t n_param;
};

/* config_resolve fills derived defaults and refuses impossible combinations before any work. */
enum status config_resolve(struct config *config, struct error *err);

/* config_shape is the model of a resolved configuration, config_engine how it is computed with so
 * many threads; config_steps its number of training steps,
 * for the published number of images where n_train is 0 (0 if that is not known). */
struct model_shape config_shape(const struct config *config);
struct engine_options config_engine(const struct config *config, int threads);
size_t config_steps(const struct config *config);

/* config_epoch_steps is the number of steps of an epoch over n_train items. A partial batch that is
 * the only one is never dropped. */
size_t config_epoch_steps(const struct config *config, size_t n_train);

/* config_n_train is n_train, or for 0 the number of items that the task has; config_n_test
 * likewise. */
size_t config_n_train(const struct config *config);
size_t config_n_test(const struct config *config);

/* config_canonical writes the text that is hashed for the id, lines "key=value": engine and task
 * version, then the keys that differ from the default for this task, sorted. Returns its length. */
#define CONFIG_CANONICAL_SIZE 8192
size_t config_canonical(const struct config *config, char text[CONFIG_CANONICAL_SIZE]);

/* config_sort_ids lists resolved configurations by their ids, of equal ones the first one first
 * (caller frees with free). NULL: out of memory. */
const struct config **config_sort_ids(const struct config *configs, size_t n_config);

/* config_words lists "key=value" of a resolved configuration's keys that differ from the defaults,
 * the task first; ends at NULL. Set and resolved they give the same run. Caller frees with
 * config_words_free. NULL: out of memory. */
char **config_words(const struct config *config);
void config_words_free(char **words);

#endif
