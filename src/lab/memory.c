/* Follows the allocations of source.c, train.c, probe.c and the engine; tests/cli/test_memory.sh
 * compares the sum with what runs really take. Everything a run allocates is alive at its end.
 */
#include "lab/memory.h"

#include "lab/source.h"

static size_t memory_of_curves(const struct config *config)
{
    return config_steps(config) * 2 * sizeof(double);
}

/* Mean and first attention map of every layer, two kinds of scores of one layer; maps that are kept
 * pass through two more buffers on their way into a file. */
static size_t memory_of_probe(const struct config *config)
{
    size_t n_map = config->n_head * config->seq_len * config->seq_len;
    size_t n_buffer = config->attention == ATTENTION_NONE ? 2 : 4;
    return n_map * (config->n_layer * (sizeof(double) + sizeof(float)) + n_buffer * sizeof(float));
}

size_t memory_of_run(const struct config *config, int threads)
{
    struct model_shape shape = config_shape(config);
    struct engine_options options = {.lanes = config->lanes,
                                     .micro_batch = config->micro_batch,
                                     .batch_size = config->batch_size,
                                     .threads = threads};
    return MEMORY_PROCESS + engine_memory(&shape, &options) + source_memory(config, threads) +
           memory_of_curves(config) + memory_of_probe(config);
}
