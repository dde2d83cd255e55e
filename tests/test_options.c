/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The option table: defaults inside their ranges, setting by name, refusals with a sentence. */
#include "check.h"

#include <string.h>

#include "moreau/options.h"

static void defaults_pass_their_own_checks(void **state)
{
    (void)state;
    const mo_options options = mo_default_options();
    mo_message why;
    CHECK(mo_options_check(&options, &why) == MO_OK);
    CHECK(options.tol == 1e-8 && options.threads == 1 && options.nsgs.omega == 1);
    CHECK(isinf(options.time_limit) && options.start == NULL && options.method == NULL);
}

static void every_option_prints_a_text_that_sets_it_again(void **state)
{
    (void)state;
    mo_options options = mo_default_options();
    options.tol = 1e-5;
    options.prox.rule = 1;
    options.nsgs.omega = 1.25;
    CHECK(mo_option_count() > 10);
    mo_options copy = mo_default_options();
    for (int k = 0; k < mo_option_count(); ++k) {
        char text[64];
        const mo_option_info info = mo_option_describe(k);
        CHECK(info.name && strlen(info.text) > 5);
        mo_option_print(&options, k, text, sizeof text);
        CHECK(mo_options_set(&copy, info.name, text, NULL) == MO_OK);
    }
    CHECK(copy.tol == 1e-5 && copy.prox.rule == 1 && copy.nsgs.omega == 1.25);
    CHECK(mo_option_describe(-1).name == NULL && mo_option_describe(10000).name == NULL);
}

static void wrong_names_and_values_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {
        {"tol", "-1"},
        {"tol", "nan"},
        {"tol", "two"},
        {"tol", ""},
        {"tol", "1e-8x"},
        {"max_iter", "1.5"},
        {"max_iter", "1e300"},
        {"max_iter", "-1"},
        {"threads", "0"},
        {"prox.rule", "foo"},
        {"prox.rule", "foe"},
        {"prox.rule", ""},
        {"nsgs.omega", "2"},
        {"omega", "1"},
        {"", "1"},
        {"time_limit", "-inf"},
        {"nsgs.order", "auto|natural"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; ++k) {
        mo_options options = mo_default_options();
        mo_message why = {{0}};
        CHECK(mo_options_set(&options, wrong[k][0], wrong[k][1], &why) == MO_ERR_ARGUMENT);
        CHECK(strlen(why.text) > 10);
        const mo_options untouched = mo_default_options();
        CHECK(memcmp(&options, &untouched, sizeof options) == 0);
    }
    CHECK(mo_options_set(NULL, "tol", "1", NULL) == MO_ERR_ARGUMENT);
}

static void a_field_out_of_range_is_named(void **state)
{
    (void)state;
    mo_options options = mo_default_options();
    mo_message why;
    options.nsgs.omega = NAN;
    CHECK(mo_options_check(&options, &why) == MO_ERR_ARGUMENT);
    CHECK(strstr(why.text, "nsgs.omega"));
    options = mo_default_options();
    options.prox.model = 7;
    CHECK(mo_options_check(&options, &why) == MO_ERR_ARGUMENT);
    CHECK(strstr(why.text, "prox.model"));
    CHECK(mo_options_check(NULL, &why) == MO_ERR_ARGUMENT);
}

static void choices_are_set_by_name(void **state)
{
    (void)state;
    mo_options options = mo_default_options();
    CHECK(mo_options_set(&options, "prox.order", "gauss-seidel", NULL) == MO_OK);
    CHECK(options.prox.order == 1);
    CHECK(mo_options_set(&options, "time_limit", "inf", NULL) == MO_OK);
    CHECK(mo_options_set(&options, "max_iter", "2e3", NULL) == MO_OK && options.max_iter == 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_pass_their_own_checks),
        cmocka_unit_test(every_option_prints_a_text_that_sets_it_again),
        cmocka_unit_test(wrong_names_and_values_are_refused),
        cmocka_unit_test(a_field_out_of_range_is_named),
        cmocka_unit_test(choices_are_set_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
