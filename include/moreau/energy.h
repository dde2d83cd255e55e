/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The energy of a world by kind. */
#ifndef MOREAU_ENERGY_H
#define MOREAU_ENERGY_H

#include "moreau/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* J, of dynamic bodies and links. */
typedef struct mo_energy {
    /* m |v|^2 / 2 of the centres of mass */
    double translation;
    /* w . J w / 2, and the motion of the rotors of joints (armature) */
    double rotation;
    /* - m g . x, zero at the origin; less the weight that is compensated */
    double gravity;
    /* of the springs of joints and tendons; actuators have none */
    double springs;
} mo_energy;

/* At the present state.  translation + rotation is mo_world_kinetic_energy, gravity + springs is
 * mo_world_potential_energy, both to rounding.  All zero for NULL. */
MO_API mo_energy mo_world_energy(const mo_world *world);

#ifdef __cplusplus
}
#endif
#endif
