/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * A disordered dense packing that costs no simulation.
 *
 * The sites of a hexagonal close packing have twelve neighbours at the distance of one diameter.
 * Each ball is moved from its site by up to JITTER in each direction and its radius is drawn within
 * SPREAD of the mean.  A *candidate* is a pair of neighbouring sites, or a site beside a wall; it
 * touches once all radii have grown by distance / (sum of radii), so the N candidates of least
 * growth touch first and the N-th of them is the scale of the radii: exactly N contacts.  The
 * overlap that the others then have is ignored: it is a few hundredths of a diameter, and the step
 * starts from touching.
 *
 * Nothing about a ball is stored: it follows from the seed and its number.  Candidates are visited
 * twice, to find the scale and to add the contacts, in the same order.  Lengths are in mean
 * diameters inside this file and become metres where arms, masses and inertias are made.
 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "packing.h"
#include "rigid.h"
#include "rng.h"

#define JITTER 0.06    /* mean diameters */
#define SPREAD 0.1     /* of the radius  */
#define DIAMETER 0.1   /* m              */
#define DENSITY 1900.0 /* kg/m^3         */
#define STEP 0.01      /* s              */
#define AGITATION 0.1  /* m/s: about what gravity adds in a step */
#define MU 0.3
#define ASIDE 0.2 /* diameters: of the contacts of stones from the line of centres */
#define SOFT 1e-6 /* m / (N s), of soft balls */

#define ROW 0.86602540378443864676   /* sqrt(3) / 2: between rows of a layer   */
#define LAYER 0.81649658092772603273 /* sqrt(2 / 3): between layers            */

enum { WORLD = SCENE_BED_WORLD, BODIES_MOST = INT_MAX / 64 };

typedef scene_bed bed;
typedef scene_candidate candidate;
typedef scene_candidate_fn candidate_fn;

typedef struct site {
    int column, row, layer;
} site;

typedef struct ball {
    double at[3];
    double radius;
} ball;

/* ---- positions ------------------------------------------------------------------------------- */

static site site_of(const bed *b, int body)
{
    const int in_layer = b->columns * b->rows;
    const int rest = body % in_layer;
    return (site){rest % b->columns, rest / b->columns, body / in_layer};
}

static void site_position(site s, double at[3])
{
    at[0] = s.column + 0.5 * ((s.row + s.layer) % 2);
    at[1] = ROW * (s.row + (s.layer % 2) / 3.0);
    at[2] = LAYER * s.layer;
}

static ball ball_of(const bed *b, int body)
{
    rng g = rng_of(b->seed, (uint64_t)body);
    ball own;
    site_position(site_of(b, body), own.at);
    for (int k = 0; k < 3; ++k)
        own.at[k] += rng_between(&g, -JITTER, JITTER);
    own.radius = 0.5 * rng_between(&g, 1 - SPREAD, 1 + SPREAD);
    return own;
}

/* The body at a site, or WORLD where the bed has none. */
static int body_at(const bed *b, site s)
{
    const int inside =
        s.column >= 0 && s.column < b->columns && s.row >= 0 && s.row < b->rows && s.layer >= 0;
    const int body = (s.layer * b->rows + s.row) * b->columns + s.column;
    return inside && body < b->bodies ? body : WORLD;
}

/* ---- candidates ------------------------------------------------------------------------------ */

static void visit_pair(int first, const ball *a, int second, const ball *b, candidate_fn *fn,
                       void *context)
{
    candidate pair = {.first = first, .second = second};
    double square = 0;
    for (int k = 0; k < 3; ++k) {
        pair.normal[k] = b->at[k] - a->at[k];
        square += pair.normal[k] * pair.normal[k];
    }
    pair.distance = sqrt(square);
    for (int k = 0; k < 3; ++k)
        pair.normal[k] /= pair.distance;
    pair.share = b->radius / (a->radius + b->radius);
    pair.growth = pair.distance / (a->radius + b->radius);
    fn(context, &pair);
}

/* The wall at `place` along an axis, whose normal points into the bed (sign). */
static void visit_wall(int body, const ball *own, int axis, double place, double sign,
                       candidate_fn *fn, void *context)
{
    const double distance = sign * (own->at[axis] - place);
    if (distance <
        0.7) { /* a site beside the wall is at half a diameter, the next one at a whole */
        candidate pair = {.first = WORLD, .second = body, .distance = distance, .share = 1};
        pair.normal[axis] = sign;
        pair.growth = distance / own->radius;
        fn(context, &pair);
    }
}

