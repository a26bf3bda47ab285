/* html_index: variants and tasks of a whole report have one number each, so that a variant keeps
 * its colour in every figure of the page.
 */
#include <stdlib.h>
#include <string.h>

#include "report/html/html_data.h"

static int compare_variants(const void *left, const void *right)
{
    const struct run *const *a = left, *const *b = right;
    if ((*a)->variant_rank != (*b)->variant_rank) {
        return (*a)->variant_rank < (*b)->variant_rank ? -1 : 1;
    }
    return strcmp((*a)->variant_id, (*b)->variant_id);
}

static int compare_tasks(const void *left, const void *right)
{
    const struct run *const *a = left, *const *b = right;
    if (!(*a)->task != !(*b)->task) {
        return (*a)->task ? -1 : 1;
    }
    return strcmp(run_task_name(*a), run_task_name(*b));
}

typedef int compare_runs(const void *left, const void *right);

/* Appends run to list unless one that compares equal is there. */
static void add_distinct(const struct run **list, size_t *n, const struct run *run,
                         compare_runs *compare)
{
    for (size_t i = 0; i < *n; i++) {
        if (compare(&list[i], &run) == 0) {
            return;
        }
    }
    list[(*n)++] = run;
}

size_t html_n_cell(const struct html_index *index)
{
    return index->set->n_cell + index->set->n_image_cell;
}

const struct cell *html_cell(const struct html_index *index, size_t cell)
{
    const struct run_set *set = index->set;
    return cell < set->n_cell ? &set->cell[cell] : &set->image_cell[cell - set->n_cell];
}

size_t html_setting_of_cell(const struct html_index *index, size_t cell)
{
    const struct run_set *set = index->set;
    if (cell >= set->n_cell) {
        return index->image_setting[cell - set->n_cell];
    }
    size_t i = 0;
    while (set->cell[cell].run >= set->setting[i].run + set->setting[i].n_run) {
        i++;
    }
    return i;
}

static size_t find(const struct run **list, const struct run *run, compare_runs *compare)
{
    size_t i = 0;
    while (compare(&list[i], &run) != 0) {
        i++;
    }
    return i;
}

size_t html_variant(const struct html_index *index, const struct run *run)
{
    return find(index->variant, run, compare_variants);
}

size_t html_task(const struct html_index *index, const struct run *run)
{
    return find(index->task, run, compare_tasks);
}

size_t html_run_number(const struct html_index *index, const struct run *run)
{
    const struct run_set *set = index->set;
    return run->dataset ? set->n_run + (size_t)(run - set->image_run) : (size_t)(run - set->run);
}

static void number_image_settings(struct html_index *index)
{
    const struct cell *cell = index->set->image_cell;
    index->n_setting = index->set->n_setting;
    for (size_t i = 0; i < index->set->n_image_cell; i++) {
        bool same = i > 0 && cell[i - 1].run->dataset == cell[i].run->dataset &&
                    strcmp(cell[i - 1].run->setting_key, cell[i].run->setting_key) == 0;
        index->n_setting += !same;
        index->image_setting[i] = index->n_setting - 1;
    }
}

enum status html_index_make(const struct run_set *set, struct html_index *index, struct error *err)
{
    *index = (struct html_index){.set = set};
    size_t n_cell = html_n_cell(index);
    index->variant = calloc(n_cell + 1, sizeof(*index->variant));
    index->task = calloc(n_cell + 1, sizeof(*index->task));
    index->image_setting = calloc(set->n_image_cell + 1, sizeof(*index->image_setting));
    if (!index->variant || !index->task || !index->image_setting) {
        return error_memory(err, "writing report.html");
    }
    for (size_t i = 0; i < n_cell; i++) {
        const struct run *run = html_cell(index, i)->run;
        add_distinct(index->variant, &index->n_variant, run, compare_variants);
        add_distinct(index->task, &index->n_task, run, compare_tasks);
    }
    qsort(index->variant, index->n_variant, sizeof(*index->variant), compare_variants);
    qsort(index->task, index->n_task, sizeof(*index->task), compare_tasks);
    number_image_settings(index);
    return STATUS_OK;
}

void html_index_free(struct html_index *index)
{
    free(index->variant);
    free(index->task);
    free(index->image_setting);
    *index = (struct html_index){0};
}
