/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Writes moreau/_layout.py: where the fields of the library's structs are, as the compiler has
 * them, so that the Python module cannot drift from the headers.  A field that is not listed is
 * padding there.
 *
 * Codes: d double, i int, u unsigned, l long long or size_t, p pointer, s text, or the name of a
 * struct; arrays are known by their size.
 */
#include <stddef.h>
#include <stdio.h>

#include "moreau/moreau.h"

#define STRUCT(type) printf("    ]),\n    '%s': (%zu, [\n", #type, sizeof(type))
#define FIELD(type, field, code)                                                                   \
    printf("        ('%s', %zu, %zu, '%s'),\n", #field, offsetof(type, field),                     \
           sizeof(((type *)0)->field), code)

static void base(void)
{
    STRUCT(mo_message);
    STRUCT(mo_options);
    FIELD(mo_options, method, "s");
    FIELD(mo_options, start, "p");
    STRUCT(mo_worst);
    FIELD(mo_worst, value, "d");
    FIELD(mo_worst, constraint, "i");
    STRUCT(mo_residual);
    FIELD(mo_residual, natural, "d");
    FIELD(mo_residual, natural_relative, "d");
    FIELD(mo_residual, q_norm, "d");
    FIELD(mo_residual, block, "mo_worst");
    FIELD(mo_residual, penetration_rate, "mo_worst");
    FIELD(mo_residual, cone_violation, "mo_worst");
    FIELD(mo_residual, dissipation, "mo_worst");
}

static void problems(void)
{
    STRUCT(mo_law);
    FIELD(mo_law, kind, "i");
    FIELD(mo_law, mu, "d");
    FIELD(mo_law, mu_rolling, "d");
    FIELD(mo_law, mu_torsion, "d");
    FIELD(mo_law, lower, "p");
    FIELD(mo_law, upper, "p");
    FIELD(mo_law, compliance, "p");
    FIELD(mo_law, facets, "i");
    FIELD(mo_law, direction, "p");
    STRUCT(mo_result);
    FIELD(mo_result, status, "i");
    FIELD(mo_result, method, "s");
    FIELD(mo_result, dof_count, "i");
    FIELD(mo_result, row_count, "i");
    FIELD(mo_result, v, "p");
    FIELD(mo_result, u, "p");
    FIELD(mo_result, r, "p");
    FIELD(mo_result, residual, "mo_residual");
    FIELD(mo_result, iterations, "i");
    FIELD(mo_result, seconds, "d");
    FIELD(mo_result, message, "mo_message");
    STRUCT(mo_point);
    FIELD(mo_point, v, "p");
    FIELD(mo_point, u, "p");
    FIELD(mo_point, r, "p");
    STRUCT(mo_document);
    FIELD(mo_document, problem, "p");
    FIELD(mo_document, title, "s");
    FIELD(mo_document, solution, "mo_point");
    STRUCT(mo_body_view);
    FIELD(mo_body_view, dim, "i");
    FIELD(mo_body_view, offset, "i");
    FIELD(mo_body_view, M, "p");
    FIELD(mo_body_view, f, "p");
    STRUCT(mo_constraint_view);
    FIELD(mo_constraint_view, dim, "i");
    FIELD(mo_constraint_view, offset, "i");
    FIELD(mo_constraint_view, law, "mo_law");
    FIELD(mo_constraint_view, w, "p");
    FIELD(mo_constraint_view, block_count, "i");
    STRUCT(mo_block_view);
    FIELD(mo_block_view, index, "i");
    FIELD(mo_block_view, values, "p");
}

