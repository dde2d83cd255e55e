/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Random calls that step, save, load, record and question a world. */
#define _XOPEN_SOURCE 700

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fuzz_calls.h"
#include "fuzz_tools.h"

static fuzz_outcome of(mo_error error)
{
    return error ? FUZZ_REFUSED : FUZZ_TAKEN;
}

/* ---- steps ----------------------------------------------------------------------------------- */

static double step_size(fuzz_place *p)
{
    static const double SIZES[] = {0.01, 0.01, 0.01, 0.002, 0.05, 1e-5, 0.2};
    return fuzz_below(p, 640) < p->oddity ? fuzz_number(p, -1e-3, 0.1) : SIZES[fuzz_below(p, 7)];
}

static double thread_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void note_longest(fuzz_place *p, double seconds)
{
    if (seconds > p->longest->seconds) {
        p->longest->seconds = seconds;
        p->longest->report = p->report;
        p->longest->number = p->number;
        p->longest->call = p->call;
    }
}

static void demand_report(const mo_step_report *r)
{
    demand(r->contacts >= 0 && r->joints >= 0 && r->bodies >= 0 && r->islands >= 0 &&
               r->iterations >= 0 && r->rounds >= 0,
           "a count below zero");
    demand(r->status >= 0 && r->status < MO_STATUS_COUNT, "a status that is none");
    demand(!(r->penetration < 0) && isfinite(r->penetration + r->overlap), "an odd overlap");
    demand(isfinite(r->kinetic_energy + r->potential_energy + r->energy_removed),
           "an energy that is not finite");
    demand(!isnan(r->residual.natural_relative), "a residual that is no number");
    demand(r->status == MO_SOLVED || r->message.text[0], "an unsolved step without a reason");
    demand(r->status != MO_SOLVED || r->residual.natural_relative <= r->tolerance,
           "a solved step above its tolerance");
}

/* A step without a solution says how many solves it took: its limit, and those of one round. */
static void demand_limit(const mo_step_report *r)
{
    enum { MOST = 20, IN_A_ROUND = 10 };
    const char *at = strstr(r->message.text, " solves found no solution, and no more were tried");
    while (at && at > r->message.text && at[-1] >= '0' && at[-1] <= '9')
        --at;
    demand(!at || atoi(at) <= MOST + IN_A_ROUND, "a step beyond its limit of solves");
}

static fuzz_outcome step_once(fuzz_place *p, double h)
{
    fuzz_keep(p, 0);
    const double start = thread_seconds(), time = mo_world_time(p->world);
    const mo_error error = mo_world_step(p->world, h, &p->report, &p->why);
    note_longest(p, thread_seconds() - start);
    if (error) {
        demand(mo_world_time(p->world) == time, "a refused step took time");
        return FUZZ_REFUSED;
    }
    p->h = h;
    demand_report(&p->report);
    demand_limit(&p->report);
    demand(p->report.is_waiting ? mo_world_time(p->world) == time : mo_world_time(p->world) >= time,
           "time went wrong");
    return FUZZ_TAKEN;
}

static fuzz_outcome step(fuzz_place *p)
{
    const double h = step_size(p);
    fuzz_outcome last = FUZZ_TAKEN;
    for (int k = fuzz_below(p, 8); k >= 0 && last == FUZZ_TAKEN; --k)
        last = step_once(p, h);
    return last;
}

/* With limits that pass at once, and with other calls while the step waits. */
static fuzz_outcome step_in_pieces(fuzz_place *p)
{
    mo_world_def def = mo_world_definition(p->world);
    const double limits[] = {0, 1e-9, 1e-5};
    def.solver.time_limit = limits[fuzz_below(p, 3)];
    p->is_timed = 1;
    if (mo_world_change(p->world, &def, NULL) != MO_OK) return FUZZ_TAKEN;
    const int most = 1 + fuzz_below(p, 20);
    p->report.is_waiting = 1;
    for (int k = 0; k < most && p->report.is_waiting; ++k)
        if (step_once(p, 0.01) == FUZZ_REFUSED) return FUZZ_REFUSED;
    return FUZZ_TAKEN;
}

static fuzz_outcome step_two_worlds(fuzz_place *p)
{
    mo_world *worlds[2] = {p->world, p->twin};
    mo_batch_report reports[2];
    if (!p->twin) {
        const mo_world_def def = fuzz_definition(p);
        const mo_shape_def ball = mo_shape_ball(0.5);
        if (mo_world_create(&def, NULL, &p->twin, NULL) == MO_OK)
            mo_world_add_solid(p->twin, MO_BODY_FREE, &ball, NULL, NULL);
        return FUZZ_TAKEN;
    }
    /* the other world may have been stepped where this one refuses: its own state is judged */
    (void)mo_worlds_step(worlds, 2, step_size(p), 1 + fuzz_below(p, 3), 2, reports, &p->why);
    return FUZZ_TAKEN;
}

