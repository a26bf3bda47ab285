/* path: names of files and folders, of bounded length. */
#ifndef QKVLAB_BASE_PATH_H
#define QKVLAB_BASE_PATH_H

#include "base/status.h"

/* path_format is snprintf into a buffer of PATH_SIZE; STATUS_USAGE if the result does not fit. */
#define PATH_SIZE 4096
enum status path_format(char path[PATH_SIZE], struct error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
