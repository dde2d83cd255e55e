/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "command.h"

#include <libwebsockets.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "say.h"

typedef struct verb_row {
    const char *name;
    command_field needs[4];
    int counts[4]; /* of numbers; 0 ends the list */
} verb_row;

static const verb_row VERBS[COMMAND_VERBS] = {
    [COMMAND_PLAY] = {.name = "play"},
    [COMMAND_PAUSE] = {.name = "pause"},
    [COMMAND_STEP] = {.name = "step"},
    [COMMAND_RESET] = {.name = "reset"},
    [COMMAND_SCENE] = {.name = "scene"},
    [COMMAND_SPEED] = {.name = "speed", .needs = {FIELD_VALUE}, .counts = {1}},
    [COMMAND_GRAB] = {.name = "grab",
                      .needs = {FIELD_BODY, FIELD_LOCAL, FIELD_TARGET},
                      .counts = {1, 3, 3}},
    [COMMAND_DRAG] = {.name = "drag", .needs = {FIELD_TARGET}, .counts = {3}},
    [COMMAND_RELEASE] = {.name = "release"},
    [COMMAND_THROW] = {.name = "throw",
                       .needs = {FIELD_FROM, FIELD_VELOCITY, FIELD_RADIUS},
                       .counts = {3, 3, 1}},
    [COMMAND_SET] = {.name = "set"},
    [COMMAND_JOINT] = {.name = "joint", .needs = {FIELD_INDEX, FIELD_TARGET}, .counts = {1, 1}},
    [COMMAND_TARGET] = {.name = "target", .needs = {FIELD_INDEX, FIELD_VALUE}, .counts = {1, 1}},
};

static const char *const FIELDS[COMMAND_FIELDS] = {
    [FIELD_VALUE] = "value",         [FIELD_BODY] = "body",         [FIELD_LOCAL] = "local",
    [FIELD_TARGET] = "target",       [FIELD_FROM] = "from",         [FIELD_VELOCITY] = "velocity",
    [FIELD_RADIUS] = "radius",       [FIELD_STEP] = "step",         [FIELD_GRAVITY] = "gravity",
    [FIELD_TOLERANCE] = "tolerance", [FIELD_FRICTION] = "friction", [FIELD_INDEX] = "index",
    [FIELD_RESTART] = "restart",
};

/* ---- the parser's calls ---------------------------------------------------------------------- */

typedef struct reading {
    command *w;
    char verb[COMMAND_NAME];
    char text[COMMAND_NAME]; /* of the string that is being read */
    size_t length;
    int too_long; /* a string of the command */
    int not_finite;
    int has_long; /* the next number replaces one that is too long for the parser: */
    double long_value;
} reading;

/* The field with this path, "local" or (an element of an array) "local[]"; or -1. */
static int field_of(const char *path)
{
    const size_t length = strcspn(path, "[");
    for (int k = 0; k < COMMAND_FIELDS; ++k)
        if (strlen(FIELDS[k]) == length && strncmp(path, FIELDS[k], length) == 0 &&
            (!path[length] || strcmp(path + length, "[]") == 0))
            return k;
    return -1;
}

static void take_number(reading *r, const char *path, const char *text)
{
    const double value = r->has_long ? r->long_value : strtod(text, NULL);
    const int field = field_of(path);
    r->has_long = 0;
    r->not_finite |= !isfinite(value);
    if (field >= 0) {
        command_numbers *numbers = r->w->field + field;
        if (numbers->count < 3) numbers->at[numbers->count] = value;
        numbers->count += numbers->count < 4;
    } else if (strncmp(path, "set.", 4) == 0 && r->w->set_count < COMMAND_SETTINGS) {
        command_setting *setting = r->w->set + r->w->set_count++;
        r->too_long |= strlen(path + 4) >= sizeof setting->name;
        snprintf(setting->name, sizeof setting->name, "%.*s", (int)sizeof setting->name - 1,
                 path + 4);
        setting->value = value;
    }
}

static void take_text(reading *r, const char *path)
{
    char *to = strcmp(path, "do") == 0       ? r->verb
               : strcmp(path, "name") == 0   ? r->w->name
               : strcmp(path, "method") == 0 ? r->w->method
                                             : NULL;
    if (to) {
        memcpy(to, r->text, sizeof r->text);
        r->too_long |= r->length >= sizeof r->text;
    }
}

static void add_chunk(reading *r, const char *chunk, size_t size)
{
    for (size_t k = 0; k < size; ++k, ++r->length) {
        if (r->length + 1 < sizeof r->text) {
            r->text[r->length] = chunk[k];
            r->text[r->length + 1] = '\0';
        }
    }
}

static signed char on_json(struct lejp_ctx *ctx, char reason)
{
    reading *r = ctx->user;
    switch (reason) {
    case LEJPCB_VAL_NUM_INT:
    case LEJPCB_VAL_NUM_FLOAT:
        take_number(r, ctx->path, ctx->buf);
        break;
    case LEJPCB_VAL_NULL:
        if (field_of(ctx->path) >= 0) r->w->field[field_of(ctx->path)].is_null = 1;
        break;
    case LEJPCB_VAL_STR_START:
        r->length = 0;
        r->text[0] = '\0';
        break;
    case LEJPCB_VAL_STR_CHUNK:
        add_chunk(r, ctx->buf, ctx->npos);
        break;
    case LEJPCB_VAL_STR_END:
        add_chunk(r, ctx->buf, ctx->npos);
        take_text(r, ctx->path);
        break;
    default:
        break;
    }
    return 0;
}

/* ---- required members ------------------------------------------------------------------------ */

