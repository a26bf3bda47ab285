/* jpeg: one JPEG in memory to bytes [3,H,W], on libjpeg-turbo. */
#ifndef QKVLAB_LAB_JPEG_H
#define QKVLAB_LAB_JPEG_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* jpeg_decode writes an image of exactly size x size pixels to out [3,size,size]; a grey one in
 * three equal channels. Refused with a sentence that names path: another size, before anything is
 * allocated; colours that are neither grey nor YCbCr nor RGB; any damage that libjpeg would paper
 * over. Errors: STATUS_DATA. Threads may call it at the same time. */
enum status jpeg_decode(const char *path, const uint8_t *data, size_t n_byte, size_t size,
                        uint8_t *out, struct error *err);

#endif
