/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * `moreau bench levels`: convergence of time stepping and of the acceleration level (--level
 * acceleration) as the step size goes to zero.
 *
 *   pendulum       a rod of 1 m falls from the horizontal, as a mechanism; 1 s
 *   chain          the scene: twenty bodies with ball joints fall from the horizontal; 0.4 s
 *   block          slides at 1 m/s on a floor with mu = 0.5 and stops; 0.5 s
 *   biped          a planar torso on two legs, whose servos yield under its weight; 0.2 s
 *   slider-crank   the scene: a motor and a loop closed by joints; 0.4 s
 *
 * The error is the largest distance of a body's centre, at the end, from a reference run at the
 * acceleration level with the step REFERENCE.  `order` is the slope of a line fitted to (log step,
 * log error) over STEPS.
 *
 * With --out: levels.csv and the figure levels.svg.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "asked.h"
#include "bench.h"
#include "exit_status.h"
#include "experiments.h"
#include "json.h"
#include "levels_gp.h"
#include "machine.h"
#include "moreau/moreau.h"
#include "text.h"
#include "worlds.h"

#include "plot.h"
#include "sheet.h"

static const char *const COMMAND = "bench";

enum { STEP_COUNT = 4, BODIES_MOST = 64 };
static const double STEPS[STEP_COUNT] = {4e-3, 2e-3, 1e-3, 5e-4};
static const double REFERENCE = 6.25e-5;
static const double NEGLIGIBLE = 1e-10; /* m */

typedef struct levels_case {
    const char *name;
    double time;
    mo_error (*build)(mo_world **world, mo_message *why);
} levels_case;

/* Positions at the end. */
typedef struct ending {
    int count;
    double centre[BODIES_MOST][3];
    double seconds; /* of processor, a step */
    int unsolved;
} ending;

typedef struct levels_row {
    const char *name;
    double step;
    double velocity, acceleration, between; /* distances, m */
    double seconds[2];                      /* a step, of each */
    int unsolved;
} levels_row;

/* ---- the worlds ------------------------------------------------------------------------------ */

static mo_error build_pendulum(mo_world **world, mo_message *why)
{
    const mo_world_def def = mo_default_world();
    const mo_error error = mo_world_create(&def, NULL, world, why);
    mo_link_def link = mo_default_link(-1);
    mo_axis_def joint = mo_default_axis(MO_AXIS_REVOLUTE, 0);
    mo_mechanism_def rod = mo_default_mechanism();
    link.mass = 1;
    link.centre[0] = 0.5;
    link.inertia[0] = 1e-3;
    link.inertia[1] = link.inertia[2] = 1.0 / 12;
    joint.axis[1] = 1;
    joint.axis[2] = 0;
    rod.links = &link;
    rod.joints = &joint;
    rod.link_count = rod.joint_count = 1;
    return error                                                  ? error
           : mo_world_add_mechanism(*world, &rod, why).index == 0 ? MO_ERR_ARGUMENT
                                                                  : MO_OK;
}

static mo_error build_chain(mo_world **world, mo_message *why)
{
    return world_create_default("chain", world, why);
}

static mo_error build_slider_crank(mo_world **world, mo_message *why)
{
    return world_create_default("slider-crank", world, why);
}

static int add_shape(mo_world *world, mo_body_id body, mo_shape_def shape, double mu,
                     mo_message *why)
{
    shape.material.friction = mu;
    return body.index && mo_world_add_shape(world, body, &shape, why).index;
}

static int add_floor(mo_world *world, double mu, mo_message *why)
{
    const mo_body_def def = mo_default_body(MO_BODY_FIXED);
    return add_shape(world, mo_world_add_body(world, &def, why), mo_shape_plane(), mu, why);
}

static mo_error build_block(mo_world **world, mo_message *why)
{
    const mo_world_def def = mo_default_world();
    const mo_error error = mo_world_create(&def, NULL, world, why);
    if (error) return error;
    mo_body_def block = mo_default_body(MO_BODY_FREE);
    block.pose = mo_pose_at(0, 0, 0.02);
    block.velocity[0] = 1;
    const int is_built =
        add_floor(*world, 0.5, why) && add_shape(*world, mo_world_add_body(*world, &block, why),
                                                 mo_shape_box(0.2, 0.15, 0.02), 0.5, why);
    return is_built ? MO_OK : MO_ERR_ARGUMENT;
}

/* Links: torso, then thigh and shank of each leg; each shank has a round foot.  Knees are bent a
 * little. */
