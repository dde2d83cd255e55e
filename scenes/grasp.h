/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Objects and manipulators in contact at one instant: the system of [trinkle1997, section 2], with
 * its geometry.  Both are mechanisms (moreau/mechanism.h), one body block each: an object is a link
 * with a free joint at its centre of mass, a manipulator a serial chain on a fixed base,
 *     M qdd = f + (what contacts do),   f = applied - bias          (eq. 1, 3)
 *
 * Near a contact each surface is a sphere, of radius rho_0 on the first link (or the world) and
 * rho_1 on the second, with centres c_0, c_1 fixed in their links.  The normal n points from c_0 to
 * c_1, into the second link, on which r acts.  With s = rho_0 + rho_1 and P = I - n n',
 *     gap  = |c_1 - c_0| - s,     slip = v_1 - v_0 at the contact point,     gap'  = n.slip
 *     gap'' = n.(c_1'' - c_0'') + |P (c_1' - c_0')|^2 / s
 *     slip' = c_1'' - c_0'' - sum over both of rho (alpha x n + omega x P (c_1' - c_0') / s)
 *
 * Rows of a contact are (gap'', t.slip', o.slip'): a_n, a_t, a_o of eq. 4.  Their part without qdd
 * is w, the velocity products.
 */
#ifndef SCENES_GRASP_H
#define SCENES_GRASP_H

#include "moreau/mechanism.h"
#include "moreau/problem.h"

enum { GRASP_WORLD = -1, GRASP_JOINTS_MOST = 8, GRASP_COORDINATES_MOST = 8 };

typedef struct grasp_side {
    int mechanism, link;          /* mechanism = GRASP_WORLD: fixed */
    double cap_centre[3], radius; /* in the link's frame */
} grasp_side;

typedef struct grasp_contact {
    grasp_side side[2];
    double frame[9];     /* n, t, o at the instant */
    int slides;          /* in S, else in R */
    double direction[2]; /* of the slip along t and o, where it slides */
} grasp_contact;

typedef struct grasp {
    mo_world *world;
    int mechanism_count, contact_count, coordinate_count;
    mo_mechanism_id *mechanisms;
    int *start; /* of each mechanism in what follows */
    double *qd; /* velocity at the instant, obeying eq. 5 and 6 */
    double *applied;
    grasp_contact *contacts;
} grasp;

/* A world with gravity and room for this many; grasp_clear frees it (and a zeroed one). */
mo_error grasp_init(grasp *g, int mechanisms, int coordinates, int contacts, mo_message *why);
void grasp_clear(grasp *g);

/* The next mechanism. */
mo_error grasp_add(grasp *g, const mo_mechanism_def *def, mo_message *why);
int grasp_coordinates(const grasp *g, int mechanism);
/* A link, as a body of the world. */
mo_body_state grasp_link(const grasp *g, int mechanism, int link);

/* Gives the world the velocity qd, at the configuration in which it is. */
mo_error grasp_move(grasp *g, mo_message *why);

/* Gap and slip (in world axes) of a contact. */
void grasp_touch(const grasp *g, const grasp_contact *contact, double *gap, double slip[3]);

/* J (3 x coordinates of the mechanism on that side, the sign included) along the contact's frame; 0
 * for the world. */
int grasp_jacobian(const grasp *g, const grasp_contact *contact, int side, double *J);

/* w: the rows of a contact while qdd = 0. */
void grasp_products(const grasp *g, const grasp_contact *contact, double w[3]);

/* The problem, its contacts in order, all with mu: R with the pyramid law (or coulomb), S with the
 * sliding law. */
mo_error grasp_problem(const grasp *g, double mu, int cone, mo_problem **problem, mo_message *why);

#endif
