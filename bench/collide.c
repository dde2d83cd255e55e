/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * `moreau bench collide`: cost and accuracy of the narrow phase for every pair of shape kinds.
 *
 * A world contains PAIRS separate pairs: a dynamic body near a static one, in random orientations.
 * Bisection on mo_world_penetration moves each pair along a random line until it just touches; from
 * there it is separated, or made to overlap, by a fiftieth of its size.  In the timed steps each
 * dynamic body rotates by a small angle per step.
 *
 *   time      seconds_collide of a step, minus that of the same world with the pairs out of reach,
 *             per pair; the minimum of REPEATS runs.  The ratio is relative to box against box
 *   contacts  mean number per pair
 *   error     of the smallest gap g, relative to the size of the pair.  Along the contact normal n
 *             the shapes must be separated by s(n) = g, and by no more along any sampled direction
 *             m, according to support functions in this file: max(|s(n) - g|, s(m) - g).  Not
 *             defined for meshes, which are not convex
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "asked.h"
#include "bench.h"
#include "exit_status.h"
#include "experiments.h"
#include "json.h"
#include "moreau/moreau.h"
#include "rng.h"
#include "text.h"

enum {
    PAIRS = 125,
    ACROSS = 5, /* of the grid of bodies */
    STEPS = 8,
    REPEATS = 20,
    DIRECTIONS = 300,
    CORNERS = 60, /* of the larger hull */
    CELLS = 12    /* of the mesh, each way */
};

static const double SIZE = 0.1, FAR = 2, TURN = 0.01, ASIDE = 0.02; /* m, m, rad, of the size */

typedef enum kind { BALL, BOX, CAPSULE, CYLINDER, HULL, LARGE_HULL, PLANE, MESH, KINDS } kind;
static const char *const NAME[KINDS] = {"ball",    "box",     "capsule", "cylinder",
                                        "hull-12", "hull-60", "plane",   "mesh"};

typedef enum situation { APART, TOUCHING, OVERLAP, SITUATIONS } situation;
static const char *const SITUATION[SITUATIONS] = {"apart", "touching", "overlap"};

typedef struct collide_row {
    kind a, b;
    double seconds[SITUATIONS], contacts[SITUATIONS], error[SITUATIONS]; /* error < 0: none */
} collide_row;

/* ---- shapes ---------------------------------------------------------------------------------- */

typedef struct shapes {
    mo_shape_def def[KINDS];
    double corner[CORNERS][3], point[(CELLS + 1) * (CELLS + 1)][3];
    int index[6 * CELLS * CELLS];
} shapes;

/* On an ellipsoid, spread by the golden angle. */
static void draw_corners(double (*corner)[3], int count)
{
    for (int k = 0; k < count; ++k) {
        const double z = 1 - (2 * k + 1.0) / count, angle = 2.39996322972865332 * k;
        corner[k][0] = SIZE * sqrt(1 - z * z) * cos(angle);
        corner[k][1] = 0.8 * SIZE * sqrt(1 - z * z) * sin(angle);
        corner[k][2] = 0.7 * SIZE * z;
    }
}

static void draw_mesh(shapes *s)
{
    for (int k = 0; k < (CELLS + 1) * (CELLS + 1); ++k) {
        const int i = k % (CELLS + 1), j = k / (CELLS + 1);
        s->point[k][0] = (i - CELLS / 2) * SIZE;
        s->point[k][1] = (j - CELLS / 2) * SIZE;
        s->point[k][2] = 0.1 * SIZE * sin(i) * cos(j);
    }
    for (int k = 0; k < CELLS * CELLS; ++k) {
        const int a = (CELLS + 1) * (k / CELLS) + k % CELLS, up = a + CELLS + 1;
        const int two[6] = {a, a + 1, up + 1, a, up + 1, up};
        memcpy(s->index + 6 * k, two, sizeof two);
    }
}

