/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "run_replay.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "page.h"
#include "text.h"

/* The world into the frames; true, or false after run_fail. */
static int add(run_replay *r, const run_call *call, const mo_world *world,
               const mo_step_report *report, int must, run_tally *tally)
{
    mo_message why = {{0}};
    const mo_error error = frames_of_world(&r->shown, world, report ? call->h : 0, report, &why);
    if (!error) {
        frames_read(&r->readings, world, NULL, report ? call->h : 0);
        r->numbers.readings = &r->readings;
        replay_add(&r->frames, &r->shown, 0, &r->numbers, must);
    }
    if (error || r->frames.failed) {
        run_fail(tally, call->replay, "%s",
                 error ? text_of_error(call->replay, error, &why) : "out of memory");
        return 0;
    }
    return 1;
}

int run_replay_begin(run_replay *r, const run_call *call, const mo_world *world, run_tally *tally)
{
    mo_message why = {{0}};
    *r = (run_replay){.frames = replay_begin(0), .numbers = {.generation = 1}, .last_is_kept = 1};
    const mo_error error = mo_recording_begin(&r->shown, world, NULL, &why);
    if (error) {
        run_fail(tally, call->replay, "%s", text_of_error(call->replay, error, &why));
        return 0;
    }
    r->drive_count = frames_drives(world, &r->drives);
    r->actuator_count = frames_actuators(world, &r->actuators);
    r->readings = frames_readings_of(world, NULL, &r->shown, r->actuators, r->actuator_count);
    return add(r, call, world, NULL, 1, tally);
}

int run_replay_step(run_replay *r, const run_call *call, const mo_world *world,
                    const mo_step_report *report, run_tally *tally)
{
    r->numbers.steps += 1;
    r->numbers.unsolved += report->status != MO_SOLVED;
    r->last = *report;
    r->last_is_kept = replay_wants(&r->frames, mo_world_time(world));
    return !r->last_is_kept || add(r, call, world, report, 0, tally);
}

static void write_page(const run_replay *r, const run_call *call, run_tally *tally)
{
    size_t html_size = 0;
    const unsigned char *html = moreau_page_html(&html_size);
    output o = {.file = NULL};
    frames_facts facts = {.generation = 1,
                          .title = call->world.scene->text,
                          .scene = call->world.scene,
                          .values = call->world.values,
                          .step = call->h,
                          .tolerance = call->options.tol,
                          .method = call->method,
                          .friction = NAN,
                          .playing = 1,
                          .speed = 1,
                          .drives = r->drives,
                          .drive_count = r->drive_count,
                          .actuators = r->actuators,
                          .actuator_count = r->actuator_count,
                          .readings = &r->readings};
    memcpy(facts.gravity, r->shown.gravity, sizeof facts.gravity);
    if (!output_open(&o, call->replay)) {
        run_fail(tally, call->replay, "could not be written: %s", strerror(errno));
        return;
    }
    if (!replay_put(&r->frames, o.file, html, html_size, &r->shown, &facts)) {
        output_cancel(&o);
        run_fail(tally, call->replay, "out of memory");
    } else if (!output_commit(&o)) {
        run_fail(tally, call->replay, "could not be written: %s", strerror(errno));
    }
}

void run_replay_end(run_replay *r, const run_call *call, const mo_world *world, run_tally *tally)
{
    if (r->frames.count > 0) {
        if (r->last_is_kept || add(r, call, world, &r->last, 1, tally)) {
            replay_note(&r->frames, tally->replay_note);
            write_page(r, call, tally);
        }
    }
    replay_clear(&r->frames);
    mo_recording_clear(&r->shown);
    free(r->drives);
    free(r->actuators);
    frames_readings_clear(&r->readings);
    *r = (run_replay){0};
}
