/* Completion scripts, generated so that they can never lag behind the tables. Each shell gets the
 * same knowledge: commands, their options, and what may stand where. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/options.h"
#include "lab/config/config.h"

/* What a shell does to complete a word; '@' stands for the words that it may be. */
struct actions {
    const char *folder, *file;
    const char *config; /* a preset or a file */
    const char *listed;
    const char *other;
};

static const char *choice_at(enum word word, size_t i)
{
    if (word == WORD_ASSIGNMENT) {
        return config_key_at(i) ? config_key_at(i)->name : NULL;
    }
    return word_choice(word, i);
}

static void print_choices(enum word word)
{
    for (size_t i = 0; choice_at(word, i); i++) {
        printf("%s%s%s", i ? " " : "", choice_at(word, i), word == WORD_ASSIGNMENT ? "=" : "");
    }
}

static void print_action(const struct actions *actions, enum word word)
{
    const char *action = word == WORD_FOLDER          ? actions->folder
                         : word == WORD_FILE          ? actions->file
                         : word == WORD_CONFIG        ? actions->config
                         : choice_at(word, 0) != NULL ? actions->listed
                                                      : actions->other;
    for (; *action; action++) {
        if (*action == '@') {
            print_choices(word);
        } else {
            putchar(*action);
        }
    }
}

/* Text inside single quotes, in every shell: an apostrophe closes, escapes and reopens. What is in
 * `special` gets a backslash. */
static void print_quotable(const char *text, const char *special)
{
    for (; *text; text++) {
        if (*text == '\'') {
            fputs("'\\''", stdout);
        } else {
            fputs(strchr(special, *text) ? "\\" : "", stdout);
            putchar(*text);
        }
    }
}

/* ---- bash ---- */

static const struct actions bash = {
    .folder = "COMPREPLY=($(compgen -d -- \"$cur\"))",
    .file = "COMPREPLY=($(compgen -f -- \"$cur\"))",
    .config = "COMPREPLY=($(compgen -W '@' -- \"$cur\") $(compgen -f -X '!*.y*ml' -- \"$cur\") "
              "$(compgen -d -- \"$cur\"))",
    .listed = "COMPREPLY=($(compgen -W '@' -- \"$cur\"))",
    .other = ":",
};

static void print_bash_command(const struct command *command)
{
    printf("    %s)\n      if [[ $cur == -* ]]; then\n        COMPREPLY=($(compgen -W '",
           command->name);
    for (size_t i = 0; option_of(command, i); i++) {
        printf("%s--%s", i ? " " : "", option_of(command, i)->name);
    }
    printf("' -- \"$cur\"))\n      else\n        ");
    print_action(&bash, command->operand);
    printf("\n      fi ;;\n");
}

static void print_bash(void)
{
    printf("# bash completion for qkvlab\n"
           "_qkvlab() {\n"
           "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
           "  COMPREPLY=()\n"
           "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
           "    COMPREPLY=($(compgen -W '");
    print_choices(WORD_COMMAND);
    printf(" --help --version' -- \"$cur\"))\n    return\n  fi\n  case $prev in\n");
    for (size_t id = 0; option_at(id); id++) {
        const struct option *option = option_at(id);
        if (option->argument) {
            printf("    --%s) ", option->name);
            print_action(&bash, option->word);
            printf("%s; return ;;\n",
                   option->word == WORD_ASSIGNMENT ? "; compopt -o nospace 2>/dev/null" : "");
        }
    }
    printf("  esac\n  case ${COMP_WORDS[1]} in\n");
    for (size_t c = 0; command_at(c); c++) {
        print_bash_command(command_at(c));
    }
    printf("  esac\n}\ncomplete -F _qkvlab qkvlab\n");
}

/* ---- zsh ---- */

static const struct actions zsh = {
    .folder = "_files -/",
    .file = "_files",
    .config = "_qkvlab_configurations",
    .listed = "(@)",
    .other = "",
};

#define ZSH_SPECIAL "[]:\\" /* inside a description of _arguments */

