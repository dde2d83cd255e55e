/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "run_vtk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "output.h"

static const char HEAD[] = "<?xml version=\"1.0\"?>\n"
                           "<VTKFile type=\"%s\" version=\"0.1\" byte_order=\"LittleEndian\">\n";

/* ---- pieces of a file ------------------------------------------------------------------------ */

/* <DataArray ...>, numbers, and: */
static void array_begin(FILE *out, const char *type, const char *name, int components)
{
    fprintf(out, "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"ascii\">\n",
            type, name, components);
}

static void array_end(FILE *out)
{
    fputs("\n</DataArray>\n", out);
}

static void put_vector(FILE *out, const double x[3])
{
    fprintf(out, "%.7g %.7g %.7g\n", x[0], x[1], x[2]);
}

static void put_ints(FILE *out, const char *name, int count, const int *values)
{
    array_begin(out, "Int32", name, 1);
    for (int k = 0; k < count; ++k)
        fprintf(out, "%d%c", values[k], k % 16 == 15 ? '\n' : ' ');
    array_end(out);
}

static void put_cells(FILE *out, const char *name, const run_cells *cells)
{
    fprintf(out, "<%s>\n", name);
    put_ints(out, "connectivity", cells->corner_count, cells->corner);
    put_ints(out, "offsets", cells->count, cells->end);
    fprintf(out, "</%s>\n", name);
}

static void begin_piece(FILE *out, int points, int verts, int lines, int polys)
{
    fprintf(out, HEAD, "PolyData");
    fprintf(out,
            "<PolyData>\n<Piece NumberOfPoints=\"%d\" NumberOfVerts=\"%d\" NumberOfLines=\"%d\" "
            "NumberOfStrips=\"0\" NumberOfPolys=\"%d\">\n",
            points, verts, lines, polys);
}

static void end_piece(FILE *out)
{
    fputs("</Piece>\n</PolyData>\n</VTKFile>\n", out);
}

/* ---- bodies ---------------------------------------------------------------------------------- */

/* Position of point k, and its velocity v + w x (point - centre). */
static void move_point(const run_mesh *mesh, int k, const mo_body_state *body, double x[3],
                       double v[3])
{
    mo_pose_point(&body->pose, mesh->point[k], x);
    const double *w = body->spin;
    const double arm[3] = {x[0] - body->centre[0], x[1] - body->centre[1], x[2] - body->centre[2]};
    v[0] = body->velocity[0] + w[1] * arm[2] - w[2] * arm[1];
    v[1] = body->velocity[1] + w[2] * arm[0] - w[0] * arm[2];
    v[2] = body->velocity[2] + w[0] * arm[1] - w[1] * arm[0];
}

/* Positions, or velocities, of all points; those of a body are consecutive. */
static void put_points(FILE *out, const run_mesh *mesh, const mo_world *world, int velocities)
{
    mo_body_state body = {0};
    array_begin(out, "Float32", velocities ? "velocity" : "points", 3);
    for (int k = 0; k < mesh->point_count; ++k) {
        double x[3], v[3];
        if (k == 0 || mesh->body[k] != mesh->body[k - 1])
            body = mo_body_get(world, mo_world_body(world, mesh->body[k]));
        move_point(mesh, k, &body, x, v);
        put_vector(out, velocities ? v : x);
    }
    array_end(out);
}

static void put_bodies(FILE *out, const run_mesh *mesh, const mo_world *world)
{
    begin_piece(out, mesh->point_count, 0, mesh->lines.count, mesh->faces.count);
    fputs("<PointData>\n", out);
    put_ints(out, "body", mesh->point_count, mesh->body);
    put_points(out, mesh, world, 1);
    fputs("</PointData>\n<Points>\n", out);
    put_points(out, mesh, world, 0);
    fputs("</Points>\n", out);
    put_cells(out, "Lines", &mesh->lines);
    put_cells(out, "Polys", &mesh->faces);
    end_piece(out);
}

/* ---- contacts -------------------------------------------------------------------------------- */

typedef enum contact_vector { POINT, NORMAL, FORCE, MOMENT } contact_vector;

static void put_contact_vectors(FILE *out, const mo_world *world, int count, const char *name,
                                contact_vector which, double factor)
{
    array_begin(out, "Float32", name, 3);
    for (int k = 0; k < count; ++k) {
        const mo_contact contact = mo_world_contact(world, k);
        const double *x = which == POINT    ? contact.point
                          : which == NORMAL ? contact.normal
                          : which == FORCE  ? contact.impulse
                                            : contact.moment;
        const double scaled[3] = {factor * x[0], factor * x[1], factor * x[2]};
        put_vector(out, scaled);
    }
    array_end(out);
}

