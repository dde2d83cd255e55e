/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The list of small problems, and those that have no file of their own. */
#include "problems.h"

#include <math.h>
#include <string.h>

#include "rigid.h"
#include "scenes.h"

static mo_error finish(mo_builder *builder, mo_problem **problem, mo_message *why)
{
    const mo_error error = mo_builder_finish(builder, problem, why);
    mo_builder_destroy(builder);
    return error;
}

/* An empty builder, or NULL with a sentence. */
static mo_builder *begin(mo_problem **problem, mo_error *error, mo_message *why)
{
    mo_builder *builder = NULL;
    *problem = NULL;
    *error = mo_builder_create(NULL, &builder);
    if (*error) {
        scene_fail(why, *error, "%s", mo_error_text(*error));
        return NULL;
    }
    return builder;
}

/* ---- a rod on a rail ------------------------------------------------------------------------- */

mo_error problem_painleve_rod(double angle, double mu, double speed, double gravity,
                              mo_problem **problem, mo_message *why)
{
    const double M = 1, f = gravity * sin(angle), w[2] = {0, speed};
    const double J[2] = {sin(angle), cos(angle)};
    const mo_law law = mo_law_coulomb(mu);
    mo_error error;
    mo_builder *builder = begin(problem, &error, why);
    if (!builder) return error;
    mo_builder_add_body(builder, 1, &M, &f);
    mo_builder_add_constraint(builder, 2, &law, w);
    mo_builder_add_jacobian(builder, 0, 0, 2, 1, J);
    return finish(builder, problem, why);
}

static mo_error build_painleve_rod(const double *values, mo_problem **problem, mo_message *why)
{
    return problem_painleve_rod(values[0], values[1], values[2], values[3], problem, why);
}

/* ---- a ball between two planes --------------------------------------------------------------- */

/* Radius 0.5 m, 1 kg; the upper plane comes down with `speed`: no motion keeps both contacts from
 * penetrating. */
static mo_error build_crushed_ball(const double *values, mo_problem **problem, mo_message *why)
{
    const double radius = 0.5, inertia = 0.4 * radius * radius;
    const mo_law law = mo_law_coulomb(values[1]);
    const double f[RIGID] = {0, 0, -0.01 * SCENE_GRAVITY, 0, 0, 0};
    double M[RIGID * RIGID];
    mo_error error;
    mo_builder *builder = begin(problem, &error, why);
    if (!builder) return error;
    rigid_mass(1, (double[3]){inertia, inertia, inertia}, M);
    const int ball = mo_builder_add_body(builder, RIGID, M, f);
    for (int side = 0; side < 2; ++side) {
        const double up = side ? -1 : 1, arm[3] = {0, 0, -up * radius};
        const double frame[9] = {0, 0, up, 1, 0, 0, 0, up, 0};
        const double w[3] = {side ? -values[0] : 0, 0, 0};
        double J[3 * RIGID];
        rigid_jacobian(3, frame, arm, 1, J);
        const int contact = mo_builder_add_constraint(builder, 3, &law, w);
        mo_builder_add_jacobian(builder, contact, ball, 3, RIGID, J);
    }
    return finish(builder, problem, why);
}

/* ---- a plate on two supports ----------------------------------------------------------------- */

/*
 * In the plane: 1 kg, 2 m by 0.5 m, on circles at 0.75 m to the left and to the right of its
 * middle.  The left one is fixed, the right one moves with (along, up).  H has four columns and
 * three rows, so that forces are not unique; but both normals point up, and no forces of the cones
 * balance each other: pointed for every mu.
 */
static mo_error build_rectangle(const double *values, mo_problem **problem, mo_message *why)
{
    const double length = 2, height = 0.5, step = 0.01;
    const double inertia = (length * length + height * height) / 12;
    const double M[9] = {1, 0, 0, 0, 1, 0, 0, 0, inertia}, f[3] = {0, -step * SCENE_GRAVITY, 0};
    const mo_law law = mo_law_coulomb(values[0]);
    mo_error error;
    mo_builder *builder = begin(problem, &error, why);
    if (!builder) return error;
    mo_builder_add_body(builder, 3, M, f);
    for (int side = 0; side < 2; ++side) {
        const double x = side ? 0.75 : -0.75, y = -0.5 * height;
        const double w[2] = {side ? -values[2] : 0, side ? -values[1] : 0};
        const double J[6] = {0, 1, x, 1, 0, -y};
        mo_builder_add_constraint(builder, 2, &law, w);
        mo_builder_add_jacobian(builder, side, 0, 2, 3, J);
    }
    return finish(builder, problem, why);
}

/* ---- a pyramid on six corners ---------------------------------------------------------------- */

