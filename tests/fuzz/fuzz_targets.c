/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * A reader of files is given the bytes as a file of a folder of its own.  It may refuse them with a
 * sentence; what it takes has to hold together: a model is built and stepped, a state is stepped,
 * a recording is walked through, a certificate is judged.
 */
#define _XOPEN_SOURCE 700

#include "fuzz_targets.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "fclib_samples.h"
#include "io/mesh_file.h"
#include "moreau/moreau.h"
#include "moreau/recording.h"
#ifdef FUZZ_TOOLS
#include "option_flags.h"
#endif
#ifdef FUZZ_COMMANDS
#include "command.h"
#endif

/* ---- files ----------------------------------------------------------------------------------- */

static void demand(int condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "fuzz: %s\n", what);
        abort();
    }
}

/* A path in a folder of this process, which is removed at its end. */
static char folder[64];

static void remove_folder(void)
{
    static const char *const NAMES[] = {"in.hdf5", "in.xml", "in.urdf",
                                        "in.stl",  "in.obj", "in.txt"};
    char path[96];
    for (size_t k = 0; k < sizeof NAMES / sizeof *NAMES; ++k) {
        snprintf(path, sizeof path, "%s/%s", folder, NAMES[k]);
        unlink(path);
    }
    rmdir(folder);
}

