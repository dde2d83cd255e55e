/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* `moreau render`: pictures and films of a recording. */
#include "render.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "command.h"
#include "common.h"
#include "json.h"
#include "output.h"
#include "paths.h"
#include "progress.h"
#include "settings.h"
#include "text.h"

static const args_command COMMAND = {
    .name = "render",
    .operands = "RECORDING OUT",
    .summary = "pictures and films of a recording",
    .about =
        "OUT is a picture, FILE.png: of the end, or of --at; a folder, with a slash at its end, "
        "that"
        " receives a picture for each frame; or a film, FILE.mp4 or FILE.webm, which ffmpeg makes."
        "\n\nA recording is what moreau run --record writes. The whole of it is seen from one "
        "place,"
        " from which all that could move at its start is in view; planar scenes from the front.",
    .examples = "  moreau run arch --time 2 --record arch.hdf5\n"
                "  moreau render arch.hdf5 arch.png --forces\n"
                "  moreau render arch.hdf5 arch.png --at 0.5 --size 800x600 --azimuth 120\n"
                "  moreau render arch.hdf5 frames/ --fps 10\n"
                "  moreau render arch.hdf5 arch.mp4\n",
    .least = 2,
    .most = 2,
};

enum {
    FLAG_AT,
    FLAG_SIZE,
    FLAG_FPS,
    FLAG_FORCES,
    FLAG_AZIMUTH,
    FLAG_ELEVATION,
    FLAG_ZOOM,
    FLAG_JSON,
    FLAG_COUNT
};

static const args_flag FLAGS[FLAG_COUNT] = {
    [FLAG_AT] = {.name = "at", .operand = "T", .text = "the time of a picture, in s; or the end"},
    [FLAG_SIZE] = {.name = "size",
                   .operand = "WxH",
                   .initial = "1280x720",
                   .text = "pixels; even numbers, as films have them"},
    [FLAG_FPS] = {.name = "fps",
                  .operand = "N",
                  .initial = "30",
                  .text =
                      "frames of a film, or pictures of a folder, in a second of the recording"},
    [FLAG_FORCES] = {.name = "forces",
                     .text = "the forces of contacts as arrows: blue sticks, red slides"},
    [FLAG_AZIMUTH] = {.name = "azimuth",
                      .operand = "DEGREES",
                      .initial = "-52",
                      .text = "of the eye about the vertical, from the x axis"},
    [FLAG_ELEVATION] = {.name = "elevation",
                        .operand = "DEGREES",
                        .initial = "20",
                        .text = "of the eye above the ground"},
    [FLAG_ZOOM] = {.name = "zoom", .operand = "X", .initial = "1", .text = "closer, or farther"},
    [FLAG_JSON] = {.name = "json", .text = "one JSON object, and nothing else"},
};

/* What was asked for. */
typedef struct render_call {
    const char *recording, *out;
    render_def def;
    double at, fps; /* at < 0: the end */
    int json;
} render_call;

/* ---- the call ---------------------------------------------------------------------------------- */

