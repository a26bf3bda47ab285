#include "lab/config/preset.h"

#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "base/suggest.h"
#include "preset_registry.h"

static const struct preset presets[] = {PRESET_REGISTRY};

#define N_PRESET (sizeof presets / sizeof presets[0])

const struct preset *preset_at(size_t i)
{
    return i < N_PRESET ? &presets[i] : NULL;
}

const struct preset *preset_find(const char *name)
{
    for (size_t i = 0; i < N_PRESET; i++) {
        if (strcmp(presets[i].name, name) == 0) {
            return &presets[i];
        }
    }
    return NULL;
}

const char *preset_nearest(const char *name)
{
    const char *names[N_PRESET];
    for (size_t i = 0; i < N_PRESET; i++) {
        names[i] = presets[i].name;
    }
    return suggest_nearest(name, names, N_PRESET);
}

void preset_summary(const struct preset *preset, char summary[PRESET_SUMMARY_SIZE])
{
    const char *start = preset->text + strspn(preset->text, "# ");
    snprintf(summary, PRESET_SUMMARY_SIZE, "%.*s", (int)strcspn(start, "\n"), start);
}
