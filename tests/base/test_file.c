#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/expect.h"
#include "base/file.h"
#include "base/folder.h"
#include "base/text.h"
#include "testing.h"

static char path[PATH_SIZE]; /* of whatever a test is about */
static struct error err;

static void expect_content(const char *expected)
{
    char *data;
    size_t size;
    expect_ok(file_read(path, 1 << 20, &data, &size, &err), &err);
    expect_size(size, strlen(expected), path);
    expect_text(data, expected);
    free(data);
}

static void expect_n_name(const char *folder, size_t expected)
{
    char **names;
    size_t n_name;
    expect_ok(folder_list(folder, &names, &n_name, &err), &err);
    ck_assert_msg(n_name == expected, "%s has %zu entries, expected %zu; the last is %s", folder,
                  n_name, expected, n_name ? names[n_name - 1] : "-");
    folder_list_free(names, n_name);
}

FIXTURE(scratch_make, scratch_remove)

TEST(what_is_written_is_read)
{
    char *data;
    size_t size;
    static const char bytes[] = "a\0b\n\xff";
    scratch_path(path, "bytes");
    expect_ok(file_write_atomic(path, bytes, 5, &err), &err);
    expect_ok(file_read(path, 5, &data, &size, &err), &err);
    expect_size(size, 5, "size");
    ck_assert_msg(memcmp(data, bytes, 5) == 0 && data[5] == '\0', "other bytes");
    free(data);
    ck_assert_msg(file_exists(path) && !folder_exists(path), "not a file");

    expect_ok(file_write_atomic(path, "", 0, &err), &err);
    expect_content("");
    expect_ok(file_write_atomic(path, "second", 6, &err), &err);
    expect_content("second");
    expect_n_name(scratch, 1);
}

TEST(reading_says_what_is_wrong)
{
    char *data;
    size_t size;
    scratch_path(path, "missing");
    expect_error(file_read(path, 10, &data, &size, &err), STATUS_DATA, &err, path);
    expect_error(file_read(path, 10, &data, &size, &err), STATUS_DATA, &err, "No such file");
    expect_error(file_read(scratch, 10, &data, &size, &err), STATUS_DATA, &err,
                 "it is a folder, expected a file");
    scratch_write(path, "123456", 6);
    expect_error(file_read(path, 5, &data, &size, &err), STATUS_DATA, &err,
                 "has 6 bytes, expected at most 5");
    ck_assert_msg(data == NULL && size == 0, "a failed read gives %zu bytes", size);
}

TEST(files_without_a_size_are_read)
{
    static const char status_file[] = "/proc/self/status";
    char *data;
    size_t size;
    if (file_exists(status_file)) {
        expect_ok(file_read(status_file, 1 << 20, &data, &size, &err), &err);
        ck_assert_msg(size > 0 && strncmp(data, "Name:", 5) == 0, "%zu bytes", size);
        free(data);
        expect_error(file_read(status_file, 20, &data, &size, &err), STATUS_DATA, &err,
                     "more than 20 bytes");
    }
}

TEST(pipes_and_devices_are_refused_at_once)
{
    char *data;
    size_t size;
    scratch_path(path, "pipe");
    ck_assert_int_eq(mkfifo(path, 0600), 0); /* nobody will ever write into it */
    expect_error(file_read(path, 10, &data, &size, &err), STATUS_DATA, &err, "pipe or a device");
    expect_error(file_read("/dev/zero", SIZE_MAX / 2, &data, &size, &err), STATUS_DATA, &err,
                 "cannot read /dev/zero: it is a pipe or a device, expected a regular file");
    ck_assert_ptr_null(data);
}

TEST(files_that_can_be_made_again_are_replaced_whole)
{
    char *data, **names;
    size_t size, n_name;
    scratch_path(path, "picture");
    expect_ok(file_write(path, "old and long", 12, &err), &err);
    expect_ok(file_write(path, "new", 3, &err), &err);
    expect_ok(file_read(path, 100, &data, &size, &err), &err);
    expect_text(data, "new");
    free(data);
    expect_ok(folder_list(scratch, &names, &n_name, &err), &err);
    expect_size(n_name, 1, "number of files");
    folder_list_free(names, n_name);
    expect_error(file_write("/dev/null", "x", 1, &err), STATUS_WRITE, &err, "not a regular file");
}

