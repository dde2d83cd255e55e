/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Draws a system of objects and manipulators: bodies, contacts, joint efforts, and a velocity that
 * obeys the contacts.
 *
 * Objects are ellipsoids near the sites of a coarse grid, four to a layer.  A manipulator reaches
 * from its base, about 1 m away, to an object; its joints lie along that way.  Every contact is
 * between an object and the ground (lowest layer), another object, or one of the last two links of
 * a manipulator.  The joint efforts carry the weight of the links and push against the objects.
 *
 * The velocity is a random one, less its part in the row space of the constraints of eq. 5 and 6
 * (Gram-Schmidt). Where a sliding contact then hardly slips, the system is drawn again.
 */
#include <stdlib.h>

#include "rigid.h"
#include "rng.h"
#include "scenes.h"
#include "trinkle_pang.h"
#include "vec3.h"

enum { LAYER = 4, ATTEMPTS = 50 };

static const double SITE = 0.3;         /* m between objects */
static const double REACH = 0.1;        /* m from the centre of an object to its contacts */
static const double GROUND_RADIUS = 20; /* m */
static const double SPEED = 0.5;        /* the largest coordinate of the velocity, m/s or rad/s */
static const double LEAST_SLIP = 0.005; /* m/s, of a contact that is said to slide */

static void draw_direction(rng *g, double n[3])
{
    double square;
    do { /* a point of the ball, away from its centre */
        for (int k = 0; k < 3; ++k)
            n[k] = rng_between(g, -1, 1);
        square = vec3_dot(n, n);
    } while (square > 1 || square < 0.01);
    vec3_normalise(n);
}

static void jitter(rng *g, double size, double x[3])
{
    for (int k = 0; k < 3; ++k)
        x[k] += rng_between(g, -size, size);
}

/* ---- bodies ---------------------------------------------------------------------------------- */

static void set_inertia(const double full[9], mo_link_def *link)
{
    static const int AT[6] = {0, 4, 8, 1, 2, 5}; /* xx yy zz xy xz yz */
    for (int k = 0; k < 6; ++k)
        link->inertia[k] = full[AT[k]];
}

/* A link at its centre of mass, in the axes of the world, with a free joint. */
static mo_error draw_object(rng *g, int index, grasp *system, mo_message *why)
{
    const int layer = index / LAYER, site = index % LAYER;
    double axes[3], phi[3], Q[9], principal[9] = {0}, inertia[9];
    double centre[3] = {SITE * (site % 2), SITE * (site / 2), SITE * (layer + 0.5)};
    const double mass = rng_between(g, 0.5, 2);
    for (int k = 0; k < 3; ++k)
        axes[k] = rng_between(g, 0.05, 0.15);
    for (int k = 0; k < 3; ++k) { /* of an ellipsoid */
        const double a = axes[(k + 1) % 3], b = axes[(k + 2) % 3];
        principal[4 * k] = mass * (a * a + b * b) / 5;
    }
    draw_direction(g, phi);
    mat3_rotation(phi, Q);
    mat3_turn(Q, principal, inertia);
    jitter(g, 0.2 * SITE, centre);
    for (int k = 0; k < 6; ++k) { /* up to a third of its weight, and a moment */
        system->applied[6 * index + k] =
            mass * SCENE_GRAVITY / 3 * rng_between(g, -1, 1) * (k < 3 ? 1 : REACH);
    }
    mo_link_def link = mo_default_link(-1);
    const mo_axis_def joint = mo_default_axis(MO_AXIS_FREE, 0);
    link.pose = mo_pose_at(centre[0], centre[1], centre[2]);
    link.mass = mass;
    set_inertia(inertia, &link);
    mo_mechanism_def def = mo_default_mechanism();
    def.links = &link;
    def.joints = &joint;
    def.link_count = def.joint_count = 1;
    return grasp_add(system, &def, why);
}

