/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Shapes as polygons, for drawing: every solid is closed, its faces look outward, and it encloses
 * the volume it should.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"

#include "moreau/moreau.h"
#include "run_mesh.h"

static const double PI = 3.14159265358979323846;

static run_mesh mesh_of(int dimension, mo_body_kind kind, mo_shape_def shape, mo_pose pose)
{
    mo_world *world;
    run_mesh mesh;
    mo_message why = {{0}};
    const mo_world_def def = dimension == 2 ? mo_default_planar_world() : mo_default_world();
    CHECK(mo_world_create(&def, NULL, &world, NULL) == MO_OK);
    mo_body_def body = mo_default_body(kind);
    shape.pose = pose;
    const mo_body_id id = mo_world_add_body(world, &body, &why);
    if (!mo_world_add_shape(world, id, &shape, &why).index) fail_msg("%s", why.text);
    CHECK(run_mesh_make(&mesh, world));
    mo_world_destroy(world);
    return mesh;
}

static const int *face(const run_mesh *mesh, int k, int *count)
{
    const int first = k ? mesh->faces.end[k - 1] : 0;
    *count = mesh->faces.end[k] - first;
    return mesh->faces.corner + first;
}

/* A sixth of the determinant of three corners, summed over the triangles of every face (Gauss). */
static double volume(const run_mesh *mesh)
{
    double sum = 0;
    for (int k = 0; k < mesh->faces.count; ++k) {
        int count;
        const int *corner = face(mesh, k, &count);
        for (int i = 1; i + 1 < count; ++i) {
            const double *a = mesh->point[corner[0]], *b = mesh->point[corner[i]],
                         *c = mesh->point[corner[i + 1]];
            sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                   a[2] * (b[0] * c[1] - b[1] * c[0]);
        }
    }
    return sum / 6;
}

/* How often an edge is walked from a to b. */
static int walks(const run_mesh *mesh, int a, int b)
{
    int found = 0;
    for (int k = 0; k < mesh->faces.count; ++k) {
        int count;
        const int *corner = face(mesh, k, &count);
        for (int i = 0; i < count; ++i)
            found += corner[i] == a && corner[(i + 1) % count] == b;
    }
    return found;
}

/* Every edge is walked once in each direction. */
static void check_closed(const run_mesh *mesh)
{
    for (int k = 0; k < mesh->faces.count; ++k) {
        int count;
        const int *corner = face(mesh, k, &count);
        for (int i = 0; i < count; ++i) {
            const int a = corner[i], b = corner[(i + 1) % count];
            CHECK(a >= 0 && a < mesh->point_count);
            CHECK(walks(mesh, a, b) == 1 && walks(mesh, b, a) == 1);
        }
    }
}

static double area(const run_mesh *mesh)
{
    double sum = 0;
    for (int k = 0; k < mesh->faces.count; ++k) {
        int count;
        const int *corner = face(mesh, k, &count);
        for (int i = 0; i < count; ++i) {
            const double *a = mesh->point[corner[i]], *b = mesh->point[corner[(i + 1) % count]];
            sum += 0.5 * (a[0] * b[1] - a[1] * b[0]);
        }
    }
    return sum;
}

/* A closed mesh with this volume, up to what flat faces cut off what is round. */
static void check_solid(mo_shape_def shape, double expected, double least)
{
    const mo_pose somewhere = mo_pose_turned(1, -2, 3, (double[3]){1, 2, 3}, 0.7);
    run_mesh mesh = mesh_of(3, MO_BODY_FREE, shape, somewhere);
    check_closed(&mesh);
    CHECK_BELOW(volume(&mesh), expected * (1 + 1e-12));
    CHECK_BELOW(least * expected, volume(&mesh));
    run_mesh_clear(&mesh);
}

static void solids_are_closed_and_have_their_volume(void **state)
{
    (void)state;
    const double r = 0.4;
    check_solid(mo_shape_box(0.5, 1, 1.5), 6, 1 - 1e-12);
    check_solid(mo_shape_ball(r), 4 * PI / 3 * r * r * r, 0.8);
    check_solid(mo_shape_cylinder(r, 1), 2 * PI * r * r, 0.9);
    check_solid(mo_shape_capsule((double[3]){0, 0, -1}, (double[3]){0, 0, 1}, r),
                2 * PI * r * r + 4 * PI / 3 * r * r * r, 0.85);
    check_solid(mo_shape_capsule((double[3]){1, 2, 3}, (double[3]){-1, 2, -1}, r),
                sqrt(20) * PI * r * r + 4 * PI / 3 * r * r * r, 0.85);
    check_solid(mo_shape_capsule((double[3]){0, 0, 0}, (double[3]){0, 0, 0}, r),
                4 * PI / 3 * r * r * r, 0.8);
}

