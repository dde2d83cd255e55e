/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* SDF: poses by frames that name each other, joints beside their links, models in models; the
 * motion of a pendulum in closed form; sentences and notes for what is not read. */
#define _XOPEN_SOURCE 700
#include "robot_world.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SDF(inside) "<?xml version='1.0'?><sdf version='1.9'>" inside "</sdf>"
#define HEAVY                                                                                      \
    "<inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>2</iyy><izz>2.5</izz></inertia></inertial>"

static void check_place(const robot_world *w, const char *name, double x, double y, double z)
{
    const double *at = body_of(w, name).pose.position;
    CHECK_NEAR(at[0], x, 1e-14);
    CHECK_NEAR(at[1], y, 1e-14);
    CHECK_NEAR(at[2], z, 1e-14);
}

/* Frames: a at (1, 0, 0) in the model, which is at (0, 0, 5) and turned by a quarter about z; b 1
 * along x from a; c on a frame at b. */
static void poses_follow_the_frames_they_name(void **state)
{
    (void)state;
    robot_world w;
    open_text(SDF("<model name='m'><pose degrees='true'>0 0 5 0 0 90</pose><static>true</static>"
                  "<link name='c'><pose relative_to='f'>0 0 1 0 0 0</pose></link><frame name='f' "
                  "attached_to='b'><pose>0 2 0 0 0 0</pose></frame><link name='a'><pose>1 0 0 0 0 "
                  "1.5707963267948966</pose></link><link name='b'><pose relative_to='a'>1 0 0 0 0 "
                  "0</pose></link></model>"),
              &w);
    check_place(&w, "a", 0, 1, 5);
    check_place(&w, "b", -1, 1, 5);  /* a looks along -x in the world */
    check_place(&w, "c", -1, -1, 6); /* and its y along -y */
    assert_int_equal(mo_world_mechanism_count(w.world), 0);
    close_world(&w);
}

/* Links 1 apart, each given in the one before. */
static void a_long_chain_of_frames_is_followed(void **state)
{
    (void)state;
    enum { LINKS = 100 };
    static char text[LINKS * 100];
    robot_world w;
    int used = snprintf(text, sizeof text,
                        "<sdf><model name='m'><static>true</static>"
                        "<link name='l0'/>");
    for (int k = 1; k < LINKS; ++k) {
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "<link name='l%d'><pose relative_to='l%d'>1 0 0 0 0 0</pose></link>", k,
                         k - 1);
    }
    snprintf(text + used, sizeof text - (size_t)used, "</model></sdf>");
    open_text(text, &w);
    check_place(&w, "l99", 99, 0, 0);
    close_world(&w);
}

/* A rod whose hinge is 0.5 above its centre, from rest at 0.1 rad: the period of the physical
 * pendulum of inertia I + m d^2. */
static void a_joint_has_a_place_of_its_own(void **state)
{
    (void)state;
    robot_world w;
    open_text(SDF("<world name='w'><gravity>0 0 -10</gravity><physics><max_step_size>0.0005"
                  "</max_step_size></physics><model name='m'><link name='rod'><pose>0 0 3 0 0 "
                  "0</pose>" HEAVY "</link><joint name='pin' type='revolute'><parent>world"
                  "</parent><child>rod</child><pose>0 0 .5 0 0 0</pose><axis><xyz "
                  "expressed_in='__model__'>1 0 0</xyz><limit><effort>7</effort></limit></axis>"
                  "</joint></model></world>"),
              &w);
    CHECK_NEAR(w.model.step, 0.0005, 0);
    CHECK_NEAR(w.model.gravity[2], -10, 0);
    assert_int_equal(w.model.joint_count, 1);
    CHECK(!w.model.joints[0].has_limits);
    CHECK_NEAR(w.model.actuators[0].force_range[1], 7, 0);
    double q = 0.1;
    CHECK(mo_robot_set(w.robot, w.world, &q, NULL, NULL) == MO_OK);
    const double rate = sqrt(2 * 10 * 0.5 / (1 + 2 * 0.25)), pi = acos(-1);
    run(&w, pi / rate * (1 + 0.1 * 0.1 / 16)); /* half a period, with its amplitude */
    mo_robot_get(w.robot, w.world, &q, NULL);
    CHECK_NEAR(q, -0.1, 1e-4);
    close_world(&w);
}

