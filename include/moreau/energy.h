/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The energy of a world by kind. */
#ifndef MOREAU_ENERGY_H
#define MOREAU_ENERGY_H

#include "moreau/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Energies of dynamic bodies and links, J. */
typedef struct mo_energy {
    /* m |v|^2 / 2, with v the velocity of the centre of mass */
    double translation;
    /* w . J w / 2, and the energy of joint rotors (armature) */
    double rotation;
    /* - m g . x, zero at the origin, without compensated gravity */
    double gravity;
    /* springs of joints and tendons, but not of actuators */
    double springs;
} mo_energy;

/* The energy of the present state.  translation + rotation is mo_world_kinetic_energy, gravity +
 * springs is mo_world_potential_energy, both to rounding.  All zero for NULL. */
MO_API mo_energy mo_world_energy(const mo_world *world);

#ifdef __cplusplus
}
#endif
#endif
