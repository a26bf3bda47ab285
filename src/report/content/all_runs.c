/* all_runs: a row a run, for the page, where every number of a report leads. */
#include "report/content/topics.h"

/* What the table shows of a run, where some run has it. */
static const enum measure shown[] = {MEASURE_TOKEN_ACCURACY, MEASURE_SEQUENCE_ACCURACY,
                                     MEASURE_TOP1, MEASURE_LOSS, MEASURE_ESCAPE_STEP};
#define N_SHOWN (sizeof shown / sizeof *shown)

static bool is_shown(const struct group *all, enum measure measure)
{
    for (size_t i = 0; i < all->n_run; i++) {
        if (run_has(all->run[i], measure)) {
            return true;
        }
    }
    return false;
}

static void add_run(struct table *table, const struct group *all, const struct run *run)
{
    const struct config *config = run_config(run);
    struct facets facets = {(int)run->level[FACTOR_TASK], (int)run->level[FACTOR_VARIANT],
                            (int)run->level[FACTOR_SETTING], (int)run->level[FACTOR_SEED]};
    table_row(table, facets_tag(facets), false);
    table_text(table, run_id(run));
    table_text(table, run_task_title(run));
    table_text(table, run->variant_name);
    table_integer(table, run_seed(run));
    table_integer(table, (long long)config->n_embd);
    table_integer(table, (long long)config->n_layer);
    table_integer(table, (long long)config->n_head);
    table_integer(table, (long long)config->seq_len);
    table_integer(table, (long long)run->n_step);
    table_text(table, run_status_name(run->record.status));
    for (size_t i = 0; i < N_SHOWN; i++) {
        if (is_shown(all, shown[i])) {
            table_number(table, run->measure[shown[i]]);
        }
    }
    table_text(table, run->record.message ? run->record.message : "");
}

void say_all_runs(struct document *document, const struct material *material)
{
    static const struct column columns[] = {
        {.title = "run folder", .look = LOOK_CODE, .link = "../runs/"},
        {.title = "task"},
        {.title = "variant"},
        {.title = "seed"},
        {.title = "d"},
        {.title = "L"},
        {.title = "H"},
        {.title = "T"},
        {.title = "steps"},
        {.title = "state"}};
    const struct group *all = &material->frame->all;
    document_begin(document, GROUP_SECTION, RUNS_ANCHOR, "Runs");
    struct table *table = table_create(columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < N_SHOWN; i++) {
        const struct measure_row *row = measure_row(shown[i]);
        if (is_shown(all, shown[i])) {
            table_column(table, &(struct column){.title = row->title,
                                                 .decimals = row->unit == UNIT_STEP ? 0 : 4});
        }
    }
    table_column(table, &(struct column){.title = "message"});
    for (size_t i = 0; i < all->n_run; i++) {
        add_run(table, all, all->run[i]);
    }
    document_table(document, table, "Runs", NULL);
    document_end(document);
}
