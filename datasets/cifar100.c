/* CIFAR-100, small colour photographs (Krizhevsky 2009), binary version. Each record has a coarse
 * label, one of 20 groups, before the fine one, which is the one that is learned.
 */
#include "lab/data/cifar.h"
#include "lab/kind/images/images.h"

static const char *const things[] = {
    "apple",       "aquarium_fish", "baby",      "bear",       "beaver",       "bed",
    "bee",         "beetle",        "bicycle",   "bottle",     "bowl",         "boy",
    "bridge",      "bus",           "butterfly", "camel",      "can",          "castle",
    "caterpillar", "cattle",        "chair",     "chimpanzee", "clock",        "cloud",
    "cockroach",   "couch",         "crab",      "crocodile",  "cup",          "dinosaur",
    "dolphin",     "elephant",      "flatfish",  "forest",     "fox",          "girl",
    "hamster",     "house",         "kangaroo",  "keyboard",   "lamp",         "lawn_mower",
    "leopard",     "lion",          "lizard",    "lobster",    "man",          "maple_tree",
    "motorcycle",  "mountain",      "mouse",     "mushroom",   "oak_tree",     "orange",
    "orchid",      "otter",         "palm_tree", "pear",       "pickup_truck", "pine_tree",
    "plain",       "plate",         "poppy",     "porcupine",  "possum",       "rabbit",
    "raccoon",     "ray",           "road",      "rocket",     "rose",         "sea",
    "seal",        "shark",         "shrew",     "skunk",      "skyscraper",   "snail",
    "snake",       "spider",        "squirrel",  "streetcar",  "sunflower",    "sweet_pepper",
    "table",       "tank",          "telephone", "television", "tiger",        "tractor",
    "train",       "trout",         "tulip",     "turtle",     "wardrobe",     "whale",
    "willow_tree", "wolf",          "woman",     "worm"};

static enum status load(const struct dataset_place *place, const struct dataset_options *options,
                        struct image_data *data, struct error *err)
{
    static const struct cifar_format format = {.n_label = 2, .n_class = {20, 100}};
    (void)options;
    return cifar_load(place, &format, 1, data, err);
}

const struct dataset dataset_cifar100 = {
    .task.name = "cifar100",
    .task.title = "CIFAR-100",
    .task.kind = &kind_images,
    .task.version = 1,
    .task.n_answer = 100,
    .task.n_train = 50000,
    .task.n_test = 10000,
    .task.preset = {{"epochs", "50"}},
    .n_channel = 3,
    .image_size = CIFAR_SIZE,
    .class_name = things,
    .mean = {0.5071f, 0.4865f, 0.4409f},
    .std = {0.2673f, 0.2564f, 0.2762f},
    .augmentation = AUGMENT_CROP_FLIP,
    .file = {{"train.bin", 153700000,
              "f31298fc616915fa142368359df1c4ca2ae984d6915ca468b998a5ec6aeebf29", false},
             {"test.bin", 30740000,
              "d8b1e6b7b3bee4020055f0699b111f60b1af1e262aeb93a0b659061746f8224a", false},
             {"fine_label_names.txt", 725, NULL, true}},
    .folder = {"cifar-100-binary"},
    .origin = "or unpack https://www.cs.toronto.edu/~kriz/cifar-100-binary.tar.gz",
    .load = load,
};
