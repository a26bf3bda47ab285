/* A run keeps the hash of its images; so the question costs reading them once, before the sweep
 * rather than in it. A finished run of any sweep in the folder counts: they meet in its report.
 */
#include "lab/sweep/sweep_data.h"

#include <string.h>

#include "base/file.h"
#include "base/folder.h"
#include "lab/kind/images/images.h"
#include "lab/record/record.h"

#define HASH_DIGITS 16 /* shown */

/* Of the same images as long as nobody changes the files. */
static bool same_images(const struct config *a, const struct config *b)
{
    return a->task == b->task && a->n_train == b->n_train && a->n_test == b->n_test;
}

static bool is_of_images(const struct run_record *run, const struct config *config)
{
    return !run->config_problem.text[0] && same_images(&run->config, config);
}

/* A finished run on the images of config, with their hash. */
struct witness {
    char id[CONFIG_ID_SIZE];
    char hash[SHA256_HEX_SIZE];
};

/* Reads one folder of runs/; false: it is no witness. Older runs keep no hash. */
static bool testify(const char *out, const char *name, const struct config *config,
                    struct witness *witness)
{
    struct run_record run;
    size_t n = strlen(config->task->name);
    if (strncmp(name, config->task->name, n) != 0 || name[n] != '-' ||
        strlen(name) >= sizeof witness->id || record_is_partial(name)) {
        return false;
    }
    bool testifies = record_load(out, name, &run) && is_of_images(&run, config) &&
                     run.data.sha256 && strlen(run.data.sha256) == SHA256_HEX_SIZE - 1;
    if (testifies) {
        memcpy(witness->id, name, strlen(name) + 1);
        memcpy(witness->hash, run.data.sha256, SHA256_HEX_SIZE);
    }
    run_record_free(&run);
    return testifies;
}

/* Looks for a finished run whose hash is another than this one; "": any will do. */
static bool find_witness(const char *out, char *const *names, size_t n_name,
                         const struct config *config, const char *hash, struct witness *witness)
{
    for (size_t i = 0; i < n_name; i++) {
        if (testify(out, names[i], config, witness) && strcmp(witness->hash, hash) != 0) {
            return true;
        }
    }
    return false;
}

static enum status hash_images(const struct config *config, const struct dataset_options *data,
                               int threads, struct dataset_place *place, char hash[SHA256_HEX_SIZE],
                               struct error *err)
{
    struct dataset_options options = data ? *data : (struct dataset_options){0};
    struct image_data images;
    options.seed = config->seed;
    options.n_train = config->n_train;
    options.n_test = config->n_test;
    options.threads = threads;
    TRY(dataset_find(dataset_of(config->task), &options, place, err));
    TRY(dataset_load(place, &options, &images, err));
    memcpy(hash, image_data_hash(&images), SHA256_HEX_SIZE);
    image_data_free(&images);
    return STATUS_OK;
}

static enum status check_images(const char *out, char *const *names, size_t n_name,
                                const struct config *config, const struct dataset_options *data,
                                int threads, struct error *err)
{
    struct witness witness;
    struct dataset_place place;
    char hash[SHA256_HEX_SIZE];
    if (!find_witness(out, names, n_name, config, "", &witness)) {
        return STATUS_OK;
    }
    enum status status = hash_images(config, data, threads, &place, hash, err);
    if (status != STATUS_OK || !find_witness(out, names, n_name, config, hash, &witness)) {
        return status;
    }
    return error_set(
        err, STATUS_DATA,
        "%s in %.300s was trained on other images of %s (SHA-256 %.*s...) than are in "
        "%.300s now (%.*s...), and one report must not mix them: choose another --out, "
        "or name the former images with --data",
        witness.id, out, config->task->title, HASH_DIGITS, witness.hash, place.folder, HASH_DIGITS,
        hash);
}

/* Whether configs[i] reads files, and no earlier one that is not done reads the same. */
static bool is_to_check(const struct config *configs, const bool *done, size_t i)
{
    const struct dataset *dataset = dataset_of(configs[i].task);
    if (done[i] || !dataset || dataset_n_file(dataset) == 0) {
        return false;
    }
    size_t k = 0;
    while (done[k] || !same_images(&configs[k], &configs[i])) {
        k++;
    }
    return k == i;
}

enum status sweep_data_check(const char *out, const struct config *configs, const bool *done,
                             size_t n_config, const struct dataset_options *data, int threads,
                             struct error *err)
{
    char path[PATH_SIZE], **names;
    size_t n_name;
    enum status status = path_format(path, err, "%s/runs", out);
    if (status != STATUS_OK || !folder_exists(path)) {
        return status;
    }
    TRY(folder_list(path, &names, &n_name, err));
    for (size_t i = 0; i < n_config && status == STATUS_OK; i++) {
        if (is_to_check(configs, done, i)) {
            status = check_images(out, names, n_name, &configs[i], data, threads, err);
        }
    }
    folder_list_free(names, n_name);
    return status;
}
