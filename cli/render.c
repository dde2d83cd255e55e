/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* `moreau render`: images, animations and videos of a recording, a scene or a robot. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "command.h"
#include "json.h"
#include "nearest.h"
#include "progress.h"
#include "render_out.h"
#include "render_source.h"
#include "settings.h"
#include "text.h"
#include "world_call.h"

static const args_command COMMAND = {
    .name = "render",
    .operands = "RECORDING|SCENE|ROBOT OUT",
    .summary = "make images, animations and videos of a recording, a scene or a robot",
    .about =
        "OUT is one of the following: FILE.png, an image of the last frame or of the frame at"
        " --at; FILE.webp or FILE.gif, an animated image, or a still image with --at; FOLDER/, an"
        " image for each frame; FILE.mp4 or FILE.webm, a video, which requires ffmpeg."
        "\n\nmoreau run --record writes recordings; a scene or a robot is simulated first. The"
        " camera is static and shows all moving bodies, unless --turn or --follow is given. Planar"
        " scenes are shown from the front. With --forces and more than 300 contacts, forces are"
        " drawn as force chains.",
    .examples = "  moreau render arch arch.png --time 1 --forces\n"
                "  moreau render cascade cascade.gif --size 640x400 --fps 20\n"
                "  moreau run arch --time 2 --record arch.hdf5\n"
                "  moreau render arch.hdf5 arch.png --at 0.5 --size 800x600 --azimuth 120\n"
                "  moreau render arch.hdf5 frames/ --fps 10\n"
                "  moreau render arch.hdf5 arch.webp --turn 30 --axes\n"
                "  moreau render robot.xml robot.mp4 --key stand --follow all\n",
    .least = 2,
    .most = 2,
};

enum {
    FLAG_SET,
    FLAG_TIME,
    FLAG_MODEL,
    FLAG_MODEL_LAST = FLAG_MODEL + MODEL_FLAGS - 1,
    FLAG_AT,
    FLAG_SIZE,
    FLAG_FPS,
    FLAG_FORCES,
    FLAG_AZIMUTH,
    FLAG_ELEVATION,
    FLAG_ZOOM,
    FLAG_TURN,
    FLAG_FOLLOW,
    FLAG_AXES,
    FLAG_DARK,
    FLAG_JSON,
    FLAG_COUNT
};

static const args_flag FLAGS[FLAG_COUNT] = {
    [FLAG_SET] = WORLD_ROW_SET,
    [FLAG_TIME] = {.name = "time",
                   .operand = "T",
                   .text = "simulated time of a scene or a robot, in s; default: the scene's"},
    MODEL_FLAG_ROWS(FLAG_MODEL),
    [FLAG_AT] = {.name = "at", .operand = "T", .text = "time of an image, in s; default: the end"},
    [FLAG_SIZE] = {.name = "size",
                   .operand = "WxH",
                   .initial = "1280x720",
                   .text = "image size in pixels; even numbers"},
    [FLAG_FPS] = {.name = "fps",
                  .operand = "N",
                  .initial = "30",
                  .text = "frames per second of the recording"},
    [FLAG_FORCES] = {.name = "forces",
                     .text = "draw contact forces as arrows: blue for sticking, red for sliding"},
    [FLAG_AZIMUTH] = {.name = "azimuth",
                      .operand = "DEGREES",
                      .initial = "-52",
                      .text = "camera angle about the vertical, from the x axis"},
    [FLAG_ELEVATION] = {.name = "elevation",
                        .operand = "DEGREES",
                        .initial = "20",
                        .text = "camera angle above the ground"},
    [FLAG_ZOOM] = {.name = "zoom", .operand = "X", .initial = "1", .text = "zoom factor"},
    [FLAG_TURN] = {.name = "turn",
                   .operand = "DEGREES",
                   .text = "rotate the camera about the vertical, in degrees per second"},
    [FLAG_FOLLOW] = {.name = "follow",
                     .operand = "BODY",
                     .text = "follow a body, by its name or number from 0; all: follow all moving"
                             " bodies"},
    [FLAG_AXES] = {.name = "axes", .text = "draw the axes, a scale bar and the time"},
    [FLAG_DARK] = {.name = "dark", .text = "use the dark mode of the viewer"},
    [FLAG_JSON] = {.name = "json", .text = "print one JSON object"},
};

/* ---- the call -------------------------------------------------------------------------------- */

static int read_size(const args_flag *flag, render_def *def)
{
    int width = 0, height = 0, used = 0;
    if (!flag->value) return EXIT_DONE;
    if (sscanf(flag->value, "%5dx%5d%n", &width, &height, &used) != 2 || flag->value[used] ||
        width < 16 || height < 16 || width > 8192 || height > 8192 || width % 2 || height % 2) {
        say(COMMAND.name, "--size %.100s is not WIDTHxHEIGHT, two even numbers from 16 to 8192",
            flag->value);
        return EXIT_CALL;
    }
    def->width = width;
    def->height = height;
    return EXIT_DONE;
}

