/* YAML itself reads yes as true, 1e3 as a number that is not whole and 010 as eight: files from
 * elsewhere have such values, and whoever wrote them is told how they are written here.
 */
#include "lab/config/config_guess.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/suggest.h"

#define MAX_CHOICE 16

bool config_has_leading_zero(const char *text)
{
    text += *text == '-' || *text == '+';
    return text[0] == '0' && isdigit((unsigned char)text[1]);
}

static bool is_one_of(const char *text, const char *const *words)
{
    for (; *words; words++) {
        if (strcasecmp(text, *words) == 0) {
            return true;
        }
    }
    return false;
}

static bool says_yes(const char *text)
{
    static const char *const words[] = {"yes", "true", "on", "y", NULL};
    return is_one_of(text, words);
}

static bool says_no(const char *text)
{
    static const char *const words[] = {"no", "false", "off", "n", "null", "~", "none", NULL};
    return is_one_of(text, words);
}

/* read_any takes every decimal notation there is, and underscores between the digits. */
static bool read_any(const char *text, double *number)
{
    char digits[CONFIG_GUESS_SIZE], *end;
    size_t n = 0;
    for (; *text && n + 1 < sizeof digits; text++) {
        if (*text != '_') {
            digits[n++] = *text;
        }
    }
    digits[n] = '\0';
    bool plain = *text == '\0' && n > 0 && strspn(digits, "0123456789.eE+-") == n;
    *number = strtod(digits, &end);
    return plain && *end == '\0' && isfinite(*number);
}

static void guess_number(const struct config_key *key, double min, double max, const char *text,
                         char guess[CONFIG_GUESS_SIZE])
{
    double number;
    bool whole = strcmp(key->type, "integer") == 0;
    if (!read_any(text, &number) || number < min || number > max ||
        (whole && number != floor(number))) {
        return;
    }
    snprintf(guess, CONFIG_GUESS_SIZE, whole ? "%.0f" : "%.15g", number == 0 ? 0 : number);
}

static void guess_choice(const struct config_key *key, const char *text,
                         char guess[CONFIG_GUESS_SIZE])
{
    char words[512], *rest = words;
    const char *choices[MAX_CHOICE];
    size_t n = 0;
    snprintf(words, sizeof words, "%s", key->accepted);
    for (char *word = strtok_r(words, " |", &rest); word && n < MAX_CHOICE;
         word = strtok_r(NULL, " |", &rest)) {
        choices[n++] = word;
        if (strcmp(word, "none") == 0 && says_no(text)) {
            snprintf(guess, CONFIG_GUESS_SIZE, "none");
            return;
        }
    }
    const char *near = suggest_nearest(text, choices, n);
    snprintf(guess, CONFIG_GUESS_SIZE, "%s", near ? near : "");
}

void config_guess(const struct config_key *key, double min, double max, const char *text,
                  char guess[CONFIG_GUESS_SIZE])
{
    guess[0] = '\0';
    if (strcmp(key->accepted, "0 | 1") == 0) {
        if (says_yes(text) || says_no(text)) {
            snprintf(guess, CONFIG_GUESS_SIZE, "%d", says_yes(text));
        } else {
            guess_number(key, 0, 1, text, guess);
        }
    } else if (strcmp(key->type, "choice") == 0) {
        guess_choice(key, text, guess);
    } else {
        guess_number(key, min, max, text, guess);
    }
}
