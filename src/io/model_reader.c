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
static const char OF_WHAT[] = ": '"; /* precedes the name of the first object in a note */

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
    if (!r->error) r->error = mo_fail_memory(r->why);
    return false;
}

const char *mo_reader_text(mo_reader *r, const char *text)
{
    if (!text || !text[0]) return "";
    const char *copy = mo_pool_text(r->pool, text, strlen(text));
    if (!copy) mo_reader_no_memory(r);
    return copy ? copy : "";
}

void mo_reader_note_kind(mo_reader *r, const mo_xml_node *node, const char *of, const char *said)
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
    if (model->note_count >= MOST_NOTES) return;
    if (!MO_GROW(&model->allocator, model->notes, model->room[MO_LIST_NOTES],
                 (size_t)model->note_count + 1)) {
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
    mo_reader_note_kind(r, node, NULL, said);
}

void mo_reader_note_of(mo_reader *r, const mo_xml_node *node, const char *of, const char *sentence)
{
    char said[400];
    snprintf(said, sizeof said, "<%.60s%s", node->name, sentence);
    mo_reader_note_kind(r, node, of, said);
}

/* "leg.xml, line 12: <joint margin> is ignored (and 3 more)" */
bool mo_reader_finish(mo_reader *r)
{
    for (int k = 0; k < r->model->note_count && !r->error; ++k) {
        mo_model_note *note = r->model->notes + k;
        char more[40] = "", said[720];
        if (note->count > 1) snprintf(more, sizeof more, " (and %d more like it)", note->count - 1);
        snprintf(said, sizeof said, "%.80s%sline %d: %s%s", note->file, note->file[0] ? ", " : "",
                 note->line, note->text, more);
        note->text = mo_reader_text(r, said);
        note->file = mo_reader_text(r, note->file);
    }
    return !r->error;
}

/* ---- growing the model ----------------------------------------------------------------------- */

/* A list of the model: where it is, and what its elements have. */
typedef struct list {
    size_t array, count, size;
    size_t name, line; /* in an element; NOWHERE: it has none */
    char kind;         /* of its names in the reader's table; 0: they need not be unique */
} list;

#define NOWHERE SIZE_MAX
#define LIST(type, elements, counter, kind)                                                        \
    {                                                                                              \
        offsetof(mo_model, elements), offsetof(mo_model, counter), sizeof(type),                   \
            offsetof(type, name), offsetof(type, line), kind                                       \
    }

static const list LISTS[] = {
    [MO_LIST_BODIES] = LIST(mo_model_body, bodies, body_count, 'b'),
    [MO_LIST_JOINTS] = LIST(mo_model_joint, joints, joint_count, 'j'),
    [MO_LIST_GEOMS] = LIST(mo_model_geom, geoms, geom_count, 'g'),
    [MO_LIST_ACTUATORS] = LIST(mo_model_actuator, actuators, actuator_count, 'a'),
    [MO_LIST_EQUALITIES] = LIST(mo_model_equality, equalities, equality_count, 0),
    [MO_LIST_KEYS] = LIST(mo_model_key, keys, key_count, 'k'),
    [MO_LIST_TENDONS] = LIST(mo_model_tendon, tendons, tendon_count, 't'),
    [MO_LIST_SITES] = LIST(mo_model_site, sites, site_count, 's'),
    [MO_LIST_SENSORS] = LIST(mo_model_sensor, sensors, sensor_count, 'S'),
    [MO_LIST_PAIRS] = {offsetof(mo_model, pairs), offsetof(mo_model, pair_count),
                       sizeof(mo_model_pair), NOWHERE, offsetof(mo_model_pair, line), 0},
    [MO_LIST_EXCLUSIONS] = {offsetof(mo_model, exclusions), offsetof(mo_model, exclusion_count),
                            sizeof(int[2]), NOWHERE, NOWHERE, 0},
};

/* One more element of a list, a copy of `fresh` with its name and line; NULL after an error. */
static void *add(mo_reader *r, mo_model_list which, const mo_xml_node *node, const char *name,
                 const void *fresh)
{
    const list *of = LISTS + which;
    char *model = (char *)r->model;
    void **array = (void **)(void *)(model + of->array);
    int *count = (int *)(void *)(model + of->count);
    if (!mo_memory_grow(&r->model->allocator, array, &r->model->room[which], (size_t)*count + 1,
                        of->size)) {
        mo_reader_no_memory(r);
        return NULL;
    }
    char *element = (char *)*array + of->size * (size_t)(*count)++;
    memcpy(element, fresh, of->size);
    if (of->name != NOWHERE) *(const char **)(void *)(element + of->name) = mo_reader_text(r, name);
    if (of->line != NOWHERE) *(int *)(void *)(element + of->line) = node ? node->line : 0;
    const bool is_new = !of->kind || mo_reader_name_add(r, node, of->kind, name, *count - 1);
    return is_new && !r->error ? element : NULL;
}

