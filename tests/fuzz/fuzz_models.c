/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Models and meshes.  Seeds are small, since most changes of a long file show nothing new: one for
 * each group of elements, and the smaller ones of the models that come with the project.
 */
#define _XOPEN_SOURCE 700

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "fuzz_tools.h"
#include "io/mesh_file.h"

/* ---- models ---------------------------------------------------------------------------------- */

static void build_and_step(const mo_model *model, int steps)
{
    mo_world *world = NULL;
    mo_robot *robot = NULL;
    mo_message why = {{0}};
    mo_world_def def = mo_model_world(model);
    def.solver.max_iter = 20;
    def.solver.time_limit = 0.1;
    mo_error error = mo_world_create(&def, NULL, &world, &why);
    error = error ? error : mo_model_build(model, world, NULL, &robot, &why);
    error = error || !steps ? error : mo_world_step(world, 0.002, NULL, &why);
    demand_sentence(error, &why);
    if (world) demand_finite(world);
    mo_robot_destroy(robot);
    mo_world_destroy(world);
}

static void model_run(const char *name, const uint8_t *data, size_t size)
{
    enum { MOST_BODIES = 60 };
    mo_model model = {0};
    mo_message why = {{0}};
    const mo_error error = mo_model_read(file_of(name, data, size), NULL, &model, &why);
    demand_sentence(error, &why);
    if (!error && model.body_count < MOST_BODIES && is_chosen(data, size, 2))
        build_and_step(&model, is_chosen(data, size, 8));
    mo_model_clear(&model);
}

static const char *const MJCF[] = {
    "<mujoco><default><geom friction='1'/></default><worldbody><body pos='0 0 1'>"
    "<freejoint/><geom type='capsule' size='.1' fromto='0 0 0 1 0 0'/></body>"
    "</worldbody><keyframe><key qpos='0 0 1 1 0 0 0'/></keyframe></mujoco>",
    /* compiler, options, flags */
    "<mujoco model='m'><compiler angle='radian' eulerseq='xyz' autolimits='true' boundmass='.1'"
    " boundinertia='.01' balanceinertia='true' settotalmass='3' inertiafromgeom='auto'/>"
    "<option timestep='.005' gravity='0 0 -9' wind='1 0 0' density='1.2' viscosity='.1'>"
    "<flag gravity='enable' contact='enable' filterparent='disable'/></option><worldbody>"
    "<geom type='plane' size='1 1 1'/><body euler='.1 .2 .3'><joint type='ball' range='0 1'/>"
    "<inertial pos='0 0 0' mass='1' fullinertia='1 1 1 .1 0 0'/></body></worldbody></mujoco>",
    /* defaults by class, frames, shapes */
    "<mujoco><default><default class='a'><joint damping='.1' armature='.01'/><geom mass='1'/>"
    "<default class='b'><geom type='box' size='.1 .2 .3'/></default></default></default>"
    "<worldbody><frame pos='1 0 0' axisangle='0 0 1 .5'><body childclass='a' xyaxes='1 0 0 0 1 0'>"
    "<joint axis='0 1 0' range='-1 1' limited='true' stiffness='1' springref='.1' ref='.2'"
    " frictionloss='.1'/><geom class='b'/><geom type='ellipsoid' size='.1 .2 .3' zaxis='1 1 0'/>"
    "<geom type='cylinder' size='.1 .2' condim='6' friction='1 .1 .01' priority='1'/>"
    "</body></frame></worldbody></mujoco>",
    /* actuators */
    "<mujoco><worldbody><body><joint name='j' type='slide' axis='0 0 1'/><geom size='.1'/>"
    "<site name='s' pos='.1 0 0'/></body></worldbody><actuator>"
    "<motor joint='j' gear='2' ctrlrange='-1 1' ctrllimited='true' forcerange='-3 3'/>"
    "<position joint='j' kp='10' dampratio='1' inheritrange='1'/><velocity joint='j' kv='2'/>"
    "<intvelocity joint='j' kp='1' actrange='-1 1'/><damper joint='j' kv='1' ctrlrange='0 1'/>"
    "<cylinder joint='j' timeconst='.1' area='1' bias='0 1 2'/><muscle joint='j'/>"
    "<general joint='j' dyntype='filter' dynprm='.1' gaintype='affine' gainprm='1 2 3'"
    " biastype='affine' biasprm='1 2 3'/><motor site='s' gear='0 0 1 0 0 0'/>"
    "</actuator></mujoco>",
    /* equalities, pairs, tendons */
    "<mujoco><worldbody><body name='a'><joint name='j'/><geom name='g' size='.1'/>"
    "<site name='p'/><body name='b' pos='0 0 1'><joint name='k'/><geom name='h' size='.1'/>"
    "<site name='q' pos='0 0 .3'/></body></body></worldbody><equality>"
    "<connect body1='a' body2='b' anchor='0 0 .5'/><weld body1='b' relpose='0 0 1 1 0 0 0'/>"
    "<joint joint1='j' joint2='k' polycoef='0 1 0 0 0'/><tendon tendon1='t' polycoef='1'/>"
    "</equality><contact><pair geom1='g' geom2='h' condim='3' friction='1 1 1 1 1'/>"
    "<exclude body1='a' body2='b'/></contact><tendon><fixed name='t' range='0 1' stiffness='2'"
    " damping='1' springlength='.1 .2'><joint joint='j' coef='1'/><joint joint='k' coef='-2'/>"
    "</fixed><spatial name='u' limited='true' range='0 2'><site site='p'/>"
    "<geom geom='h' sidesite='q'/><pulley divisor='2'/><site site='p'/><site site='q'/></spatial>"
    "</tendon></mujoco>",
    /* meshes and height fields, of their own and of a file that is not there */
    "<mujoco><asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 2 1 0 1 3 0 3 2 1 2 3'"
    " scale='1 2 1' refpos='0 0 .1' inertia='exact'/><mesh name='n' file='in.stl'/>"
    "<hfield name='h' nrow='2' ncol='3' size='1 1 1 .1' elevation='0 1 2 3 4 5'/></asset>"
    "<worldbody><geom type='hfield' hfield='h'/><body><freejoint/><geom type='mesh' mesh='m'/>"
    "</body></worldbody></mujoco>",
    /* sensors, sites, mocap, keys */
    "<mujoco><worldbody><body name='a' mocap='true' pos='0 0 1'><geom size='.1'/></body>"
    "<body name='b' gravcomp='1'><joint name='j' type='hinge'/><geom name='g' size='.1'/>"
    "<site name='s' type='box' size='.1 .1 .1'/></body></worldbody><actuator><motor name='m'"
    " joint='j'/></actuator><sensor><accelerometer site='s' noise='.1' cutoff='1'/>"
    "<gyro site='s'/><touch site='s'/><force site='s'/><jointpos joint='j'/>"
    "<actuatorfrc actuator='m'/><framepos objtype='body' objname='b' reftype='site'"
    " refname='s'/><subtreecom body='b'/><rangefinder site='s'/></sensor>"
    "<keyframe><key name='k' time='1' qpos='.5' qvel='1' ctrl='2' mpos='0 0 1'"
    " mquat='1 0 0 0'/></keyframe></mujoco>",
    /* copies, and models in models */
    "<mujoco><asset><model name='o' file='in.xml'/></asset><worldbody>"
    "<replicate count='3' offset='.5 0 0' euler='0 0 10' sep='-'><body><freejoint/>"
    "<geom size='.1'/></body></replicate><attach model='o' body='b' prefix='x'/></worldbody>"
    "<include file='in.xml'/></mujoco>",
};

