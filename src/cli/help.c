#include "cli/help.h"

#include <ctype.h>
#include <string.h>

#include "cli/options.h"
#include "cli/terminal.h"

#define HELP_WIDTH 80   /* where the stream is no terminal */
#define EXAMPLE_ROOM 30 /* for what an example is; with less it goes on a line of its own */
#define EXAMPLE_INDENT 6

static void print_examples(FILE *stream, const struct example *example, size_t n)
{
    size_t widest = 0;
    for (size_t i = 0; i < n && example[i].line; i++) {
        if (strlen(example[i].line) > widest) {
            widest = strlen(example[i].line);
        }
    }
    fprintf(stream, "Examples:\n");
    size_t width = terminal_width(stream, HELP_WIDTH), column = widest + 5;
    bool beside = column + EXAMPLE_ROOM <= width;
    for (size_t i = 0; i < n && example[i].line; i++) {
        if (beside) {
            fprintf(stream, "  %-*s   ", (int)widest, example[i].line);
        } else {
            column = EXAMPLE_INDENT;
            fprintf(stream, "  %s\n%*s", example[i].line, (int)column, "");
        }
        terminal_wrap(stream, example[i].what, column, column, width);
    }
}

static void print_option(FILE *stream, const struct option_spec *option, const char *help,
                         size_t column)
{
    char head[64];
    snprintf(head, sizeof head, "--%s%s%s", option->name, option->argument ? " " : "",
             option->argument ? option->argument : "");
    fprintf(stream, "  %-*s  ", (int)column - 4, head);
    terminal_wrap(stream, help, column, column, terminal_width(stream, HELP_WIDTH));
}

static void print_paragraph(FILE *stream, const char *text)
{
    fputc('\n', stream);
    terminal_wrap(stream, text, 0, 0, terminal_width(stream, HELP_WIDTH));
}

void help_overview(FILE *stream)
{
    static const struct example examples[] = {
        {"qkvlab quick", "train the variants on tasks and images, and report"},
        {"qkvlab run --set variant=qkv,qk", "a grid of your own"},
        {"qkvlab list variants", "what can be compared"},
        {"qkvlab run --help", "the options of one command"},
    };
    print_examples(stream, examples, sizeof examples / sizeof examples[0]);
    print_paragraph(stream,
                    "qkvlab trains small transformers that share their query, key and value "
                    "projections in every possible way, and shows what each one can and "
                    "cannot learn.");
    fprintf(stream, "\nUsage: qkvlab COMMAND [OPTION]...\n\nCommands:\n");
    for (size_t id = 0; command_at(id); id++) {
        fprintf(stream, "  %-10s  ", command_at(id)->name);
        terminal_wrap(stream, command_at(id)->summary, 14, 14, terminal_width(stream, HELP_WIDTH));
    }
    fprintf(stream, "\n  --version   the version, and how it was built\n");
    print_paragraph(stream,
                    "Results go to stdout, progress and messages to stderr. Exit status: 0 "
                    "fine, 1 a check failed, or a run failed or diverged, 2 wrong usage, 3 bad or "
                    "missing data, 4 cannot write, 128+n stopped by signal n.");
    print_paragraph(stream, "To come: procedure=original.");
}

void help_command(FILE *stream, const struct command *command)
{
    print_examples(stream, command->example, COMMAND_MAX_EXAMPLE);
    fprintf(stream, "\nUsage: qkvlab %s [OPTION]...%s%s\n", command->name,
            command->operands[0] ? " " : "", command->operands);
    char summary[256];
    bool asks = strchr(command->summary, '?') != NULL;
    snprintf(summary, sizeof summary, "%c%s%s", toupper((unsigned char)command->summary[0]),
             command->summary + 1, asks ? "" : ".");
    print_paragraph(stream, summary);
    if (command->details) {
        print_paragraph(stream, command->details);
    }
    fprintf(stream, "\nOptions:\n");
    for (size_t id = 0; option_at(id); id++) {
        if (option_taken(option_at(id), command)) {
            print_option(stream, option_at(id), option_help(option_at(id), command), 20);
        }
    }
}
