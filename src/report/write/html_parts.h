/* html_parts: what every page that the program writes is made of. The report and the lesson use it.
 */
#ifndef QKVLAB_REPORT_HTML_PARTS_H
#define QKVLAB_REPORT_HTML_PARTS_H

#include "base/json.h"
#include "base/text.h"

#define HTML_REAL_DIGITS 9 /* of a number in a page's data */
#define HTML_N_COLOUR 32   /* of the colour map in a page; linear in between */

/* html_append_json appends JSON text with every '<' as an escape, so that no text in it can end the
 * element it stands in. */
void html_append_json(struct text *text, const char *json);

/* html_append_hash appends 'sha256-...' of an element's content, as a content security policy names
 * it. */
void html_append_hash(struct text *text, const char *content);

/* html_base64 returns a new string. */
json_t *html_base64(const void *data, size_t size);

/* html_colours returns viridis as [[r, g, b], ...]. */
json_t *html_colours(void);

#endif
