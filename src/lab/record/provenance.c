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

struct provenance provenance_here(int threads)
{
    static char class[PROVENANCE_CLASS_SIZE], cpu[256];
    provenance_class(class);
    read_cpu_name(cpu, sizeof cpu);
    return (struct provenance){
        .class = class,
        .cpu = cpu,
        .processors = threads_available(),
        .threads = threads,
        .version = BUILD_VERSION,
        .commit = BUILD_COMMIT,
        .compiler = COMPILER,
        .flags = BUILD_FLAGS,
        .simd = kernels_level(),
    };
}

/* ---- facts by name ---- */

struct row {
    const char *section, *key;
    bool whole; /* a long, else a text */
    size_t offset;
};

#define FACT(section, member, whole)                                                               \
    {                                                                                              \
        section, #member, whole, offsetof(struct provenance, member)                               \
    }
static const struct row ROWS[] = {
    FACT("machine", class, false),     FACT("machine", cpu, false),
    FACT("machine", processors, true), FACT("machine", threads, true),
    FACT("build", version, false),     FACT("build", commit, false),
    FACT("build", compiler, false),    FACT("build", flags, false),
    FACT("build", simd, false),
};
#define N_ROW (sizeof ROWS / sizeof ROWS[0])

static long whole_of(const struct provenance *provenance, const struct row *row)
{
    return *(const long *)((const char *)provenance + row->offset);
}

static const char *text_of(const struct provenance *provenance, const struct row *row)
{
    return *(const char *const *)((const char *)provenance + row->offset);
}

bool provenance_fact(const struct provenance *provenance, size_t i, struct provenance_fact *fact)
{
    if (i >= N_ROW) {
        return false;
    }
    fact->section = ROWS[i].section;
    fact->key = ROWS[i].key;
    if (ROWS[i].whole) {
        snprintf(fact->text, sizeof fact->text, "%ld", whole_of(provenance, &ROWS[i]));
    } else {
        const char *text = text_of(provenance, &ROWS[i]);
        snprintf(fact->text, sizeof fact->text, "%s", text ? text : "-");
    }
    return true;
}

json_t *provenance_json(const struct provenance *provenance, const char *section)
{
    json_t *object = json_object();
    for (size_t i = 0; i < N_ROW; i++) {
        const struct row *row = &ROWS[i];
        if (strcmp(row->section, section) == 0) {
            json_object_set_new(object, row->key,
                                row->whole ? json_integer(whole_of(provenance, row))
                                           : json_string(text_of(provenance, row)));
        }
    }
    return object;
}

void provenance_read(struct provenance *provenance, const char *section, const json_t *object)
{
    for (size_t i = 0; i < N_ROW; i++) {
        const struct row *row = &ROWS[i];
        void *member = (char *)provenance + row->offset;
        if (strcmp(row->section, section) != 0) {
            continue;
        }
        if (row->whole) {
            *(long *)member = (long)json_get_integer(object, row->key, 0);
        } else {
            *(const char **)member = json_get_text(object, row->key, NULL);
        }
    }
}

json_t *provenance_machine(int threads)
{
    struct provenance here = provenance_here(threads);
    return provenance_json(&here, "machine");
}

json_t *provenance_build(void)
{
    struct provenance here = provenance_here(0);
    return provenance_json(&here, "build");
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
