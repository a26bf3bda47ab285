/* help: what the program says about itself: --version, the overview, the help of a command, and
 * topics, all of it from tables.
 *
 * A topic is a file topics/NAME.md, which becomes part of the program; its title says in a few
 * words what it is about. A topic with the name of a command is the end of that command's help.
 */
#ifndef QKVLAB_CLI_HELP_H
#define QKVLAB_CLI_HELP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cli/command.h"

/* version_number returns "0.1.0"; version_print prints it with how the program was built. */
const char *version_number(void);
void version_print(void);

struct topic {
    const char *name;
    const char *text; /* as markdown.h reads it */
    size_t size;
};

/* topic_find returns the topic of a name, or NULL; topic_alone_at the i-th of those that are no
 * command's, NULL past the last. */
const struct topic *topic_find(const char *name);
const struct topic *topic_alone_at(size_t i);

void help_overview(FILE *stream);
void help_command(FILE *stream, const struct command *command);

/* sentence_of writes a summary as a sentence: a capital first, a full stop last. */
#define SENTENCE_SIZE 256
void sentence_of(const char *summary, char sentence[SENTENCE_SIZE]);

/* exit_status_at returns what the i-th exit status of the program means and writes its number; NULL
 * past the last. */
#define EXIT_CODE_SIZE 8
const char *exit_status_at(size_t i, char code[EXIT_CODE_SIZE]);

#endif
