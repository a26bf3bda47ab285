/* The lesson trains what its preset lists, as `run` does, and is written from the run folders; so a
 * second language costs no second training.
 */
#include <stdio.h>

#include "cli/command.h"
#include "cli/help.h"
#include "cli/options.h"
#include "cli/plan.h"
#include "cli/terminal.h"
#include "lesson/lesson.h"

static enum status write_and_say(const struct plan *plan, struct error *err)
{
    const struct arguments *arguments = plan->arguments;
    struct lesson_summary summary;
    struct lesson_request request = {.out = arguments->out,
                                     .config = plan->config,
                                     .n_config = plan->n_run,
                                     .language = arguments->language,
                                     .version = version_number(),
                                     .slides = arguments->slides};
    TRY(lesson_write(&request, &summary, err));
    if (summary.note[0]) {
        terminal_say("%s", summary.note);
    }
    if (summary.n_missing > 0 && !arguments->quiet) {
        terminal_say("%zu of %zu runs are not finished, and not in the lesson", summary.n_missing,
                     plan->n_run);
    }
    if (summary.n_slide > 0 && !arguments->quiet) {
        terminal_say("%zu slides in %s", summary.n_slide, summary.slides);
    }
    printf("%s\n", summary.page);
    return STATUS_OK;
}

enum status cmd_lesson(const struct arguments *arguments, struct error *err)
{
    TRY(word_check(WORD_LESSON, arguments->operand[0], err));
    return plan_command(arguments, LESSON_PRESET, write_and_say, err);
}
