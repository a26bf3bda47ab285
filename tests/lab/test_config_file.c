
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/folder.h"
#include "lab/config/config_file.h"
#include "lab/config/preset.h"
#include "testing.h"

static struct grid_list list;
static struct config *configs;
static size_t n_config;
static struct error err;

static void forget(void)
{
    grid_list_free(&list);
    free(configs);
    configs = NULL;
    n_config = 0;
    err = (struct error){0};
}

static void set_up(void)
{
    scratch_make();
    forget();
}

static void tear_down(void)
{
    forget();
    scratch_remove();
}

static enum status parse(const char *text)
{
    forget();
    return config_file_parse(text, strlen(text), "a.yaml", &list, &err);
}

static void expand(void)
{
    FINE(grid_list_expand(&list, &configs, &n_config, &err));
}

static void accept(const char *text)
{
    FINE(parse(text));
    expand();
}

static void expect_said(const char *words)
{
    ck_assert_msg(strstr(err.text, words) != NULL, "expected '%s' in: %s", words, err.text);
    ck_assert_msg(strchr(err.text, '\n') == NULL, "more than one line: %s", err.text);
    ck_assert_int_eq(err.status, STATUS_USAGE);
}

/* The sentence begins with the words, "a.yaml:1:1: ...". */
static void refuse(const char *text, const char *words)
{
    ck_assert_msg(parse(text) == STATUS_USAGE, "taken: %s", text);
    ck_assert_msg(strncmp(err.text, words, strlen(words)) == 0, "expected '%s', found: %s", words,
                  err.text);
    expect_said(words);
}

static void refuse_expand(const char *text, const char *words)
{
    FINE(parse(text));
    ck_assert_int_eq(grid_list_expand(&list, &configs, &n_config, &err), STATUS_USAGE);
    ck_assert_ptr_null(configs);
    expect_said(words);
}

/* values_are compares "key=value key=value" with what a run has. */
static void values_are(size_t run, const char *expected)
{
    char words[200], text[200];
    snprintf(words, sizeof words, "%s", expected);
    ck_assert_uint_lt(run, n_config);
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) {
        char *equals = strchr(word, '=');
        *equals = '\0';
        FINE(config_value(&configs[run], word, text, sizeof text, &err));
        ck_assert_str_eq(text, equals + 1);
    }
}

static const char *write_file(const char *name, const char *text)
{
    static char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", scratch, name);
    FINE(file_write(path, text, strlen(text), &err));
    return path;
}

static enum status read_scratch(const char *name)
{
    char path[PATH_SIZE];
    forget();
    snprintf(path, sizeof path, "%s/%s", scratch, name);
    return config_file_read(path, &list, &err);
}

static void refuse_scratch(const char *name, const char *words)
{
    ck_assert_int_eq(read_scratch(name), STATUS_USAGE);
    expect_said(words);
}

/* ---- what is read ---- */

FIXTURE(set_up, tear_down)

TEST(values_and_lists_make_a_grid)
{
    accept("# a comment\n"
           "task: [reverse, swap]\n"
           "variant:\n"
           "  - qkv\n"
           "  - kv:n_kv_head=1\n"
           "lr: 1e-3\n"
           "n_embd: \"32\"\n"
           "attention: 'none'\n");
    ck_assert_uint_eq(n_config, 4);
    values_are(0, "task=reverse");
    values_are(1, "variant=kv:n_kv_head=1");
    values_are(2, "task=swap");
    values_are(3, "learning_rate=0.001 n_embd=32 attention=none");
}

TEST(seeds_in_every_spelling)
{
    static const char *const texts[] = {"seeds: 0-2", "seeds: [0, 1, 2]", "seeds: [0-1, 2]",
                                        "seed: [0,1,2]", "seeds: 0,1,2"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        accept(texts[i]);
        ck_assert_uint_eq(n_config, 3);
        ck_assert_uint_eq(configs[2].seed, 2);
    }
    accept("seeds: 3");
    ck_assert_uint_eq(n_config, 1);
    ck_assert_uint_eq(configs[0].seed, 3);
}

