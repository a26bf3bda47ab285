/* list: what `qkvlab list` prints that is more than one table of its own. */
#ifndef QKVLAB_CLI_LIST_H
#define QKVLAB_CLI_LIST_H

#include "base/status.h"
#include "cli/options.h"

/* list_presets prints what ready-made sweeps there are and what they cost on this machine. It
 * trains a little to tell the times. */
enum status list_presets(const struct arguments *arguments, struct error *err);

/* list_preset prints the file of a preset, for a start of one's own. STATUS_USAGE. */
enum status list_preset(const char *name, struct error *err);

/* list_schema prints what a configuration file may hold as a JSON Schema, for editors that check
 * and complete YAML by one. */
enum status list_schema(const struct arguments *arguments, struct error *err);

#endif
