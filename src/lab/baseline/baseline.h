/* baseline: how a model learned, kept so that a later training can be compared with it. One JSON
 * file; numbers in it are exact.
 *
 *     format "qkvlab-baseline-1"
 *     engine      version of the engine; null where another program trained
 *     machine     {class, cpu, processors, threads}, build {version, commit, compiler, flags, blas,
 *                 simd}: see record.h; null where another program trained
 *     parts       one configuration each:
 *         name        "reverse-kv"; of curves from elsewhere, their folder's name
 *         config      every key but seed, lanes and micro_batch included; null from elsewhere
 *         task_version, n_step: planned steps
 *         tensors     names, in the order of the layout
 *         tolerance   what harmless changes do to these runs, see baseline_tolerance.h; or null
 *         runs        one seed each:
 *             seed, diverged (the last step is the one that did), escape_step (see metrics.h),
 *             reaches     steps at which 50, 90 and 99 % of a batch are right, see dynamics.h
 *             step        of each point; null: 0, 1, 2, ...
 *             loss, grad_norm, accuracy: of the batch, before the update; an array, or null where
 *                         the program that trained did not say
 *             evaluations [n_done, loss, accuracy] of the test split, before the first step and
 *                         after the last
 *             gradient    of the first step: a FINGERPRINT a tensor
 *             weights     {n_done, tensors: a FINGERPRINT a tensor} after 0, 1, 2, 4, 16, 64, ...
 *                         steps, and at the end
 *
 * A FINGERPRINT is [first 12 digits of the SHA-256, 2-norm, two random projections]. A projection
 * is the sum of all elements with signs that are always the same; those of two tensors differ by
 * about the norm of the tensors' difference, so a file of fingerprints tells how far two tensors
 * are apart, whichever elements differ.
 */
#ifndef QKVLAB_LAB_BASELINE_H
#define QKVLAB_LAB_BASELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "base/status.h"
#include "lab/config/config.h"
#include "lab/training/dynamics.h"

#define BASELINE_FORMAT "qkvlab-baseline-1"
#define BASELINE_NAME_SIZE 128
#define BASELINE_N_PROJECTION 2

struct fingerprint {
    char hash[13];
    double norm, projection[BASELINE_N_PROJECTION];
};

struct baseline_weights {
    size_t n_done;
    struct fingerprint *tensor; /* [n_tensor] */
};

struct baseline_evaluation {
    size_t n_done;
    double loss, accuracy;
};

#define BASELINE_MAX_EVALUATION 2

struct baseline_run {
    uint64_t seed;
    size_t n_point;
    size_t *step;                        /* [n_point] ascending; NULL: 0, 1, 2, ... */
    double *loss, *grad_norm, *accuracy; /* [n_point]; the last two may be NULL */
    bool diverged;                       /* at the last point */
    long escape_step;                    /* STEP_NEVER: never */
    double reaches[DYNAMICS_N_LEVEL];    /* NaN: never */
    struct baseline_evaluation evaluation[BASELINE_MAX_EVALUATION];
    size_t n_evaluation;
    struct fingerprint *gradient;     /* [n_tensor]; NULL where there is none */
    struct baseline_weights *weights; /* [n_weights] */
    size_t n_weights;
};

struct tolerance; /* baseline_tolerance.h */

struct baseline_part {
    char name[BASELINE_NAME_SIZE];
    bool trained_here;    /* config means something */
    struct config config; /* resolved; with the first run's seed */
    int task_version;
    size_t n_step;
    char (*tensor)[64]; /* [n_tensor] */
    size_t n_tensor;
    struct tolerance *tolerance; /* NULL: not measured */
    struct baseline_run *run;    /* [n_run] */
    size_t n_run;
};

struct baseline {
    int engine;              /* 0: another program's */
    json_t *machine, *build; /* NULL: another program's */
    struct baseline_part *part;
    size_t n_part;
};

void baseline_free(struct baseline *baseline);
void baseline_run_free(struct baseline_run *run);

/* baseline_step returns the step of a point of a run's curve. */
size_t baseline_step(const struct baseline_run *run, size_t point);

/* baseline_settle fills in what follows from a run's curve: escape_step and reaches. */
void baseline_settle(struct baseline_run *run);

/* baseline_find_part and baseline_find_run return the part of a name, the run of a seed, or NULL.
 */
const struct baseline_part *baseline_find_part(const struct baseline *baseline, const char *name);
const struct baseline_run *baseline_find_run(const struct baseline_part *part, uint64_t seed);

/* baseline_keep_seeds removes every run of another seed. false: one of the seeds is not there. */
bool baseline_keep_seeds(struct baseline *baseline, const uint64_t *seed, size_t n_seed,
                         uint64_t *missing);

/* baseline_fingerprint reads n floats. */
struct fingerprint baseline_fingerprint(const float *x, size_t n);

/* baseline_distance estimates |a - b| / (|a| + scale) from two fingerprints: 0 for equal ones. */
double baseline_distance(const struct fingerprint *a, const struct fingerprint *b, double scale);

/* baseline_write writes the file. Errors: STATUS_WRITE, STATUS_MEMORY. */
enum status baseline_write(const struct baseline *baseline, const char *path, struct error *err);

/* baseline_read reads and checks a file. Caller frees with baseline_free, also on failure. Errors:
 * STATUS_DATA says which part and run is wrong; a file of a program that knew other keys is
 * STATUS_DATA too. */
enum status baseline_read(const char *path, struct baseline *baseline, struct error *err);

/* baseline_read_curves makes a baseline of what another program wrote: *.csv in folder, or in its
 * subfolders, which are one part each (file is a seed; its number is the last one in its name, if
 * any). See baseline_curves.c for the format. Errors: STATUS_DATA with file and line. */
enum status baseline_read_curves(const char *folder, struct baseline *baseline, struct error *err);

#endif
