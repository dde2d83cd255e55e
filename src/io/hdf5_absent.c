/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Replaces the HDF5 functions in a library built without HDF5. */
#include "base/error.h"
#include "moreau/io.h"
#include "moreau/recording.h"

static mo_error refuse(const char *path, const char *what, mo_message *why)
{
    return mo_fail(why, MO_ERR_UNSUPPORTED,
                   "%.200s: this library was built without HDF5, which %s need; build it with"
                   " -D MOREAU_HDF5=ON",
                   path ? path : "the file", what);
}

mo_error mo_fclib_read(const char *path, const mo_allocator *allocator, mo_document *document,
                       mo_message *why)
{
    (void)allocator;
    if (document) *document = (mo_document){0};
    return refuse(path, "FCLIB files", why);
}

mo_error mo_fclib_write(const char *path, const mo_document *document, mo_message *why)
{
    (void)document;
    return refuse(path, "FCLIB files", why);
}

mo_error mo_recording_read(const char *path, const mo_allocator *allocator, mo_recording *recording,
                           mo_message *why)
{
    (void)allocator;
    if (recording) *recording = (mo_recording){0};
    return refuse(path, "recordings", why);
}

mo_error mo_recording_write(const char *path, const mo_recording *recording, mo_message *why)
{
    (void)recording;
    return refuse(path, "recordings", why);
}

mo_error mo_recorder_create(const char *path, const mo_world *world, const char *title,
                            const mo_allocator *allocator, mo_recorder **recorder, mo_message *why)
{
    (void)world, (void)title, (void)allocator;
    if (recorder) *recorder = NULL;
    return refuse(path, "recordings", why);
}

mo_error mo_recorder_add(mo_recorder *recorder, const mo_world *world, double h,
                         const mo_step_report *report, mo_message *why)
{
    (void)recorder, (void)world, (void)h, (void)report;
    return refuse(NULL, "recordings", why);
}

mo_error mo_recorder_finish(mo_recorder *recorder, mo_message *why)
{
    (void)recorder;
    return refuse(NULL, "recordings", why);
}

void mo_recorder_destroy(mo_recorder *recorder)
{
    (void)recorder;
}
