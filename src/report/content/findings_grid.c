/* findings_grid: where in a grid variants can differ at all. Where no run leaves chance, or every
 * run solves the task, every difference in accuracy is next to nothing, and a mean over the grid is
 * diluted by as much.
 */
#include <stdlib.h>

#include "base/text.h"
#include "report/content/finding.h"

static const char rule_room[] =
    "A setting is at chance on a task when every finished run of every variant is, and solved when "
    "every one has solved it; the tables of accuracy say from where on a run counts as either.";

static const char rule_chance[] =
    "A run has left chance when its token accuracy gains at least " FINDINGS_NUMBER(
        RUN_AT_CHANCE) " of what knowing the position alone leaves to gain.";

struct room {
    const char *title;               /* of the task */
    size_t n, n_at_chance, n_solved; /* settings */
};

static bool all_are(const struct part *part, size_t task, enum measure share)
{
    size_t n = 0;
    for (size_t variant = 0; variant < part->variants.n_group; variant++) {
        struct stats stats = group_stats(part_cell(part, variant, task), share);
        if (stats.n > 0 && stats.mean < 1) {
            return false;
        }
        n += stats.n;
    }
    return n > 0;
}

bool part_at_chance(const struct part *part, size_t task)
{
    return all_are(part, task, MEASURE_AT_CHANCE);
}

void find_chance(const struct part *part, size_t n_part, const char *which,
                 struct findings *findings)
{
    struct text text = {0};
    size_t n = 0;
    for (size_t i = 0; i < n_part; i++) {
        for (size_t task = 0; task < part[i].tasks.n_group; task++) {
            size_t n_here = part[i].tasks.group[task].n_ok;
            if (n_here > 0 && !part_at_chance(&part[i], task)) {
                return;
            }
            n += n_here;
        }
    }
    if (n > 0) {
        text_append(&text, "**No run%s has left chance; nothing can be compared.**", which);
    }
    findings_add(findings, rule_chance, true, &text);
}

/* Every finished run on the task is a copy of one of another setting. */
static bool repeats_another(const struct group *task)
{
    size_t n_copy = 0;
    for (size_t i = 0; i < task->n_run; i++) {
        n_copy += run_is_ok(task->run[i]) && task->run[i]->copy_of;
    }
    return n_copy > 0 && n_copy == task->n_ok;
}

/* Adds a part's tasks to the rooms of all tasks, by level. */
static void add_rooms(const struct part *part, struct room *room)
{
    for (size_t i = 0; i < part->tasks.n_group; i++) {
        const struct group *task = &part->tasks.group[i];
        if (!repeats_another(task)) {
            struct room *here = &room[task->level[FACTOR_TASK]];
            here->title = run_task_title(task->run[0]);
            here->n++;
            here->n_at_chance += all_are(part, i, MEASURE_AT_CHANCE);
            here->n_solved += all_are(part, i, MEASURE_SOLVED);
        }
    }
}

static size_t n_task_level(const struct part *part, size_t n_part)
{
    size_t n = 0;
    for (size_t i = 0; i < n_part; i++) {
        for (size_t k = 0; k < part[i].tasks.n_group; k++) {
            size_t level = part[i].tasks.group[k].level[FACTOR_TASK];
            n = level + 1 > n ? level + 1 : n;
        }
    }
    return n;
}

void find_room(const struct part *part, size_t n_part, struct findings *findings)
{
    struct text text = {0};
    size_t n_told = 0, n_task = n_task_level(part, n_part);
    struct room *room = calloc(n_task + 1, sizeof *room);
    findings->failed |= !room;
    for (size_t i = 0; room && n_part > 1 && i < n_part; i++) {
        add_rooms(&part[i], room);
    }
    for (size_t i = 0; room && i < n_task; i++) {
        if (room[i].n_at_chance + room[i].n_solved > 0) {
            text_append(&text, "%s**%s** %zu at chance and %zu solved of %zu",
                        n_told++ ? "; " : "Settings in which all variants do the same: ",
                        room[i].title, room[i].n_at_chance, room[i].n_solved, room[i].n);
        }
    }
    free(room);
    if (n_told > 0) {
        text_append(&text, ". Only in the others can variants differ in accuracy, so the mean "
                           "differences over all settings are smaller than those where it "
                           "matters.");
    }
    findings_add(findings, rule_room, true, &text);
}
