/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "fuzz_mutate.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fuzz_edit.h"

typedef struct text {
    uint8_t *data;
    size_t size, room;
    mo_random *random;
} text;

static size_t below(text *t, size_t n)
{
    return n ? (size_t)(mo_random_bits(t->random) % n) : 0;
}

/* data[at .. at + old) becomes `size` bytes of `by`, where there is room. */
static void replace(text *t, size_t at, size_t old, const void *by, size_t size)
{
    if (at > t->size || old > t->size - at || t->size - old + size > t->room) return;
    memmove(t->data + at + size, t->data + at + old, t->size - at - old);
    memcpy(t->data + at, by, size);
    t->size = t->size - old + size;
}

/* A piece of the text itself in place of another; either may be empty. */
static void copy_piece(text *t, size_t from, size_t length, size_t at, size_t old)
{
    enum { LONGEST = 4096 };
    uint8_t piece[LONGEST];
    length = length < LONGEST ? length : LONGEST;
    length = from <= t->size && length <= t->size - from ? length : 0;
    memcpy(piece, t->data + (length ? from : 0), length);
    replace(t, at, old, piece, length);
}

/* ---- bytes ------------------------------------------------------------------------------- */

static void change_bytes(text *t)
{
    const size_t at = below(t, t->size), length = 1 + below(t, 32);
    const uint8_t byte = (uint8_t)mo_random_bits(t->random);
    switch (below(t, 6)) {
    case 0:
        t->data[at] ^= (uint8_t)(1u << below(t, 8));
        break;
    case 1:
        t->data[at] = byte;
        break;
    case 2:
        replace(t, at, 0, &byte, 1);
        break;
    case 3:
        replace(t, at, length, "", 0);
        break;
    case 4:
        copy_piece(t, below(t, t->size), length, at, 0);
        break;
    default:
        t->size = below(t, 8) == 0 ? at + 1 : t->size;
        break;
    }
}

/* ---- numbers of binary files ------------------------------------------------------------- */

static void change_number(text *t)
{
    static const double REAL[] = {0, -0.0, 1, -1, 1e300, -1e300, 5e-324, DBL_MAX, 1e9, 0.5};
    static const int32_t WHOLE[] = {0, 1, -1, 2, 7, 255, 65536, INT_MAX, INT_MIN, 1 << 24};
    const double special[] = {NAN, INFINITY, -INFINITY};
    if (t->size < 16) {
        change_bytes(t);
        return;
    }
    const size_t k = below(t, 10);
    if (below(t, 2)) {
        const double x = below(t, 4) ? REAL[k] : special[k % 3];
        memcpy(t->data + 8 * below(t, t->size / 8), &x, sizeof x);
    } else {
        memcpy(t->data + 4 * below(t, t->size / 4), WHOLE + k, sizeof *WHOLE);
    }
}

/* ---- words ------------------------------------------------------------------------------- */

static const char *const WORDS[] = {
    "0",           "-1",    "1e300",   "-1e300",   "nan",     "inf",      "1e-320",  "2147483648",
    "-2147483649", "",      "1 2",     "0 0 0",    "1 0 0 0", "true",     "false",   "auto",
    "free",        "hinge", "ball",    "mesh",     "plane",   "box",      "world",   "../x",
    "%s%n",        "\"",    "a\nb",    "--",       "=",       "--tol",    "--json",  "{",
    "[",           "null",  "\\u0000", "\xff\xfe", "1.7e308", "-1.7e308", "1e99999", "0x10",
    "name",        "class", "body",    "geom",     "joint",   "link",     "inertial"};
enum { WORD_COUNT = sizeof WORDS / sizeof *WORDS };

static int is_in_word(uint8_t c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
           c == '-' || c == '+' || c == '_';
}

/* The word at or after `at`. */
static size_t word_at(const text *t, size_t at, size_t *length)
{
    while (at < t->size && !is_in_word(t->data[at]))
        ++at;
    size_t end = at;
    while (end < t->size && is_in_word(t->data[end]))
        ++end;
    *length = end - at;
    return at;
}

static void change_word(text *t)
{
    size_t length, other;
    const size_t at = word_at(t, below(t, t->size), &length);
    if (below(t, 3)) {
        const char *word = WORDS[below(t, WORD_COUNT)];
        replace(t, at, length, word, strlen(word));
    } else {
        const size_t from = word_at(t, below(t, t->size), &other);
        copy_piece(t, from, other, at, length);
    }
}

/* ---- XML --------------------------------------------------------------------------------- */

/* A tag that begins at or after a random place, from '<' to behind its '>'. */
static size_t tag_at(text *t, size_t *length)
{
    const size_t start = below(t, t->size);
    const uint8_t *from = memchr(t->data + start, '<', t->size - start);
    const size_t at = from ? (size_t)(from - t->data) : t->size;
    const uint8_t *to = from ? memchr(from, '>', t->size - at) : NULL;
    *length = to ? (size_t)(to - from) + 1 : 0;
    return to ? at : t->size;
}

