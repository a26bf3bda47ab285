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
#include "lab/baseline/baseline.h"
#include "lab/training/train.h"

#define MAX_FILE_SIZE ((size_t)64 << 20)
#define MAX_COLUMN 64
#define MAX_STEP 1e15

enum column { COLUMN_STEP, COLUMN_LOSS, COLUMN_GRAD_NORM, COLUMN_ACCURACY, COLUMN_OTHER };
static const char *const columns[] = {"step", "loss", "grad_norm", "accuracy"};

struct reader {
    const char *path;
    size_t line;
    enum column column[MAX_COLUMN];
    size_t n_column;
    bool has[COLUMN_OTHER];
    struct baseline_run *run;
    size_t capacity;
};

/* ---- words of a line ---- */

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

static enum status read_header(struct reader *reader, char *line, struct error *err)
{
    char first[64];
    snprintf(first, sizeof first, "%.*s", (int)strcspn(line, "\r"), line);
    for (char *rest = line; rest;) {
        const char *word = next_word(&rest);
        size_t i = 0;
        while (i < COLUMN_OTHER && strcasecmp(columns[i], word) != 0) {
            i++;
        }
        if (reader->n_column == MAX_COLUMN) {
            return wrong(reader, err, "at most 64 columns", word);
        }
        if (i < COLUMN_OTHER && reader->has[i]) {
            return wrong(reader, err, "each column once", word);
        }
        if (i < COLUMN_OTHER) {
            reader->has[i] = true;
        }
        reader->column[reader->n_column++] = (enum column)i;
    }
    if (!reader->has[COLUMN_STEP] || !reader->has[COLUMN_LOSS]) {
        return error_set(err, STATUS_DATA,
                         "%s:%zu: expected a first line that names the columns step and loss (and "
                         "grad_norm, accuracy, if there are any), separated by commas, found "
                         "'%.60s'",
                         reader->path, reader->line, first);
    }
    return STATUS_OK;
}

static enum status read_number(const struct reader *reader, enum column column, const char *word,
                               double *number, struct error *err)
{
    char *end;
    *number = word[0] == '\0' ? NAN : strtod(word, &end);
    if (word[0] != '\0' && (*end != '\0' || strpbrk(word, "xX"))) {
        return wrong(reader, err, "a number", word);
    }
    if (column == COLUMN_STEP &&
        !(*number >= 0 && *number <= MAX_STEP && floor(*number) == *number)) {
        return wrong(reader, err, "a whole number as step", word);
    }
    if (column == COLUMN_LOSS && isfinite(*number) && *number < 0) {
        return wrong(reader, err, "a loss of at least 0, since its logarithm is compared", word);
    }
    if (column == COLUMN_ACCURACY && (*number < 0 || *number > 1)) {
        return wrong(reader, err, "an accuracy in 0..1", word);
    }
    if (column == COLUMN_GRAD_NORM && *number < 0) {
        return wrong(reader, err, "a norm of at least 0", word);
    }
    if (column == COLUMN_GRAD_NORM && word[0] != '\0' && !isfinite(*number)) {
        *number = INFINITY;
    }
    return STATUS_OK;
}

/* ---- points ---- */

static bool grow(struct reader *reader)
{
    struct baseline_run *run = reader->run;
    if (run->n_point < reader->capacity) {
        return true;
    }
    size_t capacity = 2 * reader->capacity + 256;
    size_t *step = realloc(run->step, capacity * sizeof *step);
    run->step = step ? step : run->step;
    double **list[] = {&run->loss, &run->grad_norm, &run->accuracy};
    bool enough = step != NULL;
    for (size_t i = 0; i < 3; i++) {
        double *grown = realloc(*list[i], capacity * sizeof *grown);
        *list[i] = grown ? grown : *list[i];
        enough = enough && grown;
    }
    reader->capacity = enough ? capacity : reader->capacity;
    return enough;
}

static enum status add_point(struct reader *reader, const double value[COLUMN_OTHER],
                             struct error *err)
{
    struct baseline_run *run = reader->run;
    size_t step = (size_t)value[COLUMN_STEP], n = run->n_point;
    if (n > 0 && step <= run->step[n - 1]) {
        return error_set(err, STATUS_DATA, "%s:%zu: step %zu does not come after step %zu",
                         reader->path, reader->line, step, run->step[n - 1]);
    }
    if (!grow(reader)) {
        return error_set(err, STATUS_MEMORY, "out of memory for %s", reader->path);
    }
    run->step[n] = step;
    run->loss[n] = value[COLUMN_LOSS];
    run->grad_norm[n] = value[COLUMN_GRAD_NORM];
    run->accuracy[n] = value[COLUMN_ACCURACY];
    run->n_point++;
    run->diverged = !(fabs(value[COLUMN_LOSS]) <= TRAIN_DIVERGED_LOSS);
    return STATUS_OK;
}

static size_t count_cells(const char *line)
{
    size_t n = 1;
    while ((line = strchr(line, ',')) != NULL) {
        line++;
        n++;
    }
    return n;
}

static enum status read_line(struct reader *reader, char *line, struct error *err)
{
    double value[COLUMN_OTHER] = {NAN, NAN, NAN, NAN}, number;
    size_t n_cell = count_cells(line);
    if (n_cell != reader->n_column) {
        return error_set(err, STATUS_DATA, "%s:%zu: expected %zu cells, found %zu", reader->path,
                         reader->line, reader->n_column, n_cell);
    }
    char *rest = line;
    for (size_t i = 0; i < n_cell; i++) {
        const char *word = next_word(&rest);
        enum column column = reader->column[i];
        if (column == COLUMN_OTHER) {
            continue;
        }
        enum status status = read_number(reader, column, word, &number, err);
        if (status != STATUS_OK) {
            return status;
        }
        value[column] = number;
    }
    return add_point(reader, value, err);
}

