/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Our convex hulls (collide/hull.h) beside those of Qhull: the same volume, every plane of one is a
 * support plane of the other, and of points in general position the same number of vertices.
 *
 * Point sets: uniform in a cube, on a sphere, on a cylinder (many points in one plane), on the
 * faces of a cube (everything degenerate), and flat ones with a thickness of 1e-4.
 */
#include <libqhull_r/qhull_ra.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

#include "base/memory.h"
#include "collide/hull.h"
#include "linalg/vec3.h"

enum { MOST = 200, SETS = 5, TRIALS = 40 };

static void point_of(mo_random *random, int set, double x[3])
{
    fill_uniform(random, -1, 1, 3, x);
    if (set == 1) {
        mo_vec3_scale(1 / mo_vec3_norm(x), x, x);
    } else if (set == 2) {
        const double angle = 3.14159265358979323846 * x[0];
        x[0] = cos(angle);
        x[1] = sin(angle);
        x[2] = x[2] > 0 ? 1 : -1;
    } else if (set == 3) {
        const int face = (int)(3 * mo_random_unit(random));
        x[face] = x[face] > 0 ? 1 : -1;
    } else if (set == 4) {
        x[2] *= 1e-4;
    }
}

typedef struct peer {
    qhT qh;
    double volume;
    int vertices;
} peer;

static void peer_of(peer *p, const double *points, int count)
{
    char command[] = "qhull FA Qt";
    double *copy = malloc((size_t)count * 3 * sizeof *copy);
    assert_non_null(copy);
    memcpy(copy, points, (size_t)count * 3 * sizeof *copy);
    qh_zero(&p->qh, stderr);
    assert_int_equal(qh_new_qhull(&p->qh, 3, count, copy, True, command, NULL, stderr), 0);
    qh_getarea(&p->qh, p->qh.facet_list);
    p->volume = p->qh.totvol;
    p->vertices = p->qh.num_vertices;
}

static void peer_end(peer *p)
{
    int left, blocks;
    qh_freeqhull(&p->qh, !qh_ALL);
    qh_memfreeshort(&p->qh, &left, &blocks);
    assert_int_equal(left, 0);
}

/* No point is outside of the plane, and one lies on it. */
static void supports(const double normal[3], double offset, const double (*x)[3], int count,
                     double tolerance)
{
    double most = -INFINITY;
    for (int k = 0; k < count; ++k)
        most = fmax(most, mo_vec3_dot(normal, x[k]) - offset);
    CHECK_BELOW(fabs(most), tolerance);
}

static void compare(mo_random *random, int set, int count)
{
    const double tolerance = 1e-7 * 2 * sqrt(3); /* of the size: what counts as one plane */
    double points[MOST][3];
    double volume, centre[3], inertia[6];
    mo_message why;
    peer theirs;
    for (int k = 0; k < count; ++k)
        point_of(random, set, points[k]);
    const mo_allocator allocator = mo_allocator_or_default(NULL);
    mo_hull *ours = mo_hull_create(&allocator, 0, points[0], count, &why);
    assert_non_null(ours);
    peer_of(&theirs, points[0], count);

    mo_hull_mass(ours, &volume, centre, inertia);
    CHECK_BELOW(fabs(volume - theirs.volume),
                set < 2 ? 1e-12 * theirs.volume : tolerance * theirs.qh.totarea);
    if (set < 2) assert_int_equal(ours->vertex_count, theirs.vertices);
    const facetT *facet = theirs.qh.facet_list;
    for (; facet && facet->next; facet = facet->next) {
        supports(facet->normal, -facet->offset, (const double(*)[3])ours->vertex,
                 ours->vertex_count, tolerance);
    }
    for (int f = 0; f < ours->face_count; ++f)
        supports(ours->plane[f], ours->plane[f][3], (const double(*)[3])points, count, tolerance);
    mo_hull_destroy(&allocator, ours);
    peer_end(&theirs);
}

static void hulls_are_those_of_qhull(void **state)
{
    mo_random random = {7};
    (void)state;
    for (int set = 0; set < SETS; ++set)
        for (int trial = 0; trial < TRIALS; ++trial)
            compare(&random, set, 12 + (int)((MOST - 12) * mo_random_unit(&random)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(hulls_are_those_of_qhull)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