/* The element of that tag, up to its end tag; names are compared, so nested ones are counted. */
static size_t element_length(const text *t, size_t at, size_t tag)
{
    size_t name = 1, depth = 0;
    while (name < tag && is_in_word(t->data[at + name]))
        ++name;
    if (tag < 2 || t->data[at + tag - 2] == '/' || name < 2) return tag;
    for (size_t k = at; k + name + 1 < t->size; ++k)
        if (memcmp(t->data + k, t->data + at, name) == 0)
            ++depth;
        else if (t->data[k] == '<' && t->data[k + 1] == '/' &&
                 memcmp(t->data + k + 2, t->data + at + 1, name - 1) == 0 && --depth == 0)
            return k + name + 2 - at <= t->size - at ? k + name + 2 - at : tag;
    return tag;
}

/* What readers of models look for; some of it is far from any seed. */
static const char *const ATTRIBUTES[] = {
    "name",      "class",        "childclass", "type",      "size",       "pos",
    "quat",      "euler",        "axisangle",  "xyaxes",    "zaxis",      "fromto",
    "mass",      "density",      "friction",   "condim",    "contype",    "conaffinity",
    "range",     "limited",      "ref",        "springref", "armature",   "damping",
    "stiffness", "frictionloss", "gear",       "ctrlrange", "forcerange", "kp",
    "kv",        "joint",        "tendon",     "site",      "body",       "file",
    "mesh",      "hfield",       "scale",      "vertex",    "face",       "body1",
    "body2",     "polycoef",     "anchor",     "qpos",      "qvel",       "ctrl",
    "count",     "offset",       "elevation",  "nrow",      "ncol",       "prefix",
    "model",     "fluidshape",   "xyz",        "rpy",       "value",      "ixx",
    "radius",    "length",       "filename",   "link",      "lower",      "upper",
    "effort",    "multiplier",   "gravcomp",   "dyntype",   "gaintype",   "biastype",
    "gainprm",   "biasprm",      "dynprm",     "actrange",  "timeconst"};
static const char *const ELEMENTS[] = {"<geom size='.1'/>",
                                       "<joint/>",
                                       "<freejoint/>",
                                       "<inertial mass='1' pos='0 0 0'/>",
                                       "<body/>",
                                       "<site name='s'/>",
                                       "<frame pos='1 0 0'>",
                                       "</frame>",
                                       "<default class='d'>",
                                       "</default>",
                                       "<motor joint='j'/>",
                                       "<fixed name='f'>",
                                       "</fixed>",
                                       "<spatial name='s'>",
                                       "</spatial>",
                                       "<pulley divisor='2'/>",
                                       "<replicate count='2'>",
                                       "</replicate>",
                                       "<include file='in.xml'/>",
                                       "<attach model='o' body='b'/>",
                                       "<collision>",
                                       "</collision>",
                                       "<mimic joint='j'/>",
                                       "<origin xyz='0 0 1'/>",
                                       "<limit lower='0' upper='1'/>",
                                       "<!--",
                                       "-->",
                                       "<![CDATA[",
                                       "]]>",
                                       "<?xml version='1.0'?>",
                                       "&amp;",
                                       "&#0;",
                                       "&x;",
                                       "<!DOCTYPE a [<!ENTITY x 'y'>]>"};
enum {
    ATTRIBUTE_COUNT = sizeof ATTRIBUTES / sizeof *ATTRIBUTES,
    ELEMENT_COUNT = sizeof ELEMENTS / sizeof *ELEMENTS
};

static void add_attribute(text *t, size_t at)
{
    char by[128];
    size_t name = 1;
    while (at + name < t->size && is_in_word(t->data[at + name]))
        ++name;
    const int size = snprintf(by, sizeof by, " %s='%s'", ATTRIBUTES[below(t, ATTRIBUTE_COUNT)],
                              WORDS[below(t, WORD_COUNT)]);
    replace(t, at + name, 0, by, (size_t)size);
}

static void change_tree(text *t)
{
    size_t tag, other_tag;
    const size_t at = tag_at(t, &tag), other = tag_at(t, &other_tag);
    if (!tag || !other_tag) {
        change_bytes(t);
        return;
    }
    const size_t length = element_length(t, at, tag);
    switch (below(t, 6)) {
    case 0: /* the element goes */
        replace(t, at, length, "", 0);
        break;
    case 1: /* once more, there */
        copy_piece(t, at, length, other + other_tag, 0);
        break;
    case 2: /* in place of another */
        copy_piece(t, at, length, other, element_length(t, other, other_tag));
        break;
    case 3:
        add_attribute(t, at);
        break;
    case 4: {
        const char *by = ELEMENTS[below(t, ELEMENT_COUNT)];
        replace(t, other + other_tag, 0, by, strlen(by));
        break;
    }
    default: /* a start tag again and again: deep */
        for (size_t k = below(t, 6); k-- > 0 && tag >= 2 && t->data[at + tag - 2] != '/';)
            copy_piece(t, at, tag, at, 0);
        break;
    }
}

size_t fuzz_change(fuzz_kind kind, uint8_t *data, size_t size, size_t room, mo_random *random)
{
    text t = {data, size, room, random};
    if (size == 0) return 0;
    const size_t draw = below(&t, 4);
    if (kind == FUZZ_HDF5) return fuzz_change_hdf5(data, size, random);
    if (kind == FUZZ_RAW || draw == 0)
        change_bytes(&t);
    else if (kind == FUZZ_BINARY)
        change_number(&t);
    else if (kind == FUZZ_XML && draw == 1)
        change_tree(&t);
    else
        change_word(&t);
    return t.size;
}
