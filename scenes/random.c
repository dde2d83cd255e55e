/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Random problems, with or without a planted solution.
 *
 * Every body and every constraint draws from a stream of its own (rng_of), so that the problem can
 * be built a second time with another w: a planted pair (u, r) needs w = u - H' M^-1 (H r + f),
 * which the library computes on the problem with w = 0.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rigid.h"
#include "rng.h"
#include "scenes.h"

enum { ROWS_MOST = 5, DIM_MOST = 6, WORLD = -1 };

/* Streams: one family for each purpose. */
enum { OF_BODY, OF_CONSTRAINT, OF_PLAN, FAMILIES };

scene_random_def scene_random_default(void)
{
    return (scene_random_def){.seed = 1,
                              .bodies = 10,
                              .constraints = 15,
                              .laws = SCENE_COULOMB,
                              .mu_min = 0.1,
                              .mu_max = 0.9,
                              .mass_ratio = 1};
}

static rng stream(const scene_random_def *def, int family, int index)
{
    return rng_of(def->seed, (uint64_t)index * FAMILIES + (uint64_t)family);
}

/* ---- bodies ---------------------------------------------------------------------------------- */

/* M = mass (I + B B' / n), B random: full, symmetric to the last bit and well conditioned. */
static void draw_mass(rng *g, int n, double mass, double *M)
{
    double B[DIM_MOST * DIM_MOST];
    for (int k = 0; k < n * n; ++k)
        B[k] = rng_between(g, -1, 1);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) {
            double sum = i == j;
            for (int k = 0; k < n; ++k)
                sum += B[i * n + k] * B[j * n + k] / n;
            M[i * n + j] = M[j * n + i] = mass * sum;
        }
    }
}

static void add_bodies(mo_builder *builder, const scene_random_def *def)
{
    const int n = def->in_plane ? 3 : RIGID;
    double M[DIM_MOST * DIM_MOST], f[DIM_MOST];
    for (int b = 0; b < def->bodies; ++b) {
        rng g = stream(def, OF_BODY, b);
        const double mass = pow(def->mass_ratio, rng_between(&g, 0, 1));
        draw_mass(&g, n, mass, M);
        for (int k = 0; k < n; ++k)
            f[k] = mass * rng_between(&g, -1, 1);
        mo_builder_add_body(builder, n, M, f);
    }
}

/* ---- constraints ----------------------------------------------------------------------------- */

typedef struct drawn_law {
    mo_law law;
    int d;
    double lower, upper, compliance[ROWS_MOST];
} drawn_law;

/* Those asked for that exist here. */
static unsigned usable_laws(const scene_random_def *def)
{
    const unsigned in_space = SCENE_ROLLING | SCENE_SOFT_FINGER;
    const unsigned known = SCENE_EVERY_LAW & ~(def->in_plane ? in_space : 0);
    return def->laws & known;
}

static mo_law_kind draw_kind(const scene_random_def *def, rng *g)
{
    mo_law_kind kinds[MO_LAW_KIND_COUNT];
    int count = 0;
    for (int kind = 0; kind < MO_LAW_KIND_COUNT; ++kind)
        if (usable_laws(def) >> kind & 1) kinds[count++] = (mo_law_kind)kind;
    return kinds[rng_below(g, count)];
}

/* The arrays of the law point into `out`, which must stay where it is. */
static void draw_law(const scene_random_def *def, rng *g, drawn_law *out)
{
    const int axes = def->in_plane ? 2 : 3;
    const mo_law_kind kind = draw_kind(def, g);
    *out = (drawn_law){.law = {.kind = kind}, .d = 1};
    switch (kind) {
    case MO_LAW_COULOMB:
        out->d = axes;
        break;
    case MO_LAW_BILATERAL:
        out->d = 1 + rng_below(g, axes);
        break;
    case MO_LAW_BOX:
        out->lower = -rng_between(g, 0.1, 1);
        out->upper = rng_between(g, 0.1, 1);
        out->law.lower = &out->lower;
        out->law.upper = &out->upper;
        break;
    case MO_LAW_ROLLING:
        out->d = ROWS_MOST;
        break;
    case MO_LAW_SOFT_FINGER:
        out->d = 4;
        break;
    default:
        break;
    }
    out->law.mu = rng_between(g, def->mu_min, def->mu_max);
    out->law.mu_rolling = 0.1 * out->law.mu;
    out->law.mu_torsion = 0.3 * out->law.mu;
    for (int k = 0; k < ROWS_MOST; ++k)
        out->compliance[k] = def->compliance;
    out->law.compliance = def->compliance > 0 ? out->compliance : NULL;
}

