/* Sentences follow from the numbers: each test makes runs of which it knows what must be said. */
#include "report/content/topic.h"

#include "fixture.h"
#include "testing.h"

static struct frame frame;
static struct material material;
static struct findings *findings; /* of the first part */

static void set_up(void)
{
    scratch_make();
    frame = (struct frame){0};
    material = (struct material){0};
}

static void tear_down(void)
{
    material_free(&material);
    frame_free(&frame);
    scratch_remove();
}

static void find(void)
{
    struct error err;
    ck_assert_msg(frame_load(scratch, &frame, &err) == STATUS_OK, "%s", err.text);
    ck_assert_int_eq(material_make(&frame, NULL, &material, &err), STATUS_OK);
    findings = &material.findings_of_part[0];
}

static void find_chance_everywhere(void)
{
    find_chance(&material.part[0], 1, "", findings);
}

static void write_seeds(const char *task, const char *variant, double accuracy, int escape,
                        int n_seed)
{
    for (int seed = 0; seed < n_seed; seed++) {
        struct fake_run fake = {.task = task,
                                .variant = variant,
                                .seed = seed,
                                .accuracy = accuracy,
                                .escape = escape < 0 ? -1 : escape + seed};
        fake_write(scratch, &fake);
    }
}

static void write_row(const char *task, const char *variant, double accuracy, int escape)
{
    write_seeds(task, variant, accuracy, escape, 3);
}

static bool is_said(const char *sentence)
{
    for (size_t i = 0; i < findings->n_finding; i++) {
        if (strstr(findings->finding[i].text.data, sentence)) {
            return true;
        }
    }
    return false;
}

static void assert_said(const char *sentence)
{
    for (size_t i = 0; !is_said(sentence) && i < findings->n_finding; i++) {
        fprintf(stderr, "  said: %s\n", findings->finding[i].text.data);
    }
    ck_assert_msg(is_said(sentence), "nobody said: %s", sentence);
}

FIXTURE(set_up, tear_down)

TEST(shortfalls)
{
    write_row("copy", "qkv", 1, 5);
    write_row("copy", "qk", 0.94, 5);
    write_row("copy", "kv", 0.96, 5);
    find();
    assert_said("**Q=K** falls short of QKV on Copy by 0.060 (0.060 to 0.060 over 3 seeds).");
    ck_assert(!is_said("**K=V** falls short"));
    ck_assert(!is_said("no shortfall"));
}

/* What three seeds do not show may still be there. */
TEST(no_shortfall_takes_six_seeds)
{
    write_seeds("copy", "qkv", 1, 5, 6);
    write_seeds("copy", "kv", 0.96, 5, 6);
    write_seeds("copy", "qk", 0.96, 5, 5);
    find();
    assert_said("**K=V** (1 task): no shortfall against QKV");
    ck_assert(!is_said("**Q=K** (1 task)"));
}

TEST(a_shortfall_with_some_seeds_only)
{
    write_row("copy", "qkv", 0.5, 5);
    for (int seed = 0; seed < 3; seed++) {
        struct fake_run fake = {
            .task = "copy", .variant = "qk", .seed = seed, .accuracy = seed == 0 ? 0.55 : 0.25};
        fake_write(scratch, &fake);
    }
    find();
    assert_said("Copy by 0.150 (-0.050 to 0.250 over 3 seeds; not with every seed");
}

TEST(no_baseline)
{
    write_row("copy", "qk", 0.94, 5);
    find();
    assert_said("No run of QKV");
    ck_assert(!is_said("falls short of"));
}

TEST(no_seed_in_common)
{
    struct fake_run fake = {.task = "copy", .variant = "qkv", .accuracy = 1};
    fake_write(scratch, &fake);
    fake.variant = "qk";
    fake.accuracy = 0.1;
    fake.seed = 1;
    fake_write(scratch, &fake);
    find();
    ck_assert(!is_said("falls short"));
    ck_assert(!is_said("no shortfall"));
}

TEST(later_and_never)
{
    write_row("reverse", "qkv", 1, 5);
    write_row("reverse", "qk", 1, 12);
    write_row("reverse", "kv", 1, 5);
    write_row("reverse", "qkv_tied", 0.1, -1);
    find();
    assert_said("**Reverse**: QKV leaves the plateau at step 6 on average (3 of 3 seeds); later "
                "with every seed: Q=K (7 steps later), Q=K=V (never, 3 of 3 seeds).");
    assert_said("Later off the plateau than QKV with every seed: **Q=K** on Reverse; **Q=K=V** on "
                "Reverse (never).");
}

