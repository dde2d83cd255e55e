/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "record.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "heap_shapes.h"
#include "io/hdf5_parse.h"
#include "io/recording.h"
#include "spread.h"

enum { FRAME = 8, DEF = 9, CONTACT = 14, MARK = MO_RECORDING_MARK + 16, PATH = 4200 };
#define ROOT "/moreau_part"

/* ---- writing -------------------------------------------------------------------------------- */

static void put_frame(const mo_heap *heap, const mo_heap_report *report, double frame[FRAME])
{
    const mo_heap_report none = {0}, *r = report ? report : &none;
    const double dt = mo_heap_def_of(heap)->dt;
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const double own[FRAME] = {
        (double)mo_heap_steps(heap) * dt, report ? dt : 0, r->kinetic,        r->potential,
        r->residual.natural_relative,     r->penetration,  (double)r->status, ranks};
    memcpy(frame, own, sizeof own);
}

static void put_def(const mo_heap *heap, double def[DEF])
{
    const mo_heap_def *d = mo_heap_def_of(heap);
    const double own[DEF] = {d->count,   (double)d->shape, d->boxes, d->is_turned, d->radius,
                             d->density, (double)d->seed,  d->box,   d->gravity};
    memcpy(def, own, sizeof own);
}

static bool put_bodies(mo_h5 *h, const mo_heap *heap, int *ids, double *numbers)
{
    const int count = mo_heap_own_count(heap);
    double *pose = numbers, *velocity = numbers + 7 * (size_t)count;
    for (int k = 0; k < count; ++k) {
        const mo_heap_state s = mo_heap_own(heap, k);
        ids[k] = (int)s.id;
        memcpy(pose + 7 * (size_t)k, s.at, sizeof s.at);
        memcpy(pose + 7 * (size_t)k + 3, s.turn, sizeof s.turn);
        memcpy(velocity + 6 * (size_t)k, s.v, sizeof s.v);
        memcpy(velocity + 6 * (size_t)k + 3, s.spin, sizeof s.spin);
    }
    return mo_h5_write_ints(h, "ids", (size_t)count, ids) &&
           mo_h5_write_doubles(h, "poses", 7 * (size_t)count, pose) &&
           mo_h5_write_doubles(h, "velocities", 6 * (size_t)count, velocity);
}

static bool put_contacts(mo_h5 *h, const mo_heap *heap, int *names, double *numbers)
{
    const int count = mo_heap_contact_count(heap);
    for (int k = 0; k < count; ++k) {
        const mo_heap_contact c = mo_heap_contact_get(heap, k);
        const int own[4] = {(int)c.a, (int)c.b, (int)c.feature, c.is_sliding};
        const double figures[CONTACT] = {c.point[0],    c.point[1],
                                         c.point[2],    c.normal[0],
                                         c.normal[1],   c.normal[2],
                                         c.impulse[0],  c.impulse[1],
                                         c.impulse[2],  c.velocity[0],
                                         c.velocity[1], c.velocity[2],
                                         c.gap,         mo_heap_def_of(heap)->mu};
        memcpy(names + 4 * (size_t)k, own, sizeof own);
        memcpy(numbers + CONTACT * (size_t)k, figures, sizeof figures);
    }
    return mo_h5_write_ints(h, "contact_names", 4 * (size_t)count, names) &&
           mo_h5_write_doubles(h, "contacts", CONTACT * (size_t)count, numbers);
}

static bool put_all(mo_h5 *h, const mo_heap *heap, const mo_heap_report *report)
{
    const size_t bodies = (size_t)mo_heap_own_count(heap),
                 contacts = (size_t)mo_heap_contact_count(heap);
    double frame[FRAME], def[DEF];
    int *whole = malloc((bodies + 4 * contacts + 1) * sizeof *whole);
    double *numbers = malloc((13 * bodies + CONTACT * contacts + 1) * sizeof *numbers);
    bool good = whole && numbers ? true : mo_h5_no_memory(h);
    put_frame(heap, report, frame);
    put_def(heap, def);
    good = good && mo_h5_make_group(h, ROOT) && mo_h5_write_doubles(h, "frame", FRAME, frame) &&
           mo_h5_write_doubles(h, "def", DEF, def) && put_bodies(h, heap, whole, numbers) &&
           put_contacts(h, heap, whole, numbers);
    free(whole);
    free(numbers);
    return good;
}

