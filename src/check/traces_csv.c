/* Curves of any program, one CSV file a seed:
 *
 *     step,loss,grad_norm,accuracy
 *     0,2.61,1.84,0.10
 *     1,2.55,1.90,0.11
 *
 * The first line names the columns, in any order. step and loss are needed, grad_norm and accuracy
 * (of the training batch, 0 to 1) are compared where all files have them, other columns are not
 * read. Steps are whole numbers that ascend; they need not begin at 0 nor be next to each other.
 * Losses are at least 0, since their logarithms are compared. One that is nan, inf, empty or above
 * 1e6 is that of a run that diverged, and ends it. An empty grad_norm or accuracy was not written
 * down at that step; a grad_norm that is nan or inf counts as a very large one. Empty lines and
 * lines that begin with # are passed over.
 *
 * The seed is the last number in the file's name (seed_3.csv, run-0003.csv), else its place in the
 * folder. Seeds of another program mean nothing but "another one".
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/folder.h"
#include "check/traces.h"
#include "lab/training/train.h"

#define MAX_FILE_SIZE ((size_t)64 << 20)
#define MAX_COLUMN 64

/* A column of the file is a curve, or one of these. */
enum { COLUMN_STEP = CURVE_COUNT, COLUMN_OTHER };

static const struct {
    double low, high;
    const char *expected; /* where a number is not between them */
} ranges[COLUMN_OTHER] = {
    [CURVE_LOSS] = {0, INFINITY, "a loss of at least 0, since its logarithm is compared"},
    [CURVE_GRAD_NORM] = {0, INFINITY, "a norm of at least 0"},
    [CURVE_ACCURACY] = {0, 1, "an accuracy in 0..1"},
    [COLUMN_STEP] = {0, TRACE_MAX_STEP, "a whole number as step"},
};

struct reader {
    const char *path;
    size_t line;
    size_t column[MAX_COLUMN]; /* [n_column] what each one is */
    size_t n_column;
    bool has[COLUMN_OTHER];
    struct trace *trace;
    size_t capacity; /* of its arrays */
};

/* ---- a line ---- */

static char *trim(char *word)
{
    word += strspn(word, " \t\"");
    size_t n = strlen(word);
    while (n > 0 && strchr(" \t\r\"", word[n - 1])) {
        word[--n] = '\0';
    }
    return word;
}

/* next_word cuts the next cell off; *rest is NULL behind the last. */
static char *next_word(char **rest)
{
    char *word = *rest, *comma = strchr(word, ',');
    if (comma) {
        *comma = '\0';
    }
    *rest = comma ? comma + 1 : NULL;
    return trim(word);
}

static enum status wrong(const struct reader *reader, struct error *err, const char *what,
                         const char *found)
{
    return error_set(err, STATUS_DATA, "%s:%zu: expected %s, found '%.60s'", reader->path,
                     reader->line, what, found);
}

static size_t column_of(const char *word)
{
    for (size_t c = 0; c < CURVE_COUNT; c++) {
        if (strcasecmp(curve_keys[c], word) == 0) {
            return c;
        }
    }
    return strcasecmp(word, "step") == 0 ? COLUMN_STEP : COLUMN_OTHER;
}

static enum status read_header(struct reader *reader, char *line, struct error *err)
{
    char first[64];
    snprintf(first, sizeof first, "%.*s", (int)strcspn(line, "\r"), line);
    for (char *rest = line; rest;) {
        const char *word = next_word(&rest);
        size_t column = column_of(word);
        if (reader->n_column == MAX_COLUMN) {
            return wrong(reader, err, "at most 64 columns", word);
        }
        if (column != COLUMN_OTHER && reader->has[column]) {
            return wrong(reader, err, "each column once", word);
        }
        if (column != COLUMN_OTHER) {
            reader->has[column] = true;
        }
        reader->column[reader->n_column++] = column;
    }
    if (!reader->has[COLUMN_STEP] || !reader->has[CURVE_LOSS]) {
        return error_set(err, STATUS_DATA,
                         "%s:%zu: expected a first line that names the columns step and loss (and "
                         "grad_norm, accuracy, if there are any), separated by commas, found "
                         "'%.60s'",
                         reader->path, reader->line, first);
    }
    return STATUS_OK;
}

