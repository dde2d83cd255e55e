/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "view.h"

#include <stdlib.h>

#include "player.h"
#include "say.h"
#include "server.h"

static mo_error serve(const view_def *def, server *s, mo_message *why)
{
    if (def->ready) def->ready(def->user, server_port(s));
    while (!def->is_over(def->user))
        if (!server_serve(s)) return view_fail(why, "the server cannot go on");
    return MO_OK;
}

/* Runs with the player's thread from start to end. */
static mo_error play_and_serve(const view_def *def, stage *shown, hub *h, mo_message *why)
{
    const server_def how = {
        .port = def->port, .html = def->html, .html_size = def->html_size, .hub = h};
    server *s = server_open(&how, why);
    if (!s) return MO_ERR_ARGUMENT;
    player p = {.stage = shown, .hub = h, .wake = server_wake, .wake_user = s};
    mo_error error =
        player_start(&p) ? serve(def, s, why) : view_fail(why, "no thread could be started");
    hub_end(h);
    player_join(&p); /* before the server, which the player wakes */
    server_close(s);
    return error;
}

static mo_error run_replay(const view_def *def, mo_message *why)
{
    const server_def how = {.port = def->port, .html = def->html, .html_size = def->html_size};
    server *s = server_open(&how, why);
    const mo_error error = s ? serve(def, s, why) : MO_ERR_ARGUMENT;
    server_close(s);
    return error;
}

mo_error view_run(const view_def *def, mo_message *why)
{
    if (!def->source) return run_replay(def, why);
    stage *shown = calloc(1, sizeof *shown);
    hub h;
    if (!shown || !hub_open(&h)) {
        free(shown);
        return view_fail(why, "out of memory");
    }
    mo_error error = stage_open(shown, def->source, why);
    if (!error) {
        error = play_and_serve(def, shown, &h, why);
        stage_close(shown);
    }
    hub_close(&h);
    free(shown);
    return error;
}
