/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* Functions shared by the readers (model_reader.h). */
#include "io/model_reader.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum { MOST_NOTES = 200, MOST_BODIES = 10000 };
static const char OF_WHAT[] = ": '"; /* from here on a note has the first one only */

/* ---- messages -------------------------------------------------------------------------------- */

bool mo_reader_fail(mo_reader *r, const mo_xml_node *node, const char *format, ...)
{
    if (!r->error) {
        char said[400];
        va_list values;
        va_start(values, format);
        vsnprintf(said, sizeof said, format, values);
        va_end(values);
        r->error = node ? mo_fail(r->why, MO_ERR_FORMAT, "%.80s%sline %d: <%.40s> %s", node->file,
                                  node->file[0] ? ", " : "", node->line, node->name, said)
                        : mo_fail(r->why, MO_ERR_FORMAT, "%s", said);
    }
    return false;
}

bool mo_reader_no_memory(mo_reader *r)
{
    if (!r->error) {
        r->error = mo_fail_memory(r->why);
    }
    return false;
}

const char *mo_reader_text(mo_reader *r, const char *text)
{
    if (!text || !text[0]) {
        return "";
    }
    const char *copy = mo_pool_text(r->pool, text, strlen(text));
    if (!copy) {
        mo_reader_no_memory(r);
    }
    return copy ? copy : "";
}

/* One more of the same sentence, or a new note. */
static void keep_note(mo_reader *r, const mo_xml_node *node, const char *of, const char *said)
{
    mo_model *model = r->model;
    for (int k = 0; k < model->note_count; ++k) {
        const char *text = model->notes[k].text, *tail = strstr(text, OF_WHAT);
        const size_t length = tail ? (size_t)(tail - text) : strlen(text);
        if (strlen(said) == length && strncmp(text, said, length) == 0) {
            ++model->notes[k].count;
            return;
        }
    }
    if (model->note_count >= MOST_NOTES) {
        return;
    }
    if (!MO_GROW(&model->allocator, model->notes, model->room[7], (size_t)model->note_count + 1)) {
        mo_reader_no_memory(r);
        return;
    }
    char whole[560];
    snprintf(whole, sizeof whole, "%s%s%.120s%s", said, of ? OF_WHAT : "", of ? of : "",
             of ? "'" : "");
    model->notes[model->note_count++] = (mo_model_note){
        .line = node->line, .count = 1, .text = mo_reader_text(r, whole), .file = node->file};
}

void mo_reader_note(mo_reader *r, const mo_xml_node *node, const char *format, ...)
{
    char said[400];
    va_list values;
    va_start(values, format);
    const int length = snprintf(said, sizeof said, "<%.60s", node->name);
    vsnprintf(said + length, sizeof said - (size_t)length, format, values);
    va_end(values);
    keep_note(r, node, NULL, said);
}

void mo_reader_note_of(mo_reader *r, const mo_xml_node *node, const char *of, const char *sentence)
{
    char said[400];
    snprintf(said, sizeof said, "<%.60s%s", node->name, sentence);
    keep_note(r, node, of, said);
}

void mo_reader_note_kind(mo_reader *r, const mo_xml_node *node, const char *of,
                         const char *sentence)
{
    keep_note(r, node, of, sentence);
}

/* "leg.xml, line 12: <joint margin> is ignored (and 3 more)" */
static bool number_notes(mo_reader *r)
{
    for (int k = 0; k < r->model->note_count && !r->error; ++k) {
        mo_model_note *note = r->model->notes + k;
        char more[40] = "", said[720];
        if (note->count > 1) {
            snprintf(more, sizeof more, " (and %d more like it)", note->count - 1);
        }
        snprintf(said, sizeof said, "%.80s%sline %d: %s%s", note->file, note->file[0] ? ", " : "",
                 note->line, note->text, more);
        note->text = mo_reader_text(r, said);
        note->file = mo_reader_text(r, note->file);
    }
    return !r->error;
}

/* ---- growing the model ----------------------------------------------------------------------- */

/* One more element at the end of an array of the model, cleared. */
static void *grow(mo_reader *r, void **array, int which, int *count, size_t size)
{
    mo_model *model = r->model;
    if (!mo_memory_grow(&model->allocator, array, &model->room[which], (size_t)*count + 1, size)) {
        mo_reader_no_memory(r);
        return NULL;
    }
    return memset((char *)*array + size * (size_t)(*count)++, 0, size);
}

