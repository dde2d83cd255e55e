/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* What the tests share: cmocka, comparisons of doubles that print both sides, random numbers. */
#ifndef MO_TESTS_CHECK_H
#define MO_TESTS_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the four above first */
#include <cmocka.h>

#include <math.h>
#include <stdio.h>

#include "base/random.h"

#define CHECK(condition) assert_true(condition)

#define CHECK_BELOW(value, bound)                                                                  \
    do {                                                                                           \
        const double value_ = (value), bound_ = (bound);                                           \
        if (!(value_ <= bound_)) {                                                                 \
            fail_msg("%s = %.17g is not at most %s = %.17g", #value, value_, #bound, bound_);      \
        }                                                                                          \
    } while (0)

#define CHECK_NEAR(value, expected, tolerance)                                                     \
    do {                                                                                           \
        const double value_ = (value), expected_ = (expected), tolerance_ = (tolerance);           \
        if (!(fabs(value_ - expected_) <= tolerance_)) {                                           \
            fail_msg("%s = %.17g differs from %.17g by more than %g", #value, value_, expected_,   \
                     tolerance_);                                                                  \
        }                                                                                          \
    } while (0)

/* Uniform in [low, high). */
static inline double uniform(mo_random *random, double low, double high)
{
    return low + (high - low) * mo_random_unit(random);
}

static inline void fill_uniform(mo_random *random, double low, double high, int count, double *x)
{
    for (int k = 0; k < count; ++k)
        x[k] = uniform(random, low, high);
}

#endif
