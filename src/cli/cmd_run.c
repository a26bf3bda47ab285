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
    const struct arguments *arguments = plan->arguments;
    enum status made = plan_run(plan, err);
    if (made != STATUS_OK && made != STATUS_FAILED) {
        return made;
    }
    struct error print_error = {0};
    enum status printed = plan_results(plan, &print_error);
    if (printed != STATUS_OK) {
        *err = print_error;
        return printed;
    }
    if (!arguments->quiet) {
        say_next(arguments->out);
    }
    return made;
}

enum status cmd_run(const struct arguments *arguments, struct error *err)
{
    struct plan plan;
    const char *name = arguments->n_operand > 0 ? arguments->operand[0] : NULL;
    enum status status = check_operand(name, err);
    if (status != STATUS_OK) {
        return status;
    }
    status = plan_create(&plan, arguments, name, err);
    if (status == STATUS_OK) {
        status = arguments->dry_run ? plan_preview(&plan, err) : train_and_print(&plan, err);
    }
    plan_free(&plan);
    return status;
}