/* A rod from a to b with a round section of 4 cm radius: I = across (1 - e e') + along e e'. */
static void set_rod(double mass, const double a[3], const double b[3], mo_link_def *link)
{
    const double radius = 0.04;
    double e[3], inertia[9];
    vec3_along(b, -1, a, e);
    const double length = sqrt(vec3_dot(e, e));
    const double along = mass * radius * radius / 2;
    const double across = mass * (3 * radius * radius + length * length) / 12;
    link->mass = mass;
    for (int i = 0; i < 3; ++i) {
        link->centre[i] = (a[i] + b[i]) / 2;
        for (int j = 0; j < 3; ++j) {
            inertia[3 * i + j] =
                across * (i == j) + (along - across) * (e[i] / length) * (e[j] / length);
        }
    }
    set_inertia(inertia, link);
}

/* From its base to the point `tip`, coming along `from`.  The frames of all links are the world's
 * at this configuration. */
static mo_error draw_chain(rng *g, int joints, const double tip[3], const double from[3],
                           grasp *system, mo_message *why)
{
    double base[3], knots[GRASP_JOINTS_MOST + 1][3];
    mo_link_def link[GRASP_JOINTS_MOST];
    mo_axis_def joint[GRASP_JOINTS_MOST];
    vec3_along(tip, rng_between(g, 0.6, 1.2), from, base);
    jitter(g, 0.2, base);
    for (int k = 0; k <= joints; ++k) {
        const double part = (double)k / joints;
        for (int i = 0; i < 3; ++i)
            knots[k][i] = base[i] + part * (tip[i] - base[i]);
        jitter(g, k < joints ? 0.1 / joints : 0, knots[k]);
    }
    for (int k = 0; k < joints; ++k) {
        const int slides = rng_below(g, 4) == 0;
        joint[k] = mo_default_axis(slides ? MO_AXIS_PRISMATIC : MO_AXIS_REVOLUTE, k);
        memcpy(joint[k].anchor, knots[k], sizeof joint[k].anchor);
        draw_direction(g, joint[k].axis);
        joint[k].armature = slides ? 0.2 : 0.02; /* of its drive: kg, kg m^2 */
        link[k] = mo_default_link(k - 1);
        set_rod(rng_between(g, 0.3, 1), knots[k], knots[k + 1], &link[k]);
    }
    mo_mechanism_def def = mo_default_mechanism();
    def.links = link;
    def.joints = joint;
    def.link_count = def.joint_count = joints;
    return grasp_add(system, &def, why);
}

/* ---- contacts -------------------------------------------------------------------------------- */

/* The cap's centre at x (world), in the frame of its link. */
static grasp_side side_at(const grasp *system, int mechanism, int link, const double x[3],
                          double radius)
{
    grasp_side side = {.mechanism = mechanism, .link = link, .radius = radius};
    if (mechanism == GRASP_WORLD) {
        memcpy(side.cap_centre, x, sizeof side.cap_centre);
    } else {
        const mo_body_state body = grasp_link(system, mechanism, link);
        mo_pose_point_back(&body.pose, x, side.cap_centre);
    }
    return side;
}

/* Between `first` and the object `second`, at a point and with a normal into the object. */
static void set_contact(grasp_contact *contact, rng *g, const grasp *system, const double point[3],
                        const double normal[3], int first, int first_link, int second)
{
    const double rho[2] = {first == GRASP_WORLD ? GROUND_RADIUS : rng_between(g, 0.02, 0.1),
                           rng_between(g, 0.02, 0.1)};
    double centre[2][3];
    vec3_along(point, -rho[0], normal, centre[0]);
    vec3_along(point, rho[1], normal, centre[1]);
    contact->side[0] = side_at(system, first, first_link, centre[0], rho[0]);
    contact->side[1] = side_at(system, second, 0, centre[1], rho[1]);
    rigid_frame(normal, contact->frame);
}

/* At about REACH from the object's centre against the normal, which is turned a little first. */
static void touch_object(grasp_contact *contact, rng *g, const grasp *system, double normal[3],
                         double turn, int first, int first_link, int second)
{
    double point[3];
    jitter(g, turn, normal);
    vec3_normalise(normal);
    vec3_along(grasp_link(system, second, 0).centre, -REACH, normal, point);
    jitter(g, 0.4 * REACH, point);
    set_contact(contact, g, system, point, normal, first, first_link, second);
}

