/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The papers' experiments, as rows of `moreau reproduce`.  One folder here is one paper. */
#ifndef PAPERS_H
#define PAPERS_H

struct experiment_call; /* cli/experiments.h */

int paper_acary_cadoux(const struct experiment_call *asked);
int paper_anitescu_hart(const struct experiment_call *asked);
int paper_baraff(const struct experiment_call *asked);
int paper_lu_trinkle(const struct experiment_call *asked);
int paper_trinkle_pang(const struct experiment_call *asked);

#endif
