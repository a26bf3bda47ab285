/* config_guess: what a value that cannot be read was meant to be, for "did you mean".
 */
#ifndef QKVLAB_LAB_CONFIG_GUESS_H
#define QKVLAB_LAB_CONFIG_GUESS_H

#include <stdbool.h>

#include "lab/config/config.h"

#define CONFIG_GUESS_SIZE 64

/* config_guess writes the value of a key that text stands for in another notation: "1e3", "1_000"
 * or "08" for a whole number, "yes" for a 1, "no" for "none", a word with a slip. Numbers are from
 * min to max. guess is "" where nothing comes near. */
void config_guess(const struct config_key *key, double min, double max, const char *text,
                  char guess[CONFIG_GUESS_SIZE]);

/* config_has_leading_zero: text is a number such as 08 or -01.5. */
bool config_has_leading_zero(const char *text);

#endif
