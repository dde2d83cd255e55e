/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Checks of the arguments of a benchmark, with an error message. */
#ifndef BENCH_ASKED_H
#define BENCH_ASKED_H

struct experiment_call; /* cli/experiments.h */

/* The number of --contacts, a whole one between the bounds, or `initial`; 0 after a message. */
int asked_contacts(const struct experiment_call *asked, int initial, int least, int most);

/* Makes the folder of --out before anything is measured: an exit status, after a message where that
 * fails.  NULL: there is none. */
int asked_folder(const char *command, const char *folder);

/* For a benchmark that writes no files: an exit status, after a message where --out was given. */
int asked_for_no_files(const struct experiment_call *asked, const char *name);

#endif
