/* help: the overview and the help of one command, printed from the tables. */
#ifndef QKVLAB_CLI_HELP_H
#define QKVLAB_CLI_HELP_H

#include <stdio.h>

#include "cli/command.h"

void help_overview(FILE *stream);
void help_command(FILE *stream, const struct command *command);

#endif
