#include <string.h>

#include "cli/command.h"
#include "lesson/lesson.h"

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