static const char *path_of(const char *name)
{
    static char path[96];
    if (!folder[0]) {
        snprintf(folder, sizeof folder, "%s/moreau-fuzz-XXXXXX",
                 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
        demand(mkdtemp(folder) != NULL, "no folder for the inputs");
        atexit(remove_folder);
    }
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static const char *file_of(const char *name, const uint8_t *data, size_t size)
{
    const char *path = path_of(name);
    FILE *file = fopen(path, "wb");
    demand(file && fwrite(data, 1, size, file) == size && fclose(file) == 0, "no room for a file");
    return path;
}

static void take_file(const char *path, fuzz_take_fn *take, void *user)
{
    FILE *file = fopen(path, "rb");
    demand(file != NULL, "a seed is missing");
    static uint8_t bytes[1 << 18];
    take(user, bytes, fread(bytes, 1, sizeof bytes, file));
    fclose(file);
}

static void take_text(const char *text, fuzz_take_fn *take, void *user)
{
    take(user, text, strlen(text));
}

static void demand_sentence(mo_error error, const mo_message *why)
{
    demand(!error || why->text[0], "an error without a sentence");
}

/* ---- worlds ---------------------------------------------------------------------------------- */

static void demand_finite(const mo_world *world)
{
    for (int k = 0; k < mo_world_body_count(world); ++k) {
        const mo_body_state s = mo_body_get(world, mo_world_body(world, k));
        const double sum = s.pose.position[0] + s.pose.position[1] + s.pose.position[2] +
                           s.velocity[0] + s.velocity[1] + s.velocity[2] + s.spin[0] + s.spin[1] +
                           s.spin[2] + s.pose.orientation[0];
        demand(isfinite(sum), "a state that is not finite");
    }
}

static mo_world *small_world(void)
{
    const mo_shape_def floor = mo_shape_plane(), ball = mo_shape_ball(0.5),
                       box = mo_shape_box(0.5, 0.4, 0.3);
    const mo_pose at = mo_pose_at(0, 0, 0.5), above = mo_pose_at(0.1, 0, 1.3);
    const mo_world_def def = mo_default_world();
    mo_world *world;
    demand(mo_world_create(&def, NULL, &world, NULL) == MO_OK, "no world");
    mo_world_add_solid(world, MO_BODY_FIXED, &floor, NULL, NULL);
    const mo_body_id a = mo_world_add_solid(world, MO_BODY_FREE, &ball, &at, NULL),
                     b = mo_world_add_solid(world, MO_BODY_FREE, &box, &above, NULL);
    mo_joint_def joint = mo_default_joint(MO_JOINT_REVOLUTE, a, b);
    joint.axis[1] = 1;
    mo_world_add_joint(world, &joint, NULL);
    return world;
}

/* ---- FCLIB ----------------------------------------------------------------------------------- */

static void fclib_seeds(fuzz_take_fn *take, void *user)
{
    for (int k = 0; k < SAMPLE_COUNT; ++k) {
        mo_document document = fclib_sample_make((fclib_sample)k);
        demand(mo_fclib_write(path_of("in.hdf5"), &document, NULL) == MO_OK, "no FCLIB file");
        take_file(path_of("in.hdf5"), take, user);
        mo_document_clear(&document);
    }
}

static void fclib_run(const uint8_t *data, size_t size)
{
    mo_document document = {0};
    mo_message why = {{0}};
    const mo_error error = mo_fclib_read(file_of("in.hdf5", data, size), NULL, &document, &why);
    demand_sentence(error, &why);
    if (!error && mo_problem_row_count(document.problem) < 200) {
        mo_options options = mo_default_options();
        mo_result result = {0};
        options.max_iter = 3;
        options.time_limit = 0.1;
        mo_solve(document.problem, &options, &result);
        mo_result_clear(&result);
    }
    mo_document_clear(&document);
}

/* ---- models ---------------------------------------------------------------------------------- */

static void model_run(const char *name, const uint8_t *data, size_t size)
{
    mo_model model = {0};
    mo_message why = {{0}};
    mo_world *world = NULL;
    mo_robot *robot = NULL;
    mo_error error = mo_model_read(file_of(name, data, size), NULL, &model, &why);
    demand_sentence(error, &why);
    if (!error && model.body_count < 60) {
        mo_world_def def = mo_model_world(&model);
        def.solver.max_iter = 20;
        def.solver.time_limit = 0.1;
        error = mo_world_create(&def, NULL, &world, &why);
        error = error ? error : mo_model_build(&model, world, NULL, &robot, &why);
        error = error ? error : mo_world_step(world, 0.002, NULL, &why);
        demand_sentence(error, &why);
    }
    if (world) {
        demand_finite(world);
    }
    mo_robot_destroy(robot);
    mo_world_destroy(world);
    mo_model_clear(&model);
}

static void mjcf_seeds(fuzz_take_fn *take, void *user)
{
    static const char *const NAMES[] = {"arm",     "biped",     "falling_boxes", "gripper",
                                        "linkage", "quadruped", "slider_crank",  "hand"};
    char path[256];
    for (size_t k = 0; k < sizeof NAMES / sizeof *NAMES; ++k) {
        snprintf(path, sizeof path, MOREAU_SOURCE_DIR "/scenes/models/%s.xml", NAMES[k]);
        take_file(path, take, user);
    }
    take_text("<mujoco><default><geom friction='1'/></default><worldbody><body pos='0 0 1'>"
              "<freejoint/><geom type='capsule' size='.1' fromto='0 0 0 1 0 0'/></body>"
              "</worldbody><keyframe><key qpos='0 0 1 1 0 0 0'/></keyframe></mujoco>",
              take, user);
}

static void mjcf_run(const uint8_t *data, size_t size)
{
    model_run("in.xml", data, size);
}

static void urdf_seeds(fuzz_take_fn *take, void *user)
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
}

static void urdf_run(const uint8_t *data, size_t size)
{
    model_run("in.urdf", data, size);
}

/* ---- meshes: the first byte says which kind of file ------------------------------------------ */

static void mesh_seeds(fuzz_take_fn *take, void *user)
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

static void mesh_run(const uint8_t *data, size_t size)
{
    mo_mesh_file mesh = {0};
    mo_message why = {{0}};
    const mo_allocator allocator = mo_allocator_or_default(NULL);
    size_t bytes = 0;
    if (size == 0) {
        return;
    }
    const char *path = file_of(data[0] & 1 ? "in.obj" : "in.stl", data + 1, size - 1);
    const mo_error error =
        mo_mesh_file_read(path, "mesh", 1 << 20, &allocator, &mesh, &bytes, &why);
    demand_sentence(error, &why);
    for (int k = 0; !error && k < 3 * mesh.triangle_count; ++k) {
        demand(mesh.triangles[k] >= 0 && mesh.triangles[k] < mesh.point_count,
               "a triangle without its points");
    }
    for (int k = 0; !error && k < 3 * mesh.point_count; ++k) {
        demand(isfinite(mesh.points[k]), "a point that is not finite");
    }
    mo_mesh_file_clear(&allocator, &mesh);
}

/* ---- recordings ------------------------------------------------------------------------------ */

static void recording_seeds(fuzz_take_fn *take, void *user)
{
    mo_world *world = small_world();
    mo_recording recording = {0};
    demand(mo_recording_begin(&recording, world, NULL, NULL) == MO_OK, "no recording");
    for (int k = 0; k < 3; ++k) {
        mo_step_report report;
        mo_world_step(world, 0.01, &report, NULL);
        mo_recording_add(&recording, world, 0.01, &report, NULL);
    }
    demand(mo_recording_write(path_of("in.hdf5"), &recording, NULL) == MO_OK, "no file");
    take_file(path_of("in.hdf5"), take, user);
    mo_recording_clear(&recording);
    mo_world_destroy(world);
}

static void recording_run(const uint8_t *data, size_t size)
{
    mo_recording recording;
    mo_message why = {{0}};
    const mo_error error =
        mo_recording_read(file_of("in.hdf5", data, size), NULL, &recording, &why);
    demand_sentence(error, &why);
    for (int k = 0; !error && k < recording.frame_count; ++k) {
        const mo_recorded_frame *frame = recording.frames + k;
        demand(frame->first_contact >= 0 && frame->contact_count >= 0 &&
                   frame->first_contact + frame->contact_count <= recording.contact_count,
               "a frame without its contacts");
    }
    mo_recording_clear(&recording);
}

/* ---- certificates ---------------------------------------------------------------------------- */

static const mo_problem *certified(void)
{
    static mo_document document;
    if (!document.problem) {
        document = fclib_sample_make(SAMPLE_GLOBAL_2D);
    }
    return document.problem;
}

static void certificate_seeds(fuzz_take_fn *take, void *user)
{
    mo_check_result check = {0};
    demand(mo_check(certified(), 200, &check) == MO_OK, "no check");
    demand(mo_check_write(path_of("in.txt"), certified(), &check, NULL) == MO_OK, "no certificate");
    take_file(path_of("in.txt"), take, user);
    mo_check_clear(&check);
}

static void certificate_run(const uint8_t *data, size_t size)
{
    mo_check_result check = {0};
    mo_message why = {{0}};
    const mo_error error = mo_check_read(file_of("in.txt", data, size), certified(), &check, &why);
    demand_sentence(error, &why);
    if (!error) {
        mo_judgement judgement;
        mo_check_judge(certified(), &check, &judgement);
    }
    mo_check_clear(&check);
}

/* ---- states ---------------------------------------------------------------------------------- */

static void state_seeds(fuzz_take_fn *take, void *user)
{
    mo_world *world = small_world();
    for (int k = 0; k < 3; ++k) {
        static uint8_t bytes[1 << 16];
        const size_t size = mo_world_save(world, bytes, sizeof bytes);
        demand(size <= sizeof bytes, "a state that is too large");
        take(user, bytes, size);
        mo_world_step(world, 0.01, NULL, NULL);
    }
    mo_world_destroy(world);
}

static void state_run(const uint8_t *data, size_t size)
{
    mo_world *world = small_world();
    mo_message why = {{0}};
    mo_error error = mo_world_load(world, data, size, &why);
    demand_sentence(error, &why);
    error = error ? error : mo_world_step(world, 0.01, NULL, &why);
    demand_sentence(error, &why);
    demand_finite(world);
    mo_world_destroy(world);
}

/* ---- options and command lines --------------------------------------------------------------- */

static void option_seeds(fuzz_take_fn *take, void *user)
{
    take_text("tol=1e-8\nmax_iter=100\nnsgs.omega=1.5\nprox.rule=foerg\nthreads=2", take, user);
}

/* NAME=VALUE on each line. */
static void option_run(const uint8_t *data, size_t size)
{
    mo_options options = mo_default_options();
    char *text = malloc(size + 1), *rest = NULL;
    demand(text != NULL, "no memory");
    memcpy(text, data, size);
    text[size] = '\0';
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *value = strchr(line, '=');
        mo_message why = {{0}};
        if (value) {
            *value++ = '\0';
        }
        demand_sentence(mo_options_set(&options, line, value ? value : "", &why), &why);
        demand(mo_options_check(&options, &why) == MO_OK, "an option out of its range");
    }
    free(text);
}

