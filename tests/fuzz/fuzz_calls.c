/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Random sequences of calls: nothing crashes, hangs or lies.
 *
 *     fuzz_calls [--cases N] [--seconds S] [--seed N] [--calls N] [--longest S] [--trace 1]
 *
 * A case is a world and a sequence of calls, which depend on its number alone.  After each call:
 * what was refused has a sentence and left the saved state as it was, and the world is finite.
 * Every eighth case is done by two threads at once, each with a world of its own, and both end with
 * the same state.  No step has more solves without a solution than its limit.  The longest step is
 * said, in processor time; one that takes more than --longest is a fault.
 */
#define _XOPEN_SOURCE 700

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "fuzz_calls.h"
#include "fuzz_tools.h"

enum { CALLS = 60, HANG_SECONDS = 120, IN_THREADS = 8 };

static const double TICK = 1e-6; /* s: of a counted clock */

typedef struct asked {
    long cases;
    double seconds, longest;
    uint64_t seed;
    int calls, trace;
} asked;

void fuzz_keep(fuzz_place *p, int which)
{
    p->kept_size[which] = mo_world_save(p->world, NULL, 0);
    if (p->kept_size[which] > p->kept_room) {
        p->kept_room = 2 * p->kept_size[which];
        p->kept[0] = realloc(p->kept[0], p->kept_room);
        p->kept[1] = realloc(p->kept[1], p->kept_room);
        demand(p->kept[0] && p->kept[1], "no memory");
    }
    demand(mo_world_save(p->world, p->kept[which], p->kept_room) == p->kept_size[which],
           "no state");
}

static int is_same(const fuzz_place *p)
{
    return p->kept_size[0] == p->kept_size[1] &&
           memcmp(p->kept[0], p->kept[1], p->kept_size[0]) == 0;
}

static const fuzz_call *choose(fuzz_place *p)
{
    const int builds = fuzz_below(p, 2);
    const fuzz_call *calls = builds ? FUZZ_BUILD_CALLS : FUZZ_STEP_CALLS;
    int weight = 0, k = 0;
    for (int n = 0; n < (builds ? FUZZ_BUILD_COUNT : FUZZ_STEP_COUNT); ++n)
        weight += calls[n].weight;
    for (weight = fuzz_below(p, weight); weight >= calls[k].weight; ++k)
        weight -= calls[k].weight;
    return calls + k;
}

static uint64_t hash_of(const char *bytes, size_t size)
{
    uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */
    for (size_t k = 0; k < size; ++k)
        hash = (hash ^ (uint8_t)bytes[k]) * UINT64_C(1099511628211);
    return hash;
}

/* A third of the cases make sense, a third is a little odd.  Returns the hash of its last state;
 * 0: it depends on the clock. */
static uint64_t run_case(uint64_t number, const asked *a, fuzz_longest *longest, int thread)
{
    fuzz_place p = {.random = {number * UINT64_C(0x9E3779B97F4A7C15) + 1},
                    .oddity = (int[]){0, 1, 6}[number % 3],
                    .h = 0.01,
                    .number = number,
                    .longest = longest};
    int is_timed = 0;
    snprintf(p.path, sizeof p.path, "calls-%ld-%d.hdf5", (long)getpid(), thread);
    mo_clock_count(number % IN_THREADS ? TICK : 0); /* time limits end at the same place again */
    fuzz_begin(&p);
    for (p.call = 0; p.call < a->calls; ++p.call) {
        const fuzz_call *call = choose(&p);
        if (a->trace) fprintf(stderr, "%d %s\n", p.call, call->name);
        fuzz_keep(&p, 0);
        p.why.text[0] = '\0';
        const fuzz_outcome outcome = call->make(&p);
        fuzz_keep(&p, 1);
        if (outcome == FUZZ_REFUSED && (!p.why.text[0] || !is_same(&p))) {
            fprintf(stderr, "case %llu, call %d, %s: \"%s\"\n", (unsigned long long)number, p.call,
                    call->name, p.why.text);
            demand(p.why.text[0] != '\0', "refused without a sentence");
            demand(0, "refused, and the state has changed");
        }
        demand_finite(p.world);
        demand(isfinite(mo_world_kinetic_energy(p.world) + mo_world_time(p.world)),
               "a world that is not finite");
    }
    is_timed = p.is_timed;
    const uint64_t hash = hash_of(p.kept[1], p.kept_size[1]);
    free(p.kept[0]);
    free(p.kept[1]);
    fuzz_end(&p);
    return is_timed ? 0 : hash;
}

typedef struct task {
    uint64_t number, hash;
    const asked *asked;
    fuzz_longest longest;
    int thread;
} task;

static void *run_task(void *user)
{
    task *t = user;
    t->hash = run_case(t->number, t->asked, &t->longest, t->thread);
    return NULL;
}

static void run_in_two_threads(uint64_t number, const asked *a, fuzz_longest *longest)
{
    task tasks[2] = {{.number = number, .asked = a}, {.number = number, .asked = a, .thread = 1}};
    pthread_t other;
    demand(pthread_create(&other, NULL, run_task, tasks + 1) == 0, "no thread");
    run_task(tasks);
    pthread_join(other, NULL);
    demand(tasks[0].hash == tasks[1].hash, "two threads end otherwise");
    for (int k = 0; k < 2; ++k)
        *longest = tasks[k].longest.seconds > longest->seconds ? tasks[k].longest : *longest;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    asked a = {.cases = 2000000000, .seconds = 2, .seed = 1, .calls = CALLS, .longest = INFINITY};
    fuzz_longest longest = {0};
    const struct itimerval hang = {.it_value = {.tv_sec = HANG_SECONDS}}; /* SIGPROF ends it */
    long done = 0;
    for (int k = 1; k + 1 < argc; k += 2) {
        const char *flag = argv[k], *value = argv[k + 1];
        if (strcmp(flag, "--cases") == 0) {
            a.cases = atol(value);
            a.seconds = 1e9;
        } else if (strcmp(flag, "--seconds") == 0) {
            a.seconds = atof(value);
        } else if (strcmp(flag, "--seed") == 0) {
            a.seed = (uint64_t)atoll(value);
        } else if (strcmp(flag, "--calls") == 0) {
            a.calls = atoi(value);
        } else if (strcmp(flag, "--longest") == 0) {
            a.longest = atof(value);
        } else if (strcmp(flag, "--trace") == 0) {
            a.trace = atoi(value);
        }
    }
    for (const double start = now(); done < a.cases && now() - start < a.seconds; ++done) {
        const uint64_t number = a.seed + (uint64_t)done;
        setitimer(ITIMER_PROF, &hang, NULL);
        if (a.trace) fprintf(stderr, "case %llu\n", (unsigned long long)number);
        if (number % IN_THREADS == 0)
            run_in_two_threads(number, &a, &longest);
        else
            run_case(number, &a, &longest, 0);
        if (longest.seconds > a.longest) break;
    }
    const mo_step_report *r = &longest.report;
    printf("%ld cases; longest step %.3f s of processor time (case %llu, call %d): %d contacts, "
           "%d joints, %d rounds, %d iterations, %s %s\n",
           done, longest.seconds, (unsigned long long)longest.number, longest.call, r->contacts,
           r->joints, r->rounds, r->iterations, mo_status_name(r->status), r->message.text);
    return longest.seconds > a.longest;
}
