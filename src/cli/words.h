/* words: what a word of the command line stands for. It decides how it is completed, and which
 * words are accepted. */
#ifndef QKVLAB_CLI_WORDS_H
#define QKVLAB_CLI_WORDS_H

#include <stddef.h>

#include "base/status.h"

enum word {
    WORD_TEXT, /* anything */
    WORD_FOLDER,
    WORD_FILE,
    WORD_ASSIGNMENT, /* key=value */
    WORD_CONFIG,     /* a preset or a configuration file */
    WORD_MODEL,
    WORD_COMMAND, /* from here on one of a fixed list, and nothing else */
    WORD_SUBJECT, /* of `help`: a command or a topic */
    WORD_PRESET,
    WORD_FORMAT,
    WORD_SHAPE,
    WORD_DATASET,
    WORD_DATA_ACTION,
    WORD_LESSON,
    WORD_LANGUAGE,
    WORD_LIST,
    WORD_SHELL,
    WORD_BASELINE_ACTION,
    WORD_TIER,
    WORD_FAULT,
    WORD_COUNT
};

/* word_choice returns the i-th text of a word that has a list, NULL past the last. */
const char *word_choice(enum word word, size_t i);

/* word_check refuses a text that is no name of a folder or file, or not in the list of a word that
 * has a fixed one, and suggests the nearest. STATUS_USAGE. */
enum status word_check(enum word word, const char *text, struct error *err);

#endif
