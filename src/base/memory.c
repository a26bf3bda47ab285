#include "base/memory.h"

#include <stdio.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

/* Reads "NAME:  123 kB" of /proc/self/status. */
static size_t read_status(const char *name)
{
    char line[256];
    size_t kib = 0, n = strlen(name);
    FILE *file = fopen("/proc/self/status", "re");
    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, name, n) == 0 && line[n] == ':' &&
            sscanf(line + n + 1, "%zu", &kib) == 1) {
            break;
        }
    }
    if (file) {
        fclose(file);
    }
    return kib * 1024;
}

size_t memory_resident(void)
{
    return read_status("VmRSS");
}

size_t memory_peak(void)
{
    return read_status("VmHWM");
}

void memory_reset_peak(void)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
    FILE *file = fopen("/proc/self/clear_refs", "we");
    if (file) {
        fputs("5", file); /* proc(5): resets VmHWM to the current VmRSS */
        fclose(file);
    }
}
