/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * A reader of files is given the bytes as a file of a folder of its own.  It may refuse them with a
 * sentence; what it takes has to hold together: a model is built and stepped, a state is stepped,
 * a recording is walked through, a certificate is judged.
 */
#define _XOPEN_SOURCE 700

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fclib_samples.h"
#include "fuzz_edit.h"
#include "fuzz_tools.h"
#include "io/recording.h"
#include "moreau/recording.h"
#ifdef FUZZ_TOOLS
#include "option_flags.h"
#endif
#ifdef FUZZ_COMMANDS
#include "command.h"
#endif

/* ---- worlds ---------------------------------------------------------------------------------- */

static mo_world *small_world(void)
{
    const mo_shape_def floor = mo_shape_plane(), ball = mo_shape_ball(0.5),
                       box = mo_shape_box(0.5, 0.4, 0.3);
    const mo_pose at = mo_pose_at(0, 0, 0.5), above = mo_pose_at(0.1, 0, 1.3);
    mo_world_def def = mo_default_world();
    mo_world *world;
    def.solver.max_iter = 20;
    def.solver.time_limit = 0.1;
    demand(mo_world_create(&def, NULL, &world, NULL) == MO_OK, "no world");
    mo_world_add_solid(world, MO_BODY_FIXED, &floor, NULL, NULL);
    const mo_body_id a = mo_world_add_solid(world, MO_BODY_FREE, &ball, &at, NULL),
                     b = mo_world_add_solid(world, MO_BODY_FREE, &box, &above, NULL);
    mo_joint_def joint = mo_default_joint(MO_JOINT_REVOLUTE, a, b);
    joint.axis[1] = 1;
    mo_world_add_joint(world, &joint, NULL);
    return world;
}

/* ---- HDF5 files ------------------------------------------------------------------------------ */

/* The file in.hdf5 in another storage. */
static void take_form(fuzz_form form, fuzz_take_fn *take, void *user)
{
    char from[512];
    snprintf(from, sizeof from, "%s", path_of("in.hdf5"));
    demand(fuzz_rewrite(from, path_of("form.hdf5"), form), "no copy");
    take_file(path_of("form.hdf5"), take, user);
}

/* ---- FCLIB ----------------------------------------------------------------------------------- */

static void fclib_seeds(fuzz_take_fn *take, void *user)
{
    for (int k = 0; k < SAMPLE_COUNT; ++k) {
        mo_document document = fclib_sample_make((fclib_sample)k);
        demand(mo_fclib_write(path_of("in.hdf5"), &document, NULL) == MO_OK, "no FCLIB file");
        take_file(path_of("in.hdf5"), take, user);
        take_form((fuzz_form)(k % FUZZ_FORMS), take, user);
        mo_document_clear(&document);
    }
}

static void fclib_run(const uint8_t *data, size_t size)
{
    mo_document document = {0};
    mo_message why = {{0}};
    const mo_error error = mo_fclib_read(file_of("in.hdf5", data, size), NULL, &document, &why);
    demand_sentence(error, &why);
    if (!error && mo_problem_row_count(document.problem) < 200 && is_chosen(data, size, 4)) {
        mo_options options = mo_default_options();
        mo_result result = {0};
        options.max_iter = 3;
        options.time_limit = 0.1;
        mo_solve(document.problem, &options, &result);
        mo_result_clear(&result);
    }
    mo_document_clear(&document);
}

/* ---- recordings ------------------------------------------------------------------------------ */

