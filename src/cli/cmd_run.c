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

static void say_next(const char *out)
{
    char *folder = shell_path(out);
    terminal_print(stderr, "Next: qkvlab report %s\n", folder ? folder : "OUT");
    free(folder);
}

static enum status train_and_print(const struct plan *plan, struct error *err)
{
    enum status made = plan_run(plan, err);
    if (made != STATUS_OK && made != STATUS_FAILED) {
        return made;
    }
    struct error unprinted = {0};
    enum status printed = plan_results(plan, &unprinted);
    if (printed != STATUS_OK) {
        *err = unprinted;
        return printed;
    }
    if (!plan->arguments->quiet) {
        say_next(plan->arguments->out);
    }
    return made;
}

enum status cmd_run(const struct arguments *arguments, struct error *err)
{
    struct plan plan;
    const char *name = arguments->n_operand > 0 ? arguments->operand[0] : NULL;
    TRY(check_operand(name, err));
    enum status status = plan_create(&plan, arguments, name, err);
    if (status == STATUS_OK) {
        status = arguments->dry_run ? plan_preview(&plan, err) : train_and_print(&plan, err);
    }
    plan_free(&plan);
    return status;
}