TEST(documents_are_grids_and_a_run_that_occurs_twice_is_made_once)
{
    accept("variant: [qkv, qk]\nseeds: 0-1\n---\nvariant: [qk, kv]\n...\n---\ntask: glyphs\n");
    ck_assert_uint_eq(n_config, 6);
    values_are(3, "variant=qk");
    values_are(4, "variant=kv");
    values_are(5, "task=glyphs");
}

TEST(spellings_of_a_text_file)
{
    accept("\xEF\xBB\xBFtask: swap\n");
    values_are(0, "task=swap");
    accept("task: swap\r\nn_embd: 32\r\n");
    values_are(0, "n_embd=32");
    accept("task: swap");
    accept("%YAML 1.1\n---\ntask: swap\n");
    accept("{task: swap, n_embd: [32, 64]}");
    ck_assert_uint_eq(n_config, 2);
    accept("task:\tswap\n");
    accept("task: swap # caf\xC3\xA9\n");
}

/* ---- values as they are written ---- */

TEST(values_never_become_something_else)
{
    refuse("n_embd: 0x10", "a.yaml:1:9: n_embd: expected a whole number in 2..16384, found '0x10'");
    refuse("n_embd: 1e2", "a.yaml:1:9: n_embd: expected a whole number in 2..16384, found '1e2'");
    refuse("n_embd: 1_000", "a.yaml:1:9: n_embd: ");
    refuse("n_embd: null", "a.yaml:1:9: n_embd: expected a whole number in 2..16384, found 'null'");
    refuse("n_embd: ~", "a.yaml:1:9: n_embd: ");
    refuse("causal: no", "a.yaml:1:9: causal: ");
    expect_said("found 'no'");
    refuse("causal: true", "a.yaml:1:9: causal: ");
    refuse("clip: .inf", "a.yaml:1:7: clip: expected a number in 0..1e9, found '.inf'");
    refuse("clip: .NaN", "a.yaml:1:7: clip: ");
    refuse("n_embd: 064", "a.yaml:1:9: n_embd: "); /* 52 in YAML */
    expect_said("did you mean '64'?");
    refuse("seeds: [1, 08]", "a.yaml:1:9: seeds: a number begins with 0 in '1,08'; write 8 for 08");
    accept("learning_rate: 1e-3");
    values_are(0, "learning_rate=0.001");
}

TEST(wrong_values)
{
    refuse("task: reverse\nn_embd: [32, 1]\n",
           "a.yaml:2:14: n_embd: expected a whole number in 2..16384, found '1'");
    refuse("task: revers", "a.yaml:1:7: task: expected one of ");
    expect_said("did you mean 'reverse'?");
    refuse("\n\nvariant: [qkv, qx]\n", "a.yaml:3:16: ");
    refuse("attention: sometimes", "a.yaml:1:12: attention: expected one of none | final");
    refuse("task: reverse,swap", "a.yaml:1:7: task: expected one of ");
    expect_said("several values are a list in brackets: [a, b]");
    refuse("task:", "a.yaml:1:6: task has no value");
    refuse("task: ''", "a.yaml:1:7: task has no value");
    refuse("n_embd: [32, , 64]", "a.yaml:1:14: ");
    refuse("n_embd: []", "a.yaml:1:1: n_embd: the list is empty; leave the key out");
    refuse("n_embd: [32, 64, 32]", "a.yaml:1:18: n_embd: 32 is in the list twice");
    refuse("n_embd: {a: 1}", "a.yaml:1:9: n_embd: expected a value or a list of values, found a "
                             "mapping");
    refuse("n_embd: [32, [64]]", "a.yaml:1:14: n_embd: expected a value or a list of values, "
                                 "found a list");
    refuse("n_embd: [a: 1]", "a.yaml:1:10: n_embd: expected a value or a list");
    refuse("seeds: 0..2", "a.yaml:1:8: seeds: expected a list such as 0 or 0,1,2 or 0-5");
    refuse("seeds: [1, x]", "a.yaml:1:9: seeds: expected a list");
    refuse("seeds: [0-2, 1]", "a.yaml:1:9: seeds: 1 is in the list twice");
    refuse("seeds: 5-3", "a.yaml:1:8: seeds: the range 5-3 runs backwards");
    refuse("seeds: {a: 1}", "a.yaml:1:8: seeds: expected a value or a list");
}

