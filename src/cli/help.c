#include "cli/help.h"

#include <ctype.h>
#include <string.h>

#include "base/json.h"
#include "base/wrap.h"
#include "build_info.h"
#include "cli/markdown.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "lab/record/provenance.h"
#include "nn/blas.h"
#include "topic_registry.h"

#define HELP_WIDTH 80   /* where the stream is no terminal */
#define EXAMPLE_ROOM 30 /* for what an example is; with less it goes on a line of its own */
#define EXAMPLE_INDENT 6

static void wrap(FILE *stream, const char *words, size_t column)
{
    struct text text = {0};
    text_wrap(&text, words, column, column, terminal_width(stream, HELP_WIDTH));
    fputs(text.failed ? words : text.data, stream);
    text_free(&text);
}

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
        wrap(stream, example[i].what, column);
    }
}

/* A name in a column of its own, and beside it what it is. */
static void print_entry(FILE *stream, const char *name, const char *what, size_t column)
{
    fprintf(stream, "  %-*s  ", (int)column - 4, name);
    wrap(stream, what, column);
}

static void print_paragraph(FILE *stream, const char *text)
{
    fputc('\n', stream);
    wrap(stream, text, 0);
}

void sentence_of(const char *summary, char sentence[SENTENCE_SIZE])
{
    bool asks = strchr(summary, '?') != NULL;
    snprintf(sentence, SENTENCE_SIZE, "%c%s%s", toupper((unsigned char)summary[0]), summary + 1,
             asks ? "" : ".");
}

const char *exit_status_at(size_t i, char code[EXIT_CODE_SIZE])
{
    if (i == STATUS_INTERRUPTED) {
        snprintf(code, EXIT_CODE_SIZE, "128+n");
    } else if (i < STATUS_COUNT) {
        snprintf(code, EXIT_CODE_SIZE, "%d", status_exit_code((enum status)i));
    }
    return i < STATUS_COUNT ? status_meaning((enum status)i) : NULL;
}

/* ---- topics ---- */

static const struct topic topics[] = {TOPIC_REGISTRY};

#define N_TOPIC (sizeof topics / sizeof topics[0])

const struct topic *topic_find(const char *name)
{
    for (size_t i = 0; i < N_TOPIC; i++) {
        if (strcmp(topics[i].name, name) == 0) {
            return &topics[i];
        }
    }
    return NULL;
}

const struct topic *topic_alone_at(size_t i)
{
    for (size_t k = 0; k < N_TOPIC; k++) {
        if (!command_find(topics[k].name) && i-- == 0) {
            return &topics[k];
        }
    }
    return NULL;
}

#define TOPIC_TITLE_SIZE 96
static void topic_title(const struct topic *topic, char title[TOPIC_TITLE_SIZE])
{
    const char *start = topic->text + strspn(topic->text, "# ");
    snprintf(title, TOPIC_TITLE_SIZE, "%.*s", (int)strcspn(start, "\n"), start);
}

static void print_code(FILE *stream, const char *line)
{
    for (; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        fprintf(stream, "    %.*s\n", (int)strcspn(line, "\n"), line);
    }
}

/* The words of a block as a terminal shows them: code stays between its marks. */
static void plain_words(const struct markdown_block *block, char *plain, size_t size)
{
    struct markdown_span span;
    plain[0] = '\0';
    for (const char *at = block->text; markdown_next_span(&at, &span);) {
        const char *mark = span.kind == SPAN_CODE ? "`" : "";
        size_t used = strlen(plain);
        snprintf(plain + used, size - used, "%s%.*s%s", mark, (int)span.n, span.text, mark);
    }
}

static void print_block(FILE *stream, const struct markdown_block *block, bool first)
{
    static char plain[MARKDOWN_BLOCK_SIZE];
    size_t indent = block->kind == BLOCK_ITEM ? 2 : 0;
    fputs(first ? "" : "\n", stream);
    if (block->kind == BLOCK_CODE) {
        print_code(stream, block->text);
        return;
    }
    plain_words(block, plain, sizeof plain);
    for (char *at = plain; block->kind == BLOCK_HEADING && *at; at++) {
        *at = (char)toupper((unsigned char)*at);
    }
    fputs(indent ? "- " : "", stream);
    wrap(stream, plain, indent);
}

