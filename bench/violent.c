/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * `moreau bench violent`: what a step withstands.  Balls, boxes, capsules, cylinders and hulls of
 * about 0.1 m, turned at random, in six situations:
 *
 *   thrown   against a fixed or a heavy free plate of 1 cm, a mesh and a plane, at 10 and 100 m/s
 *   spun     at 1,000 rad/s, dropped on a plane
 *   heavy    a box on a shape that is 1e6 times lighter
 *   inside   20 that start inside each other
 *   shut     10 at 100 m/s in a box with walls of 2 cm, one of them 1e6 times heavier
 *   shot     1,000 balls, rods, cylinders and boxes of 1 cm each at 100 m/s, with spins of about a
 *            turn a step, against a wall of 1 mm
 *
 * Counted over all scenes of a row: steps that were refused, were not solved, or gained more energy
 * than 1e-3 of what there was without work from outside; bodies that passed a wall; numbers that
 * are not finite.  Overlap is the deepest after a step, time the slowest step; a solve is given
 * 0.1 s.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asked.h"
#include "bench.h"
#include "exit_status.h"
#include "experiments.h"
#include "json.h"
#include "machine.h"
#include "moreau/moreau.h"
#include "rng.h"

enum { KINDS = 5, SHOTS = 4 /* of each kind */, MOST_BODIES = 20 };
enum { BULLETS = 4 /* kinds */, BULLET_SHOTS = 1000 /* of each */ };

static const double GAIN = 1e-3;  /* of the energy of the scene: gains above this are counted */
static const double BUDGET = 0.1; /* s, of a solve */

typedef struct violent_row {
    char situation[8], what[16];
    double speed, h; /* m/s, s */
    int scenes, steps, refused, unsolved, bad, passed, gains;
    double gain, overlap, slowest; /* relative, m, s */
} violent_row;

/* ---- bodies ---------------------------------------------------------------------------------- */

static mo_shape_def shape_of(int kind)
{
    static const double from[3] = {0, 0, -0.06}, to[3] = {0, 0, 0.06};
    static const double corners[18] = {0.08, 0,     0, -0.08, 0, 0,    0, 0.07, 0,
                                       0,    -0.07, 0, 0,     0, 0.06, 0, 0,    -0.06};
    switch (kind) {
    case 0:
        return mo_shape_ball(0.1);
    case 1:
        return mo_shape_box(0.06, 0.06, 0.06);
    case 2:
        return mo_shape_capsule(from, to, 0.05);
    case 3:
        return mo_shape_cylinder(0.07, 0.07);
    default:
        return mo_shape_hull(corners, 6);
    }
}

static void turn_at_random(rng *g, mo_pose *pose)
{
    double q[4], square = 0;
    do {
        square = 0;
        for (int k = 0; k < 4; ++k) {
            q[k] = rng_between(g, -1, 1);
            square += q[k] * q[k];
        }
    } while (square > 1 || square < 0.01);
    for (int k = 0; k < 4; ++k)
        pose->orientation[k] = q[k] / sqrt(square);
}

/* Of length `length` in any direction. */
static void draw_vector(rng *g, double length, double v[3])
{
    double square = 0;
    do {
        square = 0;
        for (int k = 0; k < 3; ++k) {
            v[k] = rng_between(g, -1, 1);
            square += v[k] * v[k];
        }
    } while (square > 1 || square < 0.01);
    for (int k = 0; k < 3; ++k)
        v[k] *= length / sqrt(square);
}

static mo_body_id add(mo_world *world, const mo_body_def *body, const mo_shape_def *shape)
{
    const mo_body_id id = mo_world_add_body(world, body, NULL);
    mo_world_add_shape(world, id, shape, NULL);
    return id;
}

static mo_world *make_world(double gravity)
{
    mo_world_def def = mo_default_world();
    mo_world *world = NULL;
    def.gravity[2] = -gravity;
    def.solver.tol = 1e-6;
    def.solver.time_limit = BUDGET;
    mo_world_create(&def, NULL, &world, NULL);
    return world;
}

