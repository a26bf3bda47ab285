#include "check/verdict.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct difference difference_make(const struct cohort *old, long step, const char *what, ...)
{
    struct difference d = {.cohort = old->name,
                           .step = step,
                           .expected = NAN,
                           .found = NAN,
                           .size = NAN,
                           .limit = NAN,
                           .p = NAN};
    va_list args;
    va_start(args, what);
    vsnprintf(d.what, sizeof d.what, what, args);
    va_end(args);
    return d;
}

void verdict_free(struct verdict *verdict)
{
    for (size_t i = 0; i < verdict->n_difference; i++) {
        text_free(&verdict->difference[i].text);
    }
    text_free(&verdict->note);
    free(verdict->difference);
    free(verdict->band);
    *verdict = (struct verdict){0};
}

void verdict_add(struct verdict *verdict, const struct difference *difference)
{
    size_t n = verdict->n_difference;
    struct difference *grown = realloc(verdict->difference, (n + 1) * sizeof *grown);
    if (!grown) {
        verdict->failed = true;
        return;
    }
    grown[n] = *difference;
    verdict->failed = verdict->failed || difference->text.failed;
    verdict->difference = grown;
    verdict->n_difference = n + 1;
}

static bool comes_after(const struct difference *a, const struct difference *b)
{
    unsigned long x = (unsigned long)a->step, y = (unsigned long)b->step; /* -1 is the last */
    return x != y ? x > y : strcmp(a->cohort, b->cohort) > 0;
}

/* Insertion keeps equal ones in the order in which they were found; there are a few dozen at most.
 */
void verdict_sort(struct verdict *verdict)
{
    struct difference *list = verdict->difference;
    for (size_t i = 1; i < verdict->n_difference; i++) {
        struct difference moved = list[i];
        size_t k = i;
        for (; k > 0 && comes_after(&list[k - 1], &moved); k--) {
            list[k] = list[k - 1];
        }
        list[k] = moved;
    }
}
