/* The first thing a newcomer runs: the preset, the report, and a summary that fits the terminal.
 * Tasks and data sets are columns of one table, which has gaps where only one of them has a
 * variant.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "cli/command.h"
#include "cli/plan.h"
#include "lab/record/record.h"
#include "report/frame/run.h"
#include "report/report.h"

static bool same_row(const struct config *a, const struct config *b)
{
    char name_a[VARIANT_TEXT_SIZE], name_b[VARIANT_TEXT_SIZE];
    variant_id(&a->variant, name_a);
    variant_id(&b->variant, name_b);
    return strcmp(name_a, name_b) == 0;
}

static bool same_column(const struct config *a, const struct config *b)
{
    return a->task == b->task;
}

typedef bool same_function(const struct config *, const struct config *);

/* Lists the first run of every group of runs that are the same in one respect. */
static size_t find_groups(const struct plan *plan, same_function *same, size_t *first)
{
    size_t n = 0;
    for (size_t run = 0; run < plan->n_run; run++) {
        size_t g = 0;
        while (g < n && !same(&plan->config[first[g]], &plan->config[run])) {
            g++;
        }
        if (g == n) {
            first[n++] = run;
        }
    }
    return n;
}

/* By which runs of its kind are judged; NaN where the run is not there. */
static double main_accuracy(const struct plan *plan, size_t index)
{
    const struct config *config = &plan->config[index];
    struct run_record run;
    bool done = record_load(plan->arguments->out, config->id, &run) && run.status == RUN_STATUS_OK;
    double accuracy =
        done ? run_record_result(&run, kind_accuracy(config->task->kind)->key) : (double)NAN;
    run_record_free(&run);
    return accuracy;
}

/* Mean over the runs of one variant and task; NaN where none is there. */
static double cell_mean(const struct plan *plan, const double *accuracy, size_t row, size_t column)
{
    double sum = 0.0;
    size_t n = 0;
    for (size_t run = 0; run < plan->n_run; run++) {
        const struct config *config = &plan->config[run];
        if (!same_row(config, &plan->config[row]) || !same_column(config, &plan->config[column]) ||
            !isfinite(accuracy[run])) {
            continue;
        }
        sum += accuracy[run];
        n++;
    }
    return n ? sum / (double)n : NAN;
}

/* row and column have room for the first run of each variant and of each task. */
static struct table *make_summary(const struct plan *plan, double *accuracy, size_t *row,
                                  size_t *column)
{
    static const struct column names[] = {{"variant", NULL, 0}, {"name", "variant", 0}};
    struct table *table = table_create(names, sizeof names / sizeof names[0]);
    size_t n_row = find_groups(plan, same_row, row);
    size_t n_column = find_groups(plan, same_column, column);
    for (size_t run = 0; run < plan->n_run; run++) {
        accuracy[run] = main_accuracy(plan, run);
    }
    for (size_t c = 0; c < n_column; c++) {
        const char *task = plan->config[column[c]].task->name;
        table_column(table, &(struct column){.key = task, .title = task, .decimals = 3});
    }
    for (size_t r = 0; r < n_row; r++) {
        const struct variant *variant = &plan->config[row[r]].variant;
        char id[VARIANT_TEXT_SIZE], name[VARIANT_TEXT_SIZE];
        variant_id(variant, id);
        variant_name(variant, name);
        table_text(table, id);
        table_text(table, name);
        for (size_t c = 0; c < n_column; c++) {
            table_number(table, cell_mean(plan, accuracy, row[r], column[c]));
        }
    }
    return table;
}

static enum status print_summary(const struct plan *plan, struct error *err)
{
    double *accuracy = calloc(plan->n_run + 1, sizeof *accuracy);
    size_t *row = calloc(plan->n_run + 1, sizeof *row);
    size_t *column = calloc(plan->n_run + 1, sizeof *column);
    struct table *table =
        accuracy && row && column ? make_summary(plan, accuracy, row, column) : NULL;
    free(accuracy);
    free(row);
    free(column);
    return table_finish(table, plan->arguments->format, err);
}

static size_t count_seeds(const struct plan *plan, const struct task *task)
{
    size_t n = 0;
    for (size_t run = 0; run < plan->n_run; run++) {
        bool seen = plan->config[run].task != task;
        for (size_t k = 0; k < run && !seen; k++) {
            seen = plan->config[k].task == task && plan->config[k].seed == plan->config[run].seed;
        }
        n += !seen;
    }
    return n;
}

/* The fewest and the most seeds that a task of a kind has; 0 where there is no such task. */
static void range_of_seeds(const struct plan *plan, const struct kind *kind, size_t *fewest,
                           size_t *most)
{
    *fewest = *most = 0;
    for (size_t run = 0; run < plan->n_run; run++) {
        const struct task *task = plan->config[run].task;
        if (task->kind != kind) {
            continue;
        }
        size_t n = count_seeds(plan, task);
        *fewest = *most == 0 || n < *fewest ? n : *fewest;
        *most = n > *most ? n : *most;
    }
}

static void print_tasks(const struct plan *plan, const struct kind *kind)
{
    const struct task *last = NULL;
    for (size_t run = 0; run < plan->n_run; run++) {
        const struct task *task = plan->config[run].task;
        if (task->kind == kind && task != last) {
            printf("%s%s", last ? ", " : "; ", task->name);
            last = task;
        }
    }
}

/* What the numbers are: "Mean token accuracy over 1 to 6 seeds; fashion_mnist: top-1 accuracy of
 * test images over 1 seed". */
static void print_heading(const struct plan *plan)
{
    bool first = true;
    for (size_t k = 0; kind_at(k); k++) {
        const struct kind *kind = kind_at(k);
        size_t fewest, most;
        range_of_seeds(plan, kind, &fewest, &most);
        if (most == 0) {
            continue;
        }
        if (!first) {
            print_tasks(plan, kind);
        }
        printf("%s %s over ", first ? "Mean" : ":", kind->accuracy);
        if (fewest < most) {
            printf("%zu to ", fewest);
        }
        printf("%zu seed%s", most, plural(most));
        first = false;
    }
    printf("\n\n");
}

static enum status report_and_print(const struct plan *plan, struct error *err)
{
    struct report_summary summary;
    TRY(report_write(plan->arguments->out, &summary, err));
    if (plan->arguments->format == FORMAT_TEXT) {
        print_heading(plan);
        TRY(print_summary(plan, err));
        printf("\nReport: %s\n", summary.markdown);
        return STATUS_OK;
    }
    TRY(print_summary(plan, err));
    if (!plan->arguments->quiet) {
        fprintf(stderr, "Report: %s\n", summary.markdown);
    }
    return STATUS_OK;
}

enum status cmd_quick(const struct arguments *arguments, struct error *err)
{
    return plan_command(arguments, "quick", report_and_print, err);
}