static int read_call(const args_flag *flags, char **operands, render_call *call)
{
    const double degree = acos(-1) / 180;
    double azimuth = -52, elevation = 20, turn = 0;
    *call = (render_call){.input = operands[0],
                          .out = operands[1],
                          .def = render_default(),
                          .at = -1,
                          .fps = 30,
                          .json = flags[FLAG_JSON].value != NULL};
    int status = read_size(&flags[FLAG_SIZE], &call->def);
    status =
        status ? status : settings_bounded(COMMAND.name, &flags[FLAG_AT], 0, 1e12, 0, &call->at);
    status = status ? status
                    : settings_bounded(COMMAND.name, &flags[FLAG_FPS], 0.001, 1000, 0, &call->fps);
    status = status ? status
                    : settings_bounded(COMMAND.name, &flags[FLAG_AZIMUTH], -360, 360, 0, &azimuth);
    status = status
                 ? status
                 : settings_bounded(COMMAND.name, &flags[FLAG_ELEVATION], -89, 89, 0, &elevation);
    status = status
                 ? status
                 : settings_bounded(COMMAND.name, &flags[FLAG_ZOOM], 0.01, 100, 0, &call->def.zoom);
    status =
        status ? status : settings_bounded(COMMAND.name, &flags[FLAG_TURN], -3600, 3600, 0, &turn);
    call->def.azimuth = azimuth * degree;
    call->def.turn = turn * degree;
    call->follow = flags[FLAG_FOLLOW].value;
    call->def.axes = flags[FLAG_AXES].value != NULL;
    call->def.elevation = elevation * degree;
    call->def.forces = flags[FLAG_FORCES].value != NULL;
    call->def.dark = flags[FLAG_DARK].value != NULL;
    return status;
}

/* ---- the command ----------------------------------------------------------------------------- */

static void report(const render_call *call, int images)
{
    if (call->json) {
        json j = json_begin(stdout);
        json_object(&j, NULL);
        json_text(&j, "out", call->out);
        json_whole(&j, "images", images);
        json_whole(&j, "frames", call->kept ? call->kept : images);
        json_whole(&j, "width", call->def.width);
        json_whole(&j, "height", call->def.height);
        json_object_end(&j);
        json_end(&j);
        return;
    }
    text_put(stdout, call->out);
    printf(": %d %s of %d x %d", images, images == 1 ? "image" : "images", call->def.width,
           call->def.height);
    if (call->kept && call->kept < images) printf(", %d of them different", call->kept);
    fputc('\n', stdout);
}

/* The body that the camera follows. */
static int find_followed(const mo_recording *recording, render_call *call)
{
    nearest meant = {.typed = call->follow};
    char *end;
    call->def.follow = call->follow != NULL;
    if (!call->follow || strcmp(call->follow, "all") == 0) return EXIT_DONE;
    for (int k = 0; k < recording->body_count; ++k) {
        const char *name = recording->bodies[k].name;
        if (strcmp(name, call->follow) == 0) {
            call->def.followed = k;
            return EXIT_DONE;
        }
        nearest_try(&meant, name);
    }
    const long number = strtol(call->follow, &end, 10);
    if (*call->follow && !*end && number >= 0 && number < recording->body_count) {
        call->def.followed = (int)number;
        return EXIT_DONE;
    }
    say(COMMAND.name, "--follow: there is no body '%.100s'%s%.100s%s", call->follow,
        meant.name ? "; did you mean " : "", meant.name ? meant.name : "", meant.name ? "?" : "");
    return EXIT_CALL;
}

/* Draws the recording. */
static int draw(const mo_recording *recording, render_call *call)
{
    int images = 0;
    int status = find_followed(recording, call);
    status = status ? status : render_out(recording, call, &images);
    if (!status && interrupt_came()) {
        say(COMMAND.name, "interrupted");
        status = EXIT_FAILED;
    }
    if (!status) report(call, images);
    return status;
}

static int read_recording(const char *path, mo_recording *recording)
{
    mo_message why = {{0}};
    const mo_error error = mo_recording_read(path, NULL, recording, &why);
    if (error)
        say_of_file(path, "%s", text_of_error(path, error, &why));
    else if (recording->frame_count == 0)
        say_of_file(path, "the recording has no frame");
    return error || recording->frame_count == 0 ? EXIT_FAILED : EXIT_DONE;
}

/* A recording, or a scene or a robot that is simulated first. */
static int render(render_call *call, const args_flag *flags, const args_values *sets)
{
    mo_recording recording = {0};
    int status;
    interrupt_watch();
    call->is_simulated = render_source_is_world(call->input);
    if (call->is_simulated) {
        status = render_source_run(COMMAND.name, call->input, sets, flags + FLAG_MODEL,
                                   &flags[FLAG_TIME], call->fps, &recording);
    } else if (sets->count || flags[FLAG_TIME].value) {
        say(COMMAND.name, "--set and --time are for scenes and models; a recording has neither");
        status = EXIT_CALL;
    } else {
        status = model_flags_refuse(COMMAND.name, flags + FLAG_MODEL);
        status = status ? status : read_recording(call->input, &recording);
    }
    status = status ? status : draw(&recording, call);
    mo_recording_clear(&recording);
    return status;
}

int command_render(int argc, char **argv)
{
    args_flag flags[FLAG_COUNT];
    args_values sets = {.count = 0}, targets = {.count = 0};
    int operands = 0;
    memcpy(flags, FLAGS, sizeof flags);
    flags[FLAG_SET].all = &sets;
    flags[FLAG_MODEL + MODEL_TARGET].all = &targets;
    const args_answer answer = args_parse(&COMMAND, flags, FLAG_COUNT, argc, argv, &operands);
    if (answer != ARGS_RUN) return answer == ARGS_HELP ? EXIT_DONE : EXIT_CALL;
    render_call call;
    const int status = read_call(flags, argv, &call);
    if (!status && !render_out_is_known(call.out)) {
        say(COMMAND.name,
            "unsupported output '%.500s': use .png, .webp, .gif, .mp4, .webm, or a folder ending "
            "in /",
            call.out);
        return EXIT_CALL;
    }
    return status ? status : render(&call, flags, &sets);
}
