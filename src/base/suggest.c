#include "base/suggest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define LONGEST_WORD 63

static size_t smallest(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* Levenshtein's distance, upper and lower case being the same letter. row[j] is the distance
 * between the letters of a seen so far and the first j of b. */
static size_t edit_distance(const char *a, size_t n_a, const char *b, size_t n_b)
{
    size_t row[LONGEST_WORD + 1];
    for (size_t j = 0; j <= n_b; j++) {
        row[j] = j;
    }
    for (size_t i = 1; i <= n_a; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n_b; j++) {
            int same = tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]);
            size_t distance = smallest(row[j] + 1, row[j - 1] + 1, diagonal + (same ? 0 : 1));
            diagonal = row[j];
            row[j] = distance;
        }
    }
    return row[n_b];
}

const char *suggest_nearest(const char *word, const char *const *candidates, size_t n_candidate)
{
    size_t n_word = strlen(word);
    size_t limit = n_word / 3 > 2 ? n_word / 3 : 2;
    const char *nearest = NULL;
    size_t nearest_distance = limit + 1;
    for (size_t i = 0; i < n_candidate; i++) {
        size_t n = strlen(candidates[i]);
        if (n > LONGEST_WORD || n_word > LONGEST_WORD) {
            continue;
        }
        size_t distance = edit_distance(word, n_word, candidates[i], n);
        size_t longer = n > n_word ? n : n_word;
        /* A distance as long as the longer word: not one letter in common. */
        if (distance < nearest_distance && (distance < longer || longer == 0)) {
            nearest = candidates[i];
            nearest_distance = distance;
        }
    }
    return nearest;
}

struct did_you_mean did_you_mean_word(const char *nearest)
{
    struct did_you_mean sentence = {""};
    if (nearest && nearest[0]) {
        snprintf(sentence.text, sizeof sentence.text, "; did you mean '%s'?", nearest);
    }
    return sentence;
}

struct did_you_mean did_you_mean(const char *word, const char *const *candidates,
                                 size_t n_candidate)
{
    return did_you_mean_word(suggest_nearest(word, candidates, n_candidate));
}

struct suggest_list suggest_all(const char *const *words, size_t n_word)
{
    struct suggest_list list = {""};
    size_t used = 0;
    for (size_t i = 0; i < n_word && used < sizeof list.text; i++) {
        used += (size_t)snprintf(list.text + used, sizeof list.text - used, "%s%s", i ? ", " : "",
                                 words[i]);
    }
    return list;
}

enum status error_expected(struct error *err, const char *what, const char *const *words,
                           size_t n_word, const char *found)
{
    return error_set(err, STATUS_USAGE, "%s: expected one of %s, found '%s'%s", what,
                     suggest_all(words, n_word).text, found,
                     did_you_mean(found, words, n_word).text);
}
