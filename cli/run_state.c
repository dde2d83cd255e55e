/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "run_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "number.h"
#include "output.h"
#include "text.h"

static const char FIRST_LINE[] = "moreau-state 1\n";
static const char DAMAGED[] = "is damaged or truncated; copy it again";
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
    if (length < SCENE_LINE - 1) snprintf(line + length, (size_t)(SCENE_LINE - length), "\n");
}

static unsigned long long checksum(const unsigned char *bytes, size_t size)
{
    unsigned long long sum = 0xcbf29ce484222325ULL;
    for (size_t k = 0; k < size; ++k)
        sum = (sum ^ bytes[k]) * 0x100000001b3ULL;
    return sum;
}

/* ---- saving ---------------------------------------------------------------------------------- */

static int write_file(const run_call *call, const void *bytes, size_t size)
{
    output o;
    char line[SCENE_LINE];
    if (!output_open(&o, call->save_state)) return 0;
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
    if (!good)
        run_fail(tally, call->save_state, "the state could not be written: %s", strerror(errno));
    free(bytes);
    return good;
}

/* ---- loading --------------------------------------------------------------------------------- */

/* The next line of the head, without its end.  False if there is no complete line. */
static int take_line(FILE *file, char line[SCENE_LINE])
{
    line[0] = 0;
    const char *end = fgets(line, SCENE_LINE, file) ? strchr(line, '\n') : NULL;
    line[strcspn(line, "\n")] = 0;
    return end != NULL;
}

/* Number and sum of the bytes that follow.  False after run_fail. */
static int read_head(const run_call *call, FILE *file, size_t *size, unsigned long long *sum,
                     run_tally *tally)
{
    char line[SCENE_LINE], expected[SCENE_LINE];
    describe(call, expected);
    expected[strcspn(expected, "\n")] = 0;
    if (!take_line(file, line) || strncmp(line, FIRST_LINE, strlen(FIRST_LINE) - 1) != 0) {
        run_fail(tally, call->load_state, "is not a state that moreau run --save-state wrote");
        return 0;
    }
    if (!take_line(file, line) || strcmp(line, expected) != 0) {
        run_fail(tally, call->load_state, "is a state of '%.200s', but this call is for '%.200s'",
                 line, expected);
        return 0;
    }
    if (!take_line(file, line) || sscanf(line, "%zu %llx", size, sum) != 2) {
        run_fail(tally, call->load_state, DAMAGED);
        return 0;
    }
    return 1;
}

/* The bytes after the head of a file of `all` bytes, as new memory; NULL after run_fail. */
static void *read_bytes(const run_call *call, FILE *file, long long all, size_t *size,
                        run_tally *tally)
{
    unsigned long long sum = 0;
    if (!read_head(call, file, size, &sum, tally)) return NULL;
    const long long left = all - ftell(file);
    if (left < 1 || (unsigned long long)left != *size) { /* before memory is taken */
        run_fail(tally, call->load_state, DAMAGED);
        return NULL;
    }
    unsigned char *bytes = malloc(*size);
    if (!bytes) {
        run_fail(tally, call->load_state, "memory ran out");
    } else if (fread(bytes, 1, *size, file) != *size || checksum(bytes, *size) != sum) {
        run_fail(tally, call->load_state, DAMAGED);
        free(bytes);
        bytes = NULL;
    }
    return bytes;
}

int run_state_load(const run_call *call, mo_world *world, run_tally *tally)
{
    size_t size = 0;
    mo_message why = {{0}};
    struct stat about = {0};
    if (stat(call->load_state, &about) == 0 && !S_ISREG(about.st_mode)) {
        run_fail(tally, call->load_state, "is not a regular file"); /* it may have no end */
        return 0;
    }
    FILE *file = fopen(call->load_state, "rb");
    if (!file) {
        run_fail(tally, call->load_state, "the state could not be read: %s", strerror(errno));
        return 0;
    }
    void *bytes = read_bytes(call, file, (long long)about.st_size, &size, tally);
    fclose(file);
    const mo_error error = bytes ? mo_world_load(world, bytes, size, &why) : MO_OK;
    if (error)
        run_fail(tally, call->load_state, "%s", text_of_error(call->load_state, error, &why));
    free(bytes);
    return bytes && !error;
}
