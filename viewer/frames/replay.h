/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Replay pages: the viewer's page with a scene and its frames inside, gzipped, in base64
 * (docs/frames.md).
 *
 * At most REPLAY_RATE frames per simulated second and `most` bytes are kept.  When the bytes are
 * full, every second frame is dropped and the rate is halved, so the page covers the whole run with
 * bounded memory.
 *
 *     replay r = replay_begin(0);
 *     replay_add(&r, &recording, k, &numbers, 0);     for each frame, in the order of time
 *     replay_put(&r, out, html, size, &recording, &facts);
 *     replay_clear(&r);
 */
#ifndef VIEWER_REPLAY_H
#define VIEWER_REPLAY_H

#include "frames.h"

enum { REPLAY_RATE = 30, REPLAY_NOTE = 128 };

typedef struct replay_frame {
    unsigned char *bytes;
    size_t size;
    double time;
} replay_frame;

typedef struct replay {
    replay_frame *frames;
    int count, room;
    size_t bytes, most;
    double interval; /* s between frames that are kept, at least */
    int failed;      /* memory ran out */
} replay;

replay replay_begin(size_t most); /* 0: 48 MB */
void replay_clear(replay *r);

/* Does the frame of this time belong in? */
int replay_wants(const replay *r, double time);
/* Keeps the frame where it belongs in, or must be there anyway: the last. */
void replay_add(replay *r, const mo_recording *recording, int frame, const frames_numbers *numbers,
                int must);

/* A sentence about frames that were left out; "" if none exceeded REPLAY_RATE. */
void replay_note(const replay *r, char note[REPLAY_NOTE]);

/* Writes the page to `out`; the caller checks its errors.  False if memory runs out. */
int replay_put(const replay *r, FILE *out, const unsigned char *html, size_t html_size,
               const mo_recording *recording, const frames_facts *facts);

/* All frames of a recording, as a page. */
int replay_put_recording(const mo_recording *recording, const char *name, FILE *out,
                         const unsigned char *html, size_t html_size);

#endif
