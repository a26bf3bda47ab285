#include "lab/config/config_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORD_SIZE 256

static bool is_choice(const struct config *config, const struct config_key *key)
{
    const char *preset = config_is_vision(config) ? key->preset_images : key->preset;
    return preset && strcmp(preset, CONFIG_DERIVED) != 0;
}

/* The variant's id says its further axes, too. */
static bool is_axis(const char *name)
{
    for (size_t i = 0; variant_axis_key(i); i++) {
        if (strcmp(variant_axis_key(i), name) == 0) {
            return true;
        }
    }
    return false;
}

/* write_word writes the assignment of a key, false where it may be left out. */
static bool write_word(const struct config *config, const struct config *usual,
                       const struct config_key *key, char word[WORD_SIZE])
{
    char value[WORD_SIZE / 2], other[WORD_SIZE / 2];
    if (!is_choice(config, key) || is_axis(key->name)) {
        return false;
    }
    config_value(config, key->name, value, sizeof value, NULL);
    config_value(usual, key->name, other, sizeof other, NULL);
    snprintf(word, WORD_SIZE, "%s=%s", key->name, value);
    return strcmp(key->name, "task") == 0 || strcmp(value, other) != 0;
}

static size_t count_keys(void)
{
    size_t n = 0;
    while (config_key_at(n)) {
        n++;
    }
    return n;
}

char **config_words(const struct config *config)
{
    struct config usual = config_default();
    config_set(&usual, "task", config_task_name(config), NULL);
    char **words = calloc(count_keys() + 1, sizeof *words), word[WORD_SIZE];
    size_t n = 0;
    bool fine = words != NULL;
    for (size_t i = 0; fine && config_key_at(i); i++) {
        if (write_word(config, &usual, config_key_at(i), word)) {
            words[n] = strdup(word);
            fine = words[n++] != NULL;
        }
    }
    if (!fine) {
        config_words_free(words);
        return NULL;
    }
    return words;
}

void config_words_free(char **words)
{
    for (size_t i = 0; words && words[i]; i++) {
        free(words[i]);
    }
    free(words);
}
