/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "cases.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "moreau/io.h"
#include "scenes.h"

/* ---- scenes ---------------------------------------------------------------------------------- */

static mo_error make_slope(mo_problem **problem, mo_message *why)
{
    const scene_slope_def def = scene_slope_default();
    return scene_block_on_slope(&def, problem, why);
}

static mo_error make_slope_sliding(mo_problem **problem, mo_message *why)
{
    scene_slope_def def = scene_slope_default();
    def.mu = 0.3;
    return scene_block_on_slope(&def, problem, why);
}

static mo_error make_stack(mo_problem **problem, mo_message *why)
{
    scene_stack_def def = scene_stack_default();
    def.boxes = 20;
    def.push = 0.4;
    return scene_box_stack(&def, problem, why);
}

/* Light bodies below, heavy ones on top. */
static mo_error make_stack_heavy(mo_problem **problem, mo_message *why)
{
    scene_stack_def def = scene_stack_default();
    def.boxes = 10;
    def.mass_ratio = 1e6;
    return scene_box_stack(&def, problem, why);
}

static mo_error make_wall(mo_problem **problem, mo_message *why)
{
    scene_wall_def def = scene_wall_default();
    def.courses = 8;
    def.length = 8;
    return scene_wall(&def, problem, why);
}

static mo_error make_wall_shaken(mo_problem **problem, mo_message *why)
{
    scene_wall_def def = scene_wall_default();
    def.courses = 6;
    def.length = 6;
    def.shake = 0.1;
    return scene_wall(&def, problem, why);
}

static mo_error make_wall_in_plane(mo_problem **problem, mo_message *why)
{
    scene_wall_def def = scene_wall_default();
    def.courses = 10;
    def.length = 10;
    def.in_plane = 1;
    def.shake = 0.1;
    return scene_wall(&def, problem, why);
}

static mo_error make_chain(mo_problem **problem, mo_message *why)
{
    scene_chain_def def = scene_chain_default();
    def.links = 50;
    return scene_joint_chain(&def, problem, why);
}

static mo_error make_packing_small(mo_problem **problem, mo_message *why)
{
    return scene_packing(200, 1, problem, why);
}

static mo_error make_packing(mo_problem **problem, mo_message *why)
{
    return scene_packing(2000, 2, problem, why);
}

static mo_error make_cannonball(mo_problem **problem, mo_message *why)
{
    scene_cannonball_def def = scene_cannonball_default();
    def.rows = 12;
    def.has_walls = 1;
    return scene_cannonball(&def, problem, why);
}

static mo_error make_cannonball_rough(mo_problem **problem, mo_message *why)
{
    scene_cannonball_def def = scene_cannonball_default();
    def.rows = 8;
    def.mu = 0.5;
    return scene_cannonball(&def, problem, why);
}

/* A solution is drawn first, so the problem has one. */
static mo_error make_planted(const scene_random_def *def, mo_problem **problem, mo_message *why)
{
    double *planted = NULL;
    const mo_error error = scene_random(def, problem, &planted, why);
    free(planted);
    return error;
}

static mo_error make_random(mo_problem **problem, mo_message *why)
{
    scene_random_def def = scene_random_default();
    def.seed = 7;
    def.bodies = 40;
    def.constraints = 80;
    return make_planted(&def, problem, why);
}

static mo_error make_random_in_plane(mo_problem **problem, mo_message *why)
{
    scene_random_def def = scene_random_default();
    def.seed = 8;
    def.bodies = 40;
    def.constraints = 50;
    def.in_plane = 1;
    return make_planted(&def, problem, why);
}

static mo_error make_random_every_law(mo_problem **problem, mo_message *why)
{
    scene_random_def def = scene_random_default();
    def.seed = 9;
    def.bodies = 40;
    def.constraints = 60;
    def.laws = SCENE_EVERY_LAW;
    def.mass_ratio = 1e3;
    return make_planted(&def, problem, why);
}

typedef struct scene {
    const char *name;
    mo_error (*make)(mo_problem **problem, mo_message *why);
} scene;

static const scene SCENES[] = {
    {"slope", make_slope},
    {"slope-sliding", make_slope_sliding},
    {"stack", make_stack},
    {"stack-heavy-top", make_stack_heavy},
    {"wall", make_wall},
    {"wall-shaken", make_wall_shaken},
    {"wall-2d", make_wall_in_plane},
    {"chain", make_chain},
    {"packing-200", make_packing_small},
    {"packing-2000", make_packing},
    {"cannonball", make_cannonball},
    {"cannonball-rough", make_cannonball_rough},
    {"random", make_random},
    {"random-2d", make_random_in_plane},
    {"random-every-law", make_random_every_law},
};
enum { SCENE_COUNT = sizeof SCENES / sizeof SCENES[0] };

