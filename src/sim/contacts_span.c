/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Contacts of links that other contacts imply.
 *
 * A link is often made of several shapes.  Two kinds of contacts then take no part in the step:
 *   covered   the face at their middle is inside another shape of the same body, which touches the
 *             same shape: an inner face of the body, whose normal has no meaning
 *   spanned   inside the convex hull of contacts of the same two bodies with one plane, normal and
 *             friction coefficient, or at the point of one.  A force f at x = sum l_i x_i, with
 *             l_i >= 0 and sum l_i = 1, has the wrench of the forces l_i f at x_i, which are in the
 *             same cones, and the gap at x closes no further than those at x_i
 *
 * Limits: contacts with restitution, rolling or torsional friction are kept, as are those of a
 * group beyond the first MOST.
 */
#include <math.h>
#include <stdlib.h>

#include "collide/hull.h"
#include "collide/pose.h"
#include "linalg/vec3.h"
#include "sim/world_data.h"

static const double SAME_NORMAL = 1 - 1e-12; /* cosine */
static const double SAME =
    1e-6; /* relative to the size: distance of points that coincide, and of a corner from an edge */
static const double OUT = 1e-3; /* relative to the size: distance from a face to a covering shape */
enum { MOST = 64 };             /* contacts of a group */
enum { DONE = 1 };              /* the constraint of a contact that was examined */

typedef struct spot {
    double x, y, gap;
    int contact;
} spot;

typedef struct group {
    spot spot[MOST];
    int count;
    int is_mixed; /* of several pairs of shapes; one pair has few contacts */
    double near;  /* m: SAME of the size */
} group;

static int has_link(const mo_world *world, const mo_sim_contact *contact)
{
    return world->body[contact->body[0]].mechanism != MO_NONE ||
           world->body[contact->body[1]].mechanism != MO_NONE;
}

/* Once: constraint is 0 before. */
static int may_be_implied(const mo_world *world, const mo_sim_contact *contact)
{
    return contact->constraint == 0 && contact->restitution == 0 && contact->rolling == 0 &&
           contact->torsion == 0 && has_link(world, contact);
}

static void leave_out(mo_sim_contact *contact)
{
    contact->constraint = MO_NONE;
    contact->gap = INFINITY; /* marks it as examined */
}

/* ---- faces that are covered ------------------------------------------------------------------ */

static int is_inside(const mo_sim_shape *shape, const double point[3])
{
    const mo_hull *hull = shape->collider.hull;
    double x[3];
    mo_point_in(&shape->pose, point, x);
    for (int k = 0; hull && k < hull->face_count; ++k)
        if (!(mo_vec3_dot(hull->plane[k], x) < hull->plane[k][3])) return 0;
    return hull != NULL;
}

/* Is the face of shape[side] at the point inside another shape of its body, which touches, too? */
static int is_covered(const mo_world *world, const mo_sim_contact *first, const double point[3])
{
    for (int k = 0; k < world->contacts.count; ++k) {
        const mo_sim_contact *other = world->contacts.at + k;
        if (other->body[0] != first->body[0] || other->body[1] != first->body[1] ||
            !mo_contact_is_taken(other))
            continue;
        for (int side = 0; side < 2; ++side) {
            double out[3];
            mo_vec3_along(point, (side ? -OUT : OUT) * first->size, first->frame, out);
            if (other->shape[side] != first->shape[side] &&
                other->shape[!side] == first->shape[!side] &&
                is_inside(world->shape + other->shape[side], out))
                return 1;
        }
    }
    return 0;
}

/* Contacts k to end of one pair of shapes take no part if their middle lies on a covered face. */
static void leave_out_covered(mo_world *world, int k, int end)
{
    mo_sim_contact *at = world->contacts.at;
    double middle[3] = {0, 0, 0};
    for (int i = k; i < end; ++i)
        mo_vec3_along(middle, 1.0 / (end - k), at[i].point, middle);
    if (may_be_implied(world, at + k) && is_covered(world, at + k, middle))
        for (int i = k; i < end; ++i)
            leave_out(at + i);
}

/* ---- groups in a plane ----------------------------------------------------------------------- */

/* Do both belong to one group, of the same bodies, plane and friction? */
static int are_alike(const mo_sim_contact *a, const mo_sim_contact *b)
{
    double d[3];
    mo_vec3_minus(b->point, a->point, d);
    return a->body[0] == b->body[0] && a->body[1] == b->body[1] && a->mu == b->mu &&
           mo_vec3_dot(a->frame, b->frame) > SAME_NORMAL &&
           fabs(mo_vec3_dot(a->frame, d)) <= SAME * fmin(a->size, b->size);
}

/* Adds a contact, in the tangents of the first; false if it is at the point of another, whose gap
 * is not greater. */