static mo_error build_biped(mo_world **world, mo_message *why)
{
    enum { LINKS = 5 };
    const double bend = 0.3, leg = 0.4, foot = 0.03;
    const mo_world_def planar = mo_default_planar_world();
    mo_error error = mo_world_create(&planar, NULL, world, why);
    mo_link_def link[LINKS];
    mo_axis_def joint[LINKS];
    mo_actuator_def servo[LINKS - 1];
    for (int k = 0; k < LINKS; ++k) {
        const int is_shank = k > 0 && k % 2 == 0;
        link[k] = mo_default_link(k == 0 ? -1 : is_shank ? k - 1 : 0);
        link[k].mass = k == 0 ? 10 : 2;
        link[k].centre[1] = k == 0 ? 0.2 : -leg / 2;
        link[k].inertia[2] = k == 0 ? 0.2 : 0.03;
        link[k].pose = mo_pose_planar(k == 1 ? -0.1 : k == 3 ? 0.1 : 0, is_shank ? -leg : 0, 0);
        joint[k] = mo_default_axis(k == 0 ? MO_AXIS_PLANAR : MO_AXIS_REVOLUTE, k);
        joint[k].initial = k == 0 ? 0 : is_shank ? -2 * bend : bend;
        joint[k].damping = k == 0 ? 0 : 0.5;
        if (k > 0) {
            servo[k - 1] = mo_actuator_position(k, 400, 20);
            servo[k - 1].target = joint[k].initial;
        }
    }
    mo_mechanism_def def = mo_default_mechanism();
    def.links = link;
    def.joints = joint;
    def.link_count = def.joint_count = LINKS;
    def.actuators = servo;
    def.actuator_count = LINKS - 1;
    const mo_mechanism_id biped =
        error ? (mo_mechanism_id){0} : mo_world_add_mechanism(*world, &def, why);
    int is_built = biped.index && add_floor(*world, 0.8, why);
    double q[LINKS + 2] = {0, 2 * leg * cos(bend) + foot, 0, bend, -2 * bend, bend, -2 * bend};
    for (int k = 2; k < LINKS && is_built; k += 2) {
        mo_shape_def ball = mo_shape_ball(foot);
        ball.pose = mo_pose_planar(0, -leg, 0);
        is_built = add_shape(*world, mo_mechanism_link(*world, biped, k), ball, 0.8, why);
    }
    error = is_built ? mo_mechanism_set(*world, biped, q, NULL, why) : MO_ERR_ARGUMENT;
    return error;
}

static const levels_case CASES[] = {{"pendulum", 1, build_pendulum},
                                    {"chain", 0.4, build_chain},
                                    {"block", 0.5, build_block},
                                    {"biped", 0.2, build_biped},
                                    {"slider-crank", 0.4, build_slider_crank}};
enum { CASE_COUNT = sizeof CASES / sizeof *CASES };

/* ---- running --------------------------------------------------------------------------------- */

static mo_error run(const levels_case *which, mo_level level, double h, ending *end,
                    mo_message *why)
{
    mo_world *world = NULL;
    mo_error error = which->build(&world, why);
    if (!error) {
        mo_world_def def = mo_world_definition(world);
        def.level = level;
        error = mo_world_change(world, &def, why);
    }
    const int steps = (int)lround(which->time / h);
    const double start = machine_processor_clock();
    *end = (ending){.count = 0};
    for (int k = 0; k < steps && !error; ++k) {
        mo_step_report report;
        error = mo_world_step(world, h, &report, why);
        end->unsolved += !error && report.status != MO_SOLVED;
    }
    end->seconds = (machine_processor_clock() - start) / steps;
    for (int k = 0; !error && k < mo_world_body_count(world) && k < BODIES_MOST; ++k) {
        const mo_body_state body = mo_body_get(world, mo_world_body(world, k));
        memcpy(end->centre[end->count++], body.centre, sizeof body.centre);
    }
    mo_world_destroy(world);
    return error;
}

static double distance(const ending *a, const ending *b)
{
    double most = 0;
    for (int k = 0; k < a->count; ++k) {
        const double *x = a->centre[k], *y = b->centre[k];
        most = fmax(most, hypot(hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]));
    }
    return most;
}

static mo_error measure(const levels_case *which, levels_row *rows, mo_message *why)
{
    ending reference, by[2];
    mo_error error = run(which, MO_LEVEL_ACCELERATION, REFERENCE, &reference, why);
    for (int k = 0; k < STEP_COUNT && !error; ++k) {
        error = run(which, MO_LEVEL_VELOCITY, STEPS[k], by, why);
        error = error ? error : run(which, MO_LEVEL_ACCELERATION, STEPS[k], by + 1, why);
        rows[k] = (levels_row){.name = which->name,
                               .step = STEPS[k],
                               .velocity = distance(by, &reference),
                               .acceleration = distance(by + 1, &reference),
                               .between = distance(by, by + 1),
                               .seconds = {by[0].seconds, by[1].seconds},
                               .unsolved = by[0].unsolved + by[1].unsolved};
    }
    return error;
}

