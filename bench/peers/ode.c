/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The Open Dynamics Engine: moreau-ode.
 *
 *   quick-N     dWorldQuickStep with N iterations (20 are its default)
 *   worldstep   dWorldStep, its pivoting method
 *
 * Settings are its defaults (ERP 0.2, CFM 1e-10) but for the contacts, which it leaves to its user:
 * friction as a pyramid whose size follows the normal force (dContactApprox1), at most eight points
 * a pair, restitution as the scene has it.  Impulses are those of the joint feedback.  In the plane
 * every body has a Plane2D joint.
 */
#include <math.h>
#include <ode/ode.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../sim/peer_main.h"
#include "../sim/run.h"

enum { POINTS_MOST = 8, WORLDSTEP = 0 };

static const char *const CONFIGS[] = {"quick-20", "quick-50", "quick-100", "worldstep", NULL};
static const int ITERATIONS[] = {20, 50, 100, WORLDSTEP};

typedef struct ode_contact {
    sim_contact contact;
    dJointFeedback feedback;
    dJointID joint;
} ode_contact;

typedef struct ode {
    const sim_scene *scene;
    dWorldID world;
    dSpaceID space;
    dJointGroupID group;
    dBodyID *body;         /* of each body; NULL if it is fixed */
    int *owner;            /* body of each shape */
    struct ode_hull *hull; /* of each hull */
    int iterations;
    ode_contact *contact;
    int contact_count, contact_room;
    int is_out_of_memory;
} ode;

/* ---- its errors ------------------------------------------------------------------------------ */

MO_PRINTF(2, 0)
static void give_up(int number, const char *message, va_list values)
{
    char text[200], all[256];
    vsnprintf(text, sizeof text, message, values);
    snprintf(all, sizeof all, "ODE error %d: %s", number, text);
    sim_give_up(all);
}

static void ignore(int number, const char *message, va_list values)
{
    (void)number;
    (void)message;
    (void)values;
}

/* ---- hulls ----------------------------------------------------------------------------------- */

/* ODE needs the faces of a hull, and keeps pointers to its data. */
typedef struct ode_hull {
    double *planes; /* normal and distance of each face */
    /* of each face: how many corners, and their numbers, from outside counterclockwise */
    unsigned *polygons;
    unsigned faces;
} ode_hull;

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The unit normal of three corners; false if they lie on a line. */
static int normal_of(const double *a, const double *b, const double *c, double n[3])
{
    const double u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]},
                 v[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
    n[0] = u[1] * v[2] - u[2] * v[1];
    n[1] = u[2] * v[0] - u[0] * v[2];
    n[2] = u[0] * v[1] - u[1] * v[0];
    const double length = sqrt(dot(n, n));
    for (int k = 0; k < 3; ++k)
        n[k] /= length > 0 ? length : 1;
    return length > 1e-12 * sqrt(dot(u, u) * dot(v, v));
}

/* The corners on a plane, counterclockwise about its normal: each leaves all others to the left. */
static void walk_face(const sim_shape *shape, const double n[3], const unsigned *on, unsigned count,
                      unsigned *face)
{
    const double *x = shape->point;
    face[0] = on[0];
    for (unsigned made = 1; made < count; ++made) {
        unsigned next = on[0] == face[made - 1] ? on[1] : on[0];
        for (unsigned k = 0; k < count; ++k) {
            double turn[3];
            if (on[k] != face[made - 1] && on[k] != next &&
                normal_of(x + 3 * face[made - 1], x + 3 * next, x + 3 * on[k], turn) &&
                dot(turn, n) < 0)
                next = on[k];
        }
        face[made] = next;
    }
}

/* Number of corners of the face through i < j < k; 0 if there is no such face, or these are not
 * its first corners. */
