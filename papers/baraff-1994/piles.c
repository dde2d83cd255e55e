/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The contact matrices of the experiments: walls, towers and beds of stones of any size. */
#include <math.h>
#include <stdlib.h>

#include "baraff.h"
#include "scenes.h"

const char *const br_pile_names[BR_PILE_COUNT] = {"wall", "shaken wall", "tower", "stones"};
const char *const br_friction_names[BR_FRICTION_COUNT] = {"none", "plane", "space"};

enum { STEP_SEED = 3 };
static const double SHAKE = 0.1; /* m/s */

/* A wall of C courses of L bricks has 2 L (2 C - 1) contacts in the plane and twice as many in
 * space: the pair nearest to what is asked for, with L between C and 2 C + 1. */
static void shape_wall(int contacts, int in_plane, scene_wall_def *def)
{
    int best = 2 * contacts + 100;
    for (int courses = 1; courses <= 64; ++courses) {
        for (int length = courses; length <= 2 * courses + 1; ++length) {
            const int miss = abs((in_plane ? 2 : 4) * length * (2 * courses - 1) - contacts);
            if (miss <= best) {
                best = miss;
                def->courses = courses;
                def->length = length;
            }
        }
    }
}

mo_error br_wall(int contacts, int is_shaken, br_friction friction, mo_problem **problem)
{
    scene_wall_def def = scene_wall_default();
    def.in_plane = friction == BR_PLANE;
    def.frictionless = friction == BR_NONE;
    def.shake = is_shaken ? SHAKE : 0;
    shape_wall(contacts, def.in_plane, &def);
    return scene_wall(&def, problem, NULL);
}

/* The same bodies, and of each contact its normal row alone, without friction. */
static mo_error normal_rows(const mo_problem *problem, mo_problem **normals)
{
    const mo_law law = mo_law_frictionless();
    mo_builder *builder = NULL;
    mo_error error = mo_builder_create(NULL, &builder);
    if (error) return error;
    for (int b = 0; b < mo_problem_body_count(problem); ++b) {
        const mo_body_view body = mo_problem_body(problem, b);
        mo_builder_add_body(builder, body.dim, body.M, body.f);
    }
    for (int i = 0; i < mo_problem_constraint_count(problem); ++i) {
        const mo_constraint_view view = mo_problem_constraint(problem, i);
        mo_builder_add_constraint(builder, 1, &law, view.w);
        for (int k = 0; k < view.block_count; ++k) {
            const mo_block_view block = mo_problem_block(problem, i, k);
            const int n = mo_problem_body(problem, block.index).dim;
            mo_builder_add_jacobian(builder, i, block.index, 1, n, block.values);
        }
    }
    error = mo_builder_finish(builder, normals, NULL);
    mo_builder_destroy(builder);
    return error;
}

static mo_error tower(int contacts, mo_problem **problem)
{
    scene_stack_def def = scene_stack_default();
    def.boxes = (contacts + 2) / 4;
    def.push = 0.1;
    return scene_box_stack(&def, problem, NULL);
}

mo_error br_frictionless(br_pile pile, int contacts, mo_problem **problem)
{
    mo_problem *whole = NULL;
    mo_error error = MO_OK;
    *problem = NULL;
    switch (pile) {
    case BR_WALL:
    case BR_SHAKEN:
        error = br_wall(contacts, pile == BR_SHAKEN, BR_NONE, &whole);
        break;
    case BR_STACK:
        error = tower(contacts, &whole);
        break;
    default:
        error = scene_packing(contacts, STEP_SEED, &whole, NULL);
        break;
    }
    mo_problem *normals = NULL;
    error = error ? error : normal_rows(whole, &normals);
    error = error ? error : mo_problem_reduce(normals, problem, NULL);
    mo_problem_destroy(normals);
    mo_problem_destroy(whole);
    return error;
}
