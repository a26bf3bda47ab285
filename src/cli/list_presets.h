/* list_presets: `qkvlab list presets [NAME]`: what ready-made sweeps there are and what they cost
 * on this machine, or the file of one.
 */
#ifndef QKVLAB_CLI_LIST_PRESETS_H
#define QKVLAB_CLI_LIST_PRESETS_H

#include "base/status.h"
#include "cli/options.h"

/* list_presets prints the table. It trains a little to tell the times. */
enum status list_presets(const struct arguments *arguments, struct error *err);

/* list_preset prints the file of a preset, for a start of one's own. STATUS_USAGE. */
enum status list_preset(const char *name, struct error *err);

#endif