static int line_of(const mo_xml_node *node)
{
    return node ? node->line : 0;
}

mo_model_body *mo_reader_add_body(mo_reader *r, const mo_xml_node *node, const char *name,
                                  int parent)
{
    mo_model *model = r->model;
    if (model->body_count >= MOST_BODIES) {
        mo_reader_fail(r, node, "is one of more than %d bodies", (int)MOST_BODIES);
        return NULL;
    }
    mo_model_body *body =
        grow(r, (void **)&model->bodies, 0, &model->body_count, sizeof *model->bodies);
    if (!body || !mo_reader_name_add(r, node, 'b', name, model->body_count - 1)) {
        return NULL;
    }
    *body = (mo_model_body){.name = mo_reader_text(r, name),
                            .parent = parent,
                            .pose = mo_pose_identity(),
                            .first_joint = model->joint_count,
                            .line = line_of(node)};
    return r->error ? NULL : body;
}

mo_model_joint *mo_reader_add_joint(mo_reader *r, const mo_xml_node *node, const char *name,
                                    mo_model_joint_kind kind, int body)
{
    mo_model *model = r->model;
    mo_model_joint *joint =
        grow(r, (void **)&model->joints, 1, &model->joint_count, sizeof *model->joints);
    if (!joint || !mo_reader_name_add(r, node, 'j', name, model->joint_count - 1)) {
        return NULL;
    }
    *joint = (mo_model_joint){.name = mo_reader_text(r, name),
                              .kind = kind,
                              .body = body,
                              .axis = {0, 0, 1},
                              .line = line_of(node)};
    mo_model_body *of = model->bodies + body;
    if (of->joint_count++ == 0) {
        of->first_joint = model->joint_count - 1;
    }
    return r->error ? NULL : joint;
}

mo_model_geom *mo_reader_add_geom(mo_reader *r, const mo_xml_node *node, const char *name, int body)
{
    mo_model *model = r->model;
    mo_model_geom *geom =
        grow(r, (void **)&model->geoms, 2, &model->geom_count, sizeof *model->geoms);
    if (!geom || !mo_reader_name_add(r, node, 'g', name, model->geom_count - 1)) {
        return NULL;
    }
    geom->name = mo_reader_text(r, name);
    geom->body = body;
    geom->shape = mo_default_shape(MO_SHAPE_BALL);
    geom->line = line_of(node);
    return r->error ? NULL : geom;
}

mo_model_actuator *mo_reader_add_actuator(mo_reader *r, const mo_xml_node *node, const char *name)
{
    mo_model *model = r->model;
    mo_model_actuator *actuator =
        grow(r, (void **)&model->actuators, 3, &model->actuator_count, sizeof *model->actuators);
    if (!actuator || !mo_reader_name_add(r, node, 'a', name, model->actuator_count - 1)) {
        return NULL;
    }
    *actuator = (mo_model_actuator){.name = mo_reader_text(r, name),
                                    .joint = -1,
                                    .tendon = -1,
                                    .site = -1,
                                    .gear = {1},
                                    .gain = 1,
                                    .line = line_of(node)};
    return r->error ? NULL : actuator;
}

mo_model_equality *mo_reader_add_equality(mo_reader *r, const mo_xml_node *node, const char *name)
{
    mo_model *model = r->model;
    mo_model_equality *equality =
        grow(r, (void **)&model->equalities, 4, &model->equality_count, sizeof *model->equalities);
    if (!equality) {
        return NULL;
    }
    equality->name = mo_reader_text(r, name);
    equality->pose = mo_pose_identity();
    equality->line = line_of(node);
    return r->error ? NULL : equality;
}

mo_model_tendon *mo_reader_add_tendon(mo_reader *r, const mo_xml_node *node, const char *name,
                                      int joints)
{
    mo_model *model = r->model;
    mo_model_tendon *tendon =
        grow(r, (void **)&model->tendons, 8, &model->tendon_count, sizeof *model->tendons);
    if (!tendon || !mo_reader_name_add(r, node, 't', name, model->tendon_count - 1)) {
        return NULL;
    }
    *tendon = (mo_model_tendon){
        .name = mo_reader_text(r, name),
        .joints = mo_pool_take(r->pool, (size_t)joints + 1, sizeof *tendon->joints),
        .coefficients = mo_pool_take(r->pool, (size_t)joints + 1, sizeof *tendon->coefficients),
        .line = line_of(node)};
    if (!tendon->joints || !tendon->coefficients) {
        mo_reader_no_memory(r);
    }
    return r->error ? NULL : tendon;
}

