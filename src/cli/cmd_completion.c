/* Completion scripts, generated so that they can never lag behind the tables. Each shell gets the
 * same knowledge: commands, their options, and what may stand where. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/options.h"
#include "lab/config/config.h"

/* The words that complete a word of this kind, separated by spaces. */
static void print_words(enum word word)
{
    if (word == WORD_ASSIGNMENT) {
        for (size_t i = 0; config_key_at(i); i++) {
            printf("%s%s=", i ? " " : "", config_key_at(i)->name);
        }
        return;
    }
    for (size_t i = 0; word_choice(word, i); i++) {
        printf("%s%s", i ? " " : "", word_choice(word, i));
    }
}

static bool has_words(enum word word)
{
    return word == WORD_ASSIGNMENT || word_choice(word, 0) != NULL;
}

/* Text inside single quotes, for every shell: an apostrophe closes, escapes and reopens. */
static void print_quoted(const char *text)
{
    putchar('\'');
    for (; *text; text++) {
        if (*text == '\'') {
            fputs("'\\''", stdout);
        } else {
            putchar(*text);
        }
    }
    putchar('\'');
}

/* ---- bash ---- */

static void print_bash_action(enum word word)
{
    if (word == WORD_FOLDER) {
        printf("COMPREPLY=($(compgen -d -- \"$cur\"))");
    } else if (word == WORD_FILE) {
        printf("COMPREPLY=($(compgen -f -- \"$cur\"))");
    } else if (word == WORD_CONFIG) {
        printf("COMPREPLY=($(compgen -W '");
        print_words(word);
        printf("' -- \"$cur\") $(compgen -f -X '!*.y*ml' -- \"$cur\") $(compgen -d -- \"$cur\"))");
    } else if (has_words(word)) {
        printf("COMPREPLY=($(compgen -W '");
        print_words(word);
        printf("' -- \"$cur\"))");
    } else {
        printf(":");
    }
}

static void print_bash(void)
{
    printf("# bash completion for qkvlab\n"
           "_qkvlab() {\n"
           "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
           "  COMPREPLY=()\n"
           "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
           "    COMPREPLY=($(compgen -W '");
    print_words(WORD_COMMAND);
    printf(" --help --version' -- \"$cur\"))\n    return\n  fi\n  case $prev in\n");
    for (size_t id = 0; option_at(id); id++) {
        if (!option_at(id)->argument) {
            continue;
        }
        printf("    --%s) ", option_at(id)->name);
        print_bash_action(option_at(id)->word);
        if (option_at(id)->word == WORD_ASSIGNMENT) {
            printf("; compopt -o nospace 2>/dev/null");
        }
        printf("; return ;;\n");
    }
    printf("  esac\n  case ${COMP_WORDS[1]} in\n");
    for (size_t c = 0; command_at(c); c++) {
        printf("    %s)\n      if [[ $cur == -* ]]; then\n        COMPREPLY=($(compgen -W '",
               command_at(c)->name);
        const char *gap = "";
        for (size_t id = 0; option_at(id); id++) {
            if (!option_taken(option_at(id), command_at(c))) {
                continue;
            }
            printf("%s--%s", gap, option_at(id)->name);
            gap = " ";
        }
        printf("' -- \"$cur\"))\n      else\n        ");
        print_bash_action(command_at(c)->operand);
        printf("\n      fi ;;\n");
    }
    printf("  esac\n}\ncomplete -F _qkvlab qkvlab\n");
}

/* ---- zsh ---- */

static void print_zsh_action(enum word word)
{
    if (word == WORD_FOLDER) {
        printf("_files -/");
    } else if (word == WORD_FILE) {
        printf("_files");
    } else if (word == WORD_CONFIG) {
        printf("_qkvlab_configurations");
    } else if (has_words(word)) {
        putchar('(');
        print_words(word);
        putchar(')');
    }
}