TEST(wrong_keys)
{
    refuse("learing_rate: 0.1",
           "a.yaml:1:1: there is no key 'learing_rate'; did you mean 'learning_rate'?");
    refuse("task: reverse\nsedes: 0-2\n", "a.yaml:2:1: there is no key 'sedes'; did you mean "
                                          "'seeds'?");
    refuse("inclued: quick", "a.yaml:1:1: there is no key 'inclued'; did you mean 'include'?");
    refuse("Task: reverse", "a.yaml:1:1: there is no key 'Task'; did you mean 'task'?");
    refuse("xyzzyplugh: 1", "a.yaml:1:1: there is no key 'xyzzyplugh'; `qkvlab list keys` shows");
    refuse("'': 3", "a.yaml:1:1: expected a key in front of the colon");
    refuse("[a, b]: 3", "a.yaml:1:1: expected a key, found a list");
    refuse("? {a: b}\n: 3", "a.yaml:1:3: expected a key, found a mapping");
    refuse("n_embd: 32\ntask: swap\nn_embd: 64\n",
           "a.yaml:3:1: n_embd is set twice, the first time in line 1; a list, as in n_embd: [32, "
           "64], gives it several values");
    refuse("lr: 0.1\nlearning_rate: 0.2\n", "a.yaml:2:1: learning_rate is set twice");
    refuse("seeds: 0\nseed: 1\n", "a.yaml:2:7: seeds are set twice");
    refuse("include: smoke\ninclude: quick\n", "a.yaml:2:1: include is set twice, the first time "
                                               "in line 1");
}

TEST(more_than_plain_yaml)
{
    refuse("task: &a reverse", "a.yaml:1:7: anchors and aliases (&name, *name) are not read");
    refuse("task: *a", "a.yaml:1:7: anchors and aliases");
    refuse("&a task: swap", "a.yaml:1:1: anchors and aliases");
    refuse("n_embd: &a [32]", "a.yaml:1:9: anchors and aliases");
    refuse("--- &a\ntask: swap", "a.yaml:1:5: anchors and aliases");
    refuse("<<: {task: swap}", "a.yaml:1:1: merge keys (<<) are not read; `include: FILE` takes");
    refuse("n_embd: !!int 32", "a.yaml:1:9: tags (!name) are not read");
    refuse("!!map {task: swap}", "a.yaml:1:1: tags");
    refuse("n_embd: !x [32]", "a.yaml:1:9: tags");
    refuse("task: |\n  reverse\n", "a.yaml:1:7: blocks of text (| and >) are not read; write the "
                                   "value behind the colon");
    refuse("task: >-\n  reverse\n", "a.yaml:1:7: blocks of text");
    refuse("task: reverse\n  swap\n", "a.yaml:1:7: expected a value in one line");
    refuse("task: \"re\\nverse\"", "a.yaml:1:7: expected plain text, found a control character");
    refuse("task: \"re\\0verse\"", "a.yaml:1:7: expected plain text, found a control character");
}

TEST(what_is_no_mapping)
{
    refuse("", "a.yaml holds no keys; expected some, such as 'task: reverse'");
    refuse("# nothing but a comment\n", "a.yaml holds no keys");
    refuse("---\n", "a.yaml holds no keys");
    refuse("---\n---\ntask: swap\n", "a.yaml:1:1: no keys stand behind this ---");
    refuse("task: swap\n---\n# nothing\n---\ntask: copy\n",
           "a.yaml:2:1: no keys stand behind this ---; expected some, such as");
    accept("task: swap\n---\n"); /* one too many does no harm */
    ck_assert_uint_eq(n_config, 1);
    accept("---\ntask: swap\n...\n---\n# nothing more\n");
    ck_assert_uint_eq(n_config, 1);
    refuse("\xEF\xBB\xBF", "a.yaml holds no keys");
    refuse("reverse", "a.yaml:1:1: expected keys with values, such as 'task: reverse', found "
                      "'reverse'");
    refuse("task=reverse", "a.yaml:1:1: expected keys with values");
    refuse("task:reverse", "a.yaml:1:1: expected keys with values");
    expect_said("(a colon and a blank stand behind a key)");
    refuse("- task: reverse", "a.yaml:1:1: expected keys with values, such as 'task: reverse', "
                              "found a list");
    accept("{}"); /* every key at its default */
    ck_assert_uint_eq(n_config, 1);
}