mo_model_site *mo_reader_add_site(mo_reader *r, const mo_xml_node *node, const char *name, int body)
{
    mo_model *model = r->model;
    mo_model_site *site =
        grow(r, (void **)&model->sites, 9, &model->site_count, sizeof *model->sites);
    if (!site || !mo_reader_name_add(r, node, 's', name, model->site_count - 1)) {
        return NULL;
    }
    *site = (mo_model_site){.name = mo_reader_text(r, name),
                            .body = body,
                            .pose = mo_pose_identity(),
                            .line = line_of(node)};
    return r->error ? NULL : site;
}

mo_model_sensor *mo_reader_add_sensor(mo_reader *r, const mo_xml_node *node, const char *name)
{
    mo_model *model = r->model;
    mo_model_sensor *sensor =
        grow(r, (void **)&model->sensors, 11, &model->sensor_count, sizeof *model->sensors);
    if (!sensor || !mo_reader_name_add(r, node, 'S', name, model->sensor_count - 1)) {
        return NULL;
    }
    *sensor = (mo_model_sensor){
        .name = mo_reader_text(r, name), .pose = mo_pose_identity(), .line = line_of(node)};
    return r->error ? NULL : sensor;
}

mo_model_pair *mo_reader_add_pair(mo_reader *r, const mo_xml_node *node, int a, int b)
{
    mo_model *model = r->model;
    mo_model_pair *pair =
        grow(r, (void **)&model->pairs, 10, &model->pair_count, sizeof *model->pairs);
    if (pair) {
        *pair = (mo_model_pair){.a = a, .b = b, .line = line_of(node)};
    }
    return pair;
}

mo_model_key *mo_reader_add_key(mo_reader *r, const mo_xml_node *node, const char *name)
{
    mo_model *model = r->model;
    mo_model_key *key = grow(r, (void **)&model->keys, 6, &model->key_count, sizeof *model->keys);
    if (!key || !mo_reader_name_add(r, node, 'k', name, model->key_count - 1)) {
        return NULL;
    }
    key->name = mo_reader_text(r, name);
    key->line = line_of(node);
    key->q = mo_pool_take(r->pool, (size_t)model->q_count + 1, sizeof(double));
    key->v = mo_pool_take(r->pool, (size_t)model->v_count + 1, sizeof(double));
    key->control = mo_pool_take(r->pool, (size_t)model->actuator_count + 1, sizeof(double));
    key->mocap = mo_pool_take(r->pool, (size_t)model->mocap_count + 1, sizeof *key->mocap);
    if (!key->q || !key->v || !key->control || !key->mocap) {
        mo_reader_no_memory(r);
        return NULL;
    }
    for (int k = 1, at = 0; k < model->body_count; ++k) {
        if (model->bodies[k].is_mocap) {
            key->mocap[at++] = model->bodies[k].pose;
        }
    }
    memcpy(key->q, model->q, (size_t)model->q_count * sizeof(double));
    return r->error ? NULL : key;
}

bool mo_reader_exclude(mo_reader *r, int a, int b)
{
    mo_model *model = r->model;
    int *pair =
        grow(r, (void **)&model->exclusions, 5, &model->exclusion_count, sizeof *model->exclusions);
    if (pair) {
        pair[0] = a;
        pair[1] = b;
    }
    return pair != NULL;
}

bool mo_reader_place_joints(mo_reader *r)
{
    mo_model *model = r->model;
    model->q_count = model->v_count = 0;
    for (int k = 0; k < model->joint_count; ++k) {
        mo_model_joint *joint = model->joints + k;
        joint->first_q = model->q_count;
        joint->first_v = model->v_count;
        model->q_count += mo_model_joint_q(joint->kind);
        model->v_count += mo_model_joint_v(joint->kind);
    }
    model->q = mo_pool_take(r->pool, (size_t)model->q_count + 1, sizeof(double));
    if (!model->q) {
        return mo_reader_no_memory(r);
    }
    for (int k = 0; k < model->joint_count; ++k) {
        const mo_model_joint *joint = model->joints + k;
        double *q = model->q + joint->first_q;
        if (joint->kind == MO_MODEL_FREE) {
            memcpy(q, model->bodies[joint->body].pose.position, 3 * sizeof *q);
            memcpy(q + 3, model->bodies[joint->body].pose.orientation, 4 * sizeof *q);
        } else {
            q[0] = joint->kind == MO_MODEL_BALL ? 1 : joint->ref;
        }
    }
    return true;
}

