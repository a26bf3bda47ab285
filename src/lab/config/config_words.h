/* config_words: a configuration as the assignments that make it again, for another process.
 */
#ifndef QKVLAB_LAB_CONFIG_WORDS_H
#define QKVLAB_LAB_CONFIG_WORDS_H

#include "lab/config/config.h"

/* config_words lists "key=value" of a resolved configuration's keys that differ from the defaults,
 * the task first; ends at NULL. Set and resolved they give the same run. Caller frees with
 * config_words_free. NULL: out of memory. */
char **config_words(const struct config *config);
void config_words_free(char **words);

#endif
