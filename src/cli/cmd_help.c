#include "cli/command.h"
#include "cli/help.h"
#include "cli/options.h"

enum status cmd_help(const struct arguments *arguments, struct error *err)
{
    if (arguments->n_operand == 0) {
        help_overview(stdout);
        return STATUS_OK;
    }
    const struct command *command = command_find(arguments->operand[0], err);
    if (!command) {
        return STATUS_USAGE;
    }
    help_command(stdout, command);
    return STATUS_OK;
}
