/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * One solve of a step: assembles and solves the problem, and reads velocities and impulses back.
 *
 * If no solution is found, the solve is eased: first by leaving errors of position, as a body in a
 * wedge that friction locks cannot be pushed out of it (with w >= 0 and nothing kinematic, v = 0 is
 * admissible and a solution exists); then by less friction in islands that kinematic bodies push,
 * which jam by it.  If the last iterate still adds energy, contacts get a compliance C, and (u + C
 * r, r) obeys the law.  Such a problem has a solution, with u' r <= 0.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/pace.h"
#include "linalg/vec3.h"
#include "sim/world_data.h"

static const double GAIN = 1e-6; /* of the energy of motion: rounding and tolerance */
/* Residual above which there is no solution; contacts then become compliant, by these factors of
 * their response to their own impulse. */
static const double NO_ANSWER = 1e-5, STIFFEST = 1e-4, SOFTER = 100, SOFTEST = 1.001;
static const double SOFTNESS = 0.01; /* relative to the response of a contact to its own impulse */
/* Relative residuals: a solution to the first adds no energy; the second is for worlds in which
 * joints or prescribed motions may. */
static const double FINE = 1e-12, LESS_FINE = 1e-8;
/* Part of friction that is given up by `ease`; a jam that is left then is none by friction. */
enum { EASES = 5 };
static const double SMOOTH[EASES] = {0, 0, 0.5, 0.9, 0.99};
enum {
    FEW = 64,       /* constraints: up to this many, another solve is cheap */
    FORM_ROUNDS = 2 /* in which single joints become rows; then all do */
};

/* Does a link touch a shape from which it has no impulse of the last step?  Contacts are sorted by
 * shapes. */
static int has_new_link_contact(const mo_world *world)
{
    const mo_sim_contact *list = world->contacts.at; /* NULL if there are none */
    for (int k = 0; k < world->contacts.count;) {
        const mo_sim_contact *first = &list[k];
        const int has_link = world->body[first->body[0]].kind == MO_BODY_LINK ||
                             world->body[first->body[1]].kind == MO_BODY_LINK;
        int is_new = 1, is_taken = 0;
        for (; k < world->contacts.count && list[k].shape[0] == first->shape[0] &&
               list[k].shape[1] == first->shape[1];
             ++k) {
            is_new &= list[k].is_new && mo_vec3_dot(list[k].impulse, list[k].impulse) == 0;
            is_taken |= mo_contact_is_taken(&list[k]);
        }
        if (has_link && is_new && is_taken) return 1;
    }
    return 0;
}

/*
 * If a link has few degrees of freedom, the forces on a face are undetermined: they may act at one
 * corner, about which the other body then rotates, or be distributed and hold it; both obey
 * Coulomb's law.  A small compliance distributes them.  New contacts of links start from that
 * solution, which is passed on from step to step; the step itself is solved without compliance.
 */
static mo_error spread_forces(mo_world *world, double h, mo_message *why)
{
    const mo_phase phase = {.kind = MO_PHASE_STEP, .h = h, .softness = SOFTNESS};
    MO_TRY(mo_assemble(world, &phase, why));
    return mo_find_start(world, h, why);
}

static int is_small(const mo_world *world)
{
    return mo_team_constraints(world) <= FEW;
}

/* The problem of the step and its initial impulses. */
static mo_error assemble(mo_world *world, double h, int may_spread, mo_message *why)
{
    const mo_phase phase = {.kind = MO_PHASE_STEP, .h = h};
    const int spreads = may_spread && is_small(world) && has_new_link_contact(world);
    mo_error error = spreads ? spread_forces(world, h, why) : MO_OK;
    error = error ? error : mo_assemble(world, &phase, why);
    if (!error && spreads) { /* the same constraints in the same order */
        memcpy(world->start, world->result.r,
               (size_t)world->result.row_count * sizeof *world->start);
    }
    return error;
}

static int has_ended_early(const mo_world *world)
{
    return world->result.status == MO_STALLED || world->result.status == MO_ITERATION_LIMIT;
}

/* Was no solution found, not even to a few digits? */
static int has_no_answer(const mo_world *world)
{
    const double most = fmax(NO_ANSWER, 10 * world->step.tol);
    return world->result.status == MO_NO_SOLUTION ||
           (has_ended_early(world) && !(world->result.residual.natural_relative <= most));
}

/* Energy in J that the solution adds to a body beyond the work of the forces on it, and the
 * energies it is compared with. */
