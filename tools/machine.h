/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Queries of the machine: time, memory in use, and memory bandwidth. */
#ifndef TOOLS_MACHINE_H
#define TOOLS_MACHINE_H

#include <stddef.h>

double machine_clock(void);           /* seconds, monotonic */
double machine_processor_clock(void); /* processor time of this thread, s */
double machine_process_clock(void);   /* of all threads of this process, s */
int machine_cores(void);

/* Peak memory of the process in bytes; 0 if unknown. */
double machine_peak_bytes(void);

/*
 * Reads `bytes` bytes once with this number of threads, and returns a sum, so that the compiler
 * keeps the reads.  It measures the memory bandwidth of portable code.  The buffer contains
 * doubles; a remainder below a hundred bytes is left out.
 */
double machine_read(const double *buffer, size_t bytes, int threads);

#endif