static void visit_walls(const bed *b, int body, const ball *own, candidate_fn *fn, void *context)
{
    visit_wall(body, own, 2, -0.5, 1, fn, context); /* the floor */
    visit_wall(body, own, 0, -0.5, 1, fn, context);
    visit_wall(body, own, 0, b->columns, -1, fn, context);
    visit_wall(body, own, 1, -0.5, 1, fn, context);
    visit_wall(body, own, 1, ROW * (b->rows - 1) + 0.5 + ROW / 3, -1, fn, context);
}

/* Sites one diameter apart, the earlier of each pair first in number. */
static void visit_neighbours(const bed *b, int body, const ball *own, candidate_fn *fn,
                             void *context)
{
    const site here = site_of(b, body);
    double at[3], other_at[3];
    site_position(here, at);
    for (int step = 0; step < 13; ++step) { /* the first half of the 27 sites around */
        const site there = {here.column + step % 3 - 1, here.row + step / 3 % 3 - 1,
                            here.layer + step / 9 - 1};
        const int other = body_at(b, there);
        if (other == WORLD) continue;
        site_position(there, other_at);
        const double dx = at[0] - other_at[0], dy = at[1] - other_at[1], dz = at[2] - other_at[2];
        if (dx * dx + dy * dy + dz * dz < 1.1) {
            const ball partner = ball_of(b, other);
            visit_pair(other, &partner, body, own, fn, context);
        }
    }
}

void scene_bed_visit(const bed *b, int begin, int end, candidate_fn *fn, void *context)
{
    for (int body = begin; body < end; ++body) {
        const ball own = ball_of(b, body);
        visit_walls(b, body, &own, fn, context);
        visit_neighbours(b, body, &own, fn, context);
    }
}

static void visit_candidates(const bed *b, candidate_fn *fn, void *context)
{
    scene_bed_visit(b, 0, b->bodies, fn, context);
}

/* ---- growth of the radii --------------------------------------------------------------------- */

typedef struct growth_list {
    double *value; /* NULL while counting */
    size_t count;
} growth_list;

static void note_growth(void *context, const candidate *pair)
{
    growth_list *list = context;
    if (list->value) list->value[list->count] = pair->growth;
    ++list->count;
}

/* The number with this many smaller ones (Hoare's select); the array is reordered. */
static double select_rank(double *x, size_t count, size_t rank)
{
    size_t low = 0, high = count - 1;
    while (low < high) {
        const double pivot = x[low + (high - low) / 2];
        size_t i = low, j = high;
        for (;;) {
            while (x[i] < pivot)
                ++i;
            while (x[j] > pivot)
                --j;
            if (i >= j) break;
            const double t = x[i];
            x[i++] = x[j];
            x[j--] = t;
        }
        if (rank <= j && j < high)
            high = j;
        else
            low = j + 1;
    }
    return x[rank];
}

bed scene_bed_of(scene_grain grain, int bodies, uint64_t seed)
{
    const int side = (int)ceil(cbrt(bodies));
    return (bed){.seed = seed, .grain = grain, .columns = side, .rows = side, .bodies = bodies};
}

/* A third as many bodies as contacts, in about a cube; more where a small bed has too few pairs. */
static bed make_bed(scene_grain grain, int contacts, uint64_t seed)
{
    for (int bodies = contacts / 3 + 1;; bodies += bodies / 8 + 1) {
        const bed b = scene_bed_of(grain, bodies, seed);
        growth_list list = {NULL, 0};
        visit_candidates(&b, note_growth, &list);
        if (list.count >= (size_t)contacts) return b;
    }
}

static mo_error find_growth(const bed *b, int contacts, double *growth)
{
    growth_list list = {NULL, 0};
    visit_candidates(b, note_growth, &list);
    list.value = malloc(list.count * sizeof *list.value);
    if (!list.value) return MO_ERR_MEMORY;
    const size_t count = list.count;
    list.count = 0;
    visit_candidates(b, note_growth, &list);
    *growth = select_rank(list.value, count, (size_t)contacts - 1);
    free(list.value);
    return MO_OK;
}

/* ---- the problem ----------------------------------------------------------------------------- */

double scene_bed_body(const bed *b, int body, double growth, double inertia[3], double f[6])
{
    const double radius = DIAMETER * growth * ball_of(b, body).radius;
    const double mass = DENSITY * (4.0 / 3) * 3.14159265358979323846 * radius * radius * radius;
    const double i = 0.4 * mass * radius * radius, part = b->grain == SCENE_STONES ? 0.7 : 1;
    rng g = rng_of(~b->seed, (uint64_t)body);
    inertia[0] = i, inertia[1] = part * i, inertia[2] = part * part * i;
    for (int k = 0; k < 3; ++k) {
        f[k] = mass * rng_between(&g, -AGITATION, AGITATION);
        f[3 + k] = inertia[k] * rng_between(&g, -AGITATION, AGITATION) / (0.5 * DIAMETER);
    }
    f[2] -= mass * SCENE_GRAVITY * STEP;
    return mass;
}

