/* A finished run has a curve to its end, too: a disk that was full shows there. Thousands of runs
 * are looked at before a sweep, so of curve.csv only the end is read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "lab/record/record.h"

/* Longer than any line of curve.csv. */
#define TAIL_SIZE 512

/* read_last_line returns what begins the last whole line; NULL where the file does not end with
 * one. */
static const char *read_last_line(const char *path, char tail[TAIL_SIZE])
{
    FILE *file = fopen(path, "rbe");
    size_t size = 0;
    if (!file) {
        return NULL;
    }
    if (fseek(file, -(TAIL_SIZE - 1), SEEK_END) == 0 || fseek(file, 0, SEEK_SET) == 0) {
        size = fread(tail, 1, TAIL_SIZE - 1, file);
    }
    fclose(file);
    if (size == 0 || tail[size - 1] != '\n') {
        return NULL;
    }
    tail[size - 1] = '\0';
    const char *before = strrchr(tail, '\n');
    return before ? before + 1 : NULL;
}

/* The last line of curve.csv is that of the last step. */
static enum status check_curve(const char *folder, size_t n_step, struct error *err)
{
    char path[PATH_SIZE], tail[TAIL_SIZE], *end;
    if (n_step < 1) {
        return STATUS_OK;
    }
    TRY(path_format(path, err, "%s/curve.csv", folder));
    if (!file_exists(path)) {
        return error_set(err, STATUS_DATA, "%s is missing", path);
    }
    const char *line = read_last_line(path, tail);
    if (line && strtoull(line, &end, 10) == n_step - 1 && end != line && *end == ',') {
        return STATUS_OK;
    }
    return error_set(err, STATUS_DATA, "%s is cut short: it does not end with step %zu", path,
                     n_step - 1);
}

enum status record_read(const char *folder, struct run_record *run, struct error *err)
{
    TRY(run_record_read(folder, run, err));
    if (run->status == RUN_STATUS_FAILED) {
        return error_set(err, STATUS_DATA, "%s/run.json: status is failed, expected ok or diverged",
                         folder);
    }
    return check_curve(folder, run_record_n_step(run), err);
}

bool record_load(const char *out, const char *id, struct run_record *run)
{
    char folder[PATH_SIZE];
    *run = (struct run_record){0};
    return record_path(out, id, folder, NULL) == STATUS_OK &&
           record_read(folder, run, NULL) == STATUS_OK;
}
