/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* The columns of a recording file.  Each is one row of the table. */
#include "io/recording.h"

#define WHOLE(type, name, member, width, least, most)                                              \
    {                                                                                              \
        name, true, width, offsetof(type, member), MO_COLUMN_ANY, least, most, false               \
    }
#define DOUBLES(type, name, member, width, range, may_lack)                                        \
    {                                                                                              \
        name, false, width, offsetof(type, member), range, 0, 0, may_lack                          \
    }
#define REAL(...) DOUBLES(__VA_ARGS__, false)
#define LATER_REAL(...) DOUBLES(__VA_ARGS__, true)

_Static_assert(sizeof(mo_body_kind) == sizeof(int) && sizeof(mo_status) == sizeof(int) &&
                   sizeof(mo_contact_mode) == sizeof(int) && sizeof(mo_joint_kind) == sizeof(int) &&
                   sizeof(mo_shape_kind) == sizeof(int) && sizeof(unsigned) == sizeof(int),
               "integers of a column are ints");
_Static_assert(sizeof(mo_pose) == 7 * sizeof(double) &&
                   offsetof(mo_material, torsion) == 3 * sizeof(double),
               "a pose, and the beginning of a material, are doubles alone");
_Static_assert(offsetof(mo_shape_def, roughness) ==
                   offsetof(mo_shape_def, metallic) + sizeof(double),
               "the two numbers of a finish lie together");

static const mo_column BODIES[] = {
    WHOLE(mo_recorded_body, "kind", kind, 1, 0, MO_BODY_LINK),
    REAL(mo_recorded_body, "mass", mass, 1, MO_COLUMN_NOT_NEGATIVE),
};

static const mo_column SHAPES[] = {
    WHOLE(mo_recorded_shape, "body", body, 1, 0, MO_COLUMN_BODY),
    WHOLE(mo_recorded_shape, "kind", def.kind, 1, 0, MO_SHAPE_KIND_COUNT - 1),
    REAL(mo_recorded_shape, "pose", def.pose, 7, MO_COLUMN_ANY),
    REAL(mo_recorded_shape, "radius", def.radius, 1, MO_COLUMN_ANY),
    REAL(mo_recorded_shape, "half", def.half, 3, MO_COLUMN_ANY),
    REAL(mo_recorded_shape, "ends", def.ends, 6, MO_COLUMN_ANY),
    REAL(mo_recorded_shape, "material", def.material, 4, MO_COLUMN_NOT_NEGATIVE),
    REAL(mo_recorded_shape, "density", def.density, 1, MO_COLUMN_NOT_NEGATIVE),
    WHOLE(mo_recorded_shape, "layer", def.layer, 1, INT_MIN, INT_MAX),
    WHOLE(mo_recorded_shape, "mask", def.mask, 1, INT_MIN, INT_MAX),
    WHOLE(mo_recorded_shape, "point_count", def.point_count, 1, 0, INT_MAX),
    WHOLE(mo_recorded_shape, "index_count", def.index_count, 1, 0, INT_MAX),
    LATER_REAL(mo_recorded_shape, "colour", def.colour, 4, MO_COLUMN_NOT_NEGATIVE),
    LATER_REAL(mo_recorded_shape, "finish", def.metallic, 2, MO_COLUMN_NOT_NEGATIVE),
};

static const mo_column JOINTS[] = {
    WHOLE(mo_recorded_joint, "kind", kind, 1, 0, MO_JOINT_KIND_COUNT - 1),
    WHOLE(mo_recorded_joint, "a", a, 1, -1, MO_COLUMN_BODY),
    WHOLE(mo_recorded_joint, "b", b, 1, -1, MO_COLUMN_BODY),
    REAL(mo_recorded_joint, "anchor_a", anchor[0], 3, MO_COLUMN_ANY),
    REAL(mo_recorded_joint, "anchor_b", anchor[1], 3, MO_COLUMN_ANY),
    REAL(mo_recorded_joint, "axis", axis, 3, MO_COLUMN_ANY),
};

static const mo_column FRAMES[] = {
    REAL(mo_recorded_frame, "time", time, 1, MO_COLUMN_ANY),
    REAL(mo_recorded_frame, "step", step, 1, MO_COLUMN_NOT_NEGATIVE),
    REAL(mo_recorded_frame, "kinetic_energy", kinetic_energy, 1, MO_COLUMN_ANY),
    REAL(mo_recorded_frame, "potential_energy", potential_energy, 1, MO_COLUMN_ANY),
    REAL(mo_recorded_frame, "residual", residual, 1, MO_COLUMN_NOT_NEGATIVE),
    REAL(mo_recorded_frame, "penetration", penetration, 1, MO_COLUMN_NOT_NEGATIVE),
    WHOLE(mo_recorded_frame, "status", status, 1, 0, MO_STATUS_COUNT - 1),
    WHOLE(mo_recorded_frame, "contact_count", contact_count, 1, 0, INT_MAX),
    LATER_REAL(mo_recorded_frame, "rotation_energy", rotation_energy, 1, MO_COLUMN_ANY),
    LATER_REAL(mo_recorded_frame, "spring_energy", spring_energy, 1, MO_COLUMN_ANY),
    LATER_REAL(mo_recorded_frame, "tolerance", tolerance, 1, MO_COLUMN_NOT_NEGATIVE),
};

static const mo_column CONTACTS[] = {
    WHOLE(mo_recorded_contact, "a", a, 1, 0, MO_COLUMN_BODY),
    WHOLE(mo_recorded_contact, "b", b, 1, 0, MO_COLUMN_BODY),
    WHOLE(mo_recorded_contact, "id", id, 2, INT_MIN, INT_MAX),
    WHOLE(mo_recorded_contact, "mode", mode, 1, 0, MO_CONTACT_SLIDES),
    REAL(mo_recorded_contact, "point", point, 3, MO_COLUMN_ANY),
    REAL(mo_recorded_contact, "normal", normal, 3, MO_COLUMN_ANY),
    REAL(mo_recorded_contact, "force", force, 3, MO_COLUMN_ANY),
    REAL(mo_recorded_contact, "moment", moment, 3, MO_COLUMN_ANY),
    REAL(mo_recorded_contact, "velocity", velocity, 3, MO_COLUMN_ANY),
    REAL(mo_recorded_contact, "gap", gap, 1, MO_COLUMN_ANY),
    REAL(mo_recorded_contact, "mu", mu, 1, MO_COLUMN_NOT_NEGATIVE),
};

#define TABLE(group, type, columns)                                                                \
    {                                                                                              \
        group, sizeof(type), (int)(sizeof columns / sizeof columns[0]), columns                    \
    }

const mo_columns mo_recording_tables[MO_TABLE_COUNT] = {
    [MO_TABLE_BODIES] = TABLE("bodies", mo_recorded_body, BODIES),
    [MO_TABLE_SHAPES] = TABLE("shapes", mo_recorded_shape, SHAPES),
    [MO_TABLE_JOINTS] = TABLE("joints", mo_recorded_joint, JOINTS),
    [MO_TABLE_FRAMES] = TABLE("frames", mo_recorded_frame, FRAMES),
    [MO_TABLE_CONTACTS] = TABLE("contacts", mo_recorded_contact, CONTACTS),
};
