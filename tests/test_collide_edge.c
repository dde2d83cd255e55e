/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Shapes in special places: concentric, parallel, in line, exactly touching, without length,
 * without numbers.
 */
#include "check.h"
#include "collide_bodies.h"

#include "collide/collide.h"
#include "linalg/vec3.h"

enum { KINDS = 12, TURNS = 6 };

static const double TETRAHEDRON[12] = {-1, -1, -1, 1, 1, -1, 1, -1, 1, -1, 1, 1};
static const double HILL[18] = {-4, -4, 0, 4, -4, 0, 4, 4, 0, -4, 4, 0, 0, 0, 0, 0, 0, 1};
static const int FACES[18] = {0, 1, 4, 1, 2, 4, 2, 3, 5, 3, 0, 5, 0, 4, 5, 4, 2, 5};
static const int CHAIN[6] = {0, 4, 4, 1, 1, 2};

/* In the plane a cylinder is a ball. */
static mo_shape_def shape_of(int k, int is_planar)
{
    const double o[3] = {0, 0, 0}, x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, z[3] = {0, 0, !is_planar};
    switch (k) {
    case 0:
        return mo_shape_ball(1);
    case 1:
        return mo_shape_box(1, 1, 1);
    case 2:
        return mo_shape_box(1, 0.5, 1e-3);
    case 3:
        return mo_shape_capsule(o, x, 1);
    case 4:
        return mo_shape_capsule(o, is_planar ? y : z, 0.5);
    case 5:
        return mo_shape_capsule(o, o, 1); /* no length */
    case 6:
        return is_planar ? mo_shape_ball(0.5) : mo_shape_cylinder(1, 1);
    case 7:
        return is_planar ? mo_shape_ball(2) : mo_shape_cylinder(1, 1e-3);
    case 8:
        return is_planar ? mo_shape_ball(1e-3) : mo_shape_cylinder(1e-3, 1);
    case 9:
        return mo_shape_hull(TETRAHEDRON, 4);
    case 10:
        return is_planar ? mo_shape_mesh(HILL, 6, CHAIN, 6) : mo_shape_mesh(HILL, 6, FACES, 18);
    default:
        return mo_shape_plane();
    }
}

static mo_pose special_pose(mo_random *random, int is_planar)
{
    static const double AXES[TURNS][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0},
                                          {1, 1, 0}, {1, 1, 1}, {-1, 0, 1}};
    const double x = (int)uniform(random, -3, 4) * 0.5, y = (int)uniform(random, -3, 4) * 0.5,
                 z = (int)uniform(random, -3, 4) * 0.5;
    const double quarter = (int)uniform(random, 0, 8) * acos(-1.0) / 4;
    return mo_pose_turned(x, y, is_planar ? 0 : z,
                          AXES[is_planar ? 0 : (int)uniform(random, 0, TURNS)], quarter);
}

/*
 * Sound touches: finite, a unit normal, no two of the same name; the nearest is the same when the
 * pair is turned round.
 */
static void check_list(const mo_touch_list *list, double reach)
{
    for (int i = 0; i < list->count; ++i) {
        const mo_touch *t = list->touch + i;
        CHECK(isfinite(t->gap) && isfinite(mo_vec3_norm(t->point)));
        CHECK_NEAR(mo_vec3_norm(t->normal), 1, 1e-9);
        CHECK_BELOW(t->gap, reach);
        for (int j = 0; j < i; ++j)
            CHECK(t->feature != list->touch[j].feature);
    }
}

static double least_gap(const mo_touch_list *list)
{
    double least = INFINITY;
    for (int k = 0; k < list->count; ++k)
        least = fmin(least, list->touch[k].gap);
    return least;
}

