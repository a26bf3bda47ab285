/* material: what topics speak of. A report over one setting alone compares it once. */
#include <stdio.h>
#include <stdlib.h>

#include "report/content/topic.h"

static enum status find_parts(struct material *material, struct error *err)
{
    const struct groups *settings = &material->frame->setting;
    material->part = calloc(settings->n_group + 1, sizeof *material->part);
    if (!material->part) {
        return error_memory(err, "comparing variants");
    }
    for (size_t i = 0; i < settings->n_group; i++) {
        if (settings->group[i].run[0]->kind->has_settings) {
            material->part[material->n_part++] = settings->group[i];
        }
    }
    return STATUS_OK;
}

enum status material_make(const struct frame *frame, const struct references *references,
                          struct material *material, struct error *err)
{
    *material = (struct material){.frame = frame};
    TRY(find_parts(material, err));
    TRY(comparisons_make(&frame->all, references, &material->all, err));
    if (material->n_part < 2 || !material_tells_parts(material)) {
        return STATUS_OK;
    }
    material->of_part = calloc(material->n_part, sizeof *material->of_part);
    if (!material->of_part) {
        return error_memory(err, "comparing variants");
    }
    for (size_t i = 0; i < material->n_part; i++) {
        TRY(comparisons_make(&material->part[i], references, &material->of_part[i], err));
    }
    return STATUS_OK;
}

void material_free(struct material *material)
{
    for (size_t i = 0; material->of_part && i < material->n_part; i++) {
        comparisons_free(&material->of_part[i]);
    }
    comparisons_free(&material->all);
    free(material->of_part);
    free(material->part);
    *material = (struct material){0};
}

const struct comparisons *material_comparisons(const struct material *material, size_t part)
{
    if (material->n_part == 1) {
        return &material->all;
    }
    return material->of_part ? &material->of_part[part] : NULL;
}

bool material_tells_parts(const struct material *material)
{
    return material->n_part <= MATERIAL_MAX_PART;
}

static bool is_papers(const struct config *config)
{
    return config->n_embd == 64 && config->n_layer == 2 && config->n_head == 4;
}

/* Whether a stands for a length rather than b. */
static bool goes_before(const struct group *a, const struct group *b)
{
    if (a->n_run != b->n_run) {
        return a->n_run > b->n_run;
    }
    return is_papers(run_config(a->run[0])) && !is_papers(run_config(b->run[0]));
}

bool material_draws(const struct material *material, size_t part)
{
    const struct group *here = &material->part[part];
    if (material_tells_parts(material)) {
        return true;
    }
    for (size_t i = 0; i < material->n_part; i++) {
        const struct group *other = &material->part[i];
        bool same_length = run_config(other->run[0])->seq_len == run_config(here->run[0])->seq_len;
        if (same_length && i != part &&
            (goes_before(other, here) || (i < part && !goes_before(here, other)))) {
            return false;
        }
    }
    return true;
}

void material_stem(size_t part, char stem[MATERIAL_STEM_SIZE])
{
    stem[0] = '\0';
    if (part > 0) {
        snprintf(stem, MATERIAL_STEM_SIZE, "setting%zu-", part + 1);
    }
}