TEST(what_is_no_yaml)
{
    refuse("task: reverse\nn_embd:32\nn_head: 2\n", "a.yaml:");
    expect_said("(a colon and a blank stand behind a key)");
    refuse("task: [reverse, sort\n", "a.yaml:2:1: this is not YAML: while parsing a flow sequence");
    refuse("task: reverse\n\tn_embd: 32\n", "a.yaml:2:1: a tab indents this line");
    refuse("n_embd:\n\t- 32\n", "a.yaml:2:1: a tab indents this line");
    refuse("task: 'reverse\n", "a.yaml:");
    expect_said("this is not YAML");
    refuse("task: @a\n", "a.yaml:1:7: this is not YAML");
    refuse("a: b: c\n", "a.yaml:1:");
    refuse("task: caf\xE9\n", "a.yaml:1:10: expected text in UTF-8, found the byte 0xE9");
    refuse("\xFF\xFEt\n", "a.yaml:1:1: expected text in UTF-8, found the byte 0xFF");
    refuse("task: swap\n\x01\n", "a.yaml:2:1: expected text in UTF-8, found the byte 0x01 (control "
                                 "characters are not allowed); is this a YAML file?");
    static const char zero[] = "task: sw\0ap";
    forget();
    ck_assert_int_eq(config_file_parse(zero, sizeof zero, "a.yaml", &list, &err), STATUS_USAGE);
    expect_said("a.yaml:1:9: expected text in UTF-8, found the byte 0x00");
}

TEST(deep_nesting_and_long_files_end_soon)
{
    size_t n = CONFIG_FILE_MAX_SIZE;
    static const char *const repeated[] = {"[",    "{",           "- ", "? ", "a: ", "--- ",
                                           "- \n", "a: 1\n---\n", "\"", "!",  "&a ", "x\n"};
    char *text = malloc(n + 16);
    for (size_t i = 0; i < sizeof repeated / sizeof repeated[0]; i++) {
        size_t used = 0, unit = strlen(repeated[i]);
        while (used + unit <= n) {
            memcpy(text + used, repeated[i], unit);
            used += unit;
        }
        forget();
        ck_assert_int_eq(config_file_parse(text, used, "a.yaml", &list, &err), STATUS_USAGE);
        expect_said("a.yaml:");
    }
    strcpy(text, "n_embd: [");
    size_t used = strlen(text);
    for (size_t i = 2; used < n - 16; i++) {
        used += (size_t)sprintf(text + used, "%zu,", i);
    }
    forget();
    ck_assert_int_eq(config_file_parse(text, used, "a.yaml", &list, &err), STATUS_USAGE);
    expect_said("n_embd: more than 10000 values");
    free(text);
}

/* ---- impossible runs ---- */

TEST(impossible_shapes_are_refused_with_the_place_of_the_value)
{
    refuse_expand("task: [reverse, swap]\nseq_len: [16, 15]\n",
                  "a.yaml:2:15: cell task=swap seq_len=15 seed=0: swap needs two halves");
    refuse_expand("n_embd: 32\n\nn_head: 3\n", "a.yaml:3:9: n_embd 32 cannot be cut into n_head 3");
    refuse_expand("task: mnist\nseq_len: 16\n", "a.yaml:2:10: seq_len follows from the images");
    refuse_expand("patch: 4\n", "a.yaml:1:8: patch is a key of image data sets");
    refuse_expand("variant: qk+\nscore_term: none\n",
                  "a.yaml:2:13: variant qk+ already says score_term=position2d");
    refuse_expand("task: swap\n---\nvariant: [qk, Q=K-V]\n",
                  "a.yaml:3:15: the cells variant=qk seed=0 and variant=Q=K-V seed=0 are the same");
    refuse_expand("seeds: 0-50000\nn_layer: [1, 2]\n",
                  "a.yaml:1:1: the grid has more than 100000 runs");
    refuse_expand("seeds: 0-60000\n---\nn_layer: 1\nseeds: 0-60000\n",
                  "a.yaml:3:1: the grids have more than 100000 runs together");
}

