/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The engine `facets` for convex contact problems (convex.h): quadratic programs on polyhedral
 * cones with adaptive facets [acary2011, section 6 (iv)].
 *
 *   1. every friction cone in space becomes the cone on four rays g_j of its surface
 *   2. the quadratic program on these cones is solved (convex_newton.c)
 *   3. for each contact that violates its exact cone, the ray opposite to u_T, which has the most
 *      negative price u.g, is added (column generation); go to 2
 *
 * A round gains about one digit.  A corner at an angle delta from the right one changes the price
 * by delta^2 only, so 3 tests the natural map of the contact.  Corners are kept for the next
 * problem; a contact with too many drops the one furthest from its velocity, but none of the first
 * four.
 *
 * Limits: slower than the inner engine on the exact cone; faces narrower than about 1e-8 cause
 * errors, so residuals below 1e-9 may be out of reach.  Planar cones and other laws are unchanged.
 */

#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "solver/convex.h"

enum { ROUNDS_MOST = 150 };
/* Accuracy of a quadratic program, relative to the residual on the true cone. */
static const double INNER = 0.05;

/* ---- the projection -------------------------------------------------------------------------- */

static void ray(double mu, double angle, double *g)
{
    g[0] = 1;
    g[1] = mu * cos(angle);
    g[2] = mu * sin(angle);
}

/*
 * The face between two corners, from their middle m and half their angle h: the plane through the
 * apex that holds (1, mu cos h m) and the tangent across m.  Sines and cosines of m and h, not
 * differences of rays, so that corners may be close together.
 */
typedef struct face {
    double c, s; /* m */
    double half; /* mu sin h: half its width over p_N */
    double n[3]; /* unit normal, out of the cone */
} face;

static face face_between(double mu, double from, double to)
{
    const double middle = 0.5 * (from + to), h = 0.5 * (to - from);
    const double size = sqrt(1 + mu * mu * cos(h) * cos(h));
    face f = {.c = cos(middle), .s = sin(middle), .half = mu * sin(h)};
    f.n[0] = -mu * cos(h) / size;
    f.n[1] = f.c / size;
    f.n[2] = f.s / size;
    return f;
}

/* Location of the nearest point, and the normal of its face or its ray. */
typedef enum place { INSIDE, FACE, RAY, APEX } place;

static place find_place(int count, const double *angle, double mu, const double *x, double *vector)
{
    const double square = mo_dot(3, x, x);
    double nearest = square;
    place found = APEX;
    int is_inside = 1;
    for (int j = 0; j < count; ++j) {
        const double to = j + 1 < count ? angle[j + 1] : angle[0] + 2 * acos(-1.0);
        const face f = face_between(mu, angle[j], to);
        const double outside = mo_dot(3, f.n, x), across = f.c * x[2] - f.s * x[1];
        double g[3];
        is_inside = is_inside && outside <= 0;
        if (outside > 0 && outside * outside < nearest &&
            fabs(across) <= f.half * (x[0] - outside * f.n[0])) {
            nearest = outside * outside;
            found = FACE;
            memcpy(vector, f.n, sizeof f.n);
        }
        ray(mu, angle[j], g);
        const double along = mo_dot(3, g, x), left = square - along * along / (1 + mu * mu);
        if (along > 0 && left < nearest) {
            nearest = left;
            found = RAY;
            memcpy(vector, g, sizeof g);
        }
    }
    return is_inside ? INSIDE : found;
}

void mo_facets_project(int count, const double *angle, double mu, const double *x, double *y)
{
    double v[3] = {0};
    const place where = find_place(count, angle, mu, x, v);
    const double along = where == FACE || where == RAY ? mo_dot(3, v, x) / mo_dot(3, v, v) : 0;
    for (int k = 0; k < 3; ++k)
        y[k] = where == INSIDE ? x[k] : where == FACE ? x[k] - along * v[k] : along * v[k];
}

void mo_facets_project_derivative(int count, const double *angle, double mu, const double *x,
                                  double *J)
{
    double v[3] = {0};
    const place where = find_place(count, angle, mu, x, v);
    const double square = mo_dot(3, v, v);
    for (int k = 0; k < 9; ++k) {
        const double unit = k % 4 == 0, outer = square > 0 ? v[k / 3] * v[k % 3] / square : 0;
        J[k] = where == INSIDE ? unit : where == FACE ? unit - outer : where == RAY ? outer : 0;
    }
}

/* ---- the corners ----------------------------------------------------------------------------- */

typedef struct workspace {
    void *newton; /* workspace of the inner engine */
    mo_convex_facets facets;
    double *best_r, *v;
    int has_begun;
} workspace;

static mo_error layout(const mo_problem *problem, const mo_options *options, mo_arena *arena,
                       void **out)
{
    const size_t count = (size_t)problem->constraint_count;
    workspace *w = MO_HEAD(arena, workspace);
    *out = w;
    w->facets.count = MO_TAKE(arena, count, int);
    w->facets.angle = MO_TAKE(arena, count * MO_FACETS_MOST, double);
    w->best_r = MO_TAKE(arena, problem->row_count, double);
    w->v = MO_TAKE(arena, problem->dof_count, double);
    w->has_begun = 0;
    return mo_convex_newton_engine.layout(problem, options, arena, &w->newton);
}