TEST(writing_says_what_is_wrong)
{
    char longest[PATH_SIZE + 10];
    scratch_path(path, "missing/file");
    expect_error(file_write_atomic(path, "x", 1, &err), STATUS_WRITE, &err, path);
    expect_error(file_write_atomic(path, "x", 1, &err), STATUS_WRITE, &err, "No such file");
    expect_error(file_write_atomic(scratch, "x", 1, &err), STATUS_WRITE, &err,
                 "not a regular file");
    expect_error(file_write_atomic("/dev/null", "x", 1, &err), STATUS_WRITE, &err,
                 "not a regular file");
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    expect_error(file_write_atomic(longest, "x", 1, &err), STATUS_WRITE, &err, "cannot write xxx");
}

/* A limit on the size of files acts like a disk that becomes full: a short write, then an error. */
TEST(a_full_disk_leaves_the_old_file)
{
    static char large[100000];
    struct rlimit old, tight;
    scratch_path(path, "kept");
    expect_ok(file_write_atomic(path, "old", 3, &err), &err);
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old);
    tight = old;
    tight.rlim_cur = 4096;
    setrlimit(RLIMIT_FSIZE, &tight);
    enum status status = file_write_atomic(path, large, sizeof large, &err);
    setrlimit(RLIMIT_FSIZE, &old);
    signal(SIGXFSZ, handler);
    expect_error(status, STATUS_WRITE, &err, "(100000 bytes): File too large");
    ck_assert_msg(strstr(err.text, path) != NULL, "'%s' does not name %s", err.text, path);
    expect_content("old");
    expect_n_name(scratch, 1);
}

/* Writes whole files of one letter again and again until it is killed. */
static void write_forever(void)
{
    static char data[200000];
    for (unsigned i = 0;; i++) {
        memset(data, 'a' + (int)(i % 26), sizeof data);
        if (file_write_atomic(path, data, sizeof data, &err)) {
            _exit(1);
        }
    }
}

TEST(a_killed_writer_leaves_a_whole_file)
{
    char *data;
    size_t size;
    scratch_path(path, "file");
    expect_ok(file_write_atomic(path, "", 0, &err), &err);
    for (int round = 0; round < 15; round++) {
        pid_t child = fork();
        ck_assert_msg(child >= 0, "cannot fork");
        if (child == 0) {
            write_forever();
        }
        nanosleep(&(struct timespec){.tv_nsec = 3000000 + round * 1370000}, NULL);
        kill(child, SIGKILL);
        int status;
        waitpid(child, &status, 0);
        ck_assert_msg(WIFSIGNALED(status), "the writer ended by itself: %d", status);
        expect_ok(file_read(path, 1 << 20, &data, &size, &err), &err);
        ck_assert_msg(size == 0 || size == 200000, "round %d: %zu bytes", round, size);
        for (size_t i = 1; i < size; i++) {
            ck_assert_msg(data[i] == data[0], "round %d: '%c' and '%c'", round, data[0], data[i]);
        }
        free(data);
    }
}

TEST(folders_are_created_with_parents)
{
    char file[PATH_SIZE];
    scratch_path(path, "a/b//c/");
    expect_ok(folder_create(path, &err), &err);
    expect_ok(folder_create(path, &err), &err);
    ck_assert_msg(folder_exists(path) && !file_exists(path), "%s is no folder", path);

    scratch_path(file, "file");
    scratch_write(file, "x", 1);
    expect_error(folder_create(file, &err), STATUS_WRITE, &err, "a file of that name exists");
    scratch_path(path, "dangling");
    ck_assert_int_eq(symlink("nowhere", path), 0);
    expect_error(folder_create(path, &err), STATUS_WRITE, &err, "leads to no folder");
    scratch_path(path, "file/below");
    expect_error(folder_create(path, &err), STATUS_WRITE, &err, file);
    expect_error(folder_create("", &err), STATUS_WRITE, &err, "0 bytes");
    expect_ok(folder_create("/", &err), &err);
}

