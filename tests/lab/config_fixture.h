/* config_fixture: configurations of a few words, "key=value key=value". */
#ifndef QKVLAB_TESTS_CONFIG_FIXTURE_H
#define QKVLAB_TESTS_CONFIG_FIXTURE_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/config/config.h"
#include "lab/config/grid.h"
#include "testing.h"

static struct error err;

/* config_try sets what both texts say, and returns what resolving it returns. */
static __attribute__((unused)) enum status config_try(const char *base, const char *settings,
                                                      struct config *config)
{
    char text[400];
    *config = config_default();
    snprintf(text, sizeof text, "%s %s", base, settings);
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
        char *equals = strchr(word, '=');
        *equals = '\0';
        FINE(config_set(config, word, equals + 1, &err));
    }
    return config_resolve(config, &err);
}

static __attribute__((unused)) struct config config_of(const char *base, const char *settings)
{
    struct config config;
    ck_assert_msg(config_try(base, settings, &config) == STATUS_OK, "%s: %s", settings, err.text);
    return config;
}

/* grid_of expands "key=a,b key=c"; *configs is freed first, caller frees what it is then. */
static __attribute__((unused)) void grid_of(const char *base, const char *settings,
                                            struct config **configs, size_t *n_config)
{
    char text[400];
    struct grid *grid = grid_create();
    snprintf(text, sizeof text, "%s %s", base, settings);
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
        FINE(grid_set(grid, word, &err));
    }
    free(*configs);
    FINE(grid_expand(grid, configs, n_config, &err));
    grid_free(grid);
}

#endif
