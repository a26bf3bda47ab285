/* OpenBLAS chooses its kernels by the processor's core at start-up, as ours are by the SIMD level:
 * both decide how sums are rounded, so both name the machine class.
 */
#include "lab/record/provenance.h"

#include <cblas.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/threads.h"
#include "build_info.h"
#include "nn/kernels/kernels.h"

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif

void provenance_class(char class[PROVENANCE_CLASS_SIZE])
{
    struct utsname name;
    const char *machine = uname(&name) == 0 ? name.machine : "unknown";
    snprintf(class, PROVENANCE_CLASS_SIZE, "%.40s-%.20s/%.40s", machine, kernels_level(),
             openblas_get_corename());
}

/* The first "model name : ..." of /proc/cpuinfo; systems without it have no answer here. */
static void read_cpu_name(char *cpu, size_t size)
{
    char line[256];
    snprintf(cpu, size, "unknown");
    FILE *file = fopen("/proc/cpuinfo", "re");
    while (file && fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", strlen("model name")) == 0 && colon) {
            colon[strcspn(colon, "\n")] = '\0';
            snprintf(cpu, size, "%s", colon + 1 + strspn(colon + 1, " "));
            break;
        }
    }
    if (file) {
        fclose(file);
    }
}

json_t *provenance_machine(int threads)
{
    char class[PROVENANCE_CLASS_SIZE], cpu[256];
    provenance_class(class);
    read_cpu_name(cpu, sizeof cpu);
    return json_pack("{s:s, s:s, s:i, s:i}", "class", class, "cpu", cpu, "processors",
                     threads_available(), "threads", threads);
}

json_t *provenance_build(void)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "version", BUILD_VERSION, "commit",
                     BUILD_COMMIT, "compiler", COMPILER, "flags", BUILD_FLAGS, "blas",
                     openblas_get_config(), "simd", kernels_level());
}