static void draw_shapes(shapes *s)
{
    const double low[3] = {0, 0, -SIZE}, high[3] = {0, 0, SIZE};
    static double few[12][3];
    draw_corners(s->corner, CORNERS);
    draw_corners(few, 12);
    draw_mesh(s);
    s->def[BALL] = mo_shape_ball(SIZE);
    s->def[BOX] = mo_shape_box(SIZE, 0.8 * SIZE, 0.6 * SIZE);
    s->def[CAPSULE] = mo_shape_capsule(low, high, 0.5 * SIZE);
    s->def[CYLINDER] = mo_shape_cylinder(0.7 * SIZE, SIZE);
    s->def[HULL] = mo_shape_hull(few[0], 12);
    s->def[LARGE_HULL] = mo_shape_hull(s->corner[0], CORNERS);
    s->def[PLANE] = mo_shape_plane();
    s->def[MESH] =
        mo_shape_mesh(s->point[0], (CELLS + 1) * (CELLS + 1), s->index, 6 * CELLS * CELLS);
}

/* The largest d.x over the shape at the pose, for a unit vector d. */
static double support(const mo_shape_def *def, const mo_pose *pose, const double d[3])
{
    double local[3], most = -INFINITY;
    mo_pose_vector_back(pose, d, local);
    const double at =
        d[0] * pose->position[0] + d[1] * pose->position[1] + d[2] * pose->position[2];
    switch (def->kind) {
    case MO_SHAPE_BALL:
        return at + def->radius;
    case MO_SHAPE_BOX:
        return at + fabs(local[0]) * def->half[0] + fabs(local[1]) * def->half[1] +
               fabs(local[2]) * def->half[2];
    case MO_SHAPE_CAPSULE:
        return at + def->radius + fabs(local[2]) * SIZE;
    case MO_SHAPE_CYLINDER:
        return at + def->radius * hypot(local[0], local[1]) + def->half[2] * fabs(local[2]);
    case MO_SHAPE_PLANE:
        return local[2] >= 1 - 1e-12 ? at : INFINITY;
    default:
        for (int k = 0; k < def->point_count; ++k) {
            const double *x = def->points + 3 * k;
            most = fmax(most, local[0] * x[0] + local[1] * x[1] + local[2] * x[2]);
        }
        return at + most;
    }
}

static double separation(const mo_shape_def *a, const mo_pose *at_a, const mo_shape_def *b,
                         const mo_pose *at_b, const double n[3])
{
    const double back[3] = {-n[0], -n[1], -n[2]};
    return -support(b, at_b, back) - support(a, at_a, n);
}

/* ---- worlds ---------------------------------------------------------------------------------- */

typedef struct pairs {
    mo_world *world;
    const mo_shape_def *a, *b;
    mo_body_id free[PAIRS], fixed[PAIRS];
    mo_pose at[PAIRS], foot[PAIRS]; /* of the dynamic bodies, in contact; of the static ones */
    double out[PAIRS][3];           /* the way apart */
} pairs;

static void draw_direction(rng *random, double d[3])
{
    double length = 0;
    while (!(length > 0.1 && length < 1)) {
        for (int i = 0; i < 3; ++i)
            d[i] = rng_between(random, -1, 1);
        length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    }
    for (int i = 0; i < 3; ++i)
        d[i] /= length;
}

static void set(mo_world *world, mo_body_id body, mo_pose pose, const double out[3], double by)
{
    const double rest[3] = {0};
    for (int i = 0; i < 3; ++i)
        pose.position[i] += by * out[i];
    mo_body_set(world, body, &pose, rest, rest, NULL);
}

/* A world with one pair: the distance of its dynamic body along `out` at which they touch. */
static double touching(const pairs *p, int k)
{
    const mo_world_def def = mo_default_world();
    mo_world *world = NULL;
    double low = -SIZE, high = 5 * SIZE;
    if (mo_world_create(&def, NULL, &world, NULL)) return 0;
    const mo_body_id body = mo_world_add_solid(world, MO_BODY_FREE, p->a, p->at + k, NULL);
    mo_world_add_solid(world, MO_BODY_FIXED, p->b, p->foot + k, NULL);
    for (int round = 0; round < 45; ++round) {
        const double middle = 0.5 * (low + high);
        set(world, body, p->at[k], p->out[k], middle);
        if (mo_world_penetration(world) > 0)
            low = middle;
        else
            high = middle;
    }
    mo_world_destroy(world);
    return high;
}