/* ---- include ---- */

TEST(own_keys_win_over_included_ones)
{
    accept("n_embd: 64\ninclude: smoke\nvariant: kv\nseeds: 1,2\n");
    ck_assert_uint_eq(n_config, 2);
    values_are(0, "task=copy n_embd=64 n_train=1280");
    values_are(1, "variant=kv seed=2");
}

TEST(files_are_found_beside_the_including_one)
{
    char folder[PATH_SIZE];
    snprintf(folder, sizeof folder, "%s/more", scratch);
    FINE(folder_create(folder, &err));
    write_file("more/base.yaml", "n_layer: 1\nn_embd: 32\nseeds: 0-3\n");
    write_file("more/middle.yaml", "include: base.yaml\nn_head: 2\n");
    write_file("top.yaml", "include: more/middle.yaml\nn_embd: 128\nseeds: 4\n");
    FINE(read_scratch("top.yaml"));
    expand();
    ck_assert_uint_eq(n_config, 1);
    values_are(0, "n_layer=1 n_head=2 n_embd=128 seed=4");
}

TEST(includes_that_cannot_be)
{
    refuse("include: smok", "a.yaml:1:10: there is no preset 'smok'; did you mean 'smoke'?");
    refuse("include: ../nowhere.yaml", "a.yaml:1:10: cannot open ../nowhere.yaml: No such file");
    refuse("include: [smoke, quick]", "a.yaml:1:1: include: expected one name, found 2; several "
                                      "grids are documents");
    refuse("task: mnist\nwithout_data:\n  include: smoke\n",
           "a.yaml:3:3: include: expected among the keys of a document");
    write_file("self.yaml", "include: ./self.yaml\n");
    refuse_scratch("self.yaml", "self.yaml:1:10: include: ");
    expect_said("self.yaml includes itself");
    write_file("one.yaml", "include: two.yaml\n");
    write_file("two.yaml", "task: swap\ninclude: one.yaml\n");
    refuse_scratch("one.yaml", "two.yaml:2:10: include: ");
    expect_said("one.yaml includes itself, by way of others");
    write_file("wrong.yaml", "task: swap\nn_embd: x\n");
    write_file("top.yaml", "include: wrong.yaml\n");
    refuse_scratch("top.yaml", "wrong.yaml:2:9: n_embd: expected");
    for (int i = 0; i < 20; i++) {
        char name[32], text[64];
        sprintf(name, "deep%d.yaml", i);
        sprintf(text, "include: deep%d.yaml\n", i + 1);
        write_file(name, text);
    }
    refuse_scratch("deep0.yaml", "include: more than 16 files inside each other");
}

TEST(includes_do_not_multiply_without_end)
{
    char text[4096] = "";
    for (int i = 0; i < 40; i++) {
        strcat(text, i ? "---\n{n_layer: 1}\n" : "{n_layer: 1}\n");
    }
    write_file("many.yaml", text);
    text[0] = '\0';
    for (int i = 0; i < 40; i++) {
        strcat(text, i ? "---\ninclude: many.yaml\n" : "include: many.yaml\n");
    }
    write_file("more.yaml", text);
    refuse_scratch("more.yaml", "more than 1000 grids");
}

/* ---- layers ---- */

static void layer(const char *first, const char *second)
{
    struct grid *over = grid_create();
    FINE(grid_set(over, first, &err));
    if (second) {
        FINE(grid_set(over, second, &err));
    }
    FINE(grid_list_layer(&list, over, &err));
    grid_free(over);
    expand();
}

static const char two_kinds[] = "task: [reverse, swap]\nn_embd: 32\nseq_len: 8\n"
                                "---\n"
                                "task: glyphs\nn_embd: 32\nn_head: 2\nseeds: 0-1\n";

