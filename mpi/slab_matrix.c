/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Parts of the matrices and vectors of an FCLIB file (slab.h). */
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "mail.h"
#include "slab.h"

/* ---- matrices ------------------------------------------------------------------------------- */

typedef struct matrix {
    int m, n, nz;
    size_t i_count, first, count; /* entries of this rank's run */
    int64_t *p, *i;
    double *x;
} matrix;

static size_t part_of(const mo_slabs *s, size_t total, int more)
{
    return (size_t)((int64_t)total * (s->contact_home.rank + more) / s->contact_home.size);
}

/* The lines (columns or rows) of a compressed matrix that are this rank's, and their entries. */
static bool read_lines(mo_slabs *s, const mo_h5_group *g, matrix *a, int lines, size_t *line,
                       size_t *line_count)
{
    size_t p_count;
    *line = part_of(s, (size_t)lines, 0);
    *line_count = part_of(s, (size_t)lines, 1) - *line;
    a->p = malloc((*line_count + 2) * sizeof *a->p);
    if (!a->p || !mo_h5_count(&s->h, g, "p", &p_count) || p_count != (size_t)lines + 1 ||
        !mo_h5_read_int_run(&s->h, g, "p", *line, *line_count + 1, a->p))
        return false;
    bool good = a->p[0] >= 0 && (*line > 0 || a->p[0] == 0);
    for (size_t k = 0; k < *line_count; ++k)
        good = good && a->p[k + 1] >= a->p[k];
    a->first = good ? (size_t)a->p[0] : 0;
    a->count = good ? (size_t)(a->p[*line_count] - a->p[0]) : 0;
    return good;
}

static bool read_triplets(mo_slabs *s, const mo_h5_group *g, matrix *a)
{
    a->first = part_of(s, (size_t)a->nz, 0);
    a->count = part_of(s, (size_t)a->nz, 1) - a->first;
    a->p = malloc((a->count + 1) * sizeof *a->p);
    return a->p && mo_h5_read_int_run(&s->h, g, "p", a->first, a->count, a->p);
}

/* Rows and columns of the entries; false if one is outside the matrix. */
static bool expand(const matrix *a, size_t line, size_t line_count, mo_slab_entries *out)
{
    out->at = malloc((a->count + 1) * sizeof *out->at);
    if (!out->at) return false;
    out->count = (int)a->count;
    for (size_t k = 0; a->nz < 0 && k < line_count; ++k) {
        for (int64_t e = a->p[k]; e < a->p[k + 1]; ++e) {
            const size_t at = (size_t)(e - a->p[0]);
            const int32_t own = (int32_t)(line + k), other = (int32_t)a->i[at];
            out->at[at] = a->nz == -1 ? (mo_slab_entry){.row = other, .column = own}
                                      : (mo_slab_entry){.row = own, .column = other};
        }
    }
    bool good = true;
    for (size_t k = 0; k < a->count; ++k) {
        if (a->nz >= 0) {
            out->at[k] = (mo_slab_entry){.row = (int32_t)a->i[k], .column = (int32_t)a->p[k]};
            good = good && a->p[k] >= 0 && a->p[k] < a->n;
        }
        out->at[k].value = a->x[k];
        good = good && out->at[k].row >= 0 && out->at[k].row < a->m && out->at[k].column >= 0 &&
               out->at[k].column < a->n && a->i[k] >= 0 && a->i[k] < INT_MAX && isfinite(a->x[k]);
    }
    return good;
}

static bool read_entries(mo_slabs *s, const mo_h5_group *g, matrix *a, mo_slab_entries *out)
{
    size_t line = 0, line_count = 0, x_count;
    int nzmax;
    if (!mo_h5_read_int(&s->h, g, "m", &a->m) || !mo_h5_read_int(&s->h, g, "n", &a->n) ||
        !mo_h5_read_int(&s->h, g, "nz", &a->nz) || !mo_h5_read_int(&s->h, g, "nzmax", &nzmax) ||
        !mo_h5_count(&s->h, g, "i", &a->i_count) || !mo_h5_count(&s->h, g, "x", &x_count) ||
        a->m < 0 || a->n < 0 || a->nz < -2 || a->i_count != x_count)
        return false;
    if (!(a->nz >= 0 ? read_triplets(s, g, a)
                     : read_lines(s, g, a, a->nz == -1 ? a->n : a->m, &line, &line_count)) ||
        a->count > INT_MAX || a->first + a->count > x_count)
        return false;
    a->i = malloc((a->count + 1) * sizeof *a->i);
    a->x = malloc((a->count + 1) * sizeof *a->x);
    return a->i && a->x && mo_h5_read_int_run(&s->h, g, "i", a->first, a->count, a->i) &&
           mo_h5_read_run(&s->h, g, "x", a->first, a->count, a->x) &&
           expand(a, line, line_count, out);
}

