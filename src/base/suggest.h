/* suggest: the word that was probably meant. */
#ifndef QKVLAB_BASE_SUGGEST_H
#define QKVLAB_BASE_SUGGEST_H

#include <stddef.h>

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

#endif
