/* paired: runs sorted by task, variant, configuration and seed; a variant's pairs are then one walk
 * over its runs with a search in the baseline's.
 */
#include "report/statistics/paired.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/runs/run_copies.h"

struct sorted_runs {
    const struct run **run;
    size_t n_run;
};

static enum status no_memory(struct error *err)
{
    return error_memory(err, "pairing runs");
}

/* ---- order ---- */

static int compare_variants(const struct run *a, const struct run *b)
{
    if (!a->dataset != !b->dataset) {
        return a->dataset ? 1 : -1;
    }
    int order = strcmp(run_task_name(a), run_task_name(b));
    if (order == 0 && a->variant_rank != b->variant_rank) {
        order = a->variant_rank < b->variant_rank ? -1 : 1;
    }
    return order ? order : strcmp(a->variant_id, b->variant_id);
}

static int compare_places(const struct run *a, const struct run *b)
{
    int order = strcmp(a->config_key, b->config_key);
    return order ? order : (a->seed > b->seed) - (a->seed < b->seed);
}

static int compare_runs(const void *left, const void *right)
{
    const struct run *a = *(const struct run *const *)left, *b = *(const struct run *const *)right;
    int order = compare_variants(a, b);
    if (order == 0) {
        order = compare_places(a, b);
    }
    return order ? order : strcmp(a->id, b->id);
}

static void add_runs(struct sorted_runs *sorted, const struct run *run, size_t n_run)
{
    for (size_t i = 0; i < n_run; i++) {
        sorted->run[sorted->n_run++] = &run[i];
    }
}

static enum status sort_runs(const struct run_set *set, const struct setting *setting,
                             struct sorted_runs *sorted, struct error *err)
{
    sorted->run = calloc(set->n_run + set->n_image_run + 1, sizeof(*sorted->run));
    if (!sorted->run) {
        return no_memory(err);
    }
    if (setting) {
        add_runs(sorted, setting->run, setting->n_run);
    } else {
        add_runs(sorted, set->run, set->n_run);
        add_runs(sorted, set->image_run, set->n_image_run);
    }
    qsort(sorted->run, sorted->n_run, sizeof(*sorted->run), compare_runs);
    return STATUS_OK;
}

/* The runs of one variant on one task, from first on. */
static struct sorted_runs variant_runs(const struct sorted_runs *sorted, size_t first)
{
    size_t end = first;
    while (end < sorted->n_run && compare_variants(sorted->run[first], sorted->run[end]) == 0) {
        end++;
    }
    return (struct sorted_runs){sorted->run + first, end - first};
}

static struct sorted_runs find_variant(const struct sorted_runs *sorted, const struct run *run,
                                       const char *id)
{
    for (size_t i = 0; i < sorted->n_run; i++) {
        if (strcmp(sorted->run[i]->variant_id, id) == 0 &&
            !sorted->run[i]->dataset == !run->dataset &&
            strcmp(run_task_name(sorted->run[i]), run_task_name(run)) == 0) {
            return variant_runs(sorted, i);
        }
    }
    return (struct sorted_runs){NULL, 0};
}

/* ---- baselines ---- */

enum status baselines_read(const char *const *id, size_t n_id, struct baselines *baselines,
                           struct error *err)
{
    *baselines = (struct baselines){.baseline = calloc(n_id + 1, sizeof(*baselines->baseline))};
    enum status status = baselines->baseline ? STATUS_OK : no_memory(err);
    for (size_t i = 0; status == STATUS_OK && i < n_id; i++) {
        struct baseline *baseline = &baselines->baseline[baselines->n_baseline++];
        struct variant variant = {0};
        status = variant_parse(id[i], &variant, err);
        if (status == STATUS_OK) {
            variant_id(&variant, baseline->id);
            baseline->sharing = variant.sharing;
        }
    }
    return status;
}

void baselines_free(struct baselines *baselines)
{
    free(baselines->baseline);
    *baselines = (struct baselines){0};
}

/* Returns the id of what a run is compared with, NULL where there is none. */
static const char *choose_baseline(const struct baselines *baselines, const struct run *run)
{
    if (!baselines || baselines->n_baseline == 0) {
        return PAIRED_BASELINE;
    }
    if (baselines->n_baseline == 1) {
        return baselines->baseline[0].id;
    }
    for (size_t i = 0; i < baselines->n_baseline; i++) {
        if (strcmp(baselines->baseline[i].sharing, run->variant.sharing) == 0) {
            return baselines->baseline[i].id;
        }
    }
    return NULL;
}