static void special_places_give_sound_touches(void **state)
{
    (void)state;
    const mo_allocator allocator = mo_allocator_or_default(NULL);
    mo_random random = {307};
    for (int round = 0; round < 60; ++round) {
        const int is_planar = round % 2;
        mo_collider c[KINDS];
        for (int k = 0; k < KINDS; ++k) {
            const mo_shape_def def = shape_of(k, is_planar);
            CHECK(mo_collider_init(&def, is_planar, &allocator, &c[k], NULL) == MO_OK);
        }
        for (int k = 0; k < KINDS * KINDS; ++k) {
            const mo_collider *a = c + k / KINDS, *b = c + k % KINDS;
            const mo_pose at_a = special_pose(&random, is_planar),
                          at_b = round % 5 ? special_pose(&random, is_planar) : at_a;
            mo_touch_list one = {.allocator = allocator}, other = {.allocator = allocator};
            collide_bodies(a, &at_a, b, &at_b, 0.2, &one);
            collide_bodies(b, &at_b, a, &at_a, 0.2, &other);
            check_list(&one, 0.2);
            check_list(&other, 0.2);
            if (isfinite(least_gap(&one)) || isfinite(least_gap(&other)))
                CHECK_NEAR(least_gap(&one), least_gap(&other), 1e-6);
            mo_memory_free(&allocator, one.touch);
            mo_memory_free(&allocator, other.touch);
        }
        for (int k = 0; k < KINDS; ++k)
            mo_collider_clear(&allocator, &c[k]);
    }
}

/* A pose that is no pose: whatever comes out, it comes out, and holds no infinite gap. */
static void poses_without_numbers_do_no_harm(void **state)
{
    (void)state;
    const mo_allocator allocator = mo_allocator_or_default(NULL);
    for (int k = 0; k < 2 * KINDS * KINDS; ++k) {
        const int is_planar = k % 2;
        const mo_shape_def def_a = shape_of(k / 2 / KINDS, is_planar),
                           def_b = shape_of(k / 2 % KINDS, is_planar);
        mo_collider a, b;
        CHECK(mo_collider_init(&def_a, is_planar, &allocator, &a, NULL) == MO_OK);
        CHECK(mo_collider_init(&def_b, is_planar, &allocator, &b, NULL) == MO_OK);
        for (int i = 0; i < 7; ++i) {
            mo_pose at = mo_pose_identity(), bad = at;
            *(i < 3 ? bad.position + i : bad.orientation + (i - 3)) = NAN;
            mo_touch_list list = {.allocator = allocator};
            collide_bodies(&a, &bad, &b, &at, 0.1, &list);
            collide_bodies(&a, &at, &b, &bad, 0.1, &list);
            for (int t = 0; t < list.count; ++t)
                CHECK(!isinf(list.touch[t].gap));
            mo_memory_free(&allocator, list.touch);
        }
        mo_collider_clear(&allocator, &a);
        mo_collider_clear(&allocator, &b);
    }
}

/* ---- separation ------------------------------------------------------------------------------ */

/* The largest separation near a direction, which goes there: by trials that come nearer. */
static double climb(mo_random *random, const mo_collider *a, const mo_pose *at_a,
                    const mo_collider *b, const mo_pose *at_b, double n[3])
{
    double best = -INFINITY, along[3];
    for (double by = 1; by > 1e-9; by *= 0.8) {
        for (int k = 0; k < 60; ++k) {
            double m[1][3];
            for (int i = 0; i < 3; ++i)
                m[0][i] = n[i] + by * uniform(random, -1, 1);
            mo_vec3_scale(1 / mo_vec3_norm(m[0]), m[0], m[0]);
            const double gap =
                mo_collide_separation(a, at_a, b, at_b, (const double(*)[3])m, 1, along);
            if (gap > best) {
                best = gap;
                mo_vec3_copy(m[0], n);
            }
        }
    }
    return best;
}

/*
 * A cylinder or capsule that lies on the cap of a cylinder, tilted by a degree or so, touches where
 * it crosses the rim: no direction has a larger separation.  Poses of heaps in which a search for
 * the axis ended elsewhere, with a millimetre of overlap that was not there.
 */
