/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Table 1 of [trinkle1997], the paper's numbers and ours. */
#include <math.h>

#include "rerun.h"

typedef struct printed {
    int size, sets;
    tp_figures figures[TP_METHOD_COUNT];
} printed;

/* Fraction, starts and iterations of both.  120 has bounds instead of averages: "< 100", "< 300".
 */
static const printed PAPER[TP_ROWS] = {
    {2, 20, {{1.00, 1.0, 2.0}, {0.50, 1, 8.4}}},     {10, 60, {{0.92, 1.3, 8.9}, {0.35, 1, 10.4}}},
    {16, 10, {{1.00, 1.4, 20.0}, {1.00, 1, 17.2}}},  {30, 26, {{0.62, 1.7, 44.1}, {0.42, 1, 19.6}}},
    {50, 20, {{0.35, 2.0, 107.4}, {0.30, 1, 61.1}}}, {90, 23, {{0.00, NAN, NAN}, {0.35, 1, 30.4}}},
    {120, 10, {{0.10, 1.0, NAN}, {0.70, 1, NAN}}},   {150, 6, {{0.00, NAN, NAN}, {0.50, 1, 46.3}}},
    {170, 10, {{0.00, NAN, NAN}, {0.00, NAN, NAN}}},
};

static tp_figures average(const tp_set *sets, int size, tp_method method)
{
    double count = 0, solved = 0, starts = 0, iterations = 0;
    for (int k = 0; k < TRINKLE_PANG_SETS; ++k) {
        const tp_run *run = &sets[k].run[method];
        if (sets[k].set.size == size) {
            count += 1;
            solved += run->solved;
            starts += run->solved ? run->starts : 0;
            iterations += run->solved ? run->iterations : 0;
        }
    }
    return (tp_figures){solved / count, starts / solved, iterations / solved}; /* NAN for 0 / 0 */
}

void tp_make_table(const tp_set *sets, tp_row rows[TP_ROWS])
{
    for (int r = 0; r < TP_ROWS; ++r) {
        rows[r] = (tp_row){.size = PAPER[r].size, .sets = PAPER[r].sets};
        for (int method = 0; method < TP_METHOD_COUNT; ++method) {
            rows[r].paper[method] = PAPER[r].figures[method];
            rows[r].ours[method] = average(sets, rows[r].size, (tp_method)method);
        }
        for (int k = 0; k < TRINKLE_PANG_SETS; ++k)
            rows[r].within_100 += sets[k].set.size == rows[r].size ? sets[k].within_100 : 0;
        rows[r].within_100 /= rows[r].sets;
    }
}

tp_total tp_add_up(const tp_set *sets)
{
    tp_total total = {0};
    for (int k = 0; k < TRINKLE_PANG_SETS; ++k) {
        const tp_run *lemke = &sets[k].run[TP_LEMKE], *fip = &sets[k].run[TP_FIP];
        total.solved[TP_LEMKE] += lemke->solved;
        total.solved[TP_FIP] += fip->solved;
        total.either += lemke->solved || fip->solved;
        total.both += lemke->solved && fip->solved;
        total.seconds[TP_LEMKE] += lemke->seconds;
        total.seconds[TP_FIP] += fip->seconds;
    }
    return total;
}
