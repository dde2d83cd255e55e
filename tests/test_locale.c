/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * A host program in a locale with a decimal comma: options, certificates and models are read and
 * written with a point, and the locale of the host is left as it was.
 */
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

#include "moreau/moreau.h"
#include "scenes.h"

static void options_have_a_point(void **state)
{
    char text[40];
    mo_options options = mo_default_options();
    (void)state;
    assert_int_equal(mo_options_set(&options, "tol", "0.25", NULL), MO_OK);
    assert_true(options.tol == 0.25);
    for (int k = 0; k < mo_option_count(); ++k) {
        if (strcmp(mo_option_describe(k).name, "tol") == 0) {
            mo_option_print(&options, k, text, sizeof text);
            assert_string_equal(text, "0.25");
        }
    }
}

static void certificates_have_a_point(void **state)
{
    const char *path = "locale-certificate.txt";
    const scene_stack_def def = {.boxes = 1, .mass_ratio = 1, .mu = 0.3, .step = 0.01};
    mo_problem *problem = NULL;
    mo_check_result check = {0}, back = {0};
    mo_message why = {{0}};
    (void)state;
    assert_int_equal(scene_box_stack(&def, &problem, NULL), MO_OK);
    assert_int_equal(mo_check(problem, 0, &check), MO_OK);
    assert_int_equal(mo_check_write(path, problem, &check, &why), MO_OK);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    int commas = 0;
    for (int c = getc(file); c != EOF; c = getc(file))
        commas += c == ',';
    fclose(file);
    assert_int_equal(commas, 0);
    assert_int_equal(mo_check_read(path, problem, &back, &why), MO_OK);
    assert_int_equal(back.verdict, check.verdict);
    remove(path);
    mo_check_clear(&check);
    mo_check_clear(&back);
    mo_problem_destroy(problem);
}

static void the_locale_of_the_host_stays(void **state)
{
    char text[8];
    (void)state;
    snprintf(text, sizeof text, "%.1f", 0.5);
    assert_string_equal(text, "0,5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_have_a_point),
        cmocka_unit_test(certificates_have_a_point),
        cmocka_unit_test(the_locale_of_the_host_stays),
    };
    if (!setlocale(LC_ALL, "de_DE.utf8")) {
        fprintf(stderr, "the locale de_DE.utf8 was not made\n");
        return 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