void mjcf_seeds(fuzz_take_fn *take, void *user)
{
    static const char *const NAMES[] = {"arm", "falling_boxes", "gripper", "linkage",
                                        "slider_crank"};
    char path[256];
    for (size_t k = 0; k < sizeof NAMES / sizeof *NAMES; ++k) {
        snprintf(path, sizeof path, MOREAU_SOURCE_DIR "/scenes/models/%s.xml", NAMES[k]);
        take_file(path, take, user);
    }
    for (size_t k = 0; k < sizeof MJCF / sizeof *MJCF; ++k)
        take_text(MJCF[k], take, user);
}

void mjcf_run(const uint8_t *data, size_t size)
{
    model_run("in.xml", data, size);
}

void urdf_seeds(fuzz_take_fn *take, void *user)
{
    take_text("<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1'"
              " izz='1' ixy='0' ixz='0' iyz='0'/></inertial><collision><geometry>"
              "<box size='1 1 1'/></geometry></collision></link><link name='b'><inertial>"
              "<origin xyz='0 0 1' rpy='0 1 0'/><mass value='2'/><inertia ixx='1' iyy='1' izz='1'"
              " ixy='0' ixz='0' iyz='0'/></inertial><collision><geometry>"
              "<cylinder radius='.2' length='1'/></geometry></collision></link>"
              "<joint name='j' type='revolute'><parent link='a'/><child link='b'/>"
              "<origin xyz='0 0 1'/><axis xyz='0 1 0'/><limit lower='-1' upper='1' effort='10'"
              " velocity='1'/><dynamics damping='1' friction='.1'/></joint></robot>",
              take, user);
    take_text("<robot name='s'><link name='a'/><link name='b'><inertial><mass value='1'/><inertia"
              " ixx='1' iyy='1' izz='1'/></inertial></link><link name='c'><inertial>"
              "<mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>"
              "<joint name='p' type='prismatic'><parent link='a'/><child link='b'/></joint>"
              "<joint name='q' type='continuous'><parent link='b'/><child link='c'/>"
              "<mimic joint='p' multiplier='2'/></joint></robot>",
              take, user);
    take_text("<robot name='t'><link name='a'><visual><geometry><mesh filename='in.stl'"
              " scale='1 2 3'/></geometry><material name='m'><color rgba='1 0 0 1'/></material>"
              "</visual><collision><geometry><mesh filename='package://p/in.stl'/></geometry>"
              "</collision></link><link name='b'><inertial><mass value='1'/><inertia ixx='1'"
              " iyy='1' izz='1'/></inertial><collision><origin rpy='0 0 1'/><geometry>"
              "<sphere radius='.1'/></geometry></collision></link><joint name='f' type='floating'>"
              "<parent link='a'/><child link='b'/></joint><joint name='p' type='planar'>"
              "<parent link='a'/><child link='b'/><safety_controller k_velocity='1'/>"
              "<calibration rising='0'/></joint><transmission name='t'><joint name='f'/>"
              "</transmission><gazebo reference='a'/></robot>",
              take, user);
}