static void models_of_a_world_have_names_and_float(void **state)
{
    (void)state;
    robot_world w;
    open_text(
        SDF("<world name='w'><physics><max_step_size>.001</max_step_size></physics><model "
            "name='ground'><static>1</static><link name='l'><collision "
            "name='c'><geometry><plane><normal>0 0 1</normal><size>9 9</size></plane></geometry>"
            "<surface><friction><ode><mu>0.7</mu></ode></friction></surface></collision></link>"
            "</model><model name='box'><pose>0 0 .5 0 0 0</pose><link name='l'>" HEAVY
            "<collision name='c'><geometry><box><size>1 1 1</size></box></geometry></collision>"
            "<visual name='v'><geometry><sphere><radius>.1</radius></sphere></geometry><material>"
            "<diffuse>1 0 0 1</diffuse></material></visual></link><model name='in'><pose>0 0 1 0 0 "
            "0</pose><link name='top'>" HEAVY "</link></model><joint name='u' type='universal'>"
            "<parent>l</parent><child>in::top</child><axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 "
            "0</xyz></axis2></joint></model><model name='ball'><pose>5 0 2 0 0 0</pose><link "
            "name='l'><collision name='c'><geometry><sphere><radius>.2</radius></sphere>"
            "</geometry></collision></link></model></world>"),
        &w);
    check_place(&w, "box::in::top", 0, 0, 1.5);
    check_place(&w, "ball::l", 5, 0, 2);
    CHECK_NEAR(w.model.bodies[mo_model_find_body(&w.model, "ball::l")].mass, 1, 0);
    CHECK_NEAR(w.model.geoms[0].shape.material.friction, 0.7, 0);
    assert_int_equal(w.model.v_count, 6 + 2 + 6);
    run(&w, 0.02); /* the box rests, the ball falls */
    CHECK_NEAR(body_of(&w, "box::l").pose.position[2], 0.5, 1e-6);
    CHECK_NEAR(mo_world_contact(w.world, 0).mu, 0.7, 0); /* the smaller of the two */
    CHECK_NEAR(body_of(&w, "ball::l").velocity[2], -9.81 * 0.02, 1e-9);
    close_world(&w);
}

static void unread_elements_are_noted(void **state)
{
    (void)state;
    mo_model model;
    read_text(SDF("<model name='m'><plugin name='p'/><link name='a'>" HEAVY "<sensor name='s'/>"
                  "</link><link name='b'>" HEAVY "</link><link name='c'>" HEAVY "</link><joint "
                  "name='j' type='screw'><parent>a</parent><child>b</child></joint><joint name='k' "
                  "type='ball'><parent>b</parent><child>c</child></joint><joint name='l' "
                  "type='fixed'><parent>a</parent><child>c</child></joint></model>"),
              &model);
    static const char *const TEXTS[] = {"<plugin> of a model", "<sensor> of a link",
                                        "type=\"screw\"", "closes a loop"};
    for (size_t k = 0; k < sizeof TEXTS / sizeof TEXTS[0]; ++k) {
        int found = 0;
        for (int i = 0; i < model.note_count; ++i)
            found |= strstr(model.notes[i].text, TEXTS[k]) != NULL;
        if (!found) fail_msg("no note has '%s'", TEXTS[k]);
    }
    assert_int_equal(model.joint_count, 2); /* the base floats; a ball */
    mo_model_clear(&model);
}

