/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "canvas.h"

#include <errno.h>
#include <math.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

int canvas_open(canvas *c, int width, int height, int has_colour)
{
    const size_t count = (size_t)width * (size_t)height;
    *c = (canvas){.width = width, .height = height};
    c->depth = malloc(count * sizeof *c->depth);
    c->pixel = has_colour ? malloc(count * sizeof *c->pixel) : NULL;
    c->owner = has_colour ? malloc(count * sizeof *c->owner) : NULL;
    c->normal = has_colour ? malloc(count * sizeof *c->normal) : NULL;
    if (!c->depth || (has_colour && !(c->pixel && c->owner && c->normal))) {
        canvas_close(c);
        return 0;
    }
    return 1;
}

void canvas_close(canvas *c)
{
    free(c->depth);
    free(c->pixel);
    free(c->owner);
    free(c->normal);
    *c = (canvas){0};
}

void canvas_halve(const canvas *from, canvas *to)
{
    for (int y = 0; y < to->height; ++y) {
        for (int x = 0; x < to->width; ++x) {
            const colour *a = from->pixel + (size_t)(2 * y) * (size_t)from->width + 2 * x;
            const colour *b = a + from->width;
            to->pixel[(size_t)y * (size_t)to->width + (size_t)x] =
                (colour){(a[0].red + a[1].red + b[0].red + b[1].red) / 4,
                         (a[0].green + a[1].green + b[0].green + b[1].green) / 4,
                         (a[0].blue + a[1].blue + b[0].blue + b[1].blue) / 4};
        }
    }
}

static unsigned char byte_of(float value)
{
    return (unsigned char)(255 * fminf(fmaxf(value, 0), 1) + 0.5F);
}

void canvas_bytes(const canvas *c, unsigned char *to)
{
    for (size_t k = 0; k < (size_t)c->width * (size_t)c->height; ++k) {
        *to++ = byte_of(c->pixel[k].red);
        *to++ = byte_of(c->pixel[k].green);
        *to++ = byte_of(c->pixel[k].blue);
    }
}

int canvas_write_png(const canvas *c, FILE *out)
{
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)c->width,
                       .height = (png_uint_32)c->height,
                       .format = PNG_FORMAT_RGB};
    unsigned char *bytes = malloc(3 * (size_t)c->width * (size_t)c->height);
    if (!bytes) return 0;
    canvas_bytes(c, bytes);
    errno = EIO;
    const int good = png_image_write_to_stdio(&image, out, 0, bytes, 0, NULL);
    free(bytes);
    return good;
}

void canvas_line(canvas *c, const double a[2], const double b[2], double width, colour how)
{
    const double dx = b[0] - a[0], dy = b[1] - a[1], square = dx * dx + dy * dy, r = width / 2 + 1;
    const double x0 = fmax(0, fmin(a[0], b[0]) - r), x1 = fmin(c->width - 1, fmax(a[0], b[0]) + r);
    const double y0 = fmax(0, fmin(a[1], b[1]) - r), y1 = fmin(c->height - 1, fmax(a[1], b[1]) + r);
    for (int y = (int)y0; y <= y1; ++y) {
        for (int x = (int)x0; x <= x1; ++x) {
            const double px = x + 0.5 - a[0], py = y + 0.5 - a[1];
            const double t = square > 0 ? fmin(1, fmax(0, (px * dx + py * dy) / square)) : 0;
            const double cover = width / 2 + 0.5 - hypot(px - t * dx, py - t * dy);
            if (cover > 0) {
                const float part = (float)fmin(1, cover);
                colour *p = c->pixel + (size_t)y * (size_t)c->width + x;
                p->red += part * (how.red - p->red);
                p->green += part * (how.green - p->green);
                p->blue += part * (how.blue - p->blue);
            }
        }
    }
}

/* ---- the camera ------------------------------------------------------------------------------ */

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

void camera_ray(const camera *c, double x, double y, double from[3], double direction[3])
{
    const double right = (x + 0.5 - c->width / 2.0) * c->pixel,
                 up = (c->height / 2.0 - y - 0.5) * c->pixel;
    for (int k = 0; k < 3; ++k) {
        const double side = right * c->right[k] + up * c->up[k];
        from[k] = c->eye[k] + (c->is_flat ? side : 0);
        direction[k] = c->ahead[k] + (c->is_flat ? 0 : side);
    }
}

double camera_see(const camera *c, const double point[3], double at[2])
{
    const double d[3] = {point[0] - c->eye[0], point[1] - c->eye[1], point[2] - c->eye[2]};
    const double depth = dot(d, c->ahead), scale = c->pixel * (c->is_flat ? 1 : depth);
    at[0] = c->width / 2.0 + dot(d, c->right) / scale;
    at[1] = c->height / 2.0 - dot(d, c->up) / scale;
    return depth;
}

static void scale_to_one(double v[3])
{
    const double length = sqrt(dot(v, v));
    for (int k = 0; k < 3; ++k)
        v[k] /= length;
}

camera camera_towards(const double centre[3], double size, const double ahead[3],
                      const double up[3], int is_flat, int width, int height)
{
    enum { FAR = 4 }; /* sizes between the eye and the centre */
    const int narrow = width < height ? width : height;
    camera c = {.is_flat = is_flat, .width = width, .height = height};
    memcpy(c.ahead, ahead, sizeof c.ahead);
    scale_to_one(c.ahead);
    c.right[0] = c.ahead[1] * up[2] - c.ahead[2] * up[1];
    c.right[1] = c.ahead[2] * up[0] - c.ahead[0] * up[2];
    c.right[2] = c.ahead[0] * up[1] - c.ahead[1] * up[0];
    scale_to_one(c.right);
    c.up[0] = c.right[1] * c.ahead[2] - c.right[2] * c.ahead[1];
    c.up[1] = c.right[2] * c.ahead[0] - c.right[0] * c.ahead[2];
    c.up[2] = c.right[0] * c.ahead[1] - c.right[1] * c.ahead[0];
    for (int k = 0; k < 3; ++k)
        c.eye[k] = centre[k] - FAR * size * c.ahead[k];
    c.pixel = 2.1 * size / narrow / (is_flat ? 1 : sqrt((double)FAR * FAR - 1) * size);
    return c;
}
