/* kind: what is learned. The configuration key `task` names a task; tasks that are alike are of one
 * kind: sequences, images. What they do not share is a row here, never a branch elsewhere.
 *
 * A kind is a folder of its own beside this file, with a row `const struct kind kind_<name>`, and
 * the word <name> in KINDS of kind.c. Its row says how a configuration is completed and checked,
 * what model it makes, where batches come from and what its runs are measured by.
 */
#ifndef QKVLAB_LAB_KIND_H
#define QKVLAB_LAB_KIND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct config;
struct model_shape;
struct source_kind;
struct dataset_options;
struct kind;

/* A configuration key with a value as text; lists of them end at a key that is NULL. */
struct key_value {
    const char *key, *value;
};

/* ---- tasks ---- */

#define TASK_MAX_PRESET 8
#define TASK_NO_KEY (-1)

/* What the key `task` can name. A kind puts it first in a struct with more of its own. */
struct task {
    const char *name;    /* "reverse", as in configurations and ids */
    const char *title;   /* "Reverse", for figures */
    const char *summary; /* in a line, "y_t = x_(T-1-t)"; NULL where the title says it */
    const char *example; /* "3 1 4 5 -> 5 4 1 3"; NULL: none */
    const struct kind *kind;
    int version;     /* raise it when the same seed or files would give other data: ids change */
    size_t n_answer; /* symbols or classes that an answer is one of */
    size_t n_train, n_test; /* items there are, for n_train=0; 0: not known, or drawn at will */
    struct key_value preset[TASK_MAX_PRESET + 1]; /* where it differs from the kind's defaults */
};

/* task_at returns the i-th task, kind by kind, each in alphabetical order; NULL past the last.
 * task_find returns the one of a name, NULL if there is none. */
const struct task *task_at(size_t i);
const struct task *task_find(const char *name);

/* task_chance is the accuracy of the best predictor that knows nothing but the position;
 * task_chance_loss the cross-entropy of one that knows nothing at all, ln n_answer. */
double task_chance(const struct task *task, size_t n_token);
double task_chance_loss(const struct task *task);

/* task_needed_key returns the position that answer t must attend to, TASK_NO_KEY where there is no
 * single one. */
int task_needed_key(const struct task *task, size_t t, size_t n_token);

/* task_find_data says whether the data of a task are where `data` says (root, n_root), without
 * reading them. NULL: no folders, and only what is drawn is found. Errors: STATUS_DATA with what
 * was looked for, where, and how to get it. */
enum status task_find_data(const struct task *task, const struct dataset_options *data,
                           struct error *err);

/* task_preset returns the default of a key: the task's own, else the kind's; NULL: that of the key.
 */
const char *task_preset(const struct task *task, const char *key);

/* ---- kinds ---- */

enum result_kind {
    RESULT_ACCURACY,       /* share of answers that are right, on the test split */
    RESULT_ITEM_ACCURACY,  /* share of items with every answer right */
    RESULT_TOP5,           /* share of answers whose target is among the five most likely */
    RESULT_TRAIN_ACCURACY, /* RESULT_ACCURACY of a sample of the training split */
    RESULT_CLASS_ACCURACY, /* RESULT_ACCURACY by class, a list */
    RESULT_LOSS,           /* mean cross-entropy of an answer, on the test split */
    RESULT_CHANCE,         /* task_chance */
    RESULT_ESCAPE_STEP,    /* see metrics.h */
    RESULT_STEP_BELOW      /* first step with a training loss below a level */
};

/* A number that finished runs of a kind have in the results of run.json. The one of
 * RESULT_ACCURACY, which every kind has, is what its runs are judged by first; no other kind's has
 * the same key. */
struct kind_result {
    const char *key;   /* NULL ends a list */
    const char *title; /* of its column in tables of runs; NULL: it has none */
    enum result_kind what;
    double level; /* of RESULT_STEP_BELOW */
};

struct kind {
    const char *name;     /* "sequences", "images" */
    const char *a_task;   /* "a task over sequences" */
    const char *all;      /* whose keys a key is: "image data sets" */
    const char *instead;  /* what to set task to in order to have such a key: "a data set" */
    const char *accuracy; /* RESULT_ACCURACY in a sentence: "token accuracy" */
    /* Defaults other than those of the key table. CONFIG_DERIVED: no choice, but a consequence of
     * other keys. A key without a default in the key table is the kind's only if it stands here. */
    const struct key_value *preset;
    const char *derived_from, *derived_by; /* "images", "patch": see config_check_keys */
    const struct kind_result *result;
    bool every_epoch; /* the test split is evaluated behind every epoch: epochs.csv */

    /* the i-th task in alphabetical order, NULL past the last */
    const struct task *(*task_at)(size_t i);
    double (*chance)(const struct task *task, size_t n_token);            /* NULL: 1 / n_answer */
    int (*needed_key)(const struct task *task, size_t t, size_t n_token); /* NULL: there is none */

    /* See task_find_data; NULL: all data are drawn. */
    enum status (*find)(const struct task *task, const struct dataset_options *data,
                        struct error *err);

    /* Fills in what follows from other keys, and refuses what cannot be. STATUS_USAGE. */
    enum status (*resolve)(struct config *config, struct error *err);
    /* Completes the model of a resolved configuration by its input and answers. */
    void (*shape)(const struct config *config, struct model_shape *shape);
    /* The sizes that decide how much there is in an item: "seq_len 16". */
    void (*say_size)(const struct config *config, char *text, size_t size);

    const struct source_kind *source; /* see source_kind.h */
};

/* kind_at returns the i-th kind, NULL past the last; the first is that of the default task. */
const struct kind *kind_at(size_t i);

/* kind_preset returns the default that a kind gives a key, NULL if it says nothing of it. */
const char *kind_preset(const struct kind *kind, const char *key);

/* kind_accuracy returns the row of RESULT_ACCURACY. */
const struct kind_result *kind_accuracy(const struct kind *kind);

/* kind_has_result: runs of the kind have such a result. */
bool kind_has_result(const struct kind *kind, enum result_kind what);

/* kind_result_is_step: a step, which some runs never come to, and no share or loss. */
bool kind_result_is_step(const struct kind_result *result);

#endif
