/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The system of objects and manipulators: its world, contact kinematics, and the problem it makes.
 */
#include "grasp.h"

#include <stdlib.h>

#include "rigid.h"
#include "scenes.h"
#include "vec3.h"

/* ---- the world ------------------------------------------------------------------------------- */

mo_error grasp_init(grasp *g, int mechanisms, int coordinates, int contacts, mo_message *why)
{
    mo_world_def def = mo_default_world();
    def.gravity[0] = def.gravity[1] = 0;
    def.gravity[2] = -SCENE_GRAVITY;
    *g = (grasp){.contact_count = contacts};
    g->mechanisms = calloc((size_t)mechanisms + 1, sizeof *g->mechanisms);
    g->start = calloc((size_t)mechanisms + 1, sizeof *g->start);
    g->qd = calloc((size_t)coordinates + 1, sizeof *g->qd);
    g->applied = calloc((size_t)coordinates + 1, sizeof *g->applied);
    g->contacts = calloc((size_t)contacts + 1, sizeof *g->contacts);
    return g->mechanisms && g->start && g->qd && g->applied && g->contacts
               ? mo_world_create(&def, NULL, &g->world, why)
               : scene_fail(why, MO_ERR_MEMORY, "%s", mo_error_text(MO_ERR_MEMORY));
}

void grasp_clear(grasp *g)
{
    mo_world_destroy(g->world);
    free(g->mechanisms);
    free(g->start);
    free(g->qd);
    free(g->applied);
    free(g->contacts);
    *g = (grasp){0};
}

mo_error grasp_add(grasp *g, const mo_mechanism_def *def, mo_message *why)
{
    mo_message own = {""};
    const mo_mechanism_id id = mo_world_add_mechanism(g->world, def, &own);
    if (!id.index) return scene_fail(why, MO_ERR_MEMORY, "%s", own.text);
    g->mechanisms[g->mechanism_count++] = id;
    g->coordinate_count += mo_mechanism_get(g->world, id).v_count;
    g->start[g->mechanism_count] = g->coordinate_count;
    return MO_OK;
}

int grasp_coordinates(const grasp *g, int mechanism)
{
    return g->start[mechanism + 1] - g->start[mechanism];
}

mo_body_state grasp_link(const grasp *g, int mechanism, int link)
{
    return mo_body_get(g->world, mo_mechanism_link(g->world, g->mechanisms[mechanism], link));
}

mo_error grasp_move(grasp *g, mo_message *why)
{
    mo_error error = MO_OK;
    for (int b = 0; b < g->mechanism_count && !error; ++b)
        error = mo_mechanism_set(g->world, g->mechanisms[b], NULL, g->qd + g->start[b], why);
    return error;
}

/* ---- contact kinematics ---------------------------------------------------------------------- */

/* The centre of a cap: its place, velocity and, while qdd = 0, acceleration; and how its link
 * turns. */
typedef struct cap_motion {
    double c[3], v[3], omega[3];
    double a[6]; /* the centre's, and that of the spin */
} cap_motion;

static void move_cap(const grasp *g, const grasp_side *side, cap_motion *cap)
{
    *cap = (cap_motion){0};
    if (side->mechanism == GRASP_WORLD) {
        memcpy(cap->c, side->cap_centre, sizeof cap->c);
        return;
    }
    const mo_body_state link = grasp_link(g, side->mechanism, side->link);
    double arm[3];
    mo_pose_point(&link.pose, side->cap_centre, cap->c);
    vec3_along(cap->c, -1, link.centre, arm);
    memcpy(cap->v, link.velocity, sizeof cap->v);
    memcpy(cap->omega, link.spin, sizeof cap->omega);
    vec3_add_cross(1, cap->omega, arm, cap->v);
    mo_mechanism_drift(g->world, g->mechanisms[side->mechanism], side->link, cap->c, cap->a, NULL);
}

/* Both caps, the normal between them, the distance of their centres and n'. */
typedef struct touch_motion {
    cap_motion cap[2];
    double n[3], distance, n_rate[3], crossing[3]; /* crossing: P (c_1' - c_0') */
} touch_motion;

static void move_touch(const grasp *g, const grasp_contact *contact, touch_motion *touch)
{
    double apart[3];
    move_cap(g, &contact->side[0], &touch->cap[0]);
    move_cap(g, &contact->side[1], &touch->cap[1]);
    vec3_along(touch->cap[1].c, -1, touch->cap[0].c, touch->n);
    touch->distance = sqrt(vec3_dot(touch->n, touch->n));
    vec3_normalise(touch->n);
    vec3_along(touch->cap[1].v, -1, touch->cap[0].v, apart);
    vec3_along(apart, -vec3_dot(touch->n, apart), touch->n, touch->crossing);
    for (int k = 0; k < 3; ++k)
        touch->n_rate[k] = touch->crossing[k] / touch->distance;
}

