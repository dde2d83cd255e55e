/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* What a run says when a rank has died and mpiexec ends the others. */
#ifndef MOREAU_MPI_FAREWELL_H
#define MOREAU_MPI_FAREWELL_H

/* checkpoint: its file, or NULL.  Collective. */
void farewell_prepare(const char *checkpoint);

/* Before ranks exit: a rank that ends by itself is not a dead one.  Collective. */
void farewell_end(void);

#endif
