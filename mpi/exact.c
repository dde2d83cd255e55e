/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "exact.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum {
    BITS = 26,    /* of a part                              */
    WINDOW = 16,  /* by so many bits g may be too large     */
    LEAST = -900, /* exponent of g: its inverse is finite   */
    LANES = 8
};

/* What one rank finds, and after the reduction all of them. */
typedef struct part {
    double largest;
    int64_t coarse, fine;
    int64_t stop; /* why a rank must end, the largest number */
} part;

static void add_parts(void *from, void *to, int *count, MPI_Datatype *type)
{
    const part *a = from;
    part *b = to;
    (void)type;
    for (int k = 0; k < *count; ++k) {
        b[k].largest = a[k].largest > b[k].largest ? a[k].largest : b[k].largest;
        b[k].coarse += a[k].coarse;
        b[k].fine += a[k].fine;
        b[k].stop = a[k].stop > b[k].stop ? a[k].stop : b[k].stop;
    }
}

void mo_exact_init(mo_exact *exact, MPI_Comm comm)
{
    *exact = (mo_exact){.comm = comm};
    MPI_Type_contiguous((int)sizeof(part), MPI_BYTE, &exact->type);
    MPI_Type_commit(&exact->type);
    MPI_Op_create(add_parts, 1, &exact->add);
}

void mo_exact_clear(mo_exact *exact)
{
    if (exact->type) {
        MPI_Type_free(&exact->type);
        MPI_Op_free(&exact->add);
    }
}

typedef struct sums {
    double largest[LANES], coarse[LANES], fine[LANES];
} sums;

/* Adds LANES numbers, in units of g 2^-26 and g 2^-52, which powers of two make exact. */
static inline void add_numbers(double up, const double *x, sums *s)
{
    const double turn = 0x1.8p52, fine_up = 0x1p26; /* adding `turn` leaves whole numbers */
    for (int k = 0; k < LANES; ++k) {
        const double scaled = x[k] * up, whole = (scaled + turn) - turn;
        s->largest[k] = x[k] > s->largest[k] ? x[k] : s->largest[k];
        s->coarse[k] += whole;
        s->fine[k] += ((scaled - whole) * fine_up + turn) - turn;
    }
}

/* What would not be exact, or is not a number, is infinite. */
static part split(double g, const double *x, size_t count)
{
    const double up = ldexp(1 / g, BITS);
    double rest[LANES] = {0}, largest = 0, coarse = 0, fine = 0;
    size_t k = 0;
    sums s = {{0}, {0}, {0}};
    for (; k + LANES <= count; k += LANES)
        add_numbers(up, x + k, &s);
    memcpy(rest, x + k, (count - k) * sizeof *rest);
    add_numbers(up, rest, &s);
    for (int lane = 0; lane < LANES; ++lane) {
        largest = s.largest[lane] > largest ? s.largest[lane] : largest;
        coarse += s.coarse[lane];
        fine += s.fine[lane];
    }
    if (!(fabs(coarse) < 0x1p53) || !(fabs(fine) < 0x1p53))
        return (part){largest > g ? largest : INFINITY, 0, 0, 0}; /* another g may do */
    return (part){largest, (int64_t)coarse, (int64_t)fine, 0};
}

/* A power of two from `value` on, with some room. */
static double bound_of(double value)
{
    int exponent;
    (void)frexp(value, &exponent);
    return ldexp(1, exponent < LEAST ? LEAST : exponent + 2);
}

static double largest_of(const double *x, size_t count)
{
    double largest = 0;
    for (size_t k = 0; k < count; ++k)
        largest = x[k] <= largest ? largest : x[k]; /* also where it is not a number */
    return largest;
}

static void reduce(mo_exact *exact, part *p)
{
    p->stop = exact->wants_stop;
    MPI_Allreduce(MPI_IN_PLACE, p, 1, exact->type, exact->add, exact->comm);
    exact->reductions += 1;
    exact->must_stop = p->stop > exact->must_stop ? (int)p->stop : exact->must_stop;
}

double mo_exact_sum(mo_exact *exact, int kind, const double *x, size_t count)
{
    double *bound = exact->bound + kind;
    part p;
    if (!(*bound > 0)) {
        const double largest = mo_exact_largest(exact, largest_of(x, count));
        *bound = largest > 0 && isfinite(largest) ? bound_of(largest) : 1;
    }
    for (int attempt = 0; attempt < 2; ++attempt) {
        p = split(*bound, x, count);
        reduce(exact, &p);
        if (!isfinite(p.largest) || p.largest == 0 ||
            (p.largest <= *bound && p.largest > ldexp(*bound, -WINDOW)))
            break;
        *bound = attempt ? *bound : bound_of(p.largest);
    }
    if (!isfinite(p.largest)) {
        *bound = 0;
        return INFINITY;
    }
    return ldexp(*bound, -BITS) * (double)p.coarse + ldexp(*bound, -2 * BITS) * (double)p.fine;
}

double mo_exact_largest(mo_exact *exact, double value)
{
    double most = isnan(value) ? INFINITY : value;
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, exact->comm);
    exact->reductions += 1;
    return most;
}