TEST(a_layer_goes_where_it_means_something)
{
    ck_assert_int_eq(parse(two_kinds), STATUS_OK);
    layer("n_embd=64", "seq_len=32");
    ck_assert_uint_eq(n_config, 4);
    values_are(0, "n_embd=64 seq_len=32");
    values_are(2, "n_embd=64 task=glyphs");
    ck_assert_int_eq(parse(two_kinds), STATUS_OK);
    layer("patch=7", "seed=5,6,7");
    ck_assert_uint_eq(n_config, 9);
    values_are(8, "patch=7 seed=7");
}

TEST(a_layer_of_tasks_leaves_out_grids_of_the_other_kind)
{
    ck_assert_int_eq(parse(two_kinds), STATUS_OK);
    layer("task=copy", NULL);
    ck_assert_uint_eq(n_config, 1);
    values_are(0, "task=copy seq_len=8");
    ck_assert_int_eq(parse(two_kinds), STATUS_OK);
    layer("patch=7", "task=copy,mnist");
    ck_assert_uint_eq(n_config, 3);
    values_are(1, "task=mnist patch=7");
    ck_assert_int_eq(parse("task: reverse\n"), STATUS_OK); /* no grid is of its kind */
    layer("task=mnist", NULL);
    ck_assert_uint_eq(n_config, 1);
    values_are(0, "task=mnist");
}

TEST(a_key_that_means_nothing_to_any_grid_is_refused)
{
    ck_assert_int_eq(parse("task: glyphs\n"), STATUS_OK);
    struct grid *over = grid_create();
    FINE(grid_set(over, "seq_len=16", &err));
    FINE(grid_list_layer(&list, over, &err));
    grid_free(over);
    ck_assert_int_eq(grid_list_expand(&list, &configs, &n_config, &err), STATUS_USAGE);
    expect_said("seq_len follows from the images of glyphs");
}

/* ---- data that are not there ---- */

static const char fallback[] = "task: mnist\nepochs: 1\nn_embd: 32\n"
                               "without_data:\n  task: glyphs\n  epochs: 6\n";

TEST(other_keys_take_over_where_data_are_missing)
{
    char note[GRID_LIST_NOTE_SIZE];
    FINE(parse(fallback));
    FINE(grid_list_use_data(&list, NULL, note, &err));
    ck_assert_ptr_nonnull(strstr(note, "MNIST was not found, so glyphs takes its place"));
    expand();
    ck_assert_uint_eq(n_config, 1);
    values_are(0, "task=glyphs epochs=6 n_embd=32");
}

TEST(a_layer_is_over_those_too)
{
    char note[GRID_LIST_NOTE_SIZE];
    ck_assert_int_eq(parse(fallback), STATUS_OK);
    layer("epochs=2", NULL);
    FINE(grid_list_use_data(&list, NULL, note, &err));
    free(configs);
    expand();
    values_are(0, "task=glyphs epochs=2");
    ck_assert_int_eq(parse(fallback), STATUS_OK);
    layer("task=mnist", NULL); /* whoever asks for a data set gets it, or none */
    FINE(grid_list_use_data(&list, NULL, note, &err));
    ck_assert_str_eq(note, "");
    values_are(0, "task=mnist");
}

TEST(wrong_keys_for_missing_data)
{
    refuse("without_data: glyphs", "a.yaml:1:15: without_data: expected keys with values, such as "
                                   "{task: glyphs}, found a value");
    refuse("without_data: {without_data: {}}", "a.yaml:1:16: without_data: expected among the keys "
                                               "of a document");
    refuse("without_data: {tsk: glyphs}", "a.yaml:1:16: there is no key 'tsk'");
    refuse("without_data: {}\nwithout_data: {}", "a.yaml:2:1: without_data is set twice");
}

/* ---- files ---- */

TEST(what_is_no_file)
{
    char path[PATH_SIZE];
    refuse_scratch("nowhere.yaml", "cannot open ");
    expect_said("nowhere.yaml: No such file");
    refuse_scratch(".", "it is a folder, expected a file");
    snprintf(path, sizeof path, "%s/pipe.yaml", scratch);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    refuse_scratch("pipe.yaml", "it is a pipe or a device, expected a regular file");
    const char *large = write_file("large.yaml", "task: swap\n");
    ck_assert_int_eq(truncate(large, 1 << 30), 0);
    refuse_scratch("large.yaml", "has 1073741824 bytes, expected at most 1048576");
    ck_assert_int_eq(config_file_read("/dev/zero", &list, &err), STATUS_USAGE);
    expect_said("it is a pipe or a device");
    ck_assert_int_eq(config_file_read("nothing", &list, &err), STATUS_USAGE);
    expect_said("there is no preset 'nothing'");
    expect_said("the name of a file ends in .yaml");
}

