/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Misuse of every function of the public headers; the list of calls is made from the headers
 * (make_calls.py).
 *
 * The rule of base.h for NULL, for every set of pointers: a call that needs what is NULL is
 * refused, with a sentence where it has a message.  Numbers, enumerators and ids that make no
 * sense, one at a time: no crash, no number that is not finite.  What is refused leaves the saved
 * state of the world as it was.  Each function has a process of its own, so that one run names all
 * that fail.
 */
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

#include "moreau/moreau.h"

enum { ROOM = 4 };

/* One of everything that a call may be given. */
typedef struct place {
    mo_problem *problem, *made_problem;
    mo_world *world, *made_world;
    mo_gradient *gradient, *made_gradient;
    mo_builder *builder, *made_builder;
    mo_robot *robot, *made_robot;
    mo_events *events, *made_events;
    mo_recorder *recorder, *made_recorder;
    mo_body_id body;
    mo_shape_id shape;
    mo_joint_id joint;
    mo_mechanism_id mechanism;

    mo_certificate certificate;
    mo_certificate_report certificate_report;
    mo_solution_set solution_set;
    mo_condition condition;
    mo_friction_limit friction_limit;
    mo_error_bound error_bound;
    mo_frozen_bound frozen_bound;
    mo_check_result check_result;
    mo_judgement judgement;
    mo_force_options force_options;
    mo_forces forces;
    mo_data_vector data_vector;
    mo_solution_vector solution_vector;
    mo_document document;
    mo_joint_def joint_def;
    mo_law law;
    mo_residual residual;
    mo_global_residual global_residual;
    mo_mechanism_def mechanism_def;
    mo_coupling_def coupling_def;
    mo_model model;
    mo_options options;
    mo_rigid_contact rigid_contact;
    mo_recording recording;
    mo_result result;
    mo_pose pose;
    mo_model_key model_key;
    mo_shape_def shape_def;
    mo_material material;
    mo_world_def world_def;
    mo_body_def body_def;
    mo_step_report step_report;
    mo_message message;
    mo_allocator allocator;
    mo_query_filter query_filter;
    mo_batch_report batch_report;
    mo_ray_hit ray_hit[ROOM];
    mo_proximity proximity[ROOM];
    mo_contact contact[ROOM];
    const char *word;

    mo_link_def link;
    mo_axis_def axis;
    double numbers[256]; /* the identity of three rows, then zeros */
    double room[4096];
    int indices[8];
    char text[64], path[64], state[4096];
    size_t state_size;

    int wrong; /* the argument that is odd, or -1 */
    double odd, odd_numbers[256];
    int odd_int;
} place;

typedef enum outcome { REFUSED, TAKEN } outcome;

enum { /* what a call needs that takes long to make */
       NEEDS_MODEL = 1,
       NEEDS_GRADIENT = 2,
       NEEDS_CHECK = 4,
       NEEDS_ROBOT = 8,
       NEEDS_RECORDING = 16,
       NEEDS_DOCUMENT = 32,
       NEEDS_EVENTS = 64,
       NEEDS_RECORDER = 128
};

typedef struct call {
    const char *name;
    outcome (*make)(place *p, unsigned nulls);
    int pointer_count;
    unsigned needed; /* a bit for each pointer that must not be NULL */
    int why;         /* which pointer is the message, or -1 */
    int answers;     /* it says whether it was refused */
    int needs;
    unsigned odd; /* a bit for each argument that may be odd */
} call;

static void idle(void *user, double time, double h, const double *q, const double *v,
                 double *effort)
{
    (void)user, (void)time, (void)h, (void)q, (void)v, (void)effort;
}

static void take_face(void *user, int count, const int *corners)
{
    (void)user, (void)count, (void)corners;
}

static void *plain_reallocate(void *user, void *p, size_t size)
{
    (void)user;
    if (size == 0) {
        free(p);
        return NULL;
    }
    return realloc(p, size);
}

#include "null_calls.h"
enum { CALL_COUNT = sizeof CALLS / sizeof *CALLS };

/* ---- the place --------------------------------------------------------------------------- */

static mo_problem *small_problem(void)
{
    const double M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, f[3] = {-1, 0, 0}, w[3] = {0};
    const mo_law law = mo_law_coulomb(0.5);
    mo_builder *builder;
    mo_problem *problem;
    CHECK(mo_builder_create(NULL, &builder) == MO_OK);
    mo_builder_add_body(builder, 3, M, f);
    mo_builder_add_constraint(builder, 3, &law, w);
    mo_builder_add_jacobian(builder, 0, 0, 3, 3, M);
    CHECK(mo_builder_finish(builder, &problem, NULL) == MO_OK);
    mo_builder_destroy(builder);
    return problem;
}