static void flat_shapes_have_their_area(void **state)
{
    (void)state;
    const mo_pose somewhere = mo_pose_planar(3, -2, 0.7);
    static const double points[] = {0, 0, 0, 2, 0, 0, 1, 0.5, 0, 2, 1, 0, 0, 1, 0, 1, 0, 0};
    const struct {
        mo_shape_def shape;
        double area, least;
    } cases[] = {
        {mo_shape_box(1, 2, 0), 8, 1 - 1e-12},
        {mo_shape_ball(0.5), PI / 4, 0.98},
        {mo_shape_capsule((double[3]){0, 0, 0}, (double[3]){3, 4, 0}, 0.5), 5 + PI / 4, 0.98},
        {mo_shape_hull(points, 6), 2, 1 - 1e-12},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        run_mesh mesh = mesh_of(2, MO_BODY_FREE, cases[k].shape, somewhere);
        CHECK(mesh.faces.count == 1);
        CHECK_BELOW(area(&mesh), cases[k].area * (1 + 1e-12));
        CHECK_BELOW(cases[k].least * cases[k].area, area(&mesh));
        run_mesh_clear(&mesh);
    }
}

/* Counts faces, and adds up their corners. */
typedef struct counted {
    int faces, corners;
} counted;

static void count_face(void *user, int count, const int *corners)
{
    counted *c = user;
    (void)corners;
    c->faces += 1;
    c->corners += count;
}

static void faces_of_hulls_are_whole_whatever_else_lies_on_them(void **state)
{
    (void)state;
    enum { MOST = 40 };
    double points[3 * MOST];
    int n = 0;
    /* a cube: first the middles of its faces and edges (twice one of them), a point inside, then
     * the corners */
    for (int corner = 0; corner < 2; ++corner) {
        for (int k = 0; k < 27; ++k) {
            const int x[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
            const int is_corner = x[0] && x[1] && x[2];
            if (is_corner == corner) {
                for (int i = 0; i < 3; ++i)
                    points[3 * n + i] = x[i];
                ++n;
            }
        }
    }
    memcpy(points + 3 * n, points, 3 * sizeof *points);
    ++n;
    counted c = {0, 0};
    CHECK(mo_hull_faces(points, n, 3, count_face, &c, NULL) == MO_OK);
    CHECK(c.faces == 6 && c.corners == 24);

    /* a tetrahedron, and a planar square whose points repeat */
    static const double four[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    c = (counted){0, 0};
    CHECK(mo_hull_faces(four, 4, 3, count_face, &c, NULL) == MO_OK);
    CHECK(c.faces == 4 && c.corners == 12);
    static const double square[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0.5, 0.5, 0};
    c = (counted){0, 0};
    CHECK(mo_hull_faces(square, 6, 2, count_face, &c, NULL) == MO_OK);
    CHECK(c.faces == 1 && c.corners == 4);
}

static void random_hulls_are_closed(void **state)
{
    (void)state;
    mo_random random = {3};
    for (int k = 0; k < 10; ++k) {
        double points[3 * 12];
        fill_uniform(&random, -1, 1, 36, points);
        run_mesh mesh = mesh_of(3, MO_BODY_FREE, mo_shape_hull(points, 12), mo_pose_identity());
        check_closed(&mesh);
        CHECK(volume(&mesh) > 0.1);
        run_mesh_clear(&mesh);
    }
}

static void meshes_are_drawn_by_their_triangles_and_segments(void **state)
{
    (void)state;
    static const double corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const int triangles[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
    run_mesh mesh =
        mesh_of(3, MO_BODY_FIXED, mo_shape_mesh(corners, 4, triangles, 12), mo_pose_at(1, 2, 3));
    CHECK(mesh.faces.count == 4 && mesh.lines.count == 0);
    check_closed(&mesh);
    CHECK_NEAR(volume(&mesh), 1.0 / 6, 1e-14);
    run_mesh_clear(&mesh);
    static const int segments[] = {2, 0, 0, 1};
    mesh = mesh_of(2, MO_BODY_FIXED, mo_shape_mesh(corners, 3, segments, 4), mo_pose_identity());
    CHECK(mesh.faces.count == 0 && mesh.lines.count == 2 && mesh.lines.corner_count == 4);
    run_mesh_clear(&mesh);
}

static void planes_extend_beyond_the_bodies_on_them(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; ++dimension) {
        run_mesh mesh = mesh_of(dimension, MO_BODY_FIXED, mo_shape_plane(), mo_pose_identity());
        CHECK(mesh.faces.count == 1 && mesh.point_count == 4 && mesh.body[3] == 0);
        CHECK_BELOW(1, mesh.point[2][0]);
        run_mesh_clear(&mesh);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solids_are_closed_and_have_their_volume),
        cmocka_unit_test(flat_shapes_have_their_area),
        cmocka_unit_test(faces_of_hulls_are_whole_whatever_else_lies_on_them),
        cmocka_unit_test(random_hulls_are_closed),
        cmocka_unit_test(meshes_are_drawn_by_their_triangles_and_segments),
        cmocka_unit_test(planes_extend_beyond_the_bodies_on_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
