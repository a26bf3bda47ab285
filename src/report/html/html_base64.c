/* html_base64: arrays in the page are base64 of little-endian numbers: exact, short, and decoded
 * only when they are drawn.
 */
#include <stdlib.h>

#include "report/html/html_data.h"

json_t *html_base64(const void *data, size_t size)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *byte = data;
    size_t n_char = (size + 2) / 3 * 4, n = 0;
    char *text = malloc(n_char + 1);
    if (!text) {
        return NULL;
    }
    for (size_t i = 0; i < size; i += 3) {
        size_t left = size - i;
        unsigned long bits = (unsigned long)byte[i] << 16;
        bits |= left > 1 ? (unsigned long)byte[i + 1] << 8 : 0;
        bits |= left > 2 ? (unsigned long)byte[i + 2] : 0;
        text[n++] = digit[bits >> 18];
        text[n++] = digit[bits >> 12 & 63];
        text[n++] = left > 1 ? digit[bits >> 6 & 63] : '=';
        text[n++] = left > 2 ? digit[bits & 63] : '=';
    }
    json_t *string = json_stringn_nocheck(text, n);
    free(text);
    return string;
}