static enum status read_number(const struct reader *reader, size_t column, const char *word,
                               double *number, struct error *err)
{
    char *end = NULL;
    double x = word[0] == '\0' ? NAN : strtod(word, &end);
    if (end && (*end != '\0' || strpbrk(word, "xX"))) {
        return wrong(reader, err, "a number", word);
    }
    bool diverged = column == CURVE_LOSS && !isfinite(x);
    bool fraction = column == COLUMN_STEP && !(floor(x) == x);
    if (fraction || (!diverged && (x < ranges[column].low || x > ranges[column].high))) {
        return wrong(reader, err, ranges[column].expected, word);
    }
    *number = column == CURVE_GRAD_NORM && end && isnan(x) ? INFINITY : x;
    return STATUS_OK;
}

static bool grow(double **list, size_t capacity)
{
    double *grown = realloc(*list, capacity * sizeof *grown);
    *list = grown ? grown : *list;
    return grown != NULL;
}

static enum status add_point(struct reader *reader, const double value[COLUMN_OTHER],
                             struct error *err)
{
    struct trace *trace = reader->trace;
    size_t n = trace->n_point;
    if (n > 0 && value[COLUMN_STEP] <= trace->step[n - 1]) {
        return error_set(err, STATUS_DATA, "%s:%zu: step %.0f does not come after step %.0f",
                         reader->path, reader->line, value[COLUMN_STEP], trace->step[n - 1]);
    }
    if (n == reader->capacity) {
        reader->capacity = 2 * n + 256;
        bool enough = grow(&trace->step, reader->capacity);
        for (size_t c = 0; c < CURVE_COUNT; c++) {
            enough = (!reader->has[c] || grow(&trace->curve[c], reader->capacity)) && enough;
        }
        if (!enough) {
            return error_memory(err, "reading %s", reader->path);
        }
    }
    trace->step[n] = value[COLUMN_STEP];
    for (size_t c = 0; c < CURVE_COUNT; c++) {
        if (reader->has[c]) {
            trace->curve[c][n] = value[c];
        }
    }
    trace->n_point++;
    trace->diverged = !(fabs(value[CURVE_LOSS]) <= TRAIN_DIVERGED_LOSS);
    return STATUS_OK;
}

static enum status read_line(struct reader *reader, char *line, struct error *err)
{
    double value[COLUMN_OTHER + 1] = {0};
    size_t n_cell = 1;
    for (const char *comma = line; (comma = strchr(comma, ',')) != NULL; comma++) {
        n_cell++;
    }
    if (n_cell != reader->n_column) {
        return error_set(err, STATUS_DATA, "%s:%zu: expected %zu cells, found %zu", reader->path,
                         reader->line, reader->n_column, n_cell);
    }
    char *rest = line;
    for (size_t i = 0; i < n_cell; i++) {
        const char *word = next_word(&rest);
        size_t column = reader->column[i];
        if (column != COLUMN_OTHER) {
            TRY(read_number(reader, column, word, &value[column], err));
        }
    }
    return add_point(reader, value, err);
}

/* read_lines ends where a training has diverged: what a program writes then is none. */
static enum status read_lines(struct reader *reader, char *text, struct error *err)
{
    for (char *rest = text; rest && !reader->trace->diverged;) {
        char *line = rest, *end = strchr(line, '\n');
        if (end) {
            *end = '\0';
        }
        rest = end ? end + 1 : NULL;
        reader->line++;
        line += strspn(line, " \t\r\xef\xbb\xbf");
        if (line[0] != '\0' && line[0] != '#') {
            TRY(reader->n_column == 0 ? read_header(reader, line, err)
                                      : read_line(reader, line, err));
        }
    }
    if (reader->trace->n_point == 0) {
        return error_set(err, STATUS_DATA, "%s: there is no line with numbers", reader->path);
    }
    trace_settle(reader->trace);
    return STATUS_OK;
}

static enum status read_file(const char *path, struct trace *trace, struct error *err)
{
    char *text;
    size_t size;
    TRY(file_read(path, MAX_FILE_SIZE, &text, &size, err));
    struct reader reader = {.path = path, .trace = trace};
    enum status status =
        strlen(text) == size
            ? read_lines(&reader, text, err)
            : error_set(err, STATUS_DATA, "%s: no text: it holds a zero byte", path);
    free(text);
    return status;
}