/* A description inside _arguments' brackets and inside single quotes. */
static void print_zsh_text(const char *text)
{
    for (; *text; text++) {
        if (*text == '\'') {
            fputs("'\\''", stdout);
        } else if (strchr("[]:\\", *text)) {
            printf("\\%c", *text);
        } else {
            putchar(*text);
        }
    }
}

static void print_zsh(void)
{
    printf("#compdef qkvlab\n"
           "_qkvlab_configurations() {\n"
           "  _alternative 'presets:preset:(");
    print_words(WORD_CONFIG);
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
        print_zsh_text(command_at(c)->summary);
        printf("'\n");
    }
    printf("      '--help:the overview'\n      '--version:the version'\n    )\n"
           "    _describe command commands\n    return\n  fi\n"
           "  local command=$words[2]\n"
           "  shift words; (( CURRENT-- ))\n"
           "  case $command in\n");
    for (size_t c = 0; command_at(c); c++) {
        printf("    %s) _arguments", command_at(c)->name);
        for (size_t id = 0; option_at(id); id++) {
            const struct option_spec *option = option_at(id);
            if (!option_taken(option, command_at(c))) {
                continue;
            }
            printf(" \\\n        '%s--%s[", option_is_repeatable(id) ? "*" : "", option->name);
            print_zsh_text(option_help(option, command_at(c)));
            printf("]");
            if (option->argument) {
                printf(":%s:", option->argument);
                print_zsh_action(option->word);
            }
            printf("'");
        }
        if (command_at(c)->most > 0) {
            printf(" \\\n        '*:%s:", command_at(c)->operands);
            print_zsh_action(command_at(c)->operand);
            printf("'");
        }
        printf(" ;;\n");
    }
    printf("  esac\n}\n"
           "if [ \"$funcstack[1]\" = \"_qkvlab\" ]; then _qkvlab \"$@\"; "
           "else compdef _qkvlab qkvlab; fi\n");
}

/* ---- fish ---- */

static void print_fish_argument(enum word word)
{
    if (word == WORD_FOLDER) {
        printf(" -a '(__fish_complete_directories)'");
    } else if (word == WORD_FILE) {
        printf(" -F");
    } else if (has_words(word)) {
        printf(" -a '");
        print_words(word);
        printf(word == WORD_CONFIG ? " (__fish_complete_suffix .yaml)'" : "'");
    }
}

static void print_fish(void)
{
    printf("# fish completion for qkvlab\ncomplete -c qkvlab -f\n");
    for (size_t c = 0; command_at(c); c++) {
        printf("complete -c qkvlab -n __fish_use_subcommand -a %s -d ", command_at(c)->name);
        print_quoted(command_at(c)->summary);
        putchar('\n');
    }
    printf("complete -c qkvlab -n __fish_use_subcommand -l version -d 'The version'\n");
    for (size_t id = 0; option_at(id); id++) {
        const struct option_spec *option = option_at(id);
        printf("complete -c qkvlab -n '__fish_seen_subcommand_from");
        for (size_t c = 0; command_at(c); c++) {
            if (option_taken(option, command_at(c))) {
                printf(" %s", command_at(c)->name);
            }
        }
        printf("' -l %s%s -d ", option->name, option->argument ? " -x" : "");
        print_quoted(option->help);
        print_fish_argument(option->word);
        putchar('\n');
    }
    for (size_t c = 0; command_at(c); c++) {
        if (command_at(c)->most == 0) {
            continue;
        }
        printf("complete -c qkvlab -n '__fish_seen_subcommand_from %s'", command_at(c)->name);
        print_fish_argument(command_at(c)->operand);
        putchar('\n');
    }
}

enum status cmd_completion(const struct arguments *arguments, struct error *err)
{
    const char *shell = arguments->operand[0];
    enum status status = word_check(WORD_SHELL, "shell", shell, err);
    if (status != STATUS_OK) {
        return status;
    }
    if (strcmp(shell, "bash") == 0) {
        print_bash();
    } else if (strcmp(shell, "zsh") == 0) {
        print_zsh();
    } else {
        print_fish();
    }
    return STATUS_OK;
}