/* With the ground, or with the object below or beside it. */
static void draw_passive_contact(rng *g, const scene_grasp_def *def, const grasp *system,
                                 int object, grasp_contact *contact)
{
    const int below = object - LAYER, beside = object ^ 1;
    const int has_side = beside < def->objects;
    double normal[3] = {0, 0, 1};
    if (below < 0 && (!has_side || rng_below(g, 3))) {
        touch_object(contact, g, system, normal, 0.1, GRASP_WORLD, 0, object);
        return;
    }
    const int other = below >= 0 && (!has_side || rng_below(g, 3)) ? below : beside;
    vec3_along(grasp_link(system, object, 0).centre, -1, grasp_link(system, other, 0).centre,
               normal);
    vec3_normalise(normal);
    touch_object(contact, g, system, normal, 0.3, other, 0, object);
}

/* With one of the last two links of a manipulator, which pushes. */
static void draw_active_contact(rng *g, const scene_grasp_def *def, const grasp *system, int arm,
                                int object, int link, grasp_contact *contact)
{
    double normal[3];
    vec3_along(grasp_link(system, object, 0).centre, -1,
               grasp_link(system, def->objects + arm, link).centre, normal);
    vec3_normalise(normal);
    touch_object(contact, g, system, normal, 0.4, def->objects + arm, link, object);
}

/* The object of a manipulator, and the direction from which it comes: from above the horizon. */
static mo_error draw_arms(rng *g, const scene_grasp_def *def, grasp *system, int *target,
                          mo_message *why)
{
    mo_error error = MO_OK;
    for (int arm = 0; arm < def->manipulators && !error; ++arm) {
        double from[3], tip[3];
        target[arm] = rng_below(g, def->objects);
        draw_direction(g, from);
        from[2] = fabs(from[2]);
        vec3_along(grasp_link(system, target[arm], 0).centre, 1.2 * REACH, from, tip);
        error = draw_chain(g, def->joints, tip, from, system, why);
    }
    return error;
}

/* First one contact for each manipulator, with its last link, then one for each object, then any.
 */
static void draw_contacts(rng *g, const scene_grasp_def *def, grasp *system, const int *target)
{
    const int count = def->rolling + def->sliding;
    for (int i = 0; i < count; ++i) {
        grasp_contact *contact = &system->contacts[i];
        const int turn = i - def->manipulators;
        const int object = turn < 0 ? target[i] : turn % def->objects;
        if (turn < 0) {
            draw_active_contact(g, def, system, i, object, def->joints - 1, contact);
        } else if (turn < def->objects || def->manipulators == 0 || rng_below(g, 2)) {
            draw_passive_contact(g, def, system, object, contact);
        } else {
            const int arm = rng_below(g, def->manipulators);
            const int link = def->joints - 1 - (def->joints > 1 && rng_below(g, 3) == 0);
            draw_active_contact(g, def, system, arm, target[arm], link, contact);
        }
    }
}

/*
 * Which contacts roll: all those of one object after the other, in random order, as far as they go.
 * An object whose contacts all slide keeps a freedom to do so; among contacts chosen one by one,
 * many could not.
 */
static void choose_rolling(rng *g, const scene_grasp_def *def, grasp *system, int *order)
{
    int left = def->rolling;
    for (int b = 0; b < def->objects; ++b)
        order[b] = b;
    for (int b = def->objects - 1; b > 0; --b) {
        const int other = rng_below(g, b + 1), kept = order[b];
        order[b] = order[other];
        order[other] = kept;
    }
    for (int b = 0; b < def->objects; ++b) {
        for (int i = 0; i < system->contact_count; ++i) {
            if (system->contacts[i].side[1].mechanism == order[b]) {
                system->contacts[i].slides = left <= 0;
                --left;
            }
        }
    }
}