static void draw_pair(pairs *p, int k, rng *random)
{
    double axis[3], other[3];
    const int is_flat = p->b->kind == MO_SHAPE_PLANE || p->b->kind == MO_SHAPE_MESH;
    const double x = FAR * (k % ACROSS), y = FAR * (k / ACROSS % ACROSS),
                 z = FAR * (k / ACROSS / ACROSS);
    draw_direction(random, axis);
    draw_direction(random, other);
    draw_direction(random, p->out[k]);
    if (is_flat) memcpy(p->out[k], (const double[3]){0, 0, 1}, sizeof p->out[k]);
    p->at[k] = mo_pose_turned(x, y, z, axis, rng_between(random, -3, 3));
    p->foot[k] = mo_pose_turned(x, y, z, other, is_flat ? 0 : rng_between(random, -3, 3));
    const double by = touching(p, k);
    for (int i = 0; i < 3; ++i)
        p->at[k].position[i] += by * p->out[k][i];
}

static int make_pairs(const mo_shape_def *a, const mo_shape_def *b, pairs *p)
{
    mo_world_def def = mo_default_world();
    rng random = rng_of(1, 0);
    memset(def.gravity, 0, sizeof def.gravity);
    *p = (pairs){.a = a, .b = b};
    if (mo_world_create(&def, NULL, &p->world, NULL)) return 0;
    for (int k = 0; k < PAIRS; ++k) {
        draw_pair(p, k, &random);
        /* one plane touches all bodies */
        const int is_shared = b->kind == MO_SHAPE_PLANE && k >= ACROSS * ACROSS;
        p->free[k] = mo_world_add_solid(p->world, MO_BODY_FREE, a, p->at + k, NULL);
        p->fixed[k] = b->kind == MO_SHAPE_PLANE && k > 0
                          ? p->fixed[0]
                          : mo_world_add_solid(p->world, MO_BODY_FIXED, b, p->foot + k, NULL);
        if (is_shared) { /* its layers are placed side by side on it */
            p->at[k].position[0] += FAR * ACROSS * (k / ACROSS / ACROSS);
            p->at[k].position[2] -= p->foot[k].position[2];
        }
        if (b->kind == MO_SHAPE_PLANE) p->foot[k] = p->foot[0];
        if (!p->free[k].index || !p->fixed[k].index) return 0;
    }
    return 1;
}

/* ---- measuring ------------------------------------------------------------------------------- */

static double mean_contacts(const pairs *p)
{
    return (double)mo_world_contact_count(p->world) / PAIRS;
}

/*
 * Seconds of collision detection in STEPS steps, with the dynamic bodies at this distance from
 * contact, rotating.
 */
static double seconds_of(const pairs *p, double by)
{
    double seconds = 0;
    for (int step = 0; step < STEPS; ++step) {
        mo_step_report report = {0};
        for (int k = 0; k < PAIRS; ++k) {
            const mo_pose turn = mo_pose_turned(0, 0, 0, p->out[k], TURN * step);
            mo_pose pose = p->at[k], turned = mo_pose_compose(&turn, &pose);
            memcpy(pose.orientation, turned.orientation, sizeof pose.orientation);
            set(p->world, p->free[k], pose, p->out[k], by);
        }
        mo_world_step(p->world, 1e-9, &report, NULL);
        seconds += report.seconds_collide;
    }
    return seconds / STEPS;
}

static double least_of_runs(const pairs *p, double by)
{
    double best = INFINITY;
    for (int repeat = 0; repeat < REPEATS; ++repeat)
        best = fmin(best, seconds_of(p, by));
    return best;
}

/*
 * The worst error of all pairs of the last step; -1 if none has a contact, or the shapes are not
 * convex.
 */
static double error_of(const pairs *p, double by)
{
    double worst = -1;
    for (int k = 0; k < PAIRS; ++k) /* reference point of the error */
        set(p->world, p->free[k], p->at[k], p->out[k], by);
    mo_world_step(p->world, 1e-9, NULL, NULL);
    if (p->b->kind == MO_SHAPE_MESH) return worst;
    mo_contact least[PAIRS];
    int has[PAIRS] = {0};
    for (int c = 0; c < mo_world_contact_count(p->world); ++c) {
        const mo_contact contact = mo_world_contact(p->world, c);
        for (int k = 0; k < PAIRS; ++k) {
            const int is_its =
                contact.a.index == p->free[k].index || contact.b.index == p->free[k].index;
            if (is_its && (!has[k] || contact.gap < least[k].gap)) {
                has[k] = 1;
                least[k] = contact;
            }
        }
    }
    for (int k = 0; k < PAIRS; ++k) {
        rng random = rng_of(2, (uint64_t)k);
        mo_pose at = p->at[k];
        for (int i = 0; i < 3; ++i)
            at.position[i] += by * p->out[k][i];
        if (!has[k]) continue;
        double n[3];
        const double sign = least[k].a.index == p->free[k].index ? 1 : -1;
        for (int i = 0; i < 3; ++i)
            n[i] = sign * least[k].normal[i];
        const double own = separation(p->a, &at, p->b, p->foot + k, n);
        worst = fmax(worst, fabs(own - least[k].gap) / SIZE);
        for (int d = 0; d < DIRECTIONS && p->b->kind != MO_SHAPE_PLANE; ++d) {
            draw_direction(&random, n);
            worst =
                fmax(worst, (separation(p->a, &at, p->b, p->foot + k, n) - least[k].gap) / SIZE);
        }
    }
    return worst;
}