/* Low byte first. */
static void put_number(uint64_t number, unsigned char *to)
{
    for (int k = 0; k < 8; ++k)
        to[k] = (unsigned char)(number >> (8 * k) & 0xFF);
}

mo_error record_frame(FILE *file, const char *path, const mo_heap *heap,
                      const mo_heap_report *report, mo_message *why)
{
    const mo_allocator own = mo_allocator_or_default(NULL);
    unsigned char mark[MARK] = MO_RECORDING_MORE;
    void *bytes = NULL;
    size_t size = 0;
    mo_h5 h;
    if (mo_h5_create(&h, path, &own, why) && put_all(&h, heap, report))
        mo_h5_image(&h, &bytes, &size);
    mo_h5_close(&h);
    if (!h.error) {
        put_number(size, mark + MO_RECORDING_MARK);
        put_number(mo_mpi_hash(bytes, size), mark + MO_RECORDING_MARK + 8);
    }
    mo_error error = h.error;
    if (!error && (fwrite(mark, sizeof mark, 1, file) != 1 || fwrite(bytes, size, 1, file) != 1 ||
                   fflush(file) != 0))
        error = mo_fail(why, MO_ERR_FILE, "%.300s: the recording cannot be written", path);
    mo_memory_free(&own, bytes);
    return error;
}

/* ---- joining -------------------------------------------------------------------------------- */

int record_is_part(const char *path)
{
    char mark[MO_RECORDING_MARK];
    FILE *file = fopen(path, "rb");
    const int is_part = file && fread(mark, sizeof mark, 1, file) == 1 &&
                        memcmp(mark, MO_RECORDING_MORE, sizeof mark) == 0;
    if (file) fclose(file);
    return is_part;
}

typedef struct part {
    char path[PATH];
    FILE *file;
    uint64_t at, end;
} part;

/* One frame of one part. */
typedef struct slice {
    double *frame, *def, *poses, *velocities, *contacts;
    int *ids, *names;
    size_t frame_count, def_count, body_count, pose_count, velocity_count, name_count,
        contact_count;
} slice;

typedef struct joint {
    const char *file;
    part *parts;
    int count;
    mo_heap_def def;
    mo_heap_shapes shapes;
    mo_recording recording;
    char *seen; /* of each body: is it in this frame? */
    mo_message *why;
} joint;

static mo_error fail_part(const joint *j, const part *p, const char *what)
{
    return mo_fail(j->why, MO_ERR_FORMAT, "%.300s: %s", p->path, what);
}

static void clear_slice(const mo_allocator *allocator, slice *s)
{
    void *const all[] = {s->frame, s->def, s->poses, s->velocities, s->contacts, s->ids, s->names};
    for (int k = 0; k < 7; ++k)
        mo_memory_free(allocator, all[k]);
    *s = (slice){0};
}

static bool read_all(mo_h5 *h, const mo_h5_group *g, slice *s)
{
    return mo_h5_read_doubles(h, g, "frame", &s->frame_count, &s->frame) &&
           mo_h5_read_doubles(h, g, "def", &s->def_count, &s->def) &&
           mo_h5_read_ints(h, g, "ids", &s->body_count, &s->ids) &&
           mo_h5_read_doubles(h, g, "poses", &s->pose_count, &s->poses) &&
           mo_h5_read_doubles(h, g, "velocities", &s->velocity_count, &s->velocities) &&
           mo_h5_read_ints(h, g, "contact_names", &s->name_count, &s->names) &&
           mo_h5_read_doubles(h, g, "contacts", &s->contact_count, &s->contacts);
}

static bool fits(const slice *s)
{
    return s->frame_count == FRAME && s->def_count == DEF && s->pose_count == 7 * s->body_count &&
           s->velocity_count == 6 * s->body_count && s->name_count % 4 == 0 &&
           s->contact_count == CONTACT * (s->name_count / 4);
}

/* Are the bytes that follow the mark those that were written? */
static bool is_intact(const part *p, uint64_t size, uint64_t checksum)
{
    unsigned char *bytes = malloc((size_t)size + 1);
    const bool good = bytes && fread(bytes, 1, (size_t)size, p->file) == size &&
                      mo_mpi_hash(bytes, (size_t)size) == checksum;
    free(bytes);
    return good;
}

