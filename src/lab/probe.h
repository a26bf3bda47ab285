/* probe: what the attention of a trained model looks like on the probe batch. */
#ifndef QKVLAB_LAB_PROBE_H
#define QKVLAB_LAB_PROBE_H

#include "base/json.h"
#include "base/status.h"
#include "lab/config.h"
#include "lab/source.h"

/* probe_measure returns the attention section of run.json (see record.h; caller frees with
 * json_decref) and, if the configuration keeps maps, writes them under folder/attention. Errors:
 * STATUS_MEMORY, STATUS_WRITE. */
enum status probe_measure(struct engine *engine, const struct config *config, struct source *source,
                          size_t n_step, const char *folder, json_t **attention, struct error *err);

#endif