static int read_size(const args_flag *flag, render_def *def)
{
    int width = 0, height = 0, used = 0;
    if (!flag->value) {
        return EXIT_DONE;
    }
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
    double azimuth = -52, elevation = 20;
    *call = (render_call){.recording = operands[0],
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
    call->def.azimuth = azimuth * degree;
    call->def.elevation = elevation * degree;
    call->def.forces = flags[FLAG_FORCES].value != NULL;
    return status;
}

static int ends_with(const char *text, const char *end)
{
    const size_t a = strlen(text), b = strlen(end);
    return a >= b && strcmp(text + a - b, end) == 0;
}

/* ---- frames ------------------------------------------------------------------------------------ */

/* The last frame at this time or before. */
static int frame_at(const mo_recording *recording, double time)
{
    int k = 0;
    while (k + 1 < recording->frame_count && recording->frames[k + 1].time <= time + 1e-9) {
        ++k;
    }
    return k;
}

static int say_memory(const char *file)
{
    say_of_file(file, "there is not enough memory for the picture");
    return EXIT_FAILED;
}

static int write_png(const renderer *r, const char *path)
{
    output o;
    if (!output_open(&o, path)) {
        say_of_file(path, "could not be written: %s", strerror(errno));
        return EXIT_FAILED;
    }
    if (!canvas_write_png(&r->small, o.file)) {
        say_of_file(path, "could not be written: %s", strerror(errno));
        output_cancel(&o);
        return EXIT_FAILED;
    }
    if (!output_place(&o)) {
        say_of_file(path, "could not be written: %s", strerror(errno));
        return EXIT_FAILED;
    }
    return EXIT_DONE;
}

static int write_picture(renderer *r, const render_call *call, int frame, const char *path)
{
    return render_frame(r, frame) ? write_png(r, path) : say_memory(call->recording);
}

/* How many pictures the recording makes, at so many in a second. */
static int count_pictures(const mo_recording *recording, double fps)
{
    const double first = recording->frames[0].time,
                 last = recording->frames[recording->frame_count - 1].time;
    return (int)fmin(1e6, floor((last - first) * fps + 1e-6)) + 1;
}

static int picture_frame(const mo_recording *recording, double fps, int k)
{
    return frame_at(recording, recording->frames[0].time + k / fps);
}

static void show_progress(int k, int count)
{
    if (isatty(STDERR_FILENO)) {
        fprintf(stderr, k < count ? "\r\033[Kpicture %d of %d" : "\r\033[K", k + 1, count);
    }
}

static int write_folder(renderer *r, const render_call *call, int count)
{
    int status = EXIT_DONE;
    if (!paper_make_folder(call->out)) {
        say_of_file(call->out, "the folder could not be made: %s", strerror(errno));
        return EXIT_FAILED;
    }
    for (int k = 0; k < count && !status && !interrupt_came(); ++k) {
        char name[32], path[OUTPUT_PATH];
        snprintf(name, sizeof name, "%05d.png", k);
        show_progress(k, count);
        if (!output_join(path, call->out, name)) {
            say_of_file(call->out, "%s", strerror(errno));
            return EXIT_FAILED;
        }
        status = write_picture(r, call, picture_frame(r->recording, call->fps, k), path);
    }
    show_progress(count, count);
    return status;
}

/* ---- films -------------------------------------------------------------------------------------- */

/* The name between quotes, for the shell. */
static int quote(char *to, size_t room, const char *name)
{
    size_t n = 0;
    to[n++] = '\'';
    for (; *name && n + 6 < room; ++name) {
        if (*name == '\'') {
            memcpy(to + n, "'\\''", 4);
            n += 4;
        } else {
            to[n++] = *name;
        }
    }
    to[n++] = '\'';
    to[n] = '\0';
    return *name == '\0';
}

static FILE *start_film(const render_call *call)
{
    char path[OUTPUT_PATH + 2], name[4 * OUTPUT_PATH], command[4 * OUTPUT_PATH + 512];
    snprintf(path, sizeof path, "%s%s", call->out[0] == '-' ? "./" : "", call->out);
    if (strlen(call->out) >= OUTPUT_PATH || !quote(name, sizeof name, path)) {
        return NULL;
    }
    snprintf(command, sizeof command,
             "ffmpeg -v error -y -f rawvideo -pix_fmt rgb24 -s %dx%d -r %g -i - -pix_fmt yuv420p "
             "-r %g %s",
             call->def.width, call->def.height, call->fps, call->fps, name);
    return popen(command, "w");
}

static int write_film(renderer *r, const render_call *call, int count)
{
    const size_t size = 3 * (size_t)call->def.width * (size_t)call->def.height;
    if (system("command -v ffmpeg >/dev/null 2>&1") != 0) {
        say_of_file(call->out, "a film is made by ffmpeg, which is not here; install it (Debian: "
                               "ffmpeg), or name a folder for pictures");
        return EXIT_FAILED;
    }
    signal(SIGPIPE, SIG_IGN); /* where ffmpeg gives up, it is a failed write */
    unsigned char *bytes = malloc(size);
    FILE *film = bytes ? start_film(call) : NULL;
    int good = film != NULL;
    for (int k = 0; k < count && good && !interrupt_came(); ++k) {
        show_progress(k, count);
        good = render_frame(r, picture_frame(r->recording, call->fps, k));
        canvas_bytes(&r->small, bytes);
        good = good && fwrite(bytes, 1, size, film) == size;
    }
    show_progress(count, count);
    good = film && pclose(film) == 0 && good;
    free(bytes);
    if (!good) {
        say_of_file(call->out, "the film was not made; what ffmpeg said is above");
    }
    return good ? EXIT_DONE : EXIT_FAILED;
}

/* ---- the command -------------------------------------------------------------------------------- */

static void report(const render_call *call, int pictures)
{
    if (call->json) {
        json j = json_begin(stdout);
        json_object(&j, NULL);
        json_text(&j, "out", call->out);
        json_whole(&j, "pictures", pictures);
        json_whole(&j, "width", call->def.width);
        json_whole(&j, "height", call->def.height);
        json_object_end(&j);
        json_end(&j);
        return;
    }
    text_put(stdout, call->out);
    printf(": %d %s of %d x %d\n", pictures, pictures == 1 ? "picture" : "pictures",
           call->def.width, call->def.height);
}

static int write_all(const mo_recording *recording, const render_call *call)
{
    renderer r;
    const int last = call->at >= 0 ? frame_at(recording, call->at) : recording->frame_count - 1;
    const int is_film = ends_with(call->out, ".mp4") || ends_with(call->out, ".webm");
    int status, count = 1;
    if (!render_open(&r, recording, &call->def)) {
        return say_memory(call->recording);
    }
    if (ends_with(call->out, ".png")) {
        status = write_picture(&r, call, last, call->out);
    } else {
        count = count_pictures(recording, call->fps);
        interrupt_watch();
        status = is_film ? write_film(&r, call, count) : write_folder(&r, call, count);
        if (!status && interrupt_came()) {
            say(COMMAND.name, "interrupted");
            status = EXIT_FAILED;
        }
    }
    if (!status) {
        report(call, count);
    }
    render_close(&r);
    return status;
}

static int render(const render_call *call)
{
    mo_recording recording = {0};
    mo_message why = {{0}};
    const mo_error error = mo_recording_read(call->recording, NULL, &recording, &why);
    int status = EXIT_FAILED;
    if (error) {
        say_of_file(call->recording, "%s", text_of_error(call->recording, error, &why));
    } else if (recording.frame_count == 0) {
        say_of_file(call->recording, "the recording has no frame");
    } else {
        status = write_all(&recording, call);
    }
    mo_recording_clear(&recording);
    return status;
}

int command_render(int argc, char **argv)
{
    args_flag flags[FLAG_COUNT];
    int operands = 0;
    memcpy(flags, FLAGS, sizeof flags);
    const args_answer answer = args_parse(&COMMAND, flags, FLAG_COUNT, argc, argv, &operands);
    if (answer != ARGS_RUN) {
        return answer == ARGS_HELP ? EXIT_DONE : EXIT_CALL;
    }
    render_call call;
    const int status = read_call(flags, argv, &call);
    if (!status && !ends_with(call.out, ".png") && !ends_with(call.out, ".mp4") &&
        !ends_with(call.out, ".webm") && !path_is_folder(call.out)) {
        say(COMMAND.name, "%.500s is no .png, .mp4 or .webm; a folder has a slash at its end",
            call.out);
        return EXIT_CALL;
    }
    return status ? status : render(&call);
}
