/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* A hexagonal pyramid on a table: [anitescu2004, section 3]. */
#include <math.h>

#include "rigid.h"
#include "scenes.h"

enum { CORNERS = 6 };

scene_hexagonal_pyramid_def scene_hexagonal_pyramid_default(void)
{
    return (scene_hexagonal_pyramid_def){
        .mass = 1, .side = 1, .height = 1, .mu = 0.1, .facets = 4, .step = 0.05};
}

/*
 * A homogeneous right pyramid of height H: its centre lies at H / 4.  With a regular hexagon of
 * side a below, whose second moment is 5 a^2 / 24 about a diameter for unit area, a slice at the
 * scale z adds in proportion to z^4.
 */
static void add_pyramid(mo_builder *builder, const scene_hexagonal_pyramid_def *def)
{
    const double a2 = def->side * def->side, h2 = def->height * def->height;
    const double about_diameter = def->mass * (3.0 / 5) * (5.0 / 24) * a2;
    const double upright = 2 * about_diameter;
    const double lying = about_diameter + def->mass * (3.0 / 80) * h2;
    const double inertia[3] = {lying, lying, upright};
    double M[RIGID * RIGID];
    const double f[RIGID] = {0, 0, -def->mass * SCENE_GRAVITY * def->step, 0, 0, 0};
    rigid_mass(def->mass, inertia, M);
    mo_builder_add_body(builder, RIGID, M, f);
}

static void add_corner(mo_builder *builder, const scene_hexagonal_pyramid_def *def, int j)
{
    static const double frame[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0}; /* n = z, w_1 = x, w_2 = y */
    const double turn = 2 * acos(-1.0) * j / CORNERS;
    const double arm[3] = {def->side * cos(turn), def->side * sin(turn), -0.25 * def->height};
    const mo_law law =
        def->facets > 0 ? mo_law_faceted(def->mu, def->facets) : mo_law_coulomb(def->mu);
    double J[3 * RIGID];
    const int contact = mo_builder_add_constraint(builder, 3, &law, NULL);
    rigid_jacobian(3, frame, arm, 1, J);
    mo_builder_add_jacobian(builder, contact, 0, 3, RIGID, J);
}

mo_error scene_hexagonal_pyramid(const scene_hexagonal_pyramid_def *def, mo_problem **problem,
                                 mo_message *why)
{
    *problem = NULL;
    if (!(def->mass > 0) || !(def->side > 0) || !(def->height > 0)) {
        return scene_fail(why, MO_ERR_ARGUMENT,
                          "a pyramid needs a mass, a side and a height above 0");
    }
    mo_builder *builder;
    mo_error error = mo_builder_create(NULL, &builder);
    if (error) return scene_fail(why, error, "%s", mo_error_text(error));
    add_pyramid(builder, def);
    for (int j = 0; j < CORNERS; ++j)
        add_corner(builder, def, j);
    error = mo_builder_finish(builder, problem, why);
    mo_builder_destroy(builder);
    return error;
}