static double gain_of(const mo_world *world, const mo_sim_body *body, double h, double *all)
{
    const double fall = h * mo_vec3_norm(world->def.gravity);
    const double before = mo_body_kinetic(world, body, body->start_v),
                 after = mo_body_kinetic(world, body, body->next_v);
    *all = before + after + body->mass * fall * fall;
    return after - before - h * body->mass * mo_vec3_dot(world->def.gravity, body->next_v) -
           h * (mo_vec3_dot(body->force, body->next_v) +
                mo_vec3_dot(body->force + 3, body->next_v + 3));
}

static int is_counted(const mo_sim_body *body)
{
    return body->block != MO_NONE && body->mechanism == MO_NONE && !body->is_ghost;
}

/* In a team terms are multiples of a unit, whose sum is exact; else this is zero. */
static double unit_of(const mo_world *world, double h, mo_gain_of *gain)
{
    const double fine = 0x1p-40;
    double most = 0, all;
    for (int k = 0; k < world->living_count && world->team; ++k) {
        const mo_sim_body *body = world->body + world->living[k];
        if (is_counted(body)) {
            (void)gain(world, body, h, &all);
            most = fmax(most, all);
        }
    }
    return world->team ? fine * mo_team_largest(world, most) : 0;
}

double mo_gain_sum(const mo_world *world, double h, double part, mo_gain_of *gain)
{
    const double unit = unit_of(world, h, gain);
    double sum = 0, all = 0, of_body;
    int64_t units = 0;
    for (int k = 0; k < world->living_count; ++k) {
        const mo_sim_body *body = world->body + world->living[k];
        mo_pace_every(k + 1, 256);
        if (is_counted(body)) {
            const double own = gain(world, body, h, &of_body);
            units += unit > 0 ? (int64_t)((own - part * of_body) / unit) : 0;
            sum += own;
            all += of_body;
        }
    }
    return world->team ? unit * (double)mo_team_sum(world, units) : sum - part * all;
}

int mo_answer_gains(const mo_world *world, double h, double part)
{
    return mo_gain_sum(world, h, part, gain_of) > 0;
}

/* May joints, mechanisms or prescribed motions add energy? */
static int is_fed(const mo_world *world)
{
    return world->has_driven || world->jointed_count > 0 || world->mechanism_count > 0;
}

/*
 * Does the last iterate add energy?  What kinematic bodies supply does not count in a problem of
 * many constraints, whose solve the limit of iterations ends: the iterate then keeps shapes apart
 * far better than compliant contacts do.
 */
static int adds_energy(mo_world *world, double h)
{
    const int is_driven =
        world->has_driven && !is_small(world) && world->result.status != MO_NO_SOLUTION;
    return mo_answer_gains(world, h, GAIN) && (!is_driven || mo_islands_gain(world, h, GAIN));
}

/* Is there no solution, or an early end with few constraints, which may add energy? */
static int is_poor(mo_world *world, double h)
{
    const int ends_small = is_small(world) && !is_fed(world) && has_ended_early(world);
    return (has_no_answer(world) || ends_small) &&
           (world->mechanism_count > 0 || adds_energy(world, h));
}

/* If the law has no solution, or none was found, the last iterate may add energy.  Compliant
 * contacts have a solution, with u' r <= 0, which does not.  The stiffest compliance that is solved
 * is used; status and message remain those of the hard contacts. */
static mo_error give_way(mo_world *world, double h, mo_step_report *report, mo_message *why)
{
    const mo_status status = world->result.status;
    const mo_message message = world->result.message;
    mo_error error = MO_OK;
    report->is_compliant = 0;
    const double first = mo_step_is_spent(&world->step) ? 1 : STIFFEST;
    for (double softness = first; !error && softness <= SOFTEST && !report->is_compliant;
         softness *= SOFTER) {
        const mo_phase phase = {.kind = MO_PHASE_STEP, .h = h, .softness = softness};
        error = mo_team_agree(world, mo_assemble(world, &phase, why), why);
        error = error ? error : mo_find_impulses(world, h, 0, why);
        if (!error) {
            report->iterations += world->result.iterations;
            mo_assemble_answer(world, h);
            report->is_compliant = !is_poor(world, h);
        }
    }
    world->result.status = status;
    if (!error && report->is_compliant)
        mo_say(&world->result.message, "%.300s; contacts are compliant instead", message.text);
    else
        world->result.message = message;
    return error;
}

/*
 * The residual has the unit of impulses, and a tolerance may allow errors on a light body that are
 * a large part of its momentum: a rod of 0.03 g at 100 m/s, solved to 1e-6, may end with several
 * times its energy, and one of a milligram at 6 m/s, solved to 1e-8, with a thousandth more.  With
 * few constraints the solve is then continued.
 */
