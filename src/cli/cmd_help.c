#include "cli/help.h"
#include "cli/options.h"

enum status cmd_help(const struct arguments *arguments, struct error *err)
{
    if (arguments->n_operand == 0) {
        help_overview(stdout);
        return STATUS_OK;
    }
    const char *subject = arguments->operand[0];
    TRY(word_check(WORD_SUBJECT, subject, err));
    if (command_find(subject)) {
        help_command(stdout, command_find(subject));
    } else {
        help_topic(stdout, topic_find(subject));
    }
    return STATUS_OK;
}
