/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "trial.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>

#include "machine.h"

const char *const trial_solved = "solved";
const char *const trial_time_limit = "time-limit";
const char *const trial_crashed = "crashed";
const char *const trial_refused = "unsupported";

static const double LONG_SECONDS = 0.5;   /* after this many a run is not repeated */
static const double SHORT_SECONDS = 2e-3; /* until so many it is repeated further  */
enum { SHORT_FACTOR = 10 };

trial_name trial_target_name(double target)
{
    trial_name name;
    const int exponent = (int)lround(log10(target));
    if (fabs(target / pow(10, exponent) - 1) < 1e-9)
        snprintf(name.text, sizeof name.text, "1e%d", exponent);
    else
        snprintf(name.text, sizeof name.text, "%g", target);
    return name;
}

int trial_is_solved(const trial_line *line)
{
    return strcmp(line->status, trial_solved) == 0;
}

void trial_print(FILE *out, const trial_line *line)
{
    fprintf(out, "trial %.17g %s %.9g %.9g %ld %.9g\n", line->target, line->status, line->seconds,
            line->residual, line->iterations, line->tolerance);
    fflush(out);
}

int trial_parse(const char *text, trial_line *line)
{
    return sscanf(text, "trial %lf %23s %lf %lf %ld %lf", &line->target, line->status,
                  &line->seconds, &line->residual, &line->iterations, &line->tolerance) == 6;
}

int trial_wants_more(const trial_call *call, int done, double total)
{
    return done < call->repeats ? total < LONG_SECONDS
                                : done < SHORT_FACTOR * call->repeats && total < SHORT_SECONDS;
}

static volatile int *limit_flag; /* all that the signal handler knows */

static void at_limit(int signal_number)
{
    (void)signal_number;
    *limit_flag = 1;
}

static struct timeval time_of(double seconds)
{
    return (struct timeval){(time_t)floor(seconds),
                            (suseconds_t)(1e6 * (seconds - floor(seconds)))};
}

static void set_alarm(double seconds)
{
    const struct itimerval timer = {.it_value = time_of(seconds),
                                    .it_interval = time_of(seconds > 0 ? seconds + 1 : 0)};
    setitimer(ITIMER_PROF, &timer, NULL);
}

trial_watch trial_watch_start(double limit, volatile int *flag)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = flag ? at_limit : SIG_DFL;
    action.sa_flags = (int)SA_RESETHAND; /* the second signal ends the process */
    limit_flag = flag;
    if (flag) *flag = 0;
    sigaction(SIGPROF, &action, NULL);
    set_alarm(limit);
    const double processor = machine_processor_clock();
    return (trial_watch){machine_clock(), processor};
}

double trial_watch_stop(const trial_watch *watch)
{
    const double wall = machine_clock() - watch->wall;
    const double processor = machine_processor_clock() - watch->processor;
    set_alarm(0);
    /* the clock of the processor may not have advanced */
    return processor > 0 ? fmin(wall, processor) : wall;
}