static void judgements(void)
{
    STRUCT(mo_found_solution);
    FIELD(mo_found_solution, v, "p");
    FIELD(mo_found_solution, u, "p");
    FIELD(mo_found_solution, r, "p");
    FIELD(mo_found_solution, is_proven, "i");
    FIELD(mo_found_solution, dimension, "i");
    STRUCT(mo_solution_set);
    FIELD(mo_solution_set, count, "i");
    FIELD(mo_solution_set, solutions, "p");
    STRUCT(mo_check_result);
    FIELD(mo_check_result, verdict, "i");
    FIELD(mo_check_result, message, "mo_message");
    FIELD(mo_check_result, set, "mo_solution_set");
    STRUCT(mo_judgement);
    FIELD(mo_judgement, holds, "i");
    STRUCT(mo_gradient_info);
    FIELD(mo_gradient_info, status, "i");
    FIELD(mo_gradient_info, edge_count, "i");
    FIELD(mo_gradient_info, loose_count, "i");
    STRUCT(mo_data_vector);
    FIELD(mo_data_vector, f, "p");
    FIELD(mo_data_vector, w, "p");
    FIELD(mo_data_vector, mu, "p");
    FIELD(mo_data_vector, mu_moment, "p");
    STRUCT(mo_solution_vector);
    FIELD(mo_solution_vector, v, "p");
    FIELD(mo_solution_vector, u, "p");
    FIELD(mo_solution_vector, r, "p");
}

static void shapes(void)
{
    STRUCT(mo_pose);
    FIELD(mo_pose, position, "d");
    FIELD(mo_pose, orientation, "d");
    STRUCT(mo_material);
    FIELD(mo_material, friction, "d");
    FIELD(mo_material, restitution, "d");
    FIELD(mo_material, rolling, "d");
    FIELD(mo_material, torsion, "d");
    STRUCT(mo_shape_def);
    FIELD(mo_shape_def, kind, "i");
    FIELD(mo_shape_def, pose, "mo_pose");
    FIELD(mo_shape_def, radius, "d");
    FIELD(mo_shape_def, half, "d");
    FIELD(mo_shape_def, ends, "d");
    FIELD(mo_shape_def, points, "p");
    FIELD(mo_shape_def, point_count, "i");
    FIELD(mo_shape_def, indices, "p");
    FIELD(mo_shape_def, index_count, "i");
    FIELD(mo_shape_def, material, "mo_material");
    FIELD(mo_shape_def, density, "d");
    FIELD(mo_shape_def, layer, "u");
    FIELD(mo_shape_def, mask, "u");
    FIELD(mo_shape_def, colour, "d");
}

#define ID(type)                                                                                   \
    STRUCT(type);                                                                                  \
    FIELD(type, index, "i");                                                                       \
    FIELD(type, generation, "u")

static void worlds(void)
{
    ID(mo_body_id);
    ID(mo_shape_id);
    ID(mo_joint_id);
    STRUCT(mo_world_def);
    FIELD(mo_world_def, dimension, "i");
    FIELD(mo_world_def, gravity, "d");
    FIELD(mo_world_def, margin, "d");
    FIELD(mo_world_def, projection, "i");
    FIELD(mo_world_def, sleeping, "i");
    FIELD(mo_world_def, restitution_speed, "d");
    FIELD(mo_world_def, solver, "mo_options");
    STRUCT(mo_body_def);
    FIELD(mo_body_def, kind, "i");
    FIELD(mo_body_def, pose, "mo_pose");
    FIELD(mo_body_def, velocity, "d");
    FIELD(mo_body_def, spin, "d");
    FIELD(mo_body_def, mass, "d");
    FIELD(mo_body_def, inertia, "d");
    FIELD(mo_body_def, centre, "d");
    FIELD(mo_body_def, linear_damping, "d");
    FIELD(mo_body_def, angular_damping, "d");
    FIELD(mo_body_def, name, "s");
    STRUCT(mo_body_state);
    FIELD(mo_body_state, kind, "i");
    FIELD(mo_body_state, pose, "mo_pose");
    FIELD(mo_body_state, velocity, "d");
    FIELD(mo_body_state, spin, "d");
    FIELD(mo_body_state, mass, "d");
    FIELD(mo_body_state, centre, "d");
    FIELD(mo_body_state, is_asleep, "i");
    FIELD(mo_body_state, name, "s");
    STRUCT(mo_step_report);
    FIELD(mo_step_report, contacts, "i");
    FIELD(mo_step_report, joints, "i");
    FIELD(mo_step_report, bodies, "i");
    FIELD(mo_step_report, islands, "i");
    FIELD(mo_step_report, status, "i");
    FIELD(mo_step_report, residual, "mo_residual");
    FIELD(mo_step_report, iterations, "i");
    FIELD(mo_step_report, penetration, "d");
    FIELD(mo_step_report, kinetic_energy, "d");
    FIELD(mo_step_report, potential_energy, "d");
    FIELD(mo_step_report, message, "mo_message");
    STRUCT(mo_contact);
    FIELD(mo_contact, a, "mo_body_id");
    FIELD(mo_contact, b, "mo_body_id");
    FIELD(mo_contact, id, "l");
    FIELD(mo_contact, point, "d");
    FIELD(mo_contact, normal, "d");
    FIELD(mo_contact, gap, "d");
    FIELD(mo_contact, impulse, "d");
    FIELD(mo_contact, moment, "d");
    FIELD(mo_contact, velocity, "d");
    FIELD(mo_contact, mu, "d");
    FIELD(mo_contact, mode, "i");
}

