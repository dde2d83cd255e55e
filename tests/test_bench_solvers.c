/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The parts of `moreau bench solvers` that can be wrong without anybody noticing: trials,
 * processes, scores. */
#include "check.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "board.h"
#include "child.h"
#include "moreau/moreau.h"
#include "ours.h"

/* ---- lines ----------------------------------------------------------------------------------- */

static void a_line_reads_back(void **state)
{
    (void)state;
    const trial_line line = {1e-8, "solved", 1.25e-3, 3e-9, 42, 1e-9};
    char text[256] = "";
    FILE *file = fmemopen(text, sizeof text, "w");
    assert_non_null(file);
    trial_print(file, &line);
    fclose(file);
    trial_line back;
    assert_true(trial_parse(text, &back));
    assert_true(back.target == 1e-8 && back.seconds == 1.25e-3 && back.residual == 3e-9);
    assert_true(back.iterations == 42 && back.tolerance == 1e-9 && trial_is_solved(&back));
    assert_false(trial_parse("trial of something else", &back));
    assert_string_equal(trial_target_name(1e-8).text, "1e-8");
    assert_string_equal(trial_target_name(0.0025).text, "0.0025");
}

/* ---- processes ------------------------------------------------------------------------------- */

static int answer_and_print(const void *input, FILE *out)
{
    printf("this goes nowhere\n");
    fprintf(out, "%s", (const char *)input);
    return 0;
}

static int answer_and_crash(const void *input, FILE *out)
{
    fprintf(out, "%s", (const char *)input);
    fflush(out);
    raise(SIGSEGV);
    return 0;
}

static int hang(const void *input, FILE *out)
{
    (void)input;
    (void)out;
    for (;;)
        pause();
    return 0;
}

/* Works on until its watch ends it. */
static int ring(const void *input, FILE *out)
{
    volatile int late = 0;
    (void)input;
    (void)out;
    trial_watch_start(0.02, NULL);
    while (!late) {
    }
    return 0;
}

/* Works until its watch tells it. */
static int obey(const void *input, FILE *out)
{
    volatile int late = 0;
    (void)input;
    trial_watch_start(0.02, &late);
    while (!late) {
    }
    fputs("late", out);
    return 0;
}

static int refuse(const void *input, FILE *out)
{
    (void)input;
    (void)out;
    return CHILD_REFUSES;
}

static void a_process_may_answer_crash_hang_or_refuse(void **state)
{
    (void)state;
    char answer[8];
    assert_int_equal(child_run(answer_and_print, "short", 10, answer, sizeof answer), CHILD_DONE);
    assert_string_equal(answer, "short");
    assert_int_equal(child_run(answer_and_print, "longer than that", 10, answer, sizeof answer),
                     CHILD_DONE);
    assert_string_equal(answer, "longer ");
    assert_int_equal(child_run(answer_and_crash, "last", 10, answer, sizeof answer), CHILD_CRASHED);
    assert_string_equal(answer, "last");
    assert_int_equal(child_run(hang, NULL, 0.05, answer, sizeof answer), CHILD_TIME);
    assert_int_equal(child_run(ring, NULL, 10, answer, sizeof answer), CHILD_TIME);
    assert_int_equal(child_run(obey, NULL, 10, answer, sizeof answer), CHILD_DONE);
    assert_string_equal(answer, "late");
    assert_int_equal(child_run(refuse, NULL, 10, answer, sizeof answer), CHILD_REFUSED);
}

/* ---- our methods ----------------------------------------------------------------------------- */

static void a_trial_measures_each_target_from_a_fresh_problem(void **state)
{
    (void)state;
    bench_cases cases = {0};
    mo_message why = {""};
    char answer[1024] = "";
    trial_line line;
    assert_true(bench_cases_find(NULL, 0, &cases, &why));
    assert_true(cases.count > 10);
    const trial_call call = {
        .targets = {1e-4, 1e-10}, .target_count = 2, .time_limit = 10, .repeats = 2};
    const ours_input input = {&cases.list[0], "nsgs", &call};
    assert_int_equal(child_run(ours_try, &input, 60, answer, sizeof answer), CHILD_DONE);
    const char *second = strchr(answer, '\n');
    assert_non_null(second);
    for (int k = 0; k < 2; ++k) {
        assert_true(trial_parse(k == 0 ? answer : second + 1, &line));
        assert_true(trial_is_solved(&line));
        assert_true(line.target == call.targets[k] && line.residual <= line.target);
        assert_true(line.seconds > 0 && line.seconds < 10);
    }
    bench_cases_clear(&cases);
}

static void every_scene_can_be_built(void **state)
{
    (void)state;
    bench_cases cases = {0};
    mo_message why = {""};
    assert_true(bench_cases_find(NULL, 0, &cases, &why));
    for (int k = 0; k < cases.count; ++k) {
        mo_problem *problem;
        assert_int_equal(bench_case_load(&cases.list[k], &problem, &why), MO_OK);
        assert_true(mo_problem_row_count(problem) > 0);
        mo_problem_destroy(problem);
    }
    bench_cases_clear(&cases);
}

