/* TinyImageNet-200, photographs cut to 64 pixels. The official validation set is the test set; the
 * official test set has no labels and is not read.
 *
 * The defaults are the procedure's small form for processors: the published one (224 px, patch 16,
 * d 768, twelve layers) takes days without a graphics card.
 */
#include "lab/data/image_cache.h"
#include "lab/data/image_folder.h"
#include "lab/kind/images/images.h"

static enum status load(const struct dataset_place *place, const struct dataset_options *options,
                        struct image_data *data, struct error *err)
{
    struct image_folder images;
    enum status status = image_folder_list(place->folder, &images, err);
    if (status == STATUS_OK) {
        status = image_cache_load(place, options, &images, data, err);
    }
    image_folder_free(&images);
    return status;
}

const struct dataset dataset_tinyimagenet = {
    .task.name = "tinyimagenet",
    .task.title = "TinyImageNet",
    .task.kind = &kind_images,
    .task.version = 1,
    .task.n_answer = 200,
    .task.n_train = 100000,
    .task.n_test = 10000,
    .task.preset = {{"epochs", "20"},
                    {"batch_size", "32"},
                    {"n_embd", "192"},
                    {"n_layer", "6"},
                    {"n_head", "6"},
                    {"patch", "8"}},
    .n_channel = 3,
    .image_size = 64,
    .mean = {0.4802f, 0.4481f, 0.3975f},
    .std = {0.2770f, 0.2691f, 0.2821f},
    .augmentation = AUGMENT_FLIP,
    .file = {{"train", 0, NULL, false},
             {"val", 0, NULL, false},
             {"wnids.txt", 2000, "a36eb4b603007f1985cdfbfc5987166a2710b3c6f0f6d3e29636fc129bba527b",
              true}},
    .folder = {"tiny-imagenet-200"},
    .origin = "or unpack http://cs231n.stanford.edu/tiny-imagenet-200.zip",
    .load = load,
};