static void models(void)
{
    ID(mo_mechanism_id);
    STRUCT(mo_model_body);
    FIELD(mo_model_body, name, "s");
    FIELD(mo_model_body, parent, "i");
    FIELD(mo_model_body, joint_count, "i");
    FIELD(mo_model_body, mass, "d");
    STRUCT(mo_model_joint);
    FIELD(mo_model_joint, name, "s");
    FIELD(mo_model_joint, kind, "i");
    FIELD(mo_model_joint, body, "i");
    FIELD(mo_model_joint, first_q, "i");
    FIELD(mo_model_joint, first_v, "i");
    FIELD(mo_model_joint, has_limits, "i");
    FIELD(mo_model_joint, range, "d");
    STRUCT(mo_model_actuator);
    FIELD(mo_model_actuator, name, "s");
    FIELD(mo_model_actuator, kind, "i");
    FIELD(mo_model_actuator, joint, "i");
    STRUCT(mo_model_key);
    FIELD(mo_model_key, name, "s");
    FIELD(mo_model_key, q, "p");
    FIELD(mo_model_key, v, "p");
    FIELD(mo_model_key, control, "p");
    STRUCT(mo_model_note);
    FIELD(mo_model_note, line, "i");
    FIELD(mo_model_note, text, "s");
    STRUCT(mo_model);
    FIELD(mo_model, name, "s");
    FIELD(mo_model, format, "s");
    FIELD(mo_model, step, "d");
    FIELD(mo_model, gravity, "d");
    FIELD(mo_model, bodies, "p");
    FIELD(mo_model, joints, "p");
    FIELD(mo_model, actuators, "p");
    FIELD(mo_model, keys, "p");
    FIELD(mo_model, notes, "p");
    FIELD(mo_model, body_count, "i");
    FIELD(mo_model, joint_count, "i");
    FIELD(mo_model, actuator_count, "i");
    FIELD(mo_model, key_count, "i");
    FIELD(mo_model, note_count, "i");
    FIELD(mo_model, q_count, "i");
    FIELD(mo_model, v_count, "i");
    STRUCT(mo_mechanism_info);
    FIELD(mo_mechanism_info, link_count, "i");
    FIELD(mo_mechanism_info, joint_count, "i");
    FIELD(mo_mechanism_info, actuator_count, "i");
    FIELD(mo_mechanism_info, q_count, "i");
    FIELD(mo_mechanism_info, v_count, "i");
    STRUCT(mo_actuator_state);
    FIELD(mo_actuator_state, name, "s");
    FIELD(mo_actuator_state, target, "d");
    FIELD(mo_actuator_state, length, "d");
    FIELD(mo_actuator_state, speed, "d");
    FIELD(mo_actuator_state, effort, "d");
    FIELD(mo_actuator_state, is_saturated, "i");
}

#define WRENCH(type)                                                                               \
    FIELD(type, point, "d");                                                                       \
    FIELD(type, force, "d");                                                                       \
    FIELD(type, moment, "d")

