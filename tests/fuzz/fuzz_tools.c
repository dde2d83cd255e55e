/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#define _XOPEN_SOURCE 700

#include "fuzz_tools.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void demand(int condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "fuzz: %s\n", what);
        abort();
    }
}

/* A path in a folder of this process, which is removed at its end. */
static char folder[64];

static void remove_folder(void)
{
    static const char *const NAMES[] = {"in.hdf5", "in.xml", "in.urdf",  "in.stl",
                                        "in.obj",  "in.sdf", "in.dae",   "in.png",
                                        "in.bin",  "in.txt", "form.hdf5"};
    char path[96];
    for (size_t k = 0; k < sizeof NAMES / sizeof *NAMES; ++k) {
        snprintf(path, sizeof path, "%s/%s", folder, NAMES[k]);
        unlink(path);
    }
    rmdir(folder);
}

const char *path_of(const char *name)
{
    static char path[96];
    if (!folder[0]) {
        snprintf(folder, sizeof folder, "%s/moreau-fuzz-XXXXXX",
                 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
        demand(mkdtemp(folder) != NULL, "no folder for the inputs");
        atexit(remove_folder);
    }
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

const char *file_of(const char *name, const uint8_t *data, size_t size)
{
    const char *path = path_of(name);
    FILE *file = fopen(path, "wb");
    demand(file && fwrite(data, 1, size, file) == size && fclose(file) == 0, "no room for a file");
    return path;
}

void take_file(const char *path, fuzz_take_fn *take, void *user)
{
    FILE *file = fopen(path, "rb");
    demand(file != NULL, "a seed is missing");
    static uint8_t bytes[1 << 18];
    take(user, bytes, fread(bytes, 1, sizeof bytes, file));
    fclose(file);
}

void take_text(const char *text, fuzz_take_fn *take, void *user)
{
    take(user, text, strlen(text));
}

void demand_sentence(mo_error error, const mo_message *why)
{
    demand(!error || why->text[0], "an error without a sentence");
}

void demand_finite(const mo_world *world)
{
    for (int k = 0; k < mo_world_body_count(world); ++k) {
        const mo_body_state s = mo_body_get(world, mo_world_body(world, k));
        const double sum = s.pose.position[0] + s.pose.position[1] + s.pose.position[2] +
                           s.velocity[0] + s.velocity[1] + s.velocity[2] + s.spin[0] + s.spin[1] +
                           s.spin[2] + s.pose.orientation[0];
        demand(isfinite(sum), "a state that is not finite");
    }
}

int is_chosen(const uint8_t *data, size_t size, unsigned in)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (size_t k = 0; k < size; ++k)
        hash = (hash ^ data[k]) * 16777619u;
    return (hash >> 8) % in == 0;
}