static int measure(const shapes *s, kind a, kind b, collide_row *row)
{
    pairs *p = malloc(sizeof *p);
    const int is_made = p && make_pairs(s->def + a, s->def + b, p);
    *row = (collide_row){.a = a, .b = b};
    if (is_made) {
        const double beside = least_of_runs(p, 4 * SIZE);
        for (int k = 0; k < SITUATIONS; ++k) {
            const double by = (k == APART ? 0.5 : k == OVERLAP ? -1 : 0) * ASIDE * SIZE;
            row->seconds[k] = fmax(0, least_of_runs(p, by) - beside) / PAIRS;
            row->contacts[k] = mean_contacts(p);
            row->error[k] = error_of(p, by);
        }
    }
    mo_world_destroy(p ? p->world : NULL);
    free(p);
    return is_made;
}

/* ---- output ---------------------------------------------------------------------------------- */

static void put_json(const collide_row *rows, int count, const collide_row *boxes)
{
    json j = json_begin(stdout);
    json_object(&j, NULL);
    json_text(&j, "bench", "collide");
    json_array(&j, "rows");
    for (int k = 0; k < SITUATIONS * count; ++k) {
        const collide_row *row = rows + k / SITUATIONS;
        const int at = k % SITUATIONS;
        json_object(&j, NULL);
        json_text(&j, "a", NAME[row->a]);
        json_text(&j, "b", NAME[row->b]);
        json_text(&j, "situation", SITUATION[at]);
        json_number(&j, "seconds", row->seconds[at]);
        json_number(&j, "over_boxes", row->seconds[at] / boxes->seconds[at]);
        json_number(&j, "contacts", row->contacts[at]);
        if (row->error[at] >= 0) json_number(&j, "error", row->error[at]);
        json_object_end(&j);
    }
    json_array_end(&j);
    json_object_end(&j);
    json_end(&j);
}

static void put_text(const collide_row *rows, int count, const collide_row *boxes)
{
    printf("nanoseconds a pair, over box against box, contacts a pair, error in sizes\n\n%-18s",
           "");
    for (int k = 0; k < SITUATIONS; ++k)
        printf(" %8s %26s", SITUATION[k], "");
    printf("\n");
    for (int i = 0; i < count; ++i) {
        printf("%-8s %-9s", NAME[rows[i].a], NAME[rows[i].b]);
        for (int k = 0; k < SITUATIONS; ++k) {
            printf(" %8.0f %6.1f %6.1f", 1e9 * rows[i].seconds[k],
                   rows[i].seconds[k] / boxes->seconds[k], rows[i].contacts[k]);
            if (rows[i].error[k] >= 0)
                printf(" %12.1e", rows[i].error[k]);
            else
                printf(" %12s", "-");
        }
        printf("\n");
    }
}

int bench_collide(const struct experiment_call *asked)
{
    collide_row rows[KINDS * KINDS];
    const collide_row *boxes = rows;
    int count = 0;
    if (asked_for_no_files(asked, "collide")) return EXIT_CALL;
    shapes *s = malloc(sizeof *s);
    if (s) draw_shapes(s);
    for (int a = BALL; a < PLANE; ++a) {
        for (int b = a; b < KINDS; ++b) {
            if (!s || !measure(s, a, b, rows + count)) {
                free(s);
                say("bench", "memory ran out");
                return EXIT_FAILED;
            }
            boxes = a == BOX && b == BOX ? rows + count : boxes;
            ++count;
        }
    }
    free(s);
    if (asked->json)
        put_json(rows, count, boxes);
    else
        put_text(rows, count, boxes);
    return EXIT_DONE;
}
