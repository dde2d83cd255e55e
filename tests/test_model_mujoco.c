/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Models beside MuJoCo's own compiler: our scenes, random trees, meshes, and files with many
 * features.  Built where MuJoCo is installed. */
#define _XOPEN_SOURCE 700
#include "model_compare.h"

static void mujoco_reads_our_scenes_alike(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"arm",     "biped",     "gripper",     "hand",
                                        "linkage", "quadruped", "slider_crank"};
    for (size_t k = 0; k < sizeof NAMES / sizeof NAMES[0]; ++k) {
        char path[600];
        snprintf(path, sizeof path, "%s/scenes/models/%s.xml", MOREAU_SOURCE_DIR, NAMES[k]);
        compare_file(path, 1e-10);
    }
}

/* One orientation in one of the five ways. */
static void put_frame(FILE *out, mo_random *random)
{
    double x[6];
    fill_uniform(random, -1, 1, 6, x);
    fprintf(out, " pos='%.17g %.17g %.17g'", x[3], x[1], x[4]);
    switch (mo_random_bits(random) % 6) {
    case 0:
        fprintf(out, " quat='%.17g %.17g %.17g %.17g'", x[0], x[1], x[2], x[3]);
        break;
    case 1:
        fprintf(out, " axisangle='%.17g %.17g %.17g %.17g'", x[0], x[1], x[2], 90 * x[3]);
        break;
    case 2:
        fprintf(out, " euler='%.17g %.17g %.17g'", 90 * x[0], 90 * x[1], 90 * x[2]);
        break;
    case 3:
        fprintf(out, " xyaxes='%.17g %.17g %.17g %.17g %.17g %.17g'", x[0], x[1], x[2], x[3], x[4],
                x[5]);
        break;
    case 4:
        fprintf(out, " zaxis='%.17g %.17g %.17g'", x[0], x[1], x[2]);
        break;
    default:
        break;
    }
}

static void put_geom(FILE *out, mo_random *random)
{
    static const char *const TYPES[] = {"sphere", "capsule", "ellipsoid", "cylinder", "box"};
    const int type = (int)(mo_random_bits(random) % 5);
    double size[3];
    fill_uniform(random, 0.05, 0.3, 3, size);
    fprintf(out, "<geom type='%s' size='%.17g %.17g %.17g'", TYPES[type], size[0], size[1],
            size[2]);
    if (mo_random_bits(random) % 3 == 0) fprintf(out, " mass='%.17g'", uniform(random, 0.1, 3));
    if (type > 0 && mo_random_bits(random) % 3 == 0) {
        double x[6];
        fill_uniform(random, -1, 1, 6, x);
        fprintf(out, " fromto='%.17g %.17g %.17g %.17g %.17g %.17g'/>", x[0], x[1], x[2], x[3],
                x[4], x[5]);
        return;
    }
    put_frame(out, random);
    fprintf(out, "/>");
}

static void put_joint(FILE *out, mo_random *random)
{
    static const char *const TYPES[] = {"hinge", "slide", "hinge"};
    double x[9];
    fill_uniform(random, -1, 1, 9, x);
    fprintf(out,
            "<joint type='%s' pos='%.17g %.17g %.17g' axis='%.17g %.17g %.17g' damping='%.17g' "
            "ref='%.17g' springref='%.17g' stiffness='%.17g' armature='%.17g'",
            TYPES[mo_random_bits(random) % 3], x[0], x[1], x[2], x[3], x[4], x[5], fabs(x[6]), x[7],
            x[8], fabs(x[0]), fabs(x[1]));
    if (mo_random_bits(random) % 2) {
        fprintf(out, " limited='true' range='%.17g %.17g' frictionloss='%.17g'", -fabs(x[2]),
                fabs(x[3]), fabs(x[4]));
    }
    fprintf(out, "/>");
}

/* A chain with branches of up to `left` bodies; returns how many are left. */
static int put_body(FILE *out, mo_random *random, int left, int is_root)
{
    fprintf(out, "<body");
    put_frame(out, random);
    fprintf(out, ">");
    if (is_root && mo_random_bits(random) % 2)
        fprintf(out, "<freejoint/>");
    else if (mo_random_bits(random) % 4 == 0)
        fprintf(out, "<joint type='ball' damping='0.5'/>");
    else
        for (int k = (int)(mo_random_bits(random) % 3); k >= 0; --k)
            put_joint(out, random);
    for (int k = (int)(mo_random_bits(random) % 3); k >= 0; --k)
        put_geom(out, random);
    if (mo_random_bits(random) % 3 == 0) {
        fprintf(out, "<inertial mass='%.17g' diaginertia='2 3 4'", uniform(random, 0.1, 3));
        put_frame(out, random);
        fprintf(out, "/>");
    }
    --left;
    while (left > 0 && mo_random_bits(random) % 3)
        left = put_body(out, random, left, 0);
    fprintf(out, "</body>");
    return left;
}

