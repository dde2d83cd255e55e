/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* `moreau reproduce`: the papers' experiments, whose sources are in papers/, by name. */
#include <stddef.h>

#include "command.h"
#include "experiments.h"
#include "papers.h"

static const args_command COMMAND = {
    .name = "reproduce",
    .operands = "[NAME]",
    .summary = "rerun the experiments of a paper and compare the results",
    .about = "Without a name, lists the papers.",
    .examples = "  moreau reproduce                 list the papers\n"
                "  moreau reproduce lu-trinkle      rerun one paper\n",
    .least = 0,
    .most = 1,
};

/* A new paper is one folder in papers/ and one row here. */
static const experiment PAPERS[] = {
    {"acary-cadoux",
     "Acary, Cadoux, Lemaréchal and Malick 2011: a fixed point over convex problems, its rate and "
     "its solvers",
     paper_acary_cadoux, 17},
    {"anitescu-hart", "Anitescu and Hart 2004: contact with small friction through convex problems",
     paper_anitescu_hart, 90},
    {"baraff", "Baraff 1994: Dantzig's pivoting method, its cost, number of pivots and failures",
     paper_baraff, 40},
    {"bead-piles",
     "Acary, Cadoux, Lemaréchal and Malick 2011, table 1 and figure 8: beads that fall into a box",
     paper_bead_piles, 240},
    {"brazil-nut",
     "Anitescu and Hart 2004, figure 4: a large disk rises among small ones that are shaken",
     paper_brazil_nut, 30},
    {"cannonball",
     "Anitescu and Hart 2004, figures 2 and 3: piles of disks over time, method by method",
     paper_cannonball, 15},
    {"lu-trinkle", "Lu and Trinkle 2015: the prox iteration and the choice of its step r",
     paper_lu_trinkle, 1},
    {"painleve",
     "Acary, Cadoux, Lemaréchal and Malick 2011, example 2.1: sliding rods in motion, which may "
     "jam",
     paper_painleve, 4},
    {"trinkle-pang",
     "Trinkle, Pang, Sudarsky and Lo 1997: 328 random grasps, Lemke and interior points",
     paper_trinkle_pang, 5},
    {"trinkle-pang-verdicts",
     "the same 328 data sets: no solution, one, or several, with a proof where possible",
     paper_trinkle_pang_verdicts, 25},
};

int command_reproduce(int argc, char **argv)
{
    const int count = (int)(sizeof PAPERS / sizeof PAPERS[0]);
    return experiments_command(&COMMAND, NULL, PAPERS, count, argc, argv);
}