static int add_spot(const mo_sim_contact *first, const mo_sim_contact *contact, int k, group *g)
{
    double d[3];
    mo_vec3_minus(contact->point, first->point, d);
    const spot own = {mo_vec3_dot(first->frame + 3, d), mo_vec3_dot(first->frame + 6, d),
                      contact->gap, k};
    for (int i = 0; i < g->count; ++i) {
        const spot *s = g->spot + i;
        if (fabs(own.x - s->x) <= g->near && fabs(own.y - s->y) <= g->near &&
            own.gap >= s->gap - g->near)
            return 0;
    }
    g->spot[g->count++] = own;
    return 1;
}

static int by_place(const void *a, const void *b)
{
    const spot *s = a, *t = b;
    return s->x != t->x   ? (s->x > t->x ? 1 : -1)
           : s->y != t->y ? (s->y > t->y ? 1 : -1)
                          : (s->contact > t->contact) - (s->contact < t->contact);
}

/* Twice the area of a, b, c; positive if they turn left. */
static double area(const spot *a, const spot *b, const spot *c)
{
    return (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x);
}

static double distance(const spot *a, const spot *b)
{
    return sqrt((b->x - a->x) * (b->x - a->x) + (b->y - a->y) * (b->y - a->y));
}

/* Is b outside the edge from a to c? */
static int is_outside_edge(const group *g, const spot *a, const spot *b, const spot *c)
{
    return area(a, b, c) > g->near * distance(a, c);
}

/* One chain of the hull, over spots in the order of `step`; `corner` gets all but its last. */
static int find_chain(const group *g, int from, int step, const spot **corner)
{
    int count = 0;
    for (int k = 0; k < g->count; ++k) {
        const spot *own = g->spot + from + step * k;
        while (count >= 2 && !is_outside_edge(g, corner[count - 2], corner[count - 1], own))
            --count;
        corner[count++] = own;
    }
    return count - 1;
}

/* The gap that two corners span at a spot between them. */
static double gap_on_edge(const spot *a, const spot *b, const spot *own)
{
    const double x = b->x - a->x, y = b->y - a->y;
    const double part = ((own->x - a->x) * x + (own->y - a->y) * y) / (x * x + y * y);
    return (1 - part) * a->gap + part * b->gap;
}

/* The least gap that the corners span at a spot, by the triangles of a fan. */
static double spanned_gap(const group *g, const spot **corner, int corners, const spot *own)
{
    const spot *a = corner[0];
    double least = corners == 2 ? gap_on_edge(a, corner[1], own) : INFINITY;
    for (int k = 1; k + 1 < corners; ++k) {
        const spot *b = corner[k], *c = corner[k + 1];
        const double of_a = area(own, b, c), of_b = area(a, own, c), of_c = area(a, b, own),
                     beyond = g->near * (distance(a, b) + distance(b, c) + distance(c, a));
        if (fmin(of_a, fmin(of_b, of_c)) >= -beyond)
            least = fmin(least, (of_a * a->gap + of_b * b->gap + of_c * c->gap) / area(a, b, c));
    }
    return least;
}

/* Contacts inside the hull take no part. */
static void leave_out_inner(mo_world *world, group *g)
{
    const spot *corner[2 * MOST];
    qsort(g->spot, (size_t)g->count, sizeof *g->spot, by_place);
    int corners = find_chain(g, 0, 1, corner);
    corners += find_chain(g, g->count - 1, -1, corner + corners);
    for (int k = 0; k < g->count && corners >= 2; ++k) {
        const spot *own = g->spot + k;
        int is_corner = 0;
        for (int i = 0; i < corners; ++i)
            is_corner |= corner[i] == own;
        if (!is_corner && own->gap >= spanned_gap(g, corner, corners, own) - g->near)
            leave_out(world->contacts.at + own->contact);
    }
}

/* The group of the contact k, with those after it. */
static void find_group(mo_world *world, int k, group *g)
{
    mo_sim_contacts *list = &world->contacts;
    const mo_sim_contact *first = list->at + k;
    const int shapes =
        world->body[first->body[0]].shape_count + world->body[first->body[1]].shape_count;
    const int end = shapes > 2 ? list->count : mo_contacts_end_of_pair(list, k);
    g->count = g->is_mixed = 0;
    g->near = SAME * first->size;
    for (int i = k; i < end && g->count < MOST; ++i) {
        mo_sim_contact *other = list->at + i;
        if (may_be_implied(world, other) && are_alike(first, other)) {
            other->constraint = DONE;
            g->is_mixed |= other->shape[0] != first->shape[0] || other->shape[1] != first->shape[1];
            if (!add_spot(first, other, i, g)) leave_out(other);
        }
    }
}

void mo_contacts_span(mo_world *world)
{
    const mo_sim_contact *at = world->contacts.at;
    const int count = world->mechanism_count > 0 ? world->contacts.count : 0;
    group g;
    for (int k = 0, end; k < count; k = end) {
        end = mo_contacts_end_of_pair(&world->contacts, k);
        leave_out_covered(world, k, end);
    }
    for (int k = 0; k < count; ++k) {
        if (may_be_implied(world, at + k)) {
            find_group(world, k, &g);
            if (g.is_mixed) leave_out_inner(world, &g);
        }
    }
}
