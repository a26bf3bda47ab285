/* pairs: a variant's runs on a task, grouped by place (configuration and seed), beside the same
 * places of the reference.
 */
#include "report/frame/pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/frame/copies.h"

/* ---- references ---- */

enum status references_read(const char *const *id, size_t n_id, struct references *references,
                            struct error *err)
{
    *references = (struct references){.reference = calloc(n_id + 1, sizeof(struct reference))};
    if (!references->reference) {
        return error_memory(err, "pairing runs");
    }
    for (size_t i = 0; i < n_id; i++) {
        struct reference *reference = &references->reference[references->n_reference++];
        struct variant variant = {0};
        TRY(variant_parse(id[i], &variant, err));
        variant_id(&variant, reference->id);
        reference->sharing = variant.sharing;
    }
    return STATUS_OK;
}

void references_free(struct references *references)
{
    free(references->reference);
    *references = (struct references){0};
}

enum status references_check(const struct references *references, const struct group *group,
                             struct error *err)
{
    struct groups variants = groups_by(group, FACTOR_BIT(VARIANT));
    for (size_t i = 0; i < references->n_reference; i++) {
        const char *id = references->reference[i].id;
        struct text there = {0};
        bool found = false;
        for (size_t k = 0; k < variants.n_group; k++) {
            const char *here = variants.group[k].run[0]->variant_id;
            found |= strcmp(here, id) == 0;
            text_append(&there, "%s%s", k ? ", " : "", here);
        }
        if (!found) {
            error_set(err, STATUS_USAGE, "--baseline: no run here is of %s; there are runs of %s",
                      id, there.data ? there.data : "none");
        }
        text_free(&there);
        TRY(found ? STATUS_OK : STATUS_USAGE);
    }
    return STATUS_OK;
}

/* Returns the id of what a run is compared with, NULL where there is none. */
static const char *choose_reference(const struct references *references, const struct run *run)
{
    if (!references || references->n_reference == 0) {
        return REFERENCE_VARIANT;
    }
    if (references->n_reference == 1) {
        return references->reference[0].id;
    }
    for (size_t i = 0; i < references->n_reference; i++) {
        if (strcmp(references->reference[i].sharing, run_config(run)->variant.sharing) == 0) {
            return references->reference[i].id;
        }
    }
    return NULL;
}

/* ---- pairs ---- */

/* Other programs may have run the same place: only one setting's runs make a pair. */
static const struct run *find_partner(const struct groups *reference, const struct run *run)
{
    if (!run_is_ok(run) || reference->n_group == 0) {
        return NULL;
    }
    size_t level[FACTOR_COUNT];
    memcpy(level, reference->group[0].level, sizeof level);
    level[FACTOR_CONFIGURATION] = run->level[FACTOR_CONFIGURATION];
    level[FACTOR_SEED] = run->level[FACTOR_SEED];
    const struct group *place = groups_find(reference, level);
    for (size_t i = 0; place && i < place->n_run; i++) {
        if (run_is_ok(place->run[i]) &&
            place->run[i]->level[FACTOR_SETTING] == run->level[FACTOR_SETTING]) {
            return place->run[i];
        }
    }
    return NULL;
}

/* A pair of copies is the pair of their originals. */
static bool is_known(const struct paired *paired, const struct run *run, const struct run *partner)
{
    for (size_t i = 0; i < paired->n_pair; i++) {
        const struct pair *pair = &paired->pair[i];
        if (copies_same(pair->run, run) && copies_same(pair->reference, partner)) {
            return true;
        }
    }
    return false;
}

