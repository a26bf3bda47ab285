/* The manual page in troff, of the tables and topics that --help prints. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/help.h"
#include "cli/markdown.h"
#include "cli/options.h"
#include "lab/config/config.h"
#include "lab/config/preset.h"

/* ---- troff ---- */

/* [n] bytes that troff must not take for escapes or typographic dashes. */
static void print_escaped(const char *text, size_t n)
{
    static const struct {
        char letter;
        const char *escape;
    } escapes[] = {{'\\', "\\e"}, {'-', "\\-"}, {'~', "\\(ti"}, {'^', "\\(ha"}};
    for (size_t i = 0; i < n; i++) {
        const char *escape = NULL;
        for (size_t k = 0; k < sizeof escapes / sizeof escapes[0]; k++) {
            escape = text[i] == escapes[k].letter ? escapes[k].escape : escape;
        }
        if (escape) {
            fputs(escape, stdout);
        } else {
            putchar(text[i]);
        }
    }
}

/* Words with the marks of Markdown: code and what is marked bold are bold. */
static void print_words(const char *words)
{
    struct markdown_span span;
    if (*words == '.' || *words == '\'') {
        fputs("\\&", stdout); /* no request */
    }
    for (const char *at = words; markdown_next_span(&at, &span);) {
        bool bold = span.kind != SPAN_WORDS;
        fputs(bold ? "\\fB" : "", stdout);
        print_escaped(span.text, span.n);
        fputs(bold ? "\\fR" : "", stdout);
    }
}

static void print_line(const char *words)
{
    print_words(words);
    putchar('\n');
}

/* Lines as they are, without marks or filling. */
static void print_verbatim(const char *line)
{
    printf(".PP\n.nf\n.RS 4\n");
    for (; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        fputs(*line == '.' || *line == '\'' ? "\\&" : "", stdout);
        print_escaped(line, strcspn(line, "\n"));
        putchar('\n');
    }
    printf(".RE\n.fi\n");
}

/* A name and, below it, what it is. */
static void print_entry(const char *name, const char *what)
{
    printf(".TP\n\\fB");
    print_escaped(name, strlen(name));
    printf("\\fR\n");
    print_line(what);
}

/* ---- topics and commands ---- */

/* The title of a command's own topic is a heading among others. */
static void print_topic(const struct topic *topic)
{
    static struct markdown_block block;
    for (const char *at = topic->text; markdown_next_block(&at, &block);) {
        if (block.kind == BLOCK_CODE) {
            print_verbatim(block.text);
            continue;
        }
        printf(block.kind == BLOCK_ITEM ? ".IP \\(bu 2\n" : ".PP\n");
        bool heading = block.kind == BLOCK_HEADING || block.kind == BLOCK_TITLE;
        fputs(heading ? "\\fB" : "", stdout);
        print_words(block.text);
        fputs(heading ? "\\fR\n" : "\n", stdout);
    }
}

static void print_topics(void)
{
    for (size_t i = 0; topic_alone_at(i); i++) {
        printf(".SH ");
        for (const char *at = topic_alone_at(i)->name; *at; at++) {
            putchar(toupper((unsigned char)*at));
        }
        putchar('\n');
        print_topic(topic_alone_at(i));
    }
}

static void print_command(const struct command *command)
{
    char sentence[SENTENCE_SIZE];
    sentence_of(command->summary, sentence);
    printf(".SS %s%s%s\n", command->name, command->operands ? " " : "",
           command->operands ? command->operands : "");
    print_line(sentence);
    if (command->details) {
        print_line(command->details);
    }
    printf(".PP\nOptions:");
    for (size_t i = 0; option_of(command, i); i++) {
        printf("%s\\fB\\-\\-", i ? ", " : " ");
        print_escaped(option_of(command, i)->name, strlen(option_of(command, i)->name));
        printf("\\fR");
    }
    printf(".\n");
    for (size_t i = 0; i < COMMAND_MAX_EXAMPLE && command->example[i].line; i++) {
        print_entry(command->example[i].line, command->example[i].what);
    }
    if (topic_find(command->name)) {
        print_topic(topic_find(command->name));
    }
}

