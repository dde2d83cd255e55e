/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#define _POSIX_C_SOURCE 200809L
#include "base/clock.h"

#include <time.h>

static double tick; /* s: of a counted clock; 0: wall time */
static double counted;

void mo_clock_count(double seconds)
{
    tick = seconds;
    counted = 0;
}

double mo_clock(void)
{
    struct timespec now;
    if (tick > 0) return counted += tick;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
