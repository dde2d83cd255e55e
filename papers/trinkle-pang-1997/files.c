/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The table and every data set as CSV; a data set as a file of its own. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rerun.h"

static const char *const FORMAT = "moreau-grasp-1";

static mo_error MO_PRINTF(3, 4) fail(mo_message *why, mo_error code, const char *format, ...)
{
    if (why) {
        va_list values;
        va_start(values, format);
        vsnprintf(why->text, sizeof why->text, format, values);
        va_end(values);
    }
    return code;
}

static FILE *open_file(const char *folder, const char *name, char *path, size_t room)
{
    const int length = snprintf(path, room, "%s/%s", folder, name);
    return length > 0 && (size_t)length < room ? fopen(path, "w") : NULL;
}

static mo_error close_file(FILE *file, const char *path, mo_message *why)
{
    const int bad = ferror(file);
    return fclose(file) != 0 || bad
               ? fail(why, MO_ERR_FILE, "%.400s could not be written to its end", path)
               : MO_OK;
}

/* ---- CSV ------------------------------------------------------------------------------------- */

/* An empty field for NAN. */
static void put_number(FILE *file, double value, int digits)
{
    if (isnan(value))
        fprintf(file, ",");
    else
        fprintf(file, ",%.*f", digits, value);
}

static mo_error write_table(const char *folder, const tp_row *rows, mo_message *why)
{
    char path[1024];
    FILE *file = open_file(folder, "table.csv", path, sizeof path);
    if (!file) return fail(why, MO_ERR_FILE, "%.400s cannot be written", path);
    fprintf(file, "size,sets");
    for (int side = 0; side < 2; ++side) {
        for (int method = 0; method < TP_METHOD_COUNT; ++method) {
            const char *name = tp_method_names[method], *whose = side ? "ours" : "paper";
            fprintf(file, ",%s %s solved,%s %s starts,%s %s iterations", whose, name, whose, name,
                    whose, name);
        }
    }
    fprintf(file, ",ours lemke solved with 100 pivots a start\n");
    for (int r = 0; r < TP_ROWS; ++r) {
        fprintf(file, "%d,%d", rows[r].size, rows[r].sets);
        for (int side = 0; side < 2; ++side) {
            for (int method = 0; method < TP_METHOD_COUNT; ++method) {
                const tp_figures *of = side ? &rows[r].ours[method] : &rows[r].paper[method];
                put_number(file, of->fraction, 2);
                put_number(file, of->starts, 1);
                put_number(file, of->iterations, 1);
            }
        }
        put_number(file, rows[r].within_100, 2);
        fprintf(file, "\n");
    }
    return close_file(file, path, why);
}

static mo_error write_sets(const char *folder, const tp_set *sets, mo_message *why)
{
    char path[1024];
    FILE *file = open_file(folder, "sets.csv", path, sizeof path);
    if (!file) return fail(why, MO_ERR_FILE, "%.400s cannot be written", path);
    fprintf(
        file,
        "set,problem,size,objects,manipulators,joints,rolling,sliding,mu,lemke solved,lemke starts,"
        "lemke pivots,lemke residual,fip solved,fip starts,fip iterations,fip residual\n");
    for (int k = 0; k < TRINKLE_PANG_SETS; ++k) {
        const trinkle_pang_set *set = &sets[k].set;
        const scene_grasp_def *def = &set->def;
        fprintf(file, "%d,%d,%d,%d,%d,%d,%d,%d,%.4g", set->number, set->problem, set->size,
                def->objects, def->manipulators, def->joints, def->rolling, def->sliding, def->mu);
        for (int method = 0; method < TP_METHOD_COUNT; ++method) {
            const tp_run *run = &sets[k].run[method];
            fprintf(file, ",%d,%d,%d,%.1e", run->solved, run->starts, run->iterations,
                    run->residual);
        }
        fprintf(file, "\n");
    }
    return close_file(file, path, why);
}

/* ---- one data set ---------------------------------------------------------------------------- */

/* FNV-1a of the bits of q, which holds all of M, H, f and w in it. */
static mo_error checksum(const scene_grasp_def *def, uint64_t *sum, mo_message *why)
{
    mo_problem *problem;
    mo_error error = scene_grasp(def, &problem, why);
    if (error) return error;
    const size_t rows = (size_t)mo_problem_row_count(problem);
    double *q = malloc((rows + 1) * sizeof *q);
    error = q ? mo_problem_response(problem, NULL, q) : MO_ERR_MEMORY;
    *sum = UINT64_C(0xcbf29ce484222325);
    for (size_t k = 0; !error && k < rows * sizeof *q; ++k)
        *sum = (*sum ^ ((const unsigned char *)q)[k]) * UINT64_C(0x100000001b3);
    free(q);
    mo_problem_destroy(problem);
    return error ? fail(why, error, "%s", mo_error_text(error)) : MO_OK;
}

