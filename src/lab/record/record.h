/* record: the run folder. It is the truth; reports are made from run folders alone.
 *
 *     <out>/runs/<id>/              complete: appears in one step, by a rename
 *         run.json                  see run_record.h
 *         curve.csv                 step,loss,learning_rate,grad_norm,accuracy   (of the training
 *                                   batch, before the update; no times: identical at any thread
 *                                   count; older runs have no accuracy)
 *         epochs.csv                epoch and the numbers of EPOCH_TABLE          (images only)
 *         confusion.csv             test images, true class down, predicted across    (images only)
 *         attention/step000158/layer0.npy           [H,T,T], mean over the probe batch, a file a
 *                                                   layer, of the model after 158 steps
 *         attention/step000158/sample0_layer0.npy   [H,T,T], first probe sequence or image
 *         attention/step000158/samples_layer0.npy   [n,H,T,T], n probe images     (images only)
 *         attention/samples.npy     [n,H,W,C] uint8, these images as the test split has them
 *                                                                                 (images only)
 *         attention/overview.png    all maps with labels, a picture that can be made again
 *     <out>/runs/<id>.damaged-<n>/  was under <id>, but no finished run; kept, and never counted
 *     <out>/runs/<id>.partial/      in progress or interrupted
 *         failure                   why it failed, one sentence
 *         claim                     who is at work on it; its modification time is the heartbeat
 *         work-<host>-<pid>-<n>/    the future run folder
 *     <out>/.lock                   locked while a claim is taken or given up, never removed
 *     <out>/plans/                  what sweeps are going to make, see sweep_plan.h
 *
 * In epochs.csv train_loss and train_top1 are means over the training steps of the epoch, so of
 * models on the way, with dropout and augmentation on; the others are of the test split after it.
 * Older runs have no train_top1.
 *
 * With attention=snapshots there are layer<l>.npy of further steps, see snapshot.h: step000000 is
 * the model before training. Samples are of the trained model alone; how many, see probe_samples.h.
 * A run that diverged leaves the snapshots that came before. Older runs on images have no samples.
 *
 * An interrupted run starts again from the beginning: there is no checkpoint inside a run.
 */
#ifndef QKVLAB_LAB_RECORD_H
#define QKVLAB_LAB_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/file.h"
#include "base/status.h"
#include "lab/record/run_record.h"

/* What epochs.csv tells of an epoch, a column each, behind the epoch's number. */
#define EPOCH_TABLE(X)                                                                             \
    X(TRAIN_LOSS, "train_loss")                                                                    \
    X(TEST_LOSS, "test_loss")                                                                      \
    X(TEST_TOP1, "top1")                                                                           \
    X(TEST_TOP5, "top5")                                                                           \
    X(TRAIN_TOP1, "train_top1")
#define EPOCH_ENUM(id, name) EPOCH_##id,
enum epoch_number { EPOCH_TABLE(EPOCH_ENUM) EPOCH_COUNT };
#undef EPOCH_ENUM

/* record_path writes <out>/runs/<id>. */
enum status record_path(const char *out, const char *id, char path[PATH_SIZE], struct error *err);

/* record_read is run_record_read of a finished run: it ended as ok or diverged, and its curve.csv
 * goes on to the last step. Caller frees with run_record_free, also on failure. Errors: STATUS_DATA
 * says what is wrong. */
enum status record_read(const char *folder, struct run_record *run, struct error *err);

/* record_load is record_read of <out>/runs/<id>. False: no run of that id is done. Caller frees
 * with run_record_free in either case. */
bool record_load(const char *out, const char *id, struct run_record *run);

/* record_is_done: a folder of that id exists and record_read finds nothing wrong in it. */
bool record_is_done(const char *out, const char *id);

/* record_outcome reads how a finished run ended. False: no run of that id is done. */
struct record_outcome {
    bool diverged;
    long process; /* the number of that which made it; 0: older runs do not tell */
};
bool record_outcome(const char *out, const char *id, struct record_outcome *outcome);

/* What is on disk for an id. RECORD_RUNNING: claimed by a process that is alive; RECORD_FAILED:
 * record_fail said why. */
enum record_state { RECORD_NONE, RECORD_DONE, RECORD_RUNNING, RECORD_INTERRUPTED, RECORD_FAILED };
enum record_state record_state(const char *out, const char *id);

/* record_failure writes the sentence that record_fail left, "" if there is none. A disk that is
 * full to the last byte has no room for it, which is said then. */
#define RECORD_FAILURE_SIZE 1024
void record_failure(const char *out, const char *id, char text[RECORD_FAILURE_SIZE]);

/* record_owner writes who is, or was, at work on it: "process 4711 on host", "" if that is not
 * known.
 */
#define RECORD_OWNER_SIZE 128
void record_owner(const char *out, const char *id, char text[RECORD_OWNER_SIZE]);

/* A name in <out>/runs that ends so is of a run that is not finished. */
#define RECORD_PARTIAL ".partial"
bool record_is_partial(const char *name);

/* record_is_folder: name in <out>/runs is a folder and not hidden, so it may be that of a run;
 * everything else there is somebody else's. */
bool record_is_folder(const char *out, const char *name);

/* record_claim makes <id>.partial and takes it exclusively. A claim made on this machine stands as
 * long as its process lives, one from elsewhere as long as its heartbeat is younger than
 * RECORD_STALE_SECONDS; otherwise it is taken over. *claimed false: somebody else is at work on it
 * or has finished it. A damaged <id> is renamed to <id>.damaged-<n> first. Errors: STATUS_WRITE. */
#define RECORD_STALE_SECONDS 60
struct record;
enum status record_claim(const char *out, const char *id, struct record **record, bool *claimed,
                         struct error *err);

/* record_folder is where to write the run's files. record_heartbeat says the run is alive; it does
 * something every few seconds only. record_is_lost: the claim was taken over (this process was
 * asleep for too long), and going on is of no use. */
const char *record_folder(const struct record *record);
void record_heartbeat(struct record *record);
bool record_is_lost(const struct record *record);

/* record_tidy removes what a process that was killed at the very end of a run left beside its
 * finished folder. Does nothing where there is nothing to do, or no right to do it. */
void record_tidy(const char *out, const char *id);

/* record_set_aside is a sentence on the damaged folder that the claim set aside, "" if there was
 * none. */
const char *record_set_aside(const struct record *record);

/* record_finish writes run.json, with the number of this process, and renames the folder into
 * place; record_abandon gives the claim up: the run is interrupted. Both free record. If another
 * process finished the id first, its result stays. Errors: STATUS_WRITE; STATUS_FAILED if the claim
 * was lost to a run in progress.
 */
enum status record_finish(struct record *record, const struct run_record *run, struct error *err);
void record_abandon(struct record *record);

/* record_fail is record_abandon, and leaves the reason in the partial folder. */
void record_fail(struct record *record, const char *reason);

#endif
