/* copies: within a cell copies fill one place of every table, so all but one are taken out.
 * Across cells each is the answer for its own configuration and stays there; what averages or tests
 * over configurations skips it.
 */
#include "report/frame/copies.h"

#include <stdlib.h>
#include <string.h>

#include "report/frame/run_files.h"

bool copies_same(const struct run *a, const struct run *b)
{
    return a->weights && b->weights && run_is_ok(a) && run_is_ok(b) &&
           strcmp(a->weights, b->weights) == 0 && strcmp(a->variant_id, b->variant_id) == 0 &&
           strcmp(run_task_name(a), run_task_name(b)) == 0;
}

/* ---- within a cell ---- */

static bool same_place(const struct run *a, const struct run *b)
{
    return run_seed(a) == run_seed(b) && strcmp(a->cell_key, b->cell_key) == 0 && copies_same(a, b);
}

static int compare_numbers(long long a, long long b)
{
    return (a > b) - (a < b);
}

/* More than 0: a was looked at more closely. */
static int compare_looks(const struct run *a, const struct run *b)
{
    int order = compare_numbers(run_files_n_snapshot(a->folder), run_files_n_snapshot(b->folder));
    if (order == 0) {
        order = compare_numbers(a->record.attention.n_probe, b->record.attention.n_probe);
    }
    return order ? order : strcmp(run_id(b), run_id(a));
}

static void swap(struct run *a, struct run *b)
{
    struct run other = *a;
    *a = *b;
    *b = other;
}

/* The kept run of [first, end) that a run is a copy of; end: none. */
static size_t find_original(const struct run *runs, size_t first, size_t end, const struct run *run)
{
    while (first < end && !same_place(&runs[first], run)) {
        first++;
    }
    return first;
}

size_t copies_merge(struct run *runs, size_t n_run)
{
    size_t n_kept = 0, first = 0; /* first: of the kept runs of the present cell and seed */
    struct run *copies = runs + n_run;
    for (size_t i = 0; i < n_run; i++) {
        struct run run = runs[i];
        if (n_kept > 0 && (run_seed(&runs[n_kept - 1]) != run_seed(&run) ||
                           strcmp(runs[n_kept - 1].cell_key, run.cell_key) != 0)) {
            first = n_kept;
        }
        size_t at = find_original(runs, first, n_kept, &run);
        if (at == n_kept) {
            runs[n_kept++] = run;
            continue;
        }
        if (compare_looks(&run, &runs[at]) > 0) {
            swap(&run, &runs[at]);
        }
        *copies++ = run;
    }
    memmove(runs + n_kept, runs + n_run, (n_run - n_kept) * sizeof *runs);
    for (size_t i = n_kept; i < n_run; i++) {
        size_t original = find_original(runs, 0, n_kept, &runs[i]);
        runs[i].copy_of = original < n_kept ? run_id(&runs[original]) : NULL;
    }
    return n_kept;
}

/* ---- across cells ---- */

/* By weights, and those in the order of the runs. */
static int compare_weights(const void *left, const void *right)
{
    const struct run *a = *(struct run *const *)left, *b = *(struct run *const *)right;
    int order = strcmp(a->weights, b->weights);
    return order ? order : (a > b) - (a < b);
}

enum status copies_mark(struct run *runs, size_t n_run, size_t *n_repeat, struct error *err)
{
    struct run **sorted = calloc(n_run + 1, sizeof *sorted);
    size_t n = 0;
    if (!sorted) {
        return error_memory(err, "reading runs");
    }
    for (size_t i = 0; i < n_run; i++) {
        if (runs[i].weights && run_is_ok(&runs[i])) {
            sorted[n++] = &runs[i];
        }
    }
    qsort(sorted, n, sizeof *sorted, compare_weights);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = i; k-- > 0 && strcmp(sorted[k]->weights, sorted[i]->weights) == 0;) {
            if (!sorted[k]->copy_of && copies_same(sorted[k], sorted[i])) {
                sorted[i]->copy_of = run_id(sorted[k]);
                ++*n_repeat;
                break;
            }
        }
    }
    free(sorted);
    return STATUS_OK;
}
