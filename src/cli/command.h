/* command: the table of commands, commands.def. main dispatches over it, and help, completions and
 * the man page are printed from it. */
#ifndef QKVLAB_CLI_COMMAND_H
#define QKVLAB_CLI_COMMAND_H

#include <stddef.h>

#include "base/status.h"
#include "cli/words.h"

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

#endif