static void bad_files_get_a_sentence(void **state)
{
    (void)state;
    static const struct {
        const char *text, *sentence;
    } CASES[] = {
        {SDF(""), "has no <model>"},
        {SDF("<model name='m'><link/></model>"), "has no name"},
        {SDF("<model name='m'><link name='a'><pose>1 2 3</pose></link></model>"), "pose"},
        {SDF("<model name='m'><link name='a'><pose relative_to='b'/></link></model>"), "'b'"},
        {SDF("<model name='m'><link name='a'><pose relative_to='f'/></link><frame name='f' "
             "attached_to='a'/></model>"),
         "in a cycle"},
        {SDF("<model name='m'><link name='a'/><joint name='j' type='fixed'><parent>a</parent>"
             "</joint></model>"),
         "<child>"},
        {SDF("<model name='m'><link name='a'/><joint name='j' type='fixed'><parent>a</parent>"
             "<child>b</child></joint></model>"),
         "'b'"},
        {SDF("<model name='m'><link name='a'><collision name='c'><geometry><box><size>1 1</size>"
             "</box></geometry></collision></link></model>"),
         "size"},
        {SDF("<model name='m'><model><link name='a'/></model></model>"), "no name"},
        {SDF("<model name='m'><link name='a'/><link name='b'/><joint name='j' type='universal'>"
             "<parent>a</parent><child>b</child></joint></model>"),
         "not parallel"},
        {SDF("<model name='m'><include><name>n</name></include></model>"), "has no <uri>"},
        {"<gazebo version='1.0'><model name='m'/></gazebo>", "before version 1.2"},
        {SDF("<world name='w'><physics><max_step_size>-1</max_step_size></physics><model "
             "name='m'/></world>"),
         "positive"},
    };
    for (size_t k = 0; k < sizeof CASES / sizeof CASES[0]; ++k) {
        mo_model model;
        mo_message why = {{0}};
        if (!mo_model_read(folder_put(&folder, "model.sdf", CASES[k].text), NULL, &model, &why))
            fail_msg("read: %s", CASES[k].text);
        if (!strstr(why.text, CASES[k].sentence))
            fail_msg("'%s' has no '%s'", why.text, CASES[k].sentence);
    }
}

static int has_note(const mo_model *model, const char *text)
{
    int k = 0;
    while (k < model->note_count && !strstr(model->notes[k].text, text))
        ++k;
    return k < model->note_count;
}

