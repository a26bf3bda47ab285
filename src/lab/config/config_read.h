/* config_read: a configuration out of a run.json, to see whether it is the one that was run. */
#ifndef QKVLAB_LAB_CONFIG_READ_H
#define QKVLAB_LAB_CONFIG_READ_H

#include "base/json.h"
#include "lab/config/config.h"

/* config_read turns what config_json made back into a resolved configuration. Errors: STATUS_USAGE
 * for a key or a value that this program does not know, as config_set says. */
enum status config_read(const json_t *object, struct config *config, struct error *err);

#endif
