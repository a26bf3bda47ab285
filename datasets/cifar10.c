/* CIFAR-10, small colour photographs (Krizhevsky 2009), binary version. */
#include "lab/data/cifar.h"
#include "lab/kind/images/images.h"

#define N_TRAIN_FILE 5

static const char *const things[] = {"airplane", "automobile", "bird",  "cat",  "deer",
                                     "dog",      "frog",       "horse", "ship", "truck"};

static enum status load(const struct dataset_place *place, const struct dataset_options *options,
                        struct image_data *data, struct error *err)
{
    static const struct cifar_format format = {.n_label = 1, .n_class = {10}};
    (void)options;
    return cifar_load(place, &format, N_TRAIN_FILE, data, err);
}

const struct dataset dataset_cifar10 = {
    .task.name = "cifar10",
    .task.title = "CIFAR-10",
    .task.kind = &kind_images,
    .task.version = 1,
    .task.n_answer = 10,
    .task.n_train = 50000,
    .task.n_test = 10000,
    .task.preset = {{"epochs", "40"}},
    .n_channel = 3,
    .image_size = CIFAR_SIZE,
    .class_name = things,
    .mean = {0.4914f, 0.4822f, 0.4465f},
    .std = {0.2470f, 0.2435f, 0.2616f},
    .augmentation = AUGMENT_CROP_FLIP,
    .file = {{"data_batch_1.bin", 30730000,
              "cee916563c9f80d84e3cc88e17fdc0941787f1244f00a67874d45b261883ada5", false},
             {"data_batch_2.bin", 30730000,
              "a591ca11fa1708a91ee40f54b3da4784ccd871ecf2137de63f51ada8b3fa57ed", false},
             {"data_batch_3.bin", 30730000,
              "bbe8596564c0f86427f876058170b84dac6670ddf06d79402899d93ceea26f67", false},
             {"data_batch_4.bin", 30730000,
              "014e562d6e23c72197cc727519169a60359f5eccd8945ad5a09d710285ff4e48", false},
             {"data_batch_5.bin", 30730000,
              "755304fc0b379caeae8c14f0dac912fbc7d6cd469eb67a1029a08a39453a9add", false},
             {"test_batch.bin", 30730000,
              "8e2eb146ae340b09e24670f29cabc6326dba54da8789dab6768acf480273f65b", false},
             {"batches.meta.txt", 61, NULL, true}},
    .folder = {"cifar-10-batches-bin"},
    .origin = "or unpack https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz",
    .sha256 = "31de950524a96dfdbe8d3a863cd481b63aa598eb3819c4b64b5f40bfe2dc188b",
    .load = load,
};