static void add_floor(mo_world *world)
{
    const mo_shape_def floor = mo_shape_plane();
    mo_world_add_solid(world, MO_BODY_FIXED, &floor, NULL, NULL);
}

/* ---- steps ----------------------------------------------------------------------------------- */

static int is_finite(const mo_world *world)
{
    double sum = 0;
    for (int k = 0; k < mo_world_body_count(world); ++k) {
        const mo_body_state s = mo_body_get(world, mo_world_body(world, k));
        for (int i = 0; i < 3; ++i)
            sum += s.pose.position[i] + s.velocity[i] + s.spin[i];
    }
    return isfinite(sum);
}

/* most: the largest energy of the scene so far.  Bodies at rest only have rounding. */
static void judge(violent_row *row, const mo_step_report *report, double *before, double *most)
{
    const double energy = report->kinetic_energy + report->potential_energy;
    const double rise = (energy - *before) / *most;
    *most = fmax(*most, fabs(energy));
    if (energy > *before && rise > GAIN) {
        row->gains++;
        row->gain = fmax(row->gain, rise);
    }
    *before = energy;
    row->unsolved += report->status != MO_SOLVED;
}

static void take_steps(mo_world *world, int steps, violent_row *row)
{
    double before = mo_world_kinetic_energy(world) + mo_world_potential_energy(world);
    double most = fabs(before);
    for (int k = 0; world && k < steps; ++k) {
        mo_step_report report;
        const double start = machine_clock();
        if (mo_world_step(world, row->h, &report, NULL)) {
            row->refused++;
            break;
        }
        row->slowest = fmax(row->slowest, machine_clock() - start);
        row->steps++;
        judge(row, &report, &before, &most);
        row->bad += !is_finite(world);
        row->overlap = fmax(row->overlap, mo_world_penetration(world));
    }
    row->scenes++;
}

/* ---- situations ------------------------------------------------------------------------------ */

typedef enum wall { PLATE, HEAVY_PLATE, MESH, PLANE, WALLS } wall;
static const char *const WALL[WALLS] = {"plate", "heavy plate", "mesh", "plane"};

/* In the plane x = 0. */
static mo_body_id add_wall(mo_world *world, wall which)
{
    static const double corner[12] = {0, -2, -2, 0, 2, -2, 0, 2, 2, 0, -2, 2};
    static const int index[6] = {0, 2, 1, 0, 3, 2};
    static const double up[3] = {0, 1, 0};
    const double right = acos(0);
    const mo_body_def body = mo_default_body(which == HEAVY_PLATE ? MO_BODY_FREE : MO_BODY_FIXED);
    mo_shape_def shape = which == MESH    ? mo_shape_mesh(corner, 4, index, 6)
                         : which == PLANE ? mo_shape_plane()
                                          : mo_shape_box(0.005, 2, 2);
    shape.density = which == HEAVY_PLATE ? 1e6 : 1000;
    if (which == PLANE) shape.pose = mo_pose_turned(0, 0, 0, up, -right);
    return add(world, &body, &shape);
}

static void throw_one(rng *g, int kind, wall which, violent_row *row)
{
    mo_world *world = make_world(0);
    const mo_body_id hit = add_wall(world, which);
    const mo_shape_def shape = shape_of(kind);
    mo_body_def body = mo_default_body(MO_BODY_FREE);
    turn_at_random(g, &body.pose);
    body.pose.position[0] = rng_between(g, -2, -1);
    draw_vector(g, 0.1 * row->speed, body.velocity);
    draw_vector(g, 10, body.spin);
    body.velocity[0] = row->speed;
    const mo_body_id id = add(world, &body, &shape);
    take_steps(world, (int)fmin(400, 3 / (row->speed * row->h) + 4), row);
    row->passed += mo_body_get(world, id).centre[0] - mo_body_get(world, hit).centre[0] > 0.02;
    mo_world_destroy(world);
}

