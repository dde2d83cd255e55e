/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The open question of [trinkle1997]: a solution for every data set, or a proof that there is
 * none, or that there are several.
 *
 *   `moreau check`'s search of all solutions, with a number of cells that keeps it within seconds:
 *   none, unique, several where it does not end: a solution that lemke or fip found and the measure
 *   accepts: exists
 */
#include "rerun.h"

/* As many as take a few seconds. */
static long long cells_for(int size, int rows)
{
    return size <= 50 ? (rows > 50 ? 900 : 2000) : size <= 100 ? 300 : 1500;
}

mo_error tp_judge(const tp_set *set, tp_verdict *out, mo_message *why)
{
    mo_problem *problem;
    mo_check_result check = {0};
    *out = (tp_verdict){.verdict = MO_VERDICT_UNKNOWN};
    mo_error error = scene_grasp(&set->set.def, &problem, why);
    if (error) return error;
    const int is_solved = set->run[TP_LEMKE].solved || set->run[TP_FIP].solved;
    if (set->set.size <= 50 || !is_solved) {
        error = mo_check(problem, cells_for(set->set.size, mo_problem_row_count(problem)), &check);
        out->verdict = check.verdict;
        out->cells = check.set.systems;
        out->seconds = check.seconds;
        out->solutions = check.set.count;
        mo_check_clear(&check);
    }
    if (!error && is_solved &&
        (out->verdict == MO_VERDICT_UNKNOWN || out->verdict == MO_VERDICT_NONE)) {
        out->contradicts = out->verdict == MO_VERDICT_NONE; /* a proof and a solution */
        out->verdict = MO_VERDICT_EXISTS;
        out->by_method = 1;
    }
    mo_problem_destroy(problem);
    return error;
}
