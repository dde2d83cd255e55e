/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * A pile of discs between two walls, and the forces inside it, drawn as SVG on standard output.
 *
 *     pile [rows] [mu] > pile.svg
 *
 * The discs stand as cannonballs do, each on two below; some are missing, so that the forces find
 * their ways around.  One step at rest under gravity is solved: the lines are the contact impulses,
 * as thick as they are strong, blue where the contact sticks and red where it slides.
 */
#include <math.h>
#include <moreau/moreau.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_ROWS = 60, MAX_DISCS = MAX_ROWS * (MAX_ROWS + 1) / 2, MAX_CONTACTS = 4 * MAX_DISCS };

typedef struct disc {
    double x, y;
    int body; /* -1 where it is missing */
} disc;

/* A contact as it is drawn: where the line starts and ends. */
typedef struct line {
    double x0, y0, x1, y1;
} line;

typedef struct pile {
    int rows, discs, contacts;
    double mu;
    disc disc[MAX_DISCS];
    line line[MAX_CONTACTS];
    mo_builder *builder;
} pile;

static const double g = 9.81, h = 0.01;

/* A few fixed holes, from a little deterministic noise. */
static int is_hole(int row, int k)
{
    return row > 1 && (row * 7919 + k * 104729) % 17 == 3;
}

static void place_discs(pile *p)
{
    const double M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 0.5},
                 f[3] = {0, -g * h, 0};       /* unit radius and mass */
    for (int row = 0; row < p->rows; ++row) { /* row 0 is the top one */
        for (int k = 0; k <= row; ++k) {
            disc *d = &p->disc[p->discs++];
            d->x = 2 * k - row;
            d->y = 1 + sqrt(3) * (p->rows - 1 - row);
            d->body = is_hole(row, k) ? -1 : mo_builder_add_body(p->builder, 3, M, f);
        }
    }
}

/* The disc at place k of a row, or NULL. */
static const disc *disc_at(const pile *p, int row, int k)
{
    return row >= 0 && row < p->rows && k >= 0 && k <= row ? &p->disc[row * (row + 1) / 2 + k]
                                                           : NULL;
}

/* Disc a rests on disc b, or on the world (b = NULL) in direction (nx, ny), which points from it
 * into a. */
static void add_contact(pile *p, const disc *a, const disc *b, double nx, double ny)
{
    /* The contact lies at -n from the centre of a, and at +n from that of b; tangent t = (-ny, nx).
     */
    const double Ja[6] = {nx, ny, 0, -ny, nx, -1}, Jb[6] = {-nx, -ny, 0, ny, -nx, -1};
    const mo_law law = mo_law_coulomb(p->mu);
    const int contact = mo_builder_add_constraint(p->builder, 2, &law, NULL);
    mo_builder_add_jacobian(p->builder, contact, a->body, 2, 3, Ja);
    if (b) mo_builder_add_jacobian(p->builder, contact, b->body, 2, 3, Jb);
    p->line[p->contacts++] = (line){a->x, a->y, a->x - nx * (b ? 2 : 1), a->y - ny * (b ? 2 : 1)};
}

static void find_contacts(pile *p)
{
    const double up = sqrt(3) / 2;
    for (int row = 0; row < p->rows; ++row) {
        for (int k = 0; k <= row; ++k) {
            const disc *d = disc_at(p, row, k), *left = disc_at(p, row + 1, k);
            const disc *right = disc_at(p, row + 1, k + 1), *beside = disc_at(p, row, k + 1);
            if (d->body < 0) continue;
            if (left && left->body >= 0) add_contact(p, d, left, 0.5, up);
            if (right && right->body >= 0) add_contact(p, d, right, -0.5, up);
            if (beside && beside->body >= 0) add_contact(p, d, beside, -1, 0);
            if (row == p->rows - 1) add_contact(p, d, NULL, 0, 1);
            if (k == 0 && row == p->rows - 1) /* the walls hold the lowest row */
                add_contact(p, d, NULL, 1, 0);
            if (k == row && row == p->rows - 1) add_contact(p, d, NULL, -1, 0);
        }
    }
}

static void draw(const pile *p, const mo_result *result)
{
    const double scale = 800.0 / (2 * p->rows + 2), strongest = p->rows * g * h;
    const double height = (sqrt(3) * p->rows + 1.5) * scale;
    printf("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 800 %.0f\">\n", height);
    printf("<rect width=\"800\" height=\"%.0f\" fill=\"#fbfaf7\"/>\n", height);
    printf("<g transform=\"translate(400 %.1f) scale(%.3f %.3f)\">\n", height - 0.5 * scale, scale,
           -scale);
    for (int k = 0; k < p->discs; ++k) {
        if (p->disc[k].body >= 0) {
            printf("<circle cx=\"%.3f\" cy=\"%.3f\" r=\"0.96\" fill=\"#e8e4da\" stroke=\"#b9b2a1\" "
                   "stroke-width=\"0.05\"/>\n",
                   p->disc[k].x, p->disc[k].y);
        }
    }
    for (int i = 0; i < p->contacts; ++i) {
        const double r_N = result->r[2 * i], slip = fabs(result->u[2 * i + 1]);
        const double width = 1.4 * r_N / strongest;
        if (width > 0.004) {
            printf("<line x1=\"%.3f\" y1=\"%.3f\" x2=\"%.3f\" y2=\"%.3f\" stroke=\"%s\" "
                   "stroke-width=\"%.3f\" "
                   "stroke-linecap=\"round\"/>\n",
                   p->line[i].x0, p->line[i].y0, p->line[i].x1, p->line[i].y1,
                   slip > 1e-7 ? "#c2452d" : "#1f5f8b", width);
        }
    }
    printf("</g>\n</svg>\n");
}

int main(int argc, char **argv)
{
    static pile p;
    mo_problem *problem = NULL;
    mo_result result = {0};
    mo_options options = mo_default_options();
    mo_message why;
    p.rows = argc > 1 ? atoi(argv[1]) : 16;
    p.mu = argc > 2 ? atof(argv[2]) : 0.3;
    if (p.rows < 1 || p.rows > MAX_ROWS || !(p.mu >= 0)) {
        fprintf(stderr, "pile: 1 to %d rows, and mu not negative\n", MAX_ROWS);
        return 2;
    }
    mo_builder_create(NULL, &p.builder);
    place_discs(&p);
    find_contacts(&p);
    if (mo_builder_finish(p.builder, &problem, &why)) {
        fprintf(stderr, "pile: %s\n", why.text);
        return 1;
    }
    options.max_iter = 1000000;
    if (mo_solve(problem, &options, &result)) {
        fprintf(stderr, "pile: %s\n", result.message.text);
        return 1;
    }
    fprintf(stderr, "%d contacts, %s after %d sweeps, residual %.1e\n", p.contacts,
            mo_status_name(result.status), result.iterations, result.residual.natural_relative);
    draw(&p, &result);
    const int solved = result.status == MO_SOLVED;
    mo_result_clear(&result);
    mo_problem_destroy(problem);
    mo_builder_destroy(p.builder);
    return solved ? 0 : 1;
}
