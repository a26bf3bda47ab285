/* left_out: runs that are in no mean, and runs without a curve. */
#include <math.h>
#include <stdio.h>

#include "base/json.h"
#include "report/content/topics.h"

static void add_row(struct table *table, const char *name, const char *state, const char *reason)
{
    table_text(table, name);
    table_text(table, state);
    table_text(table, reason);
}

static void add_unfinished(struct table *table, const struct run *run)
{
    char reason[RUN_TEXT_SIZE] = "no message";
    double step = run_record_result(&run->record, "diverged_step");
    if (isfinite(step) && step >= 0) {
        snprintf(reason, sizeof reason, "diverged at step %.0f", step);
    }
    add_row(table, run_id(run), run_status_name(run->record.status),
            run->record.message ? run->record.message : reason);
}

static void say_unused(struct document *document, const struct frame *frame)
{
    static const struct column columns[] = {
        {NULL, "run folder", 0}, {NULL, "state", 0}, {NULL, "reason", 0}};
    if (frame->n_run == frame->all.n_ok && frame->n_left_out == 0) {
        document_paragraph(document, TONE_PLAIN, "None: every finished run was used.");
        return;
    }
    struct table *table = table_create(columns, 3);
    for (size_t i = 0; i < frame->n_run; i++) {
        if (!run_is_ok(&frame->run[i])) {
            add_unfinished(table, &frame->run[i]);
        }
    }
    for (size_t i = 0; i < frame->n_left_out; i++) {
        add_row(table, frame->left_out[i].name, "not readable", frame->left_out[i].reason);
    }
    document_table(document, table, "Runs that are in no mean", NULL);
}

static void say_without_curve(struct document *document, const struct frame *frame)
{
    static const struct column columns[] = {{NULL, "run folder", 0}, {NULL, "reason", 0}};
    if (notes_without_curve(frame) == 0) {
        return;
    }
    document_heading(document, 2, "Runs without a curve");
    document_paragraph(document, TONE_PLAIN,
                       "Their numbers are from `run.json` and stand in the tables; their curves "
                       "are in no figure.");
    struct table *table = table_create(columns, 2);
    for (size_t i = 0; i < frame->n_run; i++) {
        if (frame->run[i].curve_problem.text[0]) {
            table_text(table, run_id(&frame->run[i]));
            table_text(table, frame->run[i].curve_problem.text);
        }
    }
    document_table(document, table, "Runs without a curve", NULL);
}

void say_left_out(struct document *document, const struct material *material)
{
    const struct frame *frame = material->frame;
    json_t *left_out = json_array();
    document_begin(document, GROUP_SECTION, "left-out", "Left out");
    document_heading(document, 2, "Runs that are in no mean");
    if (frame->n_partial > 0) {
        document_paragraph(document, TONE_PLAIN,
                           "%zu run%s unfinished; the same command finishes them.",
                           frame->n_partial, frame->n_partial == 1 ? " is" : "s are");
    }
    say_unused(document, frame);
    say_without_curve(document, frame);
    document_end(document);
    for (size_t i = 0; i < frame->n_left_out; i++) {
        json_array_append_new(left_out,
                              json_pack("{s:o, s:o}", "folder", json_text(frame->left_out[i].name),
                                        "reason", json_text(frame->left_out[i].reason)));
    }
    document_member(document, "left_out", left_out);
}
