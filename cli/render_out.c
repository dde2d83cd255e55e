/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "render_out.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "animation.h"
#include "exit_status.h"
#include "gif.h"
#include "output.h"
#include "paths.h"
#include "progress.h"
#include "render_video.h"
#include "sheet.h"
#include "text.h"

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
    while (k + 1 < recording->frame_count && recording->frames[k + 1].time <= time + 1e-9)
        ++k;
    return k;
}

static int say_memory(const char *file)
{
    say_of_file(file, "not enough memory for the image");
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

/* Number of images of the recording at this frame rate. */
static int count_images(const mo_recording *recording, double fps)
{
    const double first = recording->frames[0].time,
                 last = recording->frames[recording->frame_count - 1].time;
    return (int)fmin(1e6, floor((last - first) * fps + 1e-6)) + 1;
}

static int picture_frame(const mo_recording *recording, const render_call *call, int k)
{
    const double first = call->at >= 0 ? call->at : recording->frames[0].time;
    return frame_at(recording, first + k / call->fps);
}

/* ---- many frames ----------------------------------------------------------------------------- */

/* Receives the image of frame k, in order; an exit status. */
typedef int take_fn(void *user, const renderer *r, int k);

enum { MOST_AT_ONCE = 4 }; /* renderers, of about 100 MB each at 1280 x 720 */

static int open_renderers(renderer *pool, int count, const mo_recording *recording,
                          const render_def *def)
{
    int opened = 0;
    while (opened < count && render_open(&pool[opened], recording, def))
        ++opened;
    return opened;
}

/* Draws frames in parallel and passes them on in order. */
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
    if (opened == 0) return say_memory(call->input);
    progress_clock line = progress_begin();
    for (int first = 0; first < count && !status && !interrupt_came(); first += opened) {
        const int now = count - first < opened ? count - first : opened;
        progress_part(&line, "frame", first, count);
#pragma omp parallel for schedule(static, 1) num_threads(now)
        for (int i = 0; i < now; ++i)
            good[i] = render_frame(&pool[i], picture_frame(recording, call, first + i));
        for (int i = 0; i < now && !status; ++i)
            status = good[i] ? take(user, &pool[i], first + i) : say_memory(call->input);
    }
    progress_done(&line);
    for (int i = 0; i < opened; ++i)
        render_close(&pool[i]);
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
        say_of_file(call->out, "the folder could not be created: %s", strerror(errno));
        return EXIT_FAILED;
    }
    return draw_all(recording, call, count, take_file, call);
}

/* ---- animations ------------------------------------------------------------------------------ */

