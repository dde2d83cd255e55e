/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The papers' experiments, as rows of `moreau reproduce`.  One folder here is one paper. */
#ifndef PAPERS_H
#define PAPERS_H

struct experiment_call; /* tools/experiments.h */

int paper_acary_cadoux(const struct experiment_call *asked);
int paper_anitescu_hart(const struct experiment_call *asked);
int paper_bead_piles(const struct experiment_call *asked); /* Acary et al., table 1, figure 8 */
int paper_brazil_nut(const struct experiment_call *asked); /* Anitescu and Hart, figure 4 */
int paper_cannonball(const struct experiment_call *asked); /* Anitescu and Hart, figures 2 and 3 */
int paper_baraff(const struct experiment_call *asked);
int paper_lu_trinkle(const struct experiment_call *asked);
int paper_painleve(const struct experiment_call *asked); /* Acary et al., section 2.2 */
int paper_trinkle_pang(const struct experiment_call *asked);
int paper_trinkle_pang_verdicts(const struct experiment_call *asked);

#endif
