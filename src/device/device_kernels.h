/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The list of all kernels, from which each back end generates its table: PLAIN(name, arguments) and
 * SUMMED(name, arguments) with the function mo_kernel_<name>; BLOCKS(name, arguments, threads,
 * blocks at once on a multiprocessor, shared memory, data of a thread) with the functions
 * mo_block_<name>_early, _begin and _part (patch_visit.h).  NARROW is PLAIN with the narrow phase
 * (solid_narrow.h), which nvcc compiles slowly, in a separate file.
 */
#ifndef MO_DEVICE_KERNELS_H
#define MO_DEVICE_KERNELS_H

#include "device/ball_step.h"
#include "device/colour_rounds.h"
#include "device/colour_visit.h"
#include "device/contact_power.h"
#include "device/copy_visit.h"
#include "device/end_visit.h"
#include "device/manifold_visit.h"
#include "device/solid_step.h"

#define MO_KERNEL_LIST(PLAIN, SUMMED, BLOCKS, NARROW)                                              \
    BLOCKS(visit_patch, mo_visit_args, MO_PATCH_THREADS, 4, mo_stage, mo_patch_own)                \
    BLOCKS(apply_patch, mo_visit_args, MO_PATCH_THREADS, 4, mo_stage, mo_patch_own)                \
    BLOCKS(visit_slots, mo_visit_args, MO_PATCH_THREADS, 4, mo_stage, mo_patch_own)                \
    BLOCKS(visit_manifold, mo_visit_args, MO_PATCH_THREADS, 2, mo_no_stage, mo_solid_own)          \
    BLOCKS(end_sweep, mo_end_args, MO_END_THREADS, 1, mo_end_stage, mo_patch_own)                  \
    BLOCKS(solve_copy, mo_copy_args, MO_COPY_THREADS, 4, mo_copy_shared, mo_copy_own)              \
    BLOCKS(solve_small_copy, mo_copy_args, MO_COPY_FEW, 16, mo_copy_shared, mo_copy_own)           \
    SUMMED(copy_open, mo_copy_args)                                                                \
    SUMMED(copy_worst, mo_copy_args)                                                               \
    SUMMED(copy_check, mo_copy_args)                                                               \
    SUMMED(visit_rest, mo_visit_args)                                                              \
    SUMMED(visit_steep_slot, mo_visit_args)                                                        \
    SUMMED(visit_steep_manifold, mo_visit_args)                                                    \
    SUMMED(ask_slot, mo_visit_args)                                                                \
    SUMMED(ask_manifold, mo_visit_args)                                                            \
    SUMMED(exchange, mo_exchange_args)                                                             \
    PLAIN(scale_impulse, mo_scale_args)                                                            \
    PLAIN(scale_state, mo_scale_args)                                                              \
    PLAIN(apply_slot, mo_visit_args)                                                               \
    PLAIN(apply_manifold, mo_visit_args)                                                           \
    PLAIN(apply_rest, mo_visit_args)                                                               \
    PLAIN(extrapolate, mo_state_args)                                                              \
    PLAIN(keep_state, mo_state_args)                                                               \
    PLAIN(colour_ends, mo_colour_args)                                                             \
    PLAIN(colour_starts, mo_colour_args)                                                           \
    PLAIN(colour_order, mo_colour_args)                                                            \
    BLOCKS(colour_round, mo_colour_args, MO_COLOUR_BLOCK, 4, mo_colour_stage, mo_colour_own)       \
    SUMMED(ball_speed, mo_ball_args)                                                               \
    PLAIN(cell_edge, mo_find_args)                                                                 \
    PLAIN(list_speed, mo_find_args)                                                                \
    PLAIN(bucket_keys, mo_bucket_args)                                                             \
    PLAIN(bucket_starts, mo_bucket_args)                                                           \
    PLAIN(ball_gather, mo_ball_args)                                                               \
    PLAIN(fixed_lines, mo_ball_args)                                                               \
    SUMMED(ball_next_speed, mo_ball_args)                                                          \
    PLAIN(find_lists, mo_find_args)                                                                \
    SUMMED(find_count, mo_find_args)                                                               \
    PLAIN(find_fill, mo_find_args)                                                                 \
    PLAIN(slot_keys, mo_slot_args)                                                                 \
    PLAIN(slot_starts, mo_slot_args)                                                               \
    SUMMED(ball_pack, mo_pack_args)                                                                \
    PLAIN(ball_keep, mo_pack_args)                                                                 \
    PLAIN(ball_rows, mo_pack_args)                                                                 \
    SUMMED(ball_kinetic, mo_ball_args)                                                             \
    SUMMED(ball_advance, mo_ball_args)                                                             \
    PLAIN(ball_show, mo_show_args)                                                                 \
    PLAIN(pair_places, mo_touch_args)                                                              \
    PLAIN(pair_work, mo_touch_args)                                                                \
    NARROW(solid_touch, mo_touch_args)                                                             \
    SUMMED(touch_count, mo_touch_args)                                                             \
    PLAIN(solid_ends, mo_solid_args)                                                               \
    SUMMED(solid_count, mo_solid_args)                                                             \
    PLAIN(solid_fill, mo_solid_args)                                                               \
    PLAIN(manifold_count, mo_solid_pack_args)                                                      \
    SUMMED(solid_pack, mo_solid_pack_args)                                                         \
    PLAIN(solid_keep, mo_solid_pack_args)                                                          \
    PLAIN(solid_rows, mo_solid_pack_args)

#define MO_KERNEL_NAME(name, ...) MO_KERNEL_##name,
enum {
    MO_KERNEL_LIST(MO_KERNEL_NAME, MO_KERNEL_NAME, MO_KERNEL_NAME, MO_KERNEL_NAME) MO_KERNEL_COUNT
};

#endif