TEST(folders_are_removed_but_links_not_followed)
{
    char outside[PATH_SIZE], kept[PATH_SIZE], link[PATH_SIZE];
    scratch_path(outside, "outside");
    scratch_path(kept, "outside/kept");
    expect_ok(folder_create(outside, &err), &err);
    scratch_write(kept, "x", 1);
    scratch_path(path, "tree/a/b");
    expect_ok(folder_create(path, &err), &err);
    scratch_path(link, "tree/a/link");
    ck_assert_msg(symlink(outside, link) == 0, "cannot link");
    scratch_path(path, "tree/a/b/file");
    scratch_write(path, "x", 1);
    scratch_path(path, "tree");
    expect_ok(folder_remove(path, &err), &err);
    ck_assert_msg(!folder_exists(path), "%s is still there", path);
    ck_assert_msg(file_exists(kept), "removed a file through a link");
    expect_ok(folder_remove(path, &err), &err);

    expect_error(folder_remove(kept, &err), STATUS_WRITE, &err, "it is not a folder");
    ck_assert_msg(symlink(outside, path) == 0, "cannot link");
    expect_error(folder_remove(path, &err), STATUS_WRITE, &err, "it is not a folder");
    ck_assert_msg(file_exists(kept), "removed a file through a link");
}

TEST(lists_are_in_bytewise_order)
{
    static const char *const names[] = {"b", "B", "a10", "a9", "\xc3\xa4", ".hidden"};
    static const char *const sorted[] = {".hidden", "B", "a10", "a9", "b", "\xc3\xa4"};
    char **found;
    size_t n_found;
    for (size_t i = 0; i < 6; i++) {
        scratch_path(path, names[i]);
        scratch_write(path, "", 0);
    }
    expect_ok(folder_list(scratch, &found, &n_found, &err), &err);
    expect_size(n_found, 6, "number of names");
    for (size_t i = 0; i < 6; i++) {
        expect_text(found[i], sorted[i]);
    }
    folder_list_free(found, n_found);
    scratch_path(path, "missing");
    expect_error(folder_list(path, &found, &n_found, &err), STATUS_DATA, &err, path);
    ck_assert_msg(found == NULL && n_found == 0, "a failed list gives %zu names", n_found);
    expect_error(folder_sync(path, &err), STATUS_WRITE, &err, path);
    expect_ok(folder_sync(scratch, &err), &err);
}

TEST(long_paths_are_refused)
{
    expect_ok(path_format(path, &err, "%0*d", PATH_SIZE - 1, 7), &err);
    expect_size(strlen(path), PATH_SIZE - 1, "length");
    expect_error(path_format(path, &err, "%0*d", PATH_SIZE, 7), STATUS_USAGE, &err,
                 "has 4096 bytes, expected at most 4095");
}

TEST(texts_grow)
{
    char line[32];
    struct text text = {0};
    scratch_path(path, "text");
    expect_ok(text_write(&text, path, &err), &err);
    expect_content("");
    for (int i = 0; i < 2000; i++) {
        text_append(&text, "%d,%s\n", i, "abc");
    }
    text_append(&text, "%01000d", 5);
    ck_assert_msg(!text.failed && strlen(text.data) == text.size, "size %zu", text.size);
    expect_ok(text_write(&text, path, &err), &err);
    expect_content(text.data);
    snprintf(line, sizeof line, "%.8s", strstr(text.data, "1999"));
    expect_text(line, "1999,abc");
    text_free(&text);
    ck_assert_msg(!text.data && text.size == 0, "not empty after text_free");
}

TEST(a_failed_text_is_not_written)
{
    struct text text = {0};
    scratch_path(path, "text");
    text_append(&text, "begin");
    text.failed = true;
    text_append(&text, "end");
    expect_text(text.data, "begin");
    expect_error(text_write(&text, path, &err), STATUS_MEMORY, &err, "out of memory");
    ck_assert_msg(!file_exists(path), "%s was written", path);
    text_free(&text);
}
