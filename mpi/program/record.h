/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Recordings by rank: FILE.rank-K contains, for each recorded step, an HDF5 file with the bodies
 * and contacts of the rank, each preceded by a mark, its size and its checksum.  Joined, they form
 * a recording.
 */
#ifndef MOREAU_MPI_RECORD_H
#define MOREAU_MPI_RECORD_H

#include <stdio.h>

#include "moreau/mpi.h"

/* Appends the present state; the report may be NULL before the first step. */
mo_error record_frame(FILE *file, const char *path, const mo_heap *heap,
                      const mo_heap_report *report, mo_message *why);

/* Is the file one of these? */
int record_is_part(const char *path);

/* Makes one recording of the parts FILE.rank-0 to FILE.rank-(count - 1). */
mo_error record_join(const char *file, int count, mo_message *why);

#endif
