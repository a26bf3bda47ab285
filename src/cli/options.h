/* options: the words of a command line, taken apart as the rows of options.def say. */
#ifndef QKVLAB_CLI_OPTIONS_H
#define QKVLAB_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "cli/command.h"
#include "cli/terminal.h"

enum option_id {
#define OPTION(member, ...) OPTION_##member,
#include "cli/options.def"
    OPTION_COUNT
};

#define DEFAULT_OUT "qkvlab-out"
#define MAX_THREAD_LIST 16

struct text_list {
    const char **text;
    size_t n;
};

/* The kinds of value, and how each is kept; 0 and NULL: not given. A new kind is a macro here and
 * read_<kind> in options.c. */
#define MEMBER_flag(name) bool name;
#define MEMBER_text(name) const char *name;
#define MEMBER_count(name) size_t name;
#define MEMBER_seconds(name) double name;
#define MEMBER_memory(name) uint64_t name; /* bytes */
#define MEMBER_format(name) enum format name;
#define MEMBER_shard(name) size_t name, n_##name; /* part `name` of n */
/* Of `bench` a list, [n_thread_list], that begins with the number every command takes. */
#define MEMBER_threads(name)                                                                       \
    int name;                                                                                      \
    int thread_list[MAX_THREAD_LIST];                                                              \
    size_t n_thread_list;
/* set[i], n_set are read, set_list is filled. */
#define MEMBER_list(name)                                                                          \
    union {                                                                                        \
        struct text_list name##_list;                                                              \
        struct {                                                                                   \
            const char **name;                                                                     \
            size_t n_##name;                                                                       \
        };                                                                                         \
    };

/* A command line, taken apart. Texts are borrowed from argv. */
struct arguments {
    const struct command *command;
    bool seen[OPTION_COUNT]; /* was given */
    const char **operand;
    size_t n_operand;
#define OPTION(member, kind, ...) MEMBER_##kind(member)
#include "cli/options.def"
};

/* arguments_parse reads the words after the command's name. Caller frees with arguments_free, also
 * on failure. Errors: STATUS_USAGE. */
enum status arguments_parse(struct arguments *arguments, const struct command *command, size_t n,
                            char *const *words, struct error *err);
void arguments_free(struct arguments *arguments);

/* arguments_each_set calls set with every key and value of --set, for commands that make no grid: a
 * key that is named twice is refused. */
typedef enum status (*set_function)(void *context, const char *key, const char *value,
                                    struct error *err);
enum status arguments_each_set(const struct arguments *arguments, set_function set, void *context,
                               struct error *err);

/* arguments_refuse refuses an option that is given and cannot go with what is said of it. */
enum status arguments_refuse(const struct arguments *arguments, enum option_id id,
                             const char *reason, struct error *err);

/* arguments_folder returns the operand, or the default folder if there is none. */
const char *arguments_folder(const struct arguments *arguments);

/* ---- the rows, for those who print them ---- */

#define OPTION_MAX_OWN 5

struct option_own_help {
    enum command_id command;
    const char *help;
};

struct option {
    const char *name;     /* without the dashes */
    const char *argument; /* "KEY=VALUE"; NULL: the option stands alone */
    enum word word;       /* what the argument is */
    char letter;          /* of the short form; '\0': there is none */
    const char *standard; /* the argument where the option is not given; NULL: none */
    size_t least, most;   /* of a count */
    unsigned commands;    /* bit 1 << command_id */
    const char *help;
    struct option_own_help own[OPTION_MAX_OWN]; /* ends at the first without help */
    enum status (*read)(const struct option *option, const char *text, struct arguments *arguments,
                        void *value, struct error *err);
    size_t offset; /* of the value in struct arguments */
};

/* option_at returns the i-th option, NULL past the last. */
const struct option *option_at(size_t id);

/* option_of returns the i-th option that the command takes, NULL past the last. option_taken: it
 * takes the option. option_is_repeatable: several times, with other
 * values. option_help is what the option does in that command. */
const struct option *option_of(const struct command *command, size_t i);
bool option_taken(const struct option *option, const struct command *command);
bool option_is_repeatable(const struct option *option);
const char *option_help(const struct option *option, const struct command *command);

#endif
