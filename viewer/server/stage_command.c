/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Commands of the pages: dragging, throwing balls, changes of the scene and its settings. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "moreau/solve.h"
#include "say.h"
#include "stage_parts.h"

static const double FAR = 1e9; /* m: limit of positions, and of the path of a ball in a second */

/* ---- hands and balls ------------------------------------------------------------------------- */

static mo_error check_near(const double point[3], mo_message *why)
{
    for (int k = 0; k < 3; ++k)
        if (fabs(point[k]) > FAR) return view_fail(why, "that is too far away");
    return MO_OK;
}

static stage_hand *hand_of(stage *s, unsigned page)
{
    for (int k = 0; k < STAGE_PAGES; ++k)
        if (s->hands[k].page == page) return s->hands + k;
    return NULL;
}

static void copy_point(const stage *s, const command_numbers *from, double to[3])
{
    memcpy(to, from->at, 3 * sizeof *to);
    to[2] = s->shown.dimension == 2 ? 0 : to[2];
}

static mo_error grab(stage *s, unsigned page, const command *w, mo_message *why)
{
    const double place = w->field[FIELD_BODY].at[0];
    if (!(place >= 0 && place < s->shown.body_count && place == floor(place)))
        return view_fail(why, "there is no body %g", place);
    const mo_body_id body = s->shown.ids[(int)place];
    const mo_body_state state = mo_body_get(s->world, body);
    if (state.kind == MO_BODY_FIXED || state.kind == MO_BODY_DRIVEN || !(state.mass > 0))
        return view_fail(why, "this body is static or kinematic and cannot be dragged");
    stage_hand *mine = hand_of(s, page);
    mine = mine ? mine : hand_of(s, 0);
    const mo_error error = check_near(w->field[FIELD_LOCAL].at, why);
    if (error || check_near(w->field[FIELD_TARGET].at, why) || !mine)
        return error ? error : MO_ERR_ARGUMENT;
    double local[3], target[3];
    copy_point(s, &w->field[FIELD_LOCAL], local);
    copy_point(s, &w->field[FIELD_TARGET], target);
    *mine = (stage_hand){.page = page, .hand = hand_take(s->world, body, local, target)};
    return MO_OK;
}

static mo_error drag(stage *s, unsigned page, const command *w, mo_message *why)
{
    stage_hand *mine = hand_of(s, page);
    const mo_error error = check_near(w->field[FIELD_TARGET].at, why);
    if (!error && mine) /* a body may be removed while it is dragged */
        copy_point(s, &w->field[FIELD_TARGET], mine->hand.target);
    return error;
}

static void release(stage *s, unsigned page)
{
    stage_hand *mine = hand_of(s, page);
    if (mine) *mine = (stage_hand){0};
}

/* Material and density of thrown balls: those of the first dynamic body. */
static mo_shape_def ball_shape(const stage *s, double radius)
{
    mo_shape_def ball = mo_shape_ball(radius);
    for (int k = 0; k < s->shown.shape_count; ++k) {
        const mo_recorded_shape *shape = s->shown.shapes + k;
        if (s->shown.bodies[shape->body].kind == MO_BODY_FREE) {
            const mo_shape_def now =
                mo_body_shape(s->world, s->shown.ids[shape->body], 0); /* as it is now */
            ball.material = now.material;
            ball.density = now.density > 0 ? now.density : ball.density;
            break;
        }
    }
    if (!isnan(s->friction)) ball.material.friction = s->friction;
    return ball;
}