/* ---- states and recordings ------------------------------------------------------------------- */

static fuzz_outcome save(fuzz_place *p)
{
    const size_t size = mo_world_save(p->world, NULL, 0);
    void *state = malloc(size);
    demand(state && mo_world_save(p->world, state, size) == size, "no state");
    free(p->state);
    p->state = state;
    p->state_size = size;
    return FUZZ_TAKEN;
}

/* Of this world; if bodies have come or gone since, it is refused. */
static fuzz_outcome load(fuzz_place *p)
{
    if (!p->state) return FUZZ_TAKEN;
    const size_t size = fuzz_below(p, 8) ? p->state_size : (size_t)fuzz_below(p, 1 << 10);
    return of(
        mo_world_load(p->world, p->state, size < p->state_size ? size : p->state_size, &p->why));
}

static fuzz_outcome load_into_itself(fuzz_place *p)
{
    (void)save(p);
    const mo_error error = mo_world_load(p->world, p->state, p->state_size, &p->why);
    demand(!error, p->why.text);
    return FUZZ_TAKEN;
}

static fuzz_outcome record(fuzz_place *p)
{
    if (!p->is_recording || fuzz_below(p, 8) == 0) {
        mo_recording_clear(&p->recording);
        const mo_error error = mo_recording_begin(&p->recording, p->world, NULL, &p->why);
        p->is_recording = !error;
        return of(error);
    }
    const int is_first = p->recording.frame_count == 0 && fuzz_below(p, 2);
    return of(mo_recording_add(&p->recording, p->world, is_first ? 0 : p->h,
                               is_first ? NULL : &p->report, &p->why));
}

/* What was written is read, and is the same. */
static fuzz_outcome write_recording(fuzz_place *p)
{
    mo_recording back;
    if (!p->is_recording || fuzz_below(p, 4)) return FUZZ_TAKEN;
    if (mo_recording_write(p->path, &p->recording, &p->why) != MO_OK) return FUZZ_REFUSED;
    const mo_error error = mo_recording_read(p->path, NULL, &back, &p->why);
    demand(!error, error ? p->why.text : "");
    demand(back.frame_count == p->recording.frame_count &&
               back.contact_count == p->recording.contact_count &&
               back.shape_count == p->recording.shape_count,
           "a recording that comes back otherwise");
    mo_recording_clear(&back);
    remove(p->path);
    return FUZZ_TAKEN;
}

static fuzz_outcome record_to_a_file(fuzz_place *p)
{
    mo_recorder *recorder = NULL;
    mo_error error = fuzz_below(p, 8)
                         ? MO_OK
                         : mo_recorder_create(p->path, p->world, "calls", NULL, &recorder, &p->why);
    if (!error && recorder) {
        for (int k = 0; k < 3 && !error; ++k) {
            error = mo_recorder_add(recorder, p->world, k ? 0.01 : 0, NULL, &p->why);
            (void)mo_world_step(p->world, 0.01, NULL, NULL);
        }
        error = mo_recorder_finish(recorder, error ? NULL : &p->why) || error ? error : MO_OK;
        remove(p->path);
        return FUZZ_TAKEN; /* the steps have changed the world */
    }
    return of(error);
}

/* ---- questions ------------------------------------------------------------------------------- */

static fuzz_outcome find_forces(fuzz_place *p)
{
    mo_forces forces = {0};
    mo_force_options options = mo_default_force_options();
    options.friction = (mo_friction_model)fuzz_below(p, 2);
    options.softness = fuzz_below(p, 2) ? 0 : fuzz_number(p, 0, 1e-3);
    options.gap = fuzz_below(p, 2) ? 0 : fuzz_number(p, 0, 1e-2);
    options.solver.max_iter = 100;
    const mo_error error = mo_world_forces(p->world, &options, &forces, &p->why);
    for (int k = 0; !error && k < forces.body_count; ++k) {
        demand(!isnan(forces.accelerations[k][0] + forces.accelerations[k][5]),
               "an acceleration that is no number");
    }
    mo_forces_clear(&forces);
    return of(error);
}