/* The next frame of a part; its end, or a frame that was cut short by a run that died, is none. */
static mo_error read_slice(joint *j, part *p, slice *s)
{
    unsigned char mark[MARK];
    mo_h5 h;
    mo_h5_group root = {.path = ""}, group = {.path = ""};
    if (p->at + MARK > p->end || fseek(p->file, (long)p->at, SEEK_SET) ||
        fread(mark, sizeof mark, 1, p->file) != 1)
        return MO_OK;
    const uint64_t size = mo_h5_number(mark + MO_RECORDING_MARK, 8);
    if (memcmp(mark, MO_RECORDING_MORE, MO_RECORDING_MARK) != 0)
        return fail_part(j, p, "it is not part of a recording");
    if (size > p->end - p->at - MARK) return MO_OK;
    if (!is_intact(p, size, mo_h5_number(mark + MO_RECORDING_MARK + 8, 8)))
        return fail_part(j, p, "it is damaged: the checksum of a frame is wrong");
    if (mo_h5_open_part(&h, p->path, p->at + MARK, size, &j->recording.allocator, j->why, &root) &&
        mo_h5_enter(&h, &root, "moreau_part", &group))
        read_all(&h, &group, s);
    mo_h5_leave(&h, &group);
    mo_h5_leave(&h, &root);
    mo_h5_close(&h);
    p->at += MARK + size;
    return h.error ? h.error : fits(s) ? MO_OK : fail_part(j, p, "a frame is damaged");
}

/* ---- the recording -------------------------------------------------------------------------- */

static mo_error take_def(joint *j, const part *p, const double *def)
{
    j->def = mo_default_heap(1);
    if (!(def[0] >= 1 && def[0] <= 1e8 && def[1] >= 0 && def[1] < MO_HEAP_KIND_COUNT &&
          def[2] >= 0 && def[2] <= 1e9 && def[4] > 0 && def[5] > 0 && def[6] >= 0 &&
          def[6] < 1e18 && def[7] > 0))
        return fail_part(j, p, "its definition is damaged");
    j->def.count = (int)def[0];
    j->def.shape = (mo_heap_kind)def[1];
    j->def.boxes = (int)def[2];
    j->def.radius = def[4];
    j->def.density = def[5];
    j->def.seed = (uint64_t)def[6];
    j->def.box = def[7];
    j->def.gravity = def[8];
    return mo_heap_shapes_make(&j->def, &j->shapes, j->why);
}

static bool add_shape(joint *j, int body, const mo_shape_def *def)
{
    mo_recording *r = &j->recording;
    mo_recorded_shape *shape = r->shapes + r->shape_count++;
    *shape = (mo_recorded_shape){.body = body, .def = *def};
    shape->def.points = NULL;
    shape->def.indices = NULL;
    shape->def.index_count = 0;
    if (def->point_count > 0) {
        double *points =
            mo_memory_array(&r->allocator, 3 * (size_t)def->point_count, sizeof *points);
        if (points) memcpy(points, def->points, 3 * (size_t)def->point_count * sizeof *points);
        shape->def.points = points;
        return points != NULL;
    }
    return true;
}

static char *empty_name(const mo_allocator *allocator, const char *text)
{
    char *name = mo_memory_array(allocator, strlen(text) + 1, 1);
    if (name) memcpy(name, text, strlen(text) + 1);
    return name;
}

/* The box is body 0, the body with the id k is body k + 1. */
static mo_error make_head(joint *j)
{
    mo_recording *r = &j->recording;
    const size_t bodies = (size_t)j->def.count + 1;
    r->dimension = 3;
    r->gravity[2] = -j->def.gravity;
    r->bodies = mo_memory_array(&r->allocator, bodies, sizeof *r->bodies);
    r->shapes = mo_memory_array(&r->allocator, bodies + MO_HEAP_WALLS, sizeof *r->shapes);
    r->joints = mo_memory_array(&r->allocator, 1, sizeof *r->joints);
    j->seen = malloc(bodies);
    bool good = r->bodies && r->shapes && r->joints && j->seen;
    for (int k = 0; good && k < MO_HEAP_WALLS; ++k)
        good = add_shape(j, 0, &j->shapes.wall[k].def);
    for (size_t k = 0; good && k < bodies; ++k) {
        const int kind = k ? mo_heap_shape_of(&j->def, (uint32_t)(k - 1)) : 0;
        r->bodies[k] = (mo_recorded_body){.kind = k ? MO_BODY_FREE : MO_BODY_FIXED,
                                          .mass = k ? j->shapes.at[kind].mass : 0,
                                          .name = empty_name(&r->allocator, k ? "" : "box")};
        r->body_count = (int)k + 1;
        good =
            r->bodies[k].name && (k == 0 || add_shape(j, (int)k, &j->shapes.at[kind].collider.def));
    }
    return good ? MO_OK : mo_fail_memory(j->why);
}

