/* run_json: the run.json of one run, for the few facts that the command line shows. */
#ifndef QKVLAB_CLI_RUN_JSON_H
#define QKVLAB_CLI_RUN_JSON_H

#include "base/json.h"

/* run_json_read returns a new reference to what <out>/runs/<id>/run.json holds, or NULL where it is
 * not there or cannot be read. */
json_t *run_json_read(const char *out, const char *id);

#endif