/* The slope of a line through the logarithms, of the distance at this offset of a row. */
static double order_of(const levels_row *rows, size_t field)
{
    double x = 0, y = 0, xx = 0, xy = 0;
    for (int k = 0; k < STEP_COUNT; ++k) {
        const double a = log(rows[k].step),
                     b = log(fmax(*(const double *)((const char *)(rows + k) + field), 1e-300));
        x += a / STEP_COUNT;
        y += b / STEP_COUNT;
        xx += a * a / STEP_COUNT;
        xy += a * b / STEP_COUNT;
    }
    return (xy - x * y) / (xx - x * x);
}

/* ---- output ---------------------------------------------------------------------------------- */

static void put_json(const levels_row *rows)
{
    json j = json_begin(stdout);
    json_object(&j, NULL);
    json_text(&j, "bench", "levels");
    json_number(&j, "reference_step", REFERENCE);
    json_array(&j, "rows");
    for (int k = 0; k < CASE_COUNT * STEP_COUNT; ++k) {
        json_object(&j, NULL);
        json_text(&j, "case", rows[k].name);
        json_number(&j, "step", rows[k].step);
        json_number(&j, "velocity", rows[k].velocity);
        json_number(&j, "acceleration", rows[k].acceleration);
        json_number(&j, "between", rows[k].between);
        json_number(&j, "velocity_seconds", rows[k].seconds[0]);
        json_number(&j, "acceleration_seconds", rows[k].seconds[1]);
        json_whole(&j, "unsolved", rows[k].unsolved);
        json_object_end(&j);
    }
    json_array_end(&j);
    json_object_end(&j);
    json_end(&j);
}

/* Of distances above rounding. */
static void put_order(const levels_row *rows, size_t field, int width)
{
    const double coarsest = *(const double *)((const char *)rows + field);
    if (coarsest > NEGLIGIBLE)
        printf(" %*.2f", width, order_of(rows, field));
    else
        printf(" %*s", width, "-");
}

static void put_text(const levels_row *rows)
{
    printf("distance in m to a run by forces with a step of %g s, and microseconds a step\n\n"
           "%-13s %8s %11s %13s %11s %10s %13s\n",
           REFERENCE, "case", "step s", "velocity", "acceleration", "between", "velocity",
           "acceleration");
    for (int c = 0; c < CASE_COUNT; ++c) {
        const levels_row *own = rows + (size_t)c * STEP_COUNT;
        for (int k = 0; k < STEP_COUNT; ++k) {
            printf("%-13s %8g %11.2e %13.2e %11.2e %10.1f %13.1f%s\n", own[k].name, own[k].step,
                   own[k].velocity, own[k].acceleration, own[k].between, 1e6 * own[k].seconds[0],
                   1e6 * own[k].seconds[1], own[k].unsolved ? "  NOT ALL SOLVED" : "");
        }
        printf("%-13s %8s", "", "order");
        put_order(own, offsetof(levels_row, velocity), 11);
        put_order(own, offsetof(levels_row, acceleration), 13);
        put_order(own, offsetof(levels_row, between), 11);
        printf("\n\n");
    }
}

static int write_files(const levels_row *rows, const char *folder)
{
    char path[1024];
    snprintf(path, sizeof path, "%.900s/levels.csv", folder);
    FILE *file = sheet_make_folder(folder) ? fopen(path, "w") : NULL;
    if (!file) {
        say(COMMAND, "%.900s cannot be written: choose another folder after --out", path);
        return 0;
    }
    fprintf(file,
            "case,step,velocity,acceleration,between,velocity seconds,acceleration seconds\n");
    for (int k = 0; k < CASE_COUNT * STEP_COUNT; ++k) {
        fprintf(file, "%s,%g,%.4e,%.4e,%.4e,%.3e,%.3e\n", rows[k].name, rows[k].step,
                rows[k].velocity, rows[k].acceleration, rows[k].between, rows[k].seconds[0],
                rows[k].seconds[1]);
    }
    const int is_written = fclose(file) == 0;
    const plot_outcome drawn = plot_draw(folder, levels_gp, sizeof levels_gp);
    return plot_explain(drawn, folder) == 0 && is_written;
}

int bench_levels(const struct experiment_call *asked)
{
    levels_row rows[CASE_COUNT * STEP_COUNT];
    if (asked_folder(COMMAND, asked->out)) return EXIT_FAILED;
    for (int c = 0; c < CASE_COUNT; ++c) {
        mo_message why = {{0}};
        if (measure(CASES + c, rows + (size_t)c * STEP_COUNT, &why)) {
            say(COMMAND, "%s: %s", CASES[c].name, why.text);
            return EXIT_FAILED;
        }
    }
    if (asked->json)
        put_json(rows);
    else
        put_text(rows);
    return !asked->out || write_files(rows, asked->out) ? EXIT_DONE : EXIT_FAILED;
}
