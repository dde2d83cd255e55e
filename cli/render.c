/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* `moreau render`: images, animations and videos of a recording. */
#include "render.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "animation.h"
#include "args.h"
#include "command.h"
#include "json.h"
#include "output.h"
#include "paths.h"
#include "progress.h"
#include "settings.h"
#include "sheet.h"
#include "text.h"

static const args_command COMMAND = {
    .name = "render",
    .operands = "RECORDING OUT",
    .summary = "images, animations and videos of a recording",
    .about =
        "OUT is an image, FILE.png, of the last frame or of the frame at --at; an animated image,"
        " FILE.webp; a folder, ending in a slash, that receives an image for each frame; or a"
        " video, FILE.mp4 or FILE.webm, made by ffmpeg."
        "\n\nA recording is what moreau run --record writes. The camera stands still and has in"
        " view all that could move at the start; planar scenes are seen from the front.",
    .examples = "  moreau run arch --time 2 --record arch.hdf5\n"
                "  moreau render arch.hdf5 arch.png --forces\n"
                "  moreau render arch.hdf5 arch.png --at 0.5 --size 800x600 --azimuth 120\n"
                "  moreau render arch.hdf5 frames/ --fps 10\n"
                "  moreau render arch.hdf5 arch.webp --size 640x360 --fps 20\n"
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
    FLAG_DARK,
    FLAG_JSON,
    FLAG_COUNT
};

static const args_flag FLAGS[FLAG_COUNT] = {
    [FLAG_AT] = {.name = "at", .operand = "T", .text = "the time of a picture, in s; or the end"},
    [FLAG_SIZE] = {.name = "size",
                   .operand = "WxH",
                   .initial = "1280x720",
                   .text = "pixels; even numbers, as videos have them"},
    [FLAG_FPS] = {.name = "fps",
                  .operand = "N",
                  .initial = "30",
                  .text = "frames for each second of the recording"},
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
    [FLAG_DARK] = {.name = "dark", .text = "dark colours, as on the viewer's dark page"},
    [FLAG_JSON] = {.name = "json", .text = "one JSON object, and nothing else"},
};

/* What was asked for. */
typedef struct render_call {
    const char *recording, *out;
    render_def def;
    double at, fps; /* at < 0: the end */
    int json;
} render_call;

/* ---- the call -------------------------------------------------------------------------------- */

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
    call->def.dark = flags[FLAG_DARK].value != NULL;
    return status;
}

static int ends_with(const char *text, const char *end)
{
    const size_t a = strlen(text), b = strlen(end);
    return a >= b && strcmp(text + a - b, end) == 0;
}

/* ---- frames ---------------------------------------------------------------------------------- */

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

/* How many pictures the recording makes, at so many in a second. */
static int count_pictures(const mo_recording *recording, double fps)
{
    const double first = recording->frames[0].time,
                 last = recording->frames[recording->frame_count - 1].time;
    return (int)fmin(1e6, floor((last - first) * fps + 1e-6)) + 1;
}

static int picture_frame(const mo_recording *recording, const render_call *call, int k)
{
    return frame_at(recording, recording->frames[0].time + k / call->fps);
}

static void show_progress(int k, int count)
{
    if (isatty(STDERR_FILENO)) {
        fprintf(stderr, k < count ? "\r\033[Kpicture %d of %d" : "\r\033[K", k + 1, count);
    }
}

/* ---- many frames ----------------------------------------------------------------------------- */

/* Takes the image of frame k, in the order of the frames; an exit status. */
typedef int take_fn(void *user, const renderer *r, int k);

enum { MOST_AT_ONCE = 4 }; /* renderers, of about 100 MB each at 1280 x 720 */

static int open_renderers(renderer *pool, int count, const mo_recording *recording,
                          const render_def *def)
{
    int opened = 0;
    while (opened < count && render_open(&pool[opened], recording, def)) {
        ++opened;
    }
    return opened;
}

/* Draws the frames, several at once on as many threads, and hands them over one by one. */
static int draw_all(const mo_recording *recording, const render_call *call, int count,
                    take_fn *take, void *user)
{
    renderer pool[MOST_AT_ONCE];
    int good[MOST_AT_ONCE], status = EXIT_DONE;
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const int wanted = processors < 1              ? 1
                       : processors > MOST_AT_ONCE ? MOST_AT_ONCE
                                                   : (int)processors;
    const int opened = open_renderers(pool, wanted < count ? wanted : count, recording, &call->def);
    if (opened == 0) {
        return say_memory(call->recording);
    }
    for (int first = 0; first < count && !status && !interrupt_came(); first += opened) {
        const int now = count - first < opened ? count - first : opened;
        show_progress(first, count);
#pragma omp parallel for schedule(static, 1) num_threads(now)
        for (int i = 0; i < now; ++i) {
            good[i] = render_frame(&pool[i], picture_frame(recording, call, first + i));
        }
        for (int i = 0; i < now && !status; ++i) {
            status = good[i] ? take(user, &pool[i], first + i) : say_memory(call->recording);
        }
    }
    show_progress(count, count);
    for (int i = 0; i < opened; ++i) {
        render_close(&pool[i]);
    }
    return status;
}

/* ---- a folder of images ---------------------------------------------------------------------- */

