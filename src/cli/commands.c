#include <string.h>

#include "base/suggest.h"
#include "check/tier.h"
#include "cli/command.h"
#include "cli/help.h"
#include "lab/bench/bench.h"
#include "lab/config/preset.h"
#include "lab/data/dataset.h"
#include "lesson/lesson.h"
#include "nn/cost.h"
#ifdef QKVLAB_FAULTS
#include "fault.h"
#endif

#define ANY ((size_t)-1)

static const struct command commands[] = {
#define COMMAND(name_, ...)                                                                        \
    {.id = COMMAND_##name_, .name = #name_, .run = cmd_##name_, __VA_ARGS__},
#include "cli/commands.def"
};

const struct command *command_at(size_t id)
{
    return id < COMMAND_COUNT ? &commands[id] : NULL;
}

const struct command *command_find(const char *name)
{
    for (size_t id = 0; id < COMMAND_COUNT; id++) {
        if (strcmp(commands[id].name, name) == 0) {
            return &commands[id];
        }
    }
    return NULL;
}

/* ---- words ---- */

#define MAX_CHOICE 64

/* What a word is called in a sentence, where nothing but the words of its list is accepted. */
static const char *const nouns[WORD_COUNT] = {
    [WORD_COMMAND] = "command",    [WORD_SUBJECT] = "command or topic",
    [WORD_PRESET] = "preset",      [WORD_FORMAT] = "format",
    [WORD_SHAPE] = "shape",        [WORD_DATASET] = "data set",
    [WORD_DATA_ACTION] = "action", [WORD_LESSON] = "lesson",
    [WORD_LANGUAGE] = "language",  [WORD_LIST] = "topic",
    [WORD_SHELL] = "shell",        [WORD_BASELINE_ACTION] = "action",
    [WORD_TIER] = "tier",          [WORD_FAULT] = "fault",
};

static const char *format_at(size_t i)
{
    static const char *const formats[] = {"text", "csv", "json"}; /* enum format */
    return i < sizeof formats / sizeof formats[0] ? formats[i] : NULL;
}

static const char *subject_at(size_t i)
{
    if (i < COMMAND_COUNT) {
        return command_at(i)->name;
    }
    const struct topic *topic = topic_alone_at(i - COMMAND_COUNT);
    return topic ? topic->name : NULL;
}

const char *word_choice(enum word word, size_t i)
{
    switch (word) {
    case WORD_COMMAND:
        return command_at(i) ? command_at(i)->name : NULL;
    case WORD_SUBJECT:
        return subject_at(i);
    case WORD_CONFIG:
    case WORD_PRESET:
        return preset_at(i) ? preset_at(i)->name : NULL;
    case WORD_MODEL:
        return cost_model_at(i) ? cost_model_at(i)->name : NULL;
    case WORD_FORMAT:
        return format_at(i);
    case WORD_SHAPE:
        return bench_shape_at(i) ? bench_shape_at(i)->name : NULL;
    case WORD_DATASET:
        return dataset_at(i) ? dataset_at(i)->task.name : NULL;
    case WORD_DATA_ACTION:
        return data_action_at(i);
    case WORD_LESSON:
        return i == 0 ? LESSON_NAME : NULL;
    case WORD_LANGUAGE:
        return lesson_language_at(i);
    case WORD_LIST:
        return list_subject_at(i);
    case WORD_SHELL:
        return completion_shell_at(i);
    case WORD_BASELINE_ACTION:
        return i == 0 ? "record" : NULL;
    case WORD_TIER:
        return tier_at(i) ? tier_at(i)->name : NULL;
#ifdef QKVLAB_FAULTS
    case WORD_FAULT:
        return fault_name(i);
#endif
    default:
        return NULL;
    }
}

static enum status check_choice(enum word word, const char *text, struct error *err)
{
    const char *choices[MAX_CHOICE];
    size_t n = 0;
    for (const char *choice; n < MAX_CHOICE && (choice = word_choice(word, n)) != NULL;) {
        if (strcmp(choice, text) == 0) {
            return STATUS_OK;
        }
        choices[n++] = choice;
    }
    return error_set(err, STATUS_USAGE, "unknown %s '%s'%s (there %s %s)", nouns[word], text,
                     did_you_mean(text, choices, n).text, n == 1 ? "is only" : "are",
                     suggest_all(choices, n).text);
}

enum status word_check(enum word word, const char *text, struct error *err)
{
    if ((word == WORD_FOLDER || word == WORD_FILE) && text[0] == '\0') {
        return error_set(err, STATUS_USAGE, "expected the name of a %s, found ''",
                         word == WORD_FILE ? "file" : "folder");
    }
    return nouns[word] ? check_choice(word, text, err) : STATUS_OK;
}
