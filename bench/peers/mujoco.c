/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * MuJoCo: moreau-mujoco.
 *
 *   newton-C, cg-C, pgs-C      its solvers, with cone C: elliptic or pyramidal
 *   newton-elliptic-100        with impratio 100: friction a hundred times harder than normals
 *
 * The scene is written as MJCF and compiled.  Settings are its defaults, but for solref, whose time
 * constant is the least that MuJoCo allows, two steps. Contacts are soft by design and have no
 * restitution; of two surfaces the larger friction counts.  Impulses are mj_contactForce times the
 * step.  In the plane a body has two slides and a hinge.
 *
 * MuJoCo 2.2 keeps a dense table of rows x rows in one buffer of at most 2 GiB: larger scenes
 * cannot be allocated.
 */
#include <math.h>
#include <mujoco/mujoco.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../sim/peer_main.h"
#include "../sim/run.h"

static const char *const CONFIGS[] = {
    "newton-elliptic", "newton-pyramidal", "newton-elliptic-100", "cg-elliptic",
    "cg-pyramidal",    "pgs-elliptic",     "pgs-pyramidal",       NULL};

typedef struct setting {
    const char *solver, *cone;
    double impratio;
} setting;

static const setting SETTINGS[] = {{"Newton", "elliptic", 1},   {"Newton", "pyramidal", 1},
                                   {"Newton", "elliptic", 100}, {"CG", "elliptic", 1},
                                   {"CG", "pyramidal", 1},      {"PGS", "elliptic", 1},
                                   {"PGS", "pyramidal", 1}};

typedef struct mujoco {
    const sim_scene *scene;
    mjModel *model;
    mjData *data;
    int *owner; /* body of the scene of each geom */
} mujoco;

static void give_up(const char *message)
{
    sim_give_up(message);
}

static void ignore(const char *message)
{
    (void)message;
}

/* ---- the scene as MJCF ----------------------------------------------------------------------- */

static void put_pose(FILE *out, const mo_pose *pose)
{
    const double *x = pose->position, *q = pose->orientation;
    fprintf(out, " pos=\"%.17g %.17g %.17g\" quat=\"%.17g %.17g %.17g %.17g\"", x[0], x[1], x[2],
            q[0], q[1], q[2], q[3]);
}

/* `first` is the first corner of all hulls. */
static void put_shape(FILE *out, const sim_shape *shape, const mo_pose *pose, const double *first)
{
    fprintf(out, "<geom friction=\"%.17g 0 0\"", shape->friction);
    put_pose(out, pose);
    switch (shape->kind) {
    case MO_SHAPE_BALL:
        fprintf(out, " type=\"sphere\" size=\"%.17g\"/>\n", shape->radius);
        break;
    case MO_SHAPE_BOX:
        fprintf(out, " type=\"box\" size=\"%.17g %.17g %.17g\"/>\n", shape->half[0], shape->half[1],
                shape->half[2]);
        break;
    case MO_SHAPE_HULL: /* the same mesh, starting at this corner */
        fprintf(out, " type=\"mesh\" mesh=\"hull-%td\"/>\n", shape->point - first);
        break;
    case MO_SHAPE_CAPSULE:
    case MO_SHAPE_CYLINDER:
        fprintf(out, " type=\"%s\" size=\"%.17g %.17g\"/>\n",
                shape->kind == MO_SHAPE_CAPSULE ? "capsule" : "cylinder", shape->radius,
                shape->half[2]);
        break;
    default:
        fprintf(out, " type=\"plane\" size=\"0 0 1\"/>\n");
    }
}

static void put_free_body(FILE *out, const sim_scene *scene, const sim_body *body)
{
    fprintf(out, "<body");
    put_pose(out, &body->pose);
    fprintf(out, ">\n<inertial pos=\"0 0 0\" mass=\"%.17g\" diaginertia=\"%.17g %.17g %.17g\"/>\n",
            body->mass, body->inertia[0], body->inertia[1], body->inertia[2]);
    fputs(scene->dimension == 3 ? "<freejoint/>\n"
                                : "<joint type=\"slide\" axis=\"1 0 0\"/>"
                                  "<joint type=\"slide\" axis=\"0 1 0\"/>"
                                  "<joint type=\"hinge\" axis=\"0 0 1\"/>\n",
          out);
    for (int k = 0; k < body->shape_count; ++k) {
        const sim_shape *shape = scene->shape + body->first_shape + k;
        put_shape(out, shape, &shape->pose, scene->point);
    }
    fprintf(out, "</body>\n");
}

