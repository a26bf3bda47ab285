/* gap: pairs into configurations, and configurations into combinations of all sizes but one. */
#include "report/statistics/gap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

struct configuration {
    const struct run *run;
    size_t size[SIZE_COUNT];
    struct stats difference; /* over seeds */
};

static bool is_size(const char *key)
{
    static const char *const size[] = {"n_embd", "n_layer", "n_head",     "seq_len",
                                       "epochs", "lanes",   "micro_batch"};
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        if (strcmp(key, size[i]) == 0) {
            return true;
        }
    }
    return config_is_in_id(key) || run_key_looks(key);
}

void gap_append_procedure(const struct run *run, struct text *text)
{
    run_append_config(run, is_size, text);
}

static bool same_procedure(const struct run *a, const struct run *b)
{
    struct text left = {0}, right = {0};
    gap_append_procedure(a, &left);
    gap_append_procedure(b, &right);
    bool same = !left.failed && !right.failed && left.data && right.data &&
                strcmp(left.data, right.data) == 0;
    text_free(&left);
    text_free(&right);
    return same;
}

/* ---- configurations ---- */

static struct configuration configuration_of(const struct run *run)
{
    struct configuration configuration = {.run = run, .difference = STATS_NONE};
    for (int i = 0; i < SIZE_COUNT; i++) {
        configuration.size[i] = size_of_run(run, (enum size)i);
    }
    return configuration;
}

/* Those in which the measure has a difference. */
static size_t collect(const struct paired *paired, enum measure measure,
                      struct configuration *configuration)
{
    size_t n = 0, last = SIZE_MAX;
    for (size_t i = 0; i < paired->n_pair; i++) {
        const struct pair *pair = &paired->pair[i];
        double difference = pair_difference(pair, measure);
        if (isfinite(difference)) {
            if (pair->configuration != last) {
                configuration[n++] = configuration_of(pair->run);
                last = pair->configuration;
            }
            stats_add(&configuration[n - 1].difference, difference);
        }
    }
    return n;
}

static bool differ_in_sizes_alone(const struct configuration *configuration, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        if (!same_procedure(configuration[0].run, configuration[i].run)) {
            return false;
        }
    }
    return true;
}

/* The configuration with this value and the other sizes of like, or NULL. */
static const struct configuration *find(const struct configuration *configuration, size_t n,
                                        const struct configuration *like, enum size size,
                                        double value)
{
    size_t wanted[SIZE_COUNT];
    memcpy(wanted, like->size, sizeof wanted);
    wanted[size] = (size_t)value;
    for (size_t i = 0; i < n; i++) {
        if (memcmp(configuration[i].size, wanted, sizeof wanted) == 0) {
            return &configuration[i];
        }
    }
    return NULL;
}

/* ---- points ---- */

/* mean is free until there are combinations: it holds the values to be sorted. */
static void find_values(struct gap_line *line, const struct configuration *configuration, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        line->mean[i] = (double)configuration[i].size[line->size];
    }
    qsort(line->mean, n, sizeof *line->mean, stats_compare);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || line->mean[i] != line->mean[i - 1]) {
            line->value[line->n_point++] = line->mean[i];
        }
    }
}

/* Appends the combination of which this configuration is the one at the lowest value, if it is
 * there at every value. */
static void add_combination(struct gap_line *line, const struct configuration *configuration,
                            size_t n, const struct configuration *first)
{
    double *difference = line->difference + line->n_combination * line->n_point;
    for (size_t i = 0; i < line->n_point; i++) {
        const struct configuration *at = find(configuration, n, first, line->size, line->value[i]);
        if (!at) {
            return;
        }
        difference[i] = at->difference.mean;
    }
    line->n_combination++;
}

/* fill_line returns false when out of memory. */
static bool fill_line(struct gap_line *line, const struct configuration *configuration, size_t n)
{
    find_values(line, configuration, n);
    line->difference = calloc(n * line->n_point + 1, sizeof *line->difference);
    if (!line->difference || line->n_point < 2 || !differ_in_sizes_alone(configuration, n)) {
        return line->difference != NULL;
    }
    for (size_t i = 0; i < n; i++) {
        if ((double)configuration[i].size[line->size] == line->value[0]) {
            add_combination(line, configuration, n, &configuration[i]);
        }
    }
    for (size_t i = 0; i < line->n_point; i++) {
        struct stats stats = STATS_NONE;
        for (size_t k = 0; k < line->n_combination; k++) {
            stats_add(&stats, line->difference[k * line->n_point + i]);
        }
        line->mean[i] = stats.mean;
    }
    return true;
}

enum status gap_make(const struct paired *paired, enum measure measure, enum size size,
                     struct gap_line *line, struct error *err)
{
    struct configuration *configuration = calloc(paired->n_pair + 1, sizeof *configuration);
    *line = (struct gap_line){.paired = paired,
                              .size = size,
                              .value = calloc(paired->n_pair + 1, sizeof(double)),
                              .mean = calloc(paired->n_pair + 1, sizeof(double))};
    bool enough = configuration && line->value && line->mean &&
                  fill_line(line, configuration, collect(paired, measure, configuration));
    free(configuration);
    if (line->n_combination == 0) {
        gap_free(line);
    }
    return enough ? STATUS_OK : error_memory(err, "comparing variants by size");
}

void gap_free(struct gap_line *line)
{
    free(line->value);
    free(line->mean);
    free(line->difference);
    *line = (struct gap_line){.paired = line->paired, .size = line->size};
}
