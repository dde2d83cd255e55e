/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Every request for memory fails once, by itself and with all that follow: in a build, a step, a
 * solve with each method, copies of a world, a model, a recording.  Nothing crashes or leaks, the
 * error is that of memory with a sentence, and what failed changed nothing: done again, it gives
 * the same bits.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"

#include "base/error.h"
#include "moreau/moreau.h"
#include "moreau/recording.h"

/* Requests are granted until `left` is zero; then one fails, or all do. */
typedef struct ration {
    long left, live, failed;
    int fails_once;
} ration;

enum { PLENTY = 1000000000, MOST = 20000 /* requests of one job */ };

static void *ration_reallocate(void *user, void *p, size_t size)
{
    ration *memory = user;
    if (size == 0) {
        memory->live -= p != NULL;
        free(p);
        return NULL;
    }
    const long left = memory->left--;
    if (memory->fails_once ? left == 0 : left <= 0) {
        memory->failed++;
        return NULL;
    }
    void *moved = realloc(p, size);
    memory->live += p == NULL && moved != NULL;
    return moved;
}

enum { COPIED_BALLS = 1, COPIED_BOXES };

typedef struct task task;
/* With memory as the ration has it; an error with its sentence. */
typedef mo_error work_fn(const task *job, const mo_allocator *allocator, mo_message *why);
struct task {
    const char *name;
    work_fn *work;
    const char *method, *path;
    int sleeping, projection;
    int canonical;  /* of the solver's options */
    int copied;     /* what copies of a world (batch.h) consist of; 0: a world without copies */
    int is_tower;   /* the world has one in motion, beside what rests */
    double overlap; /* m: of bodies and what they stand on, at the start */
};

/* Lets each request of the work fail; how many there are. */
static long starve(const task *job)
{
    long requests = 0;
    for (int once = 0; once < 2; ++once) {
        for (long k = 0; k < MOST; k += k < 200 ? 1 : k < 1000 ? 7 : 41) {
            ration memory = {.left = k, .fails_once = once};
            const mo_allocator allocator = {ration_reallocate, &memory};
            mo_message why = {{0}};
            const mo_error error = job->work(job, &allocator, &why);
            if (memory.live != 0)
                fail_msg("%s: request %ld fails, %ld blocks are left", job->name, k, memory.live);
            if (error && (error != MO_ERR_MEMORY || !why.text[0])) {
                fail_msg("%s: request %ld fails: error %d, '%s'", job->name, k, (int)error,
                         why.text);
            }
            requests = k;
            if (memory.failed == 0) {
                CHECK(error == MO_OK);
                break;
            }
        }
    }
    return requests;
}

/* ---- solve ------------------------------------------------------------------------------- */

/* A stack of cubes in the plane of their centres: contacts, some redundant. */
static mo_problem *make_problem(const mo_allocator *allocator)
{
    enum { BODIES = 4 };
    const double M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 0.2}, f[3] = {-0.1, 0.02, 0}, w[2] = {0};
    const mo_law law = mo_law_coulomb(0.6);
    mo_builder *builder;
    mo_problem *problem = NULL;
    if (mo_builder_create(allocator, &builder)) return NULL;
    for (int k = 0; k < BODIES; ++k) {
        mo_builder_add_body(builder, 3, M, f);
        for (int side = -1; side < 2; side += 2) {
            const double below[6] = {-1, 0, -0.5 * side, 0, -1, -0.5},
                         above[6] = {1, 0, 0.5 * side, 0, 1, -0.5};
            const int contact = mo_builder_add_constraint(builder, 2, &law, w);
            mo_builder_add_jacobian(builder, contact, k, 2, 3, above);
            if (k > 0) mo_builder_add_jacobian(builder, contact, k - 1, 2, 3, below);
        }
    }
    mo_builder_finish(builder, &problem, NULL);
    mo_builder_destroy(builder);
    return problem;
}

