/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The main function of the programs in bench/peers/ that simulate, each with one engine.  For
 * `moreau bench sim`, not for people:
 *
 *     moreau-NAME --list                                             its configurations, one a line
 *   moreau-NAME CONFIGURATION STEP STEPS LIMIT QUESTION SCENE    one run; outcome lines (outcome.h)
 *
 * A step that takes longer than the limit allows is ended by SIGPROF.
 */
#include "peer_main.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "run.h"

/* The process ends after this many seconds of processor time. */
static void set_alarm(double seconds)
{
    const struct itimerval timer = {.it_value = {.tv_sec = (time_t)seconds + 1}};
    signal(SIGPROF, SIG_DFL);
    setitimer(ITIMER_PROF, &timer, NULL);
}

int peer_main(const sim_engine *engine, int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        for (int k = 0; engine->configs[k]; ++k)
            printf("%s\n", engine->configs[k]);
        return 0;
    }
    const int config = argc == 7 ? sim_engine_config(engine, argv[1]) : -1;
    if (config < 0) {
        fprintf(stderr,
                "usage: %s --list | CONFIGURATION STEP STEPS LIMIT QUESTION SCENE\n"
                "moreau bench sim --against %s calls it.\n",
                argv[0], engine->name);
        return 2;
    }
    const sim_call call = {.step = strtod(argv[2], NULL),
                           .steps = (int)strtol(argv[3], NULL, 10),
                           .limit = strtod(argv[4], NULL),
                           .question = (sim_question)strtol(argv[5], NULL, 10),
                           .scene = argv[6]};
    set_alarm(2 * call.limit + 5);
    sim_run(engine, config, &call, stdout);
    return 0;
}
