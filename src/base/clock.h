/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Monotonic wall-clock time in seconds from an arbitrary origin. */
#ifndef MO_BASE_CLOCK_H
#define MO_BASE_CLOCK_H

double mo_clock(void);
/*
 * For tests, in one thread: time is the number of calls of mo_clock times this many seconds, so
 * that a time limit ends a step at the same place in every run.  0: wall time.
 */
void mo_clock_count(double seconds);

#endif
