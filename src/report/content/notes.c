/* notes: what a reader must know of the runs before any number: which are copies of others, which
 * are missing, and which could not be read. One sentence each, the same wherever a report is read.
 */
#include <stdlib.h>

#include "base/json.h"
#include "base/text.h"
#include "report/content/topics.h"

#define N_NAMED 3 /* of more, only the number is told */

static void append_named(struct text *note, size_t n, const char *name, const char *reason)
{
    if (n < N_NAMED) {
        text_append(note, "%s%s (%s)", n ? ", " : ": ", name, reason);
    } else if (n == N_NAMED) {
        text_append(note, ", ...");
    }
}

static void note_unreadable(const struct frame *frame, struct text *note)
{
    size_t n = frame->n_left_out;
    if (n == 0) {
        return;
    }
    text_append(note, "%zu run folder%s cannot be read and %s in no number", n, plural(n),
                n == 1 ? "is" : "are");
    for (size_t i = 0; i < n; i++) {
        append_named(note, i, frame->left_out[i].name, frame->left_out[i].reason);
    }
    text_append(note, ".");
}

typedef const struct error *problem_of(const struct run *run);

static const struct error *maps_problem(const struct run *run)
{
    return &run->maps_problem;
}

static const struct error *curve_problem(const struct run *run)
{
    return &run->curve_problem;
}

static size_t count_problems(const struct frame *frame, problem_of *problem)
{
    size_t n = 0;
    for (size_t i = 0; i < frame->n_run; i++) {
        n += problem(&frame->run[i])->text[0] != '\0';
    }
    return n;
}

static void note_problems(const struct frame *frame, problem_of *problem, const char *what,
                          const char *then, struct text *note)
{
    size_t n = count_problems(frame, problem), n_named = 0;
    if (n == 0) {
        return;
    }
    text_append(note, "%zu run%s %s", n, n == 1 ? " has" : "s have", what);
    for (size_t i = 0; i < frame->n_run; i++) {
        const char *reason = problem(&frame->run[i])->text;
        if (reason[0]) {
            append_named(note, n_named++, run_id(&frame->run[i]), reason);
        }
    }
    text_append(note, ". %s", then);
}

static void note_maps(const struct frame *frame, struct text *note)
{
    note_problems(frame, maps_problem, "lost attention maps",
                  "The figures show the maps that are left; numbers of attention are from run.json "
                  "and stand.",
                  note);
}

static void note_curves(const struct frame *frame, struct text *note)
{
    note_problems(frame, curve_problem, "no curve",
                  "What is measured by curves lacks them; the other numbers are from run.json and "
                  "stand.",
                  note);
}

size_t notes_without_maps(const struct frame *frame)
{
    return count_problems(frame, maps_problem);
}

size_t notes_without_curve(const struct frame *frame)
{
    return count_problems(frame, curve_problem);
}

static void note_copies(const struct frame *frame, struct text *note)
{
    size_t n = frame->n_repeat;
    if (n > 0) {
        text_append(note,
                    "%zu run%s the training of %s bit for bit (equal hashes of the final weights) "
                    "and %s counted once in means over configurations, pairs and tests; the column "
                    "copy_of of runs.csv names them.",
                    n, n == 1 ? " repeats" : "s repeat", n == 1 ? "another" : "others",
                    n == 1 ? "is" : "are");
    }
}

static void note_missing(const struct frame *frame, struct text *note)
{
    size_t n = frame->n_missing;
    if (n > 0) {
        text_append(note, "%zu of %zu planned runs %s missing; qkvlab status names %s.", n,
                    frame->n_planned, n == 1 ? "is" : "are", n == 1 ? "it" : "them");
    }
}

static void note_plan_problem(const struct frame *frame, struct text *note)
{
    if (frame->plan_problem.text[0]) {
        text_append(note, "A plan of a sweep cannot be read, so runs may be missing unnoticed: %s.",
                    frame->plan_problem.text);
    }
}

typedef void note_on(const struct frame *frame, struct text *note);
static note_on *const notes[] = {note_missing, note_plan_problem, note_unreadable,
                                 note_maps,    note_curves,       note_copies};
#define N_NOTE (sizeof notes / sizeof *notes)

void say_notes(struct document *document, const struct material *material)
{
    json_t *told = json_array();
    for (size_t i = 0; i < N_NOTE; i++) {
        struct text note = {0};
        notes[i](material->frame, &note);
        document->failed |= note.failed;
        if (note.data) {
            if (json_array_size(told) == 0) {
                document_heading(document, 2, "Notes on the runs");
            }
            char *words = document_escape(document, note.data);
            document_item(document, 1, "%s", words ? words : "");
            free(words);
            json_array_append_new(told, json_text(note.data));
        }
        text_free(&note);
    }
    document_member(document, "notes", told);
}
