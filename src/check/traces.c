#include "check/traces.h"

#include <stdlib.h>
#include <string.h>

void traces_free(struct traces *traces)
{
    for (size_t p = 0; p < traces->n_part; p++) {
        struct part *part = &traces->part[p];
        for (size_t i = 0; i < part->n_trace; i++) {
            trace_free(&part->trace[i]);
        }
        free(part->trace);
        free(part->tensor);
        tolerance_free(part->tolerance);
    }
    free(traces->part);
    json_decref(traces->machine);
    json_decref(traces->build);
    *traces = (struct traces){0};
}

const struct part *traces_part(const struct traces *traces, const char *name)
{
    for (size_t p = 0; p < traces->n_part; p++) {
        if (strcmp(traces->part[p].name, name) == 0) {
            return &traces->part[p];
        }
    }
    return NULL;
}

const struct trace *part_trace(const struct part *part, uint64_t seed)
{
    for (size_t i = 0; i < part->n_trace; i++) {
        if (part->trace[i].seed == seed) {
            return &part->trace[i];
        }
    }
    return NULL;
}

size_t traces_count(const struct traces *traces)
{
    size_t n = 0;
    for (size_t p = 0; p < traces->n_part; p++) {
        n += traces->part[p].n_trace;
    }
    return n;
}

size_t traces_fewest(const struct traces *traces)
{
    size_t n = SIZE_MAX;
    for (size_t p = 0; p < traces->n_part; p++) {
        n = traces->part[p].n_trace < n ? traces->part[p].n_trace : n;
    }
    return n;
}

static bool contains(const uint64_t *seed, size_t n_seed, uint64_t wanted)
{
    for (size_t i = 0; i < n_seed; i++) {
        if (seed[i] == wanted) {
            return true;
        }
    }
    return false;
}

enum status traces_keep_seeds(struct traces *traces, const uint64_t *seed, size_t n_seed,
                              struct error *err)
{
    for (size_t p = 0; p < traces->n_part; p++) {
        struct part *part = &traces->part[p];
        for (size_t i = 0; i < n_seed; i++) {
            if (!part_trace(part, seed[i])) {
                return error_set(err, STATUS_DATA, "there is no run of seed %llu",
                                 (unsigned long long)seed[i]);
            }
        }
        size_t kept = 0;
        for (size_t i = 0; i < part->n_trace; i++) {
            if (contains(seed, n_seed, part->trace[i].seed)) {
                part->trace[kept++] = part->trace[i];
            } else {
                trace_free(&part->trace[i]);
            }
        }
        part->n_trace = kept;
    }
    return STATUS_OK;
}
