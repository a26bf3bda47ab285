#include "report/frame/sizes.h"

static const struct {
    const char *letter, *title;
} size_names[SIZE_COUNT] = {[SIZE_WIDTH] = {"d", "width d"},
                            [SIZE_LAYERS] = {"L", "layers L"},
                            [SIZE_HEADS] = {"H", "heads H"},
                            [SIZE_LENGTH] = {"T", "length T"},
                            [SIZE_STEPS] = {"steps", "training steps"}};

const char *size_letter(enum size size)
{
    return size_names[size].letter;
}

const char *size_title(enum size size)
{
    return size_names[size].title;
}

size_t size_of_run(const struct run *run, enum size size)
{
    const struct config *config = run_config(run);
    const size_t value[SIZE_COUNT] = {config->n_embd, config->n_layer, config->n_head,
                                      config->seq_len, run->n_step};
    return value[size];
}

size_t size_of(const struct group *group, enum size size)
{
    return size == SIZE_STEPS ? group_n_step(group) : size_of_run(group->run[0], size);
}

static bool same_sizes(const struct group *a, const struct group *b)
{
    for (int i = 0; i < SIZE_COUNT; i++) {
        if (size_of(a, (enum size)i) != size_of(b, (enum size)i)) {
            return false;
        }
    }
    return true;
}

struct sizes sizes_of(const struct group *group)
{
    struct sizes sizes = {{false}, false};
    struct groups settings = groups_by(group, FACTOR_BIT(SETTING));
    for (size_t i = 0; i < settings.n_group; i++) {
        const struct group *here = &settings.group[i];
        for (int k = 0; k < SIZE_COUNT; k++) {
            sizes.differs[k] |=
                size_of(here, (enum size)k) != size_of(&settings.group[0], (enum size)k);
        }
        for (size_t k = 0; k < i && !sizes.number; k++) {
            sizes.number = same_sizes(here, &settings.group[k]);
        }
    }
    return sizes;
}

void sizes_columns(const struct sizes *sizes, struct table *table)
{
    if (sizes->number) {
        table_column(table, &(struct column){.title = "setting"});
    }
    for (int i = 0; i < SIZE_COUNT; i++) {
        if (sizes->differs[i]) {
            table_column(table, &(struct column){.title = size_letter((enum size)i),
                                                 .hint = size_title((enum size)i)});
        }
    }
}

void sizes_cells(const struct sizes *sizes, struct table *table, const struct group *setting)
{
    if (sizes->number) {
        table_integer(table, (long long)setting->level[FACTOR_SETTING] + 1);
    }
    for (int i = 0; i < SIZE_COUNT; i++) {
        if (sizes->differs[i]) {
            table_integer(table, (long long)size_of(setting, (enum size)i));
        }
    }
}
