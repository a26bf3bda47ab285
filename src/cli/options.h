/* options: the table of options. The parser, every --help, the completions and the man page walk
 * it; nothing about an option is written anywhere else.
 */
#ifndef QKVLAB_CLI_OPTIONS_H
#define QKVLAB_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "cli/command.h"
#include "cli/table.h"

enum option_id {
    OPTION_SET,
    OPTION_SEEDS,
    OPTION_OUT,
    OPTION_JOBS,
    OPTION_THREADS,
    OPTION_SHARD,
    OPTION_DRY_RUN,
    OPTION_VARIANT,
    OPTION_SHAPE,
    OPTION_ROUNDS,
    OPTION_SECONDS,
    OPTION_SCALING,
    OPTION_CONTEXT,
    OPTION_BYTES,
    OPTION_USERS,
    OPTION_MEMORY,
    OPTION_BASELINE,
    OPTION_LANG,
    OPTION_SLIDES,
    OPTION_DATA,
    OPTION_CACHE,
    OPTION_OUTPUT,
    OPTION_CURVES,
    OPTION_WITH,
    OPTION_TIER,
    OPTION_PNG,
    OPTION_JUNIT,
    OPTION_UPDATE,
    OPTION_NO_PAIRED,
#ifdef QKVLAB_FAULTS
    OPTION_FAULT,
#endif
    OPTION_FORMAT,
    OPTION_QUIET,
    OPTION_HELP,
    OPTION_COUNT
};

struct option_spec {
    const char *name;     /* without the dashes */
    const char *argument; /* "KEY=VALUE"; NULL: the option stands alone */
    enum word word;       /* what the argument is */
    unsigned commands;    /* bit 1 << command_id: which commands take it */
    const char *help;
};

#define MAX_THREAD_LIST 16

const struct option_spec *option_at(size_t id);

/* option_help is what the option does in that command; NULL: in general. */
const char *option_help(const struct option_spec *option, const struct command *command);

/* option_is_repeatable: it may be given several times, with other values. */
bool option_is_repeatable(size_t id);

/* option_taken: the command takes the option. */
bool option_taken(const struct option_spec *option, const struct command *command);

/* A command line, taken apart. Texts are borrowed from argv. */
struct arguments {
    const struct command *command;
    uint64_t seen;    /* bit 1 << option_id: was given */
    const char **set; /* [n_set] assignments, in their order */
    size_t n_set;
    const char *seeds; /* NULL: not given */
    const char *out;
    const char *data, *cache; /* NULL: not given */
    size_t jobs;
    int threads;                      /* 0: not given */
    int thread_list[MAX_THREAD_LIST]; /* of `bench`: [n_thread_list], begins with threads */
    size_t n_thread_list;
    size_t shard, n_shard;
    bool dry_run, quiet, help;
    const char **variant, **shape; /* [n_variant], [n_shape] */
    const char **baseline;         /* [n_baseline] */
    size_t n_variant, n_shape, n_baseline;
    size_t rounds;  /* 0: not given */
    double seconds; /* 0: not given */
    bool scaling;
    size_t context, bytes; /* of `cost`; 0: not given */
    bool users;
    const char *language; /* of `lesson` */
    bool slides;
    uint64_t memory; /* bytes; 0: not given */
    /* of `baseline` and `check`; NULL: not given */
    const char *output, *curves, *with, *tier, *png, *junit, *fault;
    bool update, no_paired;
    enum format format;
    const char **operand;
    size_t n_operand;
};

#define DEFAULT_OUT "qkvlab-out"

/* arguments_parse reads the words after the command's name. Caller frees with arguments_free, also
 * on failure. Errors: STATUS_USAGE. */
enum status arguments_parse(struct arguments *arguments, const struct command *command, size_t n,
                            char *const *words, struct error *err);
void arguments_free(struct arguments *arguments);

/* arguments_set_once refuses a key that --set names twice, for commands that make no grid. */
enum status arguments_set_once(const struct arguments *arguments, struct error *err);

/* arguments_refuse refuses an option that is given and cannot go with what is said of it. */
enum status arguments_refuse(const struct arguments *arguments, enum option_id id,
                             const char *reason, struct error *err);

/* arguments_folder returns the operand, or the default folder if there is none. */
const char *arguments_folder(const struct arguments *arguments);

#endif
