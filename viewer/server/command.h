/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * A command of a page: one JSON object, read with the streaming parser of libwebsockets into a
 * struct of fixed size.  Unknown members are skipped.  docs/frames.md lists the commands.
 *
 * That parser refuses numbers of more than about twenty characters, which a double with all its
 * digits may have.  Longer ones are checked here and passed to the parser as 0; the value is
 * inserted when the parser reports that 0.
 */
#ifndef VIEWER_COMMAND_H
#define VIEWER_COMMAND_H

#include <stddef.h>

#include "moreau/base.h"

enum { COMMAND_LONGEST = 65536, COMMAND_NAME = 64, COMMAND_SETTINGS = 32, COMMAND_DIGITS = 1024 };

typedef enum command_verb {
    COMMAND_PLAY,
    COMMAND_PAUSE,
    COMMAND_STEP,
    COMMAND_RESET,
    COMMAND_SCENE,
    COMMAND_SPEED,
    COMMAND_GRAB,
    COMMAND_DRAG,
    COMMAND_RELEASE,
    COMMAND_THROW,
    COMMAND_SET,
    COMMAND_JOINT,
    COMMAND_TARGET,
    COMMAND_VERBS
} command_verb;

/* The members that hold one number or three. */
typedef enum command_field {
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
    COMMAND_FIELDS
} command_field;

typedef struct command_numbers {
    double at[3];
    int count;   /* 0: absent; 1 or 3 as a rule; more than 3 are counted, not kept */
    int is_null; /* the word null */
} command_numbers;

typedef struct command_setting {
    char name[COMMAND_NAME];
    double value;
} command_setting;

typedef struct command {
    command_verb verb;
    char name[COMMAND_NAME];   /* of a scene; "" where absent  */
    char method[COMMAND_NAME]; /* the same */
    command_numbers field[COMMAND_FIELDS];
    command_setting set[COMMAND_SETTINGS];
    int set_count;
} command;

/*
 * MO_OK, or MO_ERR_ARGUMENT with a sentence for the page.  All numbers are finite, and the fields
 * that the verb needs are there with as many numbers as they have.
 */
mo_error command_read(const char *text, size_t size, command *w, mo_message *why);

#endif
