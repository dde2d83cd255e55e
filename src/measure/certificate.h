/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Definitions shared by the search for certificates and their checker. */
#ifndef MO_MEASURE_CERTIFICATE_H
#define MO_MEASURE_CERTIFICATE_H

#include "moreau/certificate.h"

/* Solutions nearer to each other than this, in natural units of every row of u, count as one. */
#define MO_CLOSENESS 1e-6

/* The root of a cell is unique.  At impulses 1e10 times the natural ones its velocity has few
 * digits, and must be known to this accuracy. */
#define MO_CLOSENESS_OF_ROOT 1e-3

/* A proof must cover impulses up to this many natural units (cell_system.h). */
#define MO_REACH_LEAST 1e6

/* The same for the motions of a condition: contacts that barely open need large motions. */
#define MO_REACH_OF_MOTION 1e9

#endif