/* Efforts that carry the links, and press each contact of the manipulator with 2 to 15 N. */
static void draw_efforts(rng *g, const scene_grasp_def *def, grasp *system)
{
    double J[3 * GRASP_COORDINATES_MOST];
    for (int arm = def->objects; arm < system->mechanism_count; ++arm) {
        double *applied = system->applied + system->start[arm];
        mo_mechanism_bias(system->world, system->mechanisms[arm], applied, NULL);
        for (int k = 0; k < def->joints; ++k)
            applied[k] += rng_between(g, -1, 1);
        for (int i = 0; i < system->contact_count; ++i) {
            const grasp_contact *contact = &system->contacts[i];
            if (contact->side[0].mechanism == arm) { /* J is minus the way into the object */
                const double push = rng_between(g, 2, 15);
                grasp_jacobian(system, contact, 0, J);
                for (int k = 0; k < def->joints; ++k)
                    applied[k] -= push * J[k];
            }
        }
    }
}

/* ---- velocity -------------------------------------------------------------------------------- */

static double dot(int n, const double *x, const double *y)
{
    double sum = 0;
    for (int k = 0; k < n; ++k)
        sum += x[k] * y[k];
    return sum;
}

/* row less its part along the orthonormal rows of the basis, twice for accuracy; returns what is
 * left of 1. */
static double reduce_row(int n, const double *basis, int rank, double *row)
{
    const double before = sqrt(dot(n, row, row));
    for (int pass = 0; pass < 2; ++pass) {
        for (int b = 0; b < rank; ++b) {
            const double *e = basis + (size_t)b * (size_t)n, part = dot(n, e, row);
            for (int k = 0; k < n; ++k)
                row[k] -= part * e[k];
        }
    }
    return before > 0 ? sqrt(dot(n, row, row)) / before : 0;
}

/* One row of a contact over all coordinates, into `row`. */
static void spread_row(const grasp *system, const grasp_contact *contact, int axis, double *row)
{
    double J[3 * GRASP_COORDINATES_MOST];
    memset(row, 0, (size_t)system->coordinate_count * sizeof *row);
    for (int side = 0; side < 2; ++side) {
        const int n = grasp_jacobian(system, contact, side, J);
        for (int k = 0; k < n; ++k)
            row[system->start[contact->side[side].mechanism] + k] += J[n * axis + k];
    }
}

/* qd: random, orthogonal to all rows of eq. 5 and 6; zero if these leave no freedom. */
static void draw_velocity(rng *g, grasp *system, double *basis)
{
    const double dependent =
        1e-8; /* a row that keeps less than this is a combination of the others */
    const int n = system->coordinate_count;
    int rank = 0;
    for (int i = 0; i < system->contact_count; ++i) {
        const grasp_contact *contact = &system->contacts[i];
        for (int axis = 0; axis < (contact->slides ? 1 : 3) && rank < n; ++axis) {
            double *row = basis + (size_t)rank * (size_t)n;
            spread_row(system, contact, axis, row);
            if (reduce_row(n, basis, rank, row) > dependent) {
                const double size = sqrt(dot(n, row, row));
                for (int k = 0; k < n; ++k)
                    row[k] /= size;
                ++rank;
            }
        }
    }
    double most = 0;
    for (int k = 0; k < n; ++k)
        system->qd[k] = rng_between(g, -1, 1);
    const double left = rank < n ? reduce_row(n, basis, rank, system->qd) : 0;
    for (int k = 0; k < n; ++k)
        most = fmax(most, fabs(system->qd[k]));
    for (int k = 0; k < n; ++k)
        system->qd[k] *= left > dependent ? SPEED / most : 0;
}

/* The directions of the sliding contacts; 0 if one of them hardly slips. */
static int set_directions(grasp *system)
{
    for (int i = 0; i < system->contact_count; ++i) {
        grasp_contact *contact = &system->contacts[i];
        double gap, slip[3];
        if (!contact->slides) continue;
        grasp_touch(system, contact, &gap, slip);
        const double along[2] = {vec3_dot(contact->frame + 3, slip),
                                 vec3_dot(contact->frame + 6, slip)};
        const double speed = hypot(along[0], along[1]);
        if (!(speed >= LEAST_SLIP)) return 0;
        contact->direction[0] = along[0] / speed;
        contact->direction[1] = along[1] / speed;
    }
    return 1;
}

