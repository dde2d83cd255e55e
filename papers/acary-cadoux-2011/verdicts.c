/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Sections 5.2 to 5.5: how many solutions the rod has, over its angle, mu, the sign of the speed u0
 * and that of gravity.
 *
 *   g = -1   none where u0 > 0 and tan theta <= mu, by (2.6); one otherwise
 *   g = +1   taking off always solves it.  Where u0 > 0 and tan theta < mu the rod may also be
 *            wedged: friction holds it down against gravity.  Section 5.3 has one solution there,
 *            section 5.4 two: two it is.
 */
#include <math.h>

#include "acary_cadoux_2011.h"
#include "problems.h"

mo_verdict ac_rod_verdict(double theta, double mu, double speed, double gravity)
{
    if (gravity > 0) return speed > 0 && tan(theta) < mu ? MO_VERDICT_SEVERAL : MO_VERDICT_UNIQUE;
    return speed > 0 && tan(theta) <= mu ? MO_VERDICT_NONE : MO_VERDICT_UNIQUE;
}

/* The verdict of the library; counts whether it is that of the closed form. */
static mo_error judge(double theta, double mu, int which, mo_verdict *verdict, int *agree)
{
    const double speed = which % 2 ? 1 : -1, gravity = which / 2 ? 1 : -1;
    mo_problem *problem;
    mo_solution_set set = {0};
    mo_error error = problem_painleve_rod(theta, mu, speed, gravity, &problem, NULL);
    if (error) return error;
    error = mo_find_all_solutions(problem, 0, &set);
    *verdict = set.verdict;
    *agree += !error && set.verdict == ac_rod_verdict(theta, mu, speed, gravity);
    mo_solution_set_clear(&set);
    mo_problem_destroy(problem);
    return error;
}

double ac_map_angle(int k)
{
    return 0.5 * acos(-1.0) * (k + 0.5) / AC_MAP;
}

double ac_map_mu(int k)
{
    return 3.0 * (k + 0.5) / AC_MAP;
}

mo_error ac_draw_map(ac_map *map)
{
    mo_error error = MO_OK;
    *map = (ac_map){0};
    for (int which = 0; which < AC_MAP_CASES; ++which) {
        for (int k = 0; k < AC_MAP * AC_MAP && !error; ++k) {
            error = judge(ac_map_angle(k / AC_MAP), ac_map_mu(k % AC_MAP), which,
                          &map->verdict[which][k / AC_MAP][k % AC_MAP], &map->agree);
            ++map->tried;
        }
        for (int k = 0; k < 2 * AC_MAP && !error; ++k) { /* both sides of the border */
            const double theta = ac_map_angle(k / 2);
            mo_verdict verdict;
            error = judge(theta, tan(theta) * (1 + (k % 2 ? 1e-9 : -1e-9)), which, &verdict,
                          &map->border_agree);
            ++map->border_tried;
        }
    }
    return error;
}
