/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "replay.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* ---- choice of frames ------------------------------------------------------------------------ */

replay replay_begin(size_t most)
{
    return (replay){.most = most ? most : (size_t)48 << 20, .interval = 1.0 / REPLAY_RATE};
}

void replay_clear(replay *r)
{
    for (int k = 0; k < r->count; ++k)
        free(r->frames[k].bytes);
    free(r->frames);
    *r = (replay){0};
}

int replay_wants(const replay *r, double time)
{
    const double slack = 1e-6 * r->interval;
    return r->count == 0 || time >= r->frames[r->count - 1].time + r->interval - slack;
}

/* Every second frame goes. */
static void thin(replay *r)
{
    int kept = 0;
    for (int k = 0; k < r->count; ++k) {
        if (k % 2 == 0) {
            r->frames[kept++] = r->frames[k];
        } else {
            r->bytes -= r->frames[k].size;
            free(r->frames[k].bytes);
        }
    }
    r->count = kept;
    r->interval *= 2;
}

static int make_room(replay *r)
{
    if (r->count < r->room) return 1;
    const int room = r->room ? 2 * r->room : 256;
    replay_frame *frames = realloc(r->frames, (size_t)room * sizeof *frames);
    if (frames) {
        r->frames = frames;
        r->room = room;
    }
    return frames != NULL;
}

void replay_add(replay *r, const mo_recording *recording, int frame, const frames_numbers *numbers,
                int must)
{
    const double time = recording->frames[frame].time;
    const size_t size = frames_size(recording, frame, numbers);
    while (r->count > 2 && r->bytes + size > r->most)
        thin(r);
    if (!must && !replay_wants(r, time)) return;
    unsigned char *bytes = make_room(r) ? malloc(size) : NULL;
    if (!bytes) {
        r->failed = 1;
        return;
    }
    frames_write(recording, frame, numbers, bytes);
    r->frames[r->count++] = (replay_frame){bytes, size, time};
    r->bytes += size;
}

void replay_note(const replay *r, char note[REPLAY_NOTE])
{
    note[0] = '\0';
    if (r->interval > 1.5 / REPLAY_RATE) {
        snprintf(note, REPLAY_NOTE, "%.3g frames a second, so that the replay stays below %.0f MB",
                 1 / r->interval, (double)r->most / (1 << 20));
    }
}

/* ---- base64 of gzip -------------------------------------------------------------------------- */

enum { ROOM = 3 * 16384 };

typedef struct packer {
    FILE *out;
    z_stream stream;
    /* packed bytes, not yet written: a multiple of three except at the end */
    unsigned char waiting[ROOM];
} packer;

/* Any number of bytes; only the last call may have a number that is not a multiple of three, which
 * is padded. */
static void put_base64(FILE *out, const unsigned char *bytes, size_t size)
{
    static const char LETTERS[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t k = 0; k < size; k += 3) {
        const unsigned a = bytes[k], b = k + 1 < size ? bytes[k + 1] : 0,
                       c = k + 2 < size ? bytes[k + 2] : 0;
        const char four[4] = {LETTERS[a >> 2], LETTERS[(a & 3) << 4 | b >> 4],
                              k + 1 < size ? LETTERS[(b & 15) << 2 | c >> 6] : '=',
                              k + 2 < size ? LETTERS[c & 63] : '='};
        fwrite(four, 1, 4, out);
    }
}

/* Packs what is there; writes whenever the waiting bytes are full, and at the end. */
static void pack(packer *p, const void *bytes, size_t size, int flush)
{
    const unsigned char *from = bytes;
    do {
        const size_t some = size < UINT_MAX / 2 ? size : UINT_MAX / 2;
        unsigned char *in;
        memcpy(&in, &from, sizeof in); /* zlib's field is not const, its reading is */
        p->stream.next_in = in;
        p->stream.avail_in = (unsigned)some;
        from += some;
        size -= some;
        int more;
        do {
            deflate(&p->stream, size == 0 ? flush : Z_NO_FLUSH);
            more = p->stream.avail_out == 0;
            if (more) {
                put_base64(p->out, p->waiting, ROOM);
                p->stream.next_out = p->waiting;
                p->stream.avail_out = ROOM;
            }
        } while (more);
    } while (size > 0);
    if (flush == Z_FINISH) put_base64(p->out, p->waiting, ROOM - p->stream.avail_out);
}

