/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Interpretations of Algorithm 1 of [lu2015], on the paper's particle only (m = 1, W = I).
 *
 * The paper does not state which friction model figure 2 uses, or how s, which Algorithm 1 does not
 * contain, is updated; eq. 26 adds up the impulses of all iterations, which must be an error.  Each
 * interpretation is a few lines, with the error of eq. 30-31 on its own unknowns, s included.  (The
 * library measures a linearised iterate by its impulse, with the s that fits the velocity best.)
 */
#include <math.h>
#include <string.h>

#include "lu_trinkle.h"

/* Section IV A, in the contact frame (n, t, o). */
static const double NU[3] = {-1, 1, 0};
static const double GAP_RATE = 1.5; /* psi / h */
static const double H = 0.1, MU = 0.5;

enum { N = 0, T = 1, O = 2, DIRECTIONS = 4 };

const lt_reading lt_readings[LT_READING_COUNT] = {
    [LT_READ_CONIC] = {"conic", "conic model, velocity of the start of the step", LT_START, 0, 0, 0,
                       0},
    [LT_READ_PRINTED] = {"conic-printed",
                         "conic model, eq. 26 to the letter: impulses and p_ext pile up",
                         LT_ACCUMULATED, 0, 0, 0, 0},
    [LT_READ_PRINTED_ONCE] = {"conic-printed-once",
                              "conic model, impulses pile up, p_ext only once", LT_IMPULSES_TWICE,
                              0, 0, 0, 0},
    [LT_READ_PRINTED_STALE] = {"conic-printed-stale",
                               "conic model, eq. 26 to the letter, in the error too",
                               LT_ACCUMULATED, 1, 0, 0, 0},
    [LT_READ_TOGETHER] = {"linearised-together",
                          "linearised model, p_n, p_f and s stepped together", LT_START, 0, 1, 0,
                          0},
    [LT_READ_SEQUENCE] = {"linearised-sequence",
                          "linearised model, p_n and p_f, then s from their new values", LT_START,
                          0, 1, 1, 0},
    [LT_READ_SEQUENCE_PHI] = {"linearised-sequence-phi", "the same, stopped at |phi| < 1e-6",
                              LT_START, 0, 1, 1, 1},
};

/* p is the impulse in n, t, o; f and s are the further unknowns of the linearised model. */
typedef struct state {
    double p[3], f[DIRECTIONS], s;
    double nu[3]; /* the accumulated velocity */
} state;

static double cck(double a, double b)
{
    return LT_XI * (a + b - sqrt(a * a + b * b)) +
           (1 - LT_XI) * fmax(a, 0) * fmax(b, 0); /* eq. 30 */
}

/* u of eq. 15 (the gap included, as b of eq. 14 has it). */
static void velocity(const double *p, double gravity, double *u)
{
    for (int k = 0; k < 3; ++k)
        u[k] = NU[k] + p[k];
    u[N] += H * gravity + GAP_RATE;
}

/* ---- the conic model ------------------------------------------------------------------------- */

static double conic_error(const double *p, const double *u)
{
    const double slip = hypot(u[T], u[O]);
    const double sigma = MU * p[N] * (MU * p[N]) - p[T] * p[T] - p[O] * p[O]; /* eq. 21 */
    const double phi[4] = {cck(p[N], u[N]), cck(slip, sigma), MU * p[N] * u[T] + p[T] * slip,
                           MU * p[N] * u[O] + p[O] * slip}; /* eq. 16, 19, 17, 18 */
    return 0.5 * (phi[0] * phi[0] + phi[1] * phi[1] + phi[2] * phi[2] + phi[3] * phi[3]);
}

/* One iteration; returns the total error. */
static double step_conic(const lt_reading *reading, double gravity, double r, int k, state *z)
{
    double u[3];
    if (reading->velocity == LT_START) {
        velocity(z->p, gravity, u);
    } else { /* eq. 26 */
        const int pull = reading->velocity == LT_ACCUMULATED || k == 1;
        for (int j = 0; j < 3; ++j)
            z->nu[j] += z->p[j];
        z->nu[N] += pull ? H * gravity : 0;
        memcpy(u, z->nu, sizeof u);
        u[N] += GAP_RATE;
    }
    z->p[N] = fmax(0, z->p[N] - r * u[N]); /* eq. 27 */
    z->p[T] -= r * u[T];                   /* eq. 28, with the mu that eq. 25 lacks */
    z->p[O] -= r * u[O];
    const double size = hypot(z->p[T], z->p[O]), bound = MU * z->p[N];
    if (size > bound) {
        z->p[T] *= bound / size;
        z->p[O] *= bound / size;
    }
    if (!reading->error_as_iterated) velocity(z->p, gravity, u);
    return conic_error(z->p, u);
}

/* ---- the linearised model -------------------------------------------------------------------- */

/* d_j . u of the four directions of eq. 5. */
static void along(const double *u, double *d)
{
    d[0] = u[T];
    d[1] = u[O];
    d[2] = -u[T];
    d[3] = -u[O];
}

static double left_over(const state *z)
{
    return MU * z->p[N] - z->f[0] - z->f[1] - z->f[2] - z->f[3]; /* eq. 10 */
}

static double linearised_error(const state *z, double gravity)
{
    double u[3], d[DIRECTIONS];
    velocity(z->p, gravity, u);
    along(u, d);
    double phi = cck(z->p[N], u[N]), sum = phi * phi;
    for (int j = 0; j < DIRECTIONS; ++j) {
        phi = cck(z->f[j], d[j] + z->s);
        sum += phi * phi;
    }
    phi = cck(z->s, left_over(z));
    return 0.5 * (sum + phi * phi);
}

static double step_linearised(const lt_reading *reading, double gravity, double r, state *z)
{
    double u[3], d[DIRECTIONS];
    const double old_s = z->s, old_left = left_over(z);
    velocity(z->p, gravity, u);
    along(u, d);
    z->p[N] = fmax(0, z->p[N] - r * u[N]);
    for (int j = 0; j < DIRECTIONS; ++j)
        z->f[j] = fmax(0, z->f[j] - r * (d[j] + old_s));
    z->p[T] = z->f[0] - z->f[2];
    z->p[O] = z->f[1] - z->f[3];
    z->s = fmax(0, z->s - r * (reading->in_sequence ? left_over(z) : old_left));
    return linearised_error(z, gravity);
}

/* ---- any reading ----------------------------------------------------------------------------- */

void lt_read(lt_reading_index index, double gravity, double r, double tolerance, lt_trace *trace)
{
    const lt_reading *reading = &lt_readings[index];
    const double least = reading->by_phi ? LT_PHI_TO_TOTAL(tolerance) : tolerance;
    state z = {0};
    memcpy(z.nu, NU, sizeof z.nu);
    *trace = (lt_trace){.iterations = LT_MOST, .last = LT_MOST};
    trace->error[0] = INFINITY; /* totalErr = 10^16 in Algorithm 1: at least one iteration */
    for (int k = 1; k <= LT_MOST; ++k) {
        trace->error[k] = reading->linearised ? step_linearised(reading, gravity, r, &z)
                                              : step_conic(reading, gravity, r, k, &z);
        memcpy(trace->impulse[k], z.p, sizeof z.p);
        if (!trace->reached && trace->error[k] < least) {
            trace->reached = 1;
            trace->iterations = k;
        }
    }
}