static unsigned find_face(const sim_shape *shape, const unsigned ijk[3], double plane[4],
                          unsigned *on)
{
    const double *x = shape->point, flat = 1e-9;
    unsigned count = 0;
    double least = 0, most = 0;
    if (!normal_of(x + 3 * ijk[0], x + 3 * ijk[1], x + 3 * ijk[2], plane)) return 0;
    plane[3] = dot(plane, x + 3 * ijk[0]);
    for (unsigned k = 0; k < (unsigned)shape->point_count; ++k) {
        const double off = dot(plane, x + 3 * k) - plane[3];
        least = fmin(least, off);
        most = fmax(most, off);
        if (fabs(off) <= flat) {
            if (count < 3 && k != ijk[count]) return 0;
            on[count++] = k;
        }
    }
    if (least < -flat && most > flat) return 0;
    for (int k = 0; k < 4 && most > flat; ++k) /* outwards */
        plane[k] = -plane[k];
    return count;
}

/* All of them, by trying every three corners: hulls here have few. */
static int make_hull(const sim_shape *shape, ode_hull *hull)
{
    const unsigned n = (unsigned)shape->point_count, faces_most = 2 * n;
    unsigned *on = malloc(n * sizeof *on), used = 0, i[3];
    hull->planes = malloc(4 * faces_most * sizeof *hull->planes);
    hull->polygons = malloc(faces_most * (n + 1) * sizeof *hull->polygons);
    const int is_well = on && hull->planes && hull->polygons;
    for (i[0] = 0; is_well && i[0] < n; ++i[0]) {
        for (i[1] = i[0] + 1; i[1] < n; ++i[1]) {
            for (i[2] = i[1] + 1; i[2] < n && hull->faces < faces_most; ++i[2]) {
                double *plane = hull->planes + 4 * hull->faces;
                const unsigned count = find_face(shape, i, plane, on);
                if (count > 0) {
                    hull->polygons[used] = count;
                    walk_face(shape, plane, on, count, hull->polygons + used + 1);
                    used += 1 + count;
                    ++hull->faces;
                }
            }
        }
    }
    free(on);
    return is_well;
}

/* ---- building -------------------------------------------------------------------------------- */

static dGeomID make_geom(ode *o, const sim_shape *shape, const mo_pose *world_pose)
{
    ode_hull *hull = o->hull + (shape - o->scene->shape);
    switch (shape->kind) {
    case MO_SHAPE_BALL:
        return dCreateSphere(o->space, shape->radius);
    case MO_SHAPE_BOX:
        return dCreateBox(o->space, 2 * shape->half[0], 2 * shape->half[1], 2 * shape->half[2]);
    case MO_SHAPE_CAPSULE:
        return dCreateCapsule(o->space, shape->radius, 2 * shape->half[2]);
    case MO_SHAPE_HULL:
        o->is_out_of_memory = o->is_out_of_memory || !make_hull(shape, hull);
        return dCreateConvex(o->space, hull->planes, hull->faces, shape->point,
                             (unsigned)shape->point_count, hull->polygons);
    case MO_SHAPE_CYLINDER:
        return dCreateCylinder(o->space, shape->radius, 2 * shape->half[2]);
    default: {
        double n[3];
        const double *p = world_pose->position;
        mo_pose_vector(world_pose, (const double[3]){0, 0, 1}, n);
        return dCreatePlane(o->space, n[0], n[1], n[2], n[0] * p[0] + n[1] * p[1] + n[2] * p[2]);
    }
    }
}

static void add_shape(ode *o, int body, int shape)
{
    const sim_shape *from = o->scene->shape + shape;
    const mo_pose pose = mo_pose_compose(&o->scene->body[body].pose, &from->pose);
    const dGeomID geom = make_geom(o, from, &pose);
    o->owner[shape] = body;
    dGeomSetData(geom, o->owner + shape);
    if (o->body[body]) {
        const double *x = from->pose.position;
        dGeomSetBody(geom, o->body[body]);
        dGeomSetOffsetPosition(geom, x[0], x[1], x[2]);
        dGeomSetOffsetQuaternion(geom, from->pose.orientation);
    } else if (from->kind != MO_SHAPE_PLANE) {
        dGeomSetPosition(geom, pose.position[0], pose.position[1], pose.position[2]);
        dGeomSetQuaternion(geom, pose.orientation);
    }
}

