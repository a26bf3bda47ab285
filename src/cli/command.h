/* command: the table of commands, commands.def. main dispatches over it, and help, completions and
 * the man page are printed from it. */
#ifndef QKVLAB_CLI_COMMAND_H
#define QKVLAB_CLI_COMMAND_H

#include <stddef.h>

#include "base/status.h"

/* What a word of the command line stands for. It decides how it is completed, and which words are
 * accepted. */
enum word {
    WORD_TEXT, /* anything */
    WORD_FOLDER,
    WORD_FILE,
    WORD_ASSIGNMENT, /* key=value */
    WORD_CONFIG,     /* a preset or a configuration file */
    WORD_MODEL,
    WORD_COMMAND, /* from here on one of a fixed list, and nothing else */
    WORD_SUBJECT, /* of `help`: a command or a topic */
    WORD_PRESET,
    WORD_FORMAT,
    WORD_SHAPE,
    WORD_DATASET,
    WORD_DATA_ACTION,
    WORD_LESSON,
    WORD_LANGUAGE,
    WORD_LIST,
    WORD_SHELL,
    WORD_BASELINE_ACTION,
    WORD_TIER,
    WORD_FAULT,
    WORD_COUNT
};

/* word_choice returns the i-th text of a word that has a list, NULL past the last. */
const char *word_choice(enum word word, size_t i);

/* word_check refuses a text that is no name of a folder or file, or not in the list of a word that
 * has a fixed one, and suggests the nearest. STATUS_USAGE. */
enum status word_check(enum word word, const char *text, struct error *err);

struct arguments; /* options.h */

enum command_id {
#define COMMAND(name, ...) COMMAND_##name,
#include "cli/commands.def"
    COMMAND_COUNT
};

#define COMMAND_MAX_EXAMPLE 5

struct example {
    const char *line;
    const char *what;
};

struct command {
    enum command_id id;
    const char *name;
    const char *operands; /* as in the usage line: "OUT", "[PRESET]"; NULL: none */
    enum word operand;
    size_t least, most; /* number of operands */
    const char *summary;
    struct example example[COMMAND_MAX_EXAMPLE]; /* ends at the first without a line */
    const char *details;                         /* NULL: no more is to be said */
    enum status (*run)(const struct arguments *arguments, struct error *err);
};

/* command_at returns the i-th command, NULL past the last. */
const struct command *command_at(size_t id);

/* command_find returns the command of a name, or NULL. */
const struct command *command_find(const char *name);

#define COMMAND(name, ...) enum status cmd_##name(const struct arguments *, struct error *);
#include "cli/commands.def"

/* The i-th word that a command takes in the place of its operand, NULL past the last. */
const char *list_subject_at(size_t i);     /* of `list`: "variants", ... */
const char *data_action_at(size_t i);      /* of `data` */
const char *completion_shell_at(size_t i); /* of `completion` */

/* ---- what `list` prints that is more than one table of its own ---- */

/* list_presets prints what ready-made sweeps there are and what they cost on this machine. It
 * trains a little to tell the times. */
enum status list_presets(const struct arguments *arguments, struct error *err);

/* list_preset prints the file of a preset, for a start of one's own. STATUS_USAGE. */
enum status list_preset(const char *name, struct error *err);

/* list_schema prints what a configuration file may hold as a JSON Schema, for editors that check
 * and complete YAML by one. */
enum status list_schema(const struct arguments *arguments, struct error *err);

#endif
