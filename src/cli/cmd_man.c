/* The manual page in troff, generated from the same tables as --help. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/version.h"
#include "lab/config/config.h"
#include "lab/config/preset.h"

/* Text that troff must not take for requests or typographic dashes. */
static void print_roff(const char *text)
{
    if (*text == '.' || *text == '\'') {
        fputs("\\&", stdout);
    }
    for (; *text; text++) {
        if (*text == '\\') {
            fputs("\\e", stdout);
        } else if (*text == '-') {
            fputs("\\-", stdout);
        } else if (*text == '~') {
            fputs("\\(ti", stdout);
        } else if (*text == '^') {
            fputs("\\(ha", stdout);
        } else {
            putchar(*text);
        }
    }
}

static void print_line(const char *text)
{
    print_roff(text);
    putchar('\n');
}

static void print_example(const struct example *example)
{
    printf(".TP\n.B ");
    print_line(example->line);
    print_line(example->what);
}

static void print_command(const struct command *command)
{
    printf(".SS ");
    printf("%s %s\n", command->name, command->operands);
    char summary[256];
    snprintf(summary, sizeof summary, "%c%s.", toupper((unsigned char)command->summary[0]),
             command->summary + 1);
    print_line(summary);
    if (command->details) {
        print_line(command->details);
    }
    printf(".PP\nOptions:");
    const char *gap = " ";
    for (size_t id = 0; option_at(id); id++) {
        if (!option_taken(option_at(id), command)) {
            continue;
        }
        printf("%s\\fB\\-\\-", gap);
        print_roff(option_at(id)->name);
        printf("\\fR");
        gap = ", ";
    }
    printf(".\n");
    for (size_t i = 0; i < COMMAND_MAX_EXAMPLE && command->example[i].line; i++) {
        print_example(&command->example[i]);
    }
}

static void print_option(const struct option_spec *option)
{
    printf(".TP\n\\fB\\-\\-");
    print_roff(option->name);
    printf("\\fR");
    if (option->argument) {
        printf(" \\fI%s\\fR", option->argument);
    }
    putchar('\n');
    print_line(option->help);
}

static void print_key(const struct config_key *key)
{
    printf(".TP\n\\fB%s\\fR", key->name);
    if (key->alias) {
        printf(", \\fB%s\\fR", key->alias);
    }
    putchar('\n');
    char text[1024], preset[128];
    if (!key->preset || !key->preset_images) {
        snprintf(preset, sizeof preset, "%s, of %s alone",
                 key->preset ? key->preset : key->preset_images,
                 key->preset ? "tasks" : "data sets");
    } else if (strcmp(key->preset, key->preset_images) != 0) {
        snprintf(preset, sizeof preset, "%s, of data sets %s", key->preset, key->preset_images);
    } else {
        snprintf(preset, sizeof preset, "%s", key->preset);
    }
    snprintf(text, sizeof text, "%s (%s: %s; default %s)", key->help, key->type, key->accepted,
             preset);
    print_line(text);
}

static void print_configuration_files(void)
{
    printf(".SH CONFIGURATION FILES\n");
    print_line(
        "A file in YAML is a mapping of the keys above to a value or a list of values; lists "
        "make a grid. Values are taken as they are written. Documents, separated by ---, are "
        "several grids of one sweep, and a run that occurs in two of them is made once.");
    printf(".PP\n.nf\n");
    print_line("task: [reverse, swap]\nvariant: [qkv, qk]\nn_embd: 32\nseeds: 0-2");
    printf(".fi\n.TP\n\\fBseeds\\fR\n");
    print_line("a seed, a list of seeds, or a range such as 0-2");
    printf(".TP\n\\fBinclude\\fR\n");
    print_line("a preset, or a file beside this one; own keys win over those of it");
    printf(".TP\n\\fBwithout_data\\fR\n");
    print_line("keys that take over where files of the data set are missing");
}

static void print_exit_status(void)
{
    static const struct {
        int code;
        const char *meaning;
    } codes[] = {
        {0, "fine"},
        {1, "a check failed, or a run failed or diverged"},
        {2, "wrong usage or configuration"},
        {3, "bad or missing data"},
        {4, "cannot write"},
    };
    printf(".SH EXIT STATUS\n");
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        printf(".TP\n%d\n%s\n", codes[i].code, codes[i].meaning);
    }
    printf(".TP\n128+n\nstopped by signal n; the same command again goes on\n");
}

enum status cmd_man(const struct arguments *arguments, struct error *err)
{
    (void)arguments;
    (void)err;
    printf(".TH QKVLAB 1 \"\" \"qkvlab %s\" \"User Commands\"\n", version_number());
    printf(".SH NAME\nqkvlab \\- which of Q, K and V does attention need?\n");
    printf(".SH SYNOPSIS\n.B qkvlab\n\\fICOMMAND\\fR [\\fIOPTION\\fR]...\n");
    printf(".SH DESCRIPTION\n");
    print_line("qkvlab trains small transformers that share their query, key and value "
               "projections in every possible way, and shows what each one can and cannot learn. "
               "Results go to stdout, progress and messages to stderr.");
    printf(".SH COMMANDS\n");
    for (size_t id = 0; command_at(id); id++) {
        print_command(command_at(id));
    }
    printf(".SH OPTIONS\n");
    for (size_t id = 0; option_at(id); id++) {
        print_option(option_at(id));
    }
    print_option(&(struct option_spec){
        .name = "version", .help = "As the only word: the version, and how it was built."});
    printf(".SH CONFIGURATION KEYS\n");
    for (size_t i = 0; config_key_at(i); i++) {
        print_key(config_key_at(i));
    }
    print_configuration_files();
    printf(".SH PRESETS\n");
    for (size_t i = 0; preset_at(i); i++) {
        char summary[PRESET_SUMMARY_SIZE];
        preset_summary(preset_at(i), summary);
        printf(".TP\n\\fB%s\\fR\n", preset_at(i)->name);
        print_line(summary);
    }
    print_exit_status();
    printf(".SH ENVIRONMENT\n.TP\nNO_COLOR\nset and not empty: no colours\n");
    printf(".TP\nOPENBLAS_NUM_THREADS\nset to 1 by qkvlab itself, which starts once more for it "
           "where the library has a thread pool of its own\n");
    printf(".SH FILES\n.TP\n\\fIOUT\\fR/runs/\na folder a finished run; run.json is in it\n"
           ".TP\n\\fIOUT\\fR/report/\nwhat \\fBqkvlab report\\fR writes\n");
    return STATUS_OK;
}
