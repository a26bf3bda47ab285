/* command: the table of commands. main dispatches over it, and help, completions and the man page
 * are printed from it.
 *
 * A new command is one id, one row in commands.c, and one file cmd_<name>.c.
 */
#ifndef QKVLAB_CLI_COMMAND_H
#define QKVLAB_CLI_COMMAND_H

#include <stddef.h>

#include "base/status.h"

struct arguments; /* options.h */

enum command_id {
    COMMAND_QUICK,
    COMMAND_RUN,
    COMMAND_STATUS,
    COMMAND_REPORT,
    COMMAND_ATTENTION,
    COMMAND_LESSON,
    COMMAND_LIST,
    COMMAND_DATA,
    COMMAND_CROSSCHECK,
    COMMAND_SELFTEST,
    COMMAND_BENCH,
    COMMAND_COST,
    COMMAND_IDENTITIES,
    COMMAND_BASELINE,
    COMMAND_CHECK,
    COMMAND_HELP,
    COMMAND_COMPLETION,
    COMMAND_MAN,
    COMMAND_COUNT
};

/* What a word on the command line stands for; decides how it is completed. */
enum word {
    WORD_NONE,
    WORD_TEXT,
    WORD_FOLDER,
    WORD_FILE,
    WORD_ASSIGNMENT, /* key=value */
    WORD_FORMAT,
    WORD_PRESET,
    WORD_CONFIG, /* a preset or a configuration file */
    WORD_SHAPE,
    WORD_MODEL,
    WORD_DATASET,
    WORD_DATA_ACTION,
    WORD_LESSON,
    WORD_LANGUAGE,
    WORD_TOPIC,
    WORD_COMMAND,
    WORD_SHELL,
    WORD_BASELINE_ACTION,
    WORD_TIER,
    WORD_FAULT
};

/* word_choice returns the i-th accepted text of a word that has a fixed list, NULL past the last.
 */
const char *word_choice(enum word word, size_t i);

/* word_check refuses a text outside that list and suggests the nearest. STATUS_USAGE; what names
 * the word in the sentence ("topic"). */
enum status word_check(enum word word, const char *what, const char *text, struct error *err);

#define COMMAND_MAX_EXAMPLE 5

struct example {
    const char *line;
    const char *what;
};

struct command {
    const char *name;
    const char *operands; /* as in the usage line: "OUT", "[PRESET]", "" */
    enum word operand;
    size_t least, most; /* number of operands */
    const char *summary;
    struct example example[COMMAND_MAX_EXAMPLE]; /* ends at the first without a line */
    const char *details;
    enum status (*run)(const struct arguments *arguments, struct error *err);
};

const struct command *command_at(size_t id);

/* command_find returns the command of a name. Errors (NULL): STATUS_USAGE with the nearest. */
const struct command *command_find(const char *name, struct error *err);

enum status cmd_quick(const struct arguments *arguments, struct error *err);
enum status cmd_run(const struct arguments *arguments, struct error *err);
enum status cmd_status(const struct arguments *arguments, struct error *err);
enum status cmd_report(const struct arguments *arguments, struct error *err);
enum status cmd_attention(const struct arguments *arguments, struct error *err);
enum status cmd_lesson(const struct arguments *arguments, struct error *err);
enum status cmd_list(const struct arguments *arguments, struct error *err);
enum status cmd_data(const struct arguments *arguments, struct error *err);
enum status cmd_crosscheck(const struct arguments *arguments, struct error *err);
enum status cmd_selftest(const struct arguments *arguments, struct error *err);
enum status cmd_bench(const struct arguments *arguments, struct error *err);
enum status cmd_cost(const struct arguments *arguments, struct error *err);
enum status cmd_identities(const struct arguments *arguments, struct error *err);
enum status cmd_baseline(const struct arguments *arguments, struct error *err);
enum status cmd_check(const struct arguments *arguments, struct error *err);
enum status cmd_help(const struct arguments *arguments, struct error *err);
enum status cmd_completion(const struct arguments *arguments, struct error *err);
enum status cmd_man(const struct arguments *arguments, struct error *err);

#endif
