#include "cli/help.h"

#include <stdbool.h>
#include <stdio.h>

#include "base/json.h"
#include "build_info.h"
#include "lab/record/provenance.h"
#include "nn/blas.h"

const char *version_number(void)
{
    return BUILD_VERSION;
}

static void print_all(const json_t *object)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object, key, value)
    {
        if (json_is_integer(value)) {
            printf("  %-10s  %lld\n", key, (long long)json_integer_value(value));
        } else {
            printf("  %-10s  %s\n", key, json_string_value(value));
        }
    }
}

/* What bench compares with; runs do not keep it. */
static void print_blas(void)
{
    const struct blas *blas;
    bool loads = blas_load(&blas, NULL) == STATUS_OK;
    printf("  %-10s  %s (of bench)\n", "blas", loads ? blas->config : "none that can be loaded");
}

void version_print(void)
{
    json_t *build = provenance_build(), *machine = provenance_machine(0);
    json_object_del(build, "version");
    json_object_del(machine, "threads"); /* a run's own number; this is the default */
    printf("qkvlab %s\n", version_number());
    print_all(build);
    print_all(machine);
    printf("  %-10s  one for every processor, unless --threads says otherwise\n", "threads");
    print_blas();
    json_decref(build);
    json_decref(machine);
}
