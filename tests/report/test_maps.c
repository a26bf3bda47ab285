/* The maps that the page chooses from: every step, layer and head, of runs that kept different
 * snapshots, too. */
#include "fixture.h"
#include "report/content/topic.h"
#include "report/content/topics.h"
#include "testing.h"

#define SIZE (FAKE_TOKENS * FAKE_TOKENS)

static struct error err;
static struct frame frame;
static struct material material;
static struct document document;

static void write_snapshot(const struct fake_run *fake, int step, float value)
{
    float maps[FAKE_HEADS * SIZE];
    char folder[PATH_SIZE], path[PATH_SIZE];
    for (size_t i = 0; i < FAKE_HEADS * SIZE; i++) {
        maps[i] = value;
    }
    fake_folder(scratch, fake, folder);
    path_format(path, NULL, "%s/attention/step%06d", folder, step);
    ck_assert_int_eq(folder_create(path, NULL), STATUS_OK);
    path_format(path, NULL, "%s/attention/step%06d/layer0.npy", folder, step);
    ck_assert_int_eq(
        npy_write(path, maps, (size_t[]){FAKE_HEADS, FAKE_TOKENS, FAKE_TOKENS}, 3, NULL),
        STATUS_OK);
}

static const struct sheet *say(void)
{
    ck_assert_msg(frame_load(scratch, &frame, &err) == STATUS_OK, "%s", err.text);
    ck_assert_int_eq(material_make(&frame, NULL, &material, &err), STATUS_OK);
    document = document_create();
    document_for(&document, FOR_READERS);
    say_maps(&document, &material);
    ck_assert(!document_failed(&document));
    for (size_t i = 0; i < document.n_block; i++) {
        if (document.block[i].sheet) {
            return document.block[i].sheet;
        }
    }
    return NULL;
}

static void tear_down(void)
{
    document_free(&document);
    material_free(&material);
    frame_free(&frame);
    scratch_remove();
}

static const struct fake_run qkv = {.task = "copy", .variant = "qkv", .escape = 8};
static const struct fake_run kv = {.task = "copy", .variant = "kv", .escape = 8};

FIXTURE(scratch_make, tear_down)

TEST(a_run_without_a_step_shows_the_snapshot_before)
{
    fake_write(scratch, &qkv);
    fake_write(scratch, &kv);
    write_snapshot(&qkv, 0, 0.25f);
    write_snapshot(&qkv, 10, 0.5f);
    write_snapshot(&kv, 10, 0.75f);
    const struct sheet *sheet = say();
    ck_assert_ptr_nonnull(sheet);
    ck_assert(sheet->n_row == 2 && sheet->n_column == 1 && sheet->n_dimension == 3);
    ck_assert_uint_eq(sheet->dimension[0].n, 3);
    ck_assert_str_eq(sheet->dimension[0].label[1], "10");
    ck_assert(!sheet->dimension[0].can_mean && sheet->dimension[2].can_mean);
    const struct sheet_panel *full = sheet_panel_at(sheet, 0, 0),
                             *part = sheet_panel_at(sheet, 1, 0);
    ck_assert_str_eq(sheet->row_title[1], "K=V");
    ck_assert_str_eq(full->note, "seed 0");
    ck_assert_str_eq(part->note, "seed 0, its last snapshot up to the step");
    ck_assert_float_eq(full->value[0], 0.25f);
    ck_assert_float_eq(full->value[FAKE_HEADS * SIZE], 0.5f);
    ck_assert_float_eq(part->value[0], 0.75f); /* its first */
    ck_assert_float_eq(part->value[FAKE_HEADS * SIZE], 0.75f);
    for (size_t i = 0; i < 2; i++) { /* step 30: the first head is all 0, the second all 1 */
        const float *value = sheet_panel_at(sheet, i, 0)->value + 2 * FAKE_HEADS * SIZE;
        ck_assert(value[0] == 0 && value[SIZE] == 1);
        ck_assert_double_eq(sheet_value(sheet, sheet_panel_at(sheet, i, 0), 0, 0), 0.5);
    }
}

/* Steps are numbers: their names have as many digits as it takes. */
TEST(steps_are_in_order)
{
    fake_write(scratch, &qkv);
    write_snapshot(&qkv, 1000000, 0.5f);
    write_snapshot(&qkv, 999999, 0.25f);
    const struct sheet *sheet = say();
    ck_assert_str_eq(sheet->dimension[0].label[1], "999999");
    ck_assert_str_eq(sheet->dimension[0].label[2], "1000000");
    ck_assert_float_eq(sheet->panel[0].value[2 * FAKE_HEADS * SIZE], 0.5f);
}

TEST(maps_that_cannot_be_read_are_told)
{
    char folder[PATH_SIZE], snapshot[PATH_SIZE];
    bool told = false;
    fake_write(scratch, &qkv);
    fake_write(scratch, &kv);
    fake_folder(scratch, &kv, folder);
    path_format(snapshot, NULL, "%s/attention/step000030", folder);
    fake_write_file(snapshot, "layer0.npy", "nothing");
    const struct sheet *sheet = say();
    ck_assert(sheet->panel[0].value && !sheet->panel[1].value);
    for (size_t i = 0; i < document.n_block; i++) {
        const char *text = document.block[i].text;
        told |= text && strstr(text, "maps of 1 combination ") != NULL;
    }
    ck_assert(told);
}
