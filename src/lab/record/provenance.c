#include "lab/record/provenance.h"

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
    snprintf(class, PROVENANCE_CLASS_SIZE, "%.40s-%.20s", machine, kernels_level());
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
    return json_pack("{s:s, s:s, s:s, s:s, s:s}", "version", BUILD_VERSION, "commit", BUILD_COMMIT,
                     "compiler", COMPILER, "flags", BUILD_FLAGS, "simd", kernels_level());
}

bool provenance_fact(const struct provenance *provenance, size_t i, struct provenance_fact *fact)
{
    json_t *section[] = {provenance->machine, provenance->build};
    for (size_t s = 0; s < 2; s++) {
        json_t *value;
        json_object_foreach(section[s], fact->key, value)
        {
            if (i-- > 0) {
                continue;
            }
            fact->section = s == 0 ? "machine" : "build";
            if (json_is_integer(value)) {
                snprintf(fact->text, sizeof fact->text, "%lld",
                         (long long)json_integer_value(value));
            } else {
                const char *text = json_string_value(value);
                snprintf(fact->text, sizeof fact->text, "%s", text ? text : "-");
            }
            return true;
        }
    }
    return false;
}

void provenance_forget_blas(json_t *root)
{
    json_t *machine = json_object_get(root, "machine");
    const char *class = json_get_text(machine, "class", "");
    if (strchr(class, '/')) {
        json_object_set_new(machine, "class", json_stringn(class, strcspn(class, "/")));
    }
    json_object_del(json_object_get(root, "build"), "blas");
}