static mo_error make_room(joint *j, size_t contacts)
{
    mo_recording *r = &j->recording;
    const size_t frames = (size_t)r->frame_count + 1, rows = frames * (size_t)r->body_count;
    const size_t all = (size_t)r->contact_count + contacts;
    if (7 * rows > INT32_MAX || 3 * all > INT32_MAX) {
        return mo_fail(j->why, MO_ERR_UNSUPPORTED,
                       "%.300s: one recording holds at most 2^31 numbers in a vector; record "
                       "fewer steps (--every)",
                       j->file);
    }
    return mo_memory_grow(&r->allocator, (void **)&r->frames, &r->frame_room, frames,
                          sizeof *r->frames) &&
                   mo_memory_grow(&r->allocator, (void **)&r->poses, &r->pose_room, rows + 1,
                                  sizeof *r->poses) &&
                   mo_memory_grow(&r->allocator, (void **)&r->velocities, &r->velocity_room,
                                  rows + 1, sizeof *r->velocities) &&
                   mo_memory_grow(&r->allocator, (void **)&r->contacts, &r->contact_room, all + 1,
                                  sizeof *r->contacts)
               ? MO_OK
               : mo_fail_memory(j->why);
}

static mo_error add_bodies(joint *j, const part *p, const slice *s)
{
    mo_recording *r = &j->recording;
    const size_t first = (size_t)r->frame_count * (size_t)r->body_count;
    for (size_t k = 0; k < s->body_count; ++k) {
        if (s->ids[k] < 0 || s->ids[k] >= j->def.count || j->seen[s->ids[k] + 1])
            return fail_part(j, p, "a body is twice in a frame, or was never there");
        const size_t place = first + (size_t)s->ids[k] + 1;
        j->seen[s->ids[k] + 1] = 1;
        memcpy(r->poses + place, s->poses + 7 * k, sizeof *r->poses);
        memcpy(r->velocities + place, s->velocities + 6 * k, sizeof *r->velocities);
    }
    return MO_OK;
}

static mo_error add_contacts(joint *j, const part *p, const slice *s, double h)
{
    mo_recording *r = &j->recording;
    for (size_t k = 0; k < s->name_count / 4; ++k) {
        const int *name = s->names + 4 * k; /* a, b, feature, does it slide; a: -1 is the box */
        const double *x = s->contacts + CONTACT * k;
        if (name[0] < -1 || name[0] >= j->def.count || name[1] < 0 || name[1] >= j->def.count ||
            !(h > 0))
            return fail_part(j, p, "a contact is damaged");
        mo_recorded_contact *c = r->contacts + r->contact_count++;
        *c = (mo_recorded_contact){.a = name[0] + 1,
                                   .b = name[1] + 1,
                                   .id = {(unsigned)name[2], (unsigned)(name[0] * 7919 + name[1])},
                                   .mode = name[3] ? MO_CONTACT_SLIDES : MO_CONTACT_STICKS,
                                   .gap = x[12],
                                   .mu = x[13]};
        memcpy(c->point, x, sizeof c->point);
        memcpy(c->normal, x + 3, sizeof c->normal);
        memcpy(c->velocity, x + 9, sizeof c->velocity);
        for (int i = 0; i < 3; ++i)
            c->force[i] = x[6 + i] / h;
    }
    return MO_OK;
}

static int by_bodies(const void *a, const void *b)
{
    const mo_recorded_contact *x = a, *y = b;
    return x->b != y->b   ? (x->b > y->b) - (x->b < y->b)
           : x->a != y->a ? (x->a > y->a) - (x->a < y->a)
                          : (x->id[0] > y->id[0]) - (x->id[0] < y->id[0]);
}

