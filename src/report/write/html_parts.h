/* html_parts: what every page that the program writes is made of. The report and the lesson use it.
 */
#ifndef QKVLAB_REPORT_HTML_PARTS_H
#define QKVLAB_REPORT_HTML_PARTS_H

#include "base/json.h"
#include "base/text.h"

#define HTML_N_COLOUR 32 /* of the colour map in a page; linear in between */

/* What a page is made of. Places of the template are {{head}}, with the style and a policy that
 * allows the page's own style and script alone, by their hashes, and {{script}}, with the data in
 * front. Whatever else stands between {{ and }} the page's writer appends itself. */
struct html_page {
    const char *template, *style, *script;
    const json_t *data; /* NULL: out of memory */
    enum status (*place)(const void *context, const char *name, struct text *text,
                         struct error *err); /* NULL: there are no other places */
    const void *context;
};

/* html_append_page appends the page. Errors: STATUS_MEMORY, those of place. */
enum status html_append_page(struct text *text, const struct html_page *page, struct error *err);

/* html_base64 returns a new string. */
json_t *html_base64(const void *data, size_t size);

/* html_root_bytes returns values [n] as base64 of a byte each, 255 times the root of value / top,
 * since most are small: the error is at most 0.004 times the root of the share. */
json_t *html_root_bytes(const float *value, size_t n, double top);

/* html_colours returns viridis as [[r, g, b], ...]. */
json_t *html_colours(void);

#endif
