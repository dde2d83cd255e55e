/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "trial.h"

#include <math.h>
#include <string.h>
#include <sys/time.h>

#include "machine.h"

const char *const trial_solved = "solved";
const char *const trial_time_limit = "time-limit";
const char *const trial_crashed = "crashed";
const char *const trial_refused = "unsupported";

static const double LONG_SECONDS = 0.5;   /* after so many a run is not repeated   */
static const double SHORT_SECONDS = 2e-3; /* until so many it is repeated further  */
enum { SHORT_FACTOR = 10 };

trial_name trial_target_name(double target)
{
    trial_name name;
    const int exponent = (int)lround(log10(target));
    if (fabs(target / pow(10, exponent) - 1) < 1e-9) {
        snprintf(name.text, sizeof name.text, "1e%d", exponent);
    } else {
        snprintf(name.text, sizeof name.text, "%g", target);
    }
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

static void set_alarm(double seconds)
{
    struct itimerval timer = {{0, 0}, {0, 0}};
    timer.it_value.tv_sec = (time_t)floor(seconds);
    timer.it_value.tv_usec = (suseconds_t)(1e6 * (seconds - floor(seconds)));
    setitimer(ITIMER_REAL, &timer, NULL);
}

trial_watch trial_watch_start(double limit)
{
    set_alarm(limit);
    const double processor = machine_processor_clock();
    return (trial_watch){machine_clock(), processor};
}

double trial_watch_stop(const trial_watch *watch)
{
    const double wall = machine_clock() - watch->wall;
    const double processor = machine_processor_clock() - watch->processor;
    set_alarm(0);
    return fmin(wall, processor);
}