/* One frame of all parts. */
static mo_error add_frame(joint *j, const slice *slices)
{
    mo_recording *r = &j->recording;
    const double *f = slices[0].frame;
    size_t contacts = 0;
    for (int k = 0; k < j->count; ++k)
        contacts += slices[k].name_count / 4;
    mo_error error = f[7] == j->count ? make_room(j, contacts)
                                      : fail_part(j, j->parts, "parts of other ranks are missing");
    if (error) return error;
    mo_recorded_frame *frame = r->frames + r->frame_count;
    *frame = (mo_recorded_frame){.time = f[0],
                                 .step = f[1],
                                 .kinetic_energy = f[2],
                                 .potential_energy = f[3],
                                 .residual = f[4],
                                 .penetration = f[5],
                                 .status = (mo_status)f[6],
                                 .first_contact = r->contact_count,
                                 .contact_count = (int)contacts};
    const size_t first = (size_t)r->frame_count * (size_t)r->body_count;
    r->poses[first] = mo_pose_identity();
    memset(r->velocities + first, 0, sizeof *r->velocities);
    memset(j->seen, 0, (size_t)r->body_count);
    j->seen[0] = 1;
    for (int k = 0; k < j->count && !error; ++k) {
        error = slices[k].frame[0] == f[0] ? add_bodies(j, j->parts + k, slices + k)
                                           : fail_part(j, j->parts + k, "its times differ");
        error = error ? error : add_contacts(j, j->parts + k, slices + k, f[1]);
    }
    qsort(r->contacts + frame->first_contact, (size_t)(r->contact_count - frame->first_contact),
          sizeof *r->contacts, by_bodies);
    for (int k = 0; k < r->body_count && !error; ++k)
        error = j->seen[k] ? MO_OK : fail_part(j, j->parts, "a body is missing; was a part lost?");
    r->frame_count += !error;
    return error;
}

/* Frames as long as every part has one. */
static mo_error read_frames(joint *j)
{
    slice *slices = calloc((size_t)j->count, sizeof *slices);
    mo_error error = slices ? MO_OK : mo_fail_memory(j->why);
    for (int is_over = 0; !error && !is_over;) {
        for (int k = 0; k < j->count && !error; ++k) {
            error = read_slice(j, j->parts + k, slices + k);
            is_over |= !slices[k].frame;
        }
        if (!error && !is_over && !j->recording.bodies) {
            error = take_def(j, j->parts, slices[0].def);
            error = error ? error : make_head(j);
        }
        error = error || is_over ? error : add_frame(j, slices);
        for (int k = 0; k < j->count; ++k)
            clear_slice(&j->recording.allocator, slices + k);
    }
    free(slices);
    return error || j->recording.frame_count ? error
                                             : fail_part(j, j->parts, "it has no whole frame");
}

mo_error record_join(const char *file, int count, mo_message *why)
{
    joint j = {.file = file,
               .parts = calloc((size_t)count, sizeof *j.parts),
               .count = count,
               .recording = {.allocator = mo_allocator_or_default(NULL)},
               .why = why};
    mo_error error = j.parts ? MO_OK : mo_fail_memory(why);
    for (int k = 0; k < count && !error; ++k) {
        part *p = j.parts + k;
        snprintf(p->path, sizeof p->path, "%.4096s.rank-%d", file, k);
        p->file = fopen(p->path, "rb");
        if (!p->file || fseek(p->file, 0, SEEK_END))
            error = mo_fail(why, MO_ERR_FILE, "%.300s: it cannot be read", p->path);
        else
            p->end = (uint64_t)ftell(p->file);
    }
    error = error ? error : read_frames(&j);
    error = error ? error : mo_recording_set_title(&j.recording, "heap on ranks", why);
    error = error ? error : mo_recording_write(file, &j.recording, why);
    for (int k = 0; j.parts && k < count; ++k)
        if (j.parts[k].file) fclose(j.parts[k].file);
    mo_heap_shapes_clear(&j.shapes);
    mo_recording_clear(&j.recording);
    free(j.seen);
    free(j.parts);
    return error;
}