/* A mesh of an included model lies beside the file of that model; file:// is an absolute path. */
static void meshes_are_found_beside_their_model(void **state)
{
    (void)state;
    mo_model model;
    char part[TEMPORARY_ROOM + 8], text[2000];
    snprintf(part, sizeof part, "%s/part", folder.path);
    CHECK(mkdir(part, 0700) == 0);
    folder_put(&folder, "part/tetra.obj",
               "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 2\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
    folder_put(&folder, "part/model.sdf",
               SDF("<model name='p'><link name='a'>" HEAVY "<collision name='c'><geometry><mesh>"
                   "<uri>tetra.obj</uri></mesh></geometry></collision></link></model>"));
    snprintf(text, sizeof text,
             SDF("<model name='m'><include><uri>model://part</uri></include><link name='b'>" HEAVY
                 "<collision name='c'><geometry><mesh><uri>file://%s/tetra.obj</uri></mesh>"
                 "</geometry></collision></link></model>"),
             part);
    mo_message why = {{0}};
    const mo_error error =
        mo_model_read(folder_put(&folder, "model.sdf", text), NULL, &model, &why);
    if (error) fail_msg("%s", why.text);
    assert_int_equal(model.geom_count, 2);
    for (int k = 0; k < 2; ++k)
        CHECK(model.geoms[k].shape.kind == MO_SHAPE_HULL && model.geoms[k].shape.point_count == 4);
    mo_model_clear(&model);
    folder_remove(&folder);
    rmdir(part);
    rmdir(folder.path);
    folder_make(&folder);
}

/* model://leg is the folder `leg` beside the file; its model.config names the newest version. */
static void included_models_are_placed_and_named(void **state)
{
    (void)state;
    robot_world w;
    char leg[TEMPORARY_ROOM + 8], loop[TEMPORARY_ROOM + 8];
    snprintf(leg, sizeof leg, "%s/leg", folder.path);
    snprintf(loop, sizeof loop, "%s/loop", folder.path);
    CHECK(mkdir(leg, 0700) == 0 && mkdir(loop, 0700) == 0);
    folder_put(&folder, "leg/model.config",
               "<model><sdf version='1.4'>old.sdf</sdf><sdf version='1.6'>new.sdf</sdf></model>");
    folder_put(&folder, "leg/old.sdf", SDF("<model name='old'><link name='a'/></model>"));
    folder_put(&folder, "leg/new.sdf",
               SDF("<model name='leg'><pose>7 7 7 0 0 0</pose><link name='a'>" HEAVY
                   "</link><link name='b'><pose>1 0 0 0 0 0</pose>" HEAVY
                   "</link><joint name='j' type='revolute'><parent>a</parent><child>b</child>"
                   "<axis><xyz>0 0 1</xyz></axis></joint></model>"));
    open_file(folder_put(&folder, "world.sdf",
                         SDF("<world name='w'><include><uri>model://leg</uri><pose>0 0 3 0 0 0"
                             "</pose></include><include><uri>model://leg</uri><name>second</name>"
                             "<static>true</static></include><include><uri>model://nowhere</uri>"
                             "</include></world>")),
              &w);
    check_place(&w, "leg::b", 1, 0, 3);
    check_place(&w, "second::b", 8, 7, 7);
    assert_int_equal(w.model.v_count, 6 + 1 + 1);
    CHECK(has_note(&w.model, "model://FOLDER"));
    close_world(&w);
    /* in a model: its joints name the links of the included one */
    open_file(folder_put(&folder, "both.sdf",
                         SDF("<model name='m'><include><uri>model://leg</uri><pose>0 2 0 0 0 0"
                             "</pose></include><joint name='k' type='fixed'><parent>world</parent>"
                             "<child>leg::a</child></joint></model>")),
              &w);
    check_place(&w, "leg::b", 1, 2, 0);
    assert_int_equal(w.model.v_count, 1);
    close_world(&w);
    mo_message why = {{0}};
    mo_model model;
    folder_put(&folder, "loop/model.sdf",
               SDF("<model name='l'><include><uri>model://loop</uri></include></model>"));
    CHECK(mo_model_read(
              folder_put(&folder, "cycle.sdf", SDF("<include><uri>model://loop</uri></include>")),
              NULL, &model, &why) != MO_OK);
    CHECK(strstr(why.text, "levels deep"));
    folder_remove(&folder);
    rmdir(leg);
    rmdir(loop);
    rmdir(folder.path);
    folder_make(&folder);
}

/* Version 1.2 has another root, comments may contain "--", and joints to models that are not there
 * are left out. */
static void older_and_incomplete_files_are_read(void **state)
{
    (void)state;
    mo_model model;
    read_text("<gazebo version='1.2'><!-- a -- b --><model name='m'><link name='a'>" HEAVY
              "<visual name='v'/></link><include><uri>model://away</uri></include><joint name='j' "
              "type='fixed'><parent>a</parent><child>away::l</child></joint></model></gazebo>",
              &model);
    assert_int_equal(model.v_count, 6);
    CHECK(has_note(&model, "model://away") && has_note(&model, "that is not there"));
    CHECK(has_note(&model, "with a shape in it"));
    mo_model_clear(&model);
}

/* What Gazebo and Bullet write, or allow. */
static void habits_of_other_simulators_are_understood(void **state)
{
    (void)state;
    mo_model model;
    read_text(SDF("<world name='w'><model name='m'><link name='m::a'>" HEAVY
                  "<collision name='c'><geometry><sphere><radius>1</radius></sphere></geometry>"
                  "<surface><friction><ode><mu>-1</mu></ode></friction></surface></collision>"
                  "</link></model><model name='m'><link name='base'><inertial><mass>0</mass>"
                  "</inertial></link></model></world>"),
              &model);
    assert_int_equal(model.v_count, 6); /* a link without mass is fixed */
    CHECK(isinf(model.geoms[0].shape.material.friction));
    CHECK(has_note(&model, "fixed to the world") && has_note(&model, "name of another"));
    mo_model_clear(&model);
}

static void a_link_called_world_is_the_world(void **state)
{
    (void)state;
    robot_world w;
    open_text(
        SDF("<model name='m'><link name='world'/><link name='cart'><pose>0 0 1 0 0 0</pose>" HEAVY
            "</link><joint name='j' type='prismatic'><parent>world</parent>"
            "<child>cart</child><axis><xyz>1 0 0</xyz></axis></joint></model>"),
        &w);
    assert_int_equal(w.model.v_count, 1); /* it does not float */
    check_place(&w, "cart", 0, 0, 1);
    assert_int_equal(w.model.note_count, 1);
    CHECK(strstr(w.model.notes[0].text, "is the world itself"));
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poses_follow_the_frames_they_name),
        cmocka_unit_test(a_long_chain_of_frames_is_followed),
        cmocka_unit_test(a_joint_has_a_place_of_its_own),
        cmocka_unit_test(models_of_a_world_have_names_and_float),
        cmocka_unit_test(included_models_are_placed_and_named),
        cmocka_unit_test(meshes_are_found_beside_their_model),
        cmocka_unit_test(older_and_incomplete_files_are_read),
        cmocka_unit_test(habits_of_other_simulators_are_understood),
        cmocka_unit_test(a_link_called_world_is_the_world),
        cmocka_unit_test(unread_elements_are_noted),
        cmocka_unit_test(bad_files_get_a_sentence),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