/* A ball on a plane, a joint that holds it, and a mechanism of one link. */
static void fill_world(place *p)
{
    const mo_shape_def plane = mo_shape_plane();
    p->world_def = mo_default_world();
    CHECK(mo_world_create(&p->world_def, NULL, &p->world, NULL) == MO_OK);
    mo_world_add_solid(p->world, MO_BODY_FIXED, &plane, NULL, NULL);
    p->shape_def = mo_shape_ball(0.5);
    p->body_def = mo_default_body(MO_BODY_FREE);
    p->body_def.pose = p->pose = mo_pose_at(0, 0, 0.5);
    p->body = mo_world_add_body(p->world, &p->body_def, NULL);
    p->shape = mo_world_add_shape(p->world, p->body, &p->shape_def, NULL);
    p->joint_def = mo_default_joint(MO_JOINT_BALL, (mo_body_id){0}, p->body);
    p->joint = mo_world_add_joint(p->world, &p->joint_def, NULL);
    p->link = mo_default_link(-1);
    p->link.mass = 1;
    p->link.inertia[0] = p->link.inertia[1] = p->link.inertia[2] = 1;
    p->axis = mo_default_axis(MO_AXIS_REVOLUTE, 0);
    p->mechanism_def = mo_default_mechanism();
    p->mechanism_def.links = &p->link, p->mechanism_def.link_count = 1;
    p->mechanism_def.joints = &p->axis, p->mechanism_def.joint_count = 1;
    p->mechanism = mo_world_add_mechanism(p->world, &p->mechanism_def, NULL);
    CHECK(p->shape.index > 0 && p->joint.index > 0 && p->mechanism.index > 0);
    p->state_size = mo_world_save(p->world, p->state, sizeof p->state);
    CHECK(p->state_size <= sizeof p->state);
}

static void fill_model(place *p)
{
    const char *const path = MOREAU_SOURCE_DIR "/scenes/models/arm.xml";
    mo_world_def def;
    mo_world_destroy(p->world);
    CHECK(mo_model_read(path, NULL, &p->model, NULL) == MO_OK);
    def = mo_model_world(&p->model);
    CHECK(mo_world_create(&def, NULL, &p->world, NULL) == MO_OK);
    CHECK(mo_model_build(&p->model, p->world, NULL, &p->robot, NULL) == MO_OK);
}

static void fill(place *p, int needs)
{
    memset(p, 0, sizeof *p);
    p->wrong = -1;
    p->numbers[0] = p->numbers[4] = p->numbers[8] = 1;
    p->indices[1] = 1, p->indices[2] = 2;
    p->allocator = (mo_allocator){plain_reallocate, NULL};
    snprintf(p->path, sizeof p->path, "nulls-%ld.file", (long)getpid());
    p->problem = small_problem();
    CHECK(mo_builder_create(NULL, &p->builder) == MO_OK);
    fill_world(p);
    p->options = mo_default_options();
    p->query_filter = mo_default_query_filter();
    p->force_options = mo_default_force_options();
    p->law = mo_law_coulomb(0.5);
    p->material = mo_default_material();
    if (needs & NEEDS_DOCUMENT) p->document.problem = small_problem();
    p->rigid_contact.body[1] = -1;
    p->rigid_contact.frame[0] = p->rigid_contact.frame[4] = p->rigid_contact.frame[8] = 1;
    if (needs & (NEEDS_MODEL | NEEDS_ROBOT)) fill_model(p);
    if (needs & NEEDS_GRADIENT)
        CHECK(mo_gradient_create(p->problem, p->numbers, &p->gradient, NULL) == MO_OK);
    if (needs & NEEDS_CHECK) CHECK(mo_check(p->problem, 100, &p->check_result) == MO_OK);
    if (needs & NEEDS_RECORDING)
        CHECK(mo_recording_begin(&p->recording, p->world, NULL, NULL) == MO_OK);
    if (needs & NEEDS_EVENTS) CHECK(mo_events_create(NULL, &p->events) == MO_OK);
    if (needs & NEEDS_RECORDER)
        CHECK(mo_recorder_create(p->path, p->world, NULL, NULL, &p->recorder, NULL) == MO_OK);
}

static void empty(place *p)
{
    mo_solution_set_clear(&p->solution_set);
    mo_condition_clear(&p->condition);
    mo_friction_limit_clear(&p->friction_limit);
    mo_check_clear(&p->check_result);
    mo_forces_clear(&p->forces);
    mo_result_clear(&p->result);
    mo_recording_clear(&p->recording);
    mo_recorder_destroy(p->recorder), mo_recorder_destroy(p->made_recorder);
    mo_events_destroy(p->events), mo_events_destroy(p->made_events);
    mo_robot_destroy(p->robot), mo_robot_destroy(p->made_robot);
    mo_model_clear(&p->model);
    mo_gradient_destroy(p->gradient), mo_gradient_destroy(p->made_gradient);
    mo_builder_destroy(p->builder), mo_builder_destroy(p->made_builder);
    mo_world_destroy(p->world), mo_world_destroy(p->made_world);
    mo_document_clear(&p->document);
    mo_problem_destroy(p->problem);
    mo_problem_destroy(p->made_problem);
    remove(p->path);
    strcat(p->path, ".part");
    remove(p->path);
}

