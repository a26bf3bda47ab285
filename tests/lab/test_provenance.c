#include "runner.h"

#include <string.h>

#include "lab/record/provenance.h"
#include "nn/kernels/kernels.h"

START_TEST(class_names_what_decides_rounding)
{
    char class[PROVENANCE_CLASS_SIZE];
    provenance_class(class);
    const char *dash = strchr(class, '-'), *slash = strchr(class, '/');
    ck_assert(dash && slash && dash > class && slash > dash);
    ck_assert(strncmp(strrchr(class, '/') - strlen(kernels_level()), kernels_level(),
                      strlen(kernels_level())) == 0);
    ck_assert_uint_gt(strlen(slash + 1), 0);
}
END_TEST

START_TEST(machine_and_build_are_complete)
{
    json_t *machine = provenance_machine(3), *build = provenance_build();
    ck_assert_int_eq(json_get_integer(machine, "threads", 0), 3);
    ck_assert_int_ge(json_get_integer(machine, "processors", 0), 1);
    ck_assert_str_ne(json_get_text(machine, "cpu", ""), "");
    const char *const keys[] = {"version", "commit", "compiler", "flags", "blas", "simd"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        ck_assert_msg(json_get_text(build, keys[i], "")[0] != '\0', "%s", keys[i]);
    }
    ck_assert_uint_eq(json_object_size(build), sizeof keys / sizeof keys[0]);
    ck_assert_ptr_nonnull(strstr(json_get_text(build, "flags", ""), "-std=c11"));
    json_decref(machine);
    json_decref(build);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("provenance");
    TCase *tcase = tcase_create("provenance");
    tcase_add_test(tcase, class_names_what_decides_rounding);
    tcase_add_test(tcase, machine_and_build_are_complete);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
