/* Every bundle of tests/golden, and of the folder in QKVLAB_GOLDEN where that is set, must agree
 * with the engine; a bundle that lies must be caught, and one that is damaged must be refused by
 * name. */
#include "testing.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/folder.h"
#include "base/safetensors.h"
#include "nn/crosscheck.h"

#define BUNDLE "golden/kv_position2d.safetensors"
#define PATCH_BUNDLE "golden/patches_kv_gqa2_padded.safetensors"

static const struct crosscheck_options DEFAULTS = {.threads = 1};

/* ---- bundles that tell the truth ---- */

static void check_bundle(const char *path, const struct crosscheck_options *options)
{
    struct crosscheck_report report;
    struct error err;
    enum status status = crosscheck_run(path, options, &report, &err);
    ck_assert_msg(status == STATUS_OK, "%s", status == STATUS_OK ? "" : err.text);
    const struct crosscheck_row *worst = crosscheck_worst(&report);
    ck_assert_msg(crosscheck_passed(&report),
                  "%s: %s is off by %g, tolerance %g; element %zu is %.9g, expected %.9g", path,
                  worst->tensor, worst->error, worst->tolerance, worst->worst, worst->found,
                  worst->expected);
    crosscheck_report_free(&report);
}

static size_t check_folder(const char *folder, const struct crosscheck_options *options)
{
    char **names;
    size_t n_name, n_bundle = 0;
    struct error err;
    enum status status = folder_list(folder, &names, &n_name, &err);
    ck_assert_msg(status == STATUS_OK, "%s", status == STATUS_OK ? "" : err.text);
    for (size_t i = 0; i < n_name; i++) {
        char path[PATH_SIZE];
        if (strstr(names[i], ".safetensors")) {
            ck_assert_int_eq(path_format(path, &err, "%s/%s", folder, names[i]), STATUS_OK);
            check_bundle(path, options);
            n_bundle++;
        }
    }
    folder_list_free(names, n_name);
    return n_bundle;
}

TEST(golden_bundles_pass)
{
    ck_assert_uint_ge(check_folder("golden", &DEFAULTS), 38);
}

TEST(golden_bundles_pass_however_the_batch_is_cut)
{
    const struct crosscheck_options cuts[] = {
        {.threads = 1, .lanes = 1, .micro_batch = 2},
        {.threads = 2, .lanes = 3, .micro_batch = 1},
    };
    for (size_t i = 0; i < sizeof(cuts) / sizeof(cuts[0]); i++) {
        check_folder("golden", &cuts[i]);
    }
}

TEST(further_bundles_pass)
{
    const char *folder = getenv("QKVLAB_GOLDEN");
    if (folder) {
        ck_assert_uint_ge(check_folder(folder, &DEFAULTS), 1);
    }
}

/* ---- bundles that do not ---- */

static char edited[PATH_SIZE];

static void set_up(void)
{
    scratch_make();
    scratch_path(edited, "edited.safetensors");
}

static struct safetensors load(const char *path)
{
    struct safetensors file;
    ck_assert_int_eq(safetensors_read(path, &file, NULL), STATUS_OK);
    return file;
}

static struct safetensors_entry *entry_of(struct safetensors *file, const char *name)
{
    for (size_t i = 0; i < file->n_entry; i++) {
        if (strcmp(file->entry[i].name, name) == 0) {
            return &file->entry[i];
        }
    }
    ck_abort_msg("no tensor %s", name);
    return NULL;
}

static struct safetensors_metadata *metadata_of(struct safetensors *file, const char *key)
{
    for (size_t i = 0; i < file->n_metadata; i++) {
        if (strcmp(file->metadata[i].key, key) == 0) {
            return &file->metadata[i];
        }
    }
    ck_abort_msg("no metadata %s", key);
    return NULL;
}

