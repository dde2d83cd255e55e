/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* A video by ffmpeg, which receives the frames on its standard input; no shell is involved. */
#ifndef CLI_RENDER_FILM_H
#define CLI_RENDER_FILM_H

#include <stddef.h>
#include <sys/types.h>

typedef struct film {
    pid_t program;
    int to; /* its standard input */
} film;

/* Starts ffmpeg; 0, or the number of an error (ENOENT: ffmpeg is not installed). */
int film_begin(film *f, const char *path, int width, int height, double fps);
/* The next frame, 3 bytes a pixel; false where ffmpeg has given up. */
int film_add(film *f, const unsigned char *bytes, size_t size);
/* Waits for ffmpeg; whether it succeeded. */
int film_end(film *f);

#endif