static void throw_all(rng *g, int which, violent_row *row)
{
    for (int k = 0; k < SHOTS * KINDS; ++k)
        throw_one(g, k % KINDS, (wall)which, row);
}

static void spin_all(rng *g, int unused, violent_row *row)
{
    (void)unused;
    for (int k = 0; k < SHOTS * KINDS; ++k) {
        mo_world *world = make_world(9.81);
        const mo_shape_def shape = shape_of(k % KINDS);
        mo_body_def body = mo_default_body(MO_BODY_FREE);
        add_floor(world);
        turn_at_random(g, &body.pose);
        body.pose.position[2] = 0.15;
        draw_vector(g, 1000, body.spin);
        const mo_body_id id = add(world, &body, &shape);
        take_steps(world, 200, row);
        row->passed += mo_body_get(world, id).centre[2] < -0.02;
        mo_world_destroy(world);
    }
}

static void load_all(rng *g, int unused, violent_row *row)
{
    (void)g, (void)unused;
    for (int k = 0; k < KINDS; ++k) {
        mo_world *world = make_world(9.81);
        mo_shape_def light = shape_of(k), heavy = mo_shape_box(0.1, 0.1, 0.1);
        mo_body_def body = mo_default_body(MO_BODY_FREE);
        add_floor(world);
        heavy.density = 1e9;
        body.pose = mo_pose_at(0, 0, 0.12);
        const mo_body_id id = add(world, &body, &light);
        body.pose = mo_pose_at(0, 0, 0.45);
        add(world, &body, &heavy);
        take_steps(world, 200, row);
        row->passed += mo_body_get(world, id).centre[2] < -0.02;
        mo_world_destroy(world);
    }
}

static void put_inside(rng *g, int unused, violent_row *row)
{
    (void)unused;
    for (int kind = 0; kind <= KINDS; ++kind) { /* the last: all kinds */
        mo_world *world = make_world(9.81);
        mo_body_id id[MOST_BODIES];
        add_floor(world);
        for (int k = 0; k < MOST_BODIES; ++k) {
            const mo_shape_def shape = shape_of(kind < KINDS ? kind : k % KINDS);
            mo_body_def body = mo_default_body(MO_BODY_FREE);
            turn_at_random(g, &body.pose);
            draw_vector(g, 0.02, body.pose.position);
            body.pose.position[2] += 0.5;
            id[k] = add(world, &body, &shape);
        }
        take_steps(world, 30, row);
        for (int k = 0; k < MOST_BODIES; ++k)
            row->passed += mo_body_get(world, id[k]).centre[2] < -0.02;
        mo_world_destroy(world);
    }
}

static void add_closed_box(mo_world *world)
{
    const mo_body_def body = mo_default_body(MO_BODY_FIXED);
    const mo_body_id id = mo_world_add_body(world, &body, NULL);
    for (int side = 0; side < 6; ++side) {
        double half[3] = {1.02, 1.02, 1.02};
        half[side / 2] = 0.01;
        mo_shape_def shape = mo_shape_box(half[0], half[1], half[2]);
        shape.pose.position[side / 2] = side % 2 ? 1 : -1;
        shape.material.restitution = 0.8;
        mo_world_add_shape(world, id, &shape, NULL);
    }
}

