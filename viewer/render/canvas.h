/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* An image in memory with depths, and the camera. */
#ifndef VIEWER_CANVAS_H
#define VIEWER_CANVAS_H

#include <stdio.h>

typedef struct colour {
    float red, green, blue; /* 0 to 1, as on the screen */
} colour;

typedef struct canvas {
    int width, height;
    colour *pixel;      /* NULL in a map of depths */
    int *owner;         /* what each pixel shows, -1: nothing; with the colours */
    float (*normal)[3]; /* of its surface; with the colours */
    float *depth;       /* infinity: nothing there */
} canvas;

int canvas_open(canvas *c, int width, int height, int has_colour); /* false if memory runs out */
void canvas_close(canvas *c);
/* The mean of 2 x 2 pixels for each; `to` has half the size. */
void canvas_halve(const canvas *from, canvas *to);
/* 3 bytes a pixel, row by row from the top. */
void canvas_bytes(const canvas *c, unsigned char *to);
/* False with errno. */
int canvas_write_png(const canvas *c, FILE *out);

/* A line with round ends, drawn over everything. */
void canvas_line(canvas *c, const double a[2], const double b[2], double width, colour how);

/*
 * A camera along `ahead`, with `right` and `up`.  A pixel is `pixel` m wide at the eye (flat), or
 * at a distance of 1 m.
 */
typedef struct camera {
    double eye[3], right[3], up[3], ahead[3];
    double pixel;
    int is_flat;
    int width, height;
} camera;

/* The ray through a pixel: eye + t * direction has the depth t. */
void camera_ray(const camera *c, double x, double y, double from[3], double direction[3]);
/* Position of a point in the image; its depth. */
double camera_see(const camera *c, const double point[3], double at[2]);
/* A camera from a direction, with the sphere (centre, size) in view. */
camera camera_towards(const double centre[3], double size, const double ahead[3],
                      const double up[3], int is_flat, int width, int height);

#endif
