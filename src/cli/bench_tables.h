/* bench_tables: what `bench` prints.
 */
#ifndef QKVLAB_CLI_BENCH_TABLES_H
#define QKVLAB_CLI_BENCH_TABLES_H

#include <stddef.h>

#include "cli/terminal.h"
#include "lab/bench/bench.h"
#include "lab/bench/scaling.h"

/* All models at one number of threads. */
struct bench_group {
    int threads;
    struct bench_spread ceiling; /* FLOP a second */
    struct bench_result *result; /* [n_config] */
};

struct bench_table {
    const struct config *configs; /* [n_config] */
    size_t n_config;
    const struct bench_group *groups; /* [n_group] */
    size_t n_group;
};

enum status bench_tables_print(const struct bench_table *bench, enum format format,
                               struct error *err);

/* scalings [n_axis], in the order of scaling_axis_at. */
enum status bench_tables_scaling(const struct scaling *scalings, size_t n_axis, enum format format,
                                 struct error *err);

#endif
