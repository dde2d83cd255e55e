/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Mass matrix, bias and Jacobians of random trees beside those of MuJoCo, which reads the same tree
 * as MJCF.  Built where it is installed. */
#include <stdlib.h>
#include <unistd.h>

#include <mujoco/mujoco.h>

#include "random_mechanism.h"
#include "temporary.h"

static void write_vector(FILE *file, const char *name, int count, const double *x)
{
    fprintf(file, " %s=\"", name);
    for (int k = 0; k < count; ++k)
        fprintf(file, "%.17g ", x[k]);
    fprintf(file, "\"");
}

static void write_joint(FILE *file, const mo_axis_def *joint, const char *type,
                        const double axis[3])
{
    fprintf(file, "<joint type=\"%s\" armature=\"%.17g\" ref=\"%.17g\"", type, joint->armature,
            joint->reference);
    write_vector(file, "pos", 3, joint->anchor);
    write_vector(file, "axis", 3, axis);
    fprintf(file, "/>\n");
}

static void write_planar(FILE *file, const mo_axis_def *joint)
{
    double normal[3], side[3], other[3];
    mo_vec3_scale(1 / mo_vec3_norm(joint->axis), joint->axis, normal);
    const double x[3] = {fabs(normal[0]) < 0.9, fabs(normal[0]) >= 0.9, 0};
    mo_vec3_along(x, -mo_vec3_dot(x, normal), normal, side);
    mo_vec3_cross(normal, side, other);
    write_joint(file, joint, "slide", side);
    write_joint(file, joint, "slide", other);
    write_joint(file, joint, "hinge", normal);
}

static void write_link(FILE *file, const random_mechanism *tree, int link)
{
    const mo_link_def *def = tree->link + link;
    fprintf(file, "<body");
    write_vector(file, "pos", 3, def->pose.position);
    write_vector(file, "quat", 4, def->pose.orientation);
    fprintf(file, "><inertial mass=\"%.17g\"", def->mass);
    write_vector(file, "pos", 3, def->centre);
    write_vector(file, "diaginertia", 3,
                 tree->principal[link]); /* it finds principal axes to 1e-9 only */
    write_vector(file, "quat", 4, tree->turn[link]);
    fprintf(file, "/>\n");
    for (int k = 0; k < tree->def.joint_count; ++k) {
        const mo_axis_def *joint = tree->joint + k;
        if (joint->link != link) continue;
        switch (joint->kind) {
        case MO_AXIS_PLANAR:
            write_planar(file, joint);
            break;
        case MO_AXIS_FREE:
            fprintf(file, "<freejoint/>\n");
            break;
        default:
            write_joint(file, joint,
                        joint->kind == MO_AXIS_BALL       ? "ball"
                        : joint->kind == MO_AXIS_REVOLUTE ? "hinge"
                                                          : "slide",
                        joint->axis);
        }
    }
    for (int k = link + 1; k < tree->def.link_count; ++k)
        if (tree->link[k].parent == link) write_link(file, tree, k);
    fprintf(file, "</body>\n");
}

static mjModel *load(const random_mechanism *tree)
{
    char path[TEMPORARY_ROOM], error[500] = "";
    const int descriptor = mkstemps(temporary_template(path, "mujoco-XXXXXX.xml"), 4);
    CHECK(descriptor >= 0);
    FILE *file = fdopen(descriptor, "w");
    fprintf(file, "<mujoco><compiler angle=\"radian\" inertiafromgeom=\"false\"/>"
                  "<option gravity=\"0 0 -9.81\"/><worldbody>\n");
    write_link(file, tree, 0);
    fprintf(file, "</worldbody></mujoco>\n");
    fclose(file);
    mjModel *model = mj_loadXML(path, NULL, error, sizeof error);
    remove(path);
    if (!model) fail_msg("%s", error);
    return model;
}

static void check_near(const char *what, int joints, int n, const double *ours,
                       const double *theirs)
{
    double size = 1;
    for (int k = 0; k < n; ++k)
        size = fmax(size, fabs(theirs[k]));
    for (int k = 0; k < n; ++k) {
        if (!(fabs(ours[k] - theirs[k]) <= 1e-10 * size)) {
            fail_msg("%s of %d joints: entry %d is %.17g, not %.17g (largest %g)", what, joints, k,
                     ours[k], theirs[k], size);
        }
    }
}

static void compare(mo_random *random, int joints)
{
    static random_mechanism tree;
    static double M[MOST_DOFS * MOST_DOFS], full[MOST_DOFS * MOST_DOFS], J[6 * MOST_DOFS],
        jac[6 * MOST_DOFS], bias[MOST_DOFS];
    make_random_mechanism(random, joints, &tree);
    const mo_world_def def = mo_default_world();
    mo_world *world;
    CHECK(mo_world_create(&def, NULL, &world, NULL) == MO_OK);
    const mo_mechanism_id id = mo_world_add_mechanism(world, &tree.def, NULL);
    CHECK(id.index);
    random_state(random, world, id);
    const mo_mechanism_info info = mo_mechanism_get(world, id);
    mjModel *model = load(&tree);
    mjData *data = mj_makeData(model);
    CHECK(model->nq == info.q_count && model->nv == info.v_count);
    const int n = info.v_count;
    memcpy(data->qpos, mo_mechanism_q(world, id), (size_t)info.q_count * sizeof(double));
    memcpy(data->qvel, mo_mechanism_v(world, id), (size_t)n * sizeof(double));
    mj_forward(model, data);
    mj_fullM(model, full, data->qM);
    mo_mechanism_mass_matrix(world, id, M, NULL);
    check_near("mass matrix", joints, n * n, M, full);
    mo_mechanism_bias(world, id, bias, NULL);
    check_near("bias", joints, n, bias, data->qfrc_bias);
    for (int link = 0; link < info.link_count; link += 5) {
        const mo_body_state body = mo_body_get(world, mo_mechanism_link(world, id, link));
        check_near("pose", joints, 3, body.pose.position, data->xpos + 3 * (link + 1));
        double at[3];
        fill_uniform(random, -1, 1, 3, at);
        mo_mechanism_jacobian(world, id, link, at, J, NULL);
        mj_jac(model, data, jac, jac + 3 * n, at, link + 1);
        check_near("Jacobian", joints, 6 * n, J, jac);
    }
    mj_deleteData(data);
    mj_deleteModel(model);
    mo_world_destroy(world);
}

static void mass_bias_and_jacobians_are_those_of_mujoco(void **state)
{
    (void)state;
    mo_random random = {1997};
    for (int round = 0; round < 60; ++round)
        compare(&random, 1 + round);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mass_bias_and_jacobians_are_those_of_mujoco),
    };
    return cmocka_run_group_tests_name("mechanism beside MuJoCo", tests, NULL, NULL);
}
