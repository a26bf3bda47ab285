/* wrap: how much room a UTF-8 text takes, and texts broken into lines of words. */
#ifndef QKVLAB_BASE_WRAP_H
#define QKVLAB_BASE_WRAP_H

#include <stddef.h>

#include "base/text.h"

/* text_columns returns how many columns of a terminal a text takes. */
size_t text_columns(const char *text);

/* text_wrap appends words, of which the first stands at column `column`; further lines start at
 * column indent. A '\n' in the words starts a new line. width 0: lines are never broken. Ends the
 * line. */
void text_wrap(struct text *text, const char *words, size_t column, size_t indent, size_t width);

/* text_control returns the bytes of the control character at a place, 0 where there is none. */
size_t text_control(const char *at);

/* text_clean replaces control characters but line ends by '?': names of files and words of the
 * command line may hold any, and must not move a terminal's cursor. */
void text_clean(char *text);

#endif
