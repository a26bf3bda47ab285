/* shell: words of commands that the program suggests, written so that a shell reads them back as
 * they are, whatever is in the names of folders and files.
 */
#ifndef QKVLAB_BASE_SHELL_H
#define QKVLAB_BASE_SHELL_H

#include "base/text.h"

/* shell_append_word appends one word: bare where no shell reads anything into it, else in single
 * quotes, and with control characters as $'a\012b', which a terminal shows as it is. */
void shell_append_word(struct text *text, const char *word);

/* shell_path returns a path as shell_append_word would write it, "./-x" where it could be taken for
 * an option. Caller frees with free; NULL when out of memory. */
char *shell_path(const char *path);

#endif