/* The point of contact lies at +rho_0 n from the first centre, at -rho_1 n from the second. */
void grasp_touch(const grasp *g, const grasp_contact *contact, double *gap, double slip[3])
{
    const double rho[2] = {contact->side[0].radius, contact->side[1].radius};
    touch_motion touch;
    move_touch(g, contact, &touch);
    *gap = touch.distance - rho[0] - rho[1];
    vec3_along(touch.cap[1].v, -1, touch.cap[0].v, slip);
    vec3_add_cross(-rho[1], touch.cap[1].omega, touch.n, slip);
    vec3_add_cross(-rho[0], touch.cap[0].omega, touch.n, slip);
}

void grasp_products(const grasp *g, const grasp_contact *contact, double w[3])
{
    touch_motion touch;
    double rate[3]; /* slip' while qdd = 0 */
    move_touch(g, contact, &touch);
    vec3_along(touch.cap[1].a, -1, touch.cap[0].a, rate);
    w[0] = vec3_dot(touch.n, rate) + vec3_dot(touch.crossing, touch.crossing) / touch.distance;
    for (int side = 0; side < 2; ++side) {
        const double rho = contact->side[side].radius;
        vec3_add_cross(-rho, touch.cap[side].a + 3, touch.n, rate);
        vec3_add_cross(-rho, touch.cap[side].omega, touch.n_rate, rate);
    }
    w[1] = vec3_dot(contact->frame + 3, rate);
    w[2] = vec3_dot(contact->frame + 6, rate);
}

int grasp_jacobian(const grasp *g, const grasp_contact *contact, int side, double *J)
{
    const grasp_side *of = &contact->side[side];
    if (of->mechanism == GRASP_WORLD) return 0;
    const mo_body_state link = grasp_link(g, of->mechanism, of->link);
    const int n = grasp_coordinates(g, of->mechanism);
    const double sign = side ? 1 : -1; /* the cap's centre lies on this side of the contact */
    double point[3], of_point[6 * GRASP_COORDINATES_MOST];
    mo_pose_point(&link.pose, of->cap_centre, point);
    vec3_along(point, -sign * of->radius, contact->frame, point);
    mo_mechanism_jacobian(g->world, g->mechanisms[of->mechanism], of->link, point, of_point, NULL);
    for (int i = 0; i < 3; ++i) {
        const double *axis = contact->frame + 3 * i;
        for (int j = 0; j < n; ++j) {
            J[n * i + j] = sign * (axis[0] * of_point[j] + axis[1] * of_point[n + j] +
                                   axis[2] * of_point[2 * n + j]);
        }
    }
    return n;
}

/* ---- the problem ----------------------------------------------------------------------------- */

static void add_contact(mo_builder *builder, const grasp *g, const grasp_contact *contact,
                        double mu, int cone)
{
    const mo_law law = contact->slides ? mo_law_sliding(mu, contact->direction)
                       : cone          ? mo_law_coulomb(mu)
                                       : mo_law_pyramid(mu);
    double w[3], J[3 * GRASP_COORDINATES_MOST];
    grasp_products(g, contact, w);
    const int constraint = mo_builder_add_constraint(builder, 3, &law, w);
    for (int side = 0; side < 2; ++side) {
        const int n = grasp_jacobian(g, contact, side, J);
        if (n) mo_builder_add_jacobian(builder, constraint, contact->side[side].mechanism, 3, n, J);
    }
}

static void add_mechanism(mo_builder *builder, const grasp *g, int b)
{
    double M[GRASP_COORDINATES_MOST * GRASP_COORDINATES_MOST], f[GRASP_COORDINATES_MOST];
    const int n = grasp_coordinates(g, b);
    mo_mechanism_mass_matrix(g->world, g->mechanisms[b], M, NULL);
    mo_mechanism_bias(g->world, g->mechanisms[b], f, NULL);
    for (int k = 0; k < n; ++k)
        f[k] = g->applied[g->start[b] + k] - f[k];
    mo_builder_add_body(builder, n, M, f);
}

mo_error grasp_problem(const grasp *g, double mu, int cone, mo_problem **problem, mo_message *why)
{
    mo_builder *builder;
    *problem = NULL;
    mo_error error = mo_builder_create(NULL, &builder);
    if (error) return scene_fail(why, error, "%s", mo_error_text(error));
    for (int b = 0; b < g->mechanism_count; ++b)
        add_mechanism(builder, g, b);
    for (int i = 0; i < g->contact_count; ++i)
        add_contact(builder, g, &g->contacts[i], mu, cone);
    error = mo_builder_finish(builder, problem, why);
    mo_builder_destroy(builder);
    return error;
}