static void shut_in(rng *g, int unused, violent_row *row)
{
    enum { BODIES = 10 };
    (void)unused;
    mo_body_id id[BODIES];
    mo_world *world = make_world(9.81);
    add_closed_box(world);
    for (int k = 0; k < BODIES; ++k) {
        mo_shape_def shape = shape_of(k % KINDS);
        mo_body_def body = mo_default_body(MO_BODY_FREE);
        turn_at_random(g, &body.pose);
        body.pose.position[0] = -0.6 + 0.4 * (k % 4);
        body.pose.position[1] = -0.5 + 0.4 * (k / 4);
        body.pose.position[2] = 0.3 * (k % 3 - 1);
        draw_vector(g, row->speed, body.velocity);
        draw_vector(g, 50, body.spin);
        shape.material.restitution = 0.8;
        shape.density = k == 3 ? 1e9 : 1000;
        id[k] = add(world, &body, &shape);
    }
    take_steps(world, 100, row);
    for (int k = 0; k < BODIES; ++k) {
        const mo_body_state s = mo_body_get(world, id[k]);
        row->passed += fmax(fabs(s.centre[0]), fmax(fabs(s.centre[1]), fabs(s.centre[2]))) > 1.01;
    }
    mo_world_destroy(world);
}

/* 1 mm thick, in the plane x = 0: a box, fixed or free, or the same as a closed mesh. */
static void add_thin_wall(mo_world *world, wall which)
{
    static const int faces[36] = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                                  2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};
    const double half = 5e-4;
    double corner[24];
    for (int k = 0; k < 8; ++k) {
        corner[3 * k] = k & 1 ? half : -half;
        corner[3 * k + 1] = k & 2 ? 2 : -2;
        corner[3 * k + 2] = k & 4 ? 2 : -2;
    }
    mo_shape_def shape =
        which == MESH ? mo_shape_mesh(corner, 8, faces, 36) : mo_shape_box(half, 2, 2);
    shape.density = which == HEAVY_PLATE ? 1e6 : 1000;
    mo_world_add_solid(world, which == HEAVY_PLATE ? MO_BODY_FREE : MO_BODY_FIXED, &shape, NULL,
                       NULL);
}

static mo_shape_def bullet_of(int kind)
{
    static const double from[3] = {0, 0, -0.004}, to[3] = {0, 0, 0.004};
    return kind == 0   ? mo_shape_ball(0.005)
           : kind == 1 ? mo_shape_capsule(from, to, 0.001)
           : kind == 2 ? mo_shape_cylinder(0.002, 0.005)
                       : mo_shape_box(0.005, 0.005, 0.005);
}

static void shoot_all(rng *g, int which, violent_row *row)
{
    for (int k = 0; k < BULLETS * BULLET_SHOTS; ++k) {
        mo_world *world = make_world(0);
        const mo_shape_def shape = bullet_of(k % BULLETS);
        mo_body_def body = mo_default_body(MO_BODY_FREE);
        add_thin_wall(world, (wall)which);
        turn_at_random(g, &body.pose);
        draw_vector(g, row->speed, body.velocity);
        body.velocity[0] = fabs(body.velocity[0]) + 0.1 * row->speed;
        body.pose.position[0] = rng_between(g, -0.5, -0.1);
        draw_vector(g, rng_between(g, 0, 600), body.spin);
        const mo_body_id id = add(world, &body, &shape);
        take_steps(world, 6, row);
        const mo_body_state s = mo_body_get(world, id);
        row->passed += s.centre[0] > 0 && fabs(s.centre[1]) < 1.9 && fabs(s.centre[2]) < 1.9;
        mo_world_destroy(world);
    }
}

/* ---- the table ------------------------------------------------------------------------------- */

typedef struct park {
    const char *situation;
    void (*run)(rng *g, int variant, violent_row *row);
    int variants;               /* walls, where there are several */
    double speeds[2], steps[5]; /* up to the first zero */
} park;

static const park PARKS[] = {
    {"thrown", throw_all, WALLS, {10, 100}, {1e-3, 1e-2, 1e-1}},
    {"spun", spin_all, 1, {0}, {1e-4, 1e-3, 1e-2}},
    {"heavy", load_all, 1, {0}, {1e-3, 1e-2, 1e-1}},
    {"inside", put_inside, 1, {0}, {2e-3, 1e-2}},
    {"shut", shut_in, 1, {100}, {1e-5, 1e-4, 1e-3, 1e-2, 1e-1}},
    {"shot", shoot_all, MESH + 1, {100}, {1e-2}},
};
enum { PARK_COUNT = sizeof PARKS / sizeof *PARKS };