/* u32 length, then the bytes. */
static void pack_part(packer *p, const void *bytes, size_t size)
{
    unsigned char length[4];
    for (int k = 0; k < 4; ++k)
        length[k] = (unsigned char)(size >> (8 * k));
    pack(p, length, sizeof length, Z_NO_FLUSH);
    pack(p, bytes, size, Z_NO_FLUSH);
}

static int put_data(const replay *r, FILE *out, const char *scene, size_t scene_size)
{
    enum { GZIP = 15 + 16 }; /* the window, and the kind of head */
    packer *p = calloc(1, sizeof *p);
    if (!p || deflateInit2(&p->stream, 6, Z_DEFLATED, GZIP, 9, Z_DEFAULT_STRATEGY) != Z_OK) {
        free(p);
        return 0;
    }
    p->out = out;
    p->stream.next_out = p->waiting;
    p->stream.avail_out = ROOM;
    pack_part(p, scene, scene_size);
    for (int k = 0; k < r->count; ++k)
        pack_part(p, r->frames[k].bytes, r->frames[k].size);
    pack(p, "", 0, Z_FINISH);
    deflateEnd(&p->stream);
    free(p);
    return 1;
}

/* ---- the page -------------------------------------------------------------------------------- */

/* Where the last </body> begins, or the end. */
static size_t find_end_of_body(const unsigned char *html, size_t size)
{
    static const char END[] = "</body>";
    for (size_t k = size; k >= sizeof END - 1; --k)
        if (memcmp(html + k - (sizeof END - 1), END, sizeof END - 1) == 0)
            return k - (sizeof END - 1);
    return size;
}

int replay_put(const replay *r, FILE *out, const unsigned char *html, size_t html_size,
               const mo_recording *recording, const frames_facts *facts)
{
    const size_t place = find_end_of_body(html, html_size);
    char *scene = NULL, note[REPLAY_NOTE];
    size_t scene_size = 0;
    frames_facts all = *facts;
    replay_note(r, note);
    all.is_replay = 1;
    all.note = note[0] ? note : NULL;
    FILE *text = open_memstream(&scene, &scene_size);
    if (text) frames_scene(text, recording, &all);
    int good = text && fclose(text) == 0 && !r->failed;
    if (good) {
        fwrite(html, 1, place, out);
        fputs("<script type=\"application/x-moreau-recording\" id=\"moreau-recording\">", out);
        good = put_data(r, out, scene, scene_size);
        fputs("</script>\n", out);
        fwrite(html + place, 1, html_size - place, out);
    }
    free(scene);
    return good;
}

int replay_put_recording(const mo_recording *recording, const char *name, FILE *out,
                         const unsigned char *html, size_t html_size)
{
    replay r = replay_begin(0);
    frames_numbers numbers = {.generation = 1};
    frames_facts facts = {.generation = 1,
                          .title = recording->title ? recording->title : name,
                          .name = NULL,
                          .step = NAN,
                          .tolerance = NAN,
                          .friction = NAN,
                          .playing = 1,
                          .speed = 1};
    memcpy(facts.gravity, recording->gravity, sizeof facts.gravity);
    for (int k = 0; k < recording->frame_count; ++k) {
        const mo_recorded_frame *frame = recording->frames + k;
        if (frame->step > 0) {
            facts.step = isnan(facts.step) ? frame->step : facts.step;
            numbers.steps += 1; /* of those recorded */
            numbers.unsolved += frame->status != MO_SOLVED;
        }
        replay_add(&r, recording, k, &numbers, k + 1 == recording->frame_count);
    }
    const int good = replay_put(&r, out, html, html_size, recording, &facts);
    replay_clear(&r);
    return good;
}
