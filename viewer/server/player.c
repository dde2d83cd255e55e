/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "player.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double FRAME_SECONDS = 1.0 / 70; /* below 1/60 s: no step of 1/60 s is skipped */
static const double LATE_SECONDS = 0.1;       /* of lateness that is made up for */
static const double WINDOW_SECONDS = 0.5;     /* over which the rate is measured */

static double clock_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- posting --------------------------------------------------------------------------------- */

static void post_text(player *p, hub_kind kind, void (*put)(stage *, FILE *))
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    hub_message *message = NULL;
    if (out) {
        put(p->stage, out);
        message = fclose(out) == 0 ? hub_message_make(size) : NULL;
    }
    if (message) { /* out of memory: the page keeps its data */
        memcpy(hub_message_text(message), text, size);
        hub_post(p->hub, kind, message);
    }
    free(text);
}

static void post_frame(player *p)
{
    hub_message *message = hub_message_make(stage_frame_size(p->stage));
    if (message) {
        stage_frame(p->stage, p->milliseconds, p->stage->playing ? p->rate : 0,
                    hub_message_text(message));
        hub_post(p->hub, HUB_FRAME, message);
    }
    p->posted = clock_now();
    p->stage->frame_changed = 0;
}

/* Posts changes; a frame only if one is due, or before a pause. */
static void post_news(player *p, int at_rest)
{
    stage *s = p->stage;
    int news = s->scene_changed || s->state_changed;
    if (s->scene_changed)
        post_text(p, HUB_SCENE, stage_put_scene);
    else if (s->state_changed)
        post_text(p, HUB_STATE, stage_put_state);
    if (s->scene_changed ||
        (s->frame_changed && (at_rest || clock_now() - p->posted >= FRAME_SECONDS))) {
        post_frame(p);
        news = 1;
    }
    s->scene_changed = s->state_changed = 0;
    if (news && p->wake) p->wake(p->wake_user);
}

/* ---- time ------------------------------------------------------------------------------------ */

static void measure(player *p, double began, double now)
{
    const double took = 1e3 * (now - began);
    p->milliseconds = p->milliseconds > 0 ? 0.9 * p->milliseconds + 0.1 * took : took;
    p->window_time += p->stage->step;
    if (now - p->window_began >= WINDOW_SECONDS) {
        const double wide = now - p->window_began;
        p->rate =
            wide < 4 * WINDOW_SECONDS ? p->window_time / wide : p->stage->step / (now - began);
        p->window_began = now;
        p->window_time = 0;
    }
}

static void take_step(player *p)
{
    mo_message why = {{0}};
    const double began = p->began > 0 ? p->began : clock_now();
    const mo_error error = stage_step(p->stage, &why);
    if (error) {
        hub_refuse(p->hub, 0, &why);
        if (p->wake) p->wake(p->wake_user);
    }
    p->began = p->stage->is_waiting ? began : 0;
    if (p->stage->is_waiting) /* commands may come in between */
        return;
    const double now = clock_now();
    measure(p, began, now);
    p->due += p->stage->step / p->stage->speed;
    if (p->due < now - LATE_SECONDS) p->due = now;
}

/* ---- the loop -------------------------------------------------------------------------------- */

/* Waits for a message, or until `until`; called with the lock held. */
static void wait_for_news(hub *h, double until)
{
    if (isinf(until)) {
        pthread_cond_wait(&h->news, &h->lock);
        return;
    }
    const struct timespec at = {.tv_sec = (time_t)until,
                                .tv_nsec = (long)(1e9 * (until - floor(until)))};
    pthread_cond_timedwait(&h->news, &h->lock, &at);
}

/* Waits for commands or pages, at most until `due`; false at the end. */
static int take_news(player *p, double due, hub_command *commands, int *command_count,
                     int *has_pages)
{
    hub *h = p->hub;
    unsigned pages[STAGE_PAGES];
    pthread_mutex_lock(&h->lock);
    while (!h->is_over && h->command_count == 0 && !(h->page_count && clock_now() >= due))
        wait_for_news(h, h->page_count ? due : INFINITY);
    *command_count = h->command_count;
    for (int k = 0; k < h->command_count; ++k)
        commands[k] = h->commands[(h->first_command + k) % HUB_COMMANDS];
    h->first_command = h->command_count = 0;
    const int count = h->page_count, over = h->is_over;
    memcpy(pages, h->pages, sizeof pages);
    pthread_mutex_unlock(&h->lock);
    stage_keep_pages(p->stage, pages, count);
    *has_pages = count > 0;
    return !over;
}

static void grant(player *p, const hub_command *entry)
{
    mo_message why = {{0}};
    const int was_playing = p->stage->playing;
    if (stage_command(p->stage, entry->page, &entry->command, &why)) {
        hub_refuse(p->hub, entry->page, &why);
        if (p->wake) p->wake(p->wake_user);
    }
    if (p->stage->playing && !was_playing) {
        p->due = p->window_began = clock_now();
        p->window_time = 0;
    }
}

static void *play(void *user)
{
    player *p = user;
    stage *s = p->stage;
    hub_command *commands = malloc(HUB_COMMANDS * sizeof *commands);
    int count = 0, has_pages = 0;
    p->due = p->window_began = clock_now();
    while (commands && take_news(p, s->playing || s->single_steps ? p->due : INFINITY, commands,
                                 &count, &has_pages)) {
        for (int k = 0; k < count; ++k)
            grant(p, commands + k);
        const double now = clock_now();
        if (s->single_steps) {
            take_step(p);
            s->single_steps -= !s->is_waiting;
            p->due = now; /* a single step is due at once */
        } else if (s->playing && has_pages && now >= p->due) {
            p->due = now - p->due > LATE_SECONDS ? now : p->due; /* after a rest */
            take_step(p);
        }
        post_news(p, !s->playing || p->due > clock_now() + FRAME_SECONDS);
    }
    free(commands);
    return NULL;
}

int player_start(player *p)
{
    sigset_t all, before;
    post_news(p, 1);
    sigfillset(&all); /* signals are handled by the serving thread */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    p->is_running = pthread_create(&p->thread, NULL, play, p) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return p->is_running;
}

void player_join(player *p)
{
    if (p->is_running) {
        pthread_join(p->thread, NULL);
        p->is_running = 0;
    }
}
