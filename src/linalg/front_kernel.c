/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#define MO_WIDE_TARGET "avx2,fma"

#include "linalg/front_kernel.h"

#include <math.h>
#include <stddef.h>

#include "base/error.h"
#include "base/pace.h"
#include "linalg/lanes4.h"

enum { PANEL = 24, FEW = 72, NARROW = 8, STRIP = 2 * LANES };
enum { LANES8 = 8, TILE_ROWS = 4, TILE_ROWS8 = 8, TILE_WIDE = 2 };
typedef double lanes8 __attribute__((vector_size(LANES8 * sizeof(double)), aligned(8), may_alias));

/* Two steps on tiles of vectors of one type; `rows` and `wide` are constants where they are
 * inlined, and bits do not depend on the type.
 *
 * subtract   C -= A B for one tile of `rows` x `wide` vectors
 * finish     B = L^-1 B for `wide` vectors of the `rows` rows of a panel, whose L is given */
#define TILE(subtract, finish, type)                                                               \
    INLINE void subtract(const int rows, const int wide, int depth, int ld, const double *A,       \
                         const double *B, double *C)                                               \
    {                                                                                              \
        type sum[TILE_ROWS8][TILE_WIDE] = {{{0}}};                                                 \
        for (int k = 0; k < depth; ++k) {                                                          \
            const type *b = (const type *)(B + (size_t)k * (size_t)ld);                            \
            for (int i = 0; i < rows; ++i) {                                                       \
                const double a = A[(size_t)i * (size_t)ld + (size_t)k];                            \
                for (int j = 0; j < wide; ++j)                                                     \
                    sum[i][j] += a * b[j];                                                         \
            }                                                                                      \
        }                                                                                          \
        for (int i = 0; i < rows; ++i)                                                             \
            for (int j = 0; j < wide; ++j)                                                         \
                ((type *)(C + (size_t)i * (size_t)ld))[j] -= sum[i][j];                            \
    }                                                                                              \
                                                                                                   \
    INLINE void finish(const int wide, int rows, int ld, const double *L, double *B)               \
    {                                                                                              \
        for (int i = 1; i < rows; ++i) {                                                           \
            type *row = (type *)(B + (size_t)i * (size_t)ld);                                      \
            type sum[TILE_WIDE];                                                                   \
            for (int j = 0; j < wide; ++j)                                                         \
                sum[j] = row[j];                                                                   \
            for (int k = 0; k < i; ++k) {                                                          \
                const double factor = L[(size_t)i * (size_t)ld + (size_t)k];                       \
                for (int j = 0; j < wide; ++j)                                                     \
                    sum[j] -= factor * ((const type *)(B + (size_t)k * (size_t)ld))[j];            \
            }                                                                                      \
            for (int j = 0; j < wide; ++j)                                                         \
                row[j] = sum[j];                                                                   \
        }                                                                                          \
    }

TILE(subtract_tile, finish_strip, lanes)
TILE(subtract_tile8, finish_strip8, lanes8)

/* A strip of `rows` rows, all columns; in vectors of eight as far as they go if has_8. */
INLINE void subtract_strip(const int has_8, const int rows, int columns, int depth, int ld,
                           const double *A, const double *B, double *C)
{
    int j = 0;
    for (; has_8 && j + 2 * LANES8 <= columns; j += 2 * LANES8)
        subtract_tile8(rows, 2, depth, ld, A, B + j, C + j);
    for (; j + 2 * LANES <= columns; j += 2 * LANES)
        subtract_tile(rows, 2, depth, ld, A, B + j, C + j);
    for (; j < columns; j += LANES) /* the last may reach into the padding */
        subtract_tile(rows, 1, depth, ld, A, B + j, C + j);
}

/* C -= A B, C rows x columns. */
INLINE void subtract_product(const int has_8, int rows, int columns, int depth, int ld,
                             const double *A, const double *B, double *C)
{
    const size_t line = (size_t)ld;
    int i = 0;
    for (; has_8 && i + TILE_ROWS8 <= rows; i += TILE_ROWS8) {
        subtract_strip(has_8, TILE_ROWS8, columns, depth, ld, A + (size_t)i * line, B,
                       C + (size_t)i * line);
    }
    for (; i + TILE_ROWS <= rows; i += TILE_ROWS) {
        subtract_strip(has_8, TILE_ROWS, columns, depth, ld, A + (size_t)i * line, B,
                       C + (size_t)i * line);
    }
    for (; i < rows; ++i)
        subtract_strip(has_8, 1, columns, depth, ld, A + (size_t)i * line, B, C + (size_t)i * line);
}