static mo_error solve(const task *job, const mo_allocator *allocator, mo_message *why)
{
    mo_options options = mo_default_options();
    mo_result result = {0};
    mo_problem *problem = make_problem(allocator);
    if (!problem) {
        snprintf(why->text, sizeof why->text, "the problem was not made");
        return MO_ERR_MEMORY;
    }
    options.method = job->method;
    options.max_iter = 200;
    options.canonical = job->canonical;
    const mo_error error = mo_solve(problem, &options, &result);
    *why = result.message;
    mo_result_clear(&result);
    mo_problem_destroy(problem);
    return error == MO_ERR_UNSUPPORTED ? MO_OK : error;
}

static void every_request_of_every_method_fails_once(void **state)
{
    (void)state;
    for (int k = 0; k < mo_method_count(); ++k) {
        const task one = {.name = mo_method_describe(k).name,
                          .work = solve,
                          .method = mo_method_describe(k).name};
        starve(&one);
    }
}

static void every_request_of_canonical_impulses_fails_once(void **state)
{
    (void)state;
    for (int k = 1; k < 3; ++k) {
        const task one = {.name = "canonical", .work = solve, .method = "auto", .canonical = k};
        starve(&one);
    }
}

/* ---- worlds ------------------------------------------------------------------------------ */

/* Eighteen boxes that slide as one, in 72 contacts, and one that rests: two tolerances. */
static mo_error add_tower(mo_world *world, mo_message *why)
{
    enum { BOXES = 18 };
    const mo_shape_def plane = mo_shape_plane(), box = mo_shape_box(0.5, 0.5, 0.5);
    if (!mo_world_add_solid(world, MO_BODY_FIXED, &plane, NULL, why).index) return MO_ERR_MEMORY;
    for (int k = 0; k <= BOXES; ++k) {
        mo_body_def body = mo_default_body(MO_BODY_FREE);
        body.pose = k < BOXES ? mo_pose_at(0, 0, 0.5 + k) : mo_pose_at(9, 0, 0.5);
        body.velocity[0] = k < BOXES;
        const mo_body_id id = mo_world_add_body(world, &body, why);
        if (!id.index || !mo_world_add_shape(world, id, &box, why).index) return MO_ERR_MEMORY;
    }
    return MO_OK;
}

static mo_error add_bodies(mo_world *world, double overlap, mo_message *why)
{
    const double a[3] = {-0.1, 0, 0}, b[3] = {0.1, 0, 0};
    const double corners[12] = {-0.5, -0.5, -0.5, 0.5, -0.5, -0.5, 0, 0.5, -0.5, 0, 0, 0.5};
    const mo_shape_def shapes[] = {mo_shape_plane(),
                                   mo_shape_box(0.5, 0.5, 0.5),
                                   mo_shape_ball(0.5),
                                   mo_shape_capsule(a, b, 0.4),
                                   mo_shape_cylinder(0.5, 0.5),
                                   mo_shape_hull(corners, 4)};
    mo_body_id last = {0};
    for (int k = 0; k < 6; ++k) {
        mo_body_def body = mo_default_body(k ? MO_BODY_FREE : MO_BODY_FIXED);
        mo_shape_def shape = shapes[k];
        body.pose = mo_pose_at(0.01 * k, 0, k ? k - 0.5 - overlap * k : 0);
        body.name = "body";
        shape.material.restitution = 0.3;
        const mo_body_id id = mo_world_add_body(world, &body, why);
        if (!id.index || !mo_world_add_shape(world, id, &shape, why).index) return MO_ERR_MEMORY;
        if (k == 5) {
            mo_joint_def joint = mo_default_joint(MO_JOINT_REVOLUTE, last, id);
            joint.axis[0] = 1, joint.anchor[2] = 4;
            return mo_world_add_joint(world, &joint, why).index ? MO_OK : MO_ERR_MEMORY;
        }
        last = id;
    }
    return MO_OK;
}