/* ---- pairs ---- */

/* Other programs may have run the same place: only one setting's runs make a pair. */
static const struct run *find_partner(const struct sorted_runs *baseline, const struct run *run)
{
    size_t low = 0, high = baseline->n_run;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_places(baseline->run[middle], run) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (; low < baseline->n_run && compare_places(baseline->run[low], run) == 0; low++) {
        if (run_is_ok(baseline->run[low]) &&
            strcmp(baseline->run[low]->setting_key, run->setting_key) == 0) {
            return baseline->run[low];
        }
    }
    return NULL;
}

static bool same_configuration(const struct run *a, const struct run *b)
{
    return strcmp(a->config_key, b->config_key) == 0;
}

/* A pair of copies is the pair of their originals. */
static bool is_known(const struct paired *paired, const struct run *run, const struct run *partner)
{
    for (size_t i = 0; i < paired->n_pair; i++) {
        const struct pair *pair = &paired->pair[i];
        if (run_copies_same(pair->run, run) && run_copies_same(pair->baseline, partner)) {
            return true;
        }
    }
    return false;
}

static void add_pair(struct paired *paired, const struct run *run, const struct run *partner)
{
    const struct pair *last = paired->n_pair > 0 ? &paired->pair[paired->n_pair - 1] : NULL;
    if ((last && compare_places(last->run, run) == 0) || is_known(paired, run, partner)) {
        return;
    }
    if (!last || !same_configuration(last->run, run)) {
        paired->n_configuration++;
    }
    paired->pair[paired->n_pair++] = (struct pair){run, partner, paired->n_configuration - 1};
}

static size_t count_seeds(const struct paired *paired)
{
    size_t n_seed = 0;
    for (size_t i = 0; i < paired->n_pair; i++) {
        bool known = false;
        for (size_t j = 0; j < i && !known; j++) {
            known = paired->pair[j].run->seed == paired->pair[i].run->seed;
        }
        n_seed += !known;
    }
    return n_seed;
}

static enum status make_pairs(const struct sorted_runs *runs, const struct sorted_runs *baseline,
                              struct paired *paired, struct error *err)
{
    *paired = (struct paired){.run = runs->run[0],
                              .baseline = baseline->n_run > 0 ? baseline->run[0] : NULL,
                              .pair = calloc(runs->n_run, sizeof(*paired->pair))};
    if (!paired->pair) {
        return no_memory(err);
    }
    for (size_t i = 0; i < runs->n_run; i++) {
        const struct run *run = runs->run[i];
        const struct run *partner = run_is_ok(run) ? find_partner(baseline, run) : NULL;
        if (partner) {
            add_pair(paired, run, partner);
        } else {
            paired->n_unpaired++;
            paired->n_without_baseline += run_is_ok(run);
        }
    }
    paired->n_seed = count_seeds(paired);
    return STATUS_OK;
}

enum status paired_make(const struct run_set *set, const struct setting *setting,
                        const struct baselines *baselines, struct paired_set *pairs,
                        struct error *err)
{
    *pairs = (struct paired_set){0};
    struct sorted_runs sorted = {0};
    enum status status = sort_runs(set, setting, &sorted, err);
    if (status != STATUS_OK) {
        return status;
    }
    pairs->paired = calloc(sorted.n_run + 1, sizeof(*pairs->paired));
    status = pairs->paired ? STATUS_OK : no_memory(err);
    for (size_t i = 0; status == STATUS_OK && i < sorted.n_run;) {
        struct sorted_runs runs = variant_runs(&sorted, i), partners = {NULL, 0};
        const char *baseline = choose_baseline(baselines, runs.run[0]);
        i += runs.n_run;
        if (baseline && strcmp(runs.run[0]->variant_id, baseline) == 0) {
            continue;
        }
        if (baseline) {
            partners = find_variant(&sorted, runs.run[0], baseline);
        }
        status = make_pairs(&runs, &partners, &pairs->paired[pairs->n_paired++], err);
    }
    free(sorted.run);
    return status;
}

void paired_free(struct paired_set *pairs)
{
    for (size_t i = 0; i < pairs->n_paired; i++) {
        free(pairs->paired[i].pair);
    }
    free(pairs->paired);
    *pairs = (struct paired_set){0};
}

double pair_difference(const struct pair *pair, enum measure measure)
{
    return pair->run->measure[measure] - pair->baseline->measure[measure];
}
