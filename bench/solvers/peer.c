/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "peer.h"

#include <stdlib.h>
#include <string.h>

#include "beside.h"
#include "child.h"
#include "moreau/io.h"

static const char *const SICONOS = "siconos";

static int ask_for_list(const void *input, FILE *out)
{
    const peer *p = input;
    char program[PEER_PATH_SIZE], list[] = "--list";
    snprintf(program, sizeof program, "%s", p->program);
    char *const words[] = {program, list, NULL};
    return beside_become(words, out);
}

int peer_try(const void *input, FILE *out)
{
    enum { WORDS_BEFORE = 5 };
    const peer_input *in = input;
    char text[WORDS_BEFORE + TRIAL_TARGETS_MOST][PEER_PATH_SIZE];
    char *words[WORDS_BEFORE + TRIAL_TARGETS_MOST + 1] = {NULL};
    snprintf(text[0], sizeof text[0], "%s", in->p->program);
    snprintf(text[1], sizeof text[1], "%s", in->path);
    snprintf(text[2], sizeof text[2], "%s", in->p->configs[in->config]);
    snprintf(text[3], sizeof text[3], "%.9g", in->call->time_limit);
    snprintf(text[4], sizeof text[4], "%d", in->call->repeats);
    for (int k = 0; k < in->call->target_count; ++k)
        snprintf(text[WORDS_BEFORE + k], sizeof text[0], "%.17g", in->call->targets[k]);
    for (int k = 0; k < WORDS_BEFORE + in->call->target_count; ++k)
        words[k] = text[k];
    return beside_become(words, out);
}

/* ---- configurations -------------------------------------------------------------------------- */

/* Is the name one of those between the commas? */
static int is_among(const char *name, const char *names)
{
    const size_t length = strlen(name);
    for (const char *at = names; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0')) return 1;
    }
    return 0;
}

static int names_between_commas(const char *names)
{
    int count = 1;
    for (; *names; ++names)
        count += *names == ',';
    return count;
}

static void keep_configs(const char *list, const char *only, peer *p)
{
    while (*list && p->config_count < PEER_CONFIGS_MOST) {
        const size_t length = strcspn(list, "\n");
        char *name = p->configs[p->config_count];
        snprintf(name, PEER_NAME_SIZE, "%.*s", (int)length, list);
        p->config_count += name[0] && (!only || is_among(name, only));
        list += length + (list[length] == '\n');
    }
}

int peer_open(const char *name, const char *only, peer *p, mo_message *why)
{
    enum { LIST_SIZE = PEER_CONFIGS_MOST * PEER_NAME_SIZE };
    static const double patience = 20;
    char list[LIST_SIZE];
    *p = (peer){.name = SICONOS};
    if (strcmp(name, SICONOS) != 0) {
        snprintf(why->text, sizeof why->text, "there is no peer '%.60s'; there is %s", name,
                 SICONOS);
        return 0;
    }
    if (!beside_find(SICONOS, p->program)) {
        snprintf(
            why->text, sizeof why->text,
            "this build has no %s to compare with; install it (on Debian and Ubuntu: apt install"
            " libsiconos-numerics-dev libsuitesparse-dev), configure and build again",
            SICONOS);
        return 0;
    }
    if (child_run(ask_for_list, p, patience, list, sizeof list) != CHILD_DONE) {
        snprintf(why->text, sizeof why->text, "%.400s does not run", p->program);
        return 0;
    }
    keep_configs(list, only, p);
    if (only && p->config_count < names_between_commas(only)) {
        snprintf(why->text, sizeof why->text,
                 "--configurations %.200s names one that %s does not have; %.200s --list has them",
                 only, SICONOS, p->program);
        return 0;
    }
    return 1;
}

/* ---- files ----------------------------------------------------------------------------------- */

int peer_file(const bench_case *one, const char *folder, char *path, size_t room)
{
    mo_message why;
    if (one->path) {
        snprintf(path, room, "%s", one->path);
        return 1;
    }
    mo_document document = {0};
    snprintf(path, room, "%s/%s.hdf5", folder, one->name);
    const int written =
        !bench_case_load(one, &document.problem, &why) && !mo_fclib_write(path, &document, &why);
    mo_problem_destroy(document.problem);
    return written;
}
