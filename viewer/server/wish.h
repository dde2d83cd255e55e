/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * What a page wishes: one JSON object, read with the streaming parser of libwebsockets into a fixed
 * struct, whatever it holds.  Members that have no place in it are skipped.  docs/frames.md lists
 * the wishes.
 *
 * That parser refuses numbers of more than some twenty characters, which a double with all its
 * digits may have.  A longer one is checked against the grammar of JSON here; the parser is given a
 * 0 in its place, and its value is put in when the parser reports that 0.
 */
#ifndef VIEWER_WISH_H
#define VIEWER_WISH_H

#include <stddef.h>

#include "moreau/base.h"

enum { WISH_LONGEST = 65536, WISH_NAME = 64, WISH_SETTINGS = 32, WISH_DIGITS = 1024 };

typedef enum wish_verb {
    WISH_PLAY,
    WISH_PAUSE,
    WISH_STEP,
    WISH_RESET,
    WISH_SCENE,
    WISH_SPEED,
    WISH_GRAB,
    WISH_DRAG,
    WISH_RELEASE,
    WISH_THROW,
    WISH_SET,
    WISH_JOINT,
    WISH_TARGET,
    WISH_VERBS
} wish_verb;

/* The members that hold one number or three. */
typedef enum wish_field {
    FIELD_VALUE,
    FIELD_BODY,
    FIELD_LOCAL,
    FIELD_TARGET,
    FIELD_FROM,
    FIELD_VELOCITY,
    FIELD_RADIUS,
    FIELD_STEP,
    FIELD_TOLERANCE,
    FIELD_GRAVITY,
    FIELD_FRICTION,
    FIELD_INDEX,
    FIELD_RESTART,
    WISH_FIELDS
} wish_field;

typedef struct wish_numbers {
    double at[3];
    int count;   /* 0: absent; 1 or 3 as a rule; more than 3 are counted, not kept */
    int is_null; /* the word null */
} wish_numbers;

typedef struct wish_setting {
    char name[WISH_NAME];
    double value;
} wish_setting;

typedef struct wish {
    wish_verb verb;
    char name[WISH_NAME];   /* of a scene; "" where absent  */
    char method[WISH_NAME]; /* the same */
    wish_numbers field[WISH_FIELDS];
    wish_setting set[WISH_SETTINGS];
    int set_count;
} wish;

/*
 * MO_OK, or MO_ERR_ARGUMENT with a sentence for the page.  All numbers are finite, and the fields
 * that the verb needs are there with as many numbers as they have.
 */
mo_error wish_read(const char *text, size_t size, wish *w, mo_message *why);

#endif
