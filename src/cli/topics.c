#include <stdio.h>
#include <string.h>

#include "cli/help.h"
#include "topic_registry.h"

static const struct topic topics[] = {TOPIC_REGISTRY};

const struct topic *topic_at(size_t i)
{
    return i < sizeof topics / sizeof topics[0] ? &topics[i] : NULL;
}

const struct topic *topic_find(const char *name)
{
    for (size_t i = 0; topic_at(i); i++) {
        if (strcmp(topic_at(i)->name, name) == 0) {
            return topic_at(i);
        }
    }
    return NULL;
}

const struct topic *topic_alone_at(size_t i)
{
    for (size_t k = 0; topic_at(k); k++) {
        if (!command_find(topic_at(k)->name) && i-- == 0) {
            return topic_at(k);
        }
    }
    return NULL;
}

void topic_title(const struct topic *topic, char title[TOPIC_TITLE_SIZE])
{
    const char *start = topic->text + strspn(topic->text, "# ");
    snprintf(title, TOPIC_TITLE_SIZE, "%.*s", (int)strcspn(start, "\n"), start);
}
