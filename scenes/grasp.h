/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Objects and manipulators in contact at one instant: the system of [trinkle1997, section 2], with its geometry.
 *
 * Two parts touch with caps: near the contact each surface is a sphere, of radius rho_0 on the first part (or the
 * world) and rho_1 on the second, whose centres c_0, c_1 are fixed in their parts.  The normal n points from c_0
 * to c_1, into the second part, on which r acts.  So the gap, the contact point and the slip are functions of
 * the configuration alone,
 *
 *     gap  = |c_1 - c_0| - rho_0 - rho_1,     slip = v_1 - v_0 at the point of contact,
 *
 * and their rates are exact:
 *
 *     gap'  = n.slip
 *     gap'' = n.(c_1'' - c_0'') + |P (c_1' - c_0')|^2 / (rho_0 + rho_1)      P = I - n n'
 *     slip' = c_1'' - c_0'' - sum over both of rho (alpha x n + omega x n'),   n' = P (c_1' - c_0') / (rho_0 + rho_1)
 *
 * Rows of a contact are (gap'', t.slip', o.slip'): a_n, a_t, a_o of eq. 4.  Their part without qdd is w, the
 * velocity products.
 */
#ifndef SCENES_GRASP_H
#define SCENES_GRASP_H

#include "mechanism.h"
#include "moreau/problem.h"

enum { GRASP_WORLD = -1 };

typedef struct grasp_side {
    int mechanism, part;          /* mechanism = GRASP_WORLD: fixed */
    double cap_centre[3], radius; /* at the reference configuration */
} grasp_side;

typedef struct grasp_contact {
    grasp_side side[2];
    double frame[9];     /* n, t, o at the reference configuration            */
    int slides;          /* in S, else in R                                   */
    double direction[2]; /* of the slip along t and o, where it slides        */
} grasp_contact;

typedef struct grasp {
    int mechanism_count, contact_count, coordinate_count;
    mechanism *mechanisms;
    int *start;         /* of each mechanism in qd */
    double *qd;         /* velocity at the instant, obeying eq. 5 and 6 */
    part_motion *parts; /* all parts of all mechanisms at the instant  */
    int *part_start;
    grasp_contact *contacts;
} grasp;

/* Room for so many, all zero; 0 for lack of memory.  grasp_clear frees it (and a zeroed one). */
int grasp_init(grasp *g, int mechanisms, int contacts);
void grasp_clear(grasp *g);

/* After the mechanisms have been described: numbers the coordinates and makes room for them. */
int grasp_number(grasp *g);

/* Sets `parts` to the reference configuration and the velocity qd. */
void grasp_move(grasp *g);

/* The same for any configuration: parts (as many as g->parts) from q and qd, all mechanisms in a row. */
void grasp_move_to(const grasp *g, const double *q, const double *qd, part_motion *parts);

/* Gap and slip (in world axes) of a contact of those parts. */
void grasp_touch(const grasp *g, const part_motion *parts, const grasp_contact *contact,
                 double *gap, double slip[3]);

/* J (3 x coordinates of the mechanism on that side, the sign included) at the instant; 0 for the world. */
int grasp_jacobian(const grasp *g, const grasp_contact *contact, int side, double *J);

/* w: the rows of a contact at the instant while qdd = 0. */
void grasp_products(const grasp *g, const grasp_contact *contact, double w[3]);

/* The problem, its contacts in order, all with mu: R with the pyramid law (or coulomb), S with the sliding law. */
mo_error grasp_problem(const grasp *g, double mu, int cone, mo_problem **problem, mo_message *why);

#endif
