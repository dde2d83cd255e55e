/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "stage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "moreau/solve.h"
#include "say.h"
#include "stage_parts.h"

/* ---- building -------------------------------------------------------------------------------- */

static mo_error build(const stage_source *source, mo_world **world, mo_message *why)
{
    *world = NULL;
    return source->scene ? source->scene->build(source->values, world, why)
                         : source->build(source->build_user, world, why);
}

static mo_robot *robot_of(const stage *s)
{
    return s->source.scene || !s->source.robot ? NULL : s->source.robot(s->source.build_user);
}

static void forget_lists(stage *s)
{
    free(s->drives);
    free(s->actuators);
    frames_readings_clear(&s->readings);
}

/* Above this number of contacts only the number is sent: a page could not draw them in time. */
enum { MOST_CONTACTS = 20000 };

static mo_error record_shown(const stage *s, mo_recording *shown, mo_message *why)
{
    const int are_many = s->steps > 0 && s->report.contacts > MOST_CONTACTS;
    const mo_error error = frames_of_world(shown, s->world, s->steps && !are_many ? s->step : 0,
                                           s->steps ? &s->report : NULL, why);
    if (!error && are_many) shown->frames[0].step = s->step;
    return error;
}

mo_error stage_look(stage *s, mo_message *why)
{
    mo_recording shown = {0};
    mo_error error = mo_recording_begin(&shown, s->world, NULL, why);
    error = error ? error : record_shown(s, &shown, why);
    if (error) {
        mo_recording_clear(&shown);
        return error;
    }
    mo_recording_clear(&s->shown);
    forget_lists(s);
    s->shown = shown;
    s->drive_count = frames_drives(s->world, &s->drives);
    s->actuator_count = frames_actuators(s->world, &s->actuators);
    s->readings =
        frames_readings_of(s->world, robot_of(s), &s->shown, s->actuators, s->actuator_count);
    frames_read(&s->readings, s->world, robot_of(s), s->steps ? s->step : 0);
    s->generation += 1;
    s->scene_changed = s->frame_changed = 1;
    return MO_OK;
}

/* Maximum time of a step, so that commands are answered in large scenes, too. */
static const double STEP_SECONDS = 0.5;

mo_error stage_apply(stage *s, mo_message *why)
{
    mo_world_def def = mo_world_definition(s->world);
    if (s->source.configure) s->source.configure(s->source.configure_user, &def);
    if (s->method[0]) def.solver.method = s->method;
    if (s->tolerance > 0) {
        def.solver.tol = s->tolerance;
        def.moving_tol = 0; /* a tolerance that was chosen applies to every step */
    }
    def.solver.time_limit = fmin(def.solver.time_limit, STEP_SECONDS);
    if (s->has_gravity) memcpy(def.gravity, s->gravity, sizeof def.gravity);
    return mo_world_change(s->world, &def, why);
}

/* Replaces the shown world by that of this source; nothing changes on failure. */
static mo_error replace(stage *s, const stage_source *source, mo_message *why)
{
    mo_world *world = NULL;
    stage before = *s;
    mo_error error = build(source, &world, why);
    if (error) return error;
    s->source = *source;
    s->world = world;
    s->steps = s->unsolved = 0;
    s->is_waiting = 0;
    s->material = NULL;
    s->ball_count = s->next_ball = 0;
    memset(s->hands, 0, sizeof s->hands);
    error = stage_apply(s, why);
    error = error ? error : stage_replace_friction(s, s->friction, why);
    error = error ? error : stage_look(s, why);
    if (error) {
        free(s->material);
        mo_world_destroy(world);
        *s = before; /* stage_look comes last and changes nothing on failure */
        return error;
    }
    s->watch = restart_begin(&s->shown, source->scene ? source->scene->time : 0);
    free(before.material);
    mo_world_destroy(before.world);
    return MO_OK;
}

mo_error stage_open(stage *s, const stage_source *source, mo_message *why)
{
    *s = (stage){.playing = 1, .restart = source->restart, .speed = 1, .friction = NAN};
    s->step = source->step > 0 ? source->step : source->scene ? source->scene->step : 0.01;
    const mo_error error = replace(s, source, why);
    if (error) stage_close(s);
    return error;
}

void stage_close(stage *s)
{
    mo_recording_clear(&s->shown);
    forget_lists(s);
    free(s->material);
    mo_world_destroy(s->world);
    *s = (stage){0};
}

mo_error stage_reset(stage *s, mo_message *why)
{
    const stage_source source = s->source;
    return replace(s, &source, why);
}