static void add_body(ode *o, int k)
{
    const sim_body *from = o->scene->body + k;
    if (from->is_free) {
        dMass mass;
        const double *x = from->pose.position, *v = from->velocity, *w = from->spin;
        const dBodyID body = o->body[k] = dBodyCreate(o->world);
        dMassSetParameters(&mass, from->mass, 0, 0, 0, from->inertia[0], from->inertia[1],
                           from->inertia[2], 0, 0, 0);
        dBodySetMass(body, &mass);
        dBodySetPosition(body, x[0], x[1], x[2]);
        dBodySetQuaternion(body, from->pose.orientation);
        dBodySetLinearVel(body, v[0], v[1], v[2]);
        dBodySetAngularVel(body, w[0], w[1], w[2]);
        if (o->scene->dimension == 2) dJointAttach(dJointCreatePlane2D(o->world, 0), body, 0);
    }
    for (int i = 0; i < from->shape_count; ++i)
        add_shape(o, k, from->first_shape + i);
}

static void destroy(void *engine)
{
    ode *o = engine;
    dJointGroupDestroy(o->group);
    dSpaceDestroy(o->space);
    dWorldDestroy(o->world);
    dCloseODE();
    free(o->body);
    free(o->owner);
    for (int k = 0; o->hull && k < o->scene->shape_count; ++k) {
        free(o->hull[k].planes);
        free(o->hull[k].polygons);
    }
    free(o->hull);
    free(o->contact);
    free(o);
}

static void *create(const sim_scene *scene, int config, mo_message *why)
{
    ode *o = calloc(1, sizeof *o);
    if (!o || !dInitODE2(0)) {
        free(o);
        snprintf(why->text, sizeof why->text, "ODE could not be started");
        return NULL;
    }
    dSetErrorHandler(give_up);
    dSetDebugHandler(give_up);
    dSetMessageHandler(ignore);
    o->scene = scene;
    o->iterations = ITERATIONS[config];
    o->world = dWorldCreate();
    o->space = dHashSpaceCreate(0);
    o->group = dJointGroupCreate(0);
    o->body = calloc((size_t)scene->body_count, sizeof *o->body);
    o->owner = calloc((size_t)scene->shape_count + 1, sizeof *o->owner);
    o->hull = calloc((size_t)scene->shape_count + 1, sizeof *o->hull);
    if (!o->body || !o->owner || !o->hull) {
        destroy(o);
        snprintf(why->text, sizeof why->text, "memory ran out");
        return NULL;
    }
    dWorldSetGravity(o->world, scene->gravity[0], scene->gravity[1], scene->gravity[2]);
    dWorldSetQuickStepNumIterations(o->world, o->iterations > 0 ? o->iterations : 20);
    for (int k = 0; k < scene->body_count; ++k)
        add_body(o, k);
    return o;
}

/* ---- stepping -------------------------------------------------------------------------------- */

static int has_room(ode *o)
{
    if (o->contact_count < o->contact_room) return 1;
    const int room = 2 * o->contact_room + 64;
    ode_contact *more = realloc(o->contact, (size_t)room * sizeof *more);
    if (!more) {
        o->is_out_of_memory = 1;
        return 0;
    }
    o->contact = more;
    o->contact_room = room;
    return 1;
}

