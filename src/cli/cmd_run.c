#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/plan.h"
#include "cli/terminal.h"

static bool is_configuration_file(const char *word)
{
    const char *dot = strrchr(word, '.');
    return strchr(word, '/') || (dot && (!strcmp(dot, ".yaml") || !strcmp(dot, ".yml")));
}

static enum status find_preset(const struct arguments *arguments, const struct preset **preset,
                               struct error *err)
{
    *preset = NULL;
    if (arguments->n_operand == 0) {
        return STATUS_OK;
    }
    const char *word = arguments->operand[0];
    if (is_configuration_file(word)) {
        return error_set(
            err, STATUS_USAGE,
            "configuration files are not read yet, so %s is not used: give its keys as "
            "--set KEY=VALUE, such as qkvlab run --set task=reverse --set variant=qk",
            word);
    }
    if (strchr(word, '=')) {
        return error_set(err, STATUS_USAGE, "'%s' needs --set in front of it: --set %s", word,
                         word);
    }
    *preset = preset_find(word);
    return *preset ? STATUS_OK : word_check(WORD_PRESET, "preset", word, err);
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
        terminal_print(stderr, "Next: qkvlab report %s\n", arguments->out);
    }
    return made;
}

enum status cmd_run(const struct arguments *arguments, struct error *err)
{
    const struct preset *preset;
    struct plan plan;
    enum status status = find_preset(arguments, &preset, err);
    if (status != STATUS_OK) {
        return status;
    }
    status = plan_create(&plan, arguments, preset, err);
    if (status == STATUS_OK) {
        status = arguments->dry_run ? plan_preview(&plan, err) : train_and_print(&plan, err);
    }
    plan_free(&plan);
    return status;
}
