/* record: the run folder. It is the truth; reports are made from run folders alone.
 *
 *     <out>/runs/<id>/          complete: run.json was written last, then the folder was renamed
 * into place run.json              see below curve.csv step,loss,learning_rate,grad_norm   (no
 * times: identical at any thread count) attention/step000158/layer0.npy           [H,T,T], mean
 * over the probe batch attention/step000158/sample0_layer0.npy   [H,T,T], first probe sequence
 *     <out>/runs/<id>.partial/  in progress or interrupted, with a claim file created exclusively
 *
 * run.json (numbers that are not finite or not there are null):
 *     format "qkvlab-run-1", id, status "ok" | "diverged" | "failed"
 *     config      every key with its resolved value; variant is the canonical id
 *     variant     {id, name, n_slot, product_symmetric, scores_symmetric}
 *     n_param
 *     results     {token_accuracy, sequence_accuracy, loss, position_floor, escape_step,
 * step_below_2.2, step_below_0.1, final_train_loss, n_step, diverged_step}      steps count from 0
 *     attention   {layer, n_probe, heads: [NUMBERS a head], mean: NUMBERS}  of the last layer,
 * where NUMBERS = {needed, diagonal, asymmetry_product, asymmetry_scores}; needed is null where the
 * task names no key weights_sha256 timing      {train_seconds, evaluate_seconds, wall_seconds}
 *     machine     {class, cpu, processors, threads}     class decides whether bits must agree
 *     build       {version, commit, compiler, flags, blas, simd}
 *     message     one sentence, for a run that is not ok
 */
#ifndef QKVLAB_LAB_RECORD_H
#define QKVLAB_LAB_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/file.h"
#include "base/json.h"
#include "base/status.h"
#include "lab/config.h"

/* record_path writes <out>/runs/<id>. */
enum status record_path(const char *out, const char *id, char path[PATH_SIZE], struct error *err);

/* record_is_done: a complete folder of that id exists. */
bool record_is_done(const char *out, const char *id);

/* record_claim makes <id>.partial and takes it exclusively; a claim whose process is gone (same
 * host) or whose heartbeat is older than a minute is taken over. *claimed false: somebody else is
 * at work on it. */
struct record;
enum status record_claim(const char *out, const char *id, struct record **record, bool *claimed,
                         struct error *err);

/* record_folder is where to write the run's files. record_heartbeat says the run is alive; cheap.
 */
const char *record_folder(const struct record *record);
void record_heartbeat(struct record *record);

/* record_finish writes run.json and renames the folder into place; record_abandon leaves the
 * partial folder without a claim. Both free record. If another process finished the id first, its
 * result stays. */
enum status record_finish(struct record *record, const json_t *run, struct error *err);
void record_abandon(struct record *record);

#endif
