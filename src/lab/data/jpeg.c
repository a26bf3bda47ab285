/* libjpeg reports errors by a call that must not return, hence longjmp; it carries on after damage
 * with a warning and invented pixels, hence warnings are errors here, except for those about bytes
 * that hold no pixels.
 */
#include "lab/data/jpeg.h"

#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

#include <jerror.h>

#include "lab/data/data_bytes.h"

#define MAX_SIDE 4096 /* of the line buffer; no data set is near it */

struct decoder {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    jmp_buf failed;
    char message[JMSG_LENGTH_MAX];
};

static void fail(j_common_ptr jpeg)
{
    struct decoder *decoder = jpeg->client_data;
    jpeg->err->format_message(jpeg, decoder->message);
    longjmp(decoder->failed, 1);
}

static void heed(j_common_ptr jpeg, int level)
{
    int code = jpeg->err->msg_code;
    if (level < 0 && code != JWRN_EXTRANEOUS_DATA && code != JWRN_ADOBE_XFORM &&
        code != JWRN_JFIF_MAJOR) {
        fail(jpeg);
    }
}

static enum status check_header(const struct decoder *decoder, const char *path, size_t size,
                                struct error *err)
{
    const struct jpeg_decompress_struct *jpeg = &decoder->jpeg;
    if (jpeg->image_width != size || jpeg->image_height != size) {
        return error_set(err, STATUS_DATA, "%s has %u x %u pixels, expected %zu x %zu", path,
                         jpeg->image_width, jpeg->image_height, size, size);
    }
    J_COLOR_SPACE space = jpeg->jpeg_color_space;
    if (space != JCS_GRAYSCALE && space != JCS_YCbCr && space != JCS_RGB) {
        return error_set(err, STATUS_DATA, "%s has %d colour channels (%s), expected grey or RGB",
                         path, jpeg->num_components,
                         space == JCS_CMYK || space == JCS_YCCK ? "CMYK" : "unknown");
    }
    return STATUS_OK;
}

static void read_lines(struct decoder *decoder, size_t size, uint8_t *out)
{
    struct jpeg_decompress_struct *jpeg = &decoder->jpeg;
    uint8_t line[3 * MAX_SIDE];
    jpeg->out_color_space = JCS_RGB;
    jpeg->dct_method = JDCT_ISLOW; /* the same bits with and without SIMD */
    jpeg_start_decompress(jpeg);
    while (jpeg->output_scanline < jpeg->output_height) {
        size_t y = jpeg->output_scanline;
        JSAMPROW row = line;
        jpeg_read_scanlines(jpeg, &row, 1);
        for (size_t x = 0; x < size; x++) {
            for (size_t c = 0; c < 3; c++) {
                out[(c * size + y) * size + x] = line[3 * x + c];
            }
        }
    }
    jpeg_finish_decompress(jpeg);
}

enum status jpeg_decode(const char *path, const uint8_t *data, size_t n_byte, size_t size,
                        uint8_t *out, struct error *err)
{
    struct decoder decoder = {.message = ""};
    if (n_byte == 0) {
        return error_set(err, STATUS_DATA, "%s is empty (0 bytes)", path);
    }
    if (n_byte < 3 || data[0] != 0xff || data[1] != 0xd8 || data[2] != 0xff) {
        char found[DATA_BYTES_TEXT_SIZE];
        data_bytes_describe(data, n_byte, found);
        return error_set(err, STATUS_DATA, "%s is not a JPEG: it begins with %s", path, found);
    }
    if (size > MAX_SIDE) {
        return error_set(err, STATUS_USAGE, "images of %zu pixels a side, expected at most %d",
                         size, MAX_SIDE);
    }
    enum status status;
    decoder.jpeg.err = jpeg_std_error(&decoder.errors);
    decoder.jpeg.client_data = &decoder;
    decoder.errors.error_exit = fail;
    decoder.errors.emit_message = heed;
    if (setjmp(decoder.failed) == 0) {
        jpeg_create_decompress(&decoder.jpeg);
        jpeg_mem_src(&decoder.jpeg, data, n_byte);
        jpeg_read_header(&decoder.jpeg, TRUE);
        status = check_header(&decoder, path, size, err);
        if (status == STATUS_OK) {
            read_lines(&decoder, size, out);
        }
    } else {
        status = error_set(err, STATUS_DATA, "%s is a damaged JPEG: %s", path, decoder.message);
    }
    jpeg_destroy_decompress(&decoder.jpeg);
    return status;
}
