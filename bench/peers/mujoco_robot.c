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
 * MuJoCo 2.2 does not have itself.
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
    for (int k = 0; k < count; ++k) {
        printf(" %.17g", x[k]);
    }
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

static void put_state(const mjModel *m, mjData *d)
{
    mj_kinematics(m, d);
    put("positions", d->xpos, 3 * m->nbody);
    put("q", d->qpos, m->nq);
}

static void run(const mjModel *m, mjData *d, int steps)
{
    double sum = 0, longest = 0, first = 0, contacts = 0, depth = 0;
    for (int k = 0; k < steps; ++k) {
        if (k == steps - steps / 5) {
            put_state(m, d);
        }
        const double before = seconds();
        mj_step(m, d);
        const double took = seconds() - before;
        first = k == 0 ? took : first;
        sum += k == 0 ? 0 : took;
        longest = k > 0 && took > longest ? took : longest;
        contacts += (double)d->ncon / steps;
        for (int c = 0; c < d->ncon; ++c) {
            depth = -d->contact[c].dist > depth ? -d->contact[c].dist : depth;
        }
        if (d->warning[mjWARN_BADQACC].number || d->warning[mjWARN_BADQPOS].number) {
            give_up("MuJoCo: the simulation is unstable");
        }
    }
    put_state(m, d);
    put("seconds", &sum, 1);
    put("longest", &longest, 1);
    put("first", &first, 1);
    put("contacts", &contacts, 1);
    put("penetration", &depth, 1);
}

int main(int argc, char **argv)
{
    char error[300] = "";
    mju_user_error = give_up;
    mju_user_warning = ignore;
    mjModel *model = argc == 3 ? mj_loadXML(argv[1], NULL, error, sizeof error) : NULL;
    mjData *data = model ? mj_makeData(model) : NULL;
    if (!data) {
        for (char *c = error; *c; ++c) {
            *c = *c == '\n' ? ' ' : *c;
        }
        printf("failed MuJoCo: %s\n", error[0] ? error : "the call is FILE STEPS");
        return 0;
    }
    mj_resetDataKeyframe(model, data, 0);
    bear_weight(model, data);
    printf("version %s\n", mj_versionString());
    run(model, data, atoi(argv[2]));
    mj_deleteData(data);
    mj_deleteModel(model);
    return 0;
}
