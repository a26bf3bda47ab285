/* image_folder: data sets that are folders of JPEGs, laid out as TinyImageNet is.
 *
 * Classes are the lines of wnids.txt, or else the folders in train/, bytewise sorted. Training
 * images lie in train/<class>/images/ or train/<class>/. Test images are the official validation
 * set: in val/images/ with their classes in val/val_annotations.txt, or sorted into class folders;
 * both give the same images in the same order, that of their names.
 */
#ifndef QKVLAB_LAB_IMAGE_FOLDER_H
#define QKVLAB_LAB_IMAGE_FOLDER_H

#include <stddef.h>
#include <stdint.h>

#include "base/sha256.h"
#include "base/status.h"

struct image_file {
    char *path; /* from the data set's folder on */
    uint16_t label;
};

struct image_list {
    struct image_file *file; /* [n_file] */
    size_t n_file, capacity;
};

struct image_folder {
    char **class_id;   /* [n_class] "n01443537" */
    char **class_name; /* [n_class] from words.txt up to the first comma; the id without it */
    size_t n_class;
    struct image_list train, test;
    char manifest[SHA256_HEX_SIZE]; /* of classes, and path, size, time and label of every image */
};

/* image_folder_list looks at every file's name, size and time, and opens no image. Files that are
 * no JPEG by their name, and hidden ones (._ and .DS_Store among them), do not count. Caller frees
 * with image_folder_free, also on failure. Errors: STATUS_DATA. */
enum status image_folder_list(const char *folder, struct image_folder *images, struct error *err);
void image_folder_free(struct image_folder *images);

#endif