/* Writes a bundle with value added to one element of one tensor, and compares it. */
static struct crosscheck_report run_with_change(const char *bundle, const char *tensor,
                                                size_t index, float value)
{
    struct safetensors file = load(bundle);
    struct safetensors_entry *entry = entry_of(&file, tensor);
    float *changed = malloc(entry->n_element * sizeof(float));
    ck_assert_ptr_nonnull(changed);
    memcpy(changed, entry->data, entry->n_element * sizeof(float));
    changed[index] += value;
    entry->data = changed;
    ck_assert_int_eq(safetensors_write(edited, &file, NULL), STATUS_OK);
    free(changed);
    safetensors_free(&file);
    struct crosscheck_report report;
    ck_assert_int_eq(crosscheck_run(edited, &DEFAULTS, &report, NULL), STATUS_OK);
    return report;
}

static const struct crosscheck_row *row_of(const struct crosscheck_report *report, const char *name)
{
    for (size_t i = 0; i < report->n_row; i++) {
        if (strcmp(report->row[i].tensor, name) == 0) {
            return &report->row[i];
        }
    }
    ck_abort_msg("no row %s", name);
    return NULL;
}

FIXTURE(set_up, scratch_remove)

/* A wrong answer is the only row that fails, with its index. */
TEST(a_wrong_answer_is_named)
{
    const char *const answers[] = {"expect/logits", "expect/attention.0",
                                   "grad/blocks.0.attn.kv.weight", "adam3/pos_emb"};
    for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
        struct crosscheck_report report = run_with_change(BUNDLE, answers[i], 7, 0.01f);
        ck_assert(!crosscheck_passed(&report));
        ck_assert_str_eq(crosscheck_worst(&report)->tensor, answers[i]);
        ck_assert_uint_eq(crosscheck_worst(&report)->worst, 7);
        size_t n_failed = 0;
        for (size_t r = 0; r < report.n_row; r++) {
            n_failed += !crosscheck_row_passed(&report.row[r]);
        }
        ck_assert_uint_eq(n_failed, 1);
        crosscheck_report_free(&report);
    }
}

/* A wrong weight changes the outputs, and is still off after training. */
TEST(a_wrong_weight_is_named)
{
    struct crosscheck_report report =
        run_with_change(BUNDLE, "param/blocks.0.attn.kv.weight", 21, 0.05f);
    ck_assert(!crosscheck_passed(&report));
    ck_assert(!crosscheck_row_passed(row_of(&report, "expect/logits")));
    const struct crosscheck_row *row = row_of(&report, "adam3/blocks.0.attn.kv.weight");
    ck_assert(!crosscheck_row_passed(row));
    ck_assert_uint_eq(row->worst, 21);
    ck_assert_double_eq_tol(row->found - row->expected, 0.05, 0.01);
    crosscheck_report_free(&report);
}

TEST(an_answer_that_is_no_number_fails)
{
    struct crosscheck_report report = run_with_change(BUNDLE, "grad/head.bias", 2, NAN);
    ck_assert(!crosscheck_passed(&report));
    ck_assert(!crosscheck_row_passed(row_of(&report, "grad/head.bias")));
    crosscheck_report_free(&report);
}

/* Writes an edited file and reads the sentence with which it is refused. */
static void check_refused(const struct safetensors *file, const char *phrase)
{
    struct crosscheck_report report;
    struct error err;
    ck_assert_int_eq(safetensors_write(edited, file, NULL), STATUS_OK);
    ck_assert_int_eq(crosscheck_run(edited, &DEFAULTS, &report, &err), STATUS_DATA);
    ck_assert_int_eq(err.status, STATUS_DATA);
    ck_assert_msg(strstr(err.text, phrase) && strstr(err.text, edited),
                  "expected '%s' and the path in: %s", phrase, err.text);
}

struct edit {
    const char *key, *value, *phrase;
};

static void check_edit(const char *bundle, const struct edit *edit)
{
    struct safetensors file = load(bundle);
    struct safetensors_metadata *metadata = metadata_of(&file, edit->key);
    char value[32], *kept = metadata->value;
    snprintf(value, sizeof(value), "%s", edit->value);
    metadata->value = value;
    check_refused(&file, edit->phrase);
    metadata->value = kept;
    safetensors_free(&file);
}