static void print_option(const char *name, const char *argument, const char *help)
{
    printf(".TP\n\\fB\\-\\-");
    print_escaped(name, strlen(name));
    printf("\\fR");
    if (argument) {
        printf(" \\fI%s\\fR", argument);
    }
    putchar('\n');
    print_line(help);
}

static void print_options(void)
{
    for (size_t id = 0; option_at(id); id++) {
        const struct option *option = option_at(id);
        print_option(option->name, option->argument, option->help);
        for (size_t i = 0; i < OPTION_MAX_OWN && option->own[i].help; i++) {
            printf(".br\nOf \\fB%s\\fR: ", command_at(option->own[i].command)->name);
            print_line(option->own[i].help);
        }
    }
    print_option("version", NULL, "As the only word: the version, and how it was built.");
}

/* "64", "4, of image data sets 2", "refuse, of image data sets alone" */
static void write_defaults(const struct config_key *key, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "%s", key->preset ? key->preset : "");
    for (size_t i = 0; kind_at(i) && used < size; i++) {
        const char *own = config_kind_preset(kind_at(i), key), *all = kind_at(i)->all;
        if (own && !key->preset) {
            used += (size_t)snprintf(text + used, size - used, "%s%s, of %s alone",
                                     used ? "; " : "", own, all);
        } else if (own && strcmp(own, key->preset) != 0) {
            used += (size_t)snprintf(text + used, size - used, ", of %s %s", all, own);
        }
    }
}

static void print_key(const struct config_key *key)
{
    printf(".TP\n\\fB%s\\fR", key->name);
    if (key->alias) {
        printf(", \\fB%s\\fR", key->alias);
    }
    putchar('\n');
    char text[1024], preset[128];
    write_defaults(key, preset, sizeof preset);
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
    print_verbatim("task: [reverse, swap]\nvariant: [qkv, qk]\nn_embd: 32\nseeds: 0-2\n");
    print_entry("seeds", "a seed, a list of seeds, or a range such as 0-2");
    print_entry("include", "a preset, or a file beside this one; own keys win over those of it");
    print_entry("without_data", "keys that take over where files of the data set are missing");
}

static void print_presets(void)
{
    printf(".SH PRESETS\n");
    for (size_t i = 0; preset_at(i); i++) {
        char summary[PRESET_SUMMARY_SIZE];
        preset_summary(preset_at(i), summary);
        print_entry(preset_at(i)->name, summary);
    }
}

static void print_exit_status(void)
{
    char code[EXIT_CODE_SIZE];
    printf(".SH EXIT STATUS\n");
    for (size_t i = 0; exit_status_at(i, code); i++) {
        print_entry(code, exit_status_at(i, code));
    }
}

enum status cmd_man(const struct arguments *arguments, struct error *err)
{
    (void)arguments;
    (void)err;
    printf("'\\\" -*- coding: UTF-8 -*-\n");
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
    print_options();
    print_topics();
    printf(".SH CONFIGURATION KEYS\n");
    for (size_t i = 0; config_key_at(i); i++) {
        print_key(config_key_at(i));
    }
    print_configuration_files();
    print_presets();
    print_exit_status();
    printf(".SH ENVIRONMENT\n");
    print_entry("NO_COLOR", "set and not empty: no colours");
    print_entry("QKVLAB_DATA", "where data sets are looked for, behind --data");
    print_entry("XDG_CACHE_HOME", "the user's cache folder, if it is not ~/.cache");
    print_entry("OMP_WAIT_POLICY, GOMP_SPINCOUNT",
                "how threads wait for each other; qkvlab limits their spinning, and starts once "
                "more for it, where neither is set");
    printf(".SH FILES\n.TP\n\\fIOUT\\fR/runs/\na folder a finished run; run.json is in it\n"
           ".TP\n\\fIOUT\\fR/report/\nwhat \\fBqkvlab report\\fR writes\n");
    return STATUS_OK;
}
