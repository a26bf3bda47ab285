#include "lab/baseline/baseline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/sha256.h"
#include "lab/baseline/baseline_tolerance.h"
#include "lab/training/metrics.h"

#define HASH_DIGITS (sizeof((struct fingerprint){0}.hash) - 1)
#define WORD_BITS 64

void baseline_run_free(struct baseline_run *run)
{
    for (size_t i = 0; i < run->n_weights; i++) {
        free(run->weights[i].tensor);
    }
    free(run->weights);
    free(run->gradient);
    free(run->step);
    free(run->loss);
    free(run->grad_norm);
    free(run->accuracy);
    *run = (struct baseline_run){0};
}

void baseline_free(struct baseline *baseline)
{
    for (size_t p = 0; p < baseline->n_part; p++) {
        struct baseline_part *part = &baseline->part[p];
        for (size_t r = 0; r < part->n_run; r++) {
            baseline_run_free(&part->run[r]);
        }
        free(part->run);
        free(part->tensor);
        tolerance_free(part->tolerance);
    }
    free(baseline->part);
    json_decref(baseline->machine);
    json_decref(baseline->build);
    *baseline = (struct baseline){0};
}

size_t baseline_step(const struct baseline_run *run, size_t point)
{
    return run->step ? run->step[point] : point;
}

/* Both are read off points, and told as steps. A curve does not say what was learned, so its
 * plateau is that of the default task. */
void baseline_settle(struct baseline_run *run)
{
    long escape =
        metrics_escape_step(run->loss, run->n_point, task_chance_loss(config_default().task));
    struct dynamics dynamics = dynamics_of(run->loss, run->accuracy, run->n_point);
    run->escape_step = escape < 0 ? STEP_NEVER : (long)baseline_step(run, (size_t)escape);
    for (size_t i = 0; i < DYNAMICS_N_LEVEL; i++) {
        double point = dynamics.reaches[i];
        run->reaches[i] = isnan(point) ? NAN : (double)baseline_step(run, (size_t)point);
    }
}

const struct baseline_part *baseline_find_part(const struct baseline *baseline, const char *name)
{
    for (size_t i = 0; i < baseline->n_part; i++) {
        if (strcmp(baseline->part[i].name, name) == 0) {
            return &baseline->part[i];
        }
    }
    return NULL;
}

const struct baseline_run *baseline_find_run(const struct baseline_part *part, uint64_t seed)
{
    for (size_t i = 0; i < part->n_run; i++) {
        if (part->run[i].seed == seed) {
            return &part->run[i];
        }
    }
    return NULL;
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

bool baseline_keep_seeds(struct baseline *baseline, const uint64_t *seed, size_t n_seed,
                         uint64_t *missing)
{
    for (size_t p = 0; p < baseline->n_part; p++) {
        struct baseline_part *part = &baseline->part[p];
        for (size_t i = 0; i < n_seed; i++) {
            if (!baseline_find_run(part, seed[i])) {
                *missing = seed[i];
                return false;
            }
        }
        size_t kept = 0;
        for (size_t r = 0; r < part->n_run; r++) {
            if (contains(seed, n_seed, part->run[r].seed)) {
                part->run[kept++] = part->run[r];
            } else {
                baseline_run_free(&part->run[r]);
            }
        }
        part->n_run = kept;
    }
    return true;
}

/* ---- fingerprints ---- */

struct fingerprint baseline_fingerprint(const float *x, size_t n)
{
    struct fingerprint print = {.norm = 0};
    char hex[SHA256_HEX_SIZE];
    sha256_hex(x, n * sizeof *x, hex);
    memcpy(print.hash, hex, HASH_DIGITS);
    for (size_t k = 0; k < BASELINE_N_PROJECTION; k++) {
        struct rng rng = rng_make(0, "baseline/projection/%zu", k);
        uint64_t signs = 0;
        for (size_t i = 0; i < n; i++) {
            signs = i % WORD_BITS == 0 ? rng_bits(rng, i / WORD_BITS) : signs >> 1;
            print.projection[k] += signs & 1 ? (double)x[i] : -(double)x[i];
        }
    }
    for (size_t i = 0; i < n; i++) {
        print.norm += (double)x[i] * (double)x[i];
    }
    print.norm = sqrt(print.norm);
    return print;
}

double baseline_distance(const struct fingerprint *a, const struct fingerprint *b, double scale)
{
    double squares = 0, size = a->norm + scale;
    for (size_t k = 0; k < BASELINE_N_PROJECTION; k++) {
        double difference = a->projection[k] - b->projection[k];
        squares += difference * difference / BASELINE_N_PROJECTION;
    }
    double distance = fmax(sqrt(squares), fabs(a->norm - b->norm));
    return distance == 0 ? 0 : distance / size;
}
