/* suggest: the words that would have been accepted, and the one that was probably meant. */
#ifndef QKVLAB_BASE_SUGGEST_H
#define QKVLAB_BASE_SUGGEST_H

#include <stddef.h>

#include "base/status.h"

/* suggest_nearest returns the candidate closest to word by edit distance (upper and lower case
 * being the same), or NULL if none is near enough to be a plausible misspelling: the distance may
 * be a third of the word, or 2 in a short one, if any letter is in common. */
const char *suggest_nearest(const char *word, const char *const *candidates, size_t n_candidate);

/* did_you_mean returns "; did you mean 'word'?" for an error's sentence, or "" where no candidate
 * is near. did_you_mean_word does so for a word that was found otherwise; NULL or "" is none. */
struct did_you_mean {
    char text[96];
};
struct did_you_mean did_you_mean(const char *word, const char *const *candidates,
                                 size_t n_candidate);
struct did_you_mean did_you_mean_word(const char *nearest);

/* suggest_all returns "a, b, c". */
struct suggest_list {
    char text[512];
};
struct suggest_list suggest_all(const char *const *words, size_t n_word);

/* error_expected refuses a word: "what: expected one of a, b, c, found 'word'; did you mean 'b'?"
 * Returns STATUS_USAGE. */
enum status error_expected(struct error *err, const char *what, const char *const *words,
                           size_t n_word, const char *found);

#endif
