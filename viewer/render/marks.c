/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "marks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Sizes for an image of 720 rows, in pixels of the large canvas, which has twice as many. */
static const double MARGIN = 56, LETTER = 30, AXIS = 84, PEN = 4;

/* ---- letters --------------------------------------------------------------------------------- */

/* Points as two digits, column and row from the top; a space lifts the pen. */
typedef struct glyph {
    char letter;
    const char *strokes;
} glyph;

static const glyph GLYPHS[] = {
    {'0', "103041453616050110"},
    {'1', "112026 1636"},
    {'2', "01103041420646"},
    {'3', "011030414233 13334445361605"},
    {'4', "36300444"},
    {'5', "4000030312324345361605"},
    {'6', "3010010516364544331304"},
    {'7', "00404116"},
    {'8', "103041423313020110 133344453616050413"},
    {'9', "1636454130100102133342"},
    {'.', "1516"},
    {'-', "0343"},
    {'+', "0343 2125"},
    {'=', "0242 0444"},
    {'c', "421203051646"},
    {'e', "044443321203051646"},
    {'k', "0006 4204 1446"},
    {'m', "0602 03122326 23324346"},
    {'N', "06004640"},
    {'s', "4212031434453606"},
    {'t', "10152636 0232"},
    {'x', "0246 4206"},
    {'y', "0224 4206"},
    {'z', "02420646"},
};

static const char *strokes_of(char letter)
{
    for (size_t k = 0; k < sizeof GLYPHS / sizeof *GLYPHS; ++k)
        if (GLYPHS[k].letter == letter) return GLYPHS[k].strokes;
    return "";
}

double marks_text(canvas *c, const double at[2], double high, const char *text, colour how)
{
    const double unit = high / 6, pen = fmax(2, 0.13 * high);
    double x = at[0];
    for (; *text; ++text, x += (*(text - 1) == '.' ? 3.5 : 6) * unit) {
        double before[2];
        int is_down = 0;
        for (const char *s = strokes_of(*text); s[0];) {
            if (s[0] == ' ') {
                is_down = 0;
                s += 1;
                continue;
            }
            const double now[2] = {x + unit * (s[0] - '0'), at[1] - high + unit * (s[1] - '0')};
            if (is_down) canvas_line(c, before, now, pen, how);
            memcpy(before, now, sizeof before);
            is_down = 1;
            s += 2;
        }
    }
    return x - at[0];
}

/* ---- scales ---------------------------------------------------------------------------------- */

double marks_round(double x)
{
    const double power = pow(10, floor(log10(x))), digit = x / power;
    return power * (digit >= 5 ? 5 : digit >= 2 ? 2 : 1);
}

/* Sizes grow with the image. */
static double scale_of(const renderer *r)
{
    return r->large.height / 1440.0;
}

/* A bar with ends, `wide` pixels from `at` to the right, and its text above. */
static void draw_bar(renderer *r, const double at[2], double wide, const char *text, colour how)
{
    const double s = scale_of(r), end[2] = {at[0] + wide, at[1]};
    const double above[2] = {at[0], at[1] - 18 * s};
    canvas_line(&r->large, at, end, PEN * s, how);
    for (int k = 0; k < 2; ++k) {
        const double x = k ? end[0] : at[0];
        canvas_line(&r->large, (const double[2]){x, at[1] - 8 * s},
                    (const double[2]){x, at[1] + 8 * s}, PEN * s, how);
    }
    marks_text(&r->large, above, LETTER * s, text, how);
}

/* The pixels of a length at the middle of the scene. */
static double pixels_of(const renderer *r, double length)
{
    double at[2];
    const double depth = r->eye.is_flat ? 1 : camera_see(&r->eye, r->centre, at);
    return length / (r->eye.pixel * depth);
}

static void draw_axis(renderer *r, const double from[2], int k, colour how)
{
    static const char *const NAMES[] = {"x", "y", "z"};
    const double s = scale_of(r);
    const double tip[2] = {from[0] + AXIS * s * r->eye.right[k], from[1] - AXIS * s * r->eye.up[k]};
    const double name[2] = {from[0] + 1.25 * (tip[0] - from[0]) - 0.3 * LETTER * s,
                            from[1] + 1.25 * (tip[1] - from[1]) + 0.5 * LETTER * s};
    if (hypot(tip[0] - from[0], tip[1] - from[1]) > 0.15 * AXIS * s) {
        canvas_line(&r->large, from, tip, 1.5 * PEN * s, how);
        marks_text(&r->large, name, LETTER * s, NAMES[k], how);
    }
}

void marks_axes(renderer *r, double time)
{
    const palette *p = r->colours;
    const colour hues[3] = {p->slides, p->bodies[2], p->sticks};
    const double s = scale_of(r), bottom = r->large.height - MARGIN * s;
    const double from[2] = {(MARGIN + AXIS) * s, bottom - AXIS * s};
    const double length = marks_round(0.5 * r->size);
    const double wide = pixels_of(r, length);
    const double bar[2] = {r->large.width - MARGIN * s - wide, bottom};
    const double clock[2] = {MARGIN * s, (MARGIN + LETTER) * s};
    char text[48];
    for (int k = 0; k < r->recording->dimension && k < 3; ++k)
        draw_axis(r, from, k, hues[k]);
    snprintf(text, sizeof text, "%g m", length);
    draw_bar(r, bar, wide, text, p->pin);
    snprintf(text, sizeof text, "t = %.2f s", time);
    marks_text(&r->large, clock, LETTER * s, text, p->pin);
}

void marks_forces(renderer *r, const forces_view *v, int are_chains)
{
    const double s = scale_of(r), bottom = r->large.height - MARGIN * s;
    const double force = v->strongest > 0 ? marks_round(v->strongest) : 0;
    const double at[2] = {0.3 * r->large.width, bottom};
    char text[48];
    if (!(force > 0)) return;
    snprintf(text, sizeof text, "%g N", force);
    if (are_chains) {
        const double end[2] = {at[0] + 2 * AXIS * s, bottom};
        const double above[2] = {at[0], bottom - 18 * s};
        canvas_line(&r->large, at, end, fmax(1, pixels_of(r, forces_width(v, force))), v->sticks);
        marks_text(&r->large, above, LETTER * s, text, r->colours->pin);
    } else {
        draw_bar(r, at, pixels_of(r, forces_length(v, force)), text, v->sticks);
    }
}