mo_model_body *mo_reader_add_body(mo_reader *r, const mo_xml_node *node, const char *name,
                                  int parent)
{
    const mo_model_body fresh = {
        .parent = parent, .pose = mo_pose_identity(), .first_joint = r->model->joint_count};
    if (r->model->body_count >= MOST_BODIES) {
        mo_reader_fail(r, node, "is one of more than %d bodies", (int)MOST_BODIES);
        return NULL;
    }
    return add(r, MO_LIST_BODIES, node, name, &fresh);
}

mo_model_joint *mo_reader_add_joint(mo_reader *r, const mo_xml_node *node, const char *name,
                                    mo_model_joint_kind kind, int body)
{
    const mo_model_joint fresh = {.kind = kind, .body = body, .axis = {0, 0, 1}};
    mo_model_joint *joint = add(r, MO_LIST_JOINTS, node, name, &fresh);
    mo_model_body *of = r->model->bodies + body;
    if (joint && of->joint_count++ == 0) of->first_joint = r->model->joint_count - 1;
    return joint;
}

mo_model_geom *mo_reader_add_geom(mo_reader *r, const mo_xml_node *node, const char *name, int body)
{
    const mo_model_geom fresh = {.body = body, .shape = mo_default_shape(MO_SHAPE_BALL)};
    return add(r, MO_LIST_GEOMS, node, name, &fresh);
}

mo_model_actuator *mo_reader_add_actuator(mo_reader *r, const mo_xml_node *node, const char *name)
{
    const mo_model_actuator fresh = {.joint = -1, .tendon = -1, .site = -1, .gear = {1}, .gain = 1};
    return add(r, MO_LIST_ACTUATORS, node, name, &fresh);
}

mo_model_equality *mo_reader_add_equality(mo_reader *r, const mo_xml_node *node, const char *name)
{
    const mo_model_equality fresh = {.pose = mo_pose_identity()};
    return add(r, MO_LIST_EQUALITIES, node, name, &fresh);
}

mo_model_tendon *mo_reader_add_tendon(mo_reader *r, const mo_xml_node *node, const char *name,
                                      int joints)
{
    const mo_model_tendon fresh = {
        .joints = mo_pool_take(r->pool, (size_t)joints + 1, sizeof *fresh.joints),
        .coefficients = mo_pool_take(r->pool, (size_t)joints + 1, sizeof *fresh.coefficients)};
    if (!fresh.joints || !fresh.coefficients) mo_reader_no_memory(r);
    return add(r, MO_LIST_TENDONS, node, name, &fresh);
}

mo_model_site *mo_reader_add_site(mo_reader *r, const mo_xml_node *node, const char *name, int body)
{
    const mo_model_site fresh = {.body = body, .pose = mo_pose_identity()};
    return add(r, MO_LIST_SITES, node, name, &fresh);
}

mo_model_sensor *mo_reader_add_sensor(mo_reader *r, const mo_xml_node *node, const char *name)
{
    const mo_model_sensor fresh = {.pose = mo_pose_identity()};
    return add(r, MO_LIST_SENSORS, node, name, &fresh);
}

mo_model_pair *mo_reader_add_pair(mo_reader *r, const mo_xml_node *node, int a, int b)
{
    const mo_model_pair fresh = {.a = a, .b = b};
    return add(r, MO_LIST_PAIRS, node, NULL, &fresh);
}

bool mo_reader_exclude(mo_reader *r, int a, int b)
{
    const int fresh[2] = {a, b};
    return add(r, MO_LIST_EXCLUSIONS, NULL, NULL, fresh) != NULL;
}

