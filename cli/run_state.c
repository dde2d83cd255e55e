/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "run_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "output.h"
#include "text.h"

static const char FIRST_LINE[] = "moreau-state 1\n";
enum { SCENE_LINE = 1024 };

/* "stack count=10 mu=0.5 ratio=1\n" */
static void describe(const run_call *call, char line[SCENE_LINE])
{
    int length = snprintf(line, SCENE_LINE, "%s", call->world.scene->name);
    for (int k = 0; k < world_parameter_count(call->world.scene) && length < SCENE_LINE; ++k) {
        length += snprintf(line + length, (size_t)(SCENE_LINE - length), " %s=%s",
                           call->world.scene->parameter[k].name,
                           number_exact(call->world.values[k]).text);
    }
    if (length < SCENE_LINE - 1) {
        snprintf(line + length, (size_t)(SCENE_LINE - length), "\n");
    }
}

static unsigned long long checksum(const unsigned char *bytes, size_t size)
{
    unsigned long long sum = 0xcbf29ce484222325ULL;
    for (size_t k = 0; k < size; ++k) {
        sum = (sum ^ bytes[k]) * 0x100000001b3ULL;
    }
    return sum;
}

/* ---- saving ---------------------------------------------------------------------------------- */

static int write_file(const run_call *call, const void *bytes, size_t size)
{
    output o;
    char line[SCENE_LINE];
    if (!output_open(&o, call->save_state)) {
        return 0;
    }
    describe(call, line);
    fprintf(o.file, "%s%s%zu %016llx\n", FIRST_LINE, line, size, checksum(bytes, size));
    fwrite(bytes, 1, size, o.file);
    return output_commit(&o);
}

int run_state_save(const run_call *call, const mo_world *world, run_tally *tally)
{
    const size_t size = mo_world_save(world, NULL, 0);
    void *bytes = malloc(size);
    if (!bytes) {
        run_fail(tally, call->save_state, "memory ran out");
        return 0;
    }
    mo_world_save(world, bytes, size);
    const int good = write_file(call, bytes, size);
    if (!good) {
        run_fail(tally, call->save_state, "the state could not be written: %s", strerror(errno));
    }
    free(bytes);
    return good;
}

/* ---- loading --------------------------------------------------------------------------------- */

/* The next line of the head, without its end.  NULL if there is no complete line. */
static const char *take_line(const char **from, const char *end, char line[SCENE_LINE])
{
    const char *stop = memchr(*from, '\n', (size_t)(end - *from));
    if (!stop || stop - *from >= SCENE_LINE) {
        return NULL;
    }
    memcpy(line, *from, (size_t)(stop - *from));
    line[stop - *from] = 0;
    *from = stop + 1;
    return line;
}

/* Start of the world's bytes, or NULL after run_fail. */
static const char *read_head(const run_call *call, const char *from, const char *end,
                             run_tally *tally)
{
    char line[SCENE_LINE], expected[SCENE_LINE];
    unsigned long long size = 0, sum = 0;
    describe(call, expected);
    expected[strcspn(expected, "\n")] = 0;
    if (!take_line(&from, end, line) || strncmp(line, FIRST_LINE, strlen(FIRST_LINE) - 1) != 0) {
        run_fail(tally, call->load_state, "is not a state that moreau run --save-state wrote");
        return NULL;
    }
    if (!take_line(&from, end, line) || strcmp(line, expected) != 0) {
        run_fail(tally, call->load_state, "is a state of '%.200s', but this call is for '%.200s'",
                 line, expected);
        return NULL;
    }
    if (!take_line(&from, end, line) || sscanf(line, "%llu %llx", &size, &sum) != 2 ||
        size != (unsigned long long)(end - from) ||
        sum != checksum((const unsigned char *)from, (size_t)(end - from))) {
        run_fail(tally, call->load_state, "is damaged or cut short; copy it again");
        return NULL;
    }
    return from;
}

int run_state_load(const run_call *call, mo_world *world, run_tally *tally)
{
    size_t size = 0;
    mo_message why = {{0}};
    char *bytes = output_read_back(call->load_state, &size);
    if (!bytes) {
        run_fail(tally, call->load_state, "the state could not be read: %s", strerror(errno));
        return 0;
    }
    const char *parts = read_head(call, bytes, bytes + size, tally);
    const mo_error error =
        parts ? mo_world_load(world, parts, (size_t)(bytes + size - parts), &why) : MO_OK;
    if (error) {
        run_fail(tally, call->load_state, "%s", text_of_error(call->load_state, error, &why));
    }
    free(bytes);
    return parts && !error;
}
