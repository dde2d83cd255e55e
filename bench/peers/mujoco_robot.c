/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * MuJoCo: moreau-mujoco-robot FILE STEPS, for `moreau compare`.
 *
 * Starts FILE (MJCF) at its first keyframe, takes STEPS steps with its controls, and prints one
 * line a figure, "name numbers": seconds of processor time of all steps but the first, of the
 * longest of them and of the first, the mean number of contacts, the deepest penetration; and
 * twice, after four fifths of the steps and at the end, the positions of all bodies and q.  The
 * custom number "gravcomp", one a body, is the part of its gravity compensation from outside, which
 * MuJoCo 2.2 does not have itself.  If the default integrator (semi-implicit Euler) is unstable,
 * the run is repeated with the implicit one, and a line says so.
 */
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void give_up(const char *message)
{
    printf("failed %s\n", message);
    exit(0);
}

static void ignore(const char *message)
{
    (void)message;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void put(const char *name, const double *x, int count)
{
    printf("%s", name);
    for (int k = 0; k < count; ++k)
        printf(" %.17g", x[k]);
    printf("\n");
}

static void bear_weight(const mjModel *m, mjData *d)
{
    const int id = mj_name2id(m, mjOBJ_NUMERIC, "gravcomp");
    for (int k = 0; id >= 0 && k < m->nbody && k < m->numeric_size[id]; ++k) {
        for (int c = 0; c < 3; ++c) {
            d->xfrc_applied[6 * k + c] =
                -m->numeric_data[m->numeric_adr[id] + k] * m->body_mass[k] * m->opt.gravity[c];
        }
    }
}

static void put_state(const mjModel *m, const double *positions, const double *q)
{
    put("positions", positions, 3 * m->nbody);
    put("q", q, m->nq);
}

/* Positions of bodies, then q. */
static void keep_state(const mjModel *m, mjData *d, double *out)
{
    mj_kinematics(m, d);
    memcpy(out, d->xpos, 3 * (size_t)m->nbody * sizeof *out);
    memcpy(out + 3 * m->nbody, d->qpos, (size_t)m->nq * sizeof *out);
}

/* From the first keyframe; 0 if the simulation is unstable; then nothing is printed. */
static int run(const mjModel *m, mjData *d, int steps, double *middle)
{
    double sum = 0, longest = 0, first = 0, contacts = 0, depth = 0;
    mj_resetDataKeyframe(m, d, 0);
    bear_weight(m, d);
    for (int k = 0; k < steps; ++k) {
        if (k == steps - steps / 5) keep_state(m, d, middle);
        const double before = seconds();
        mj_step(m, d);
        const double took = seconds() - before;
        first = k == 0 ? took : first;
        sum += k == 0 ? 0 : took;
        longest = k > 0 && took > longest ? took : longest;
        contacts += (double)d->ncon / steps;
        for (int c = 0; c < d->ncon; ++c)
            depth = -d->contact[c].dist > depth ? -d->contact[c].dist : depth;
        if (d->warning[mjWARN_BADQACC].number || d->warning[mjWARN_BADQPOS].number) return 0;
    }
    mj_kinematics(m, d);
    put_state(m, middle, middle + 3 * m->nbody);
    put_state(m, d->xpos, d->qpos);
    put("seconds", &sum, 1);
    put("longest", &longest, 1);
    put("first", &first, 1);
    put("contacts", &contacts, 1);
    put("penetration", &depth, 1);
    return 1;
}

static int run_implicit(mjModel *m, mjData *d, int steps, double *middle)
{
    m->opt.integrator = mjINT_IMPLICIT;
    printf("implicit\n");
    return run(m, d, steps, middle);
}

int main(int argc, char **argv)
{
    char error[300] = "";
    mju_user_error = give_up;
    mju_user_warning = ignore;
    mjModel *model = argc == 3 ? mj_loadXML(argv[1], NULL, error, sizeof error) : NULL;
    mjData *data = model ? mj_makeData(model) : NULL;
    double *middle =
        data ? malloc((3 * (size_t)model->nbody + (size_t)model->nq) * sizeof *middle) : NULL;
    if (!middle) {
        for (char *c = error; *c; ++c)
            *c = *c == '\n' ? ' ' : *c;
        printf("failed MuJoCo: %s\n", error[0] ? error : "the call is FILE STEPS");
        return 0;
    }
    const int steps = atoi(argv[2]);
    printf("version %s\n", mj_versionString());
    if (!run(model, data, steps, middle) && !run_implicit(model, data, steps, middle))
        give_up("MuJoCo: the simulation is unstable");
    free(middle);
    mj_deleteData(data);
    mj_deleteModel(model);
    return 0;
}
