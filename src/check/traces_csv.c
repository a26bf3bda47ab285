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
#include "base/path.h"
#include "check/traces.h"
#include "lab/training/train.h"

#define MAX_FILE_SIZE ((size_t)64 << 20)
#define MAX_COLUMN 64
#define MAX_STEP 1e15

/* A column of the file is a curve, or one of these. */
enum { COLUMN_STEP = CURVE_COUNT, COLUMN_OTHER };

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
    char *end;
    double x = *number = word[0] == '\0' ? NAN : strtod(word, &end);
    if (word[0] != '\0' && (*end != '\0' || strpbrk(word, "xX"))) {
        return wrong(reader, err, "a number", word);
    }
    if (column == COLUMN_STEP && !(x >= 0 && x <= MAX_STEP && floor(x) == x)) {
        return wrong(reader, err, "a whole number as step", word);
    }
    if (column == CURVE_LOSS && isfinite(x) && x < 0) {
        return wrong(reader, err, "a loss of at least 0, since its logarithm is compared", word);
    }
    if (column == CURVE_ACCURACY && (x < 0 || x > 1)) {
        return wrong(reader, err, "an accuracy in 0..1", word);
    }
    if (column == CURVE_GRAD_NORM && x < 0) {
        return wrong(reader, err, "a norm of at least 0", word);
    }
    if (column == CURVE_GRAD_NORM && word[0] != '\0' && !isfinite(x)) {
        *number = INFINITY;
    }
    return STATUS_OK;
}

static bool grow(struct reader *reader)
{
    struct trace *trace = reader->trace;
    if (trace->n_point < reader->capacity) {
        return true;
    }
    size_t capacity = 2 * reader->capacity + 256;
    size_t *step = realloc(trace->step, capacity * sizeof *step);
    trace->step = step ? step : trace->step;
    bool enough = step != NULL;
    for (size_t c = 0; c < CURVE_COUNT && enough; c++) {
        double *curve = reader->has[c] ? realloc(trace->curve[c], capacity * sizeof *curve) : NULL;
        trace->curve[c] = curve ? curve : trace->curve[c];
        enough = curve || !reader->has[c];
    }
    reader->capacity = enough ? capacity : reader->capacity;
    return enough;
}

static enum status add_point(struct reader *reader, const double value[COLUMN_OTHER],
                             struct error *err)
{
    struct trace *trace = reader->trace;
    size_t step = (size_t)value[COLUMN_STEP], n = trace->n_point;
    if (n > 0 && step <= trace->step[n - 1]) {
        return error_set(err, STATUS_DATA, "%s:%zu: step %zu does not come after step %zu",
                         reader->path, reader->line, step, trace->step[n - 1]);
    }
    if (!grow(reader)) {
        return error_memory(err, "reading %s", reader->path);
    }
    trace->step[n] = step;
    for (size_t c = 0; c < CURVE_COUNT; c++) {
        if (trace->curve[c]) {
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

static enum status add_curve(struct part *part, const char *folder, const char *name,
                             struct error *err)
{
    char path[PATH_SIZE];
    TRY(path_format(path, err, "%s/%s", folder, name));
    uint64_t seed = seed_in(name, part->n_trace);
    if (part_trace(part, seed)) {
        seed = UINT32_MAX + (uint64_t)part->n_trace;
    }
    struct trace *trace = &part->trace[part->n_trace++];
    trace->seed = seed;
    TRY(read_file(path, trace, err));
    if (!trace->diverged && trace_last_step(trace) >= part->n_step) {
        part->n_step = trace_last_step(trace) + 1;
    }
    return STATUS_OK;
}

/* add_part reads the curves among the names of a folder's files as a part. */
static enum status add_part(struct traces *traces, const char *folder, const char *name,
                            char *const *file, size_t n_file, struct error *err)
{
    struct part *grown = realloc(traces->part, (traces->n_part + 1) * sizeof *grown);
    traces->part = grown ? grown : traces->part;
    struct part part = {.trace = calloc(n_file, sizeof *part.trace)};
    if (!grown || !part.trace) {
        free(part.trace);
        return error_memory(err, "reading the curves of %s", folder);
    }
    snprintf(part.name, sizeof part.name, "%s", name);
    traces->part[traces->n_part++] = part;
    for (size_t i = 0; i < n_file; i++) {
        if (is_curve(file[i])) {
            TRY(add_curve(&traces->part[traces->n_part - 1], folder, file[i], err));
        }
    }
    return STATUS_OK;
}

/* add_folder adds a part where the folder has curves. */
static enum status add_folder(struct traces *traces, const char *folder, const char *name,
                              struct error *err)
{
    char **file;
    size_t n_file, n_curve = 0;
    TRY(folder_list(folder, &file, &n_file, err));
    for (size_t i = 0; i < n_file; i++) {
        n_curve += is_curve(file[i]);
    }
    enum status status =
        n_curve == 0 ? STATUS_OK : add_part(traces, folder, name, file, n_file, err);
    folder_list_free(file, n_file);
    return status;
}

static enum status add_subfolders(struct traces *traces, const char *folder, struct error *err)
{
    char **name, path[PATH_SIZE];
    size_t n_name;
    TRY(folder_list(folder, &name, &n_name, err));
    enum status status = STATUS_OK;
    for (size_t i = 0; i < n_name && status == STATUS_OK; i++) {
        status = path_format(path, err, "%s/%s", folder, name[i]);
        if (status == STATUS_OK && name[i][0] != '.' && folder_exists(path)) {
            status = add_folder(traces, path, name[i], err);
        }
    }
    folder_list_free(name, n_name);
    return status;
}

static const char *base_name(const char *folder)
{
    const char *slash = strrchr(folder, '/');
    return slash && slash[1] ? slash + 1 : slash ? "curves" : folder;
}

enum status traces_read_curves(const char *folder, struct traces *traces, struct error *err)
{
    *traces = (struct traces){0};
    TRY(add_folder(traces, folder, base_name(folder), err));
    if (traces->n_part == 0) {
        TRY(add_subfolders(traces, folder, err));
    }
    if (traces->n_part == 0) {
        return error_set(err, STATUS_DATA, "%s: there are no curves (*.csv) in it", folder);
    }
    return STATUS_OK;
}