TEST(a_baseline_that_never_leaves)
{
    write_row("reverse", "qkv", 0.1, -1);
    write_row("reverse", "qk", 0.1, -1);
    find();
    assert_said("QKV itself leaves no plateau in these runs");
    ck_assert(!is_said("Later off the plateau"));
}

TEST(one_way_keys)
{
    write_row("shift", "qkv", 1, 5);
    write_row("shift", "qk", 0.25, 5);
    write_row("swap", "qkv", 1, 5);
    write_row("swap", "qk", 0.25, 5);
    find();
    assert_said("**Shift** has one-way keys. Token accuracy where Q K^T is symmetric: Q=K 0.250; "
                "where it is not: QKV 1.000.");
    ck_assert(!is_said("**Swap** has one-way keys"));
}

static void write_map_run(const char *task, const char *variant, int seed, double needed,
                          double diagonal)
{
    struct fake_run fake = {.task = task,
                            .variant = variant,
                            .seed = seed,
                            .accuracy = 1,
                            .needed = needed,
                            .diagonal = diagonal};
    fake_write(scratch, &fake);
}

TEST(maps_by_seed)
{
    write_map_run("reverse", "qkv", 0, 0.9, 0.02);
    write_map_run("reverse", "qkv", 1, 0.9, 0.02);
    write_map_run("reverse", "qk", 0, 0.4, 0.4);
    write_map_run("reverse", "qk", 1, 0.9, 0.05);
    write_map_run("copy", "qk", 0, 0.9, 0.9);
    write_map_run("sort", "qk", 0, NAN, 0.9);
    find();
    assert_said(
        "The map shows an X (needed keys and diagonal) on **Reverse** with Q=K (seed 0 of 2).");
    assert_said(
        "The map draws the needed keys cleanly on **Reverse** with QKV (all 2 seeds), Q=K (seed "
        "1 of 2).");
    ck_assert(!is_said("**Copy** with"));
}

TEST(maps_of_several_tasks)
{
    write_map_run("reverse", "qkv", 0, 0.9, 0.02);
    write_map_run("shift", "qkv", 0, 0.2, 0.1);
    find();
    assert_said("No map shows an X (needed keys and diagonal) on Reverse, Shift.");
    assert_said("The map draws the needed keys cleanly on **Reverse** with QKV (seed 0 of 1); on "
                "**Shift** with no variant.");
}

TEST(where_no_run_has_left_chance)
{
    write_row("copy", "qkv", 0.1, -1);
    write_row("copy", "qk", 0.11, -1);
    find();
    ck_assert(!is_said("no shortfall"));
    findings_free(findings);
    find_chance_everywhere();
    ck_assert_uint_eq(findings->n_finding, 1);
    ck_assert_str_eq(findings->finding[0].text.data,
                     "**No run has left chance; nothing can be compared.**");
}

TEST(a_task_at_chance_compares_nothing)
{
    write_seeds("copy", "qkv", 1, 5, 6);
    write_seeds("copy", "qk", 1, 5, 6);
    write_seeds("shift", "qkv", 0.1, -1, 6);
    write_seeds("shift", "qk", 0.1, -1, 6);
    find();
    assert_said("**Q=K** (1 task): no shortfall against QKV");
    findings_free(findings);
    find_chance_everywhere();
    ck_assert_uint_eq(findings->n_finding, 0);
}

TEST(score_terms_against_their_plain_row)
{
    write_row("reverse", "qk", 0.5, 5);
    write_row("reverse", "qk+", 0.75, 5);
    find();
    assert_said("**(Q=K)+** against Q=K: token accuracy +0.250 on Reverse.");
}

TEST(floors)
{
    write_row("sort", "qkv", 1, 5);
    find();
    double floor = task_chance(task_find("sort"), FAKE_TOKENS);
    char sentence[96];
    snprintf(sentence, sizeof(sentence), "the position alone gives %.4f; above it are QKV %+.3f.",
             floor, 1.0);
    assert_said(sentence);
}

TEST(rules_name_their_thresholds)
{
    write_map_run("reverse", "qkv", 0, 0.9, 0.02);
    write_map_run("reverse", "qk", 0, 0.9, 0.02);
    write_row("copy", "qkv", 1, 5);
    write_row("copy", "qk", 0.5, 5);
    find();
    size_t n_named = 0;
    for (size_t i = 0; i < findings->n_finding; i++) {
        const char *rule = findings->finding[i].rule;
        ck_assert_ptr_nonnull(rule);
        n_named += strstr(rule, "-0.05") || strstr(rule, "0.25") || strstr(rule, "0.5 ");
    }
    ck_assert_uint_ge(n_named, 3);
}
