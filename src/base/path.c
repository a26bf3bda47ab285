#include "base/path.h"

#include <stdarg.h>
#include <stdio.h>

enum status path_format(char path[PATH_SIZE], struct error *err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(path, PATH_SIZE, format, args);
    va_end(args);
    if (length < 0 || length >= PATH_SIZE) {
        return error_set(err, STATUS_USAGE,
                         "a path has %d bytes, expected at most %d: choose a shorter folder "
                         "(it begins %.60s)",
                         length, PATH_SIZE - 1, path);
    }
    return STATUS_OK;
}
