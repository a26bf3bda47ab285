/* crosscheck_bundle: reads a crosscheck bundle and trusts nothing in it. Private to crosscheck.c.
 */
#ifndef QKVLAB_NN_CROSSCHECK_BUNDLE_H
#define QKVLAB_NN_CROSSCHECK_BUNDLE_H

#include "base/safetensors.h"
#include "base/status.h"
#include "nn/model.h"
#include "nn/optimizer.h"

struct crosscheck_bundle {
    struct safetensors file;
    struct model model;
    struct adam_options adam;
    double score_scale; /* times 1/sqrt(head width) */
    struct batch batch;
    /* the batch borrows them; what the input does not have is NULL */
    int32_t *ids, *targets;
    float *patches;
};

/* crosscheck_bundle_read checks metadata, the presence, type and shape of every tensor, and that
 * there is no other; afterwards crosscheck_bundle_entry cannot fail. Caller frees with
 * crosscheck_bundle_free. Errors: STATUS_DATA. */
enum status crosscheck_bundle_read(const char *path, struct crosscheck_bundle *bundle,
                                   struct error *err);
void crosscheck_bundle_free(struct crosscheck_bundle *bundle);

/* crosscheck_bundle_entry returns the entry "<prefix>/<name>". */
const struct safetensors_entry *crosscheck_bundle_entry(const struct crosscheck_bundle *bundle,
                                                        const char *prefix, const char *name);

#endif
