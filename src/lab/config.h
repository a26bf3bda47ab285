/* config: what a run is. One table of keys in config.c is parser, help, documentation and identity.
 */
#ifndef QKVLAB_LAB_CONFIG_H
#define QKVLAB_LAB_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/file.h"
#include "base/json.h"
#include "base/status.h"
#include "lab/task.h"
#include "nn/engine.h"
#include "nn/variant.h"

enum attention_maps { ATTENTION_NONE, ATTENTION_FINAL };
enum procedure { PROCEDURE_REPRODUCTION };

/* Raised when the same configuration would give other numbers: ids of runs change with it. */
#define ENGINE_VERSION 1

/* Defaults are the `reproduction` procedure at d 64, L 2, H 4, T 16. */
struct config {
    const struct task *task;
    struct variant variant;
    enum procedure procedure;
    size_t n_embd, n_layer, n_head, mlp_ratio;
    size_t seq_len, n_position, pos_dim;
    size_t batch_size;
    size_t epochs;
    size_t n_train, n_test, n_probe;
    double learning_rate, beta1, beta2, epsilon, warmup, clip, weight_decay;
    uint64_t seed;
    size_t lanes, micro_batch; /* 0: engine's default for the shape; resolved by config_resolve */
    enum attention_maps attention;
};

struct config config_default(void);

/* config_set sets one key (or alias) from text. Errors: STATUS_USAGE naming the accepted values or
 * the nearest key. */
enum status config_set(struct config *config, const char *key, const char *value,
                       struct error *err);

/* config_resolve fills derived defaults and refuses impossible combinations before any work. */
enum status config_resolve(struct config *config, struct error *err);

/* config_shape is the model of a resolved configuration; config_steps its number of training steps.
 */
struct model_shape config_shape(const struct config *config);
size_t config_steps(const struct config *config);

/* config_json returns every key with its value (new reference). */
json_t *config_json(const struct config *config);

/* config_id writes <task>-<variant>-s<seed>-<12 hex> of a resolved configuration, with '.' for the
 * variant's ':'. The digits are the first of the canonical text's SHA-256. */
#define CONFIG_ID_SIZE 192
void config_id(const struct config *config, char id[CONFIG_ID_SIZE]);

/* config_canonical writes the canonical text, lines "key=value": engine and task version, then the
 * keys that differ from their default, sorted. Returns its length. */
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
    const char *preset;   /* the default as text */
    const char *help;
};
const struct config_key *config_key_at(size_t i); /* NULL past the last */

/* config_key_find returns the key of a name or alias; NULL with a sentence that names the nearest.
 */
const struct config_key *config_key_find(const char *name, struct error *err);

/* A grid: every key may hold several values. */
struct grid;
struct grid *grid_create(void);
void grid_free(struct grid *grid);

/* grid_set takes "key=value" or "key=a,b,c". A wrong value and a key set twice are errors
 * (STATUS_USAGE), and the grid is as before. "seed=..." is grid_seeds. */
enum status grid_set(struct grid *grid, const char *assignment, struct error *err);

/* grid_seeds takes "0", "0,1,2" or "0-5". */
enum status grid_seeds(struct grid *grid, const char *seeds, struct error *err);

/* grid_expand lists the resolved configurations, seeds innermost, the key set first outermost.
 * A cell that cannot be, or two cells that are the same run, are an error that names them. Caller
 * frees the array with free. */
enum status grid_expand(const struct grid *grid, struct config **configs, size_t *n_config,
                        struct error *err);

#endif