static int is_round(const mo_problem *problem, int i)
{
    const double mu =
        problem->law[i].kind == MO_LAW_COULOMB ? mo_constraint_param(problem, i)[0] : 0;
    return mo_constraint_dim(problem, i) == 3 && mu > 0 && isfinite(mu);
}

static void begin(const mo_problem *problem, workspace *w)
{
    for (int i = 0; i < problem->constraint_count && !w->has_begun; ++i) {
        w->facets.count[i] = is_round(problem, i) ? MO_FACETS_BASE : 0;
        for (int j = 0; j < w->facets.count[i]; ++j)
            w->facets.angle[i * MO_FACETS_MOST + j] = 2 * acos(-1.0) * j / MO_FACETS_BASE;
    }
    w->has_begun = 1;
}

static double angle_between(double a, double b)
{
    const double turn = 2 * acos(-1.0), d = fabs(a - b);
    return d < turn - d ? d : turn - d;
}

static int is_base(double angle)
{
    for (int j = 0; j < MO_FACETS_BASE; ++j)
        if (angle == 2 * acos(-1.0) * j / MO_FACETS_BASE) return 1;
    return 0;
}

static void remove_furthest(int *count, double *angle, double from)
{
    int furthest = -1;
    for (int j = 0; j < *count; ++j)
        if (!is_base(angle[j]) &&
            (furthest < 0 || angle_between(angle[j], from) > angle_between(angle[furthest], from)))
            furthest = j;
    --*count;
    memmove(angle + furthest, angle + furthest + 1, (size_t)(*count - furthest) * sizeof *angle);
}

/* Inserts a corner at the angle; false if there is one already. */
static int add_corner(int *count, double *angle, double at)
{
    for (int j = 0; j < *count; ++j)
        if (angle_between(angle[j], at) < 1e-13) return 0;
    if (*count == MO_FACETS_MOST) remove_furthest(count, angle, at);
    int j = *count;
    for (; j > 0 && angle[j - 1] > at; --j)
        angle[j] = angle[j - 1];
    angle[j] = at;
    ++*count;
    return 1;
}

/* |r - proj(r - u - s e_N)| on the true cone of one contact, whose velocity is a. */
static double failure_of(const mo_convex *convex, int i, const double *a, const double *r)
{
    double x[3], y[3];
    mo_along(3, r, -1, a, x);
    mo_convex_prox(convex, i, 1, x, y);
    return sqrt(mo_distance_square(3, r, y));
}

/* Step 3 where a contact fails by more than `small`; returns how many corners were added. */
static int add_corners(workspace *w, const mo_convex *convex, double small, const double *u,
                       const double *r)
{
    const mo_problem *problem = convex->problem;
    const double turn = 2 * acos(-1.0);
    int added = 0;
    for (int i = 0; i < problem->constraint_count; ++i) {
        const int row = problem->row_start[i];
        double a[MO_BILATERAL_MAX_DIM];
        if (!w->facets.count[i]) continue;
        mo_convex_velocity(convex, i, u + row, r + row, a);
        if (hypot(a[1], a[2]) > 0 && failure_of(convex, i, a, r + row) > small) {
            const double angle = atan2(-a[2], -a[1]);
            added += add_corner(&w->facets.count[i], w->facets.angle + i * MO_FACETS_MOST,
                                angle < 0 ? angle + turn : angle);
        }
    }
    return added;
}

/* ---- the engine ------------------------------------------------------------------------------ */

static mo_convex_answer solve(mo_run *run, void *memory, const mo_convex *convex, double tol,
                              double *r, double *u)
{
    workspace *w = memory;
    const mo_convex_engine *inner = &mo_convex_newton_engine;
    const size_t bytes = (size_t)convex->problem->row_count * sizeof *r;
    mo_convex faceted = *convex;
    faceted.facets = convex->kind == MO_CONVEX_SHIFTED ? &w->facets : NULL;
    const double least = 0.1 * tol,
                 small = 0.5 * tol / sqrt(1.0 + convex->problem->constraint_count);
    double best = INFINITY, accuracy = INFINITY, wanted = least;
    int iterations = 0, is_over = 0;
    begin(convex->problem, w);
    for (int round = 0; round < ROUNDS_MOST && !is_over; ++round) {
        const mo_convex_answer answer = inner->solve(run, w->newton, &faceted, wanted, r, u);
        iterations += answer.iterations;
        is_over = answer.is_interrupted;
        accuracy = mo_convex_residual(convex, u, r);
        if (accuracy < best) {
            best = accuracy;
            memcpy(w->best_r, r, bytes);
        }
        const int added = faceted.facets ? add_corners(w, convex, small, u, r) : 0;
        if (best <= tol || (added == 0 && wanted == least)) break;
        wanted = added == 0 ? least : fmax(least, INNER * accuracy);
    }
    if (isfinite(best) && accuracy > best) {
        memcpy(r, w->best_r, bytes);
        mo_problem_response_into(convex->problem, r, w->v, u);
    }
    return (mo_convex_answer){best, iterations, is_over};
}

const mo_convex_engine mo_convex_facets_engine = {
    .name = "facets",
    .takes_bounded_slip = 1,
    .layout = layout,
    .solve = solve,
};
