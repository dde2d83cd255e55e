/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "hub.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

int hub_open(hub *h)
{
    pthread_condattr_t attributes;
    memset(h, 0, sizeof *h);
    h->commands = malloc(HUB_COMMANDS * sizeof *h->commands);
    if (!h->commands || pthread_condattr_init(&attributes) != 0) {
        free(h->commands);
        return 0;
    }
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    h->is_made =
        pthread_mutex_init(&h->lock, NULL) == 0 && pthread_cond_init(&h->news, &attributes) == 0;
    pthread_condattr_destroy(&attributes);
    return h->is_made;
}

static void drop(hub_message *message)
{
    if (message && --message->uses == 0) free(message);
}

void hub_close(hub *h)
{
    if (h->is_made) {
        for (int k = 0; k < HUB_KINDS; ++k)
            drop(h->newest[k]);
        pthread_cond_destroy(&h->news);
        pthread_mutex_destroy(&h->lock);
        free(h->commands);
    }
    memset(h, 0, sizeof *h);
}

hub_message *hub_message_make(size_t size)
{
    hub_message *message = malloc(sizeof *message + size);
    if (message) {
        message->uses = 1;
        message->size = size;
    }
    return message;
}

unsigned char *hub_message_text(hub_message *message)
{
    return message->bytes;
}

/* ---- the player's side ----------------------------------------------------------------------- */

void hub_post(hub *h, hub_kind kind, hub_message *message)
{
    pthread_mutex_lock(&h->lock);
    drop(h->newest[kind]);
    h->newest[kind] = message;
    h->number[kind] += 1;
    if (kind == HUB_SCENE) { /* older messages refer to another world */
        for (int k = HUB_STATE; k <= HUB_FRAME; ++k) {
            drop(h->newest[k]);
            h->newest[k] = NULL;
        }
    }
    pthread_mutex_unlock(&h->lock);
}

void hub_refuse(hub *h, unsigned page, const mo_message *why)
{
    pthread_mutex_lock(&h->lock);
    if (h->refusal_count < HUB_REFUSALS)
        h->refusals[h->refusal_count++] = (hub_refusal){page, *why};
    pthread_mutex_unlock(&h->lock);
}

/* ---- the server's side ----------------------------------------------------------------------- */

hub_message *hub_take(hub *h, unsigned long seen[HUB_KINDS], hub_kind *kind)
{
    hub_message *message = NULL;
    pthread_mutex_lock(&h->lock);
    for (int k = 0; k < HUB_KINDS && !message; ++k) {
        if (h->number[k] != seen[k] && h->newest[k]) {
            message = h->newest[k];
            message->uses += 1;
            seen[k] = h->number[k];
            *kind = (hub_kind)k;
        }
    }
    pthread_mutex_unlock(&h->lock);
    return message;
}

void hub_let_go(hub *h, hub_message *message)
{
    pthread_mutex_lock(&h->lock);
    drop(message);
    pthread_mutex_unlock(&h->lock);
}

int hub_command_add(hub *h, unsigned page, const command *w)
{
    pthread_mutex_lock(&h->lock);
    const int last = (h->first_command + h->command_count - 1) % HUB_COMMANDS;
    const int replaces = h->command_count > 0 && w->verb == COMMAND_DRAG &&
                         h->commands[last].page == page &&
                         h->commands[last].command.verb == COMMAND_DRAG;
    const int fits = replaces || h->command_count < HUB_COMMANDS;
    if (fits) {
        const int place = replaces ? last : (h->first_command + h->command_count) % HUB_COMMANDS;
        h->commands[place] = (hub_command){page, *w};
        h->command_count += !replaces;
        pthread_cond_signal(&h->news);
    }
    pthread_mutex_unlock(&h->lock);
    return fits;
}

int hub_page_add(hub *h, unsigned page)
{
    pthread_mutex_lock(&h->lock);
    const int fits = h->page_count < STAGE_PAGES;
    if (fits) {
        h->pages[h->page_count++] = page;
        pthread_cond_signal(&h->news);
    }
    pthread_mutex_unlock(&h->lock);
    return fits;
}

void hub_page_remove(hub *h, unsigned page)
{
    pthread_mutex_lock(&h->lock);
    for (int k = 0; k < h->page_count; ++k) {
        if (h->pages[k] == page) {
            h->pages[k] = h->pages[--h->page_count];
            break;
        }
    }
    pthread_cond_signal(&h->news);
    pthread_mutex_unlock(&h->lock);
}

int hub_refusals(hub *h, hub_refusal *to)
{
    pthread_mutex_lock(&h->lock);
    const int count = h->refusal_count;
    memcpy(to, h->refusals, (size_t)count * sizeof *to);
    h->refusal_count = 0;
    pthread_mutex_unlock(&h->lock);
    return count;
}

void hub_end(hub *h)
{
    pthread_mutex_lock(&h->lock);
    h->is_over = 1;
    pthread_cond_signal(&h->news);
    pthread_mutex_unlock(&h->lock);
}