static void draw_direction(rng *g, double n[3])
{
    double square;
    do { /* a point of the ball, away from its centre */
        square = 0;
        for (int k = 0; k < 3; ++k) {
            n[k] = rng_between(g, -1, 1);
            square += n[k] * n[k];
        }
    } while (square > 1 || square < 0.01);
    for (int k = 0; k < 3; ++k)
        n[k] /= sqrt(square);
}

/* In space: translational rows first, then rotation: about the two tangents (rolling), or the
 * normal (soft finger). */
static void space_jacobian(rng *g, const double *frame, mo_law_kind kind, int d, double sign,
                           double *J)
{
    double arm[3];
    for (int k = 0; k < 3; ++k)
        arm[k] = rng_between(g, -1, 1);
    rigid_jacobian(d < 3 ? d : 3, frame, arm, sign, J);
    for (int row = 3; row < d; ++row) {
        memset(J + row * RIGID, 0, RIGID * sizeof *J);
        for (int k = 0; k < 3; ++k) {
            const int axis = kind == MO_LAW_SOFT_FINGER ? 0 : row - 2;
            J[row * RIGID + 3 + k] = sign * frame[3 * axis + k];
        }
    }
}

/* In the plane: a.(v + omega z x arm) = a.v + (arm_x a_y - arm_y a_x) omega. */
static void plane_jacobian(rng *g, const double *frame, int d, double sign, double *J)
{
    const double arm[2] = {rng_between(g, -1, 1), rng_between(g, -1, 1)};
    for (int k = 0; k < d; ++k) {
        const double a[2] = {frame[2 * k], frame[2 * k + 1]};
        J[3 * k] = sign * a[0];
        J[3 * k + 1] = sign * a[1];
        J[3 * k + 2] = sign * (arm[0] * a[1] - arm[1] * a[0]);
    }
}

static void draw_frame(rng *g, int in_plane, double frame[9])
{
    double n[3];
    draw_direction(g, n);
    if (!in_plane) {
        rigid_frame(n, frame);
        return;
    }
    const double size = sqrt(n[0] * n[0] + n[1] * n[1]);
    const double c = size > 0 ? n[0] / size : 1, s = size > 0 ? n[1] / size : 0;
    const double axes[4] = {c, s, -s, c};
    memcpy(frame, axes, sizeof axes);
}

/* A gap on half of the unilateral constraints; d entries. */
static void draw_gap(rng *g, const drawn_law *drawn, double *w)
{
    const mo_law_kind kind = drawn->law.kind;
    const int is_unilateral = kind != MO_LAW_BILATERAL && kind != MO_LAW_BOX;
    memset(w, 0, (size_t)drawn->d * sizeof *w);
    w[0] = is_unilateral ? fmax(0, rng_between(g, -0.5, 0.5)) : 0;
}

