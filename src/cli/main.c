/* qkvlab: dispatch over the table of commands, and the one place that turns a status into a message
 * and an exit status. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/help.h"
#include "cli/options.h"
#include "cli/signals.h"
#include "cli/startup.h"
#include "cli/terminal.h"

static enum status run_command(const struct command *command, int n_word, char **words,
                               struct error *err)
{
    struct arguments arguments;
    enum status status = arguments_parse(&arguments, command, (size_t)n_word, words, err);
    if (status == STATUS_OK && arguments.help) {
        help_command(stdout, command);
    } else if (status == STATUS_OK) {
        status = command->run(&arguments, err);
    }
    if (status == STATUS_INTERRUPTED && !arguments.quiet) {
        bool trains = command->id == COMMAND_run || command->id == COMMAND_quick;
        terminal_say("stopped by a signal (%s)%s", strsignal(signals_received()),
                     trains ? "; the same command again goes on" : "");
    }
    arguments_free(&arguments);
    return status;
}

static enum status dispatch(int argc, char **argv, struct error *err)
{
    const char *word = argc > 1 ? argv[1] : NULL;
    if (!word) {
        help_overview(stderr);
        fputc('\n', stderr);
        return error_set(err, STATUS_USAGE, "no command was given");
    }
    bool alone = !strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "--version");
    if (alone && argc > 2) {
        return error_set(err, STATUS_USAGE, "%s stands alone, found '%s' behind it", word, argv[2]);
    }
    if (!strcmp(word, "--help") || !strcmp(word, "-h")) {
        help_overview(stdout);
        return STATUS_OK;
    }
    if (!strcmp(word, "--version")) {
        version_print();
        return STATUS_OK;
    }
    if (word[0] == '-') {
        return error_set(err, STATUS_USAGE, "expected a command before %s; see qkvlab --help",
                         word);
    }
    TRY(word_check(WORD_COMMAND, word, err));
    return run_command(command_find(word), argc - 2, argv + 2, err);
}

/* The reader of stdout has gone, as `| head` does: no error, but no success either. */
static bool reader_has_gone(void)
{
    struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&output, 1, 0) == 1 && output.revents & POLLERR;
}

/* finish_output sees to it that results which could not be written are not taken for whole. */
static int finish_output(int exit_code)
{
    bool failed = ferror(stdout);
    errno = 0;
    if (fflush(stdout) == 0 && !failed) {
        return exit_code;
    }
    const char *reason = errno ? strerror(errno) : "an earlier write failed";
    if (reader_has_gone()) {
        return 128 + SIGPIPE;
    }
    terminal_say("cannot write the results to stdout: %s", reason);
    return status_exit_code(STATUS_WRITE);
}

int main(int argc, char **argv)
{
    startup_environment(argv);
    signals_prepare();
    struct error err = {0};
    enum status status = dispatch(argc, argv, &err);
    int exit_code = status_exit_code(status);
    if (status == STATUS_INTERRUPTED) {
        exit_code = 128 + signals_received();
    } else if (status != STATUS_OK && err.text[0] != '\0') {
        terminal_say("%s", err.text);
    }
    return finish_output(exit_code);
}
