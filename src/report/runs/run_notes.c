#include "report/runs/run_notes.h"

#include "base/text.h"

#define N_NAMED 3 /* of more, only the number is told */

static void append_named(struct text *note, size_t n, const char *name, const char *reason)
{
    if (n < N_NAMED) {
        text_append(note, "%s%s (%s)", n ? ", " : ": ", name, reason);
    } else if (n == N_NAMED) {
        text_append(note, ", ...");
    }
}

static void note_unreadable(const struct run_set *set, struct text *note)
{
    if (set->n_left_out == 0) {
        return;
    }
    text_append(note, "%zu run folder%s cannot be read and %s in no number", set->n_left_out,
                set->n_left_out == 1 ? "" : "s", set->n_left_out == 1 ? "is" : "are");
    for (size_t i = 0; i < set->n_left_out; i++) {
        append_named(note, i, set->left_out[i].name, set->left_out[i].reason);
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

static size_t count_problems(const struct run *run, size_t n_run, problem_of *problem)
{
    size_t n = 0;
    for (size_t i = 0; i < n_run; i++) {
        n += problem(&run[i])->text[0] != '\0';
    }
    return n;
}

static void append_problems(struct text *note, const struct run *run, size_t n_run,
                            problem_of *problem, size_t *n)
{
    for (size_t i = 0; i < n_run; i++) {
        if (problem(&run[i])->text[0]) {
            append_named(note, (*n)++, run[i].id, problem(&run[i])->text);
        }
    }
}

static size_t count_all(const struct run_set *set, problem_of *problem)
{
    return count_problems(set->run, set->n_run, problem) +
           count_problems(set->image_run, set->n_image_run, problem);
}

static void note_problems(const struct run_set *set, problem_of *problem, const char *what,
                          const char *then, struct text *note)
{
    size_t n = count_all(set, problem), n_named = 0;
    if (n > 0) {
        text_append(note, "%zu run%s %s", n, n == 1 ? " has" : "s have", what);
        append_problems(note, set->run, set->n_run, problem, &n_named);
        append_problems(note, set->image_run, set->n_image_run, problem, &n_named);
        text_append(note, ". %s", then);
    }
}

static void note_maps(const struct run_set *set, struct text *note)
{
    note_problems(set, maps_problem, "lost attention maps",
                  "The figures show the maps that are left; numbers of attention are from run.json "
                  "and stand.",
                  note);
}

static void note_curves(const struct run_set *set, struct text *note)
{
    note_problems(set, curve_problem, "no curve",
                  "What is measured by curves lacks them; the other numbers are from run.json and "
                  "stand.",
                  note);
}

size_t run_notes_without_maps(const struct run_set *set)
{
    return count_all(set, maps_problem);
}

size_t run_notes_without_curve(const struct run_set *set)
{
    return count_all(set, curve_problem);
}

static void note_copies(const struct run_set *set, struct text *note)
{
    if (set->n_repeat > 0) {
        text_append(note,
                    "%zu run%s the training of %s bit for bit (equal hashes of the final weights) "
                    "and %s counted once in means over configurations, pairs and tests; the column "
                    "copy_of of runs.csv names them.",
                    set->n_repeat, set->n_repeat == 1 ? " repeats" : "s repeat",
                    set->n_repeat == 1 ? "another" : "others", set->n_repeat == 1 ? "is" : "are");
    }
}

static void note_missing(const struct run_set *set, struct text *note)
{
    if (set->n_missing > 0) {
        text_append(note, "%zu of %zu planned runs %s missing; qkvlab status names %s.",
                    set->n_missing, set->n_planned, set->n_missing == 1 ? "is" : "are",
                    set->n_missing == 1 ? "it" : "them");
    }
}

static void note_plan_problem(const struct run_set *set, struct text *note)
{
    if (set->plan_problem.text[0]) {
        text_append(note, "A plan of a sweep cannot be read, so runs may be missing unnoticed: %s.",
                    set->plan_problem.text);
    }
}

typedef void note_on(const struct run_set *set, struct text *note);

size_t run_notes_make(const struct run_set *set, struct text note[RUN_NOTES_MAX])
{
    static note_on *const all[] = {note_missing, note_plan_problem, note_unreadable,
                                   note_maps,    note_curves,       note_copies};
    size_t n = 0;
    for (size_t i = 0; i < RUN_NOTES_MAX; i++) {
        note[i] = (struct text){0};
    }
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        all[i](set, &note[n]);
        n += note[n].size > 0;
    }
    return n;
}

void run_notes_free(struct text note[RUN_NOTES_MAX])
{
    for (size_t i = 0; i < RUN_NOTES_MAX; i++) {
        text_free(&note[i]);
    }
}

json_t *run_notes_json(const struct run_set *set)
{
    struct text note[RUN_NOTES_MAX];
    size_t n = run_notes_make(set, note);
    json_t *array = json_array();
    for (size_t i = 0; i < n; i++) {
        json_array_append_new(array, json_text(note[i].data));
    }
    run_notes_free(note);
    return array;
}