void urdf_run(const uint8_t *data, size_t size)
{
    model_run("in.urdf", data, size);
}

/* ---- SDF ------------------------------------------------------------------------------------- */

void sdf_seeds(fuzz_take_fn *take, void *user)
{
    take_text("<sdf version='1.9'><model name='m'><pose degrees='true'>0 0 5 0 0 90</pose><static>"
              "true</static><link name='c'><pose relative_to='f'>0 0 1 0 0 0</pose></link><frame "
              "name='f' attached_to='b'><pose>0 2 0 0 0 0</pose></frame><link name='b'><pose "
              "rotation_format='quat_xyzw'>1 0 0 0 0 0 1</pose></link></model></sdf>",
              take, user);
    take_text("<sdf><world name='w'><gravity>0 0 -9</gravity><physics><max_step_size>.001"
              "</max_step_size></physics><model name='m'><link name='a'><inertial><pose>0 0 1 0 0 "
              "0</pose><mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia>"
              "</inertial><collision name='c'><geometry><box><size>1 1 1</size></box></geometry>"
              "<surface><friction><ode><mu>.7</mu></ode></friction></surface></collision></link>"
              "<link name='b'><visual name='v'><geometry><cylinder><radius>.1</radius><length>1"
              "</length></cylinder></geometry><material><diffuse>1 0 0 1</diffuse></material>"
              "</visual></link><joint name='j' type='revolute'><parent>a</parent><child>b</child>"
              "<pose>0 0 .5 0 0 0</pose><axis><xyz expressed_in='__model__'>1 0 0</xyz><limit>"
              "<lower>-1</lower><upper>1</upper><effort>7</effort></limit><dynamics><damping>1"
              "</damping></dynamics></axis></joint><model name='in'><link name='d'/></model><joint "
              "name='u' type='universal'><parent>b</parent><child>in::d</child><axis><xyz>1 0 0"
              "</xyz></axis><axis2><xyz>0 1 "
              "0</xyz></axis2></joint><include><uri>model://m</uri><name>n</name>"
              "<pose>0 0 1 0 0 0</pose></include></model></world></sdf>",
              take, user);
}

void sdf_run(const uint8_t *data, size_t size)
{
    model_run("in.sdf", data, size);
}

/* ---- meshes: the first byte says which kind of file ------------------------------------------ */

