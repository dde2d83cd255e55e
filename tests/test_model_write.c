/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Models as MJCF: what is written and read again is the same model. */
#define _XOPEN_SOURCE 700
#include "model_text.h"

#include <math.h>
#include <string.h>

static void near_all(const double *a, const double *b, int count, double tolerance)
{
    for (int k = 0; k < count; ++k)
        CHECK_NEAR(a[k], b[k], tolerance * fmax(1, fabs(a[k])));
}

static void same_pose(const mo_pose *a, const mo_pose *b)
{
    near_all(a->position, b->position, 3, 1e-14);
    near_all(a->orientation, b->orientation, 4, 1e-14);
}

static void same_bodies(const mo_model *a, const mo_model *b)
{
    assert_int_equal(a->body_count, b->body_count);
    for (int k = 1; k < a->body_count; ++k) {
        const mo_model_body *x = a->bodies + k, *y = b->bodies + k;
        assert_int_equal(x->parent, y->parent);
        assert_int_equal(x->is_mocap, y->is_mocap);
        same_pose(&x->pose, &y->pose);
        CHECK_NEAR(x->mass, y->mass, 1e-14 * x->mass);
        near_all(x->centre, y->centre, 3, 1e-13);
        near_all(x->inertia, y->inertia, 6, 1e-13);
    }
}

static void same_joints(const mo_model *a, const mo_model *b)
{
    assert_int_equal(a->joint_count, b->joint_count);
    for (int k = 0; k < a->joint_count; ++k) {
        const mo_model_joint *x = a->joints + k, *y = b->joints + k;
        CHECK(x->kind == y->kind && x->body == y->body && x->has_limits == y->has_limits);
        near_all(x->axis, y->axis, 3, 1e-14);
        near_all(x->anchor, y->anchor, 3, 1e-14);
        near_all(x->range, y->range, x->has_limits ? 2 : 0, 1e-14);
        const double p[] = {x->ref,     x->stiffness, x->spring_ref,
                            x->damping, x->armature,  x->dry_friction};
        const double q[] = {y->ref,     y->stiffness, y->spring_ref,
                            y->damping, y->armature,  y->dry_friction};
        near_all(p, q, 6, 1e-14);
    }
}

static void same_geoms(const mo_model *a, const mo_model *b)
{
    assert_int_equal(a->geom_count, b->geom_count);
    for (int k = 0; k < a->geom_count; ++k) {
        const mo_shape_def *x = &a->geoms[k].shape, *y = &b->geoms[k].shape;
        CHECK(x->kind == y->kind && a->geoms[k].body == b->geoms[k].body);
        CHECK(x->layer == y->layer && x->mask == y->mask);
        CHECK(x->point_count == y->point_count);
        same_pose(&x->pose, &y->pose);
        near_all(x->half, y->half, 3, 1e-14);
        near_all(x->ends[0], y->ends[0], 6, 1e-14);
        CHECK_NEAR(x->radius, y->radius, 1e-14);
        CHECK_NEAR(x->material.friction, y->material.friction, 1e-14);
        CHECK(x->material.dims == y->material.dims);
    }
}

static void same_drives(const mo_model *a, const mo_model *b)
{
    assert_int_equal(a->actuator_count, b->actuator_count);
    for (int k = 0; k < a->actuator_count; ++k) {
        const mo_model_actuator *x = a->actuators + k, *y = b->actuators + k;
        CHECK(x->joint == y->joint && x->tendon == y->tendon && (x->site < 0) == (y->site < 0));
        if (x->site >= 0) /* paths of tendons bring sites of their own */
            assert_string_equal(a->sites[x->site].name, b->sites[y->site].name);
        CHECK(x->has_control_range == y->has_control_range && x->dynamics == y->dynamics);
        near_all(x->gear, y->gear, 6, 1e-14);
        near_all(x->bias, y->bias, 3, 1e-14);
        CHECK_NEAR(x->gain, y->gain, 1e-14 * fabs(x->gain));
    }
    assert_int_equal(a->equality_count, b->equality_count);
    for (int k = 0; k < a->equality_count; ++k) {
        const mo_model_equality *x = a->equalities + k, *y = b->equalities + k;
        CHECK(x->kind == y->kind && x->a == y->a && x->b == y->b && x->has_pose == y->has_pose);
        near_all(x->anchor, y->anchor, 3, 1e-13);
        near_all(x->polynomial, y->polynomial, 5, 1e-14);
    }
    assert_int_equal(a->tendon_count, b->tendon_count);
    for (int k = 0; k < a->tendon_count; ++k) {
        const mo_model_tendon *x = a->tendons + k, *y = b->tendons + k;
        assert_int_equal(x->count, y->count);
        near_all(x->coefficients, y->coefficients, x->count, 1e-14);
        assert_int_equal(x->path_count, y->path_count);
        for (int i = 0; i < x->path_count; ++i) {
            const mo_tendon_point *p = x->path + i, *q = y->path + i;
            CHECK(p->kind == q->kind && p->link == q->link && p->has_side == q->has_side);
            near_all(p->pose.position, q->pose.position, 3, 1e-14);
            near_all(&p->radius, &q->radius, 1, 1e-14);
            near_all(p->side, q->side, 3, 1e-14);
            near_all(&p->divisor, &q->divisor, 1, 1e-14);
        }
    }
}

