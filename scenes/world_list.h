/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The builders that worlds.c lists; the values of each come in the order of its parameters there.
 */
#ifndef SCENES_WORLD_LIST_H
#define SCENES_WORLD_LIST_H

#include "worlds.h"

/* world_single.c */
world_build_fn world_incline, world_slip_to_roll, world_painleve, world_cradle, world_billiard,
    world_spinning_coin;
/* world_stacks.c */
world_build_fn world_stack, world_wall, world_kapla, world_arch, world_domino, world_cascade;
/* world_grains.c */
world_build_fn world_cannonball, world_brazil_nut, world_beads, world_heap, world_funnel,
    world_drum;
/* world_baraff.c */
world_build_fn world_blockfeeder, world_jack;
/* world_mechanisms.c */
world_build_fn world_chain, world_slider_crank, world_gripper;

#endif
