/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The rank of W, for problems small enough to write W out. */
#ifndef CLI_INFO_RANK_H
#define CLI_INFO_RANK_H

#include "moreau/problem.h"

enum { RANK_ROWS_MOST = 600 };

/*
 * The numerical rank of W: the columns that QR with pivoting finds before the rest is below
 * rows x 2^-52 of the largest.  MO_ERR_UNSUPPORTED for more than RANK_ROWS_MOST rows.
 */
mo_error rank_study(const mo_problem *problem, int *rank);

#endif