bool mo_reader_finish(mo_reader *r)
{
    return !r->error && number_notes(r);
}

/* ---- names ----------------------------------------------------------------------------------- */

static size_t hash_name(char kind, const char *name)
{
    size_t h = 2166136261u ^ (unsigned char)kind;
    for (; *name; ++name) {
        h = (h ^ (unsigned char)*name) * 16777619u;
    }
    return h;
}

/* Where a name is, or would be. */
static mo_reader_name *seek(mo_reader_name *names, size_t room, char kind, const char *name)
{
    size_t at = hash_name(kind, name) % room;
    while (names[at].name && (names[at].kind != kind || strcmp(names[at].name, name) != 0)) {
        at = (at + 1) % room;
    }
    return names + at;
}

static bool rehash(mo_reader *r)
{
    const size_t room = r->name_room ? 2 * r->name_room : 256;
    mo_reader_name *names = mo_pool_take(&r->tree, room, sizeof *names);
    if (!names) {
        return mo_reader_no_memory(r);
    }
    for (size_t k = 0; k < r->name_room; ++k) {
        if (r->names[k].name) {
            *seek(names, room, r->names[k].kind, r->names[k].name) = r->names[k];
        }
    }
    r->names = names;
    r->name_room = room;
    return true;
}

bool mo_reader_name_add(mo_reader *r, const mo_xml_node *node, char kind, const char *name,
                        int index)
{
    if (!name || !name[0]) {
        return true;
    }
    if (2 * (r->name_count + 1) > r->name_room && !rehash(r)) {
        return false;
    }
    mo_reader_name *at = seek(r->names, r->name_room, kind, name);
    if (at->name) {
        return mo_reader_fail(r, node, "has the name '%.80s', which another one has already", name);
    }
    /* The tree, whose names these are, lives as long as the table. */
    *at = (mo_reader_name){.kind = kind, .name = name, .index = index};
    ++r->name_count;
    return true;
}

int mo_reader_name_find(const mo_reader *r, char kind, const char *name)
{
    if (!name || !r->name_room) {
        return -1;
    }
    const mo_reader_name *at = seek(r->names, r->name_room, kind, name);
    return at->name ? at->index : -1;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static bool numbers(mo_reader *r, const mo_xml_node *node, const char *attribute, const char *text,
                    int least, int most, int may_be_infinite, double *out, int *count)
{
    int n = 0;
    const char *at = text;
    const char *space = r->is_lenient ? " \t\r\n," : " \t\r\n";
    for (at += strspn(at, space); *at; at += strspn(at, space)) {
        double value;
        const int word = (int)strcspn(at, space);
        const char *end = mo_text_number(at, &value);
        if (!end || isnan(value) || (isinf(value) && !may_be_infinite)) {
            return mo_reader_fail(r, node, "has %s=\"%.60s\", where '%.*s' is not a finite number",
                                  attribute, text, word < 30 ? word : 30, at);
        }
        if (n < most) {
            out[n] = value;
        }
        ++n;
        at = end;
    }
    if (n > most && r->is_lenient) {
        mo_reader_note(r, node, " %.40s> has more numbers than it should: the first ones count",
                       attribute);
        n = most;
    }
    if (n < least || n > most) {
        return mo_reader_fail(r, node, "has %s=\"%.60s\" with %d numbers; there should be %d%s",
                              attribute, text, n, n > most ? most : least,
                              least == most ? ""
                              : n > most    ? " at most"
                                            : " at least");
    }
    if (count) {
        *count = n;
    }
    return true;
}

bool mo_reader_numbers(mo_reader *r, const mo_xml_node *node, const char *attribute,
                       const char *text, int least, int most, double *out, int *count)
{
    return numbers(r, node, attribute, text, least, most, 0, out, count);
}

bool mo_reader_ordered(mo_reader *r, const mo_xml_node *node, const char *attribute,
                       const double range[2])
{
    return range[0] < range[1] ||
           mo_reader_fail(r, node, "has a %s from %g to %g; the first must be smaller", attribute,
                          range[0], range[1]);
}

bool mo_reader_range(mo_reader *r, const mo_xml_node *node, const char *attribute, const char *text,
                     double out[2])
{
    return numbers(r, node, attribute, text, 2, 2, 1, out, NULL);
}
