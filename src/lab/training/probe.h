/* probe: what the attention of a model looks like on the probe batch, during training and after it.
 */
#ifndef QKVLAB_LAB_PROBE_H
#define QKVLAB_LAB_PROBE_H

#include "base/status.h"
#include "lab/config/config.h"
#include "lab/record/run_record.h"
#include "lab/training/source.h"

struct probe;

/* probe_create makes room for everything below. Borrows engine, config and source; only runs the
 * model forwards, so that a probe leaves the training as it is. Caller frees with probe_free.
 * STATUS_MEMORY. */
enum status probe_create(struct probe **probe, struct engine *engine, const struct config *config,
                         struct source *source, struct error *err);
void probe_free(struct probe *probe);

/* probe_memory returns the bytes of a probe, and of the largest file while it is written. */
size_t probe_memory(const struct config *config);

/* probe_snapshot writes the mean maps of the model as it is after n_step steps under
 * folder/attention. STATUS_WRITE. */
enum status probe_snapshot(struct probe *probe, size_t n_step, const char *folder,
                           struct error *err);

/* probe_measure fills what run.json says of attention, whose lists stay the probe's, and, if the
 * configuration keeps maps, writes those of the trained model under folder/attention. Errors:
 * STATUS_MEMORY, STATUS_WRITE. */
enum status probe_measure(struct probe *probe, size_t n_step, const char *folder,
                          struct run_attention *attention, struct error *err);

#endif