/* w: the rows of this constraint, or NULL for a random gap.  Returns the number of rows. */
static int add_constraint(mo_builder *builder, const scene_random_def *def, int i, const double *w)
{
    rng g = stream(def, OF_CONSTRAINT, i);
    drawn_law drawn;
    double frame[9], gap[ROWS_MOST], J[ROWS_MOST * RIGID];
    draw_law(def, &g, &drawn);
    draw_frame(&g, def->in_plane, frame);
    draw_gap(&g, &drawn, gap);
    const int constraint = mo_builder_add_constraint(builder, drawn.d, &drawn.law, w ? w : gap);
    /* One in four is against the world; bodies in rising order, as the builder likes them. */
    const int body = rng_below(&g, def->bodies), other = rng_below(&g, def->bodies);
    const int alone = other == body || rng_below(&g, 4) == 0;
    const int pair[2] = {alone || other > body ? body : other, alone          ? WORLD
                                                               : other > body ? other
                                                                              : body};
    for (int side = 0; side < 2 && pair[side] != WORLD; ++side) {
        const double sign = side ? 1 : -1;
        if (def->in_plane)
            plane_jacobian(&g, frame, drawn.d, sign, J);
        else
            space_jacobian(&g, frame, drawn.law.kind, drawn.d, sign, J);
        mo_builder_add_jacobian(builder, constraint, pair[side], drawn.d, def->in_plane ? 3 : RIGID,
                                J);
    }
    return drawn.d;
}

/* ---- the plan -------------------------------------------------------------------------------- */

/* A disc of friction: stuck inside it, or sliding on its rim against the velocity. */
static void plan_disc(rng *g, double radius, int size, double *u, double *r)
{
    double direction[3];
    draw_direction(g, direction);
    const double flat = size == 2 ? sqrt(direction[0] * direction[0] + direction[1] * direction[1])
                                  : fabs(direction[0]);
    const int slides = rng_below(g, 2);
    const double speed = slides ? rng_between(g, 0.1, 1) : 0;
    const double part = slides ? radius : radius * rng_between(g, 0, 0.9);
    for (int k = 0; k < size; ++k) {
        const double along = flat > 0 ? direction[k] / flat : k == 0;
        u[k] = speed * along;
        r[k] = -part * along;
    }
}

/* The same in the scaled rows of a soft finger, where its limit is a ball; r_N is known. */
static void plan_soft_finger(rng *g, const mo_law *law, double *u, double *r)
{
    const double D[3] = {law->mu, law->mu, law->mu_torsion};
    double along[3];
    draw_direction(g, along);
    const int slides = rng_below(g, 2);
    const double speed = slides ? rng_between(g, 0.1, 1) : 0;
    const double part = slides ? r[0] : r[0] * rng_between(g, 0, 0.9);
    for (int k = 0; k < 3; ++k) { /* D u runs along the scaled direction, r / D against it */
        u[1 + k] = D[k] > 0 ? speed * along[k] / D[k] : 0;
        r[1 + k] = -part * along[k] * D[k];
    }
}

static void plan_contact(rng *g, const drawn_law *drawn, double *u, double *r)
{
    if (rng_below(g, 4) == 0) { /* open */
        u[0] = rng_between(g, 0.1, 1);
        for (int k = 1; k < drawn->d; ++k)
            u[k] = rng_between(g, -1, 1);
        return;
    }
    r[0] = rng_between(g, 0.1, 1);
    if (drawn->law.kind == MO_LAW_COULOMB) {
        plan_disc(g, drawn->law.mu * r[0], drawn->d - 1, u + 1, r + 1);
    } else if (drawn->law.kind == MO_LAW_ROLLING) {
        plan_disc(g, drawn->law.mu * r[0], 2, u + 1, r + 1);
        plan_disc(g, drawn->law.mu_rolling * r[0], 2, u + 3, r + 3);
    } else if (drawn->law.kind == MO_LAW_SOFT_FINGER) {
        plan_soft_finger(g, &drawn->law, u, r);
    }
}

/* A pair (u, r) that obeys the law; compliance is taken off u, since the law sees u + c r. */
static void plan_block(rng *g, const drawn_law *drawn, double *u, double *r)
{
    memset(u, 0, (size_t)drawn->d * sizeof *u);
    memset(r, 0, (size_t)drawn->d * sizeof *r);
    if (drawn->law.kind == MO_LAW_BILATERAL) {
        for (int k = 0; k < drawn->d; ++k)
            r[k] = rng_between(g, -1, 1);
    } else if (drawn->law.kind == MO_LAW_BOX) {
        const int place = rng_below(g, 3); /* at the lower bound, at the upper one, between */
        r[0] = place == 0 ? drawn->lower : place == 1 ? drawn->upper : rng_between(g, -0.1, 0.1);
        u[0] = place == 0 ? 0.5 : place == 1 ? -0.5 : 0;
    } else {
        plan_contact(g, drawn, u, r);
    }
    for (int k = 0; k < drawn->d; ++k)
        u[k] -= drawn->law.compliance ? drawn->law.compliance[k] * r[k] : 0;
}