/* ODE's normal points into its first body; ours from a to b, so that b is its first. */
static void add_contact(ode *o, const dContactGeom *geom, int first, int second,
                        const sim_shape *on_first, const sim_shape *on_second)
{
    const double mu = sqrt(on_first->friction * on_second->friction),
                 e = fmax(on_first->restitution, on_second->restitution);
    /* a static body is never its first */
    const int is_swapped = !o->body[first];
    const double sign = is_swapped ? -1 : 1;
    dContact made;
    memset(&made, 0, sizeof made);
    made.geom = *geom;
    made.surface.mode = dContactApprox1 | (e > 0 ? dContactBounce : 0);
    made.surface.mu = mu;
    made.surface.bounce = e;
    made.surface.bounce_vel = o->scene->bounce_speed;
    for (int k = 0; k < 3; ++k)
        made.geom.normal[k] = sign * geom->normal[k];
    if (is_swapped) {
        made.geom.g1 = geom->g2;
        made.geom.g2 = geom->g1;
    }
    const int b = is_swapped ? second : first, a = is_swapped ? first : second;
    ode_contact *contact = o->contact + o->contact_count++;
    contact->joint = dJointCreateContact(o->world, o->group, &made);
    dJointAttach(contact->joint, o->body[b], o->body[a]);
    contact->contact =
        (sim_contact){.a = a, .b = b, .gap = -geom->depth, .friction = mu, .restitution = e};
    for (int k = 0; k < 3; ++k) {
        contact->contact.on_a[k] = contact->contact.on_b[k] = geom->pos[k];
        contact->contact.normal[k] = made.geom.normal[k];
    }
}

static void collide(void *engine, dGeomID g1, dGeomID g2)
{
    ode *o = engine;
    dContactGeom points[POINTS_MOST];
    const int *const s1 = dGeomGetData(g1), *const s2 = dGeomGetData(g2);
    const int first = *s1, second = *s2;
    if (first == second || (!o->body[first] && !o->body[second])) return;
    const int count = dCollide(g1, g2, POINTS_MOST, points, sizeof points[0]);
    for (int k = 0; k < count && has_room(o); ++k) {
        add_contact(o, points + k, first, second, o->scene->shape + (s1 - o->owner),
                    o->scene->shape + (s2 - o->owner));
    }
}

static int step(void *engine, mo_message *why)
{
    ode *o = engine;
    dJointGroupEmpty(o->group);
    o->contact_count = 0;
    dSpaceCollide(o->space, o, collide);
    for (int k = 0; k < o->contact_count; ++k) { /* from now on they are static */
        memset(&o->contact[k].feedback, 0, sizeof o->contact[k].feedback);
        dJointSetFeedback(o->contact[k].joint, &o->contact[k].feedback);
    }
    const int is_stepped = o->iterations == WORLDSTEP ? dWorldStep(o->world, o->scene->step)
                                                      : dWorldQuickStep(o->world, o->scene->step);
    if (!is_stepped || o->is_out_of_memory) {
        snprintf(why->text, sizeof why->text, "ODE ran out of memory");
        return 0;
    }
    return 1;
}

/* ---- reading --------------------------------------------------------------------------------- */

static void read_motions(void *engine, sim_motion *motions)
{
    const ode *o = engine;
    for (int k = 0; k < o->scene->body_count; ++k) {
        if (o->body[k]) {
            memcpy(motions[k].pose.position, dBodyGetPosition(o->body[k]), 3 * sizeof(double));
            memcpy(motions[k].pose.orientation, dBodyGetQuaternion(o->body[k]), 4 * sizeof(double));
            memcpy(motions[k].velocity, dBodyGetLinearVel(o->body[k]), 3 * sizeof(double));
            memcpy(motions[k].spin, dBodyGetAngularVel(o->body[k]), 3 * sizeof(double));
        }
    }
}

static int contacts(void *engine, sim_contact *list, int room)
{
    const ode *o = engine;
    for (int k = 0; k < o->contact_count && k < room; ++k) {
        list[k] = o->contact[k].contact;
        for (int i = 0; i < 3; ++i)
            list[k].impulse[i] = o->scene->step * o->contact[k].feedback.f1[i];
    }
    return o->contact_count;
}

int main(int argc, char **argv)
{
    const sim_engine engine = {.name = "ode",
                               .impulses = "joint feedback",
                               .configs = CONFIGS,
                               .create = create,
                               .step = step,
                               .read = read_motions,
                               .contacts = contacts,
                               .destroy = destroy};
    return peer_main(&engine, argc, argv);
}
