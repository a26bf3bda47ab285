/* dataset: images with labels, read from the files their authors publish.
 *
 * One file a data set in datasets/: it defines `const struct dataset dataset_<file name>`, and the
 * build finds it. The readers it calls are idx.h, cifar.h and image_folder.h. Nothing here touches
 * the network.
 */
#ifndef QKVLAB_LAB_DATASET_H
#define QKVLAB_LAB_DATASET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/file.h"
#include "base/sha256.h"
#include "base/status.h"
#include "lab/data/augment.h"
#include "lab/data/data_bytes.h"
#include "lab/kind/kind.h"

#define DATASET_MAX_FILE 8
#define DATASET_MAX_FOLDER 4

/* ---- what a data set is ---- */

struct dataset_file {
    const char *name;   /* as published, unpacked; found in every spelling of dataset_find */
    size_t size;        /* of the published file; 0: a folder */
    const char *sha256; /* of the published file, unpacked; NULL: not known */
    bool optional;
};

struct dataset;
struct dataset_place;
struct dataset_options;
struct image_data;

struct dataset {
    /* n_train and n_test are the numbers of images as published; the files decide, these serve to
     * plan. preset is what the published procedure fixes for this data set alone (arXiv 2606.04032
     * and its authors' reproduction). n_answer: classes. */
    struct task task;
    size_t n_channel, image_size;
    const char *const *class_name;                         /* [n_answer]; NULL: the files tell */
    float mean[IMAGE_MAX_CHANNEL], std[IMAGE_MAX_CHANNEL]; /* of bytes / 255 */
    enum augmentation augmentation;                        /* of the published procedure */
    struct dataset_file file[DATASET_MAX_FILE]; /* ends at the first without a name; none: drawn */
    const char *folder[DATASET_MAX_FOLDER];     /* below a search folder, where tools put it */
    const char *origin;                         /* where it can be had, as part of a sentence */
    const char *sha256; /* image_data_hash of all published images; NULL: not known */

    /* load fills data, which is empty but for its data set. On failure dataset_load frees it. */
    enum status (*load)(const struct dataset_place *place, const struct dataset_options *options,
                        struct image_data *data, struct error *err);
};

/* dataset_at returns the i-th data set in alphabetical order of names, NULL past the last;
 * dataset_find_name the one of a name, NULL if there is none. */
const struct dataset *dataset_at(size_t i);
const struct dataset *dataset_find_name(const char *name);

size_t dataset_n_file(const struct dataset *dataset);

/* ---- where it is ---- */

struct dataset_options {
    const char *const *root; /* [n_root] folders to look in, the first find wins */
    size_t n_root;
    const char *cache;      /* folder for decoded images; NULL: none is read or kept */
    uint64_t seed;          /* of drawn data */
    size_t n_train, n_test; /* the first so many; 0: all, or the drawn set's default */
    int threads;            /* to decode with; 0: every processor */
    bool noise;             /* source_create: images of noise, see image_noise.h, and no file */
    void *context;          /* of progress */
    /* told now and then how far decoding is; false stops it: STATUS_INTERRUPTED. NULL: none */
    bool (*progress)(void *context, size_t n_done, size_t n_image);
};

struct dataset_place {
    const struct dataset *dataset;
    char folder[PATH_SIZE];
    char path[DATASET_MAX_FILE][PATH_SIZE]; /* of each file; "" where an optional one is missing */
};

/* System folders that callers put behind their own. */
extern const char *const dataset_system_folder[]; /* ends at NULL */

/* dataset_find looks for the data set's files in every root: in the root itself and in
 * <root>/<name>, and in both below the data set's own folders. A file may be packed (.gz), dotted
 * (train-images.idx3-ubyte), or lie in a folder of its name. A drawn data set is always found.
 * Errors: STATUS_DATA with what was looked for, where, and how to get it. */
enum status dataset_find(const struct dataset *dataset, const struct dataset_options *options,
                         struct dataset_place *place, struct error *err);

/* ---- what is in it ---- */

struct image_set {
    size_t n_image, n_channel, height, width, n_class;
    const uint8_t **image; /* [n_image], each bytes [C,H,W] */
    uint16_t *label;       /* [n_image], below n_class */
};

/* Whether the images are those that were published: not known, yes or no. */
enum image_origin { IMAGES_UNKNOWN, IMAGES_PUBLISHED, IMAGES_OTHER };

struct image_data {
    const struct dataset *dataset;
    enum image_origin origin; /* of everything that was found, before n_train and n_test cut it */
    struct image_set train, test;
    char **class_name; /* [n_class] of the sets */
    size_t n_class;
    char hash[SHA256_HEX_SIZE];                 /* see image_data_hash; "" where nobody asked yet */
    struct data_bytes memory[DATASET_MAX_FILE]; /* what the images point into */
    size_t n_memory;
};

/* dataset_load reads a found data set. Caller frees with image_data_free. Images that are not the
 * published ones are loaded, see origin; those of another data set are refused, because several
 * share their files' names. Errors: STATUS_DATA;
 * STATUS_USAGE where n_train or n_test is more than there is; STATUS_WRITE for the cache. */
enum status dataset_load(const struct dataset_place *place, const struct dataset_options *options,
                         struct image_data *data, struct error *err);
void image_data_free(struct image_data *data);

/* image_data_hash returns the SHA-256 of shapes, labels and pixels as loaded, whatever files they
 * came from: the identity of the data, for a run to keep. It reads everything at the first call. */
const char *image_data_hash(struct image_data *data);

/* image_data_resize gives every image another side, see resize.h, and lets go of the originals. The
 * hash stays that of the originals. STATUS_MEMORY. */
enum status image_data_resize(struct image_data *data, size_t size, int threads, struct error *err);

/* ---- for the readers ---- */

/* image_set_create makes room for n_image pointers and labels. */
enum status image_set_create(struct image_set *set, size_t n_image, size_t n_channel, size_t size,
                             size_t n_class, struct error *err);

/* image_data_keep gives bytes into the data's care. */
void image_data_keep(struct image_data *data, struct data_bytes bytes);

/* image_data_name_classes copies the names of the classes. */
enum status image_data_name_classes(struct image_data *data, const char *const *name,
                                    size_t n_class, struct error *err);

#endif
