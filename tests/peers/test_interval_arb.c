/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Interval arithmetic (measure/interval.h) beside Arb, which computes with as many digits as
 * needed.
 *
 * Operands are random intervals from 1e-150 to 1e150, wide and narrow, exact ones among them.  The
 * exact results of their end points must lie in our result, and our result must not be much wider
 * than the exact one: at most a few units in the last place.
 */
#include <arb.h>
#include <math.h>

#include "base/random.h"
#include "check.h"
#include "measure/interval.h"

enum { TRIALS = 20000, DIGITS = 4096 }; /* bits: products and sums of doubles are exact */

static double any_number(mo_random *random, double range)
{
    const double size = pow(10, range * (2 * mo_random_unit(random) - 1));
    return mo_random_unit(random) < 0.5 ? -size : size;
}

static mo_interval any_interval(mo_random *random)
{
    const double mid = any_number(random, 150);
    const double kind = mo_random_unit(random);
    const double rad = kind < 0.3 ? 0 : fabs(mid) * pow(10, -16 * mo_random_unit(random));
    return (mo_interval){mid, rad};
}

/* The end points of an interval, exactly. */
static void ends(mo_interval a, arb_t low, arb_t high)
{
    arb_t mid, rad;
    arb_init(mid);
    arb_init(rad);
    arb_set_d(mid, a.mid);
    arb_set_d(rad, a.rad);
    arb_sub(low, mid, rad, DIGITS);
    arb_add(high, mid, rad, DIGITS);
    arb_clear(mid);
    arb_clear(rad);
}

static void contains(mo_interval result, const arb_t x)
{
    arb_t low, high;
    arb_init(low);
    arb_init(high);
    ends(result, low, high);
    assert_true(arb_le(low, x) && arb_le(x, high));
    arb_clear(low);
    arb_clear(high);
}

typedef mo_interval two_fn(mo_interval a, mo_interval b);
typedef void exact_fn(arb_t z, const arb_t x, const arb_t y, slong digits);

/* Sums and products take their extremes at end points. */
static void holds_for_two(two_fn *ours, exact_fn *exact, unsigned seed)
{
    mo_random random = {seed};
    arb_t a[2], b[2], z;
    for (int k = 0; k < 2; ++k) {
        arb_init(a[k]);
        arb_init(b[k]);
    }
    arb_init(z);
    for (int trial = 0; trial < TRIALS; ++trial) {
        const mo_interval x = any_interval(&random);
        const mo_interval y = any_interval(&random);
        const mo_interval result = ours(x, y);
        ends(x, a[0], a[1]);
        ends(y, b[0], b[1]);
        for (int k = 0; k < 4; ++k) {
            exact(z, a[k & 1], b[k >> 1], DIGITS);
            contains(result, z);
        }
    }
    for (int k = 0; k < 2; ++k) {
        arb_clear(a[k]);
        arb_clear(b[k]);
    }
    arb_clear(z);
}

static void sums_hold_the_exact_ones(void **state)
{
    (void)state;
    holds_for_two(mo_interval_add, arb_add, 1);
}

static void products_hold_the_exact_ones(void **state)
{
    (void)state;
    holds_for_two(mo_interval_mul, arb_mul, 2);
}

typedef mo_interval one_fn(mo_interval a);
typedef void exact_one_fn(arb_t z, const arb_t x, slong digits);

/* Monotone functions on positive intervals; the exact value is enclosed itself. */
static void holds_for_one(one_fn *ours, exact_one_fn *exact, unsigned seed)
{
    mo_random random = {seed};
    arb_t end[2], z;
    arb_init(end[0]);
    arb_init(end[1]);
    arb_init(z);
    for (int trial = 0; trial < TRIALS; ++trial) {
        mo_interval x = any_interval(&random);
        x.mid = fabs(x.mid);
        x.rad = fmin(x.rad, 0.9 * x.mid);
        const mo_interval result = ours(x);
        ends(x, end[0], end[1]);
        for (int k = 0; k < 2; ++k) {
            exact(z, end[k], DIGITS);
            contains(result, z);
        }
        if (x.rad == 0) /* then the result is a few units in the last place wide */
            assert_true(result.rad <= 8 * DBL_EPSILON * fabs(result.mid));
    }
    arb_clear(end[0]);
    arb_clear(end[1]);
    arb_clear(z);
}

static void square_roots_hold_the_exact_ones(void **state)
{
    (void)state;
    holds_for_one(mo_interval_sqrt, arb_sqrt, 3);
}

static void inverses_hold_the_exact_ones(void **state)
{
    (void)state;
    holds_for_one(mo_interval_inverse, arb_inv, 4);
}

/* What certificates rest on: long sums with cancellation. */
static void dot_products_hold_the_exact_ones(void **state)
{
    enum { LENGTH = 50 };
    mo_random random = {5};
    arb_t x, y, exact;
    (void)state;
    arb_init(x);
    arb_init(y);
    arb_init(exact);
    for (int trial = 0; trial < 500; ++trial) {
        mo_interval sum = mo_interval_exact(0);
        arb_zero(exact);
        for (int k = 0; k < LENGTH; ++k) {
            const double a = any_number(&random, 8);
            const double b = any_number(&random, 8);
            sum = mo_interval_fma(sum, a, mo_interval_exact(b));
            arb_set_d(x, a);
            arb_set_d(y, b);
            arb_addmul(exact, x, y, DIGITS);
        }
        contains(sum, exact);
        assert_true(sum.rad <= 1e-12 * 1e16 * LENGTH);
    }
    arb_clear(x);
    arb_clear(y);
    arb_clear(exact);
    flint_cleanup();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_hold_the_exact_ones),
        cmocka_unit_test(products_hold_the_exact_ones),
        cmocka_unit_test(square_roots_hold_the_exact_ones),
        cmocka_unit_test(inverses_hold_the_exact_ones),
        cmocka_unit_test(dot_products_hold_the_exact_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
