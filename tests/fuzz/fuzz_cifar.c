#include "fuzz.h"
#include "lab/data/cifar.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct cifar_format formats[] = {{.n_label = 1, .n_class = {10}},
                                                  {.n_label = 2, .n_class = {20, 100}}};
    for (size_t f = 0; f < sizeof formats / sizeof formats[0]; f++) {
        const uint8_t *image[64];
        uint16_t label[64];
        struct error err;
        size_t n;
        if (cifar_count("fuzz", size, &formats[f], &n, &err) == STATUS_OK && n <= 64 &&
            cifar_parse("fuzz", data, n, &formats[f], image, label, &err) == STATUS_OK) {
            volatile uint8_t last = n > 0 ? image[n - 1][CIFAR_PIXELS - 1] : 0;
            (void)last;
        }
    }
    return 0;
}
