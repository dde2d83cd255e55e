/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Checks of the arguments of a benchmark, with an error message. */
#ifndef BENCH_ASKED_H
#define BENCH_ASKED_H

struct experiment_call; /* cli/experiments.h */

/* The number of --contacts, a whole one between the bounds, or `initial`; 0 after a message. */
int asked_contacts(const struct experiment_call *asked, int initial, int least, int most);

/* For a benchmark that writes no files: an exit status, after a message where --out was given. */
int asked_for_no_files(const struct experiment_call *asked, const char *name);

#endif