/* read_lines ends where a run has diverged: what a program writes then is no training. */
static enum status read_lines(struct reader *reader, char *text, struct error *err)
{
    enum status status = STATUS_OK;
    for (char *rest = text; rest && status == STATUS_OK && !reader->run->diverged;) {
        char *line = rest, *end = strchr(line, '\n');
        if (end) {
            *end = '\0';
        }
        rest = end ? end + 1 : NULL;
        reader->line++;
        line += strspn(line, " \t\r\xef\xbb\xbf");
        if (line[0] == '\0' || line[0] == '#') {
            continue;
        }
        status =
            reader->n_column == 0 ? read_header(reader, line, err) : read_line(reader, line, err);
    }
    if (status == STATUS_OK && reader->run->n_point == 0) {
        status = error_set(err, STATUS_DATA, "%s: there is no line with numbers", reader->path);
    }
    return status;
}

static void drop_missing(const struct reader *reader)
{
    if (!reader->has[COLUMN_GRAD_NORM]) {
        free(reader->run->grad_norm);
        reader->run->grad_norm = NULL;
    }
    if (!reader->has[COLUMN_ACCURACY]) {
        free(reader->run->accuracy);
        reader->run->accuracy = NULL;
    }
}

static enum status read_file(const char *path, struct baseline_run *run, struct error *err)
{
    char *text;
    size_t size;
    enum status status = file_read(path, MAX_FILE_SIZE, &text, &size, err);
    if (status != STATUS_OK) {
        return status;
    }
    struct reader reader = {.path = path, .run = run};
    status = strlen(text) == size
                 ? read_lines(&reader, text, err)
                 : error_set(err, STATUS_DATA, "%s: no text: it holds a zero byte", path);
    if (status == STATUS_OK) {
        drop_missing(&reader);
        baseline_settle(run);
    }
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

static enum status add_curve(struct baseline_part *part, const char *folder, const char *name,
                             struct error *err)
{
    char path[PATH_SIZE];
    struct baseline_run *run = &part->run[part->n_run];
    uint64_t seed = seed_in(name, part->n_run);
    if (baseline_find_run(part, seed)) {
        seed = UINT32_MAX + (uint64_t)part->n_run;
    }
    enum status status = path_format(path, err, "%s/%s", folder, name);
    part->n_run++;
    if (status == STATUS_OK) {
        status = read_file(path, run, err);
    }
    run->seed = seed;
    if (status == STATUS_OK && !run->diverged &&
        baseline_step(run, run->n_point - 1) >= part->n_step) {
        part->n_step = baseline_step(run, run->n_point - 1) + 1;
    }
    return status;
}

/* add_part reads the curves of a folder as a part of its own; none of it where there are none. */
static enum status add_part(struct baseline *baseline, const char *folder, const char *name,
                            struct error *err)
{
    char **file = NULL;
    size_t n_file = 0, n_curve = 0;
    enum status status = folder_list(folder, &file, &n_file, err);
    for (size_t i = 0; i < n_file; i++) {
        n_curve += is_curve(file[i]);
    }
    if (status != STATUS_OK || n_curve == 0) {
        folder_list_free(file, n_file);
        return status;
    }
    struct baseline_part *grown =
        realloc(baseline->part, (baseline->n_part + 1) * sizeof *baseline->part);
    struct baseline_run *run = calloc(n_curve, sizeof *run);
    if (grown && run) {
        struct baseline_part *part = &grown[baseline->n_part++];
        *part = (struct baseline_part){.run = run};
        snprintf(part->name, sizeof part->name, "%s", name);
        for (size_t i = 0; i < n_file && status == STATUS_OK; i++) {
            status = is_curve(file[i]) ? add_curve(part, folder, file[i], err) : STATUS_OK;
        }
    } else {
        free(run);
        status = error_set(err, STATUS_MEMORY, "out of memory for the curves of %s", folder);
    }
    baseline->part = grown ? grown : baseline->part;
    folder_list_free(file, n_file);
    return status;
}

static enum status add_subfolders(struct baseline *baseline, const char *folder, struct error *err)
{
    char **name, path[PATH_SIZE];
    size_t n_name;
    enum status status = folder_list(folder, &name, &n_name, err);
    if (status != STATUS_OK) {
        return status;
    }
    for (size_t i = 0; i < n_name && status == STATUS_OK; i++) {
        status = path_format(path, err, "%s/%s", folder, name[i]);
        if (status == STATUS_OK && name[i][0] != '.' && folder_exists(path)) {
            status = add_part(baseline, path, name[i], err);
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

enum status baseline_read_curves(const char *folder, struct baseline *baseline, struct error *err)
{
    *baseline = (struct baseline){0};
    enum status status = add_part(baseline, folder, base_name(folder), err);
    if (status == STATUS_OK && baseline->n_part == 0) {
        status = add_subfolders(baseline, folder, err);
    }
    if (status == STATUS_OK && baseline->n_part == 0) {
        status = error_set(err, STATUS_DATA, "%s: there are no curves (*.csv) in it", folder);
    }
    return status;
}