static void a_rod_on_a_cap_touches_at_its_rim(void **state)
{
    (void)state;
    static const double from[3] = {0, 0, -0.1}, to[3] = {0, 0, 0.1};
    static const mo_pose poses[3][2] = {
        {{{0.20869939909179991, -0.084710075477866922, 0.21096585211638666},
          {-0.63370014493427396, -0.40075174788742851, -0.220127237062443, -0.62399211724084014}},
         {{0.058195095827374831, -0.081083624457246817, 0.12005194208545611},
          {0.79301830648813643, -0.38600967006127956, -0.0028047652098852948, 0.4712861482008438}}},
        {{{-0.30738294518060527, -0.41113303637348975, 0.16795459867175302},
          {0.35362023690043626, 0.84472099175968329, 0.34226419945962949, 0.21036727859454668}},
         {{-0.36646887677560291, -0.35069548301637771, 0.33038426152681605},
          {0.023773991753112299, -0.22356915115488266, 0.87222175934928237, 0.43437407206882261}}},
        {{{0.29048062158316701, 0.030687409706191326, 0.16999916245324223},
          {0.6626533449549572, -0.40233499382711596, 0.5814886636617087, -0.24675500237089695}},
         {{0.25821184361365956, -0.094625632394458453, 0.28968244989706504},
          {0.82006062176502348, 0.54997441018368554, 0.064194448921750955, 0.1445952886545866}}}};
    const mo_allocator allocator = mo_allocator_or_default(NULL);
    const mo_shape_def defs[2] = {mo_shape_cylinder(0.7 * 0.1, 0.1),
                                  mo_shape_capsule(from, to, 0.5 * 0.1)};
    mo_random random = {11};
    mo_collider c[2];
    for (int k = 0; k < 2; ++k)
        CHECK(mo_collider_init(defs + k, 0, &allocator, c + k, NULL) == MO_OK);
    for (int k = 0; k < 3; ++k) {
        const mo_collider *rod = c + (k == 2);
        const mo_pose *at = poses[k];
        mo_touch_list list = {.allocator = allocator};
        mo_collide_at(rod, at, c, at + 1, 0.01, &list);
        CHECK(list.count > 0);
        double n[3];
        for (int i = 0; i < list.count; ++i)
            if (list.touch[i].gap == least_gap(&list)) mo_vec3_copy(list.touch[i].normal, n);
        CHECK_BELOW(climb(&random, rod, at, c, at + 1, n), least_gap(&list) + 1e-6);
        mo_memory_free(&allocator, list.touch);
    }
    for (int k = 0; k < 2; ++k)
        mo_collider_clear(&allocator, c + k);
}

/* No separation is larger than the gap of the touches, and along the normal of the nearest touch it
 * is that gap. */
static void a_separation_is_at_most_the_gap(void **state)
{
    (void)state;
    const mo_allocator allocator = mo_allocator_or_default(NULL);
    mo_random random = {5};
    int seen = 0;
    for (int k = 0; k < 4000; ++k) {
        const mo_shape_def def_a = shape_of(k % KINDS, 0), def_b = shape_of(k / KINDS % KINDS, 0);
        mo_collider a, b;
        CHECK(mo_collider_init(&def_a, 0, &allocator, &a, NULL) == MO_OK);
        CHECK(mo_collider_init(&def_b, 0, &allocator, &b, NULL) == MO_OK);
        const double axis[3] = {uniform(&random, -1, 1), uniform(&random, -1, 1), 1};
        const mo_pose at_a = mo_pose_identity(),
                      at_b = mo_pose_turned(uniform(&random, -2, 2), uniform(&random, -2, 2),
                                            uniform(&random, -2, 2), axis, uniform(&random, -3, 3));
        mo_touch_list list = {.allocator = allocator};
        mo_collide_at(&a, &at_a, &b, &at_b, 0.2, &list);
        for (int i = 0; i < list.count; ++i) {
            double n[2][3] = {{uniform(&random, -1, 1), uniform(&random, -1, 1), 1}}, along[3];
            mo_vec3_scale(1 / mo_vec3_norm(n[0]), n[0], n[0]);
            mo_vec3_copy(list.touch[i].normal, n[1]);
            const double most =
                mo_collide_separation(&a, &at_a, &b, &at_b, (const double(*)[3])n, 2, along);
            CHECK_BELOW(most, list.touch[i].gap + 1e-9);
            if (list.touch[i].gap == least_gap(&list) && list.touch[i].gap > -0.05 &&
                isfinite(most)) {
                CHECK_NEAR(most, list.touch[i].gap, 1e-6);
                CHECK_NEAR(mo_vec3_norm(along), 1, 1e-9);
                ++seen;
            }
        }
        mo_memory_free(&allocator, list.touch);
        mo_collider_clear(&allocator, &a);
        mo_collider_clear(&allocator, &b);
    }
    CHECK(seen > 100);
}

