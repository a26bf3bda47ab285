/* Follows the allocations of source.c, train.c, probe.c and the engine; tests/cli/test_memory.sh
 * compares the sum with what runs really take. Everything a run allocates is alive at its end, but
 * for originals of resized images, which are there before the engine is.
 */
#include "lab/training/memory.h"

#include "lab/training/probe.h"
#include "lab/training/source.h"

static size_t memory_of_curves(const struct config *config)
{
    return config_steps(config) * 4 * sizeof(double);
}

size_t memory_of_run(const struct config *config, int threads)
{
    struct model_shape shape = config_shape(config);
    struct engine_options options = config_engine(config, threads);
    size_t to_train = engine_memory(&shape, &options) + source_memory(config, threads) +
                      memory_of_curves(config) + probe_memory(config);
    size_t to_load = source_memory_to_create(config, threads);
    return MEMORY_PROCESS + (to_load > to_train ? to_load : to_train);
}