/* ---- folders ---- */

static bool is_curve(const char *name)
{
    size_t n = strlen(name);
    return name[0] != '.' && n > 4 && strcasecmp(name + n - 4, ".csv") == 0;
}

/* The last number of a name, or fallback. */
static uint64_t seed_in(const char *name, uint64_t fallback)
{
    size_t end = strlen(name);
    while (end > 0 && !isdigit((unsigned char)name[end - 1])) {
        end--;
    }
    size_t start = end;
    while (start > 0 && isdigit((unsigned char)name[start - 1])) {
        start--;
    }
    return end > start && end - start < 16 ? strtoull(name + start, NULL, 10) : fallback;
}

static enum status add_curve(struct cohort *cohort, const char *path, const char *name,
                             struct error *err)
{
    uint64_t seed = seed_in(name, cohort->n_trace);
    if (cohort_trace(cohort, seed)) {
        seed = UINT32_MAX + (uint64_t)cohort->n_trace;
    }
    struct trace *grown = realloc(cohort->trace, (cohort->n_trace + 1) * sizeof *grown);
    if (!grown) {
        return error_memory(err, "reading %s", path);
    }
    cohort->trace = grown;
    struct trace *trace = &cohort->trace[cohort->n_trace++];
    *trace = (struct trace){.seed = seed};
    TRY(read_file(path, trace, err));
    if (!trace->diverged && trace_last_step(trace) >= cohort->n_step) {
        cohort->n_step = trace_last_step(trace) + 1;
    }
    return STATUS_OK;
}

/* add_files adds the curves among the files of a folder as a cohort. */
static enum status add_files(struct traces *traces, const char *folder, const char *cohort_name,
                             char *const *file, size_t n_file, struct error *err)
{
    char path[PATH_SIZE];
    struct cohort *cohort = NULL;
    for (size_t i = 0; i < n_file; i++) {
        if (!is_curve(file[i])) {
            continue;
        }
        if (!cohort) {
            cohort = realloc(traces->cohort, (traces->n_cohort + 1) * sizeof *cohort);
            if (!cohort) {
                return error_memory(err, "reading the curves of %s", folder);
            }
            traces->cohort = cohort;
            cohort += traces->n_cohort++;
            *cohort = (struct cohort){0};
            snprintf(cohort->name, sizeof cohort->name, "%s", cohort_name);
        }
        TRY(path_format(path, err, "%s/%s", folder, file[i]));
        TRY(add_curve(cohort, path, file[i], err));
    }
    return STATUS_OK;
}

static enum status add_subfolders(struct traces *traces, const char *folder, char *const *name,
                                  size_t n_name, struct error *err)
{
    for (size_t i = 0; i < n_name; i++) {
        char path[PATH_SIZE], **file;
        size_t n_file;
        TRY(path_format(path, err, "%s/%s", folder, name[i]));
        if (name[i][0] != '.' && folder_exists(path)) {
            TRY(folder_list(path, &file, &n_file, err));
            enum status status = add_files(traces, path, name[i], file, n_file, err);
            folder_list_free(file, n_file);
            TRY(status);
        }
    }
    return STATUS_OK;
}

static enum status read_folder(struct traces *traces, const char *folder, char *const *name,
                               size_t n_name, struct error *err)
{
    const char *slash = strrchr(folder, '/');
    const char *base = slash && slash[1] ? slash + 1 : slash ? "curves" : folder;
    TRY(add_files(traces, folder, base, name, n_name, err));
    if (traces->n_cohort == 0) {
        TRY(add_subfolders(traces, folder, name, n_name, err));
    }
    return traces->n_cohort > 0
               ? STATUS_OK
               : error_set(err, STATUS_DATA, "%s: there are no curves (*.csv) in it", folder);
}

enum status traces_read_curves(const char *folder, struct traces *traces, struct error *err)
{
    char **name;
    size_t n_name;
    *traces = (struct traces){0};
    TRY(folder_list(folder, &name, &n_name, err));
    enum status status = read_folder(traces, folder, name, n_name, err);
    folder_list_free(name, n_name);
    return status;
}
