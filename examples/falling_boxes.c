/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include <moreau/moreau.h>
#include <stdio.h>

int main(void)
{
    const mo_shape_def ground = mo_shape_plane(), box = mo_shape_box(0.1, 0.1, 0.1); /* m */
    double load[4] = {0}; /* N: the normal forces on the ground and on top of each box */
    mo_step_report report = {0};
    mo_message why = {{0}};
    mo_world *world;
    int good = !mo_world_create(NULL, NULL, &world, &why) &&
               mo_world_add_solid(world, MO_BODY_FIXED, &ground, NULL, &why).index;
    for (int k = 0; k < 3 && good; ++k) {
        const mo_pose pose = mo_pose_at(1, 1, 0.2 + 0.3 * k);
        good = mo_world_add_solid(world, MO_BODY_FREE, &box, &pose, &why).index;
    }
    for (int step = 0; step < 200 && good; ++step) /* of 0.01 s */
        good = !mo_world_step(world, 0.01, &report, &why) && report.status == MO_SOLVED;
    for (int k = 0; good && k < mo_world_contact_count(world); ++k) {
        const mo_contact contact = mo_world_contact(world, k);
        load[contact.a.index - 1] += contact.impulse[2] / 0.01;
    }
    for (int k = 0; k < 4 && good; ++k) {
        const mo_body_state body = mo_body_get(world, mo_world_body(world, k));
        const double *x = body.pose.position;
        printf("body %d at (%.3f, %.3f, %.3f) carries %.2f N\n", k, x[0], x[1], x[2], load[k]);
    }
    fprintf(stderr, "%s%s", why.text, report.message.text); /* empty, where all went well */
    mo_world_destroy(world);
    return good ? 0 : 1;
}