static void put_hulls(FILE *out, const sim_scene *scene)
{
    fprintf(out, "<asset>\n");
    for (int k = 0; k < scene->shape_count; ++k) {
        const sim_shape *shape = scene->shape + k;
        if (shape->kind == MO_SHAPE_HULL) {
            fprintf(out, "<mesh name=\"hull-%td\" vertex=\"", shape->point - scene->point);
            for (int i = 0; i < 3 * shape->point_count; ++i)
                fprintf(out, "%.17g ", shape->point[i]);
            fprintf(out, "\"/>\n");
        }
    }
    fprintf(out, "</asset>\n");
}

/* Static shapes belong to MuJoCo's world body, which needs no mass, so they come first. */
static void put_bodies(FILE *out, const sim_scene *scene, int *owner)
{
    int geoms = 0;
    for (int free = 0; free < 2; ++free) {
        for (int k = 0; k < scene->body_count; ++k) {
            const sim_body *body = scene->body + k;
            if (body->is_free != free) continue;
            for (int i = 0; i < body->shape_count; ++i) {
                const sim_shape *shape = scene->shape + body->first_shape + i;
                const mo_pose pose = mo_pose_compose(&body->pose, &shape->pose);
                owner[geoms++] = k;
                if (!free) put_shape(out, shape, &pose, scene->point);
            }
            if (free) put_free_body(out, scene, body);
        }
    }
}

/* Capacity of constraint rows and scratch: as the scene may need, up to 2 GiB. */
typedef struct sizes {
    double contacts, rows, stack;
} sizes;

static sizes sizes_for(const sim_scene *scene, const setting *with)
{
    static const double most_bytes = 2.0e9;
    double contacts = 100, dofs = 0;
    for (int k = 0; k < scene->body_count; ++k) {
        const sim_body *body = scene->body + k;
        const int is_round =
            body->shape_count > 0 && scene->shape[body->first_shape].kind == MO_SHAPE_BALL;
        contacts += body->is_free ? (is_round ? 5 : 20) : 0;
        dofs += body->is_free ? (scene->dimension == 3 ? 6 : 3) : 0;
    }
    const double per_contact = strcmp(with->cone, "elliptic") == 0 ? 3 : 4;
    /* 12 n^2 + 24 n dofs = bytes */
    const double fits = sqrt(dofs * dofs + most_bytes / 12) - dofs;
    const double rows = fmin(per_contact * contacts, fits);
    const double stack = fmin(4 * dofs * dofs + 60 * (rows + dofs) + 2e6, 2.5e8);
    return (sizes){contacts, rows, stack};
}

static char *describe(const sim_scene *scene, const setting *with, int *owner)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    const sizes room = sizes_for(scene, with);
    if (!out) return NULL;
    fprintf(out,
            "<mujoco>\n<compiler angle=\"radian\" boundmass=\"0\"/>\n"
            "<size njmax=\"%.0f\" nconmax=\"%.0f\" nstack=\"%.0f\"/>\n"
            "<option timestep=\"%.17g\" gravity=\"%.17g %.17g %.17g\" solver=\"%s\" cone=\"%s\""
            " impratio=\"%.17g\"/>\n"
            "<default><geom condim=\"3\" solref=\"%.17g 1\"/></default>\n",
            room.rows, room.contacts, room.stack, scene->step, scene->gravity[0], scene->gravity[1],
            scene->gravity[2], with->solver, with->cone, with->impratio, 2 * scene->step);
    put_hulls(out, scene);
    fprintf(out, "<worldbody>\n");
    put_bodies(out, scene, owner);
    fprintf(out, "</worldbody>\n</mujoco>\n");
    return fclose(out) == 0 ? text : NULL;
}

/* The text is passed as a file in memory. */
static mjModel *compile(const char *text, mo_message *why)
{
    static const char *const name = "scene.xml";
    char error[300] = "";
    mjModel *model = NULL;
    mjVFS *files = malloc(sizeof *files);
    if (files && text) {
        const size_t length = strlen(text);
        mj_defaultVFS(files);
        if (mj_makeEmptyFileVFS(files, name, (int)length + 1) == 0) {
            memcpy(files->filedata[mj_findFileVFS(files, name)], text, length + 1);
            model = mj_loadXML(name, files, error, sizeof error);
        }
        mj_deleteVFS(files);
    }
    free(files);
    if (!model)
        snprintf(why->text, sizeof why->text, "MuJoCo: %s", error[0] ? error : "memory ran out");
    return model;
}

/* ---- building -------------------------------------------------------------------------------- */

/* MuJoCo has its own conventions for positions and the spin of a free body: joint coordinates
 * start at the initial state of the scene. */
