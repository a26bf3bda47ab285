/* The text files beside TinyImageNet's images: the input is wnids.txt, words.txt and
 * val_annotations.txt, separated by zero bytes, over a folder of two classes.
 */
#include "base/file.h"
#include "base/folder.h"
#include "fuzz.h"
#include "lab/data/image_folder.h"

#include <string.h>

static char folder[] = "/tmp/qkvlab-fuzz-XXXXXX";

static void write_file(const char *name, const void *data, size_t size)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    char *slash = strrchr(path, '/');
    *slash = '\0';
    folder_create(path, NULL);
    *slash = '/';
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0) {
        perror(path);
        abort();
    }
}

static void remove_folder(void)
{
    folder_remove(folder, NULL);
}

static void make_folder(void)
{
    static const char *const images[] = {"train/n1/images/a.JPEG", "train/n2/images/b.JPEG",
                                         "val/images/c.JPEG", "val/images/d.JPEG"};
    if (!mkdtemp(folder)) {
        perror(folder);
        abort();
    }
    atexit(remove_folder);
    for (size_t i = 0; i < sizeof images / sizeof images[0]; i++) {
        write_file(images[i], "", 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"wnids.txt", "words.txt", "val/val_annotations.txt"};
    struct image_folder images;
    struct error err;
    if (strstr(folder, "XXXXXX")) {
        make_folder();
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const uint8_t *zero = size > 0 ? memchr(data, 0, size) : NULL;
        size_t n = zero ? (size_t)(zero - data) : size;
        write_file(names[i], data, n);
        data += zero ? n + 1 : n;
        size -= zero ? n + 1 : n;
    }
    if (image_folder_list(folder, &images, &err) == STATUS_OK) {
        for (size_t i = 0; i < images.test.n_file; i++) {
            if (images.test.file[i].label >= images.n_class) {
                abort();
            }
        }
    }
    image_folder_free(&images);
    return 0;
}
