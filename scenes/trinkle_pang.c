/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The data sets: 35 problems, each with 6 to 10 friction coefficients from 0.05 to 0.8, 328 in
 * total.
 *
 * Each of the nine sizes of table 1 of [trinkle1997] has as many data sets as in the paper.  The
 * paper does not describe its other 143 sets, or the numbers of bodies and contacts.  Every size
 * contains the cases of its theory:
 *
 *   R      all contacts roll, no more rows than coordinates: theorem 1(a), a solution exists
 *   rest   all contacts roll, at least as many rows as coordinates, so almost nothing moves: the
 *          same
 *   S      some slide, no more rows than coordinates: theorem 1(b) and (c), a solution for small mu
 *   deep   some slide, more rows than coordinates: no theorem
 *
 * Jamming, and thus a system without a solution, becomes more likely with larger mu and more
 * sliding contacts.
 */
#include "trinkle_pang.h"

typedef struct row {
    int objects, manipulators, joints, rolling, sliding;
    int sets;
} row;

static const row ROWS[TRINKLE_PANG_PROBLEMS] = {
    /* the sizes of table 1 */
    {1, 0, 1, 0, 2, 10},    /* 2 S */
    {1, 1, 2, 0, 2, 10},    /* 2 S */
    {1, 0, 1, 2, 0, 10},    /*  10  rest */
    {1, 1, 3, 2, 0, 10},    /* 10 R */
    {2, 1, 4, 2, 0, 10},    /* 10 R */
    {1, 1, 4, 1, 5, 10},    /*  10  deep */
    {3, 1, 3, 1, 5, 10},    /* 10 S */
    {2, 1, 3, 0, 10, 10},   /*  10  deep */
    {2, 1, 3, 3, 1, 10},    /* 16 S */
    {3, 1, 4, 6, 0, 9},     /* 30 R */
    {4, 2, 3, 5, 5, 9},     /* 30 S */
    {4, 1, 4, 4, 10, 8},    /*  30  deep */
    {4, 2, 4, 10, 0, 10},   /* 50 R */
    {6, 2, 4, 8, 10, 10},   /*  50  deep */
    {8, 2, 4, 18, 0, 8},    /* 90 R */
    {11, 2, 4, 15, 15, 8},  /*  90  deep */
    {12, 3, 4, 12, 30, 7},  /*  90  deep */
    {10, 4, 4, 24, 0, 10},  /* 120 R */
    {12, 4, 5, 30, 0, 6},   /* 150 R */
    {17, 4, 5, 30, 20, 10}, /* 170  deep */
    /* and others */
    {1, 1, 3, 1, 0, 10},   /* 5 R */
    {1, 1, 2, 1, 1, 10},   /* 6 S */
    {2, 1, 3, 1, 3, 10},   /* 8 S */
    {2, 1, 4, 2, 2, 10},   /* 12 S */
    {1, 1, 2, 3, 0, 10},   /*  15  rest */
    {3, 1, 4, 3, 5, 10},   /*  20  deep */
    {1, 2, 3, 5, 0, 10},   /*  25  rest */
    {3, 2, 4, 6, 6, 10},   /*  36  deep */
    {3, 1, 4, 8, 0, 9},    /*  40  rest */
    {7, 2, 4, 9, 10, 9},   /*  55  deep */
    {9, 3, 4, 12, 0, 9},   /* 60 R */
    {9, 2, 4, 12, 10, 9},  /*  70  deep */
    {6, 2, 4, 16, 0, 9},   /*  80  rest */
    {12, 3, 4, 18, 10, 9}, /* 100  deep */
    {11, 3, 4, 28, 0, 9},  /* 140  rest */
};

trinkle_pang_set trinkle_pang_set_of(int number)
{
    int problem = 0, first = 0;
    while (number >= first + ROWS[problem].sets)
        first += ROWS[problem++].sets;
    const row *from = &ROWS[problem];
    const double mu = 0.05 + 0.75 * (number - first) / (from->sets - 1);
    return (trinkle_pang_set){.number = number,
                              .problem = problem,
                              .size = from->sliding + 5 * from->rolling,
                              .def = {.seed = 1997 + (uint64_t)problem,
                                      .objects = from->objects,
                                      .manipulators = from->manipulators,
                                      .joints = from->joints,
                                      .rolling = from->rolling,
                                      .sliding = from->sliding,
                                      .mu = mu}};
}