static void print_zsh_option(const struct option *option, const struct command *command)
{
    printf(" \\\n        '%s--%s[", option_is_repeatable(option) ? "*" : "", option->name);
    print_quotable(option_help(option, command), ZSH_SPECIAL);
    printf("]");
    if (option->argument) {
        printf(":%s:", option->argument);
        print_action(&zsh, option->word);
    }
    printf("'");
}

static void print_zsh_command(const struct command *command)
{
    printf("    %s) _arguments", command->name);
    for (size_t i = 0; option_of(command, i); i++) {
        print_zsh_option(option_of(command, i), command);
    }
    if (command->most > 0) {
        printf(" \\\n        '*:%s:", command->operands);
        print_action(&zsh, command->operand);
        printf("'");
    }
    printf(" ;;\n");
}

static void print_zsh(void)
{
    printf("#compdef qkvlab\n"
           "_qkvlab_configurations() {\n"
           "  _alternative 'presets:preset:(");
    print_choices(WORD_CONFIG);
    printf(")' 'files:file:_files -g \"*.(yaml|yml)\"'\n"
           "}\n"
           "_qkvlab() {\n"
           "  local context state state_descr line\n"
           "  typeset -A opt_args\n"
           "  if (( CURRENT == 2 )); then\n"
           "    local -a commands\n"
           "    commands=(\n");
    for (size_t c = 0; command_at(c); c++) {
        printf("      '%s:", command_at(c)->name);
        print_quotable(command_at(c)->summary, ZSH_SPECIAL);
        printf("'\n");
    }
    printf("      '--help:the overview'\n      '--version:the version'\n    )\n"
           "    _describe command commands\n    return\n  fi\n"
           "  local command=$words[2]\n"
           "  shift words; (( CURRENT-- ))\n"
           "  case $command in\n");
    for (size_t c = 0; command_at(c); c++) {
        print_zsh_command(command_at(c));
    }
    printf("  esac\n}\n"
           "if [ \"$funcstack[1]\" = \"_qkvlab\" ]; then _qkvlab \"$@\"; "
           "else compdef _qkvlab qkvlab; fi\n");
}

/* ---- fish ---- */

static const struct actions fish = {
    .folder = " -a '(__fish_complete_directories)'",
    .file = " -F",
    .config = " -a '@ (__fish_complete_suffix .yaml)'",
    .listed = " -a '@'",
    .other = "",
};

static void print_fish_option(const struct option *option)
{
    printf("complete -c qkvlab -n '__fish_seen_subcommand_from");
    for (size_t c = 0; command_at(c); c++) {
        if (option_taken(option, command_at(c))) {
            printf(" %s", command_at(c)->name);
        }
    }
    printf("' -l %s%s -d '", option->name, option->argument ? " -x" : "");
    print_quotable(option->help, "");
    putchar('\'');
    print_action(&fish, option->word);
    putchar('\n');
}

static void print_fish(void)
{
    printf("# fish completion for qkvlab\ncomplete -c qkvlab -f\n");
    for (size_t c = 0; command_at(c); c++) {
        printf("complete -c qkvlab -n __fish_use_subcommand -a %s -d '", command_at(c)->name);
        print_quotable(command_at(c)->summary, "");
        printf("'\n");
    }
    printf("complete -c qkvlab -n __fish_use_subcommand -l version -d 'The version'\n");
    for (size_t id = 0; option_at(id); id++) {
        print_fish_option(option_at(id));
    }
    for (size_t c = 0; command_at(c); c++) {
        if (command_at(c)->most > 0) {
            printf("complete -c qkvlab -n '__fish_seen_subcommand_from %s'", command_at(c)->name);
            print_action(&fish, command_at(c)->operand);
            putchar('\n');
        }
    }
}

/* ---- the command ---- */

static const struct {
    const char *name;
    void (*print)(void);
} shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};

const char *completion_shell_at(size_t i)
{
    return i < sizeof shells / sizeof shells[0] ? shells[i].name : NULL;
}

enum status cmd_completion(const struct arguments *arguments, struct error *err)
{
    TRY(word_check(WORD_SHELL, arguments->operand[0], err));
    for (size_t i = 0; completion_shell_at(i); i++) {
        if (strcmp(arguments->operand[0], shells[i].name) == 0) {
            shells[i].print();
        }
    }
    return STATUS_OK;
}
