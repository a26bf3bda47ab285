/* driver: runs a target where there is no libFuzzer: every file of a folder as it is, then mutated
 * a number of times. It sees no coverage and is a regression test, not a search.
 *
 *   fuzz_<reader> FOLDER [MUTATIONS]
 */
#include <string.h>

#include "base/file.h"
#include "base/folder.h"
#include "base/rng.h"
#include "fuzz.h"

#define MAX_SIZE ((size_t)1 << 20)
#define MAX_CHANGE 8

/* Overwrites, cuts or copies a few places; returns the new size, never larger. */
static size_t mutate(struct rng rng, uint64_t index, uint8_t *buffer, size_t size)
{
    size_t n_change = 1 + rng_below(rng, index, MAX_CHANGE);
    for (size_t k = 0; k < n_change && size > 0; k++) {
        uint32_t word[4];
        rng_block(rng, (index + 1) * (MAX_CHANGE + 1) * 1000 + k, word);
        size_t at = word[1] % size;
        switch (word[0] % 8) {
        case 0:
            size = at;
            break;
        case 1:
            memset(buffer + at, 0xff, size - at < 8 ? size - at : 8);
            break;
        case 2:
            buffer[at] ^= (uint8_t)(1u << word[2] % 8);
            break;
        case 3: {
            size_t from = word[2] % size, far = at > from ? at : from;
            memmove(buffer + at, buffer + from, size - far);
            break;
        }
        default:
            buffer[at] = (uint8_t)word[2];
        }
    }
    return size;
}

/* The target gets a copy of exactly its size, so that sanitizers see a read behind its end. */
static void run(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static int run_file(const char *path, size_t n_mutation)
{
    char *data;
    size_t size;
    struct error err;
    if (file_read(path, MAX_SIZE, &data, &size, &err) != STATUS_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    run((const uint8_t *)data, size);
    uint8_t *buffer = malloc(size + 1);
    struct rng rng = rng_make(0, "fuzz/%s", path);
    for (size_t i = 0; i < n_mutation; i++) {
        memcpy(buffer, data, size);
        run(buffer, mutate(rng, i, buffer, size));
    }
    free(buffer);
    free(data);
    return 0;
}

int main(int argc, char **argv)
{
    char **names, path[PATH_SIZE];
    size_t n_name, n_mutation = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    struct error err;
    int failed = 0;
    if (argc < 2 || folder_list(argv[1], &names, &n_name, &err) != STATUS_OK) {
        fprintf(stderr, "usage: %s FOLDER [MUTATIONS]\n", argv[0]);
        return 2;
    }
    for (size_t i = 0; i < n_name; i++) {
        snprintf(path, sizeof path, "%s/%s", argv[1], names[i]);
        failed |= run_file(path, n_mutation);
    }
    printf("%zu files, each as it is and %zu times mutated\n", n_name, n_mutation);
    folder_list_free(names, n_name);
    return failed || n_name == 0;
}
