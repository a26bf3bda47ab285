/* What a reader must know of the runs before any number. */
#include "base/file.h"
#include "base/folder.h"
#include "base/text.h"
#include "report/content/topics.h"

#include <unistd.h>

#include "fixture.h"
#include "report/frame/run_files.h"
#include "report/report.h"
#include "testing.h"

static struct frame frame;
static struct document document;

static void set_up(void)
{
    scratch_make();
    frame = (struct frame){0};
    document = document_create();
}

static void tear_down(void)
{
    document_free(&document);
    frame_free(&frame);
    scratch_remove();
}

static const json_t *told(void)
{
    return json_object_get(document.json, "notes");
}

static const char *note(size_t i)
{
    return json_string_value(json_array_get(told(), i));
}

static size_t load(void)
{
    struct error err;
    ck_assert_msg(frame_load(scratch, &frame, &err) == STATUS_OK, "%s", err.text);
    document_free(&document);
    document = document_create();
    say_notes(&document, &(struct material){.frame = &frame});
    ck_assert(!document.failed);
    return json_array_size(told());
}

static void write_plan(const char *name, const char *content)
{
    char folder[PATH_SIZE];
    ck_assert_int_eq(path_format(folder, NULL, "%s/plans", scratch), STATUS_OK);
    ck_assert_int_eq(folder_create(folder, NULL), STATUS_OK);
    fake_write_file(folder, name, content);
}

static const struct fake_run fake = {
    .task = "copy", .variant = "qkv", .accuracy = 0.5, .attention = "none"};

/* A plan of the fake run and two others. */
static void write_plan_of_three(const char *name)
{
    char id[PATH_SIZE], content[2 * PATH_SIZE];
    fake_id(&fake, id);
    snprintf(content, sizeof(content),
             "{\"format\": \"qkvlab-plan-1\", \"command\": [\"qkvlab\", \"run\"], "
             "\"runs\": [\"%s\", \"copy-qk-s0-x\", \"copy-qk-s1-x\"]}",
             id);
    write_plan(name, content);
}

FIXTURE(set_up, tear_down)

TEST(runs_that_are_all_there_need_no_note)
{
    fake_write(scratch, &fake);
    ck_assert_uint_eq(load(), 0);
}

TEST(what_a_sweep_planned_and_is_not_there)
{
    fake_write(scratch, &fake);
    write_plan_of_three("0123456789ab.json");
    write_plan_of_three("ba9876543210.json");
    ck_assert_uint_eq(load(), 1);
    ck_assert_str_eq(note(0), "2 of 3 planned runs are missing; qkvlab status names them.");
}

TEST(a_plan_that_cannot_be_read)
{
    fake_write(scratch, &fake);
    write_plan("0123456789ab.json", "{");
    ck_assert_uint_eq(load(), 1);
    ck_assert_ptr_nonnull(strstr(note(0), "A plan of a sweep cannot be read"));
    ck_assert_ptr_nonnull(strstr(note(0), "0123456789ab.json"));
}

static const struct fake_run keeps_maps = {
    .task = "copy", .variant = "qkv", .seed = 1, .accuracy = 0.5, .attention = "final"};

/* The path of a file of a run; caller may use it until the next call. */
static const char *path_in(const struct fake_run *run, const char *name)
{
    static char path[PATH_SIZE];
    char folder[PATH_SIZE];
    fake_folder(scratch, run, folder);
    ck_assert_int_eq(path_format(path, NULL, "%s/%s", folder, name), STATUS_OK);
    return path;
}

static void assert_note(size_t i, const char *begin, const char *detail)
{
    ck_assert_msg(strncmp(note(i), begin, strlen(begin)) == 0, "%s", note(i));
    ck_assert_msg(strstr(note(i), detail) != NULL, "%s", note(i));
}

TEST(maps_that_were_kept_and_are_gone)
{
    fake_write(scratch, &keeps_maps);
    ck_assert_uint_eq(load(), 0);
    frame_free(&frame);
    ck_assert_int_eq(truncate(path_in(&keeps_maps, "attention/step000030/layer0.npy"), 200), 0);
    ck_assert_uint_eq(load(), 1);
    assert_note(0, "1 run has lost attention maps: copy-qkv-s1-",
                "(attention/step000030/layer0.npy is truncated or damaged)");
    document_free(&document);
    frame_free(&frame);
    ck_assert_int_eq(unlink(path_in(&keeps_maps, "attention/step000030/layer0.npy")), 0);
    ck_assert_uint_eq(load(), 1);
    assert_note(0, "1 run has lost", "layer0.npy is missing)");
    document_free(&document);
    frame_free(&frame);
    ck_assert_int_eq(folder_remove(path_in(&keeps_maps, "attention"), NULL), STATUS_OK);
    ck_assert_uint_eq(load(), 1);
    assert_note(0, "1 run has lost", "(attention/ is missing)");
    ck_assert_uint_eq(notes_without_maps(&frame), 1);
}

TEST(shares_that_are_none_are_damage)
{
    const float odd[2 * FAKE_TOKENS * FAKE_TOKENS] = {[3] = NAN};
    struct maps maps;
    struct error err;
    fake_write(scratch, &keeps_maps);
    const char *path = path_in(&keeps_maps, "attention/step000030/layer0.npy");
    ck_assert_int_eq(maps_read(path, FAKE_TOKENS, &maps, &err), STATUS_OK);
    maps_free(&maps);
    ck_assert_int_eq(npy_write(path, odd, (const size_t[]){2, FAKE_TOKENS, FAKE_TOKENS}, 3, NULL),
                     STATUS_OK);
    ck_assert_int_eq(maps_read(path, FAKE_TOKENS, &maps, &err), STATUS_DATA);
    ck_assert_ptr_nonnull(strstr(err.text, "expected shares of attention between 0 and 1"));
}

TEST(runs_that_kept_no_maps_lost_none)
{
    fake_write(scratch, &fake);
    ck_assert_int_eq(folder_remove(path_in(&fake, "attention"), NULL), STATUS_OK);
    ck_assert_uint_eq(load(), 0);
}

TEST(curves_and_folders_that_cannot_be_read)
{
    fake_write(scratch, &fake);
    fake_write(scratch, &keeps_maps);
    ck_assert_int_eq(unlink(path_in(&fake, "curve.csv")), 0);
    struct fake_run broken = {.task = "copy", .variant = "qkv", .seed = 2};
    fake_write(scratch, &broken);
    ck_assert_int_eq(truncate(path_in(&broken, "run.json"), 20), 0);
    ck_assert_uint_eq(load(), 2);
    assert_note(0, "1 run folder cannot be read and is in no number: copy-qkv-s2-", "run.json");
    assert_note(1, "1 run has no curve: copy-qkv-s0-", "(curve.csv is missing)");
    ck_assert_uint_eq(notes_without_curve(&frame), 1);
}

/* A file has a text, and behind it another. */
static void assert_says(const char *file, const char *text, const char *then)
{
    char *content = scratch_read(file);
    const char *at = strstr(content, text);
    bool found = at && strstr(at, then);
    free(content);
    ck_assert_msg(found, "%s has \"%s\"", file, text);
}

TEST(pages_begin_with_the_notes)
{
    struct report_summary summary;
    fake_write(scratch, &fake);
    write_plan_of_three("0123456789ab.json");
    ck_assert_int_eq(report_write(scratch, &summary, NULL), STATUS_OK);
    assert_says("report/report.md", "- 2 of 3 planned runs are missing", "## What it says");
    assert_says("report/report.html", "2 of 3 planned runs are missing", "</html>");
}