static void mujoco_reads_random_trees_alike(void **state)
{
    (void)state;
    static const char *const COMPILERS[] = {
        "", "<compiler eulerseq='zYx' boundmass='0.5'/>",
        "<compiler inertiafromgeom='true' settotalmass='7'/>",
        "<compiler inertiafromgeom='true' boundinertia='0.02'/>"};
    mo_random random = {20};
    for (int k = 0; k < 60; ++k) {
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        fprintf(out, "<mujoco>%s<worldbody>", COMPILERS[k % 4]);
        for (int left = 12; left > 0;)
            left = put_body(out, &random, left, 1);
        fprintf(out, "</worldbody></mujoco>");
        fclose(out);
        compare_file(folder_put(&folder, "random.xml", text), 1e-10);
        free(text);
    }
}

/* What random trees do not have: inertias given in odd ways, groups, actuators and their defaults,
 * keyframes. */
static void mujoco_reads_a_model_with_many_features_alike(void **state)
{
    (void)state;
    compare_file(
        folder_put(
            &folder, "many.xml",
            "<mujoco model='many'><compiler angle='radian' balanceinertia='true' "
            "inertiagrouprange='1 2' autolimits='true'/><option gravity='1 2 3' timestep='0.004'/>"
            "<default><geom group='1' contype='3' friction='.2'/><motor ctrlrange='-2 2' gear='7'/>"
            "<default class='strong'><position kp='55' forcerange='-9 9'/><joint armature='.3'/>"
            "<general biastype='affine' gainprm='4' biasprm='1 -2 -3'/></default></default>"
            "<worldbody><geom type='plane' size='1 1 1' pos='0 0 -3' zaxis='0 1 3'/>"
            "<body name='a' pos='1 0 0' childclass='strong'><joint name='a' axis='0 1 0' "
            "range='-.5 .7'/>"
            "<inertial pos='.1 0 0' mass='2' diaginertia='1 1 5'/><geom size='.2'/>"
            "<body name='b' quat='1 2 3 4'><joint name='b' type='ball' range='0 1.5' "
            "frictionloss='.1'/>"
            "<inertial pos='0 .2 0' mass='1' fullinertia='1 1.2 1.4 .1 .2 .3'/>"
            "<body name='c' euler='.1 .2 .3'><joint name='c' type='slide' axis='3 0 4' ref='.2' "
            "springref='.1' stiffness='8' class='main'/><geom size='.1' group='0'/><geom size='.3' "
            "group='2' "
            "condim='4' friction='.5 .01 .002' priority='2'/></body></body></body>"
            "<body name='d' pos='0 0 3'><freejoint name='d'/><geom type='ellipsoid' size='.1 .2 "
            ".3' "
            "mass='4'/></body></worldbody>"
            "<actuator><motor joint='a'/><motor joint='a' class='strong' gear='3'/><position "
            "joint='c' "
            "class='strong'/><velocity joint='c' kv='6' ctrlrange='-1 1'/><general joint='c' "
            "class='strong'/><general joint='b' gear='1 2 3' gainprm='2'/><position joint='a' "
            "kp='12' "
            "ctrllimited='false'/></actuator>"
            "<keyframe><key name='k' time='2' qpos='.1 1 0 0 0 .4 1 2 3 0 1 0 0' qvel='1 2 3 4 5 6 "
            "7 8 9 10 11' "
            "ctrl='1 2 3 1 5 6 7'/></keyframe></mujoco>"),
        1e-10);
}

/* MuJoCo keeps the points of meshes in single precision. */
static void meshes_have_the_mass_of_mujoco(void **state)
{
    (void)state;
    const double half[3] = {0.5, 0.25, 0.125}, shift[3] = {1, 2, 3};
    char stl[84 + 600], text[3000];
    folder_put_bytes(&folder, "box.stl", stl, write_stl(stl, half, shift));
    /* An L of two boxes, not convex. */
    folder_put(&folder, "angle.obj",
               "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\n"
               "v 0 0 1\nv 2 0 1\nv 2 1 1\nv 1 1 1\nv 1 2 1\nv 0 2 1\n"
               "f 1 4 3 2\nf 1 6 5 4\nf 7 8 9 10\nf 7 10 11 12\nf 1 2 8 7\nf 2 3 9 8\nf 3 4 10 9\n"
               "f 4 5 11 10\nf 5 6 12 11\nf 6 1 7 12\n");
    /* A box with a deep dent, whose bottom is beyond the centre. */
    folder_put(
        &folder, "star.obj",
        "v -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\nv -1 1 -1\nv -1 -1 1\nv 1 -1 1\nv 1 1 1\nv -1 1 1\n"
        "v .2 .1 -.7\nf 4 3 2 1\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n"
        "f 5 6 9\nf 6 7 9\nf 7 8 9\nf 8 5 9\n");
    for (int k = 0; k < 2; ++k) {
        snprintf(text, sizeof text,
                 "<mujoco><compiler exactmeshinertia='%s'/><asset>"
                 "<mesh file='box.stl' scale='1 -1 2' refpos='.1 .2 .3' refquat='1 2 3 4'/>"
                 "<mesh file='angle.obj'/><mesh file='star.obj'/></asset><worldbody>"
                 "<body><joint/><geom type='mesh' mesh='box' pos='1 2 3' euler='10 20 30'/></body>"
                 "<body><joint/><geom type='mesh' mesh='angle' pos='1 2 3' mass='3'/></body>"
                 "<body><joint/><geom type='mesh' mesh='angle' quat='1 2 3 4'/></body>"
                 "<body><joint/><geom type='mesh' mesh='star'/></body>"
                 "</worldbody></mujoco>",
                 k ? "true" : "false");
        compare_file(folder_put(&folder, "meshes.xml", text), 2e-6);
    }
}