mo_error stage_load(stage *s, const world_scene *scene, const double *values, mo_message *why)
{
    stage_source source = s->source;
    const stage kept = *s;
    source.scene = scene;
    memcpy(source.values, values, sizeof source.values);
    if (kept.source.scene != scene) {
        s->step = scene ? scene->step : source.step > 0 ? source.step : 0.01;
        s->friction = NAN;
        s->has_gravity = 0;
    }
    const mo_error error = replace(s, &source, why);
    if (error) {
        s->step = kept.step;
        s->friction = kept.friction;
        s->has_gravity = kept.has_gravity;
    }
    return error;
}

/* ---- steps ----------------------------------------------------------------------------------- */

void stage_keep_pages(stage *s, const unsigned *pages, int count)
{
    for (int k = 0; k < STAGE_PAGES; ++k) {
        int here = 0;
        for (int i = 0; i < count; ++i)
            here |= pages[i] == s->hands[k].page;
        if (!here) s->hands[k] = (stage_hand){0};
    }
}

static int holds_any(const stage *s)
{
    for (int k = 0; k < STAGE_PAGES; ++k)
        if (s->hands[k].page) return 1;
    return 0;
}

mo_error stage_step(stage *s, mo_message *why)
{
    mo_step_report report;
    if (!s->is_waiting) { /* else the world has the pull */
        s->hand_force = 0;
        for (int k = 0; k < STAGE_PAGES; ++k) {
            if (s->hands[k].page) {
                const double force = hand_pull(&s->hands[k].hand, s->world, s->step);
                s->hand_force = fmax(s->hand_force, force);
            }
        }
    }
    mo_error error = mo_world_step(s->world, s->step, &report, why);
    s->is_waiting = !error && report.is_waiting;
    if (s->is_waiting) return MO_OK;
    if (!error) {
        s->report = report;
        s->steps += 1;
        s->unsolved += s->report.status != MO_SOLVED;
        error = record_shown(s, &s->shown, why);
        frames_read(&s->readings, s->world, robot_of(s), s->step);
    }
    if (error) {
        s->playing = 0;
        s->state_changed = 1;
    }
    s->frame_changed = 1;
    if (!error && s->playing && !holds_any(s) && restart_is_due(&s->watch, &s->shown, s->restart))
        error = stage_reset(s, why);
    return error;
}

/* ---- messages -------------------------------------------------------------------------------- */

static frames_facts facts_of(const stage *s)
{
    const mo_world_def def = mo_world_definition(s->world);
    const char *method = def.solver.method;
    for (int k = 0; !method && k < mo_method_count(); ++k)
        method = mo_method_describe(k).is_default ? mo_method_describe(k).name : NULL;
    frames_facts facts = {.generation = s->generation,
                          .title = s->source.scene ? s->source.scene->text : s->source.title,
                          .scene = s->source.scene,
                          .values = s->source.values,
                          .name = s->source.name,
                          .file_title = s->source.build ? s->source.title : NULL,
                          .restart = s->restart,
                          .step = s->step,
                          .tolerance = def.solver.tol,
                          .method = method,
                          .friction = s->friction,
                          .playing = s->playing,
                          .speed = s->speed,
                          .drives = s->drives,
                          .drive_count = s->drive_count,
                          .actuators = s->actuators,
                          .actuator_count = s->actuator_count,
                          .readings = &s->readings};
    memcpy(facts.gravity, def.gravity, sizeof facts.gravity);
    return facts;
}

void stage_put_scene(stage *s, FILE *out)
{
    /* Targets may have changed since drives and actuators were listed; their ranges stay. */
    for (int k = 0; k < s->drive_count; ++k)
        s->drives[k].target = mo_joint_get(s->world, mo_world_joint(s->world, k)).target;
    for (int k = 0; k < s->actuator_count; ++k) {
        frames_actuator *actuator = s->actuators + k;
        actuator->target =
            mo_mechanism_actuator(s->world, actuator->mechanism, actuator->number).target;
    }
    const frames_facts facts = facts_of(s);
    frames_scene(out, &s->shown, &facts);
}

void stage_put_state(stage *s, FILE *out)
{
    const frames_facts facts = facts_of(s);
    frames_state(out, &facts);
}

size_t stage_frame_size(const stage *s)
{
    const frames_numbers numbers = {.readings = &s->readings};
    return frames_size(&s->shown, 0, &numbers);
}

void stage_frame(const stage *s, double milliseconds, double rate, unsigned char *to)
{
    const frames_numbers numbers = {
        .generation = s->generation,
        .steps = s->steps,
        .unsolved = s->unsolved,
        .contacts = s->steps ? s->report.contacts : 0,
        .milliseconds = milliseconds,
        .rate = rate,
        .phases = {1e3 * s->report.seconds_collide, 1e3 * s->report.seconds_assemble,
                   1e3 * s->report.seconds_solve, 1e3 * s->report.seconds_advance},
        .hand = s->hand_force,
        .readings = &s->readings};
    frames_write(&s->shown, 0, &numbers, to);
}