/* ---- the list -------------------------------------------------------------------------------- */

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* One case more; `path` is copied. */
static int add(bench_cases *cases, const char *name, const char *path, int number)
{
    if (cases->count == cases->room) {
        const int room = 2 * cases->room + 16;
        bench_case *list = realloc(cases->list, (size_t)room * sizeof *list);
        if (!list) return 0;
        cases->list = list;
        cases->room = room;
    }
    bench_case *one = &cases->list[cases->count];
    *one = (bench_case){.scene = number};
    snprintf(one->name, sizeof one->name, "%s", name);
    if (path) {
        one->path = malloc(strlen(path) + 1);
        if (!one->path) return 0;
        memcpy(one->path, path, strlen(path) + 1);
    }
    ++cases->count;
    return 1;
}

/* By its name without the ending; where another file has that name too, by its whole path. */
static int add_file(bench_cases *cases, const char *path)
{
    const char *base = base_of(path), *dot = strrchr(base, '.');
    char name[sizeof cases->list->name];
    snprintf(name, sizeof name, "%.*s", dot && dot > base ? (int)(dot - base) : (int)strlen(base),
             base);
    for (int k = 0; k < cases->count; ++k) {
        if (strcmp(cases->list[k].name, name) == 0) {
            const size_t length = strlen(path), room = sizeof name - 1;
            snprintf(name, sizeof name, "%s", path + (length > room ? length - room : 0));
            break;
        }
    }
    return add(cases, name, path, -1);
}

static int ends_with(const char *text, const char *end)
{
    const size_t a = strlen(text), b = strlen(end);
    return a > b && strcmp(text + a - b, end) == 0;
}

enum { DEPTH_MOST = 8 };

/* Every file below the folder; false if memory runs out. */
static int add_folder(bench_cases *cases, const char *folder, int depth)
{
    struct dirent **entries = NULL;
    const int count = scandir(folder, &entries, NULL, alphasort);
    int good = 1;
    for (int k = 0; k < count; ++k) {
        const char *name = entries[k]->d_name;
        char path[2048];
        struct stat about;
        const int length = snprintf(path, sizeof path, "%s/%s", folder, name);
        if (good && name[0] != '.' && (size_t)length < sizeof path && stat(path, &about) == 0) {
            if (S_ISDIR(about.st_mode) && depth < DEPTH_MOST)
                good = add_folder(cases, path, depth + 1);
            else if (S_ISREG(about.st_mode) && (ends_with(name, ".hdf5") || ends_with(name, ".h5")))
                good = add_file(cases, path);
        }
        free(entries[k]);
    }
    free(entries);
    return good;
}

static int add_path(bench_cases *cases, const char *path, mo_message *why)
{
    struct stat about;
    if (stat(path, &about) != 0) {
        snprintf(why->text, sizeof why->text, "%.300s: %s", path, strerror(errno));
        return 0;
    }
    const int before = cases->count;
    const int folder = S_ISDIR(about.st_mode);
    char bare[2048]; /* without the slash at its end */
    snprintf(bare, sizeof bare, "%s", path);
    for (size_t n = strlen(bare); n > 1 && bare[n - 1] == '/'; --n)
        bare[n - 1] = '\0';
    if (!(folder ? add_folder(cases, bare, 0) : add_file(cases, path))) {
        snprintf(why->text, sizeof why->text, "memory ran out");
        return 0;
    }
    if (cases->count == before) {
        snprintf(why->text, sizeof why->text, "%.300s holds no file that ends in .hdf5 or .h5",
                 path);
        return 0;
    }
    return 1;
}

int bench_cases_find(char **paths, int count, bench_cases *cases, mo_message *why)
{
    for (int k = 0; k < count; ++k)
        if (!add_path(cases, paths[k], why)) return 0;
    for (int k = 0; count == 0 && k < SCENE_COUNT; ++k) {
        if (!add(cases, SCENES[k].name, NULL, k)) {
            snprintf(why->text, sizeof why->text, "memory ran out");
            return 0;
        }
    }
    return 1;
}

void bench_cases_clear(bench_cases *cases)
{
    for (int k = 0; k < cases->count; ++k)
        free(cases->list[k].path);
    free(cases->list);
    *cases = (bench_cases){0};
}

mo_error bench_case_load(const bench_case *one, mo_problem **problem, mo_message *why)
{
    *problem = NULL;
    if (!one->path) return SCENES[one->scene].make(problem, why);
    mo_document document = {0};
    const mo_error error = mo_fclib_read(one->path, NULL, &document, why);
    if (!error) {
        *problem = document.problem;
        document.problem = NULL;
    }
    mo_document_clear(&document);
    return error;
}