static void add_pair(struct paired *paired, const struct run *run, const struct run *partner)
{
    const struct pair *last = paired->n_pair > 0 ? &paired->pair[paired->n_pair - 1] : NULL;
    if (is_known(paired, run, partner)) {
        return;
    }
    if (!last || last->run->level[FACTOR_CONFIGURATION] != run->level[FACTOR_CONFIGURATION]) {
        paired->n_configuration++;
    }
    bool known = false;
    for (size_t i = 0; i < paired->n_pair && !known; i++) {
        known = run_seed(paired->pair[i].run) == run_seed(run);
    }
    paired->n_seed += !known;
    paired->pair[paired->n_pair++] = (struct pair){run, partner, paired->n_configuration - 1};
}

/* One configuration and seed: its first run with a partner makes the pair. */
static void pair_place(struct paired *paired, const struct group *place,
                       const struct groups *reference)
{
    bool is_paired = false;
    for (size_t i = 0; i < place->n_run; i++) {
        const struct run *run = place->run[i], *partner = find_partner(reference, run);
        if (!partner) {
            paired->n_without_reference += run_is_ok(run);
        } else if (!is_paired) {
            add_pair(paired, run, partner);
            is_paired = true;
        }
    }
}

static enum status pair_block(const struct group *block, const struct group *reference,
                              struct paired *paired, struct error *err)
{
    unsigned place = FACTOR_BIT(CONFIGURATION) | FACTOR_BIT(SEED);
    struct groups places = groups_by(block, place);
    struct groups partners = reference ? groups_by(reference, place) : (struct groups){0};
    *paired = (struct paired){.run = block->run[0],
                              .reference = reference ? reference->run[0] : NULL,
                              .pair = calloc(block->n_run, sizeof *paired->pair)};
    if (!paired->pair || cuts_failed(block->cuts)) {
        return error_memory(err, "pairing runs");
    }
    for (size_t i = 0; i < places.n_group; i++) {
        pair_place(paired, &places.group[i], &partners);
    }
    return STATUS_OK;
}

const struct group *group_reference(const struct groups *cells, const struct group *cell)
{
    for (size_t i = 0; i < cells->n_group; i++) {
        const struct group *other = &cells->group[i];
        if (other->level[FACTOR_SETTING] == cell->level[FACTOR_SETTING] &&
            other->level[FACTOR_TASK] == cell->level[FACTOR_TASK] &&
            strcmp(other->run[0]->variant_id, REFERENCE_VARIANT) == 0) {
            return other == cell ? NULL : other;
        }
    }
    return NULL;
}

static const struct group *find_block(const struct groups *blocks, const struct group *like,
                                      const char *id)
{
    for (size_t i = 0; i < blocks->n_group; i++) {
        const struct group *block = &blocks->group[i];
        if (block->level[FACTOR_TASK] == like->level[FACTOR_TASK] &&
            strcmp(block->run[0]->variant_id, id) == 0) {
            return block;
        }
    }
    return NULL;
}

enum status pairs_of(const struct group *group, const struct references *references,
                     struct pairs *pairs, struct error *err)
{
    struct groups blocks =
        groups_by(group, FACTOR_BIT(KIND) | FACTOR_BIT(TASK) | FACTOR_BIT(VARIANT));
    *pairs = (struct pairs){.paired = calloc(blocks.n_group + 1, sizeof *pairs->paired)};
    if (!pairs->paired || cuts_failed(group->cuts)) {
        return error_memory(err, "pairing runs");
    }
    for (size_t i = 0; i < blocks.n_group; i++) {
        const struct group *block = &blocks.group[i];
        const char *id = choose_reference(references, block->run[0]);
        const struct group *reference = id ? find_block(&blocks, block, id) : NULL;
        if (reference != block) {
            TRY(pair_block(block, reference, &pairs->paired[pairs->n_paired++], err));
        }
    }
    return STATUS_OK;
}

void pairs_free(struct pairs *pairs)
{
    for (size_t i = 0; i < pairs->n_paired; i++) {
        free(pairs->paired[i].pair);
    }
    free(pairs->paired);
    *pairs = (struct pairs){0};
}

double pair_difference(const struct pair *pair, enum measure measure)
{
    return pair->run->measure[measure] - pair->reference->measure[measure];
}