/* Mass and inertia show the sizes, and the centre the pose; axes may differ in sign. */
static void primitives_are_fitted_to_meshes_as_in_mujoco(void **state)
{
    (void)state;
    static const char *const TYPES[] = {"sphere", "capsule", "ellipsoid", "cylinder", "box"};
    folder_put(&folder, "wedge.obj",
               "v 0 0 0\nv 3 0 0\nv 0 1 0\nv .2 .1 .7\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n");
    for (size_t k = 0; k < sizeof TYPES / sizeof TYPES[0]; ++k) {
        char text[800], error[1000] = "";
        mo_model model;
        snprintf(text, sizeof text,
                 "<mujoco><asset><mesh file='wedge.obj'/></asset><worldbody><body><joint/>"
                 "<geom type='%s' mesh='wedge' pos='1 2 3' euler='10 20 30' fitscale='1.3'/></body>"
                 "</worldbody></mujoco>",
                 TYPES[k]);
        const char *path = folder_put(&folder, "fitted.xml", text);
        mjModel *m = mj_loadXML(path, NULL, error, sizeof error);
        assert_non_null(m);
        read_file(path, &model);
        assert_int_equal(model.geom_count, 1);
        assert_int_equal(model.note_count, k == 2); /* an ellipsoid is a hull */
        assert_string_equal(mo_shape_name(model.geoms[0].shape.kind), k == 0   ? "ball"
                                                                      : k == 2 ? "hull"
                                                                               : TYPES[k]);
        compare_bodies(&model, m, 3e-6);
        mo_model_clear(&model);
        mj_deleteModel(m);
    }
}

/* Everything that may drive something, and defaults that change each other. */
static void mujoco_reads_tendons_and_drives_alike(void **state)
{
    (void)state;
    compare_file(
        folder_put(
            &folder, "drives.xml",
            "<mujoco><compiler angle='radian' autolimits='true'/><default><tendon damping='.2'/>"
            "<general dyntype='filter' dynprm='.3' gainprm='6' biastype='affine' biasprm='0 -6'/>"
            "<default class='odd'><tendon stiffness='3' range='-1 2'/><velocity kv='9'/>"
            "<general gaintype='affine' gainprm='1 2 3'/></default></default><worldbody>"
            "<body name='a'><joint name='a' type='slide' ref='.3'/><geom size='.1'/>"
            "<site name='s' pos='.1 .2 .3'/><body name='b'><joint name='b'/><geom size='.1' "
            "pos='0 .3 0'/></body></body></worldbody><tendon><fixed name='t'><joint joint='a' "
            "coef='2'/><joint joint='b' coef='-.5'/></fixed><fixed name='u' class='odd' "
            "springlength='.1' frictionloss='.4'><joint joint='b' coef='1.5'/></fixed></tendon>"
            "<actuator><general joint='a' class='odd'/><motor tendon='u' gear='3'/><velocity "
            "joint='b' "
            "class='odd'/><damper joint='a' kv='2' ctrlrange='0 1'/><motor site='s' gear='1 2 3 4 "
            "5 "
            "6'/><position tendon='t' kp='11' class='odd'/><general tendon='t'/><intvelocity "
            "joint='b' kp='4' actrange='-1 1'/><cylinder joint='a' timeconst='.5' area='.25' "
            "bias='1 2 3'/></actuator></mujoco>"),
        1e-10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mujoco_reads_our_scenes_alike),
        cmocka_unit_test(mujoco_reads_random_trees_alike),
        cmocka_unit_test(mujoco_reads_a_model_with_many_features_alike),
        cmocka_unit_test(meshes_have_the_mass_of_mujoco),
        cmocka_unit_test(primitives_are_fitted_to_meshes_as_in_mujoco),
        cmocka_unit_test(mujoco_reads_tendons_and_drives_alike),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