static void leave_out_zeros(mo_slab_entries *entries)
{
    int kept = 0;
    for (int k = 0; k < entries->count; ++k)
        if (entries->at[k].value != 0) entries->at[kept++] = entries->at[k];
    entries->count = kept;
}

bool mo_slab_read_matrix(mo_slabs *s, const char *name, size_t rows, size_t columns,
                         mo_slab_entries *out)
{
    mo_h5_group g;
    matrix a = {0};
    bool good = mo_h5_enter(&s->h, &s->top, name, &g) && read_entries(s, &g, &a, out) &&
                (size_t)a.m == rows && (size_t)a.n == columns;
    leave_out_zeros(out);
    mo_h5_leave(&s->h, &g);
    free(a.p);
    free(a.i);
    free(a.x);
    return good;
}

/* ---- distribution of rows -------------------------------------------------------------------- */

mo_error mo_slab_agree(const mo_slabs *s, bool is_good)
{
    return mo_mpi_agree(s->comm, is_good ? MO_OK : MO_ERR_UNSUPPORTED, NULL);
}

mo_error mo_slab_send(const mo_slabs *s, const mo_slab_homes *homes, mo_slab_entries *own)
{
    int *rank_of = malloc(((size_t)own->count + 1) * sizeof *rank_of);
    void *in = NULL;
    int count = 0;
    mo_error error = mo_mpi_agree(s->comm, rank_of ? MO_OK : MO_ERR_MEMORY, NULL);
    for (int k = 0; !error && k < own->count; ++k) {
        const int32_t block = homes->by_body ? own->at[k].body : own->at[k].contact;
        rank_of[k] =
            homes->owner ? homes->owner[block] : mo_home_rank(homes->home, (uint32_t)block);
    }
    error = error ? error
                  : mo_mail_to(s->comm, sizeof *own->at, own->count, rank_of, own->at, &in, &count,
                               NULL);
    free(rank_of);
    free(own->at);
    *own = (mo_slab_entries){in, error ? 0 : count};
    for (int k = 0; k < own->count; ++k)
        own->at[k].order = k;
    return error;
}

static int by_contact(const void *a, const void *b)
{
    const mo_slab_entry *x = a, *y = b;
    return x->contact != y->contact ? (x->contact > y->contact) - (x->contact < y->contact)
           : x->body != y->body     ? (x->body > y->body) - (x->body < y->body)
                                    : (x->order > y->order) - (x->order < y->order);
}

void mo_slab_sort(mo_slab_entries *entries)
{
    if (entries->count) qsort(entries->at, (size_t)entries->count, sizeof *entries->at, by_contact);
}

/* ---- contacts ------------------------------------------------------------------------------- */

bool mo_slab_read_runs(mo_slabs *s, size_t first, size_t count, mo_slab_runs *r)
{
    const size_t d = (size_t)s->d;
    const bool is_rolling = s->kind->is_rolling;
    r->w = malloc((count * (d + 2) + 1) * sizeof *r->w);
    if (!r->w) return false;
    r->mu = r->w + count * d;
    r->mu_r = r->mu + count;
    bool good = mo_h5_read_run(&s->h, &s->vectors, s->kind->is_global ? "w" : "q", first * d,
                               count * d, r->w) &&
                mo_h5_read_run(&s->h, &s->vectors, "mu", first, count, r->mu) &&
                (!is_rolling || mo_h5_read_run(&s->h, &s->vectors, "mu_r", first, count, r->mu_r));
    for (size_t k = 0; good && k < count * d; ++k)
        good = isfinite(r->w[k]);
    for (size_t k = 0; good && k < count; ++k)
        good = r->mu[k] >= 0 && (!is_rolling || r->mu_r[k] >= 0);
    return good;
}

mo_law mo_slab_law(const mo_slabs *s, const mo_slab_runs *r, size_t contact)
{
    return s->kind->is_rolling ? mo_law_rolling(r->mu[contact], r->mu_r[contact])
                               : mo_law_coulomb(r->mu[contact]);
}