TEST(wrong_metadata_are_refused)
{
    const struct edit edits[] = {
        {"format", "crosscheck-9", "expected format crosscheck-1, found crosscheck-9"},
        {"input", "sounds", "input: expected tokens or patches, found sounds"},
        {"n_embd", "sixteen", "n_embd: expected a whole number 1..1000000, found 'sixteen'"},
        {"n_embd", "-16", "n_embd: expected a whole number"},
        {"n_embd", "15", "n_embd"},
        {"n_layer", "900000", "n_layer is 900000, but the file has"},
        {"n_layer", "2", "is missing"},
        {"n_token", "5", "expected I64 [2,5], found I64 [2,6]"},
        {"sharing", "kw", "did you mean"},
        {"sharing", "kv+", "further axes have keys of their own"},
        {"query", "lineal", "query: expected one of linear"},
        {"query", "identity", "score_scale is 1, but query=identity is built with 0.5"},
        {"score_scale", "0.7", "score_scale is 0.7"},
        {"score_scale", "nan", "score_scale: expected a finite number"},
        {"position2d", "some", "position2d: expected none or absolute, found 'some'"},
        {"position2d", "none", "pos_w has no place in a model of variant kv"},
        {"qk_norm", "2", "qk_norm"},
        {"n_kv_head", "3", "n_kv_head 3 does not divide n_head 4"},
        {"adam_eps", "small", "adam_eps: expected a finite number, 0 or more, found 'small'"},
        {"n_symbol", "4", "embed.weight: expected F32 [16,4], found F32 [16,10]"},
    };
    for (size_t i = 0; i < sizeof(edits) / sizeof(edits[0]); i++) {
        check_edit(BUNDLE, &edits[i]);
    }
}

/* images of 7 x 7 pixels and 2 channels in patches of 3 x 3: 9 patches, 10 tokens */
TEST(wrong_metadata_of_patches_are_refused)
{
    const struct edit edits[] = {
        {"input", "tokens", "metadata key 'channels' is unknown in a bundle of tokens"},
        {"patch", "0", "patch: expected a whole number 1..1000000, found '0'"},
        {"patch", "8", "patch: expected 1 to 7, found 8"},
        {"patch", "4", "images of 7 px in patches of 4 make 5 tokens with the class token"},
        {"n_token", "9", "make 10 tokens with the class token, found seq_len 9"},
        {"image", "9", "tensor input/images: expected F32 [5,2,9,9], found F32 [5,2,7,7]"},
        {"channels", "3", "tensor input/images: expected F32 [5,3,7,7], found F32 [5,2,7,7]"},
        {"batch", "4", "tensor input/images: expected F32 [4,2,7,7], found F32 [5,2,7,7]"},
        {"n_class", "4", "tensor expect/logits: expected F32 [5,4], found F32 [5,10]"},
    };
    for (size_t i = 0; i < sizeof(edits) / sizeof(edits[0]); i++) {
        check_edit(PATCH_BUNDLE, &edits[i]);
    }
}

TEST(foreign_and_missing_keys_are_refused)
{
    struct safetensors file = load(BUNDLE);
    struct safetensors_metadata *metadata = metadata_of(&file, "mlp_ratio");
    char foreign[] = "mlp_width", patch[] = "patch", *kept = metadata->key;
    metadata->key = foreign;
    check_refused(&file, "metadata key 'mlp_width' is unknown in a bundle of tokens");
    metadata->key = patch;
    check_refused(&file, "metadata key 'patch' is unknown in a bundle of tokens");
    metadata->key = kept;

    struct safetensors_metadata swapped = *metadata;
    *metadata = file.metadata[file.n_metadata - 1];
    file.metadata[file.n_metadata - 1] = swapped;
    file.n_metadata--;
    check_refused(&file, "metadata key 'mlp_ratio' is missing");
    file.n_metadata++;
    safetensors_free(&file);
}

