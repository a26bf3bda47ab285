/* findings_grid: where in a grid variants can differ at all. Where no run leaves chance, or every
 * run solves the task, every difference in accuracy is next to nothing, and a mean over the grid is
 * diluted by as much.
 */
#include "base/text.h"
#include "report/statistics/findings.h"

static const char rule_room[] =
    "A setting is at chance on a task when every finished run of every variant is, and solved when "
    "every one has solved it; the tables of accuracy say from where on a run counts as either.";

static const char rule_chance[] =
    "A run has left chance when its token accuracy gains at least " FINDINGS_NUMBER(
        RUN_AT_CHANCE) " of what knowing the position alone leaves to gain.";

struct room {
    size_t n, n_at_chance, n_solved; /* settings */
};

static bool all_are(const struct setting *setting, size_t task, enum measure share)
{
    size_t n = 0;
    for (size_t variant = 0; variant < setting->n_variant; variant++) {
        struct stats stats = cell_stats(setting_cell(setting, variant, task), share);
        if (stats.n > 0 && stats.mean < 1) {
            return false;
        }
        n += stats.n;
    }
    return n > 0;
}

bool findings_at_chance(const struct setting *setting, size_t task)
{
    return all_are(setting, task, MEASURE_AT_CHANCE);
}

static size_t count_finished(const struct setting *setting, size_t task)
{
    size_t n = 0;
    for (size_t variant = 0; variant < setting->n_variant; variant++) {
        const struct cell *cell = setting_cell(setting, variant, task);
        n += cell ? cell->n_ok : 0;
    }
    return n;
}

void findings_make_chance(const struct setting *setting, size_t n_setting, const char *which,
                          struct findings *findings)
{
    struct text text = {0};
    size_t n = 0;
    for (size_t i = 0; i < n_setting; i++) {
        for (size_t task = 0; task < setting[i].n_task; task++) {
            size_t n_here = count_finished(&setting[i], task);
            if (n_here > 0 && !findings_at_chance(&setting[i], task)) {
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
static bool repeats_another(const struct setting *setting, size_t task)
{
    size_t n_copy = 0;
    for (size_t i = 0; i < setting->n_run; i++) {
        const struct run *run = &setting->run[i];
        if (run->task == setting->task[task] && run_is_ok(run)) {
            if (!run->copy_of) {
                return false;
            }
            n_copy++;
        }
    }
    return n_copy > 0;
}

static struct room room_of(const struct run_set *set, const struct task *task)
{
    struct room room = {0};
    for (size_t i = 0; i < set->n_setting; i++) {
        const struct setting *setting = &set->setting[i];
        for (size_t k = 0; k < setting->n_task; k++) {
            if (setting->task[k] == task && !repeats_another(setting, k)) {
                room.n++;
                room.n_at_chance += all_are(setting, k, MEASURE_AT_CHANCE);
                room.n_solved += all_are(setting, k, MEASURE_SOLVED);
            }
        }
    }
    return room;
}

void findings_make_grid(const struct run_set *set, const struct overview *tasks,
                        struct findings *findings)
{
    struct text text = {0};
    size_t n_told = 0;
    for (size_t i = 0; set->n_setting > 1 && i < tasks->n_task; i++) {
        struct room room = room_of(set, tasks->task[i]->task);
        if (room.n_at_chance + room.n_solved == 0) {
            continue;
        }
        text_append(&text, "%s**%s** %zu at chance and %zu solved of %zu",
                    n_told++ ? "; " : "Settings in which all variants do the same: ",
                    run_task_title(tasks->task[i]), room.n_at_chance, room.n_solved, room.n);
    }
    if (n_told > 0) {
        text_append(&text, ". Only in the others can variants differ in accuracy, so the mean "
                           "differences over all settings are smaller than those where it "
                           "matters.");
    }
    findings_add(findings, rule_room, true, &text);
}
