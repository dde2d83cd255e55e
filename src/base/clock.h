/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Monotonic wall-clock time in seconds from an arbitrary origin. */
#ifndef MO_BASE_CLOCK_H
#define MO_BASE_CLOCK_H

double mo_clock(void);

#endif
