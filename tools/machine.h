/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Queries of the machine: time, memory in use, and memory bandwidth. */
#ifndef TOOLS_MACHINE_H
#define TOOLS_MACHINE_H

#include <stddef.h>

double machine_clock(void);           /* seconds, never going back */
double machine_processor_clock(void); /* seconds of this thread on a processor */
double machine_process_clock(void);   /* seconds of all threads of this process */
int machine_cores(void);

/* Peak memory of the process in bytes; 0 if unknown. */
double machine_peak_bytes(void);

/*
 * Reads `bytes` bytes once, on so many threads, and does nothing else with them than a sum that
 * keeps the compiler honest.  This is as fast as memory is read without writing assembly.  The
 * buffer is made of doubles; a remainder below a hundred bytes is left out.
 */
double machine_read(const double *buffer, size_t bytes, int threads);

#endif
