/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "judge.h"
#include "machine.h"
#include "watch.h"
#include "worlds.h"

enum { JUDGED_MOST = 20 };
/* Lines become less frequent, so those of a long run fit into the buffer. */
static const double REPORT_AFTER = 1, REPORT_FACTOR = 1.1; /* s */

int sim_engine_config(const sim_engine *engine, const char *name)
{
    for (int k = 0; engine->configs[k]; ++k)
        if (strcmp(engine->configs[k], name) == 0) return k;
    return -1;
}

/* ---- worlds from text ------------------------------------------------------------------------ */

/* One "name=value" of the text, up to its end. */
static mo_error set_value(const world_scene *scene, const char *text, size_t length, double *values,
                          mo_message *why)
{
    char word[128], *end;
    snprintf(word, sizeof word, "%.*s", (int)length, text);
    char *equals = strchr(word, '=');
    const double value = equals ? strtod(equals + 1, &end) : 0;
    if (!equals || end == equals + 1 || *end) {
        snprintf(why->text, sizeof why->text, "'%s' is not of the form NAME=NUMBER", word);
        return MO_ERR_ARGUMENT;
    }
    *equals = '\0';
    return world_set_value(scene, values, word, value, why);
}

mo_world *sim_world_make(const char *text, mo_message *why)
{
    char name[64];
    double values[WORLD_PARAMETERS];
    mo_world *world = NULL;
    const size_t length = strcspn(text, ",");
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    const world_scene *scene = world_scene_find(name);
    if (!scene) {
        snprintf(why->text, sizeof why->text,
                 "there is no scene '%s'; moreau run --list shows all scenes", name);
        return NULL;
    }
    world_default_values(scene, values);
    mo_error error = MO_OK;
    for (const char *at = text + length; *at && !error;) {
        const size_t word = strcspn(at + 1, ",");
        error = set_value(scene, at + 1, word, values, why);
        at += 1 + word;
    }
    error = error ? error : scene->build(values, &world, why);
    if (error && !why->text[0]) snprintf(why->text, sizeof why->text, "%s", mo_error_text(error));
    return error ? NULL : world;
}

/* ---- one run --------------------------------------------------------------------------------- */

typedef struct run {
    const sim_engine *engine;
    const sim_call *call;
    FILE *out;
    void *its; /* the engine's own */
    mo_world *world, *probe;
    sim_scene scene;
    sim_watch watch;
    sim_motion *before, *now;
    sim_contact *contacts;
    int contact_room;
    double residuals[JUDGED_MOST], scaled[JUDGED_MOST], momenta[JUDGED_MOST];
    double penetration_sum;
    sim_outcome outcome;
} run;

static run *the_run; /* the one of this process, for sim_give_up */

void sim_give_up(const char *message)
{
    if (the_run) {
        sim_outcome_end(&the_run->outcome, sim_stopped, message);
        sim_outcome_print(the_run->out, &the_run->outcome);
    }
    _exit(0);
}

/* The deepest penetration at these poses, by our own collision; false if they are not finite. */
static int probe_penetration(run *r)
{
    static const double still[3] = {0};
    mo_message why;
    for (int k = 0; k < r->scene.body_count; ++k) {
        const sim_body *body = r->scene.body + k;
        if (!body->is_free) continue;
        mo_pose pose = mo_pose_compose(&r->now[k].pose, &body->own);
        if (r->scene.dimension == 2)
            pose = mo_pose_planar(pose.position[0], pose.position[1], mo_pose_angle(&pose));
        if (mo_body_set(r->probe, mo_world_body(r->probe, k), &pose, still, still, &why)) return 0;
    }
    const double deepest = mo_world_penetration(r->probe);
    r->outcome.penetration = fmax(r->outcome.penetration, deepest);
    if (r->outcome.steps > r->call->steps / 2)
        r->outcome.penetration_late = fmax(r->outcome.penetration_late, deepest);
    return 1;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const double *values, int count)
{
    double sorted[JUDGED_MOST];
    memcpy(sorted, values, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, compare);
    return 0.5 * (sorted[(count - 1) / 2] + sorted[count / 2]);
}

/* Is this step one of the judged ones, which are spread evenly over the second half? */
static int is_judged(const run *r)
{
    const int steps = r->call->steps, first = steps / 2, span = steps - first;
    const int every = span > JUDGED_MOST ? (span + JUDGED_MOST - 1) / JUDGED_MOST : 1;
    const int since = r->watch.k - 1 - first;
    return since >= 0 && since % every == 0 && r->outcome.judged < JUDGED_MOST;
}

