/* fuzz: what the targets share. A target is one file fuzz_<reader>.c with LLVMFuzzerTestOneInput,
 * which gives bytes to a reader that must answer or refuse, and never crash, hang or leak.
 */
#ifndef QKVLAB_TESTS_FUZZ_H
#define QKVLAB_TESTS_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* fuzz_file puts data into a file in memory and writes its path; close the descriptor it returns.
 */
#define FUZZ_PATH_SIZE 64
static inline int fuzz_file(const uint8_t *data, size_t size, char path[FUZZ_PATH_SIZE])
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size) {
        perror("memfd_create");
        abort();
    }
    snprintf(path, FUZZ_PATH_SIZE, "/proc/self/fd/%d", fd);
    return fd;
}

#endif