INLINE void swap_rows(int n, double *a, double *b)
{
    for (int j = 0; j < n && a != b; ++j) {
        const double t = a[j];
        a[j] = b[j];
        b[j] = t;
    }
}

/* Columns first .. last of the pivot rows from `first` on: their part of L, and of U above the
 * diagonal.  Whole rows are exchanged. */
INLINE bool factor_panel(int first, int last, int pivots, int n, int ld, double *F, int *swap)
{
    const size_t line = (size_t)ld;
    for (int k = first; k < last; ++k) {
        double *pivot_row = F + (size_t)k * line;
        int best = k;
        for (int i = k + 1; i < pivots; ++i) {
            best = fabs(F[(size_t)i * line + (size_t)k]) > fabs(F[(size_t)best * line + (size_t)k])
                       ? i
                       : best;
        }
        swap[k] = best;
        swap_rows(n, pivot_row, F + (size_t)best * line);
        if (!(fabs(pivot_row[k]) > 0) || !isfinite(pivot_row[k])) return false;
        const double inverse = 1 / pivot_row[k];
        const int from = first + (k + 1 - first) / LANES * LANES;
        double right[PANEL + LANES] = {0}; /* of the pivot, within the panel, by whole lanes */
        for (int j = k + 1; j < last; ++j)
            right[j - from] = pivot_row[j];
        for (int i = k + 1; i < pivots; ++i) {
            double *row = F + (size_t)i * line;
            const double factor = row[k] * inverse;
            for (int j = from; j < last; j += LANES) /* the last may reach into the padding */
                *(lanes *)(row + j) -= factor * *(const lanes *)(right + (j - from));
            row[k] = factor;
        }
    }
    return true;
}

/* The columns of a panel's U one after the other, and the inverses of its diagonal. */
typedef struct panel {
    int width;
    double column[PANEL][PANEL], inverse[PANEL];
} panel;

INLINE void read_panel(int first, int last, int ld, const double *F, panel *p)
{
    p->width = last - first;
    for (int k = 0; k < p->width; ++k) {
        const double *row = F + (size_t)(first + k) * (size_t)ld + first;
        p->inverse[k] = 1 / row[k];
        for (int j = k + 1; j < p->width; ++j)
            p->column[j][k] = row[j];
    }
}

/* x = x U^-1 for `rows` rows at x, one per lane: element j of all rows needs the previous elements,
 * which stay in registers.  Missing rows are zero. */
INLINE void divide_strip(const panel *p, int rows, int ld, double *x)
{
    double strip[PANEL][STRIP];
    for (int j = 0; j < p->width; ++j)
        for (int i = 0; i < STRIP; ++i)
            strip[j][i] = i < rows ? x[(size_t)i * (size_t)ld + (size_t)j] : 0;
    for (int j = 0; j < p->width; ++j) {
        lanes a = *(const lanes *)strip[j], b = *(const lanes *)(strip[j] + LANES);
        for (int k = 0; k < j; ++k) {
            a -= p->column[j][k] * *(const lanes *)strip[k];
            b -= p->column[j][k] * *(const lanes *)(strip[k] + LANES);
        }
        *(lanes *)strip[j] = a * p->inverse[j];
        *(lanes *)(strip[j] + LANES) = b * p->inverse[j];
    }
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < p->width; ++j)
            x[(size_t)i * (size_t)ld + (size_t)j] = strip[j][i];
}

/* The part of L below all pivots, in the columns of a panel. */
INLINE void divide_rows(int first, int last, int pivots, int n, int ld, double *F)
{
    panel p;
    read_panel(first, last, ld, F, &p);
    for (int i = pivots; i < n; i += STRIP)
        divide_strip(&p, n - i < STRIP ? n - i : STRIP, ld, F + (size_t)i * (size_t)ld + first);
}

/* Rows first .. last of U, right of the panel. */
INLINE void finish_rows(const int has_8, int first, int last, int n, int ld, double *F)
{
    const double *L = F + (size_t)first * (size_t)ld + first;
    double *row = F + (size_t)first * (size_t)ld;
    int j = last;
    for (; has_8 && j + 2 * LANES8 <= n; j += 2 * LANES8)
        finish_strip8(2, last - first, ld, L, row + j);
    for (; j + 2 * LANES <= n; j += 2 * LANES)
        finish_strip(2, last - first, ld, L, row + j);
    for (; j < n; j += LANES) /* the last may reach into the padding */
        finish_strip(1, last - first, ld, L, row + j);
}