static int read_contacts(run *r)
{
    int count = r->engine->contacts(r->its, r->contacts, r->contact_room);
    if (count > r->contact_room) {
        r->contact_room = 2 * count;
        sim_contact *more = realloc(r->contacts, (size_t)r->contact_room * sizeof *r->contacts);
        if (!more) return -1;
        r->contacts = more;
        count = r->engine->contacts(r->its, r->contacts, r->contact_room);
    }
    return count;
}

/* An error here is not one of the engine. */
static mo_error judge(run *r, mo_message *why)
{
    sim_verdict verdict;
    const int count = read_contacts(r), n = (int)r->outcome.judged;
    const mo_error error =
        count < 0 ? MO_ERR_MEMORY
                  : sim_judge(&r->scene, r->before, r->now, r->contacts, count, &verdict, why);
    if (error || verdict.bounces > 0) return error;
    r->residuals[n] = verdict.residual;
    r->scaled[n] = verdict.scaled;
    r->momenta[n] = verdict.momentum;
    r->penetration_sum += verdict.penetration;
    sim_outcome *o = &r->outcome;
    o->judged = n + 1;
    o->residual = median(r->residuals, n + 1);
    o->residual_scaled = median(r->scaled, n + 1);
    o->momentum = median(r->momenta, n + 1);
    o->residual_worst = fmax(o->residual_worst, verdict.residual);
    o->penetration_mean = r->penetration_sum / (n + 1);
    o->contacts = verdict.touching;
    return MO_OK;
}

/* True until the run is finished. */
static int take_step(run *r)
{
    mo_message why = {""};
    sim_outcome *o = &r->outcome;
    memcpy(r->before, r->now, (size_t)r->scene.body_count * sizeof *r->now);
    const double start = machine_processor_clock();
    const int is_taken = r->engine->step(r->its, &why);
    o->seconds += machine_processor_clock() - start;
    if (!is_taken) {
        sim_outcome_end(o, sim_stopped, why.text);
        return 0;
    }
    ++o->steps;
    r->engine->read(r->its, r->now);
    if (!probe_penetration(r)) {
        sim_outcome_end(o, sim_stopped, "its poses are no longer finite");
        return 0;
    }
    sim_watch_step(&r->watch, r->now, o);
    if (is_judged(r) && judge(r, &why) != MO_OK) {
        sim_outcome_end(o, sim_stopped, why.text[0] ? why.text : "its impulses are not finite");
        return 0;
    }
    if (o->steps >= r->call->steps) {
        sim_outcome_end(o, sim_done, "");
        return 0;
    }
    if (o->seconds > r->call->limit) {
        sim_outcome_end(o, sim_time_limit, "");
        return 0;
    }
    return 1;
}

static int set_up(run *r, int config, mo_message *why)
{
    r->world = sim_world_make(r->call->scene, why);
    r->probe = r->world ? sim_world_make(r->call->scene, why) : NULL;
    if (!r->probe || !sim_scene_take(r->world, r->call->step, &r->scene, why)) return 0;
    r->scene.tol = r->call->tol;
    r->outcome.size = r->scene.size;
    const size_t bodies = (size_t)r->scene.body_count;
    r->before = calloc(bodies, sizeof *r->before);
    r->now = calloc(bodies, sizeof *r->now);
    if (!r->before || !r->now || !sim_watch_begin(&r->scene, r->call, &r->watch)) {
        snprintf(why->text, sizeof why->text, "memory ran out");
        return 0;
    }
    sim_scene_start(&r->scene, r->now);
    r->its = r->engine->create(&r->scene, config, why);
    return r->its != NULL;
}

static void tear_down(run *r)
{
    if (r->its) r->engine->destroy(r->its);
    sim_watch_end(&r->watch);
    sim_scene_clear(&r->scene);
    mo_world_destroy(r->world);
    mo_world_destroy(r->probe);
    free(r->before);
    free(r->now);
    free(r->contacts);
}

void sim_run(const sim_engine *engine, int config, const sim_call *call, FILE *out)
{
    mo_message why = {""};
    run r = {.engine = engine, .call = call, .out = out, .outcome = sim_outcome_start()};
    const double start = machine_clock();
    double due = REPORT_AFTER;
    the_run = &r;
    if (set_up(&r, config, &why)) {
        while (take_step(&r)) {
            const double elapsed = machine_clock() - start;
            if (elapsed > due) {
                due = fmax(elapsed + REPORT_AFTER, REPORT_FACTOR * elapsed);
                sim_outcome_print(out, &r.outcome);
            }
        }
    } else {
        sim_outcome_end(&r.outcome, sim_unsupported, why.text);
    }
    sim_outcome_print(out, &r.outcome);
    tear_down(&r);
    the_run = NULL;
}