static void force_rows(void)
{
    STRUCT(mo_contact_force);
    FIELD(mo_contact_force, a, "mo_body_id");
    FIELD(mo_contact_force, b, "mo_body_id");
    WRENCH(mo_contact_force);
    FIELD(mo_contact_force, normal, "d");
    FIELD(mo_contact_force, gap, "d");
    FIELD(mo_contact_force, mu, "d");
    FIELD(mo_contact_force, velocity, "d");
    FIELD(mo_contact_force, acceleration, "d");
    FIELD(mo_contact_force, is_sliding, "i");
    FIELD(mo_contact_force, transition, "i");
    STRUCT(mo_joint_force);
    FIELD(mo_joint_force, joint, "mo_joint_id");
    FIELD(mo_joint_force, a, "mo_body_id");
    FIELD(mo_joint_force, b, "mo_body_id");
    WRENCH(mo_joint_force);
    FIELD(mo_joint_force, limit, "d");
    FIELD(mo_joint_force, friction, "d");
    FIELD(mo_joint_force, drive, "d");
    STRUCT(mo_link_force);
    FIELD(mo_link_force, link, "mo_body_id");
    FIELD(mo_link_force, parent, "mo_body_id");
    WRENCH(mo_link_force);
    STRUCT(mo_axis_force);
    FIELD(mo_axis_force, mechanism, "mo_mechanism_id");
    FIELD(mo_axis_force, joint, "i");
    FIELD(mo_axis_force, v_count, "i");
    FIELD(mo_axis_force, actuator, "d");
    FIELD(mo_axis_force, passive, "d");
    FIELD(mo_axis_force, applied, "d");
    FIELD(mo_axis_force, friction, "d");
    FIELD(mo_axis_force, limit, "d");
    FIELD(mo_axis_force, tendon, "d");
    FIELD(mo_axis_force, coupling, "d");
    FIELD(mo_axis_force, known, "d");
    FIELD(mo_axis_force, effort, "d");
}

static void forces(void)
{
    STRUCT(mo_known_acceleration);
    FIELD(mo_known_acceleration, mechanism, "mo_mechanism_id");
    FIELD(mo_known_acceleration, velocity, "i");
    FIELD(mo_known_acceleration, acceleration, "d");
    STRUCT(mo_force_options);
    FIELD(mo_force_options, friction, "i");
    FIELD(mo_force_options, solver, "mo_options");
    FIELD(mo_force_options, gap, "d");
    FIELD(mo_force_options, speed, "d");
    FIELD(mo_force_options, softness, "d");
    FIELD(mo_force_options, known, "p");
    FIELD(mo_force_options, known_count, "i");
    STRUCT(mo_forces);
    FIELD(mo_forces, status, "i");
    FIELD(mo_forces, residual, "mo_residual");
    FIELD(mo_forces, method, "s");
    FIELD(mo_forces, iterations, "i");
    FIELD(mo_forces, message, "mo_message");
    FIELD(mo_forces, is_impulsive, "i");
    FIELD(mo_forces, rolling, "i");
    FIELD(mo_forces, sliding, "i");
    FIELD(mo_forces, impacts, "i");
    FIELD(mo_forces, contacts, "p");
    FIELD(mo_forces, contact_count, "i");
    FIELD(mo_forces, accelerations, "p");
    FIELD(mo_forces, body_count, "i");
    FIELD(mo_forces, joint_accelerations, "p");
    FIELD(mo_forces, joint_acceleration_count, "i");
    FIELD(mo_forces, known_efforts, "p");
    FIELD(mo_forces, known_count, "i");
    FIELD(mo_forces, joints, "p");
    FIELD(mo_forces, joint_count, "i");
    FIELD(mo_forces, links, "p");
    FIELD(mo_forces, link_count, "i");
    FIELD(mo_forces, axes, "p");
    FIELD(mo_forces, axis_count, "i");
    FIELD(mo_forces, actuator_efforts, "p");
    FIELD(mo_forces, actuator_count, "i");
    FIELD(mo_forces, is_moving, "p");
    FIELD(mo_forces, moving, "i");
}

int main(void)
{
    printf("# Written by layout.c when the library was built.\nVERSION = '%d.%d.%d'\nSTRUCTS = {\n"
           "    'nothing': (0, [\n",
           MO_VERSION_MAJOR, MO_VERSION_MINOR, MO_VERSION_PATCH);
    base();
    problems();
    judgements();
    shapes();
    worlds();
    models();
    force_rows();
    forces();
    printf("    ]),\n}\n");
    return 0;
}