static void same_rest(const mo_model *a, const mo_model *b)
{
    assert_int_equal(a->key_count, b->key_count);
    for (int k = 0; k < a->key_count; ++k) {
        near_all(a->keys[k].q, b->keys[k].q, a->q_count, 1e-14);
        near_all(a->keys[k].control, b->keys[k].control, a->actuator_count, 1e-14);
    }
    assert_int_equal(a->exclusion_count, b->exclusion_count);
    assert_int_equal(a->pair_count, b->pair_count);
    CHECK_NEAR(a->step > 0 ? a->step : 0.002, b->step, 1e-17);
    near_all(a->gravity, b->gravity, 3, 1e-15);
}

static void write_and_check(mo_model *model)
{
    mo_model back;
    mo_message why = {{0}};
    mo_model_drop_visuals(model);
    const char *path = folder_put(&folder, "written.xml", "");
    if (mo_model_write(path, model, &why)) fail_msg("%s", why.text);
    read_file(path, &back);
    mo_model_drop_visuals(&back); /* obstacles of tendons */
    same_bodies(model, &back);
    same_joints(model, &back);
    same_geoms(model, &back);
    same_drives(model, &back);
    same_rest(model, &back);
    mo_model_clear(&back);
    mo_model_clear(model);
}

static void our_models_are_read_back_as_they_were(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"biped",   "quadruped", "arm",         "hand",
                                        "gripper", "linkage",   "slider_crank"};
    for (size_t k = 0; k < sizeof NAMES / sizeof NAMES[0]; ++k) {
        char path[500];
        mo_model model;
        snprintf(path, sizeof path, "%s/scenes/models/%s.xml", MOREAU_SOURCE_DIR, NAMES[k]);
        read_file(path, &model);
        write_and_check(&model);
    }
}

static void all_that_mjcf_can_express_is_written(void **state)
{
    (void)state;
    mo_model model;
    read_text(
        MJCF("<asset><mesh name='t' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset><worldbody>"
             "<geom name='floor' type='plane'/><site name='u' pos='0 0 3'/><geom name='wheel' "
             "type='cylinder' size='.1 1' pos='1 0 0' contype='0' conaffinity='0'/><body name='a "
             "&amp; b' pos='0 0 2'>"
             "<freejoint/><geom name='m' type='mesh' mesh='t' contype='0' conaffinity='0'/>"
             "<geom type='ellipsoid' size='.1 .2 .3'/><site name='s' pos='0 0 1'/>"
             "<body><joint name='j' type='slide' range='-1 1' limited='true' ref='.1'/>"
             "<joint type='hinge' name='k' axis='1 1 0'/><geom type='cylinder' size='.1 .2'/>"
             "</body></body><body mocap='true' name='goal'/></worldbody>"
             "<contact><pair geom1='floor' geom2='m' condim='4'/></contact>"
             "<tendon><fixed name='t' stiffness='3'><joint joint='j' coef='2'/>"
             "<joint joint='k' coef='-1'/></fixed><spatial damping='2'><site site='u'/><site "
             "site='s'/><pulley divisor='2'/><site site='u'/><geom geom='wheel' sidesite="
             "'u'/><site site='s'/></spatial></tendon><equality><tendon tendon1='t'"
             " polycoef='.1 0 0 0 0'/><weld body1='a &amp; b' body2='goal'/></equality>"
             "<actuator><motor tendon='t' gear='3'/><position joint='j' kp='5' ctrlrange="
             "'-1 1' ctrllimited='true'/><motor site='s' gear='0 0 1 0 0 0'/></actuator>"),
        &model);
    write_and_check(&model);
    read_text(
        MJCF("<worldbody><body name='a' gravcomp='.5'><joint name='j'/><joint name='k' axis="
             "'1 0 0'/><geom size='.1'/></body><body name='b' pos='1 0 0'><freejoint/>"
             "<geom size='.1'/></body></worldbody><equality><weld body1='a' body2='b' relpose="
             "'1 0 0 1 0 0 0'/><joint joint1='j' joint2='k' polycoef='0 1 0 0 0'/></equality>"
             "<actuator><muscle name='m' joint='j' lengthrange='.1 1' range='.7 1.1' "
             "force='20' timeconst='.02 .05'/></actuator>"),
        &model);
    write_and_check(&model);
}

/* Manufacturers leave out the inertia of a base that never moves; MuJoCo reads zeros only as the
 * diagonal. */
static void an_inertia_without_products_is_written_as_a_diagonal(void **state)
{
    (void)state;
    static const struct {
        const char *inertia, *written;
    } CASES[] = {{"diaginertia='0 0 0'", " diaginertia=\"0 0 0\""},
                 {"diaginertia='1 2 2'", " diaginertia=\"1 2 2\""},
                 {"fullinertia='1 1 1 .1 0 0'", " fullinertia="}};
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; ++k) {
        char text[400], written[2000] = "";
        mo_model model;
        snprintf(text, sizeof text,
                 MJCF("<worldbody><body><inertial pos='0 0 0' mass='1' %s/></body></worldbody>"),
                 CASES[k].inertia);
        read_text(text, &model);
        const char *path = folder_put(&folder, "inertia.xml", "");
        CHECK(mo_model_write(path, &model, NULL) == MO_OK);
        FILE *file = fopen(path, "r");
        CHECK(file && fread(written, 1, sizeof written - 1, file) > 0 && fclose(file) == 0);
        CHECK(strstr(written, CASES[k].written));
        write_and_check(&model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(our_models_are_read_back_as_they_were),
        cmocka_unit_test(all_that_mjcf_can_express_is_written),
        cmocka_unit_test(an_inertia_without_products_is_written_as_a_diagonal),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