static void print_head(void)
{
    printf("%-7s %-12s %5s %7s %6s %6s %7s %8s %6s %4s %6s %8s %8s %8s\n", "", "", "m/s", "h (s)",
           "scenes", "steps", "refused", "unsolved", "passed", "NaN", "gains", "largest", "overlap",
           "slowest");
}

static void print_row(const violent_row *r)
{
    printf("%-7s %-12s %5g %7g %6d %6d %7d %8d %6d %4d %6d %8.2g %6.1fmm %6.1fms\n", r->situation,
           r->what, r->speed, r->h, r->scenes, r->steps, r->refused, r->unsolved, r->passed, r->bad,
           r->gains, r->gain, 1e3 * r->overlap, 1e3 * r->slowest);
    fflush(stdout);
}

static void put_row(json *j, const violent_row *r)
{
    json_object(j, NULL);
    json_text(j, "situation", r->situation);
    json_text(j, "what", r->what);
    json_number(j, "speed", r->speed);
    json_number(j, "h", r->h);
    json_whole(j, "scenes", r->scenes);
    json_whole(j, "steps", r->steps);
    json_whole(j, "refused", r->refused);
    json_whole(j, "unsolved", r->unsolved);
    json_whole(j, "passed", r->passed);
    json_whole(j, "not_finite", r->bad);
    json_whole(j, "gains", r->gains);
    json_number(j, "gain", r->gain);
    json_number(j, "overlap", r->overlap);
    json_number(j, "slowest", r->slowest);
    json_object_end(j);
}

static void run_row(const park *p, int variant, double speed, double h, json *j, violent_row *sum)
{
    rng g = rng_of(7, (uint64_t)(variant + 1));
    violent_row row = {.speed = speed, .h = h};
    snprintf(row.situation, sizeof row.situation, "%s", p->situation);
    snprintf(row.what, sizeof row.what, "%s", p->variants > 1 ? WALL[variant] : "");
    p->run(&g, variant, &row);
    if (j)
        put_row(j, &row);
    else
        print_row(&row);
    sum->scenes += row.scenes;
    sum->steps += row.steps;
    sum->refused += row.refused;
    sum->unsolved += row.unsolved;
    sum->passed += row.passed;
    sum->bad += row.bad;
    sum->gains += row.gains;
    sum->gain = fmax(sum->gain, row.gain);
    sum->overlap = fmax(sum->overlap, row.overlap);
    sum->slowest = fmax(sum->slowest, row.slowest);
}

static void run_park(const park *p, json *j, violent_row *sum)
{
    for (int variant = 0; variant < p->variants; ++variant) {
        for (int s = 0; s < 2 && (s == 0 || p->speeds[s] > 0); ++s)
            for (int k = 0; k < 5 && p->steps[k] > 0; ++k)
                run_row(p, variant, p->speeds[s], p->steps[k], j, sum);
    }
}

int bench_violent(const experiment_call *asked)
{
    violent_row sum = {.situation = "all"};
    json j;
    if (asked_for_no_files(asked, "violent")) return EXIT_CALL;
    if (asked->json) {
        j = json_begin(stdout);
        json_object(&j, NULL);
        json_text(&j, "bench", "violent");
        json_array(&j, "rows");
    } else {
        print_head();
    }
    for (int k = 0; k < PARK_COUNT; ++k)
        run_park(PARKS + k, asked->json ? &j : NULL, &sum);
    if (asked->json) {
        json_array_end(&j);
        json_object_end(&j);
        json_end(&j);
    } else {
        print_row(&sum);
    }
    return sum.bad > 0 ? EXIT_FAILED : EXIT_DONE;
}
