#include <stdlib.h>
#include <string.h>

#include "base/shell.h"
#include "cli/command.h"
#include "cli/plan.h"
#include "cli/terminal.h"
#include "lab/config/config_file.h"

/* check_operand refuses a word that lacks --set. */
static enum status check_operand(const char *word, struct error *err)
{
    if (word && strchr(word, '=') && !config_file_is_path(word)) {
        return error_set(err, STATUS_USAGE, "'%s' needs --set in front of it: --set %s", word,
                         word);
    }
    return STATUS_OK;
}

static enum status print_results(const struct plan *plan, struct error *err)
{
    TRY(plan_results(plan, err));
    if (!plan->arguments->quiet) {
        char *folder = shell_path(plan->arguments->out);
        terminal_print(stderr, "Next: qkvlab report %s\n", folder ? folder : "OUT");
        free(folder);
    }
    return STATUS_OK;
}

enum status cmd_run(const struct arguments *arguments, struct error *err)
{
    const char *name = arguments->n_operand > 0 ? arguments->operand[0] : NULL;
    TRY(check_operand(name, err));
    return plan_command(arguments, name, print_results, err);
}