static void add_ball(mo_builder *builder, const bed *b, int body, double growth)
{
    double M[RIGID * RIGID], inertia[3], f[RIGID];
    rigid_mass(scene_bed_body(b, body, growth, inertia, f), inertia, M);
    mo_builder_add_body(builder, RIGID, M, f);
}

mo_rigid_contact scene_bed_contact(const candidate *pair)
{
    mo_rigid_contact contact = {.body = {pair->second, pair->first}, .mu = MU};
    rigid_frame(pair->normal, contact.frame);
    for (int k = 0; k < 3; ++k) {
        contact.arm[0][k] = -DIAMETER * pair->distance * pair->share * pair->normal[k];
        contact.arm[1][k] = DIAMETER * pair->distance * (1 - pair->share) * pair->normal[k];
    }
    return contact;
}

typedef struct adding {
    mo_builder *builder;
    scene_grain grain;
    double growth;
    int pairs; /* so far */
    int left;  /* contacts still to come; only ties at the limit make it matter */
} adding;

/* One contact of the pair, `aside` of the line of centres, in diameters along the first tangent. */
static void add_point(adding *a, const candidate *pair, double aside)
{
    static const double compliance[3] = {SOFT, SOFT, SOFT};
    mo_law law = mo_law_coulomb(MU);
    if (a->left == 0) return;
    --a->left;
    law.compliance = a->grain == SCENE_SOFT_BALLS && a->pairs > 0 ? compliance : NULL;
    const int contact = mo_builder_add_constraint(a->builder, 3, &law, NULL);
    const double of_second = -DIAMETER * pair->distance * pair->share;
    const double of_first = DIAMETER * pair->distance * (1 - pair->share);
    double frame[9], arm_first[3], arm_second[3], J[3 * RIGID];
    rigid_frame(pair->normal, frame);
    for (int k = 0; k < 3; ++k) {
        arm_first[k] = of_first * pair->normal[k] + DIAMETER * aside * frame[3 + k];
        arm_second[k] = of_second * pair->normal[k] + DIAMETER * aside * frame[3 + k];
    }
    if (pair->first != WORLD) {
        rigid_jacobian(3, frame, arm_first, -1, J);
        mo_builder_add_jacobian(a->builder, contact, pair->first, 3, RIGID, J);
    }
    rigid_jacobian(3, frame, arm_second, 1, J);
    mo_builder_add_jacobian(a->builder, contact, pair->second, 3, RIGID, J);
}

/* Every second pair of stones has two points. */
static void add_contacts(void *context, const candidate *pair)
{
    adding *a = context;
    if (pair->growth > a->growth) return;
    const double aside = a->grain == SCENE_STONES ? ASIDE : 0;
    add_point(a, pair, aside);
    if (a->grain == SCENE_STONES && a->pairs % 2) add_point(a, pair, -aside);
    ++a->pairs;
}

mo_error scene_packing(int contacts, uint64_t seed, mo_problem **problem, mo_message *why)
{
    return scene_packing_of(SCENE_BALLS, contacts, seed, problem, why);
}

mo_error scene_packing_of(scene_grain grain, int contacts, uint64_t seed, mo_problem **problem,
                          mo_message *why)
{
    *problem = NULL;
    if (contacts < 1 || contacts / 3 > BODIES_MOST) {
        return scene_fail(why, MO_ERR_ARGUMENT, "a packing has 1 to %d contacts, not %d",
                          3 * BODIES_MOST, contacts);
    }
    const int pairs = grain == SCENE_STONES ? contacts - contacts / 3 : contacts;
    const bed b = make_bed(grain, pairs, seed);
    adding a = {.grain = grain, .left = contacts};
    mo_error error = find_growth(&b, pairs, &a.growth);
    error = error ? error : mo_builder_create(NULL, &a.builder);
    if (error) return scene_fail(why, error, "%s", mo_error_text(error));
    const size_t count = (size_t)contacts;
    mo_builder_reserve(a.builder, (size_t)b.bodies, count, 2 * count, 2 * 3 * RIGID * count);
    for (int body = 0; body < b.bodies; ++body)
        add_ball(a.builder, &b, body, a.growth);
    visit_candidates(&b, add_contacts, &a);
    error = mo_builder_finish(a.builder, problem, why);
    mo_builder_destroy(a.builder);
    return error;
}
