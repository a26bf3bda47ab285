/* MNIST, handwritten digits (LeCun, Cortes, Burges). */
#include "lab/data/idx.h"
#include "lab/kind/images/images.h"

static const char *const digits[] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};

const struct dataset dataset_mnist = {
    .task.name = "mnist",
    .task.title = "MNIST",
    .task.kind = &kind_images,
    .task.version = 1,
    .task.n_answer = 10,
    .task.n_train = 60000,
    .task.n_test = 10000,
    .task.preset = {{"epochs", "20"}},
    .n_channel = 1,
    .image_size = 28,
    .class_name = digits,
    .mean = {0.1307f},
    .std = {0.3081f},
    .augmentation = AUGMENT_NONE,
    .file = {{"train-images-idx3-ubyte", 47040016,
              "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db", false},
             {"train-labels-idx1-ubyte", 60008,
              "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5", false},
             {"t10k-images-idx3-ubyte", 7840016,
              "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7", false},
             {"t10k-labels-idx1-ubyte", 10008,
              "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2", false}},
    .folder = {"MNIST/raw", "MNIST"},
    .origin = "or the .gz files under https://ossci-datasets.s3.amazonaws.com/mnist/",
    .sha256 = "046034c5e2d633faf56c9e53e75781aa11d3308b061f1d2d42f382eec058bc60",
    .load = idx_load,
};