void mesh_seeds(fuzz_take_fn *take, void *user)
{
    uint8_t binary[1 + 84 + 50 * 2] = {0};
    const float triangle[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    binary[81] = 2;
    memcpy(binary + 85 + 12, triangle, sizeof triangle);
    memcpy(binary + 135 + 12, triangle, sizeof triangle);
    take(user, binary, sizeof binary);
    take_text("0solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n"
              "endloop\nendfacet\nendsolid s\n",
              take, user);
    take_text("1v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvn 0 0 1\nf 1 2 3\nf 1//1 3//1 4//1\n"
              "f -4 -3 -1\nf 1/1/1 2/2/1 3/3/1 4/4/1\n",
              take, user);
}

static void read_mesh(const char *path)
{
    mo_mesh_file mesh = {0};
    mo_message why = {{0}};
    const mo_allocator allocator = mo_allocator_or_default(NULL);
    size_t bytes = 0;
    const mo_error error =
        mo_mesh_file_read(path, "mesh", 1 << 20, &allocator, &mesh, &bytes, &why);
    demand_sentence(error, &why);
    for (int k = 0; !error && k < 3 * mesh.triangle_count; ++k) {
        demand(mesh.triangles[k] >= 0 && mesh.triangles[k] < mesh.point_count,
               "a triangle without its points");
    }
    for (int k = 0; !error && k < 3 * mesh.point_count; ++k)
        demand(isfinite(mesh.points[k]), "a point that is not finite");
    mo_mesh_file_clear(&allocator, &mesh);
}

void mesh_run(const uint8_t *data, size_t size)
{
    if (size > 0) read_mesh(file_of(data[0] & 1 ? "in.obj" : "in.stl", data + 1, size - 1));
}

/* ---- COLLADA --------------------------------------------------------------------------------- */

#define GEOMETRY(faces)                                                                            \
    "<library_geometries><geometry id='g'><mesh><source id='s'><float_array id='f' count='12'>"    \
    "0 0 0 1 0 0 0 1 0 0 0 1</float_array><technique_common><accessor source='#f' count='4' "      \
    "stride='3'/></technique_common></source><vertices id='v'><input semantic='POSITION' "         \
    "source='#s'/></vertices>" faces "</mesh></geometry></library_geometries>"
#define SCENE(inside)                                                                              \
    "<library_visual_scenes><visual_scene id='a'>" inside                                          \
    "</visual_scene></library_visual_scenes>"                                                      \
    "<scene><instance_visual_scene url='#a'/></scene>"

void collada_seeds(fuzz_take_fn *take, void *user)
{
    take_text("<COLLADA><asset><unit meter='.1'/><up_axis>Z_UP</up_axis></asset>" GEOMETRY(
                  "<triangles count='2'><input semantic='VERTEX' source='#v' offset='0'/><input "
                  "semantic='NORMAL' source='#n' offset='1'/><p>0 0 2 0 1 0 0 1 1 0 3 0</p>"
                  "</triangles>") "</COLLADA>",
              take, user);
    take_text("<COLLADA>" GEOMETRY(
                  "<polylist><input semantic='VERTEX' source='#v' offset='0'/><vcount>3 4</vcount>"
                  "<p>0 1 2 0 1 3 2</p></polylist><polygons><input semantic='VERTEX' source='#v'/>"
                  "<p>0 1 2</p></polygons>")
                  SCENE("<node id='n'><matrix>1 0 0 0 0 1 0 0 0 0 1 2 0 0 0 1</matrix><node>"
                        "<translate>1 2 3</translate><rotate>0 0 1 90</rotate><scale>1 2 3</scale>"
                        "<instance_geometry url='#g'/></node></node><node><instance_node "
                        "url='#n'/></node>") "</COLLADA>",
              take, user);
}

void collada_run(const uint8_t *data, size_t size)
{
    read_mesh(file_of("in.dae", data, size));
}

/* ---- height fields: the first byte says which kind of file ----------------------------------- */

/* A grey image of 3 times 2 pixels, and the same field in MuJoCo's own form. */
static const unsigned char IMAGE[] = {
    0x01, 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48,
    0x44, 0x52, 0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00, 0x02, 0x08, 0x00, 0x00, 0x00, 0x00,
    0xb8, 0x1f, 0x39, 0xc6, 0x00, 0x00, 0x00, 0x10, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63,
    0xe0, 0xe2, 0xba, 0xc4, 0xc0, 0x95, 0xc7, 0x05, 0x00, 0x05, 0xa8, 0x01, 0x69, 0x94, 0xbf,
    0x1d, 0x08, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};

void heights_seeds(fuzz_take_fn *take, void *user)
{
    const int32_t counts[2] = {2, 3};
    const float height[6] = {-1, 0, -1, -1, -1, 1};
    uint8_t own[1 + sizeof counts + sizeof height] = {0};
    memcpy(own + 1, counts, sizeof counts);
    memcpy(own + 1 + sizeof counts, height, sizeof height);
    take(user, own, sizeof own);
    take(user, IMAGE, sizeof IMAGE);
}

void heights_run(const uint8_t *data, size_t size)
{
    static const char TEXT[] =
        "<mujoco><asset><hfield name='f' size='3 2 4 .1' file='in.%s'/></asset><worldbody>"
        "<geom type='hfield' hfield='f'/></worldbody></mujoco>";
    char text[256];
    mo_model model = {0};
    mo_message why = {{0}};
    if (size == 0) return;
    const char *kind = data[0] & 1 ? "png" : "bin";
    file_of(data[0] & 1 ? "in.png" : "in.bin", data + 1, size - 1);
    const int length = snprintf(text, sizeof text, TEXT, kind);
    const char *path = file_of("in.xml", (const uint8_t *)text, (size_t)length);
    const mo_error error = mo_model_read(path, NULL, &model, &why);
    demand_sentence(error, &why);
    for (int k = 0; !error && k < 3 * model.geoms[0].shape.point_count; ++k)
        demand(isfinite(model.geoms[0].shape.points[k]), "a height that is not finite");
    mo_model_clear(&model);
}