static void plan(const scene_random_def *def, double *u, double *r)
{
    for (int i = 0; i < def->constraints; ++i) {
        rng g = stream(def, OF_CONSTRAINT, i), of_plan = stream(def, OF_PLAN, i);
        drawn_law drawn;
        draw_law(def, &g, &drawn); /* the same draw as in add_constraint */
        plan_block(&of_plan, &drawn, u, r);
        u += drawn.d;
        r += drawn.d;
    }
}

/* ---- building -------------------------------------------------------------------------------- */

/* w: all rows, or NULL for random gaps. */
static mo_error build(const scene_random_def *def, const double *w, mo_problem **problem,
                      mo_message *why)
{
    mo_builder *builder;
    mo_error error = mo_builder_create(NULL, &builder);
    if (error) return scene_fail(why, error, "%s", mo_error_text(error));
    add_bodies(builder, def);
    for (int i = 0; i < def->constraints; ++i) {
        const int d = add_constraint(builder, def, i, w);
        w = w ? w + d : NULL;
    }
    error = mo_builder_finish(builder, problem, why);
    mo_builder_destroy(builder);
    return error;
}

/* w = u - (u that r causes where w = 0), and the problem that has it. */
static mo_error build_planted(const scene_random_def *def, const mo_problem *without_w, double *r,
                              double *scratch, mo_problem **problem, mo_message *why)
{
    const size_t rows = (size_t)mo_problem_row_count(without_w);
    double *u = scratch, *caused = scratch + rows;
    plan(def, u, r);
    const mo_error error = mo_problem_response(without_w, r, caused);
    if (error) return scene_fail(why, error, "%s", mo_error_text(error));
    for (size_t k = 0; k < rows; ++k)
        u[k] -= caused[k];
    return build(def, u, problem, why);
}

static mo_error check(const scene_random_def *def, mo_message *why)
{
    if (def->bodies < 1 || def->constraints < 0 || !usable_laws(def)) {
        return scene_fail(why, MO_ERR_ARGUMENT,
                          "a random scene needs at least one body, and a law that exists there");
    }
    if (!(def->mass_ratio >= 1) || !(def->mu_min >= 0) || !(def->mu_max >= def->mu_min)) {
        return scene_fail(
            why, MO_ERR_ARGUMENT,
            "a random scene needs a mass ratio of at least 1 and 0 <= mu_min <= mu_max");
    }
    return MO_OK;
}

mo_error scene_random(const scene_random_def *def, mo_problem **problem, double **planted,
                      mo_message *why)
{
    *problem = NULL;
    if (planted) *planted = NULL;
    mo_error error = check(def, why);
    if (error || !planted) return error ? error : build(def, NULL, problem, why);
    /* All rows of w are zero here; the constraints have at most ROWS_MOST rows each. */
    double *zero = calloc((size_t)def->constraints * ROWS_MOST + 1, sizeof *zero);
    double *scratch = malloc(((size_t)def->constraints * ROWS_MOST * 2 + 1) * sizeof *scratch);
    double *r = malloc(((size_t)def->constraints * ROWS_MOST + 1) * sizeof *r);
    mo_problem *without_w = NULL;
    error = zero && scratch && r
                ? build(def, zero, &without_w, why)
                : scene_fail(why, MO_ERR_MEMORY, "%s", mo_error_text(MO_ERR_MEMORY));
    if (!error) error = build_planted(def, without_w, r, scratch, problem, why);
    mo_problem_destroy(without_w);
    free(zero);
    free(scratch);
    if (error) {
        free(r);
        r = NULL;
    }
    *planted = r;
    return error;
}
