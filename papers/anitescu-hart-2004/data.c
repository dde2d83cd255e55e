/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The tables as CSV, and a pile with its impulses for the picture. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "anitescu_hart.h"
#include "scenes.h"
#include "sheet.h"

/* A comma and a number, or a comma alone for NAN. */
static void put(FILE *file, double value)
{
    if (isnan(value))
        fprintf(file, ",");
    else
        fprintf(file, ",%.6g", value);
}

static mo_error write_pyramids(const char *folder, const ah_pyramid *rows, mo_message *why)
{
    sheet_file s;
    mo_error error = sheet_open(folder, "pyramid.csv", &s, why);
    if (error) return error;
    fprintf(s.file,
            "mu,m g h / 3,violation of the first,of the second,of the average,largest speed");
    for (int k = 0; k < 2; ++k)
        for (int j = 0; j < AH_CORNERS; ++j)
            fprintf(s.file, ",r_N %d of solution %d", j + 1, k + 1);
    for (int row = 0; row < AH_PYRAMIDS; ++row) {
        fprintf(s.file, "\n%g", rows[row].mu);
        put(s.file, rows[row].share);
        for (int k = 0; k < 3; ++k)
            put(s.file, rows[row].violation[k]);
        put(s.file, rows[row].speed);
        for (int k = 0; k < 2 * AH_CORNERS; ++k)
            put(s.file, rows[row].normal[k / AH_CORNERS][k % AH_CORNERS]);
    }
    fprintf(s.file, "\n");
    return sheet_close(&s, why);
}

static mo_error write_table(const char *folder, const ah_row *rows, mo_message *why)
{
    sheet_file s;
    mo_error error = sheet_open(folder, "table1.csv", &s, why);
    if (error) return error;
    fprintf(
        s.file,
        "mu,paper LCP0 s,paper LCP3 s,paper error of LCP3,ours LCP0 s,LCP0 pivots,LCP0 residual,"
        "LCP0 status,ours LCP3 s,error of LCP3,LCP3 residual\n");
    for (int k = 0; k < AH_ROWS; ++k) {
        const ah_row *row = &rows[k];
        fprintf(s.file, "%g", row->mu);
        put(s.file, row->paper_lcp0);
        put(s.file, row->paper_lcp3);
        put(s.file, row->paper_error);
        put(s.file, row->lcp0.seconds);
        fprintf(s.file, ",%d", row->lcp0.iterations);
        put(s.file, row->lcp0.residual);
        fprintf(s.file, ",%s", mo_status_name(row->lcp0.status));
        put(s.file, row->lcp3.seconds);
        put(s.file, row->lcp3.discrepancy);
        put(s.file, row->lcp3.residual);
        fprintf(s.file, "\n");
    }
    return sheet_close(&s, why);
}

static void put_run(FILE *file, const ah_step *step, const char *name, const ah_run *run)
{
    fprintf(file, "%d,%g,%s,%s,%d", step->disks, step->mu, name, mo_status_name(run->status),
            run->iterations);
    put(file, run->seconds);
    put(file, run->residual);
    put(file, run->contraction > 0 ? run->contraction : NAN);
    put(file, run->discrepancy);
    put(file, run->difference);
    fprintf(file, "\n");
}

static mo_error write_steps(const char *folder, const ah_step *steps, mo_message *why)
{
    sheet_file s;
    mo_error error = sheet_open(folder, "steps.csv", &s, why);
    if (error) return error;
    fprintf(s.file, "disks,mu,method,status,iterations,seconds,residual,contraction,|min(r_N u_N)|,"
                    "largest difference of v from LCP0\n");
    for (int k = 0; k < AH_STEPS; ++k) {
        for (int m = 0; m < AH_METHODS; ++m)
            put_run(s.file, &steps[k], ah_paper_names[m], &steps[k].run[m]);
        put_run(s.file, &steps[k], "LCP1 as published", &steps[k].published[AH_LCP1]);
        put_run(s.file, &steps[k], "LCP2 as published", &steps[k].published[AH_LCP2]);
    }
    return sheet_close(&s, why);
}