/* ---- one grasp ------------------------------------------------------------------------------- */

static mo_error check(const scene_grasp_def *def, mo_message *why)
{
    const int coordinates = 6 * def->objects + def->manipulators * def->joints;
    if (def->objects < 1 || def->manipulators < 0 || def->rolling < 0 || def->sliding < 0 ||
        def->joints < 1 || def->joints > GRASP_JOINTS_MOST || !(def->mu >= 0)) {
        return scene_fail(why, MO_ERR_ARGUMENT,
                          "a grasp has at least one object, chains of 1 to %d joints, and mu >= 0",
                          GRASP_JOINTS_MOST);
    }
    if (def->sliding > 0 && def->sliding + 3 * def->rolling >= coordinates) {
        return scene_fail(
            why, MO_ERR_ARGUMENT,
            "%d rolling and %d sliding contacts leave none of the %d coordinates to slide with",
            def->rolling, def->sliding, coordinates);
    }
    if (def->manipulators > def->rolling + def->sliding) {
        return scene_fail(why, MO_ERR_ARGUMENT, "%d manipulators need as many contacts",
                          def->manipulators);
    }
    return MO_OK;
}

/* Bodies, contacts, efforts and a velocity; *good: it came out well. */
static mo_error attempt(const scene_grasp_def *def, int number, grasp *system, int *scratch,
                        int *good, mo_message *why)
{
    rng g = rng_of(def->seed, (uint64_t)number);
    const int coordinates = 6 * def->objects + def->joints * def->manipulators;
    mo_error error = grasp_init(system, def->objects + def->manipulators, coordinates,
                                def->rolling + def->sliding, why);
    for (int b = 0; b < def->objects && !error; ++b)
        error = draw_object(&g, b, system, why);
    error = error ? error : draw_arms(&g, def, system, scratch, why);
    const size_t n = (size_t)coordinates;
    double *basis = error ? NULL : malloc((n * n + 1) * sizeof *basis);
    if (!basis)
        return error ? error : scene_fail(why, MO_ERR_MEMORY, "%s", mo_error_text(MO_ERR_MEMORY));
    draw_contacts(&g, def, system, scratch);
    choose_rolling(&g, def, system, scratch);
    draw_efforts(&g, def, system);
    draw_velocity(&g, system, basis);
    free(basis);
    error = grasp_move(system, why);
    *good = !error && set_directions(system);
    return error;
}

mo_error scene_grasp_draw(const scene_grasp_def *def, grasp *system, mo_message *why)
{
    *system = (grasp){0};
    mo_error error = check(def, why);
    if (error) return error;
    int *scratch = malloc((size_t)(def->manipulators + def->objects) * sizeof *scratch), good = 0;
    if (!scratch) return scene_fail(why, MO_ERR_MEMORY, "%s", mo_error_text(MO_ERR_MEMORY));
    for (int number = 0; !error && !good && number < ATTEMPTS; ++number) {
        grasp_clear(system);
        error = attempt(def, number, system, scratch, &good, why);
    }
    free(scratch);
    if (error || !good) grasp_clear(system);
    return error || good
               ? error
               : scene_fail(why, MO_ERR_ARGUMENT,
                            "no velocity was found at which %d contacts slide", def->sliding);
}

mo_error scene_grasp(const scene_grasp_def *def, mo_problem **problem, mo_message *why)
{
    grasp system;
    *problem = NULL;
    mo_error error = scene_grasp_draw(def, &system, why);
    if (!error) {
        error = grasp_problem(&system, def->mu, def->cone, problem, why);
        grasp_clear(&system);
    }
    return error;
}

scene_grasp_def scene_grasp_default(void)
{
    return (scene_grasp_def){.seed = 1,
                             .objects = 2,
                             .manipulators = 1,
                             .joints = 3,
                             .rolling = 2,
                             .sliding = 1,
                             .mu = 0.5};
}