static fuzz_outcome query(fuzz_place *p)
{
    double points[48], origin[3], direction[3];
    int indices[96], count = 0;
    mo_ray_hit hit;
    mo_proximity found[4];
    const mo_shape_def shape = fuzz_shape(p, points, indices);
    const mo_pose pose = fuzz_pose(p);
    fuzz_numbers(p, -2, 2, 3, origin);
    fuzz_numbers(p, -1, 1, 3, direction);
    switch (fuzz_below(p, 3)) {
    case 0:
        return of(mo_world_cast_ray(p->world, origin, direction, fuzz_number(p, 0, 10), NULL, &hit,
                                    &p->why));
    case 1:
        return of(mo_world_overlap(p->world, &shape, &pose, fuzz_number(p, 0, 0.5), NULL, found, 4,
                                   &count, &p->why));
    default:
        return of(mo_world_distance(p->world, fuzz_body(p), fuzz_body(p), fuzz_number(p, 0, 10),
                                    found, &p->why));
    }
}

static fuzz_outcome differentiate(fuzz_place *p)
{
    const mo_problem *problem = mo_world_problem(p->world);
    const mo_result *result = mo_world_result(p->world);
    mo_gradient *gradient = NULL;
    if (!problem || !result || !result->r || mo_problem_row_count(problem) > 60) return FUZZ_TAKEN;
    const mo_error error = mo_gradient_create(problem, result->r, &gradient, &p->why);
    mo_gradient_destroy(gradient);
    return of(error);
}

static fuzz_outcome read_contacts(fuzz_place *p)
{
    mo_contact contacts[8];
    double force[3], moment[3];
    const mo_body_id body = fuzz_body(p);
    const int count = mo_world_contacts(p->world, contacts, 8);
    demand(count == mo_world_contact_count(p->world), "contacts are counted otherwise");
    (void)mo_body_contacts(p->world, body, contacts, 8);
    for (int k = 0; k < count && k < 8; ++k) {
        const mo_contact c = mo_world_contact(p->world, k);
        demand(!isnan(c.impulse[0] + c.impulse[1] + c.impulse[2] + c.gap + c.normal[0]),
               "a contact that is no number");
    }
    const mo_energy energy = mo_world_energy(p->world);
    demand(isfinite(energy.translation + energy.rotation), "an energy that is not finite");
    demand(mo_world_penetration(p->world) >= 0, "a penetration below zero");
    (void)mo_world_relative_penetration(p->world);
    return of(mo_body_contact_force(p->world, body, force, moment, &p->why));
}

static fuzz_outcome follow_events(fuzz_place *p)
{
    const mo_error error = mo_events_update(p->events, p->world, &p->why);
    for (int k = 0; k < mo_events_count(p->events); ++k)
        demand(mo_events_get(p->events, k).b.index > 0, "an event of no body");
    return of(error);
}

static fuzz_outcome read_mechanism(fuzz_place *p)
{
    double M[36 * 36], x[36], y[36], J[6 * 36], at[3];
    const mo_mechanism_id id = fuzz_mechanism(p);
    const mo_mechanism_info info = mo_mechanism_get(p->world, id);
    if (info.v_count > 36) return FUZZ_TAKEN;
    fuzz_numbers(p, -1, 1, 36, x);
    fuzz_numbers(p, -1, 1, 3, at);
    for (int k = -1; k <= info.actuator_count; ++k) {
        (void)mo_mechanism_actuator(p->world, id, k);
        (void)mo_mechanism_joint(p->world, id, k);
        (void)mo_mechanism_tendon(p->world, id, k);
    }
    switch (fuzz_below(p, 5)) {
    case 0:
        return of(mo_mechanism_mass_matrix(p->world, id, M, &p->why));
    case 1:
        return of(mo_mechanism_inverse(p->world, id, x, y, &p->why));
    case 2:
        return of(mo_mechanism_forward(p->world, id, x, y, &p->why));
    case 3:
        return of(mo_mechanism_drift(p->world, id, fuzz_below(p, 6) - 1, at, x, &p->why));
    default:
        return of(mo_mechanism_jacobian(p->world, id, fuzz_below(p, 6) - 1, at, J, &p->why));
    }
}

const fuzz_call FUZZ_STEP_CALLS[] = {
    {"mo_world_step", 14, step},
    {"mo_world_step, in pieces", 2, step_in_pieces},
    {"mo_worlds_step", 1, step_two_worlds},
    {"mo_world_save", 2, save},
    {"mo_world_load", 2, load},
    {"mo_world_load, its own", 1, load_into_itself},
    {"mo_recording_add", 2, record},
    {"mo_recording_write", 1, write_recording},
    {"mo_recorder", 1, record_to_a_file},
    {"mo_world_forces", 1, find_forces},
    {"mo_query", 2, query},
    {"mo_gradient_create", 1, differentiate},
    {"mo_world_contacts", 2, read_contacts},
    {"mo_events_update", 1, follow_events},
    {"mo_mechanism", 2, read_mechanism},
};
const int FUZZ_STEP_COUNT = sizeof FUZZ_STEP_CALLS / sizeof *FUZZ_STEP_CALLS;