/* ---- the assertions -------------------------------------------------------------------------- */

#define FAULTS(X)                                                                                  \
    X(NOT_REFUSED, "not refused")                                                                  \
    X(NO_SENTENCE, "refused without a sentence")                                                   \
    X(CHANGED, "refused, but the saved state changed")                                             \
    X(NOT_FINITE, "the world is not finite")
enum {
    KEPT = 3, /* 0 to 2 are what cmocka and the system end a process with */
#define FAULT_NAME(name, text) name,
    FAULTS(FAULT_NAME)
#undef FAULT_NAME
};

/* The saved state of the world, in memory of this function. */
static const void *saved(const place *p, int which, size_t *size)
{
    static char bytes[2][1 << 16];
    *size = p->world ? mo_world_save(p->world, bytes[which], sizeof bytes[which]) : 0;
    CHECK(*size <= sizeof bytes[which]);
    return bytes[which];
}

/* One call; `must` where it has to be refused. */
static int make_call(const call *one, place *p, unsigned nulls, int must)
{
    size_t size, size_after;
    const void *before = saved(p, 0, &size);
    const outcome what = one->make(p, nulls);
    if (!one->answers) return KEPT;
    if (what == TAKEN) return must ? NOT_REFUSED : KEPT;
    const int has_message = one->why >= 0 && !(nulls >> one->why & 1);
    const void *after = saved(p, 1, &size_after);
    return has_message && !p->message.text[0]                       ? NO_SENTENCE
           : size != size_after || memcmp(before, after, size) != 0 ? CHANGED
                                                                    : KEPT;
}

/* Every set of pointers NULL. */
static int try_nulls(const call *one, place *p, volatile unsigned *at)
{
    int code = KEPT;
    for (unsigned nulls = 1; code == KEPT && nulls < 1u << one->pointer_count; ++nulls) {
        *at = nulls;
        fill(p, one->needs);
        code = make_call(one, p, nulls, (nulls & one->needed) != 0);
        empty(p);
    }
    return code;
}

/* Each value odd in turn.  The next step is refused, or the world stays finite. */
static int try_odd_values(const call *one, place *p, volatile unsigned *at)
{
    static const double ODD[] = {NAN, INFINITY, -INFINITY, 1e300, -1e300, -1, 0, 5e-324};
    static const int ODD_INT[] = {-1, INT_MAX, INT_MIN, 77, 0, 2, -2, 1 << 20};
    enum { KINDS = sizeof ODD / sizeof *ODD };
    int code = KEPT;
    for (unsigned k = 0; code == KEPT && one->odd >> k / KINDS; ++k) {
        if (!(one->odd >> k / KINDS & 1)) continue;
        *at = k;
        fill(p, one->needs);
        p->wrong = (int)(k / KINDS);
        p->odd = ODD[k % KINDS];
        p->odd_int = ODD_INT[k % KINDS];
        for (int n = 0; n < 256; ++n)
            p->odd_numbers[n] = n % 5 == 0 || k % 2 ? p->odd : p->numbers[n];
        code = make_call(one, p, 0, 0);
        if (p->world && mo_world_step(p->world, 0.01, NULL, NULL) == MO_OK &&
            !isfinite(mo_world_kinetic_energy(p->world) + mo_world_time(p->world)))
            code = NOT_FINITE;
        empty(p);
    }
    return code;
}

typedef int try_fn(const call *one, place *p, volatile unsigned *at);

/* 1, with a line on standard error, where the function breaks a rule. */
static int breaks_the_rule(const call *one, try_fn *try, volatile unsigned *at)
{
    static place p;
    static const char *const TEXTS[] = {
#define FAULT_TEXT(name, text) text,
        FAULTS(FAULT_TEXT)
#undef FAULT_TEXT
    };
    int status = 0;
    fflush(NULL);
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL); /* cmocka's own would go on with the next test */
        signal(SIGFPE, SIG_DFL);
        alarm(60);
        exit(try(one, &p, at));
    }
    CHECK(waitpid(child, &status, 0) == child);
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    if (code == KEPT) return 0;
    fprintf(stderr, "%s, case %#x: %s\n", one->name, *at,
            code > KEPT ? TEXTS[code - KEPT - 1] : "the process ended");
    return 1;
}

static void try_all(try_fn *try)
{
    int broken = 0;
    volatile unsigned *at =
        mmap(NULL, sizeof *at, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(at != MAP_FAILED);
    for (int k = 0; k < CALL_COUNT; ++k)
        broken += breaks_the_rule(&CALLS[k], try, at);
    munmap((void *)(uintptr_t)at, sizeof *at);
    if (broken) fail_msg("%d of %d functions", broken, CALL_COUNT);
}

static void calls_without_what_they_need_are_refused(void **state)
{
    (void)state;
    try_all(try_nulls);
}

static void calls_with_values_that_make_no_sense_do_no_harm(void **state)
{
    (void)state;
    try_all(try_odd_values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_without_what_they_need_are_refused),
        cmocka_unit_test(calls_with_values_that_make_no_sense_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
