/* html_images: what runs on images keep beside a curve: an accuracy after each epoch, and which
 * class was taken for which.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/path.h"
#include "report/html/html_data.h"
#include "report/runs/confusion.h"

#define MAX_FILE ((size_t)4 << 20)
#define N_COLUMN 6    /* epoch, train_loss, test_loss, top1, top5, train_top1 (not in older runs) */
#define COUNT_CHARS 4 /* of a count with its comma, on average */

/* ---- epochs ---- */

/* strtod would look for a number in the next line, too. */
static double read_number(const char **line)
{
    char *end = (char *)*line;
    double value = **line == '\n' ? NAN : strtod(*line, &end);
    value = end == *line ? NAN : value;
    *line = *end == ',' ? end + 1 : end;
    return value;
}

static json_t *epoch_json(const char *line)
{
    json_t *row = json_array();
    for (size_t i = 0; i < N_COLUMN; i++) {
        json_array_append_new(row, json_number(read_number(&line)));
    }
    return row;
}

static json_t *epochs_json(const struct run *run)
{
    char path[PATH_SIZE], *text, *next;
    size_t size;
    if (path_format(path, NULL, "%s/epochs.csv", run->folder) != STATUS_OK || !file_exists(path) ||
        file_read(path, MAX_FILE, &text, &size, NULL) != STATUS_OK) {
        return NULL;
    }
    json_t *rows = json_array();
    for (char *line = strchr(text, '\n'); line && line[1]; line = next) {
        next = strchr(line + 1, '\n');
        json_array_append_new(rows, epoch_json(line + 1));
    }
    free(text);
    return rows;
}

static void add_epochs(const struct html_index *index, const struct cell *cell, json_t *object)
{
    json_t *runs = json_array();
    for (size_t i = 0; i < cell->n_run; i++) {
        json_t *epochs = run_is_ok(&cell->run[i]) ? epochs_json(&cell->run[i]) : NULL;
        if (epochs) {
            json_int_t number = (json_int_t)html_run_number(index, &cell->run[i]);
            json_array_append_new(runs, json_pack("[I, o]", number, epochs));
        }
    }
    if (json_array_size(runs) > 0) {
        json_object_set(object, "epochs", runs);
    }
    json_decref(runs);
}

/* ---- confusions ---- */

static json_t *confusion_json(const struct html_index *index, const struct run *run,
                              const double *count, size_t n_class)
{
    json_t *counts = json_array();
    const json_t *data = json_object_get(run->root, "data");
    json_t *names = json_object_get(data, "class_name");
    for (size_t i = 0; i < n_class * n_class; i++) {
        json_array_append_new(counts, json_integer((json_int_t)count[i]));
    }
    return json_pack("{s:I, s:I, s:o, s:O}", "run", (json_int_t)html_run_number(index, run),
                     "n_class", (json_int_t)n_class, "count", counts, "names",
                     names ? names : json_null());
}

/* Of the first finished run; *size counts what all confusions take. */
static bool add_confusion(const struct html_index *index, const struct cell *cell, json_t *object,
                          size_t *size)
{
    size_t i = 0, n_class;
    while (i < cell->n_run && !run_is_ok(&cell->run[i])) {
        i++;
    }
    double *count = i < cell->n_run ? confusion_read(&cell->run[i], &n_class) : NULL;
    if (!count) {
        return true;
    }
    size_t more = n_class * n_class * COUNT_CHARS;
    bool fits = *size + more <= HTML_COUNT_BUDGET;
    if (fits) {
        *size += more;
        json_object_set_new(object, "confusion",
                            confusion_json(index, &cell->run[i], count, n_class));
    }
    free(count);
    return fits;
}

json_t *html_add_images(const struct html_index *index, json_t *cells)
{
    size_t size = 0, n_left_out = 0;
    for (size_t i = index->set->n_cell; i < html_n_cell(index); i++) {
        json_t *object = json_array_get(cells, i);
        add_epochs(index, html_cell(index, i), object);
        n_left_out += !add_confusion(index, html_cell(index, i), object, &size);
    }
    return json_pack("{s:I}", "n_left_out", (json_int_t)n_left_out);
}