static void a_path_that_leads_nowhere_is_named(void **state)
{
    (void)state;
    bench_cases cases = {0};
    mo_message why = {""};
    char nowhere[] = "no/such/folder";
    char *paths[] = {nowhere};
    assert_false(bench_cases_find(paths, 1, &cases, &why));
    assert_non_null(strstr(why.text, nowhere));
    bench_cases_clear(&cases);
}

/* ---- scores ---------------------------------------------------------------------------------- */

/* Three problems: a small one, and two that count.  seconds < 0: not solved. */
static void put(board *b, int problem, int is_peer, const char *solver, double seconds)
{
    trial_line line = {.target = 1e-8, .seconds = fabs(seconds)};
    snprintf(line.status, sizeof line.status, "%s", seconds > 0 ? "solved" : "stalled");
    board_add(b, problem, 0, is_peer, solver, &line);
}

static board make_board(void)
{
    board b = {.peer = "them", .standard = "auto", .problem_count = 3};
    b.call.targets[0] = 1e-8;
    b.call.target_count = 1;
    b.problems = calloc(3, sizeof *b.problems);
    assert_non_null(b.problems);
    b.problems[0] = (board_problem){"small", 2, 6, MO_FORM_GLOBAL};
    b.problems[1] = (board_problem){"large", 20, 60, MO_FORM_GLOBAL};
    b.problems[2] = (board_problem){"larger", 200, 600, MO_FORM_GLOBAL};
    const double autos[3] = {8, 1, 2}, others[3] = {2, 4, -1};
    const double first[3] = {1, 4, -1}, second[3] = {-1, 2, 16};
    for (int p = 0; p < 3; ++p) {
        put(&b, p, 0, "auto", autos[p]);
        put(&b, p, 0, "other", others[p]);
        put(&b, p, 1, "first", first[p]);
        put(&b, p, 1, "second", second[p]);
    }
    return b;
}

static void the_best_and_the_ratios_are_those_of_the_solved(void **state)
{
    (void)state;
    board b = make_board();
    assert_string_equal(board_best(&b, 0, 0, 0)->solver, "other");
    assert_string_equal(board_best(&b, 2, 0, 1)->solver, "second");
    assert_true(board_ratio(&b, 0, 0, "auto") == 8);
    assert_true(board_ratio(&b, 0, 0, NULL) == 2);
    assert_true(isnan(board_ratio(&b, 2, 0, "other")));
    const board_match m = board_compare(&b, 0, "auto");
    assert_int_equal(m.both, 2);              /* the small one does not count */
    assert_true(fabs(m.mean - 0.25) < 1e-12); /* of 1/2 and 1/8 */
    assert_int_equal(m.worst, 0);
    assert_true(m.worst_ratio == 8);
    assert_int_equal(m.ours_only + m.theirs_only + m.neither, 0);
    assert_int_equal(board_compare(&b, 0, "other").theirs_only, 1);
    board_clear(&b);
}

static void a_profile_rises_from_the_wins_to_the_solved(void **state)
{
    (void)state;
    board b = make_board();
    board_curve curve = board_curve_make(&b, 0, 0, "auto");
    assert_true(fabs(board_curve_at(&curve, 1) - 2.0 / 3) < 1e-12);
    assert_true(fabs(board_curve_at(&curve, 7.9) - 2.0 / 3) < 1e-12);
    assert_true(board_curve_at(&curve, 8) == 1);
    board_curve_clear(&curve);
    curve = board_curve_make(&b, 0, 1, "first");
    assert_true(fabs(board_curve_at(&curve, 1e9) - 2.0 / 3) < 1e-12);
    board_curve_clear(&curve);
    curve = board_curve_make(&b, 0, 1, NULL);
    assert_true(board_curve_at(&curve, 8) == 1);
    board_curve_clear(&curve);
    int count = 0;
    board_solver *list = board_solvers(&b, 0, &count);
    assert_non_null(list);
    assert_int_equal(count, 4);
    assert_string_equal(list[0].name, "auto");
    assert_int_equal(list[0].fastest, 2);
    assert_int_equal(list[0].solved, 3);
    assert_true(list[2].is_peer && list[3].is_peer);
    free(list);
    board_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_reads_back),
        cmocka_unit_test(a_process_may_answer_crash_hang_or_refuse),
        cmocka_unit_test(a_trial_measures_each_target_from_a_fresh_problem),
        cmocka_unit_test(every_scene_can_be_built),
        cmocka_unit_test(a_path_that_leads_nowhere_is_named),
        cmocka_unit_test(the_best_and_the_ratios_are_those_of_the_solved),
        cmocka_unit_test(a_profile_rises_from_the_wins_to_the_solved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