INLINE bool eliminate(const int has_8, int pivots, int n, int ld, double *F, int *swap)
{
    const size_t line = (size_t)ld;
    const int width = pivots <= FEW ? NARROW : PANEL;
    for (int first = 0; first < pivots; first += width) {
        const int last = first + width < pivots ? first + width : pivots;
        mo_pace();
        MO_PASS(factor_panel(first, last, pivots, n, ld, F, swap));
        divide_rows(first, last, pivots, n, ld, F);
        finish_rows(has_8, first, last, n, ld, F);
        subtract_product(has_8, n - last, n - last, last - first, ld,
                         F + (size_t)last * line + first, F + (size_t)first * line + last,
                         F + (size_t)last * line + last);
    }
    return true;
}

/* ---- solving --------------------------------------------------------------------------------- */

/* A sum in eight parts, which run side by side. */
INLINE double dot(int n, const double *x, const double *y)
{
    lanes a = {0}, b = {0};
    int k = 0;
    for (; k + 2 * LANES <= n; k += 2 * LANES) {
        a += *(const lanes *)(x + k) * *(const lanes *)(y + k);
        b += *(const lanes *)(x + k + LANES) * *(const lanes *)(y + k + LANES);
    }
    for (; k + LANES <= n; k += LANES)
        a += *(const lanes *)(x + k) * *(const lanes *)(y + k);
    a += b;
    double sum = (a[0] + a[1]) + (a[2] + a[3]);
    for (; k < n; ++k)
        sum += x[k] * y[k];
    return sum;
}

/* y -= factor x */
INLINE void subtract_line(int n, double factor, const double *x, double *y)
{
    int k = 0;
    for (; k + LANES <= n; k += LANES)
        *(lanes *)(y + k) -= factor * *(const lanes *)(x + k);
    for (; k < n; ++k)
        y[k] -= factor * x[k];
}

INLINE void forward(int n, int m, const double *LU, const double *L, double *x, double *below)
{
    for (int i = 1; i < n; ++i)
        x[i] -= dot(i, LU + (size_t)i * (size_t)n, x);
    for (int j = 0; j < m; ++j)
        below[j] = 0;
    for (int k = 0; k < n; ++k)
        subtract_line(m, x[k], L + (size_t)k * (size_t)m, below);
}

INLINE void backward(int n, int m, const double *LU, const double *U, const double *below,
                     double *x)
{
    for (int k = n - 1; k >= 0; --k) {
        const double *row = LU + (size_t)k * (size_t)n;
        const double right =
            dot(m, U + (size_t)k * (size_t)m, below) + dot(n - k - 1, row + k + 1, x + k + 1);
        x[k] = (x[k] - right) / row[k];
    }
}

/* ---- for this processor ---------------------------------------------------------------------- */

MO_WIDTHS(bool, eliminate, (int pivots, int n, int ld, double *F, int *swap),
          return eliminate(0, pivots, n, ld, F, swap))
MO_WIDTHS(void, forward,
          (int n, int m, const double *LU, const double *L, double *x, double *below),
          forward(n, m, LU, L, x, below))
MO_WIDTHS(void, backward,
          (int n, int m, const double *LU, const double *U, const double *below, double *x),
          backward(n, m, LU, U, below, x))

#if defined(__x86_64__)
__attribute__((target("avx2,fma,avx512f"))) static bool eliminate_8(int pivots, int n, int ld,
                                                                    double *F, int *swap)
{
    return eliminate(1, pivots, n, ld, F, swap);
}
#endif

bool mo_front_eliminate(int pivots, int n, int ld, double *F, int *swap)
{
#if defined(__x86_64__)
    if (mo_has_wide() && __builtin_cpu_supports("avx512f"))
        return eliminate_8(pivots, n, ld, F, swap);
#endif
    return (mo_has_wide() ? eliminate_wide : eliminate_plain)(pivots, n, ld, F, swap);
}

void mo_front_forward(int n, int m, const double *LU, const double *L, double *x, double *below)
{
    (mo_has_wide() ? forward_wide : forward_plain)(n, m, LU, L, x, below);
}

void mo_front_backward(int n, int m, const double *LU, const double *U, const double *below,
                       double *x)
{
    (mo_has_wide() ? backward_wide : backward_plain)(n, m, LU, U, below, x);
}
