/* Plots that topics make: curves, accuracies of single runs and the gap by size, as data. */
#include "base/file.h"
#include "report/content/topics.h"

#include "fixture.h"
#include "testing.h"

static struct frame frame;
static struct material material;
static struct document document;
static struct error err;

static void set_up(void)
{
    scratch_make();
    frame = (struct frame){0};
    material = (struct material){0};
    document = document_create();
}

static void tear_down(void)
{
    document_free(&document);
    material_free(&material);
    frame_free(&frame);
    scratch_remove();
}

static void load(void)
{
    ck_assert_msg(frame_load(scratch, &frame, &err) == STATUS_OK, "%s", err.text);
    ck_assert_int_eq(material_make(&frame, NULL, &material, &err), STATUS_OK);
    document_for(&document, FOR_TEXT);
}

/* The plot of a name; NULL: none. */
static const struct plot *find(const char *name)
{
    ck_assert(!document_failed(&document));
    for (size_t i = 0; i < document.n_block; i++) {
        const struct plot *plot = document.block[i].plot;
        if (plot && plot->name && strcmp(plot->name, name) == 0) {
            return plot;
        }
    }
    return NULL;
}

static void write_run(const char *variant, int seed, double accuracy, int escape, const char *state)
{
    fake_write(scratch, &(struct fake_run){.task = "copy",
                                           .variant = variant,
                                           .seed = seed,
                                           .accuracy = accuracy,
                                           .escape = escape,
                                           .status = state,
                                           .n_step = seed == 1 ? FAKE_STEPS - 4 : 0});
}

static void write_runs(void)
{
    write_run("qkv", 0, 0.9, 10, NULL);
    write_run("qkv", 1, 0.5, 20, NULL); /* that has fewer steps */
    write_run("qk", 0, NAN, -1, "diverged");
    write_run("kv", 0, 0.2, -1, NULL);
    load();
    say_curves_of_part(&document, &material, 0);
}

FIXTURE(set_up, tear_down)

TEST(a_curve_is_the_mean_of_its_seeds)
{
    write_runs();
    const struct plot *plot = find("curves");
    ck_assert_ptr_nonnull(plot);
    ck_assert(plot->share_y);
    ck_assert_uint_eq(plot->n_panel, 1);
    const struct panel *panel = &plot->panel[0];
    ck_assert_str_eq(panel->title, "Copy");
    ck_assert_uint_eq(panel->n_series, 2);
    const struct series *series = &panel->series[0];
    ck_assert_str_eq(series->name, "QKV");
    ck_assert_uint_eq(series->n, FAKE_STEPS - 4);
    ck_assert_uint_eq(series->n_single, 2);
    for (size_t step = 0; step < series->n; step++) {
        double first = step < 10 ? 2.3 : 0.05, second = step < 20 ? 2.3 : 0.05;
        ck_assert(series->x[step] == (double)step);
        ck_assert_double_eq_tol(series->y[step], (first + second) / 2, 1e-12);
        ck_assert(series->low[step] == fmin(first, second));
        ck_assert(series->high[step] == fmax(first, second));
        ck_assert(series->single[0][step] == first && series->single[1][step] == second);
    }
    ck_assert_str_eq(panel->series[1].name, "K=V");
    ck_assert_uint_eq(panel->series[1].n_single, 0); /* one seed is its own mean */
}

TEST(chance_is_the_tasks_and_on_the_scale)
{
    write_runs();
    const struct panel *panel = &find("curves")->panel[0];
    ck_assert_uint_eq(panel->n_rule, 1);
    ck_assert_double_eq_tol(panel->rule[0].at, log(10), 1e-12);
    ck_assert(!panel->rule[0].vertical);
    ck_assert_str_eq(panel->rule[0].title, "chance, ln 10");
    ck_assert(panel->y.low == 0 && panel->y.high == 2.5);
}