static void set_velocities(mujoco *m)
{
    const int per_body = m->scene->dimension == 3 ? 6 : 3;
    double *v = m->data->qvel;
    for (int k = 0; k < m->scene->body_count; ++k) {
        const sim_body *body = m->scene->body + k;
        if (!body->is_free) continue;
        if (per_body == 6) {
            memcpy(v, body->velocity, sizeof body->velocity);
            mo_pose_vector_back(&body->pose, body->spin, v + 3);
        } else {
            /* slides follow the axes of the body's frame at the start */
            double local[3];
            mo_pose_vector_back(&body->pose, body->velocity, local);
            v[0] = local[0];
            v[1] = local[1];
            v[2] = body->spin[2];
        }
        v += per_body;
    }
}

static void destroy(void *engine)
{
    mujoco *m = engine;
    if (m->data) mj_deleteData(m->data);
    if (m->model) mj_deleteModel(m->model);
    free(m->owner);
    free(m);
}

static void *create(const sim_scene *scene, int config, mo_message *why)
{
    mujoco *m = calloc(1, sizeof *m);
    int *owner = calloc((size_t)scene->shape_count + 1, sizeof *owner);
    if (!m || !owner) {
        free(m);
        free(owner);
        snprintf(why->text, sizeof why->text, "memory ran out");
        return NULL;
    }
    mju_user_error = give_up;
    mju_user_warning = ignore;
    *m = (mujoco){.scene = scene, .owner = owner};
    char *text = describe(scene, SETTINGS + config, owner);
    m->model = compile(text, why);
    free(text);
    m->data = m->model ? mj_makeData(m->model) : NULL;
    if (!m->data) {
        if (m->model) snprintf(why->text, sizeof why->text, "MuJoCo cannot allocate it");
        destroy(m);
        return NULL;
    }
    set_velocities(m);
    return m;
}

/* ---- stepping and reading -------------------------------------------------------------------- */

static int step(void *engine, mo_message *why)
{
    mujoco *m = engine;
    mj_step(m->model, m->data);
    static const int full[] = {mjWARN_CONTACTFULL, mjWARN_CNSTRFULL};
    for (int k = 0; k < 2; ++k) {
        if (m->data->warning[full[k]].number > 0) {
            snprintf(why->text, sizeof why->text,
                     "MuJoCo cannot allocate as many contacts as there are");
            return 0;
        }
    }
    static const int bad[] = {mjWARN_BADQPOS, mjWARN_BADQVEL, mjWARN_BADQACC};
    for (int k = 0; k < 3; ++k) { /* it would reset to the initial state */
        if (m->data->warning[bad[k]].number > 0) {
            snprintf(why->text, sizeof why->text, "MuJoCo: the simulation is unstable");
            return 0;
        }
    }
    return 1;
}

/* Poses from the coordinates, which are those of the end of the step; xpos after mj_step is not. */
static void read_motions(void *engine, sim_motion *motions)
{
    const mujoco *m = engine;
    const double *q = m->data->qpos, *v = m->data->qvel;
    for (int k = 0; k < m->scene->body_count; ++k) {
        const sim_body *body = m->scene->body + k;
        if (!body->is_free) continue;
        sim_motion *to = motions + k;
        if (m->scene->dimension == 3) {
            memcpy(to->pose.position, q, sizeof to->pose.position);
            memcpy(to->pose.orientation, q + 3, sizeof to->pose.orientation);
            memcpy(to->velocity, v, sizeof to->velocity);
            mo_pose_vector(&to->pose, v + 3, to->spin);
            q += 7;
            v += 6;
        } else {
            const mo_pose moved = mo_pose_planar(q[0], q[1], q[2]);
            to->pose = mo_pose_compose(&body->pose, &moved);
            mo_pose_vector(&body->pose, (const double[3]){v[0], v[1], 0}, to->velocity);
            to->spin[2] = v[2];
            q += 3;
            v += 3;
        }
    }
}

static int contacts(void *engine, sim_contact *list, int room)
{
    const mujoco *m = engine;
    const int count = m->data->ncon;
    for (int k = 0; k < count && k < room; ++k) {
        const mjContact *from = m->data->contact + k;
        sim_contact to = {.a = m->owner[from->geom1],
                          .b = m->owner[from->geom2],
                          .gap = from->dist,
                          .friction = from->friction[0]};
        mjtNum force[6] = {0};
        mj_contactForce(m->model, m->data, k, force);
        for (int i = 0; i < 3; ++i) {
            to.on_a[i] = to.on_b[i] = from->pos[i];
            to.normal[i] = from->frame[i];
            for (int row = 0; row < 3; ++row)
                to.impulse[i] += m->scene->step * force[row] * from->frame[3 * row + i];
        }
        list[k] = to;
    }
    return count;
}

int main(int argc, char **argv)
{
    const sim_engine engine = {.name = "mujoco",
                               .impulses = "mj_contactForce",
                               .configs = CONFIGS,
                               .create = create,
                               .step = step,
                               .read = read_motions,
                               .contacts = contacts,
                               .destroy = destroy};
    return peer_main(&engine, argc, argv);
}
