/* A report replaces the one before as a whole, and nothing else. */
#include "base/file.h"
#include "base/folder.h"
#include "report/report_folder.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture.h"
#include "report/report.h"
#include "testing.h"

static struct report_summary summary;

static void write_runs(int n_seed)
{
    struct fake_run fake = {.task = "copy", .variant = "qkv", .accuracy = 0.9, .escape = 5};
    for (fake.seed = 0; fake.seed < n_seed; fake.seed++) {
        fake_write(scratch, &fake);
    }
}

static void remove_run(int seed)
{
    struct fake_run fake = {.task = "copy", .variant = "qkv", .seed = seed};
    char folder[PATH_SIZE];
    fake_folder(scratch, &fake, folder);
    ck_assert_int_eq(folder_remove(folder, NULL), STATUS_OK);
}

static void report(void)
{
    struct error err = {0};
    ck_assert_msg(report_write(scratch, &summary, &err) == STATUS_OK, "%s", err.text);
}

static bool exists(const char *name)
{
    char path[PATH_SIZE];
    struct stat info;
    path_format(path, NULL, "%s/%s", scratch, name);
    return lstat(path, &info) == 0;
}

static void put(const char *folder, const char *name, const char *content)
{
    char path[PATH_SIZE];
    path_format(path, NULL, "%s/%s", scratch, folder);
    ck_assert_int_eq(folder_create(path, NULL), STATUS_OK);
    fake_write_file(path, name, content);
}

static bool holds(const char *name, const char *content)
{
    char *data = scratch_read(name);
    bool same = strcmp(data, content) == 0;
    free(data);
    return same;
}

FIXTURE(scratch_make, scratch_remove)

TEST(a_report_lists_its_files)
{
    char **names, folder[PATH_SIZE], line[PATH_SIZE];
    size_t n_name, n_line = 0;
    struct fake_run wide = {.task = "reverse", .variant = "qk", .accuracy = 0.3, .n_embd = 16};
    write_runs(2);
    fake_write(scratch, &wide);
    report();
    path_format(folder, NULL, "%s/report", scratch);
    char *files = scratch_read("report/.files");
    ck_assert_int_eq(folder_list(folder, &names, &n_name, NULL), STATUS_OK);
    ck_assert_uint_gt(n_name, 20);
    for (size_t i = 0; i < n_name; i++) {
        snprintf(line, sizeof line, "%s\n", names[i]);
        ck_assert_msg(strstr(files, line) != NULL, "%s", names[i]);
    }
    for (const char *at = files; *at; at++) {
        n_line += *at == '\n';
    }
    ck_assert_uint_eq(n_line, n_name);
    folder_list_free(names, n_name);
    free(files);
}

/* Programs of before wrote no list: what the new report has by the same name is replaced. */
TEST(a_report_without_a_list_is_replaced)
{
    char path[PATH_SIZE];
    write_runs(1);
    report();
    path_format(path, NULL, "%s/report/.files", scratch);
    ck_assert_int_eq(unlink(path), 0);
    put("report", "report.md", "old");
    put("report", "notes.txt", "mine");
    report();
    ck_assert(!holds("report/report.md", "old"));
    ck_assert(holds("report/notes.txt", "mine"));
}

/* Killed while it wrote: nothing of it is anybody's own. */
TEST(half_a_report_is_nobodys_own)
{
    write_runs(1);
    report();
    put(".report.partial", ".files", "*\n");
    put(".report.partial", "setting7-curves.png", "half");
    report();
    ck_assert(!exists("report/setting7-curves.png"));
    ck_assert(!exists(".report.partial"));
}

TEST(figures_of_runs_that_are_gone_go)
{
    write_runs(3);
    report();
    ck_assert(exists("report/attention-seed2.png"));
    remove_run(2);
    report();
    ck_assert(exists("report/attention-seed1.png"));
    ck_assert(!exists("report/attention-seed2.png"));
    ck_assert(!exists(".report.partial"));
}

TEST(what_is_somebodys_own_stays)
{
    write_runs(1);
    report();
    put("report", "notes.txt", "mine");
    put("report/drafts", "a.md", "mine too");
    report();
    ck_assert(holds("report/notes.txt", "mine"));
    ck_assert(holds("report/drafts/a.md", "mine too"));
    ck_assert(exists("report/report.html"));
}

/* No file may grow beyond this, as on a disk that is nearly full: 0 for no bound. */
static void bound_files(rlim_t size)
{
    struct rlimit limit;
    signal(SIGXFSZ, size ? SIG_IGN : SIG_DFL);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = size ? size : limit.rlim_max;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

TEST(a_report_that_fails_leaves_the_old_one_whole)
{
    struct error err = {0};
    write_runs(1);
    report();
    char *before = scratch_read("report/report.md");
    write_runs(3);
    bound_files(16000);
    enum status status = report_write(scratch, &summary, &err);
    bound_files(0);
    ck_assert_int_eq(status, STATUS_WRITE);
    ck_assert_ptr_nonnull(strstr(err.text, "/report stays as it was: cannot write "));
    ck_assert(holds("report/report.md", before));
    ck_assert(!exists("report/attention-seed2.png"));
    ck_assert(!exists(".report.partial"));
    free(before);
}

TEST(a_work_folder_that_is_given_up_leaves_no_trace)
{
    struct report_folder folder;
    write_runs(1);
    report();
    char *before = scratch_read("report/report.md");
    ck_assert_int_eq(report_folder_begin(scratch, &folder, NULL), STATUS_OK);
    fake_write_file(folder.work, "report.md", "half");
    report_folder_abandon(&folder);
    ck_assert(holds("report/report.md", before));
    ck_assert(!exists(".report.partial"));
    free(before);
}

/* Killed between the exchange and the end: the old report, with somebody's own file, is left. */
TEST(what_a_killed_report_left_is_taken_over)
{
    write_runs(1);
    report();
    put(".report.partial", "report.md", "old");
    put(".report.partial", "notes.txt", "mine");
    report();
    ck_assert(holds("report/notes.txt", "mine"));
    ck_assert(!holds("report/report.md", "old"));
    ck_assert(!exists(".report.partial"));
}

TEST(a_link_to_a_folder_stays_a_link)
{
    char link[PATH_SIZE], target[PATH_SIZE];
    struct stat info;
    write_runs(1);
    put("elsewhere/pages", "notes.txt", "mine");
    path_format(target, NULL, "%s/elsewhere/pages", scratch);
    path_format(link, NULL, "%s/report", scratch);
    ck_assert_int_eq(symlink(target, link), 0);
    report();
    ck_assert(lstat(link, &info) == 0 && S_ISLNK(info.st_mode));
    ck_assert(exists("elsewhere/pages/report.md") && exists("elsewhere/pages/notes.txt"));
}