static int take_file(void *user, const renderer *r, int k)
{
    const render_call *call = user;
    char name[32], path[OUTPUT_PATH];
    snprintf(name, sizeof name, "%05d.png", k);
    if (!output_join(path, call->out, name)) {
        say_of_file(call->out, "%s", strerror(errno));
        return EXIT_FAILED;
    }
    return write_png(r, path);
}

static int write_folder(const mo_recording *recording, render_call *call, int count)
{
    if (!sheet_make_folder(call->out)) {
        say_of_file(call->out, "the folder could not be made: %s", strerror(errno));
        return EXIT_FAILED;
    }
    return draw_all(recording, call, count, take_file, call);
}

/* ---- animations ------------------------------------------------------------------------------ */

typedef struct animating {
    const render_call *call;
    animation *to;
    unsigned char *bytes;
} animating;

static int frame_time(const render_call *call, int k) /* ms */
{
    return (int)lround(1000 * k / call->fps);
}

static int take_animated(void *user, const renderer *r, int k)
{
    animating *a = user;
    canvas_bytes(&r->small, a->bytes);
    return animation_add(a->to, a->bytes, frame_time(a->call, k)) ? EXIT_DONE
                                                                  : say_memory(a->call->out);
}

static int place_animation(animating *a, int end)
{
    output o;
    if (output_open(&o, a->call->out)) {
        if (animation_write(a->to, end, o.file)) {
            if (output_commit(&o)) {
                return EXIT_DONE;
            }
        } else {
            output_cancel(&o);
        }
    }
    say_of_file(a->call->out, "could not be written: %s", strerror(errno));
    return EXIT_FAILED;
}

static int write_animation(const mo_recording *recording, render_call *call, int count)
{
    const size_t size = 3 * (size_t)call->def.width * (size_t)call->def.height;
    animating a = {call, animation_begin(call->def.width, call->def.height), malloc(size)};
    int status = EXIT_FAILED;
    if (!animation_is_built_in()) {
        say_of_file(call->out, "this program was built without libwebp; install it (Debian: "
                               "libwebp-dev) and build again, or name a folder for images");
    } else if (!a.to || !a.bytes) {
        status = say_memory(call->out);
    } else {
        status = draw_all(recording, call, count, take_animated, &a);
        status = status || interrupt_came() ? status : place_animation(&a, frame_time(call, count));
    }
    animation_end(a.to);
    free(a.bytes);
    return status;
}

/* ---- films ----------------------------------------------------------------------------------- */
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

typedef struct filming {
    const render_call *call;
    FILE *to;
    unsigned char *bytes;
    size_t size;
} filming;

static int take_filmed(void *user, const renderer *r, int k)
{
    filming *f = user;
    (void)k;
    canvas_bytes(&r->small, f->bytes);
    return fwrite(f->bytes, 1, f->size, f->to) == f->size ? EXIT_DONE : EXIT_FAILED;
}

static int write_film(const mo_recording *recording, render_call *call, int count)
{
    const size_t size = 3 * (size_t)call->def.width * (size_t)call->def.height;
    if (system("command -v ffmpeg >/dev/null 2>&1") != 0) {
        say_of_file(call->out, "a film is made by ffmpeg, which is not here; install it (Debian: "
                               "ffmpeg), or name a folder for pictures");
        return EXIT_FAILED;
    }
    signal(SIGPIPE, SIG_IGN); /* where ffmpeg gives up, it is a failed write */
    filming f = {call, NULL, malloc(size), size};
    f.to = f.bytes ? start_film(call) : NULL;
    int good = f.to && draw_all(recording, call, count, take_filmed, &f) == EXIT_DONE;
    good = f.to && pclose(f.to) == 0 && good;
    free(f.bytes);
    if (!good) {
        say_of_file(call->out, "the film was not made; what ffmpeg said is above");
    }
    return good ? EXIT_DONE : EXIT_FAILED;
}

/* ---- the command ----------------------------------------------------------------------------- */

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

static int write_image(const mo_recording *recording, render_call *call, int frame)
{
    renderer r;
    if (!render_open(&r, recording, &call->def)) {
        return say_memory(call->recording);
    }
    const int status =
        render_frame(&r, frame) ? write_png(&r, call->out) : say_memory(call->recording);
    render_close(&r);
    return status;
}

static int write_all(const mo_recording *recording, render_call *call)
{
    const int last = call->at >= 0 ? frame_at(recording, call->at) : recording->frame_count - 1;
    int status, count = 1;
    if (ends_with(call->out, ".png")) {
        status = write_image(recording, call, last);
    } else {
        count = count_pictures(recording, call->fps);
        interrupt_watch();
        status = ends_with(call->out, ".webp") ? write_animation(recording, call, count)
                 : path_is_folder(call->out)   ? write_folder(recording, call, count)
                                               : write_film(recording, call, count);
        if (!status && interrupt_came()) {
            say(COMMAND.name, "interrupted");
            status = EXIT_FAILED;
        }
    }
    if (!status) {
        report(call, count);
    }
    return status;
}

static int render(render_call *call)
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
    if (!status && !ends_with(call.out, ".png") && !ends_with(call.out, ".webp") &&
        !ends_with(call.out, ".mp4") && !ends_with(call.out, ".webm") &&
        !path_is_folder(call.out)) {
        say(COMMAND.name,
            "unsupported output '%.500s': use .png, .webp, .mp4, .webm, or a folder ending in /",
            call.out);
        return EXIT_CALL;
    }
    return status ? status : render(&call);
}