TEST(contradicting_score_terms_are_refused)
{
    struct safetensors file = load(BUNDLE);
    struct safetensors_metadata *grown =
        calloc(file.n_metadata + 1, sizeof(struct safetensors_metadata));
    ck_assert_ptr_nonnull(grown);
    memcpy(grown, file.metadata, file.n_metadata * sizeof(*grown));
    char key[] = "score_term", value[] = "relative";
    grown[file.n_metadata] = (struct safetensors_metadata){key, value};
    struct safetensors longer = file;
    longer.metadata = grown;
    longer.n_metadata++;
    check_refused(&longer, "position2d=absolute contradicts score_term=relative");
    free(grown);
    safetensors_free(&file);
}

TEST(wrong_tensors_are_refused)
{
    struct safetensors file = load(BUNDLE);
    struct safetensors_entry *entry = entry_of(&file, "grad/head.weight");
    char foreign[] = "grad/tail.weight", *kept = entry->name;
    entry->name = foreign;
    check_refused(&file, "tensor grad/head.weight is missing");
    entry->name = kept;

    entry->dim[0] = 16;
    entry->dim[1] = 10;
    check_refused(&file, "tensor grad/head.weight: expected F32 [10,16], found F32 [16,10]");
    entry->dim[0] = 10;
    entry->dim[1] = 16;

    struct safetensors_entry *grown = calloc(file.n_entry + 1, sizeof(*grown));
    ck_assert_ptr_nonnull(grown);
    memcpy(grown, file.entry, file.n_entry * sizeof(*grown));
    grown[file.n_entry] = *entry;
    grown[file.n_entry].name = foreign;
    struct safetensors longer = file;
    longer.entry = grown;
    longer.n_entry++;
    check_refused(&longer, "tensor grad/tail.weight has no place in a model of variant kv+");
    free(grown);

    struct safetensors_entry *ids = entry_of(&file, "input/ids");
    int64_t wrong[12] = {0, 1, 2, 10};
    const void *true_ids = ids->data;
    ids->data = wrong;
    check_refused(&file, "tensor input/ids, index 3: expected 0..9, found 10");
    ids->data = true_ids;
    safetensors_free(&file);
}

TEST(wrong_labels_are_refused)
{
    struct safetensors file = load(PATCH_BUNDLE);
    struct safetensors_entry *labels = entry_of(&file, "input/labels");
    const int64_t wrong[5] = {0, 9, -1, 0, 0};
    const void *kept = labels->data;
    labels->data = wrong;
    check_refused(&file, "tensor input/labels, index 2: expected 0..9, found -1");
    labels->data = kept;
    safetensors_free(&file);
}

/* A pixel in the last, padded patch of an image changes the logits and what that patch teaches. */
TEST(a_wrong_pixel_is_seen)
{
    const size_t last_pixel = 2 * 7 * 7 - 1;
    struct crosscheck_report report =
        run_with_change(PATCH_BUNDLE, "input/images", last_pixel, 0.05f);
    ck_assert(!crosscheck_row_passed(row_of(&report, "expect/logits")));
    ck_assert(!crosscheck_row_passed(row_of(&report, "grad/patch_embed.weight")));
    crosscheck_report_free(&report);
    report = run_with_change(PATCH_BUNDLE, "param/cls", 3, 0.05f);
    ck_assert(!crosscheck_row_passed(row_of(&report, "expect/logits")));
    ck_assert_uint_eq(row_of(&report, "adam3/cls")->worst, 3);
    crosscheck_report_free(&report);
}

TEST(a_missing_file_is_refused)
{
    struct crosscheck_report report;
    struct error err;
    ck_assert_int_eq(crosscheck_run("golden/nothing.safetensors", &DEFAULTS, &report, &err),
                     STATUS_DATA);
    ck_assert_ptr_nonnull(strstr(err.text, "golden/nothing.safetensors"));
}
