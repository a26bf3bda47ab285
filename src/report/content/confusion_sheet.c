/* A row is one true class, so rows are coloured as shares that add up to 1: classes of different
 * size look alike, and a good model is a bright diagonal.
 */
#include "report/content/confusion_sheet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "report/document/facets.h"
#include "report/images/samples.h"

#define MAX_FILE ((size_t)64 << 20)
#define MAX_CLASS 4096
#define SIDE 420.0

/* ---- reading ---- */

/* The numbers behind the n last commas of a line; names before them may hold commas. */
static bool parse_row(const char *line, size_t length, size_t n, float *row)
{
    const char *at = line + length;
    for (size_t i = n; i-- > 0;) {
        while (at > line && at[-1] != ',') {
            at--;
        }
        char *end;
        row[i] = strtof(at, &end);
        if (at == line || end == at || !(row[i] >= 0)) {
            return false;
        }
        at--;
    }
    return true;
}

static float *parse_table(const char *text, size_t n)
{
    float *count = n > 0 ? calloc(n * n, sizeof *count) : NULL;
    const char *line = strchr(text, '\n');
    bool fine = count != NULL;
    for (size_t row = 0; fine && row < n; row++) {
        const char *start = line + 1;
        line = strchr(start, '\n');
        fine = line && parse_row(start, (size_t)(line - start), n, count + row * n);
    }
    if (!fine) {
        free(count);
        return NULL;
    }
    return count;
}

float *confusion_read(const struct run *run, size_t *n_class)
{
    char path[PATH_SIZE];
    char *text;
    size_t size, n_line = 0;
    *n_class = 0;
    if (path_format(path, NULL, "%s/confusion.csv", run->folder) != STATUS_OK ||
        !file_exists(path) || file_read(path, MAX_FILE, &text, &size, NULL) != STATUS_OK) {
        return NULL;
    }
    for (const char *c = text; *c; c++) {
        n_line += *c == '\n';
    }
    size_t n = n_line > 0 && n_line - 1 <= MAX_CLASS ? n_line - 1 : 0;
    float *count = parse_table(text, n);
    free(text);
    *n_class = count ? n : 0;
    return count;
}

/* ---- the sheet ---- */

static void fill_shares(struct sheet *sheet, struct sheet_panel *panel, const float *count,
                        size_t n)
{
    float *share = sheet_grid(sheet, panel, n, n);
    for (size_t row = 0; share && row < n; row++) {
        double sum = 0;
        for (size_t c = 0; c < n; c++) {
            sum += count[row * n + c];
        }
        for (size_t c = 0; c < n; c++) {
            share[row * n + c] = sum > 0 ? (float)(count[row * n + c] / sum) : NAN;
        }
    }
}

static void label_classes(struct sheet *sheet, const struct run *run, size_t n)
{
    sheet->label = calloc(n + 1, sizeof *sheet->label);
    sheet->n_label = sheet->label ? n : 0;
    sheet->failed |= !sheet->label;
    for (size_t i = 0; i < sheet->n_label; i++) {
        char name[SAMPLES_CLASS_SIZE];
        samples_class(run, i, name);
        sheet_text(sheet, &sheet->label[i], "%s", name);
    }
}

static struct sheet *sheet_of_counts(const struct run *run, float *count, size_t n)
{
    const struct config *config = run_config(run);
    char title[2 * VARIANT_TEXT_SIZE];
    snprintf(title, sizeof title, "%s, %s", run_task_title(run), run->variant_name);
    struct sheet *sheet = sheet_create(title, 1, 1);
    if (!sheet) {
        free(count);
        return NULL;
    }
    struct sheet_panel *panel = sheet_panel_at(sheet, 0, 0);
    fill_shares(sheet, panel, count, n);
    panel->number = count;
    panel->tag =
        facets_tag((struct facets){(int)run->level[FACTOR_TASK], (int)run->level[FACTOR_VARIANT],
                                   (int)run->level[FACTOR_SETTING], FACET_ANY});
    sheet->side = SIDE;
    sheet_text(sheet, &sheet->alt, "Confusions of %s, seed %lld", run->variant_name, run_seed(run));
    sheet_text(sheet, &sheet->name, "confusion-%s", run_id(run));
    sheet_text(sheet, &panel->folder, "%s", run_id(run));
    sheet_text(sheet, &sheet->subtitle,
               "d %zu, L %zu, H %zu, %zu tokens, seed %lld: top-1 %.4f on the test images",
               config->n_embd, config->n_layer, config->n_head, config->seq_len, run_seed(run),
               run->measure[MEASURE_TOP1]);
    sheet_text(sheet, &sheet->right, "predicted class");
    sheet_text(sheet, &sheet->down, "true class");
    sheet_text(sheet, &sheet->scale_title, "share of the true class");
    label_classes(sheet, run, n);
    return sheet;
}

enum status confusion_sheet(const struct run *run, struct sheet **sheet, struct error *err)
{
    size_t n;
    float *count = confusion_read(run, &n);
    *sheet = count ? sheet_of_counts(run, count, n) : NULL;
    return count && !*sheet ? error_memory(err, "drawing confusions") : STATUS_OK;
}