static mo_error solve_on(mo_world *world, double h, mo_step_report *report, mo_message *why)
{
    mo_result *result = &world->result;
    const double tol = world->def.solver.tol;
    const double finer = is_fed(world) ? LESS_FINE : FINE;
    if (result->status != MO_SOLVED || !(tol > finer) || !is_small(world) ||
        !mo_answer_gains(world, h, GAIN))
        return MO_OK;
    memcpy(world->start, result->r, (size_t)result->row_count * sizeof *world->start);
    world->step.finer_tol = finer;
    const mo_error error = mo_find_impulses(world, h, 1, why);
    world->step.finer_tol = 0;
    report->iterations += error ? 0 : result->iterations;
    if (!error && result->residual.natural_relative <= tol) result->status = MO_SOLVED;
    mo_assemble_answer(world, h);
    return error;
}

/* ---- solutions that are eased ---------------------------------------------------------------- */

double mo_step_friction(const mo_world *world, const mo_sim_contact *contact)
{
    if (!(world->step.smooth > 0)) return 1;
    const mo_island_facts *island = mo_island_of_contact(world, contact);
    return world->team || (island && island->is_driven) ? 1 - world->step.smooth : 1;
}

static void set_ease(mo_step *step, int ease)
{
    step->ease = ease;
    step->smooth = SMOOTH[ease];
    step->report.friction_reduced = step->smooth;
}

/* Was no solution found, and is there something else to give up?  Rounds that close joints need not
 * be solved. */
static int may_ease(const mo_world *world)
{
    const mo_step *step = &world->step;
    const int is_pushed = mo_team_any(world, step->has_pushed),
              corrects = mo_team_any(world, step->has_corrections);
    const int most = is_pushed ? EASES - 1 : corrects ? 1 : 0;
    return (has_ended_early(world) || world->result.status == MO_NO_SOLUTION) &&
           step->most_iterations == 0 && step->ease < most && !mo_step_is_spent(step);
}

/* The tolerances of a round; after steps without a solution it is eased from the start. */
static mo_error prepare(mo_world *world)
{
    mo_step *step = &world->step;
    MO_TRY(mo_accuracy_choose(world, step->h));
    if (step->ease == 0 && mo_step_is_spared(world)) set_ease(step, 1);
    step->has_corrections = step->has_pushed = 0;
    return step->smooth > 0 ? mo_accuracy_islands(world) : MO_OK;
}

/* Writes the solution to next_v and impulses.  Solves again if it contradicts the assumed
 * friction of joints (mechanism_friction.c), or was not found with it. */
static mo_error find_answer(mo_world *world, int from_start, mo_message *why)
{
    mo_step *step = &world->step;
    int is_wrong = 1;
    for (int round = 0; is_wrong; ++round) {
        const double start = mo_work_clock();
        MO_TRY(prepare(world) ? mo_fail_memory(why) : MO_OK);
        const mo_error assembled =
            mo_team_agree(world, assemble(world, step->h, from_start && round == 0, why), why);
        step->report.seconds_assemble += mo_work_clock() - start;
        MO_TRY(assembled);
        MO_TRY(mo_find_impulses(world, step->h, from_start, why));
        step->report.iterations += world->result.iterations;
        mo_assemble_answer(world, step->h);
        is_wrong = mo_mechanisms_release(world, step->h, world->result.status != MO_SOLVED);
        if (is_wrong && round >= FORM_ROUNDS) mo_mechanisms_release(world, step->h, 1);
    }
    return MO_OK;
}

mo_error mo_step_solve(mo_world *world, mo_message *why)
{
    mo_step *step = &world->step;
    mo_step_report *report = &step->report;
    mo_error error = find_answer(world, 1, why);
    while (!error && may_ease(world)) { /* impulses that have no solution may be without bounds */
        set_ease(step, step->ease + 1);
        error = find_answer(world, 0, why);
    }
    ++report->rounds;
    report->is_compliant = 0;
    report->energy_removed = 0;
    MO_TRY(error);
    error = solve_on(world, step->h, report, why);
    if (!error && is_poor(world, step->h)) error = give_way(world, step->h, report, why);
    const int may_gain = world->result.status != MO_SOLVED ||
                         (is_small(world) && mo_answer_gains(world, step->h, GAIN));
    if (!error && may_gain && mo_islands_remove_gain(world, step->h)) error = mo_fail_memory(why);
    return error ? error : mo_team_share(world, MO_SHARED_VELOCITY) ? mo_fail_memory(why) : MO_OK;
}