TEST(paths_and_presets)
{
    ck_assert(config_file_is_path("a.yaml"));
    ck_assert(config_file_is_path("a.yml"));
    ck_assert(config_file_is_path("./a"));
    ck_assert(!config_file_is_path("quick"));
    ck_assert(!config_file_is_path("plus-ablation"));
}

/* ---- presets ---- */

TEST(every_preset_can_be_read_and_says_what_it_is_for)
{
    for (size_t i = 0; preset_at(i); i++) {
        char summary[PRESET_SUMMARY_SIZE];
        preset_summary(preset_at(i), summary);
        ck_assert_msg(preset_at(i)->text[0] == '#', "%s has no summary", preset_at(i)->name);
        ck_assert_msg(strlen(summary) < PRESET_SUMMARY_SIZE - 1, "long: %s", summary);
        forget();
        FINE(config_file_read(preset_at(i)->name, &list, &err));
        expand();
        ck_assert_uint_gt(n_config, 0);
    }
}

static size_t runs_of(const char *preset)
{
    forget();
    FINE(config_file_read(preset, &list, &err));
    expand();
    return n_config;
}

TEST(the_published_grids_have_their_sizes)
{
    ck_assert_uint_eq(runs_of("table1"), 3240);
    ck_assert_uint_eq(runs_of("table1-small"), 1440);
    values_are(0, "attention=none");
    values_are(1439, "n_embd=64");
    ck_assert_uint_eq(runs_of("table2"), 4 * 6 * 2 * 2);
    ck_assert_uint_eq(runs_of("table2-full"), 4 * 6 * 2 * 2 * 3 * 2 * 2 * 2);
    ck_assert_uint_eq(runs_of("plus-ablation-long"), runs_of("plus-ablation"));
    ck_assert_uint_eq(runs_of("quick"), 4 * 7 * 6 + 2 * 7 + 6);
}

/* ---- --set over a file ---- */

static void refuse_over(const char *text, const char *assignment, const char *words)
{
    struct grid *over = grid_create();
    FINE(parse(text));
    FINE(grid_set(over, assignment, &err));
    FINE(grid_list_layer(&list, over, &err));
    grid_free(over);
    ck_assert_int_eq(grid_list_expand(&list, &configs, &n_config, &err), STATUS_USAGE);
    ck_assert_msg(strncmp(err.text, words, strlen(words)) == 0, "expected '%s', found: %s", words,
                  err.text);
}

TEST(the_command_line_is_blamed_for_what_it_says)
{
    refuse_over("task: copy\n", "n_head=7", "--set n_head=7: n_embd 64 cannot be cut into");
    refuse_over("n_embd: 64\n", "n_head=4,7", "--set n_head=7: cell n_embd=64 n_head=7 seed=0: ");
    refuse_over("n_embd: 63\nn_head: 7\n", "n_embd=64", "--set n_embd=64: a.yaml:2:9: n_embd 64");
    refuse_over("seq_len: 16\n", "task=mnist", "--set task=mnist: a.yaml:1:10: seq_len follows");
    refuse_over("task: mnist\n", "image_size=4096", "--set image_size=4096: image_size 4096 in");
    refuse_over("task: copy\n", "variant=qk,Q=K", "--set variant=qk,Q=K: the cells task=copy");
    refuse_over("n_head: 7\n", "n_layer=3", "a.yaml:1:9: n_embd 64 cannot be cut into");
}

TEST(the_second_of_two_equal_runs_is_told_with_its_place)
{
    refuse_expand("task: copy\nvariant: [qkv, qk, Q=K]\n", "a.yaml:2:20: the cells ");
    refuse_expand("variant: [qk, Q=K]\nn_layer: [1, 2]\n", "a.yaml:1:15: the cells ");
}
