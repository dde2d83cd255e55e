/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "progress.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "output.h"
#include "text.h"

static const double FIRST_SECONDS = 0.3; /* shorter work shows nothing */
static const double EVERY_SECONDS = 0.1; /* ten lines a second are readable */

enum { LAST_MICROSECONDS = 200000 }; /* maximum time from SIGTERM to the exit */

static volatile int interrupted; /* all that a signal handler may touch */

static void end_now(int signal_number)
{
    (void)signal_number;
    for (int k = 0; k < OUTPUT_UNFINISHED; ++k)
        if (output_unfinished[k][0]) unlink(output_unfinished[k]);
    _exit(128 + SIGTERM);
}

/* SIGTERM and SIGHUP do not wait for a long step or scene. */
static void interrupt(int signal_number)
{
    interrupted = 1;
    if (signal_number != SIGINT) {
        const struct itimerval last = {.it_value.tv_usec = LAST_MICROSECONDS};
        setitimer(ITIMER_REAL, &last, NULL);
    }
}

const volatile int *interrupt_watch(void)
{
    static const int SIGNALS[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    action.sa_handler = interrupt;
    action.sa_flags = (int)SA_RESETHAND; /* the second one has its default effect */
    signal(SIGALRM, end_now);
    for (size_t k = 0; k < sizeof SIGNALS / sizeof SIGNALS[0]; ++k)
        if (sigaction(SIGNALS[k], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(SIGNALS[k], &action, NULL);
    return &interrupted;
}

int interrupt_came(void)
{
    return interrupted;
}

progress progress_start(const char *name, int index, int count, double tol)
{
    const char *slash = strrchr(name, '/');
    return (progress){
        .on_terminal = isatty(STDERR_FILENO),
        .next = FIRST_SECONDS,
        .tol = tol,
        .name = slash && slash[1] ? slash + 1 : name,
        .index = index,
        .count = count,
    };
}

void progress_show(void *user, const mo_progress *now, const double *r)
{
    progress *p = user;
    (void)r;
    if (!p->on_terminal || now->seconds < p->next) return;
    p->next = now->seconds + EVERY_SECONDS;
    p->shown = 1;
    fputs("\r\033[K", stderr);
    if (p->count > 1) fprintf(stderr, "[%d/%d] ", p->index + 1, p->count);
    text_put_column(stderr, p->name, text_width(p->name) > 24 ? 24 : text_width(p->name));
    fprintf(stderr, ": iteration %d, residual %.1e (asked %.0e), %.0f s%s", now->iteration,
            now->residual_relative, p->tol, now->seconds, interrupted ? ", stopping" : "");
    fflush(stderr);
}

void progress_end(progress *p)
{
    if (p->shown) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
        p->shown = 0;
    }
}

static double clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double expected_end; /* on that clock; 0: not known */

void progress_expect(double seconds)
{
    expected_end = clock_now() + seconds;
}

void progress_line(const char *format, ...)
{
    char line[80], duration[24], left[48] = "";
    va_list values;
    if (isatty(STDERR_FILENO)) {
        va_start(values, format);
        vsnprintf(line, sizeof line, format, values);
        va_end(values);
        const double rest = expected_end > 0 ? expected_end - clock_now() : 0;
        if (line[0] && rest >= 1)
            snprintf(left, sizeof left, ", about %s left", progress_duration(rest, duration));
        fprintf(stderr, "\r\033[K%s%s\r", line, left);
        fflush(stderr);
    }
}

/* ---- work in parts --------------------------------------------------------------------------- */

progress_clock progress_begin(void)
{
    const double now = clock_now();
    return (progress_clock){.began = now, .next = now + FIRST_SECONDS};
}

void progress_expect_rest(const progress_clock *p, int done, int count)
{
    progress_expect((clock_now() - p->began) / done * (count - done));
}

char *progress_duration(double seconds, char *to)
{
    const int minutes = (int)((seconds + 30) / 60);
    if (seconds < 9.95)
        snprintf(to, 24, "%.1f s", seconds);
    else if (seconds < 90)
        snprintf(to, 24, "%.0f s", seconds);
    else if (minutes < 60)
        snprintf(to, 24, "%d min", minutes);
    else
        snprintf(to, 24, "%d h %d min", minutes / 60 % 100000, minutes % 60);
    return to;
}

void progress_part(progress_clock *p, const char *what, long long done, long long count)
{
    const double now = clock_now(), spent = now - p->began;
    char left[24];
    if (now < p->next || done < 1 || !isatty(STDERR_FILENO)) return;
    p->next = now + EVERY_SECONDS;
    p->shown = 1;
    progress_duration(spent / (double)done * (double)(count - done), left);
    fprintf(stderr, "\r\033[K%s %lld of %lld, %s left%s", what, done, count, left,
            interrupted ? ", stopping" : "");
    fflush(stderr);
}

void progress_done(progress_clock *p)
{
    if (p->shown) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
        p->shown = 0;
    }
}