#ifdef FUZZ_TOOLS
static void args_seeds(fuzz_take_fn *take, void *user)
{
    take_text("box.hdf5\n--tol\n1e-8\n--max-iter=10\n--out\nx\n--\n--file", take, user);
    take_text("--json\na\n--nsgs-omega\n1.2\n--out=y", take, user);
}

/* An argument on each line. */
static void args_run(const uint8_t *data, size_t size)
{
    enum { MOST = 64 };
    static const args_command COMMAND = {
        .name = "fuzz", .operands = "FILE...", .summary = "", .least = 0, .most = -1};
    static const args_flag OWN[] = {{.name = "out", .operand = "FILE", .text = ""},
                                    {.name = "json", .text = ""}};
    mo_options options = mo_default_options();
    int count = 0, operands = 0, argc = 0;
    args_flag *flags = option_flags(OWN, 2, &options, &count);
    char *text = malloc(size + 1), *rest = NULL, *argv[MOST + 1] = {NULL};
    demand(flags && text, "no memory");
    memcpy(text, data, size);
    text[size] = '\0';
    for (char *word = strtok_r(text, "\n", &rest); word && argc < MOST;
         word = strtok_r(NULL, "\n", &rest)) {
        argv[argc++] = word;
    }
    if (args_parse(&COMMAND, flags, count, argc, argv, &operands) == ARGS_RUN) {
        option_flags_read("fuzz", flags + 2, count - 2, &options);
    }
    free(text);
    free(flags);
}
#endif