/* Of cylinders and capsules that touch or overlap a little, no direction has a larger separation
 * than the nearest touch has a gap: points of two rims that others hide are none. */
static void rods_touch_along_their_best_axis(void **state)
{
    (void)state;
    enum { RODS = 4, PAIRS = 6000, DIRECTIONS = 100 };
    static const double from[3] = {0, 0, -0.5}, to[3] = {0, 0, 0.5};
    const mo_shape_def defs[RODS] = {mo_shape_cylinder(1, 0.2), mo_shape_cylinder(0.6, 0.8),
                                     mo_shape_cylinder(0.3, 1), mo_shape_capsule(from, to, 0.3)};
    const mo_allocator allocator = mo_allocator_or_default(NULL);
    mo_random random = {23};
    mo_collider c[RODS];
    double n[DIRECTIONS][3], along[3];
    int seen = 0;
    for (int k = 0; k < RODS; ++k)
        CHECK(mo_collider_init(defs + k, 0, &allocator, c + k, NULL) == MO_OK);
    for (int k = 0; k < DIRECTIONS; ++k) {
        mo_vec3_set(n[k], uniform(&random, -1, 1), uniform(&random, -1, 1),
                    uniform(&random, -1, 1));
        mo_vec3_scale(1 / mo_vec3_norm(n[k]), n[k], n[k]);
    }
    mo_touch_list list = {.allocator = allocator};
    for (int k = 0; k < PAIRS; ++k) {
        const mo_collider *a = c + k % RODS, *b = c + k / RODS % RODS;
        const double axis[3] = {uniform(&random, -1, 1), uniform(&random, -1, 1), 1};
        const mo_pose at_a = mo_pose_identity(),
                      at_b = mo_pose_turned(
                          uniform(&random, -1.5, 1.5), uniform(&random, -1.5, 1.5),
                          uniform(&random, -1.5, 1.5), axis, uniform(&random, -3, 3));
        list.count = 0;
        mo_collide_at(a, &at_a, b, &at_b, 0.2, &list);
        if (list.count > 0 && least_gap(&list) > -0.05) {
            CHECK_BELOW(
                mo_collide_separation(a, &at_a, b, &at_b, (const double(*)[3])n, DIRECTIONS, along),
                least_gap(&list) + 1e-9);
            ++seen;
        }
    }
    CHECK(seen > PAIRS / 20);
    mo_memory_free(&allocator, list.touch);
    for (int k = 0; k < RODS; ++k)
        mo_collider_clear(&allocator, c + k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(special_places_give_sound_touches),
        cmocka_unit_test(poses_without_numbers_do_no_harm),
        cmocka_unit_test(a_rod_on_a_cap_touches_at_its_rim),
        cmocka_unit_test(a_separation_is_at_most_the_gap),
        cmocka_unit_test(rods_touch_along_their_best_axis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
