/* run_copies: within a cell copies fill one place of every table, so all but one are taken out.
 * Across cells each is the answer for its own configuration and stays there; what averages or tests
 * over configurations skips it.
 */
#include "report/runs/run_copies.h"

#include <stdlib.h>
#include <string.h>

bool run_copies_same(const struct run *a, const struct run *b)
{
    return a->weights && b->weights && run_is_ok(a) && run_is_ok(b) &&
           strcmp(a->weights, b->weights) == 0 && strcmp(a->variant_id, b->variant_id) == 0 &&
           strcmp(run_task_name(a), run_task_name(b)) == 0;
}

/* ---- within a cell ---- */

static bool same_place(const struct run *a, const struct run *b)
{
    return a->seed == b->seed && strcmp(a->cell_key, b->cell_key) == 0 && run_copies_same(a, b);
}

static int compare_numbers(long long a, long long b)
{
    return (a > b) - (a < b);
}

/* More than 0: a was looked at more closely. */
static int compare_looks(const struct run *a, const struct run *b)
{
    const json_t *here = json_object_get(a->root, "attention");
    const json_t *there = json_object_get(b->root, "attention");
    int order = compare_numbers(run_n_snapshot(a), run_n_snapshot(b));
    if (order == 0) {
        order = compare_numbers(json_get_integer(here, "n_probe", 0),
                                json_get_integer(there, "n_probe", 0));
    }
    return order ? order : strcmp(b->id, a->id);
}

static void swap(struct run *a, struct run *b)
{
    struct run other = *a;
    *a = *b;
    *b = other;
}

void run_copies_merge(struct run *runs, size_t *n_run, struct run *copies, size_t *n_copy)
{
    size_t n_kept = 0, first = 0; /* first: of the kept runs of the present cell and seed */
    for (size_t i = 0; i < *n_run; i++) {
        struct run run = runs[i];
        if (n_kept > 0 && (runs[n_kept - 1].seed != run.seed ||
                           strcmp(runs[n_kept - 1].cell_key, run.cell_key) != 0)) {
            first = n_kept;
        }
        size_t at = first;
        while (at < n_kept && !same_place(&runs[at], &run)) {
            at++;
        }
        if (at == n_kept) {
            runs[n_kept++] = run;
            continue;
        }
        if (compare_looks(&run, &runs[at]) > 0) {
            swap(&run, &runs[at]);
        }
        copies[(*n_copy)++] = run;
    }
    for (size_t i = n_kept; i < *n_run; i++) {
        runs[i] = (struct run){0};
    }
    *n_run = n_kept;
    for (size_t i = 0; i < *n_copy; i++) {
        for (size_t k = 0; !copies[i].copy_of && k < n_kept; k++) {
            copies[i].copy_of = same_place(&runs[k], &copies[i]) ? runs[k].id : NULL;
        }
    }
}

/* ---- across cells ---- */

/* By weights, and those in the order of the runs. */
static int compare_weights(const void *left, const void *right)
{
    const struct run *a = *(struct run *const *)left, *b = *(struct run *const *)right;
    int order = strcmp(a->weights, b->weights);
    return order ? order : (a > b) - (a < b);
}

enum status run_copies_mark(struct run *runs, size_t n_run, size_t *n_repeat, struct error *err)
{
    struct run **sorted = calloc(n_run + 1, sizeof(*sorted));
    size_t n = 0;
    if (!sorted) {
        return error_memory(err, "reading runs");
    }
    for (size_t i = 0; i < n_run; i++) {
        if (runs[i].weights && run_is_ok(&runs[i])) {
            sorted[n++] = &runs[i];
        }
    }
    qsort(sorted, n, sizeof(*sorted), compare_weights);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = i; k-- > 0 && strcmp(sorted[k]->weights, sorted[i]->weights) == 0;) {
            if (!sorted[k]->copy_of && run_copies_same(sorted[k], sorted[i])) {
                sorted[i]->copy_of = sorted[k]->id;
                ++*n_repeat;
                break;
            }
        }
    }
    free(sorted);
    return STATUS_OK;
}
