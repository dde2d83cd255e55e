/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Table 1 of [trinkle1997, section 6] rerun: Lemke's algorithm and the feasible interior point
 * method on 328 data sets.
 *
 *   sets.c      both methods on every data set (scenes/trinkle_pang.h)
 *   table.c     the paper's rows, and ours
 *   files.c     CSV files, and the data sets that are left over, written and read back
 *   run.c       `moreau reproduce trinkle-pang`
 *   verdicts.c, verdicts_run.c   `moreau reproduce trinkle-pang-verdicts`: which sets have no
 *                                solution, one, or several
 */
#ifndef TRINKLE_PANG_RERUN_H
#define TRINKLE_PANG_RERUN_H

#include "moreau/moreau.h"
#include "trinkle_pang.h"

#define TP_TOLERANCE 1e-9 /* relative natural residual in the pyramid law: what counts as solved */

/* ---- the data sets --------------------------------------------------------------------------- */

typedef enum tp_method { TP_LEMKE, TP_FIP, TP_METHOD_COUNT } tp_method;

extern const char *const tp_method_names[TP_METHOD_COUNT];

typedef struct tp_run {
    int solved;
    int starts;      /* covering vectors or interior points used; 0 if it is not solved */
    int iterations;  /* pivots, or linear systems; those of failed starts included */
    double residual; /* relative */
    double seconds;
    mo_message message;
} tp_run;

typedef struct tp_set {
    trinkle_pang_set set;
    tp_run run[TP_METHOD_COUNT];
    int within_100; /* solved by Lemke's algorithm with 100 pivots a start, the paper's limit */
} tp_set;

/* One data set by both methods. */
mo_error tp_solve(int number, tp_set *out, mo_message *why);

/* ---- verdicts -------------------------------------------------------------------------------- */

typedef struct tp_verdict {
    mo_verdict verdict;
    int solutions;   /* listed by the search */
    int by_method;   /* the verdict is the word of lemke or fip, and of the measure */
    int contradicts; /* a proof that there is none, and a solution: never, or there is a bug */
    long long cells; /* visited by the search; 0 if it was not run */
    double seconds;
} tp_verdict;

/* Has this data set no solution, one, or several?  After tp_solve. */
mo_error tp_judge(const tp_set *set, tp_verdict *out, mo_message *why);

/* ---- the table ------------------------------------------------------------------------------- */

/* Averages are over the sets that the method solved; NAN if it solved none. */
typedef struct tp_figures {
    double fraction, starts, iterations;
} tp_figures;

typedef struct tp_row {
    int size, sets;
    tp_figures paper[TP_METHOD_COUNT], ours[TP_METHOD_COUNT];
    double within_100; /* fraction */
} tp_row;

enum { TP_ROWS = 9 };

/* The rows of table 1, from all sets. */
void tp_make_table(const tp_set *sets, tp_row rows[TP_ROWS]);

/* Over all 328; the paper's figure is 229 by either. */
typedef struct tp_total {
    int solved[TP_METHOD_COUNT], either, both;
    double seconds[TP_METHOD_COUNT];
} tp_total;

tp_total tp_add_up(const tp_set *sets);

/* ---- files ----------------------------------------------------------------------------------- */

/* table.csv, sets.csv, and a file for each set that neither solved. */
mo_error tp_write(const char *folder, const tp_set *sets, const tp_row *rows, mo_message *why);

/* The name of the file of a set that is left over. */
void tp_name_left(const trinkle_pang_set *set, char *name, size_t room);

/*
 * A data set as a file: a few numbers from which scene_grasp rebuilds it, and a checksum of q (W r
 * + q) that tells whether it came out the same to the last bit.  `same` may be NULL.
 */
mo_error tp_write_set(const char *path, const trinkle_pang_set *set, mo_message *why);
mo_error tp_read_set(const char *path, scene_grasp_def *def, int *same, mo_message *why);

#endif