typedef struct animating {
    render_call *call;
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
        if (animation_write(a->to, end, o.file, &a->call->kept)) {
            if (output_commit(&o)) return EXIT_DONE;
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

/* ---- GIF ------------------------------------------------------------------------------------- */

typedef struct giffing {
    const render_call *call;
    gif *to;
    unsigned char *bytes;
} giffing;

static int hundredths(const render_call *call, int k)
{
    return (int)lround(100 * k / call->fps);
}

static int take_gif(void *user, const renderer *r, int k)
{
    giffing *g = user;
    canvas_bytes(&r->small, g->bytes);
    if (gif_add(g->to, g->bytes, hundredths(g->call, k + 1) - hundredths(g->call, k)))
        return EXIT_DONE;
    say_of_file(g->call->out, "could not be written: %s", strerror(errno));
    return EXIT_FAILED;
}

static int write_gif(const mo_recording *recording, render_call *call, int count)
{
    output o;
    if (!gif_is_built_in()) {
        say_of_file(call->out, "this program was built without giflib; install it (Debian: "
                               "libgif-dev) and build again, or use .webp");
        return EXIT_FAILED;
    }
    if (!output_open(&o, call->out)) {
        say_of_file(call->out, "could not be written: %s", strerror(errno));
        return EXIT_FAILED;
    }
    const size_t size = 3 * (size_t)call->def.width * (size_t)call->def.height;
    giffing g = {call, gif_begin(call->def.width, call->def.height, o.file), malloc(size)};
    int status =
        g.to && g.bytes ? draw_all(recording, call, count, take_gif, &g) : say_memory(call->out);
    const int ended = gif_end(g.to);
    free(g.bytes);
    if (!status && !interrupt_came() && ended && output_commit(&o)) return EXIT_DONE;
    output_cancel(&o);
    if (!status && !interrupt_came()) {
        say_of_file(call->out, "could not be written: %s", strerror(errno));
        status = EXIT_FAILED;
    }
    return status;
}

/* ---- videos ---------------------------------------------------------------------------------- */

typedef struct video_output {
    video to;
    unsigned char *bytes;
    size_t size;
} video_output;

static int add_to_video(void *user, const renderer *r, int k)
{
    video_output *f = user;
    (void)k;
    canvas_bytes(&r->small, f->bytes);
    return video_add(&f->to, f->bytes, f->size) ? EXIT_DONE : EXIT_FAILED;
}

static int report_no_video(const render_call *call, int error)
{
    if (error == ENOENT) {
        say_of_file(call->out, "a video is made by ffmpeg, which is not installed; install it "
                               "(Debian: ffmpeg), or name a folder for images");
    } else {
        say_of_file(call->out, "ffmpeg could not be started: %s", strerror(error));
    }
    return EXIT_FAILED;
}

static int write_video(const mo_recording *recording, render_call *call, int count)
{
    const size_t size = 3 * (size_t)call->def.width * (size_t)call->def.height;
    video_output f = {.bytes = malloc(size), .size = size};
    if (!f.bytes) return say_memory(call->out);
    const int error = video_begin(&f.to, call->out, call->def.width, call->def.height, call->fps);
    if (error) {
        free(f.bytes);
        return report_no_video(call, error);
    }
    const int drawn = draw_all(recording, call, count, add_to_video, &f) == EXIT_DONE;
    const int good = video_end(&f.to) && drawn;
    free(f.bytes);
    if (!good) say_of_file(call->out, "the video was not made; see the output of ffmpeg above");
    return good ? EXIT_DONE : EXIT_FAILED;
}

/* ---- any of them ----------------------------------------------------------------------------- */

static int write_image(const mo_recording *recording, render_call *call, int frame)
{
    renderer r;
    if (!render_open(&r, recording, &call->def)) return say_memory(call->input);
    const int status = render_frame(&r, frame) ? write_png(&r, call->out) : say_memory(call->input);
    render_close(&r);
    return status;
}

typedef int write_fn(const mo_recording *recording, render_call *call, int count);

static write_fn *writer_of(const char *out)
{
    static const struct {
        const char *end;
        write_fn *write;
    } WRITERS[] = {{".webp", write_animation},
                   {".gif", write_gif},
                   {".mp4", write_video},
                   {".webm", write_video}};
    for (size_t k = 0; k < sizeof WRITERS / sizeof *WRITERS; ++k)
        if (ends_with(out, WRITERS[k].end)) return WRITERS[k].write;
    return path_is_folder(out) ? write_folder : NULL;
}

int render_out_is_known(const char *out)
{
    return ends_with(out, ".png") || writer_of(out);
}

/* Up to half a frame after the end counts as the last frame. */
static int check_time(const mo_recording *recording, const render_call *call)
{
    const int last = recording->frame_count - 1;
    const double begin = recording->frames[0].time, end = recording->frames[last].time;
    const double slack = last > 0 ? (end - begin) / last / 2 : 1e-9;
    if (call->at < 0 || (call->at > begin - slack && call->at < end + slack)) return EXIT_DONE;
    say_of_file(call->input,
                "--at %.6g is outside the recording, which lasts from %.6g s to %.6g s%s", call->at,
                begin, end, call->is_simulated ? "; --time simulates more" : "");
    return EXIT_CALL;
}

int render_out(const mo_recording *recording, render_call *call, int *images)
{
    const int status = check_time(recording, call);
    if (status) return status;
    const int last = call->at >= 0 ? frame_at(recording, call->at) : recording->frame_count - 1;
    *images = 1;
    if (ends_with(call->out, ".png")) return write_image(recording, call, last);
    const int is_image = ends_with(call->out, ".webp") || ends_with(call->out, ".gif");
    const int is_still = is_image && call->at >= 0;
    call->at = is_still ? call->at : -1; /* of images alone */
    *images = is_still ? 1 : count_images(recording, call->fps);
    return writer_of(call->out)(recording, call, *images);
}
