/* Fashion-MNIST, pictures of clothes in the form of MNIST (Xiao, Rasul, Vollgraf, arXiv
 * 1708.07747).
 */
#include "lab/data/idx.h"
#include "lab/kind/images/images.h"

static const char *const clothes[] = {"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat",
                                      "Sandal",      "Shirt",   "Sneaker",  "Bag",   "Ankle boot"};

const struct dataset dataset_fashion_mnist = {
    .task.name = "fashion_mnist",
    .task.title = "Fashion-MNIST",
    .task.kind = &kind_images,
    .task.version = 1,
    .task.n_answer = 10,
    .task.n_train = 60000,
    .task.n_test = 10000,
    .task.preset = {{"epochs", "20"}},
    .n_channel = 1,
    .image_size = 28,
    .class_name = clothes,
    .mean = {0.2860f},
    .std = {0.3530f},
    .augmentation = AUGMENT_NONE,
    .file = {{"train-images-idx3-ubyte", 47040016,
              "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888", false},
             {"train-labels-idx1-ubyte", 60008,
              "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9", false},
             {"t10k-images-idx3-ubyte", 7840016,
              "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b", false},
             {"t10k-labels-idx1-ubyte", 10008,
              "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34", false}},
    .folder = {"FashionMNIST/raw", "FashionMNIST", "fashion-mnist"},
    .origin = "or Debian's package dataset-fashion-mnist, or the .gz files under "
              "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",
    .sha256 = "d1207dcb852ff575d1cbaadec7704eed6f4599e35a76fc2130ff35748f4f6844",
    .load = idx_load,
};