static void put_contact_numbers(FILE *out, const mo_world *world, int count)
{
    array_begin(out, "Float32", "gap", 1);
    for (int k = 0; k < count; ++k)
        fprintf(out, "%.7g\n", mo_world_contact(world, k).gap);
    array_end(out);
    array_begin(out, "Int32", "mode", 1); /* 0 apart, 1 sticks, 2 slides */
    for (int k = 0; k < count; ++k)
        fprintf(out, "%d\n", (int)mo_world_contact(world, k).mode);
    array_end(out);
}

static void put_verts(FILE *out, int count)
{
    fputs("<Verts>\n", out);
    array_begin(out, "Int32", "connectivity", 1);
    for (int k = 0; k < count; ++k)
        fprintf(out, "%d ", k);
    array_end(out);
    array_begin(out, "Int32", "offsets", 1);
    for (int k = 0; k < count; ++k)
        fprintf(out, "%d ", k + 1);
    array_end(out);
    fputs("</Verts>\n", out);
}

static void put_contacts(FILE *out, const mo_world *world, double h)
{
    const int count = h > 0 ? mo_world_contact_count(world) : 0;
    const double per_second = h > 0 ? 1 / h : 0;
    begin_piece(out, count, count, 0, 0);
    fputs("<PointData Vectors=\"force\">\n", out);
    put_contact_vectors(out, world, count, "force", FORCE, per_second);
    put_contact_vectors(out, world, count, "moment", MOMENT, per_second);
    put_contact_vectors(out, world, count, "normal", NORMAL, 1);
    put_contact_numbers(out, world, count);
    fputs("</PointData>\n<Points>\n", out);
    put_contact_vectors(out, world, count, "points", POINT, 1);
    fputs("</Points>\n", out);
    put_verts(out, count);
    end_piece(out);
}

/* ---- files ----------------------------------------------------------------------------------- */

static int open_in(output *o, const char *folder, const char *name)
{
    char path[OUTPUT_PATH];
    return output_join(path, folder, name) && output_open(o, path);
}

static int fail(run_tally *tally, const char *folder, const char *name)
{
    run_fail(tally, folder, "%s could not be written: %s", name, strerror(errno));
    return 0;
}

static void frame_name(char name[32], const char *what, int k)
{
    snprintf(name, 32, "%s_%06d.vtp", what, k);
}

int run_vtk_begin(run_vtk *vtk, const run_call *call, const mo_world *world, run_tally *tally)
{
    *vtk = (run_vtk){0};
    if (!run_mesh_make(&vtk->mesh, world)) {
        run_fail(tally, call->vtk, "memory ran out");
        return 0;
    }
    return 1;
}

static int keep_time(run_vtk *vtk, double time)
{
    if (vtk->count == vtk->room) {
        const int room = vtk->room ? 2 * vtk->room : 64;
        double *moved = realloc(vtk->times, (size_t)room * sizeof *moved);
        if (!moved) return 0;
        vtk->times = moved;
        vtk->room = room;
    }
    vtk->times[vtk->count++] = time;
    return 1;
}

int run_vtk_frame(run_vtk *vtk, const run_call *call, const mo_world *world, double h,
                  run_tally *tally)
{
    char name[32];
    output o;
    frame_name(name, "bodies", vtk->count);
    if (!open_in(&o, call->vtk, name)) return fail(tally, call->vtk, name);
    put_bodies(o.file, &vtk->mesh, world);
    if (!output_place(&o)) return fail(tally, call->vtk, name);
    frame_name(name, "contacts", vtk->count);
    if (!open_in(&o, call->vtk, name)) return fail(tally, call->vtk, name);
    put_contacts(o.file, world, h);
    if (!output_place(&o) || !keep_time(vtk, mo_world_time(world)))
        return fail(tally, call->vtk, name);
    return 1;
}

static int write_collection(const run_vtk *vtk, const char *folder, const char *what,
                            run_tally *tally)
{
    char name[32];
    output o;
    snprintf(name, sizeof name, "%s.pvd", what);
    if (!open_in(&o, folder, name)) return fail(tally, folder, name);
    fprintf(o.file, HEAD, "Collection");
    fputs("<Collection>\n", o.file);
    for (int k = 0; k < vtk->count; ++k) {
        char frame[32];
        frame_name(frame, what, k);
        fprintf(o.file, "<DataSet timestep=\"%s\" part=\"0\" file=\"%s\"/>\n",
                number_exact(vtk->times[k]).text, frame);
    }
    fputs("</Collection>\n</VTKFile>\n", o.file);
    return output_commit(&o) || fail(tally, folder, name);
}

int run_vtk_end(run_vtk *vtk, const run_call *call, run_tally *tally)
{
    const int good = write_collection(vtk, call->vtk, "bodies", tally) &&
                     write_collection(vtk, call->vtk, "contacts", tally);
    run_mesh_clear(&vtk->mesh);
    free(vtk->times);
    *vtk = (run_vtk){0};
    return good;
}