static mo_error throw_ball(stage *s, const command *w, mo_message *why)
{
    const double radius = w->field[FIELD_RADIUS].at[0];
    const double *from = w->field[FIELD_FROM].at, *speed = w->field[FIELD_VELOCITY].at;
    mo_body_def def = mo_default_body(MO_BODY_FREE);
    char name[32];
    if (!(radius >= 1e-6 && radius <= 1e6) || check_near(from, why) || check_near(speed, why))
        return view_fail(why, "a ball that is thrown has a radius from 1e-6 to 1e6 m");
    snprintf(name, sizeof name, "ball %u", (unsigned)s->generation);
    def.name = name;
    def.pose = mo_pose_at(0, 0, 0);
    copy_point(s, &w->field[FIELD_FROM], def.pose.position);
    copy_point(s, &w->field[FIELD_VELOCITY], def.velocity);
    const mo_body_id ball = mo_world_add_body(s->world, &def, why);
    const mo_shape_def shape = ball_shape(s, radius);
    mo_error error = ball.index && mo_world_add_shape(s->world, ball, &shape, why).index
                         ? stage_look(s, why)
                         : MO_ERR_ARGUMENT;
    if (error) {
        mo_world_remove_body(s->world, ball, NULL);
        return error;
    }
    if (s->ball_count == STAGE_BALLS) {
        mo_world_remove_body(s->world, s->balls[s->next_ball], NULL);
        error = stage_look(s, why);
    }
    s->balls[s->next_ball] = ball;
    s->next_ball = (s->next_ball + 1) % STAGE_BALLS;
    s->ball_count += s->ball_count < STAGE_BALLS;
    return error;
}

/* ---- settings -------------------------------------------------------------------------------- */

mo_error stage_replace_friction(stage *s, double friction, mo_message *why)
{
    const int count = mo_world_body_count(s->world);
    if (isnan(friction) && !s->material) {
        s->friction = NAN;
        return MO_OK;
    }
    if (!s->material) {
        s->material = calloc((size_t)count + 1, sizeof *s->material);
        if (!s->material) return view_fail(why, "out of memory");
        for (int k = 0; k < count; ++k)
            s->material[k] = mo_body_shape(s->world, mo_world_body(s->world, k), 0).material;
    }
    const int known = count - s->ball_count; /* thrown balls are last and keep theirs */
    for (int k = 0; k < count; ++k) {
        mo_material material =
            k < known ? s->material[k]
                      : mo_body_shape(s->world, mo_world_body(s->world, k), 0).material;
        material.friction = isnan(friction) ? material.friction : friction;
        mo_body_set_material(s->world, mo_world_body(s->world, k), &material, NULL);
    }
    s->friction = friction;
    return MO_OK;
}

static mo_error set_friction(stage *s, const command_numbers *field, mo_message *why)
{
    if (!field->count && !field->is_null) return MO_OK;
    if (field->count && !(field->count == 1 && field->at[0] >= 0 && field->at[0] <= 1e6))
        return view_fail(why, "friction is a number from 0 to 1e6, or null");
    return stage_replace_friction(s, field->count ? field->at[0] : NAN, why);
}

/* One number is the magnitude downwards: -z, or -y in the plane. */
static mo_error set_gravity(stage *s, const command_numbers *field, mo_message *why)
{
    const int planar = s->shown.dimension == 2;
    double g[3] = {0, 0, 0};
    if (!field->count) return MO_OK;
    if (field->count == 1) {
        g[planar ? 1 : 2] = -field->at[0];
    } else {
        memcpy(g, field->at, sizeof g);
        g[2] = planar ? 0 : g[2];
    }
    if (field->count == 2 || field->count > 3 || fabs(g[0]) + fabs(g[1]) + fabs(g[2]) > 1e6)
        return view_fail(why, "gravity is three numbers, or one, in m/s^2, and at most 1e6");
    memcpy(s->gravity, g, sizeof g);
    s->has_gravity = 1;
    return MO_OK;
}

/* A number of a command within bounds; the value does not change if absent. */
static mo_error set_number(const command_numbers *field, const char *name, double least,
                           double most, double *value, mo_message *why)
{
    if (!field->count) return MO_OK;
    if (field->count != 1 || !(field->at[0] >= least && field->at[0] <= most))
        return view_fail(why, "the %s is a number from %g to %g", name, least, most);
    *value = field->at[0];
    return MO_OK;
}

static mo_error set(stage *s, const command *w, mo_message *why)
{
    const stage before = *s;
    mo_error error = MO_OK;
    if (w->method[0] && mo_method_find(w->method) < 0)
        error = view_fail(why, "there is no method '%s'", w->method);
    error = error ? error : set_number(&w->field[FIELD_STEP], "step", 1e-6, 1, &s->step, why);
    error = error
                ? error
                : set_number(&w->field[FIELD_TOLERANCE], "tolerance", 1e-15, 1, &s->tolerance, why);
    error = error ? error : set_gravity(s, &w->field[FIELD_GRAVITY], why);
    if (!error && w->method[0]) memcpy(s->method, w->method, sizeof s->method);
    error = error ? error : stage_apply(s, why);
    if (error) { /* what this command changed, back */
        s->step = before.step;
        s->tolerance = before.tolerance;
        s->has_gravity = before.has_gravity;
        memcpy(s->gravity, before.gravity, sizeof s->gravity);
        memcpy(s->method, before.method, sizeof s->method);
        mo_message ignored;
        stage_apply(s, &ignored);
        return error;
    }
    if (w->field[FIELD_RESTART].count) s->restart = w->field[FIELD_RESTART].at[0] != 0;
    s->state_changed = 1;
    return set_friction(s, &w->field[FIELD_FRICTION], why);
}