void tp_name_left(const trinkle_pang_set *set, char *name, size_t room)
{
    snprintf(name, room, "left-over-%03d.txt", set->number);
}

mo_error tp_write_set(const char *path, const trinkle_pang_set *set, mo_message *why)
{
    const scene_grasp_def *def = &set->def;
    uint64_t sum;
    const mo_error error = checksum(def, &sum, why);
    FILE *file = error ? NULL : fopen(path, "w");
    if (!file) return error ? error : fail(why, MO_ERR_FILE, "%.400s cannot be written", path);
    fprintf(file,
            "# A data set that neither method solved: number %d of 0 to 327, an LCP of size %d.\n"
            "# scene_grasp (scenes/trinkle_pang.h) rebuilds it from these numbers.\n"
            "format = %s\nseed = %llu\nobjects = %d\nmanipulators = %d\njoints = %d\nrolling = %d\n"
            "sliding = %d\nmu = %.17g\nchecksum = %016llx\n",
            set->number, set->size, FORMAT, (unsigned long long)def->seed, def->objects,
            def->manipulators, def->joints, def->rolling, def->sliding, def->mu,
            (unsigned long long)sum);
    return close_file(file, path, why);
}

/* What has been read, and of which fields. */
typedef struct reading {
    scene_grasp_def def;
    unsigned long long seed, checksum;
    int fields, is_ours;
} reading;

/* One line; 0 if it is not recognised. */
static int read_line(const char *line, reading *r)
{
    char format[32];
    if (line[strspn(line, " \t\r\n")] == '\0' || line[0] == '#') return 1;
    if (sscanf(line, "format = %31s", format) == 1) {
        r->is_ours = strcmp(format, FORMAT) == 0;
        return r->is_ours;
    }
    const int found = sscanf(line, "seed = %llu", &r->seed) == 1 ||
                      sscanf(line, "objects = %d", &r->def.objects) == 1 ||
                      sscanf(line, "manipulators = %d", &r->def.manipulators) == 1 ||
                      sscanf(line, "joints = %d", &r->def.joints) == 1 ||
                      sscanf(line, "rolling = %d", &r->def.rolling) == 1 ||
                      sscanf(line, "sliding = %d", &r->def.sliding) == 1 ||
                      sscanf(line, "mu = %lf", &r->def.mu) == 1 ||
                      sscanf(line, "checksum = %llx", &r->checksum) == 1;
    r->fields += found;
    return found;
}

mo_error tp_read_set(const char *path, scene_grasp_def *def, int *same, mo_message *why)
{
    enum {
        FIELDS = 8,
        MOST = 10000
    }; /* MOST: bodies and contacts of a file that is to be believed */
    char line[200];
    reading r = {0};
    int number = 0, good = 1;
    FILE *file = fopen(path, "r");
    if (!file) return fail(why, MO_ERR_FILE, "%.400s cannot be read", path);
    while (good && fgets(line, sizeof line, file)) {
        ++number;
        good = read_line(line, &r);
    }
    fclose(file);
    if (!good || !r.is_ours || r.fields != FIELDS || r.def.objects > MOST ||
        r.def.manipulators > MOST || r.def.rolling > MOST || r.def.sliding > MOST) {
        return fail(why, MO_ERR_FILE,
                    "%.400s: line %d is not that of a %s file, or a field is missing", path, number,
                    FORMAT);
    }
    r.def.seed = r.seed;
    *def = r.def;
    uint64_t sum = 0;
    const mo_error error = same ? checksum(def, &sum, why) : MO_OK;
    if (same && !error) *same = sum == r.checksum;
    return error;
}

/* ---- all files ------------------------------------------------------------------------------- */

mo_error tp_write(const char *folder, const tp_set *sets, const tp_row *rows, mo_message *why)
{
    mo_error error = write_table(folder, rows, why);
    error = error ? error : write_sets(folder, sets, why);
    for (int k = 0; !error && k < TRINKLE_PANG_SETS; ++k) {
        char name[64], path[1024];
        tp_name_left(&sets[k].set, name, sizeof name);
        const int length = snprintf(path, sizeof path, "%s/%s", folder, name);
        if (length < 0 || (size_t)length >= sizeof path)
            return fail(why, MO_ERR_FILE, "the name of the folder is too long");
        if (!sets[k].run[TP_LEMKE].solved && !sets[k].run[TP_FIP].solved)
            error = tp_write_set(path, &sets[k].set, why);
        else
            remove(path); /* of an earlier run */
    }
    return error;
}