/* Three balls or boxes over a floor, and three copies of them, which are stepped together. */
static mo_error build_copies(const task *job, const mo_allocator *allocator, mo_world **copies,
                             mo_message *why)
{
    const mo_shape_def floor = mo_shape_plane(), box = mo_shape_box(0.1, 0.1, 0.1);
    const mo_shape_def shape = job->copied == COPIED_BALLS ? mo_shape_ball(0.1) : box;
    mo_world *world;
    *copies = NULL;
    MO_TRY(mo_world_create(NULL, allocator, &world, why));
    int is_built = mo_world_add_solid(world, MO_BODY_FIXED, &floor, NULL, why).index != 0;
    for (int k = 0; k < 3 && is_built; ++k) {
        const mo_pose at = mo_pose_at(0.05 * k, 0, 0.1 + 0.2 * k);
        is_built = mo_world_add_solid(world, MO_BODY_FREE, &shape, &at, why).index != 0;
    }
    const mo_error error = is_built ? mo_world_create_copies(world, 3, copies, why) : MO_ERR_MEMORY;
    mo_world_destroy(world);
    return error;
}

static mo_error build_world(const task *job, const mo_allocator *allocator, mo_world **world,
                            mo_message *why)
{
    if (job->copied) return build_copies(job, allocator, world, why);
    mo_world_def def = mo_default_world();
    def.sleeping = job->sleeping;
    def.projection = job->projection;
    const mo_error error = mo_world_create(&def, allocator, world, why);
    return error           ? error
           : job->is_tower ? add_tower(*world, why)
                           : add_bodies(*world, job->overlap, why);
}

static mo_error build(const task *job, const mo_allocator *allocator, mo_message *why)
{
    mo_world *world = NULL;
    const mo_error error = build_world(job, allocator, &world, why);
    mo_world_destroy(world);
    return error;
}

static void every_request_of_a_build_fails_once(void **state)
{
    (void)state;
    const task one = {.name = "build", .work = build};
    starve(&one);
}

static char *saved(const mo_world *world, size_t *size)
{
    *size = mo_world_save(world, NULL, 0);
    char *bytes = malloc(*size);
    CHECK(bytes && mo_world_save(world, bytes, *size) == *size);
    return bytes;
}

static int has_state(const mo_world *world, const char *bytes, size_t size)
{
    size_t own;
    char *now = saved(world, &own);
    const int same = own == size && memcmp(now, bytes, size) == 0;
    free(now);
    return same;
}

/* The request of number k of a step fails; false where it has no such request. */
static int starve_step(const task *job, int steps, long k, int once)
{
    ration memory = {.left = PLENTY, .fails_once = once};
    const mo_allocator allocator = {ration_reallocate, &memory};
    mo_message why = {{0}};
    mo_world *world, *other;
    size_t size, next_size;
    CHECK(build_world(job, &allocator, &world, &why) == MO_OK);
    CHECK(build_world(job, NULL, &other, &why) == MO_OK);
    for (int i = 0; i < steps; ++i) {
        CHECK(mo_world_step(world, 0.02, NULL, &why) == MO_OK);
        CHECK(mo_world_step(other, 0.02, NULL, &why) == MO_OK);
    }
    char *before = saved(world, &size);
    CHECK(mo_world_step(other, 0.02, NULL, &why) == MO_OK);
    char *next = saved(other, &next_size);
    memory.left = k;
    why.text[0] = '\0';
    mo_step_report report;
    const mo_error error = mo_world_step(world, 0.02, &report, &why);
    const int failed = memory.failed > 0;
    memory.left = PLENTY;
    if (error && (error != MO_ERR_MEMORY || !why.text[0] || !has_state(world, before, size))) {
        fail_msg("%s: request %ld of step %d fails: error %d '%s', or the state changed", job->name,
                 k, steps, (int)error, why.text);
    }
    if (error && mo_world_step(world, 0.02, NULL, &why))
        fail_msg("%s: after request %ld of step %d failed: '%s'", job->name, k, steps, why.text);
    /* a projection that failed, or a search that was cut short, is said in the report */
    if (!has_state(world, next, next_size) && !(failed && !error && report.message.text[0])) {
        fail_msg("%s: request %ld of step %d failed, and the next one differs", job->name, k,
                 steps);
    }
    mo_world_destroy(world);
    mo_world_destroy(other);
    CHECK(memory.live == 0);
    free(before);
    free(next);
    return failed;
}

