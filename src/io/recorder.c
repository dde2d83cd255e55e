/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Records to PATH.part during a run and renames it at the end.
 *
 *   1. The file is created at the start, with the head and no frames, which reveals write errors.
 *   2. Frames are kept in memory.  The first one, and then new ones every WAIT seconds, are
 *      appended as a separate HDF5 file (recording.h), so a killed run loses no more than that.
 *   3. Beyond MOST bytes, written frames are dropped from memory.
 *   4. At the end, a smaller recording is rewritten as one HDF5 file.
 */
#define _XOPEN_SOURCE 700

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "io/file.h"
#include "io/recording.h"

static const double WAIT = 2; /* s */
enum { MOST = 32 << 20 };     /* bytes of frames in memory */

struct mo_recorder {
    mo_recording recording;
    int file;    /* of PATH.part, or -1 */
    off_t size;  /* bytes of whole pieces there */
    int written; /* frames of those in memory that are in the file */
    int dropped; /* some are no longer in memory */
    double last; /* time of the last writing */
    char path[MO_PATH], part[MO_PATH + 8];
};

/* ---- the file -------------------------------------------------------------------------------- */

static mo_error fail(const mo_recorder *recorder, int number, mo_message *why)
{
    return mo_fail(why, MO_ERR_FILE, "%.300s: cannot be written: %s", recorder->part,
                   strerror(number));
}

static mo_error put(const mo_recorder *recorder, const void *bytes, size_t size, mo_message *why)
{
    const int failed = mo_write_all(recorder->file, bytes, size);
    return failed ? fail(recorder, failed, why) : MO_OK;
}

static mo_error put_mark(const mo_recorder *recorder, size_t size, mo_message *why)
{
    unsigned char mark[2 * MO_RECORDING_MARK] = MO_RECORDING_MORE;
    for (int k = 0; k < 8; ++k)
        mark[MO_RECORDING_MARK + k] = (unsigned char)((unsigned long long)size >> (8 * k) & 0xFF);
    return put(recorder, mark, sizeof mark, why);
}

/* The frames that are not in the file; with the head, at the start. */
static mo_error append(mo_recorder *recorder, int has_head, mo_message *why)
{
    void *bytes = NULL;
    size_t size = 0;
    mo_error error = mo_recording_image(&recorder->recording, recorder->path, has_head,
                                        recorder->written, &bytes, &size, why);
    error = error || has_head ? error : put_mark(recorder, size, why);
    error = error ? error : put(recorder, bytes, size, why);
    mo_memory_free(&recorder->recording.allocator, bytes);
    if (!error) {
        recorder->size = lseek(recorder->file, 0, SEEK_CUR);
        recorder->written = recorder->recording.frame_count;
        recorder->last = mo_clock();
    } else if (ftruncate(recorder->file, recorder->size) == 0) { /* no incomplete piece */
        lseek(recorder->file, recorder->size, SEEK_SET);
    }
    return error;
}

/* ---- a run ----------------------------------------------------------------------------------- */

static mo_error begin(mo_recorder *recorder, const char *path, const mo_world *world,
                      const char *title, const mo_allocator *allocator, mo_message *why)
{
    /* Fails early if the final file cannot be written later. */
    mo_replacement place;
    MO_TRY(mo_replace_begin(&place, path, why));
    mo_replace_cancel(&place);
    snprintf(recorder->path, sizeof recorder->path, "%s", place.target);
    snprintf(recorder->part, sizeof recorder->part, "%s.part", place.target);
    MO_TRY(mo_recording_begin(&recorder->recording, world, allocator, why));
    MO_TRY(mo_recording_set_title(&recorder->recording, title, why));
    recorder->file = open(recorder->part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    MO_FAIL_IF(recorder->file < 0, fail(recorder, errno, why));
    MO_TRY(append(recorder, 1, why));
    recorder->last = -INFINITY; /* the first frame is written at once */
    return MO_OK;
}

mo_error mo_recorder_create(const char *path, const mo_world *world, const char *title,
                            const mo_allocator *allocator, mo_recorder **recorder, mo_message *why)
{
    MO_NEED(path && world && recorder, why);
    const mo_allocator own = mo_allocator_or_default(allocator);
    mo_recorder *made = mo_memory_zeros(&own, 1, sizeof *made);
    *recorder = NULL;
    MO_NEED_MEMORY(made, why);
    made->recording.allocator = own;
    made->file = -1;
    const mo_error error = begin(made, path, world, title, &own, why);
    if (error) {
        if (made->file >= 0) unlink(made->part);
        made->recording.allocator = own;
        mo_recorder_destroy(made);
        return error;
    }
    *recorder = made;
    return MO_OK;
}

static size_t bytes_of(const mo_recording *recording)
{
    const size_t frames = (size_t)recording->frame_count;
    return frames * (sizeof *recording->frames +
                     (size_t)recording->body_count *
                         (sizeof *recording->poses + sizeof *recording->velocities)) +
           (size_t)recording->contact_count * sizeof *recording->contacts;
}

mo_error mo_recorder_add(mo_recorder *recorder, const mo_world *world, double h,
                         const mo_step_report *report, mo_message *why)
{
    MO_NEED(recorder && world, why);
    mo_recording *recording = &recorder->recording;
    mo_error error = mo_recording_add(recording, world, h, report, why);
    const int is_full = !error && bytes_of(recording) > MOST;
    if (!error && (is_full || mo_clock() - recorder->last > WAIT)) error = append(recorder, 0, why);
    if (!error && (is_full || recorder->dropped) && recorder->written == recording->frame_count) {
        recorder->dropped = 1;
        recorder->written = recording->frame_count = recording->contact_count = 0;
    }
    return error;
}

/* Writes as many frames as fit on the disk. */
static void save_what_fits(mo_recorder *recorder)
{
    mo_recording *recording = &recorder->recording;
    const int frames = recording->frame_count, contacts = recording->contact_count;
    for (int piece = frames - recorder->written; piece > 0 && recorder->written < frames;) {
        const int end = piece < frames - recorder->written ? recorder->written + piece : frames;
        recording->frame_count = end;
        recording->contact_count = end < frames ? recording->frames[end].first_contact : contacts;
        piece = append(recorder, 0, NULL) ? piece / 2 : piece;
    }
}

/* Renamed only after all data are on the disk. */
static mo_error put_in_place(mo_recorder *recorder, mo_message *why)
{
    const int failed = fsync(recorder->file) != 0 || rename(recorder->part, recorder->path) != 0;
    return failed ? fail(recorder, errno, why) : MO_OK;
}

mo_error mo_recorder_finish(mo_recorder *recorder, mo_message *why)
{
    MO_NEED(recorder, why);
    mo_error error = MO_OK;
    if (!recorder->dropped) {
        error = mo_recording_write(recorder->path, &recorder->recording, why);
        if (!error) unlink(recorder->part);
    } else {
        error =
            recorder->written < recorder->recording.frame_count ? append(recorder, 0, why) : MO_OK;
        error = error ? error : put_in_place(recorder, why);
    }
    if (error) save_what_fits(recorder);
    mo_recorder_destroy(recorder);
    return error;
}

void mo_recorder_destroy(mo_recorder *recorder)
{
    if (recorder) {
        const mo_allocator own = recorder->recording.allocator;
        if (recorder->file >= 0) close(recorder->file);
        mo_recording_clear(&recorder->recording);
        mo_memory_free(&own, recorder);
    }
}