static mo_error load(stage *s, const command *w, mo_message *why)
{
    const world_scene *scene = w->name[0] ? world_scene_find(w->name) : s->source.scene;
    double values[WORLD_PARAMETERS] = {0};
    /* A file has no parameters, and its name stays in the list of scenes. */
    if (!scene && s->source.build && (!w->name[0] || strcmp(w->name, s->source.name) == 0))
        return stage_load(s, NULL, values, why);
    if (!scene) return view_fail(why, "there is no scene '%s'", w->name);
    world_default_values(scene, values);
    for (int k = 0; k < w->set_count; ++k) {
        const mo_error error = world_set_value(scene, values, w->set[k].name, w->set[k].value, why);
        if (error) return error;
    }
    return stage_load(s, scene, values, why);
}

static mo_error drive(stage *s, const command *w, mo_message *why)
{
    const double index = w->field[FIELD_INDEX].at[0], target = w->field[FIELD_TARGET].at[0];
    if (!(index >= 0 && index < mo_world_joint_count(s->world) && index == floor(index)))
        return view_fail(why, "there is no joint %g", index);
    const mo_joint_id joint = mo_world_joint(s->world, (int)index);
    const mo_joint_state state = mo_joint_get(s->world, joint);
    if (state.drive == MO_DRIVE_NONE) return view_fail(why, "joint %g has no drive", index);
    return mo_joint_set_drive(s->world, joint, state.drive, target, state.max_effort, why);
}

/* A target beyond the slider is clamped, as mo_mechanism_set_target clamps to the actuator's own
 * range. */
static mo_error aim(stage *s, const command *w, mo_message *why)
{
    const double index = w->field[FIELD_INDEX].at[0], value = w->field[FIELD_VALUE].at[0];
    if (!(index >= 0 && index < s->actuator_count && index == floor(index)))
        return view_fail(why, "there is no actuator %g", index);
    const frames_actuator *actuator = s->actuators + (int)index;
    const double target = fmin(fmax(value, actuator->lower), actuator->upper);
    return mo_mechanism_set_target(s->world, actuator->mechanism, actuator->number, target, why);
}

/* ---- any command ----------------------------------------------------------------------------- */

static void play(stage *s, int playing)
{
    s->state_changed |= s->playing != playing;
    s->playing = playing;
}

mo_error stage_command(stage *s, unsigned page, const command *w, mo_message *why)
{
    if (w->verb >= COMMAND_GRAB) restart_touch(&s->watch, mo_world_time(s->world));
    switch (w->verb) {
    case COMMAND_PLAY:
        play(s, 1);
        return MO_OK;
    case COMMAND_PAUSE:
        play(s, 0);
        return MO_OK;
    case COMMAND_STEP:
        play(s, 0);
        s->single_steps += s->single_steps < 100;
        return MO_OK;
    case COMMAND_RESET:
        return stage_reset(s, why);
    case COMMAND_SCENE:
        return load(s, w, why);
    case COMMAND_SPEED:
        s->state_changed = 1;
        return set_number(&w->field[FIELD_VALUE], "speed", 0.01, 100, &s->speed, why);
    case COMMAND_GRAB:
        return grab(s, page, w, why);
    case COMMAND_DRAG:
        return drag(s, page, w, why);
    case COMMAND_RELEASE:
        release(s, page);
        return MO_OK;
    case COMMAND_THROW:
        return throw_ball(s, w, why);
    case COMMAND_SET:
        return set(s, w, why);
    case COMMAND_JOINT:
        return drive(s, w, why);
    case COMMAND_TARGET:
        return aim(s, w, why);
    default:
        return view_fail(why, "this command is not known");
    }
}