static void a_step_whose_request_fails_changes_nothing(void **state)
{
    (void)state;
    static const task KINDS[] = {
        {.name = "step"},
        {.name = "step with sleep", .sleeping = 1},
        {.name = "step with projection", .projection = 1, .overlap = 0.02}};
    for (int kind = 0; kind < 3; ++kind) {
        const task one = KINDS[kind];
        for (int steps = 0; steps < 8; steps += 7) {
            for (long k = 0; k < MOST && starve_step(&one, steps, k, 0); ++k) {
            }
            for (long k = 0; k < MOST && starve_step(&one, steps, k, 1); ++k) {
            }
        }
    }
}

static void a_step_of_two_tolerances_whose_request_fails_changes_nothing(void **state)
{
    (void)state;
    const task one = {.name = "step of a tower", .is_tower = 1};
    mo_world *world;
    mo_step_report report;
    CHECK(build_world(&one, NULL, &world, NULL) == MO_OK);
    CHECK(mo_world_step(world, 0.02, &report, NULL) == MO_OK);
    CHECK(report.contacts > 64 && report.tolerance > 1e-8); /* it is solved to the coarse one */
    mo_world_destroy(world);
    for (int once = 0; once < 2; ++once) {
        for (long k = 0; k < MOST && starve_step(&one, 0, k, once); ++k) {
        }
    }
}

static void copies_whose_request_fails_change_nothing(void **state)
{
    (void)state;
    for (int kind = COPIED_BALLS; kind <= COPIED_BOXES; ++kind) {
        const task one = {.name = "copies", .work = build, .copied = kind};
        CHECK(starve(&one) > 40);
        for (int once = 0; once < 2; ++once) {
            for (long k = 0; k < MOST && starve_step(&one, once ? 3 : 0, k, once); ++k) {
            }
        }
    }
}

/* Three links with hinges, a tendon over them and a motor, as moreau.Tree makes them. */
static mo_mechanism_id add_mechanism(mo_world *world, mo_message *why)
{
    enum { LINKS = 3 };
    mo_link_def link[LINKS];
    mo_axis_def axis[LINKS];
    const int over[LINKS] = {0, 1, 2};
    const double coefficients[LINKS] = {1, -1, 2};
    for (int k = 0; k < LINKS; ++k) {
        link[k] = mo_default_link(k - 1);
        link[k].pose = mo_pose_at(20, 0, 5 + k);
        link[k].mass = 1;
        link[k].inertia[0] = link[k].inertia[1] = link[k].inertia[2] = 0.1;
        axis[k] = mo_default_axis(MO_AXIS_REVOLUTE, k);
        axis[k].axis[1] = 1;
        axis[k].anchor[0] = 20, axis[k].anchor[2] = 4.5 + k;
    }
    mo_tendon_def tendon = mo_default_tendon();
    tendon.joints = over;
    tendon.coefficients = coefficients;
    tendon.count = LINKS;
    const mo_actuator_def motor = mo_actuator_motor(1);
    mo_mechanism_def def = mo_default_mechanism();
    def.links = link, def.link_count = LINKS;
    def.joints = axis, def.joint_count = LINKS;
    def.tendons = &tendon, def.tendon_count = 1;
    def.actuators = &motor, def.actuator_count = 1;
    return mo_world_add_mechanism(world, &def, why);
}