mo_model_key *mo_reader_add_key(mo_reader *r, const mo_xml_node *node, const char *name)
{
    const mo_model *model = r->model;
    const mo_model_key fresh = {
        .q = mo_pool_take(r->pool, (size_t)model->q_count + 1, sizeof(double)),
        .v = mo_pool_take(r->pool, (size_t)model->v_count + 1, sizeof(double)),
        .control = mo_pool_take(r->pool, (size_t)model->actuator_count + 1, sizeof(double)),
        .mocap = mo_pool_take(r->pool, (size_t)model->mocap_count + 1, sizeof *fresh.mocap)};
    if (!fresh.q || !fresh.v || !fresh.control || !fresh.mocap) {
        mo_reader_no_memory(r);
        return NULL;
    }
    for (int k = 1, at = 0; k < model->body_count; ++k)
        if (model->bodies[k].is_mocap) fresh.mocap[at++] = model->bodies[k].pose;
    memcpy(fresh.q, model->q, (size_t)model->q_count * sizeof(double));
    return add(r, MO_LIST_KEYS, node, name, &fresh);
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
    MO_FAIL_IF(!model->q, mo_reader_no_memory(r));
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

bool mo_reader_moves(const mo_model *model, int body)
{
    while (body > 0 && model->bodies[body].joint_count == 0)
        body = model->bodies[body].parent;
    return body > 0;
}

/* ---- names ----------------------------------------------------------------------------------- */

static size_t hash_name(char kind, const char *name)
{
    size_t h = 2166136261u ^ (unsigned char)kind;
    for (; *name; ++name)
        h = (h ^ (unsigned char)*name) * 16777619u;
    return h;
}

/* Place of a name, or where it would be inserted. */
static mo_reader_name *seek(mo_reader_name *names, size_t room, char kind, const char *name)
{
    size_t at = hash_name(kind, name) % room;
    while (names[at].name && (names[at].kind != kind || strcmp(names[at].name, name) != 0))
        at = (at + 1) % room;
    return names + at;
}

static bool rehash(mo_reader *r)
{
    const size_t room = r->name_room ? 2 * r->name_room : 256;
    mo_reader_name *names = mo_pool_take(&r->tree, room, sizeof *names);
    MO_FAIL_IF(!names, mo_reader_no_memory(r));
    for (size_t k = 0; k < r->name_room; ++k)
        if (r->names[k].name) *seek(names, room, r->names[k].kind, r->names[k].name) = r->names[k];
    r->names = names;
    r->name_room = room;
    return true;
}

bool mo_reader_name_add(mo_reader *r, const mo_xml_node *node, char kind, const char *name,
                        int index)
{
    if (!name || !name[0]) return true;
    if (2 * (r->name_count + 1) > r->name_room && !rehash(r)) return false;
    mo_reader_name *at = seek(r->names, r->name_room, kind, name);
    MO_FAIL_IF(at->name,
               mo_reader_fail(r, node, "has the name '%.80s', which is already in use", name));
    /* The names are in the tree, which lives as long as the table. */
    *at = (mo_reader_name){.kind = kind, .name = name, .index = index};
    ++r->name_count;
    return true;
}

int mo_reader_name_find(const mo_reader *r, char kind, const char *name)
{
    if (!name || !r->name_room) return -1;
    const mo_reader_name *at = seek(r->names, r->name_room, kind, name);
    return at->name ? at->index : -1;
}

/* ---- elements that are made ------------------------------------------------------------------ */

mo_xml_node *mo_reader_element(mo_reader *r, mo_xml_node *parent, const char *name,
                               const mo_xml_node *like)
{
    mo_xml_node *node = mo_pool_take(&r->tree, 1, sizeof *node);
    if (!node) {
        mo_reader_no_memory(r);
        return NULL;
    }
    *node = (mo_xml_node){.name = name,
                          .file = like->file,
                          .line = like->line,
                          .part = like->part,
                          .text = like->text};
    if (parent) mo_xml_append(parent, node);
    return node;
}

mo_xml_node *mo_reader_make(mo_reader *r, mo_xml_node *parent, const char *name,
                            const mo_xml_node *like, ...)
{
    mo_xml_node *node = r->error ? NULL : mo_reader_element(r, parent, name, like);
    va_list pairs;
    va_start(pairs, like);
    for (const char *attribute = va_arg(pairs, const char *); attribute && node;
         attribute = va_arg(pairs, const char *))
        node = mo_reader_set(r, node, attribute, va_arg(pairs, const char *)) ? node : NULL;
    va_end(pairs);
    return node;
}

bool mo_reader_set(mo_reader *r, mo_xml_node *node, const char *attribute, const char *text)
{
    mo_xml_attribute *more = text ? mo_pool_take(&r->tree, 1, sizeof *more) : NULL;
    if (more) {
        *more = (mo_xml_attribute){.name = attribute, .value = text, .next = node->attributes};
        node->attributes = more;
    }
    return more || !text || mo_reader_no_memory(r);
}

const char *mo_reader_join(mo_reader *r, const char *a, const char *b, const char *c)
{
    const size_t size = strlen(a) + strlen(b) + strlen(c) + 1;
    char *text = mo_pool_take(&r->tree, size, 1);
    if (!text) {
        mo_reader_no_memory(r);
        return NULL;
    }
    snprintf(text, size, "%s%s%s", a, b, c);
    return text;
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
        MO_FAIL_IF(!end || isnan(value) || (isinf(value) && !may_be_infinite),
                   mo_reader_fail(r, node, "has %s=\"%.60s\", where '%.*s' is not a finite number",
                                  attribute, text, word < 30 ? word : 30, at));
        if (n < most) out[n] = value;
        ++n;
        at = end;
    }
    if (n > most && r->is_lenient) {
        mo_reader_note(r, node, " %.40s> has too many numbers: the first ones are used", attribute);
        n = most;
    }
    MO_FAIL_IF(n < least || n > most,
               mo_reader_fail(r, node, "has %s=\"%.60s\" with %d numbers; there should be %d%s",
                              attribute, text, n, n > most ? most : least,
                              least == most ? ""
                              : n > most    ? " at most"
                                            : " at least"));
    if (count) *count = n;
    return true;
}

bool mo_reader_numbers(mo_reader *r, const mo_xml_node *node, const char *attribute,
                       const char *text, int least, int most, double *out, int *count)
{
    return numbers(r, node, attribute, text, least, most, 0, out, count);
}

bool mo_reader_attribute(mo_reader *r, const mo_xml_node *node, const char *attribute, int least,
                         int most, double *out, int *count)
{
    const char *text = mo_xml_get(node, attribute);
    if (count) *count = 0;
    return !text || mo_reader_numbers(r, node, attribute, text, least, most, out, count);
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
