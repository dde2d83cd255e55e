/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Sensors.  Those of sensor.h are read, with their cutoff; noise is not simulated.  Others, and
 * frames relative to another one (reftype), are noted, keep their index and return zero.
 */
#include <string.h>

#include "io/mjcf.h"

/* Object of a sensor, and number of values. */
typedef struct sensor_row {
    const char *name;
    mo_model_sensor_kind kind;
    const char *attribute; /* attribute that names the object; NULL: objtype and objname, or none */
    char of;               /* 'j'oint, 't'endon, 'a'ctuator, 's'ite, 'b'ody, 'f'rame, or '-' */
    int count;
} sensor_row;

static const sensor_row ROWS[] = {
    {"jointpos", MO_SENSOR_JOINTPOS, "joint", 'j', 1},
    {"jointvel", MO_SENSOR_JOINTVEL, "joint", 'j', 1},
    {"ballquat", MO_SENSOR_BALLQUAT, "joint", 'j', 4},
    {"ballangvel", MO_SENSOR_BALLANGVEL, "joint", 'j', 3},
    {"jointactuatorfrc", MO_SENSOR_JOINTACTUATORFRC, "joint", 'j', 1},
    {"tendonpos", MO_SENSOR_TENDONPOS, "tendon", 't', 1},
    {"tendonvel", MO_SENSOR_TENDONVEL, "tendon", 't', 1},
    {"actuatorpos", MO_SENSOR_ACTUATORPOS, "actuator", 'a', 1},
    {"actuatorvel", MO_SENSOR_ACTUATORVEL, "actuator", 'a', 1},
    {"actuatorfrc", MO_SENSOR_ACTUATORFRC, "actuator", 'a', 1},
    {"accelerometer", MO_SENSOR_ACCELEROMETER, "site", 's', 3},
    {"velocimeter", MO_SENSOR_VELOCIMETER, "site", 's', 3},
    {"gyro", MO_SENSOR_GYRO, "site", 's', 3},
    {"force", MO_SENSOR_FORCE, "site", 's', 3},
    {"torque", MO_SENSOR_TORQUE, "site", 's', 3},
    {"touch", MO_SENSOR_TOUCH, "site", 's', 1},
    {"framepos", MO_SENSOR_FRAMEPOS, NULL, 'f', 3},
    {"framequat", MO_SENSOR_FRAMEQUAT, NULL, 'f', 4},
    {"framexaxis", MO_SENSOR_FRAMEXAXIS, NULL, 'f', 3},
    {"frameyaxis", MO_SENSOR_FRAMEYAXIS, NULL, 'f', 3},
    {"framezaxis", MO_SENSOR_FRAMEZAXIS, NULL, 'f', 3},
    {"framelinvel", MO_SENSOR_FRAMELINVEL, NULL, 'f', 3},
    {"frameangvel", MO_SENSOR_FRAMEANGVEL, NULL, 'f', 3},
    {"framelinacc", MO_SENSOR_FRAMELINACC, NULL, 'f', 3},
    {"frameangacc", MO_SENSOR_FRAMEANGACC, NULL, 'f', 3},
    {"subtreecom", MO_SENSOR_SUBTREECOM, "body", 'b', 3},
    {"subtreelinvel", MO_SENSOR_SUBTREELINVEL, "body", 'b', 3},
    {"subtreeangmom", MO_SENSOR_SUBTREEANGMOM, "body", 'b', 3},
    {"clock", MO_SENSOR_CLOCK, NULL, '-', 1},
};
const char *mo_model_sensor_name(mo_model_sensor_kind kind)
{
    for (size_t k = 0; k < sizeof ROWS / sizeof ROWS[0]; ++k)
        if (ROWS[k].kind == kind) return ROWS[k].name;
    return kind == MO_SENSOR_IGNORED ? "ignored" : NULL;
}

/* The body and the pose in it of objtype and objname. */
static bool read_frame(mo_mjcf *m, const mo_xml_node *node, mo_model_sensor *sensor)
{
    static const char *const TYPES[] = {"body", "xbody", "geom", "site", NULL};
    static const char OF[] = {'b', 'b', 'g', 's'};
    const mo_model *model = m->r->model;
    int type = 0;
    if (!mo_xml_get(node, "objtype") || !mo_mjcf_word(m, node, NULL, "objtype", TYPES, &type))
        return m->r->error ? false : mo_reader_fail(m->r, node, "has no objtype");
    const int place = mo_mjcf_find(m, node, OF[type], "objname", TYPES[type]);
    MO_PASS(place >= 0);
    sensor->body = OF[type] == 'b'   ? place
                   : OF[type] == 'g' ? model->geoms[place].body
                                     : model->sites[place].body;
    sensor->pose = OF[type] == 'g'   ? model->geoms[place].shape.pose
                   : OF[type] == 's' ? model->sites[place].pose
                                     : mo_pose_identity();
    if (type == 0) /* the frame of the centre of mass */
        memcpy(sensor->pose.position, model->bodies[place].centre, sizeof sensor->pose.position);
    return true;
}

static const sensor_row *find_row(const char *name)
{
    for (size_t k = 0; k < sizeof ROWS / sizeof ROWS[0]; ++k)
        if (strcmp(ROWS[k].name, name) == 0) return ROWS + k;
    return NULL;
}

static bool ignore(mo_mjcf *m, const mo_xml_node *node, const sensor_row *row,
                   mo_model_sensor *sensor)
{
    sensor->kind = MO_SENSOR_IGNORED;
    sensor->count = row ? row->count : strcmp(node->name, "magnetometer") == 0 ? 3 : 1;
    mo_reader_note(m->r, node, "> among sensors is not read%s: it reads zero", row ? " here" : "");
    return true;
}

bool mo_mjcf_sensor(mo_mjcf *m, const mo_xml_node *node)
{
    int *values = &m->r->model->sensor_values;
    const sensor_row *row = find_row(node->name);
    mo_model_sensor *sensor = mo_reader_add_sensor(m->r, node, mo_xml_get(node, "name"));
    MO_PASS(sensor);
    const char *object = row && row->attribute ? mo_xml_get(node, row->attribute) : NULL;
    sensor->count = row ? row->count : 1;
    sensor->first = *values;
    if (!row || mo_xml_get(node, "reftype") ||
        (row->of == 't' && mo_reader_name_find(m->r, 'u', object) >= 0)) {
        ignore(m, node, row, sensor);
    } else if (row->of == 'f') {
        sensor->kind = row->kind;
        if (!read_frame(m, node, sensor)) return false;
    } else if (row->of != '-') {
        sensor->kind = row->kind;
        sensor->object = mo_mjcf_find(m, node, row->of, row->attribute, row->attribute);
        if (sensor->object < 0) return false;
    } else {
        sensor->kind = row->kind;
    }
    if (row && row->of == 'b') sensor->body = sensor->object;
    if (row && row->of == 's' && sensor->kind != MO_SENSOR_IGNORED) {
        sensor->body = m->r->model->sites[sensor->object].body;
        sensor->pose = m->r->model->sites[sensor->object].pose;
    }
    *values += sensor->count;
    return mo_mjcf_amount(m, node, NULL, "cutoff", &sensor->cutoff);
}