static void a_mechanism_whose_request_fails_leaves_the_world_as_it_was(void **state)
{
    (void)state;
    const task one = {.name = "mechanism"};
    ration memory = {.left = PLENTY};
    const mo_allocator allocator = {ration_reallocate, &memory};
    mo_world *world;
    size_t size;
    CHECK(build_world(&one, &allocator, &world, NULL) == MO_OK);
    char *before = saved(world, &size);
    int is_added = 0;
    for (long k = 0; k < 2 * MOST && !is_added; ++k) {
        mo_message why = {{0}};
        memory.left = k / 2;
        memory.fails_once = (int)(k % 2);
        is_added = add_mechanism(world, &why).index != 0;
        memory.left = PLENTY;
        if (!is_added && (!why.text[0] || !has_state(world, before, size)))
            fail_msg("request %ld fails: '%s', or the state changed", k / 2, why.text);
    }
    CHECK(is_added && mo_world_step(world, 0.01, NULL, NULL) == MO_OK);
    mo_world_destroy(world);
    CHECK(memory.live == 0);
    free(before);
}

/* ---- files ------------------------------------------------------------------------------- */

static mo_error read_model(const task *job, const mo_allocator *allocator, mo_message *why)
{
    mo_model model = {0};
    mo_world *world = NULL;
    mo_robot *robot = NULL;
    mo_error error = mo_model_read(job->path, allocator, &model, why);
    if (!error) {
        const mo_world_def def = mo_model_world(&model);
        error = mo_world_create(&def, allocator, &world, why);
    }
    error = error ? error : mo_model_build(&model, world, allocator, &robot, why);
    error = error ? error : mo_world_step(world, 0.002, NULL, why);
    mo_robot_destroy(robot);
    mo_world_destroy(world);
    mo_model_clear(&model);
    return error;
}

static void every_request_of_a_model_fails_once(void **state)
{
    (void)state;
    const task one = {
        .name = "arm.xml", .work = read_model, .path = MOREAU_SOURCE_DIR "/scenes/models/arm.xml"};
    starve(&one);
}

static mo_error record_world(const task *job, const mo_allocator *allocator, mo_message *why)
{
    mo_world *world;
    mo_recorder *recorder = NULL;
    mo_recording found = {0};
    CHECK(build_world(job, NULL, &world, NULL) == MO_OK);
    mo_error error = mo_recorder_create(job->path, world, "fall", allocator, &recorder, why);
    for (int k = 0; k < 3 && !error; ++k) {
        CHECK(mo_world_step(world, 0.02, NULL, NULL) == MO_OK);
        error = mo_recorder_add(recorder, world, 0.02, NULL, why);
    }
    if (error)
        mo_recorder_destroy(recorder);
    else
        error = mo_recorder_finish(recorder, why);
    error = error ? error : mo_recording_read(job->path, allocator, &found, why);
    mo_recording_clear(&found);
    mo_world_destroy(world);
    return error;
}

static void every_request_of_a_recording_fails_once(void **state)
{
    (void)state;
    const task one = {
        .name = "recording", .work = record_world, .path = "test_failing_memory.hdf5"};
    starve(&one);
    remove(one.path);
    remove("test_failing_memory.hdf5.part");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_request_of_every_method_fails_once),
        cmocka_unit_test(every_request_of_canonical_impulses_fails_once),
        cmocka_unit_test(every_request_of_a_build_fails_once),
        cmocka_unit_test(a_step_whose_request_fails_changes_nothing),
        cmocka_unit_test(a_step_of_two_tolerances_whose_request_fails_changes_nothing),
        cmocka_unit_test(copies_whose_request_fails_change_nothing),
        cmocka_unit_test(a_mechanism_whose_request_fails_leaves_the_world_as_it_was),
        cmocka_unit_test(every_request_of_a_model_fails_once),
        cmocka_unit_test(every_request_of_a_recording_fails_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
