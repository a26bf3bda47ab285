/* report_folder: a report replaces the one before as a whole.
 *
 * It is written into <out>/.report.partial and takes the place of <out>/report in one step, so that
 * no reader finds files of two reports beside each other, and a full disk costs nothing that was
 * there. The report's own files are listed in its file ".files"; what else lies in its folder is
 * somebody's own and moves on into the new one. Two reports at once come one after the other.
 */
#ifndef QKVLAB_REPORT_REPORT_FOLDER_H
#define QKVLAB_REPORT_REPORT_FOLDER_H

#include "base/file.h"
#include "base/status.h"

struct report_folder {
    char path[PATH_SIZE];  /* <out>/report, behind a symbolic link its target */
    char work[PATH_SIZE];  /* where to write */
    char aside[PATH_SIZE]; /* where the old report is while folders change places by renames */
    int lock;
};

/* report_folder_begin makes an empty work folder, waiting for another report of the same folder.
 * End it with report_folder_finish or report_folder_abandon, but not on failure. Errors:
 * STATUS_WRITE. */
enum status report_folder_begin(const char *out, struct report_folder *folder, struct error *err);

/* report_folder_finish puts the work folder into place. On failure the old report is still there.
 * Errors: STATUS_WRITE. */
enum status report_folder_finish(struct report_folder *folder, struct error *err);
void report_folder_abandon(struct report_folder *folder);

#endif
