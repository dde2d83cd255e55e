/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* A video by ffmpeg, which receives the frames on its standard input; no shell is involved. */
#ifndef CLI_RENDER_VIDEO_H
#define CLI_RENDER_VIDEO_H

#include <stddef.h>
#include <sys/types.h>

typedef struct video {
    pid_t program;
    int to; /* its standard input */
} video;

/* Starts ffmpeg; 0, or the number of an error (ENOENT: ffmpeg is not installed). */
int video_begin(video *f, const char *path, int width, int height, double fps);
/* The next frame, 3 bytes a pixel; false if ffmpeg has failed. */
int video_add(video *f, const unsigned char *bytes, size_t size);
/* Waits for ffmpeg; whether it succeeded. */
int video_end(video *f);

#endif
