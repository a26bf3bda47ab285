#include "check/traces.h"

#include <stdlib.h>
#include <string.h>

void traces_free(struct traces *traces)
{
    for (size_t p = 0; p < traces->n_cohort; p++) {
        struct cohort *cohort = &traces->cohort[p];
        for (size_t i = 0; i < cohort->n_trace; i++) {
            trace_free(&cohort->trace[i]);
        }
        free(cohort->trace);
        free(cohort->tensor);
        tolerance_free(cohort->tolerance);
    }
    free(traces->cohort);
    json_decref(traces->machine);
    json_decref(traces->build);
    *traces = (struct traces){0};
}

const struct cohort *traces_cohort(const struct traces *traces, const char *name)
{
    for (size_t p = 0; p < traces->n_cohort; p++) {
        if (strcmp(traces->cohort[p].name, name) == 0) {
            return &traces->cohort[p];
        }
    }
    return NULL;
}

const struct trace *cohort_trace(const struct cohort *cohort, uint64_t seed)
{
    for (size_t i = 0; i < cohort->n_trace; i++) {
        if (cohort->trace[i].seed == seed) {
            return &cohort->trace[i];
        }
    }
    return NULL;
}

size_t traces_count(const struct traces *traces)
{
    size_t n = 0;
    for (size_t p = 0; p < traces->n_cohort; p++) {
        n += traces->cohort[p].n_trace;
    }
    return n;
}

size_t traces_fewest(const struct traces *traces)
{
    size_t n = SIZE_MAX;
    for (size_t p = 0; p < traces->n_cohort; p++) {
        n = traces->cohort[p].n_trace < n ? traces->cohort[p].n_trace : n;
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
    for (size_t p = 0; p < traces->n_cohort; p++) {
        struct cohort *cohort = &traces->cohort[p];
        for (size_t i = 0; i < n_seed; i++) {
            if (!cohort_trace(cohort, seed[i])) {
                return error_set(err, STATUS_DATA, "there is no run of seed %llu",
                                 (unsigned long long)seed[i]);
            }
        }
        size_t kept = 0;
        for (size_t i = 0; i < cohort->n_trace; i++) {
            if (contains(seed, n_seed, cohort->trace[i].seed)) {
                cohort->trace[kept++] = cohort->trace[i];
            } else {
                trace_free(&cohort->trace[i]);
            }
        }
        cohort->n_trace = kept;
    }
    return STATUS_OK;
}
