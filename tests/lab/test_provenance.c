#include "testing.h"

#include <string.h>

#include "lab/record/provenance.h"
#include "nn/kernels/kernels.h"

TEST(class_names_what_decides_rounding)
{
    char class[PROVENANCE_CLASS_SIZE];
    provenance_class(class);
    const char *dash = strrchr(class, '-');
    ck_assert(dash && dash > class);
    ck_assert_str_eq(dash + 1, kernels_level());
    ck_assert_ptr_null(strchr(class, '/'));
}

/* Runs of a program that named its BLAS belong with those of one that does not. */
TEST(blas_of_older_programs_is_forgotten)
{
    json_t *old =
        json_pack("{s:{s:s, s:i}, s:{s:s, s:s}}", "machine", "class", "x86_64-v4/SkylakeX",
                  "threads", 2, "build", "blas", "OpenBLAS 0.3.21", "simd", "v4");
    json_t *new = json_pack("{s:{s:s, s:i}, s:{s:s}}", "machine", "class", "x86_64-v4", "threads",
                            2, "build", "simd", "v4");
    for (int times = 0; times < 2; times++) {
        provenance_forget_blas(old);
        ck_assert(json_equal(old, new));
    }
    json_t *foreign = json_object(), *empty = json_object();
    provenance_forget_blas(foreign);
    ck_assert(json_equal(foreign, empty));
    json_decref(old);
    json_decref(new);
    json_decref(foreign);
    json_decref(empty);
}

TEST(machine_and_build_are_complete)
{
    json_t *machine = provenance_machine(3), *build = provenance_build();
    ck_assert_int_eq(json_get_integer(machine, "threads", 0), 3);
    ck_assert_int_ge(json_get_integer(machine, "processors", 0), 1);
    ck_assert_str_ne(json_get_text(machine, "cpu", ""), "");
    const char *const keys[] = {"version", "commit", "compiler", "flags", "simd"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        ck_assert_msg(json_get_text(build, keys[i], "")[0] != '\0', "%s", keys[i]);
    }
    ck_assert_uint_eq(json_object_size(build), sizeof keys / sizeof keys[0]);
    ck_assert_ptr_nonnull(strstr(json_get_text(build, "flags", ""), "-std=c11"));
    json_decref(machine);
    json_decref(build);
}
