/* material: what topics speak of. A report over one setting alone compares it once. */
#include <stdio.h>
#include <stdlib.h>

#include "report/content/topic.h"

static enum status find_parts(struct material *material, struct error *err)
{
    const struct groups *settings = &material->frame->setting;
    TRY_CALLOC(err, material->part, settings->n_group, "comparing variants");
    for (size_t i = 0; i < settings->n_group; i++) {
        if (settings->group[i].run[0]->kind->has_settings) {
            material->part[material->n_part++] = part_make(&settings->group[i]);
        }
    }
    return STATUS_OK;
}

static enum status compare(struct material *material, const struct references *references,
                           struct error *err)
{
    TRY(comparisons_make(&material->frame->all, references, &material->all, err));
    if (material->n_part < 2 || !material_tells_parts(material)) {
        return STATUS_OK;
    }
    TRY_CALLOC(err, material->of_part, material->n_part, "comparing variants");
    for (size_t i = 0; i < material->n_part; i++) {
        TRY(comparisons_make(material->part[i].group, references, &material->of_part[i], err));
    }
    return STATUS_OK;
}

static enum status find(struct material *material, struct error *err)
{
    bool others = frame_kind(material->frame, OF_IMAGES) != NULL;
    struct findings *all = &material->findings;
    TRY_CALLOC(err, material->findings_of_part, material->n_part, "comparing variants");
    find_chance(material->part, material->n_part, others ? " on a task" : "", all);
    find_tests(&material->all, all);
    find_room(material->part, material->n_part, all);
    bool failed = all->failed || cuts_failed(material->frame->cuts);
    for (size_t i = 0; i < material->n_part; i++) {
        struct findings *findings = &material->findings_of_part[i];
        if (material->n_part > 1) {
            find_chance(&material->part[i], 1, " of this setting", findings);
        }
        if (material->of_part) {
            find_tests(&material->of_part[i], findings);
        }
        find_accuracy(&material->part[i], findings);
        find_attention(&material->part[i], findings);
        failed |= findings->failed;
    }
    return failed ? error_memory(err, "comparing variants") : STATUS_OK;
}

enum status material_make(const struct frame *frame, const struct references *references,
                          struct material *material, struct error *err)
{
    *material = (struct material){.frame = frame};
    TRY(find_parts(material, err));
    TRY(compare(material, references, err));
    return find(material, err);
}

void material_free(struct material *material)
{
    for (size_t i = 0; i < material->n_part; i++) {
        if (material->of_part) {
            comparisons_free(&material->of_part[i]);
        }
        if (material->findings_of_part) {
            findings_free(&material->findings_of_part[i]);
        }
    }
    comparisons_free(&material->all);
    findings_free(&material->findings);
    free(material->findings_of_part);
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
    const struct group *here = material->part[part].group;
    if (material_tells_parts(material)) {
        return true;
    }
    for (size_t i = 0; i < material->n_part; i++) {
        const struct group *other = material->part[i].group;
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