static mo_error build_pyramid(const double *values, mo_problem **problem, mo_message *why)
{
    scene_hexagonal_pyramid_def def = scene_hexagonal_pyramid_default();
    def.mu = values[0];
    def.facets = (int)values[1];
    if (def.facets == 1 || def.facets == 2) {
        return scene_fail(why, MO_ERR_ARGUMENT,
                          "facets must be 0, for the round cone, or 3 and more");
    }
    return scene_hexagonal_pyramid(&def, problem, why);
}

/* ---- a rod that slides on its tip ------------------------------------------------------------ */

/*
 * Uniform, 1 kg, half length l = 1 m, its tip below and to the left of its middle, at `angle` above
 * the table, sliding to the left (s = -1).  With I = l^2 / 3 and the sliding law,
 *
 *     a_N = A r_N + q,   A = 1 + 3 cos (cos - mu sin),   q = spin^2 sin - g
 *
 * step = 0: accelerations and forces.  A > 0 has one solution; A < 0 has none where q < 0 and two
 * where q > 0. step > 0: velocities and impulses of a step, with Coulomb's law: where no force
 * exists, an impulse stops the tip.
 */
static mo_error build_sliding_rod(const double *values, mo_problem **problem, mo_message *why)
{
    const double angle = values[0], mu = values[1], speed = values[2], spin = values[3];
    const double step = values[4], l = 1, s = sin(angle), c = cos(angle), left = -1;
    const double M[9] = {1, 0, 0, 0, 1, 0, 0, 0, l * l / 3};
    const double J[6] = {0, 1, -l * c, 1, 0, l * s};
    /* v0 moves the tip with (-speed, 0) */
    const double v0[3] = {-speed - spin * l * s, spin * l * c, spin};
    const double impulse[3] = {v0[0], v0[1] - step * SCENE_GRAVITY, v0[2] * l * l / 3};
    const double force[3] = {0, -SCENE_GRAVITY, 0};
    const double turning[2] = {spin * spin * l * s, spin * spin * l * c}, still[2] = {0, 0};
    const mo_law law = step > 0 ? mo_law_coulomb(mu) : mo_law_sliding(mu, &left);
    mo_error error;
    mo_builder *builder = begin(problem, &error, why);
    if (!builder) return error;
    mo_builder_add_body(builder, 3, M, step > 0 ? impulse : force);
    mo_builder_add_constraint(builder, 2, &law, step > 0 ? still : turning);
    mo_builder_add_jacobian(builder, 0, 0, 2, 3, J);
    return finish(builder, problem, why);
}

/* ---- the list -------------------------------------------------------------------------------- */

#define ABOUT(name, text, ...)                                                                     \
    {                                                                                              \
        name, text, 0, 0, NULL,                                                                    \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

static const problem_scene PROBLEMS[] = {
    {ABOUT("painleve-rod", "a rod dragged by its upper end over the ground",
           {"angle", 0.5, 0.01, 1.56, "angle of the rod from the vertical, rad", 0},
           {"mu", 1, 0, 100, "friction coefficient", 0},
           {"speed", 1, -100, 100, "speed of the upper end", 0},
           {"gravity", -1, -100, 100, "gravity; negative values point down", 0}),
     build_painleve_rod},
    {ABOUT("crushed-ball", "a ball between the ground and a descending plane",
           {"speed", 1, -100, 100, "speed of the plane, m/s", 0},
           {"mu", 0.5, 0, 100, "friction coefficient", 0}),
     build_crushed_ball},
    {ABOUT("rectangle", "a plate on two round supports, one of which moves",
           {"mu", 0.3, 0, 100, "friction coefficient", 0},
           {"along", 0.1, -100, 100, "speed of the right support to the right, m/s", 0},
           {"up", 0.1, -100, 100, "speed of the right support upwards, m/s", 0}),
     build_rectangle},
    {ABOUT("hexagonal-pyramid", "a pyramid that rests on six corners",
           {"mu", 0.1, 0, 100, "friction coefficient", 0},
           {"facets", 4, 0, 64, "facets of the friction cone; 0: circular cone", 1}),
     build_pyramid},
    {ABOUT("sliding-rod", "a rod that slides on a table on its tip",
           {"angle", 1.1, 0.01, 1.56, "angle of the rod above the table, rad", 0},
           {"mu", 1.6, 0, 100, "friction coefficient", 0},
           {"speed", 1, 0, 100, "speed of the tip, m/s", 0},
           {"spin", 0, -100, 100, "angular velocity of the rod, rad/s", 0},
           {"step", 0, 0, 1, "step size, s; 0: forces and accelerations", 0}),
     build_sliding_rod},
};

int problem_scene_count(void)
{
    return (int)(sizeof PROBLEMS / sizeof *PROBLEMS);
}

const problem_scene *problem_scene_at(int k)
{
    return k >= 0 && k < problem_scene_count() ? PROBLEMS + k : NULL;
}

const problem_scene *problem_scene_find(const char *name)
{
    for (int k = 0; k < problem_scene_count(); ++k)
        if (strcmp(PROBLEMS[k].about.name, name) == 0) return PROBLEMS + k;
    return NULL;
}
