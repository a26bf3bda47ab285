/* traces: how models learned, kept in a file so that later trainings can be compared with it.
 *
 * A cohort is one configuration with a trace of each seed; users read of it as a part of the
 * baseline, which is the file that `baseline record` writes: the old traces of a check. The new
 * ones are trained by the check, or are those of another file, or curves that another program
 * wrote.
 *
 * The file is JSON; numbers in it are exact, those of fingerprints have nine digits and envelopes
 * three.
 *
 *     format "qkvlab-baseline-1"
 *     engine      version of the engine; null where another program trained
 *     machine     {class, cpu, processors, threads},
 *     build       {version, commit, compiler, flags, simd}: see provenance.h; null where another
 *                 program trained
 *     parts       a cohort each:
 *         name        "reverse-kv"; of curves from elsewhere, their folder's name
 *         config      every key but seed, lanes and micro_batch included; null from elsewhere
 *         task_version, n_step: planned steps
 *         tensors     names, in the order of the layout
 *         tolerance   what harmless changes do to these trainings, see tolerance.h; or null
 *         runs        a trace each:
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
 * A FINGERPRINT is [first 12 digits of the SHA-256, 2-norm, two projections], see trace.h.
 */
#ifndef QKVLAB_CHECK_TRACES_H
#define QKVLAB_CHECK_TRACES_H

#include "base/json.h"
#include "base/status.h"
#include "check/tolerance.h"
#include "check/trace.h"
#include "lab/config/config.h"

#define TRACES_FORMAT "qkvlab-baseline-1"
#define COHORT_NAME_SIZE 128

struct cohort {
    char name[COHORT_NAME_SIZE];
    bool trained_here;    /* config means something */
    struct config config; /* resolved; with the first trace's seed */
    int task_version;
    size_t n_step;
    char (*tensor)[64]; /* [n_tensor] names */
    size_t n_tensor;
    struct tolerance *tolerance; /* NULL: not measured */
    struct trace *trace;         /* [n_trace] */
    size_t n_trace;
};

struct traces {
    int engine;              /* 0: another program's */
    json_t *machine, *build; /* NULL: another program's */
    struct cohort *cohort;
    size_t n_cohort;
};

void traces_free(struct traces *traces);

/* traces_cohort and cohort_trace return the cohort of a name, the trace of a seed, or NULL. */
const struct cohort *traces_cohort(const struct traces *traces, const char *name);
const struct trace *cohort_trace(const struct cohort *cohort, uint64_t seed);

/* traces_count returns how many traces there are, traces_fewest how many the smallest cohort has.
 */
size_t traces_count(const struct traces *traces);
size_t traces_fewest(const struct traces *traces);

/* traces_keep_seeds removes every trace of another seed. STATUS_DATA: a cohort has not all of them.
 */
enum status traces_keep_seeds(struct traces *traces, const uint64_t *seed, size_t n_seed,
                              struct error *err);

/* traces_write writes the file. Errors: STATUS_WRITE, STATUS_MEMORY. */
enum status traces_write(const struct traces *traces, const char *path, struct error *err);

/* traces_read reads and checks a file. Caller frees with traces_free, also on failure. Errors:
 * STATUS_DATA says which cohort and run is wrong; a file of a program that knew other keys is
 * STATUS_DATA too. */
enum status traces_read(const char *path, struct traces *traces, struct error *err);

/* traces_read_curves takes what another program wrote: *.csv in folder, or in its subfolders, which
 * are one cohort each (a file is a seed; its number is the last one in its name, if any). See
 * traces_csv.c for the format. Caller frees, also on failure. Errors: STATUS_DATA with file and
 * line. */
enum status traces_read_curves(const char *folder, struct traces *traces, struct error *err);

#endif