/* The file in.hdf5, and itself again as the file that follows when a run is long. */
static void take_two_files(fuzz_take_fn *take, void *user)
{
    static uint8_t both[1 << 17] = {0};
    fuzz_bytes one;
    demand(fuzz_load(path_of("in.hdf5"), &one) && 2 * one.size + 16 < sizeof both, "no file");
    uint8_t *mark = both + one.size;
    memcpy(both, one.data, one.size);
    memcpy(mark, MO_RECORDING_MORE, MO_RECORDING_MARK);
    for (int k = 0; k < 8; ++k)
        mark[MO_RECORDING_MARK + k] = (uint8_t)((uint64_t)one.size >> 8 * k);
    memcpy(mark + 2 * MO_RECORDING_MARK, one.data, one.size);
    take(user, both, 2 * one.size + 2 * MO_RECORDING_MARK);
    free(one.data);
}

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
    for (int form = 0; form < FUZZ_FORMS; ++form)
        take_form((fuzz_form)form, take, user);
    take_two_files(take, user);
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
    if (!document.problem) document = fclib_sample_make(SAMPLE_GLOBAL_2D);
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

/* One world for all inputs: what is refused changes nothing, and what is not is loaded over. */
static void state_run(const uint8_t *data, size_t size)
{
    enum { MOST = 1 << 12 };
    static mo_world *world;
    static uint8_t first[MOST], now[MOST];
    static size_t first_size;
    mo_message why = {{0}};
    if (!world) {
        world = small_world();
        first_size = mo_world_save(world, first, MOST);
        demand(first_size <= MOST, "a state that is too large");
    }
    mo_error error = mo_world_load(world, data, size, &why);
    demand_sentence(error, &why);
    if (error) {
        demand(mo_world_save(world, now, MOST) == first_size && !memcmp(first, now, first_size),
               "a state that was refused changed the world");
        return;
    }
    demand_finite(world);
    if (is_chosen(data, size, 256)) { /* a step takes far longer than to load a state */
        demand_sentence(mo_world_step(world, 0.01, NULL, &why), &why);
        demand_finite(world);
    }
    error = mo_world_load(world, first, first_size, &why);
    demand(error == MO_OK, why.text);
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
        if (value) *value++ = '\0';
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
    take_text("a\n--help=man", take, user);
}

/* An argument on each line. */
static void args_run(const uint8_t *data, size_t size)
{
    enum { MOST = 64 };
    static const args_command COMMAND = {.name = "fuzz",
                                         .operands = "FILE...",
                                         .summary = "",
                                         .examples = "  moreau fuzz a\n",
                                         .least = 0,
                                         .most = -1};
    static const args_flag OWN[] = {{.name = "out", .operand = "FILE", .text = ""},
                                    {.name = "json", .text = ""}};
    mo_options options = mo_default_options();
    int operands = 0, argc = 0;
    static args_flag *made, *flags; /* as they are made, and as they are parsed into */
    static int count;
    if (!made) {
        made = option_flags(OWN, 2, &options, &count);
        flags = malloc((size_t)count * sizeof *flags);
    }
    char *text = malloc(size + 1), *rest = NULL, *argv[MOST + 1] = {NULL};
    demand(made && flags && text, "no memory");
    memcpy(flags, made, (size_t)count * sizeof *flags);
    memcpy(text, data, size);
    text[size] = '\0';
    for (char *word = strtok_r(text, "\n", &rest); word && argc < MOST;
         word = strtok_r(NULL, "\n", &rest))
        argv[argc++] = word;
    if (args_parse(&COMMAND, flags, count, argc, argv, &operands) == ARGS_RUN)
        option_flags_read("fuzz", flags + 2, count - 2, &options);
    free(text);
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
    {"fclib", FUZZ_HDF5, fclib_seeds, fclib_run},
    {"mjcf", FUZZ_XML, mjcf_seeds, mjcf_run},
    {"urdf", FUZZ_XML, urdf_seeds, urdf_run},
    {"sdf", FUZZ_XML, sdf_seeds, sdf_run},
    {"mesh", FUZZ_TEXT, mesh_seeds, mesh_run},
    {"collada", FUZZ_XML, collada_seeds, collada_run},
    {"heights", FUZZ_BINARY, heights_seeds, heights_run},
    {"recording", FUZZ_HDF5, recording_seeds, recording_run},
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
    for (int k = 0; k < TARGET_COUNT; ++k)
        if (strcmp(TARGETS[k].name, name) == 0) return TARGETS + k;
    return NULL;
}
