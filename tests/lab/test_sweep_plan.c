
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/json.h"
#include "config_fixture.h"
#include "lab/sweep/sweep_plan.h"
#include "testing.h"

static struct config *configs;
static size_t n_config;
static struct sweep_plans plans;

static const char *const words[] = {"qkvlab", "run", "my sweep's.yaml", "--seeds", "0-2"};

static void make_grid(const char *seeds)
{
    char text[64];
    snprintf(text, sizeof text, "seed=%s", seeds);
    grid_of("", text, &configs, &n_config);
}

static void set_up(void)
{
    scratch_make();
    configs = NULL;
    plans = (struct sweep_plans){0};
    err = (struct error){0};
}

static void tear_down(void)
{
    free(configs);
    sweep_plans_free(&plans);
    scratch_remove();
}

static void keep(void)
{
    ck_assert_msg(sweep_plan_keep(scratch, configs, n_config, words, 5, &err) == STATUS_OK, "%s",
                  err.text);
}

static void read_plans(void)
{
    sweep_plans_free(&plans);
    ck_assert_msg(sweep_plans_read(scratch, &plans, &err) == STATUS_OK, "%s", err.text);
}

static bool have(size_t i)
{
    return sweep_plans_have(&plans, configs[i].id);
}

static void in_plans(char path[PATH_SIZE], const char *name)
{
    ck_assert_int_eq(path_format(path, NULL, "%s/plans/%s", scratch, name), STATUS_OK);
}

FIXTURE(set_up, tear_down)

TEST(a_plan_names_every_run_and_the_command)
{
    read_plans();
    ck_assert_uint_eq(plans.n_plan, 0);
    make_grid("0-2");
    keep();
    read_plans();
    ck_assert_uint_eq(plans.n_plan, 1);
    ck_assert_uint_eq(plans.plan[0].n_id, 3);
    ck_assert_str_eq(plans.plan[0].command, "qkvlab run 'my sweep'\\''s.yaml' --seeds 0-2");
    ck_assert(have(0) && have(1) && have(2));
    ck_assert(!sweep_plans_have(&plans, "reverse-qkv-s0-0123456789ab"));
}

TEST(the_same_runs_are_planned_once)
{
    make_grid("0-2");
    keep();
    read_plans();
    char name[100], path[PATH_SIZE];
    snprintf(name, sizeof name, "%s", plans.plan[0].name);
    in_plans(path, name);
    struct stat before, after;
    ck_assert_int_eq(stat(path, &before), 0);
    make_grid("2,1,0"); /* in another order */
    keep();
    make_grid("1"); /* a part of it */
    keep();
    read_plans();
    ck_assert_uint_eq(plans.n_plan, 1);
    ck_assert_int_eq(stat(path, &after), 0);
    ck_assert(before.st_ino == after.st_ino); /* not even written again */
    ck_assert_int_eq(remove(path), 0);
    make_grid("2,0,1");
    keep();
    read_plans();
    ck_assert_str_eq(plans.plan[0].name, name);
    make_grid("2-3");
    keep();
    read_plans();
    ck_assert_uint_eq(plans.n_plan, 2);
    ck_assert(have(0) && have(1));
}

TEST(what_is_no_plan_is_said_and_written_again)
{
    static const struct {
        const char *text, *sentence;
    } row[] = {
        {"", "not valid JSON"},
        {"{\"format\": \"qkvlab-plan-9\"}", "format is \"qkvlab-plan-9\""},
        {"{\"format\": \"qkvlab-plan-1\", \"runs\": [\"a\", 3]}", "runs[1] is no id of a run"},
        {"{\"format\": \"qkvlab-plan-1\", \"runs\": [\"../a\"]}", "runs[0] is no id of a run"},
        {"{\"format\": \"qkvlab-plan-1\", \"runs\": [\".a\"]}", "runs[0] is no id of a run"},
        {"{\"format\": \"qkvlab-plan-1\", \"runs\": [\"\"]}", "runs[0] is no id of a run"},
    };
    make_grid("0-2");
    keep();
    read_plans();
    char path[PATH_SIZE];
    in_plans(path, plans.plan[0].name);
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        ck_assert_int_eq(file_write(path, row[i].text, strlen(row[i].text), NULL), STATUS_OK);
        read_plans();
        ck_assert_uint_eq(plans.n_plan, 1);
        ck_assert_uint_eq(plans.plan[0].n_id, 0);
        ck_assert_msg(strstr(plans.plan[0].damage.text, row[i].sentence) != NULL, "%s",
                      plans.plan[0].damage.text);
        ck_assert_ptr_nonnull(strstr(plans.plan[0].damage.text, path));
        ck_assert(!have(0));
        keep();
        read_plans();
        ck_assert(have(0) && have(2));
    }
}

TEST(what_others_keep_beside_plans_is_left_alone)
{
    char path[PATH_SIZE];
    make_grid("0");
    keep();
    in_plans(path, "notes.txt");
    ck_assert_int_eq(file_write(path, "", 0, NULL), STATUS_OK);
    in_plans(path, ".hidden.json");
    ck_assert_int_eq(file_write(path, "", 0, NULL), STATUS_OK);
    in_plans(path, "0123456789ab.json.tmp.77"); /* of a writer that was killed */
    ck_assert_int_eq(file_write(path, "", 0, NULL), STATUS_OK);
    read_plans();
    ck_assert_uint_eq(plans.n_plan, 1);
}

TEST(a_plan_that_cannot_be_written)
{
    char path[PATH_SIZE];
    in_plans(path, "");
    path[strlen(path) - 1] = '\0';
    ck_assert_int_eq(file_write(path, "", 0, NULL), STATUS_OK); /* a file is in its place */
    make_grid("0");
    ck_assert_int_eq(sweep_plan_keep(scratch, configs, n_config, words, 5, &err), STATUS_WRITE);
    ck_assert_ptr_nonnull(strstr(err.text, "/plans"));
}
