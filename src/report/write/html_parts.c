#include "report/write/html_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/sha256.h"
#include "base/text.h"
#include "report/write/colormap.h"

void html_append_json(struct text *text, const char *json)
{
    for (const char *mark; (mark = strchr(json, '<')) != NULL; json = mark + 1) {
        text_append(text, "%.*s\\u003c", (int)(mark - json), json);
    }
    text_append(text, "%s", json);
}

void html_append_hash(struct text *text, const char *content)
{
    char hex[SHA256_HEX_SIZE];
    unsigned char digest[(SHA256_HEX_SIZE - 1) / 2];
    sha256_hex(content, strlen(content), hex);
    for (size_t i = 0; i < sizeof(digest); i++) {
        char pair[] = {hex[2 * i], hex[2 * i + 1], '\0'};
        digest[i] = (unsigned char)strtoul(pair, NULL, 16);
    }
    json_t *base64 = html_base64(digest, sizeof(digest));
    text_append(text, "'sha256-%s'", base64 ? json_string_value(base64) : "");
    text->failed |= !base64;
    json_decref(base64);
}

json_t *html_colours(void)
{
    json_t *array = json_array();
    for (int i = 0; i < HTML_N_COLOUR; i++) {
        struct rgb colour = colormap_viridis((double)i / (HTML_N_COLOUR - 1));
        json_array_append_new(array, json_pack("[i, i, i]", colour.r, colour.g, colour.b));
    }
    return array;
}

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