static int find_verb(const char *name)
{
    for (int k = 0; k < COMMAND_VERBS; ++k)
        if (strcmp(VERBS[k].name, name) == 0) return k;
    return -1;
}

static mo_error check_fields(const command *w, mo_message *why)
{
    const verb_row *row = VERBS + w->verb;
    for (int k = 0; k < 4 && row->counts[k]; ++k) {
        if (w->field[row->needs[k]].count != row->counts[k]) {
            return view_fail(why, "the command '%s' needs '%s' with %d number%s", row->name,
                             FIELDS[row->needs[k]], row->counts[k], row->counts[k] > 1 ? "s" : "");
        }
    }
    return MO_OK;
}

/* ---- long numbers ---------------------------------------------------------------------------- */

enum { SHORT_NUMBER = 20 }; /* characters that the parser accepts */

/* Length of the JSON number at the start of the text, which ends with a 0:
 * -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)? */
static size_t number_length(const char *text)
{
    static const char DIGITS[] = "0123456789";
    const char *at = text + (text[0] == '-');
    const size_t whole = *at == '0' ? 1 : strspn(at, DIGITS);
    at += whole;
    if (whole && *at == '.' && strspn(at + 1, DIGITS)) at += 1 + strspn(at + 1, DIGITS);
    if (whole && (*at == 'e' || *at == 'E')) {
        const char *power = at + 1 + (at[1] == '+' || at[1] == '-');
        at = strspn(power, DIGITS) ? power + strspn(power, DIGITS) : at;
    }
    return whole ? (size_t)(at - text) : 0;
}

/* Length of the characters of a number from here on; 0: none. */
static size_t number_run(const char *text, size_t size)
{
    size_t run = 0;
    if (strchr("+-.0123456789", text[0]) && text[0])
        while (run < size && text[run] && strchr("+-.0123456789eE", text[run]))
            ++run;
    return run;
}

/* The place of the next number that is too long for the parser, at or after `from` and outside of
 * strings, and its length; or size. */
static size_t find_long(const char *text, size_t size, size_t from, size_t *length)
{
    int in_string = 0;
    for (size_t at = from; at < size; ++at) {
        if (in_string && text[at] == '\\') {
            ++at;
        } else if (text[at] == '"') {
            in_string = !in_string;
        } else if (!in_string) {
            *length = number_run(text + at, size - at);
            if (*length > SHORT_NUMBER) return at;
            at += *length ? *length - 1 : 0;
        }
    }
    return size;
}

static int parse(struct lejp_ctx *ctx, const char *text, size_t size)
{
    return size ? lejp_parse(ctx, (const unsigned char *)text, (int)size) : LEJP_CONTINUE;
}

/* A 0 to the parser, and the character behind the number, by which it knows that the number has
 * ended; LEJP_CONTINUE, or it is refused. */
static int parse_long(struct lejp_ctx *ctx, reading *r, const char *text, size_t length)
{
    char copy[COMMAND_DIGITS + 1];
    if (length > COMMAND_DIGITS) return LEJP_REJECT_NUM_TOO_LONG;
    memcpy(copy, text, length);
    copy[length] = '\0';
    if (number_length(copy) != length) return LEJP_REJECT_MP_VAL_NUM_FORMAT;
    r->has_long = 1;
    r->long_value = strtod(copy, NULL);
    const int first = parse(ctx, "0", 1);
    const int done = first == LEJP_CONTINUE ? parse(ctx, text + length, 1) : first;
    return r->has_long && done >= LEJP_CONTINUE ? LEJP_REJECT_MP_VAL_NUM_FORMAT : done;
}

/* The result of lejp_parse: number of bytes after the object, or negative. */
static int parse_all(struct lejp_ctx *ctx, reading *r, const char *text, size_t size)
{
    size_t from = 0, length = 0;
    int left = LEJP_CONTINUE;
    while (left == LEJP_CONTINUE && from < size) {
        const size_t at = find_long(text, size, from, &length);
        left = parse(ctx, text + from, at - from);
        from = at;
        if (left == LEJP_CONTINUE && at + length < size) {
            left = parse_long(ctx, r, text + at, length);
            from = at + length + 1;
        } else if (left == LEJP_CONTINUE) {
            return left; /* it ends too early */
        }
    }
    return left >= 0 ? left + (int)(size - from) : left;
}

/* ---- entry points ---------------------------------------------------------------------------- */

static int only_space(const char *text, size_t size)
{
    while (size && (*text == ' ' || *text == '\n' || *text == '\t' || *text == '\r')) {
        ++text;
        --size;
    }
    return size == 0;
}

mo_error command_read(const char *text, size_t size, command *w, mo_message *why)
{
    reading r = {.w = w};
    struct lejp_ctx ctx;
    memset(w, 0, sizeof *w);
    if (size == 0 || size > COMMAND_LONGEST || text[0] != '{')
        return view_fail(why, "a command is one JSON object of at most %d bytes", COMMAND_LONGEST);
    lejp_construct(&ctx, on_json, &r, NULL, 0);
    const int left = parse_all(&ctx, &r, text, size);
    lejp_destruct(&ctx);
    if (left < 0 || !only_space(text + size - left, (size_t)left))
        return view_fail(why, "a command is one JSON object; this text is not");
    if (r.not_finite || r.too_long) {
        return view_fail(why, "a %s in the command is too %s", r.not_finite ? "number" : "name",
                         r.not_finite ? "large" : "long");
    }
    const int verb = find_verb(r.verb);
    if (verb < 0) return view_fail(why, "there is no command '%s'", r.verb);
    w->verb = (command_verb)verb;
    return check_fields(w, why);
}
