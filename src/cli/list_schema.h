/* list_schema: `qkvlab list schema`: what a configuration file may hold, as a JSON Schema, for
 * editors that check and complete YAML by one.
 */
#ifndef QKVLAB_CLI_LIST_SCHEMA_H
#define QKVLAB_CLI_LIST_SCHEMA_H

#include "base/status.h"

enum status list_schema(struct error *err);

#endif