static mo_error write_rates(const char *folder, const ah_rate *rows, mo_message *why)
{
    sheet_file s;
    mo_error error = sheet_open(folder, "rates.csv", &s, why);
    if (error) return error;
    fprintf(s.file,
            "mu,contraction of LCP1,contraction of LCP2,error of v by LCP3,largest mu lambda\n");
    for (int k = 0; k < AH_RATES; ++k) {
        fprintf(s.file, "%g", rows[k].mu);
        put(s.file, rows[k].contraction[0]);
        put(s.file, rows[k].contraction[1]);
        put(s.file, rows[k].error);
        put(s.file, rows[k].slip);
        fprintf(s.file, "\n");
    }
    return sheet_close(&s, why);
}

/* ---- the picture ----------------------------------------------------------------------------- */

typedef struct point {
    double x, y;
} point;

/* The centre of a disk, numbered row by row from the floor. */
static point centre_of(const scene_cannonball_def *def, int disk)
{
    int row = 0;
    while (disk >= def->rows - row)
        disk -= def->rows - row++;
    return (point){def->radius * (2 * disk + row), def->radius * (1 + sqrt(3) * row)};
}

/* Two ends of a contact (centres, or a centre and the floor), its normal impulse and velocity. */
static void put_contact(FILE *file, const scene_cannonball_def *def, const mo_problem *problem,
                        int i, const double *r, const double *u)
{
    const mo_constraint_view contact = mo_problem_constraint(problem, i);
    const point a = centre_of(def, mo_problem_block(problem, i, 0).index);
    point b = {a.x, 0};
    if (contact.block_count == 2) b = centre_of(def, mo_problem_block(problem, i, 1).index);
    fprintf(file, "%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g\n", a.x, a.y, b.x, b.y, r[contact.offset],
            r[contact.offset + 1], u[contact.offset]);
}

static mo_error write_pile(const char *folder, const char *name, const scene_cannonball_def *def,
                           const mo_problem *problem, const double *v, const double *r,
                           mo_message *why)
{
    sheet_file s;
    char file[64];
    double *u = malloc((size_t)mo_problem_row_count(problem) * sizeof *u);
    mo_error error = u ? mo_problem_response(problem, r, u) : MO_ERR_MEMORY;
    snprintf(file, sizeof file, "disks-%s.csv", name);
    error = error ? error : sheet_open(folder, file, &s, why);
    if (!error) {
        fprintf(s.file, "x,y,radius,v_x,v_y\n");
        for (int b = 0; b < mo_problem_body_count(problem); ++b) {
            const point at = centre_of(def, b);
            fprintf(s.file, "%.6g,%.6g,%g,%.6g,%.6g\n", at.x, at.y, def->radius, v[3 * b],
                    v[3 * b + 1]);
        }
        error = sheet_close(&s, why);
    }
    snprintf(file, sizeof file, "contacts-%s.csv", name);
    error = error ? error : sheet_open(folder, file, &s, why);
    if (!error) {
        fprintf(s.file, "x,y,to x,to y,r_N,r_T,u_N\n");
        for (int i = 0; i < mo_problem_constraint_count(problem); ++i)
            put_contact(s.file, def, problem, i, r, u);
        error = sheet_close(&s, why);
    }
    free(u);
    return error;
}

/* 136 disks with mu = 0.2, by LCP1 and by LCP3. */
static mo_error write_piles(const char *folder, const ah_step *step, mo_message *why)
{
    static const ah_method methods[2] = {AH_LCP1, AH_LCP3};
    static const char *const names[2] = {"lcp1", "lcp3"};
    scene_cannonball_def def = scene_cannonball_default();
    mo_problem *problem;
    ah_run run;
    def.rows = step->rows;
    def.mu = step->mu;
    mo_error error = scene_cannonball(&def, &problem, why);
    if (error) return error;
    const size_t n = (size_t)mo_problem_dof_count(problem),
                 m = (size_t)mo_problem_row_count(problem);
    double *v = malloc((n + m) * sizeof *v);
    error = v ? MO_OK : MO_ERR_MEMORY;
    for (int k = 0; !error && k < 2; ++k) {
        error = ah_solve_pile(problem, methods[k], 0, &run, v, v + n);
        error = error ? error : write_pile(folder, names[k], &def, problem, v, v + n, why);
    }
    free(v);
    mo_problem_destroy(problem);
    return error;
}

mo_error ah_write_data(const char *folder, const ah_results *results, mo_message *why)
{
    mo_error error = write_pyramids(folder, results->pyramid, why);
    error = error ? error : write_table(folder, results->row, why);
    error = error ? error : write_steps(folder, results->step, why);
    error = error ? error : write_rates(folder, results->rate, why);
    return error ? error : write_piles(folder, &results->step[AH_STEPS - 1], why);
}