/* ---- the viewer's messages ------------------------------------------------------------------- */

#ifdef FUZZ_COMMANDS
static void command_seeds(fuzz_take_fn *take, void *user)
{
    take_text("{\"do\":\"scene\",\"name\":\"stack\",\"set\":{\"count\":3}}", take, user);
    take_text("{\"do\":\"drag\",\"body\":1,\"local\":[0,0,0.1],\"target\":[1e0,2,3]}", take, user);
    take_text("{\"do\":\"throw\",\"from\":[0,0,1],\"velocity\":[1,2,3],\"radius\":0.1}", take,
              user);
    take_text("{\"do\":\"set\",\"gravity\":[0,0,-9.81],\"friction\":0.5,\"method\":\"auto\"}", take,
              user);
}

static void command_run(const uint8_t *data, size_t size)
{
    command w;
    mo_message why = {{0}};
    const mo_error error = command_read((const char *)data, size, &w, &why);
    demand_sentence(error, &why);
    for (int k = 0; !error && k < COMMAND_FIELDS; ++k) {
        const double *x = w.field[k].at;
        demand(isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]), "a command that is not finite");
    }
}
#endif

/* ---- the list -------------------------------------------------------------------------------- */

static const fuzz_target TARGETS[] = {
    {"fclib", FUZZ_BINARY, fclib_seeds, fclib_run},
    {"mjcf", FUZZ_XML, mjcf_seeds, mjcf_run},
    {"urdf", FUZZ_XML, urdf_seeds, urdf_run},
    {"mesh", FUZZ_TEXT, mesh_seeds, mesh_run},
    {"recording", FUZZ_BINARY, recording_seeds, recording_run},
    {"certificate", FUZZ_TEXT, certificate_seeds, certificate_run},
    {"state", FUZZ_BINARY, state_seeds, state_run},
    {"options", FUZZ_TEXT, option_seeds, option_run},
#ifdef FUZZ_TOOLS
    {"arguments", FUZZ_TEXT, args_seeds, args_run},
#endif
#ifdef FUZZ_COMMANDS
    {"commands", FUZZ_TEXT, command_seeds, command_run},
#endif
};
enum { TARGET_COUNT = sizeof TARGETS / sizeof *TARGETS };

const fuzz_target *fuzz_target_at(int k)
{
    return k >= 0 && k < TARGET_COUNT ? TARGETS + k : NULL;
}

const fuzz_target *fuzz_target_find(const char *name)
{
    for (int k = 0; k < TARGET_COUNT; ++k) {
        if (strcmp(TARGETS[k].name, name) == 0) {
            return TARGETS + k;
        }
    }
    return NULL;
}
