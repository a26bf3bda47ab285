#include "report/runs/run_notes.h"

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
    static note_on *const all[] = {note_missing, note_plan_problem, note_copies};
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
