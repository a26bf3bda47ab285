#include "report/write/html_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sha256.h"
#include "base/text.h"
#include "report/write/colormap.h"

#define REAL_DIGITS 9 /* of a number in a page's data */
#define MAX_PLACE 64  /* characters between the braces */

/* ---- pages ---- */

/* Every '<' is an escape, so that no text in the data can end the element it stands in. */
static void append_json(struct text *text, const char *json)
{
    for (const char *mark; (mark = strchr(json, '<')) != NULL; json = mark + 1) {
        text_append(text, "%.*s\\u003c", (int)(mark - json), json);
    }
    text_append(text, "%s", json);
}

/* 'sha256-...' of an element's content, as a content security policy names it. */
static void append_hash(struct text *text, const char *content)
{
    char hex[SHA256_HEX_SIZE];
    unsigned char digest[(SHA256_HEX_SIZE - 1) / 2];
    sha256_hex(content, strlen(content), hex);
    for (size_t i = 0; i < sizeof digest; i++) {
        char pair[] = {hex[2 * i], hex[2 * i + 1], '\0'};
        digest[i] = (unsigned char)strtoul(pair, NULL, 16);
    }
    json_t *base64 = html_base64(digest, sizeof digest);
    text_append(text, "'sha256-%s'", base64 ? json_string_value(base64) : "");
    text->failed |= !base64;
    json_decref(base64);
}

static void append_head(struct text *text, const struct html_page *page)
{
    text_append(text, "<meta charset=\"utf-8\">\n"
                      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                      "style-src ");
    append_hash(text, page->style);
    text_append(text, "; script-src ");
    append_hash(text, page->script);
    text_append(text,
                "; img-src data:; base-uri 'none'; form-action 'none'\">\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                "<meta name=\"referrer\" content=\"no-referrer\">\n"
                "<link rel=\"icon\" href=\"data:,\">\n<style>%s</style>",
                page->style);
}

static void append_script(struct text *text, const struct html_page *page, const char *json)
{
    text_append(text, "<script type=\"application/json\" id=\"data\">");
    append_json(text, json);
    text_append(text, "</script>\n<script>%s</script>", page->script);
}

static enum status append_places(struct text *text, const struct html_page *page, const char *json,
                                 struct error *err)
{
    const char *at = page->template;
    for (const char *open; (open = strstr(at, "{{")) != NULL;) {
        char name[MAX_PLACE];
        const char *close = strstr(open, "}}");
        text_append(text, "%.*s", (int)(open - at), at);
        snprintf(name, sizeof name, "%.*s", (int)(close - open - 2), open + 2);
        if (strcmp(name, "head") == 0) {
            append_head(text, page);
        } else if (strcmp(name, "script") == 0) {
            append_script(text, page, json);
        } else {
            TRY(page->place(page->context, name, text, err));
        }
        at = close + 2;
    }
    text_append(text, "%s", at);
    return STATUS_OK;
}

enum status html_append_page(struct text *text, const struct html_page *page, struct error *err)
{
    char *json =
        page->data ? json_dumps(page->data, JSON_COMPACT | JSON_REAL_PRECISION(REAL_DIGITS)) : NULL;
    enum status status =
        json ? append_places(text, page, json, err) : error_memory(err, "writing a page");
    free(json);
    return status;
}

/* ---- data ---- */

json_t *html_root_bytes(const float *value, size_t n, double top)
{
    unsigned char *byte = malloc(n + 1);
    for (size_t i = 0; byte && i < n; i++) {
        float share = fminf(fmaxf(value[i] / (float)top, 0), 1); /* fmaxf turns NaN into 0 */
        byte[i] = (unsigned char)(255 * sqrtf(share) + 0.5f);
    }
    json_t *text = byte ? html_base64(byte, n) : NULL;
    free(byte);
    return text;
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