static void print_topic(FILE *stream, const struct topic *topic)
{
    static struct markdown_block block;
    enum block_kind last = BLOCK_TITLE;
    bool first = true;
    for (const char *at = topic->text; markdown_next_block(&at, &block);) {
        bool goes_on = block.kind == BLOCK_ITEM && last == BLOCK_ITEM;
        print_block(stream, &block, first || goes_on);
        last = block.kind;
        first = false;
    }
}

/* ---- the program and its commands ---- */

static void print_topics(FILE *stream)
{
    char title[TOPIC_TITLE_SIZE];
    fprintf(stream, "\nTopics, for qkvlab help TOPIC:\n");
    for (size_t i = 0; topic_alone_at(i); i++) {
        topic_title(topic_alone_at(i), title);
        print_entry(stream, topic_alone_at(i)->name, title, 14);
    }
}

void help_overview(FILE *stream)
{
    static const struct example examples[] = {
        {"qkvlab quick", "train the variants on tasks and images, and report"},
        {"qkvlab run --set variant=qkv,qk", "a grid of your own"},
        {"qkvlab list variants", "what can be compared"},
        {"qkvlab run --help", "the options of one command"},
    };
    char code[EXIT_CODE_SIZE];
    print_examples(stream, examples, sizeof examples / sizeof examples[0]);
    print_paragraph(stream,
                    "qkvlab trains small transformers that share their query, key and value "
                    "projections in every possible way, and shows what each one can and "
                    "cannot learn.");
    fprintf(stream, "\nUsage: qkvlab COMMAND [OPTION]...\n\nCommands:\n");
    for (size_t id = 0; command_at(id); id++) {
        print_entry(stream, command_at(id)->name, command_at(id)->summary, 14);
    }
    fprintf(stream, "\n  --version   the version, and how it was built\n");
    print_topics(stream);
    print_paragraph(stream, "Results go to stdout, progress and messages to stderr. Exit status:");
    for (size_t i = 0; exit_status_at(i, code); i++) {
        print_entry(stream, code, exit_status_at(i, code), 14);
    }
    print_paragraph(stream, "To come: procedure=original.");
}

void help_command(FILE *stream, const struct command *command)
{
    char sentence[SENTENCE_SIZE], head[64];
    print_examples(stream, command->example, COMMAND_MAX_EXAMPLE);
    fprintf(stream, "\nUsage: qkvlab %s [OPTION]...%s%s\n", command->name,
            command->operands ? " " : "", command->operands ? command->operands : "");
    sentence_of(command->summary, sentence);
    print_paragraph(stream, sentence);
    if (command->details) {
        print_paragraph(stream, command->details);
    }
    fprintf(stream, "\nOptions:\n");
    for (size_t i = 0; option_of(command, i); i++) {
        const struct option *option = option_of(command, i);
        snprintf(head, sizeof head, "--%s%s%s", option->name, option->argument ? " " : "",
                 option->argument ? option->argument : "");
        print_entry(stream, head, option_help(option, command), 20);
    }
    if (topic_find(command->name)) {
        fputc('\n', stream);
        print_topic(stream, topic_find(command->name));
    }
}

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
        print_topic(stdout, topic_find(subject));
    }
    return STATUS_OK;
}

/* ---- the version ---- */

const char *version_number(void)
{
    return BUILD_VERSION;
}

static void print_all(const json_t *object)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object, key, value)
    {
        if (json_is_integer(value)) {
            printf("  %-10s  %lld\n", key, (long long)json_integer_value(value));
        } else {
            printf("  %-10s  %s\n", key, json_string_value(value));
        }
    }
}

/* What bench compares with; runs do not keep it. */
static void print_blas(void)
{
    const struct blas *blas;
    bool loads = blas_load(&blas, NULL) == STATUS_OK;
    printf("  %-10s  %s (of bench)\n", "blas", loads ? blas->config : "none that can be loaded");
}

void version_print(void)
{
    json_t *build = provenance_build(), *machine = provenance_machine(0);
    json_object_del(build, "version");
    json_object_del(machine, "threads"); /* a run's own number; this is the default */
    printf("qkvlab %s\n", version_number());
    print_all(build);
    print_all(machine);
    printf("  %-10s  one for every processor, unless --threads says otherwise\n", "threads");
    print_blas();
    json_decref(build);
    json_decref(machine);
}