TEST(an_accuracy_is_a_ring_a_seed)
{
    write_runs();
    const struct plot *plot = find("accuracy");
    ck_assert_ptr_nonnull(plot);
    ck_assert_str_eq(plot->single_title, "one seed");
    ck_assert_str_eq(plot->mean_title, "mean");
    const struct panel *panel = &plot->panel[0];
    ck_assert_uint_eq(panel->n_series, 3);
    ck_assert(panel->x.low == 0 && panel->x.high == 1);
    const struct series *two = &panel->series[0], *none = &panel->series[1];
    ck_assert_int_eq(two->mark, MARK_STRIP);
    ck_assert_uint_eq(two->n_single, 2);
    ck_assert(two->single[0][0] == 0.9 && two->single[1][0] == 0.5);
    ck_assert_double_eq_tol(two->y[0], 0.7, 1e-12);
    ck_assert_str_eq(none->name, "Q=K"); /* it diverged: a row without rings */
    ck_assert_uint_eq(none->n_single, 0);
    ck_assert(isnan(none->y[0]));
    ck_assert(panel->rule[0].vertical);
    ck_assert_double_eq_tol(panel->rule[0].at, 0.1, 1e-12);
}

TEST(one_seed_has_no_mean_and_no_curve_no_plot)
{
    char folder[PATH_SIZE], path[PATH_SIZE];
    struct fake_run fake = {.task = "copy", .variant = "qkv", .accuracy = 0.5, .escape = 3};
    fake_write(scratch, &fake);
    fake_folder(scratch, &fake, folder);
    path_format(path, NULL, "%s/curve.csv", folder);
    ck_assert_int_eq(remove(path), 0);
    load();
    say_curves_of_part(&document, &material, 0);
    ck_assert_ptr_null(find("curves"));
    ck_assert_ptr_null(find("accuracy")->mean_title);
}

static void write_size(int n_embd, int n_layer, double variant)
{
    for (int i = 0; i < 2; i++) {
        fake_write(scratch, &(struct fake_run){.task = "copy",
                                               .variant = i ? "qk" : "qkv",
                                               .accuracy = i ? variant : 0.9,
                                               .n_embd = n_embd,
                                               .n_layer = n_layer});
    }
}

TEST(a_gap_is_a_dot_a_combination)
{
    write_size(8, 1, 0.5);
    write_size(16, 1, 0.8);
    write_size(8, 2, 0.7);
    write_size(16, 2, 0.9);
    load();
    say_gaps(&document, &material);
    const struct plot *plot = find("gap-token_accuracy");
    ck_assert_ptr_nonnull(plot);
    ck_assert_ptr_nonnull(find("gap-mean_train_loss"));
    ck_assert_uint_eq(plot->n_column, 2);
    ck_assert_uint_eq(plot->n_panel, 2);
    const struct panel *width = &plot->panel[0], *layers = &plot->panel[1];
    ck_assert_str_eq(width->title, "Copy");
    ck_assert_ptr_null(layers->title); /* it is the row's */
    ck_assert_str_eq(width->x.title, "width d");
    ck_assert_str_eq(layers->x.title, "layers L");
    ck_assert(width->x.discrete && width->y.sign);
    ck_assert_uint_eq(width->n_series, 1);
    const struct series *series = &width->series[0];
    ck_assert_str_eq(series->name, "Q=K");
    ck_assert_int_eq(series->mark, MARK_DOTS);
    ck_assert(series->x[0] == 8 && series->x[1] == 16);
    ck_assert_double_eq_tol(series->y[0], (-0.4 - 0.2) / 2, 1e-12);
    ck_assert_double_eq_tol(series->y[1], (-0.1 - 0.0) / 2, 1e-12);
    ck_assert_uint_eq(series->n_single, 2);
    ck_assert_double_eq_tol(series->single[0][0], -0.4, 1e-12);
    ck_assert_double_eq_tol(series->single[1][1], 0, 1e-12);
    ck_assert(width->rule[0].at == 0 && !width->rule[0].title);
    ck_assert(width->y.low == layers->y.low && width->y.high == layers->y.high);
    ck_assert_double_eq_tol(width->y.low, -0.4 - 0.06 * 0.45, 1e-12);
    /* A hair's breadth does not look like a gap: losses are the same. */
    const struct panel *loss = &find("gap-mean_train_loss")->panel[0];
    ck_assert_double_eq_tol(loss->y.high, 0.056, 1e-12);
}
