/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "json.h"

#include <math.h>

#include "number.h"
#include "text.h"

static void put_string(FILE *out, const char *text)
{
    fputc('"', out);
    while (*text) {
        const char *start = text;
        const unsigned code = text_next(&text);
        if (code == '"' || code == '\\')
            fprintf(out, "\\%c", (int)code);
        else if (code == '\n')
            fputs("\\n", out);
        else if (code == '\t')
            fputs("\\t", out);
        else if (code < 0x20 || code == 0x7F || code == 0xFFFD)
            fprintf(out, "\\u%04x", code);
        else
            fwrite(start, 1, (size_t)(text - start), out);
    }
    fputc('"', out);
}

/* Before a value: a comma if needed, and the key. */
static void lead(json *j, const char *key)
{
    if (j->started) fputc(',', j->out);
    if (key) {
        put_string(j->out, key);
        fputc(':', j->out);
    }
    j->started = 1;
}

static void open(json *j, const char *key, char bracket)
{
    lead(j, key);
    fputc(bracket, j->out);
    j->started = 0;
}

static void shut(json *j, char bracket)
{
    fputc(bracket, j->out);
    j->started = 1;
}

static int printed;

json json_begin(FILE *out)
{
    printed |= out == stdout;
    return (json){out, 0};
}

int json_was_printed(void)
{
    return printed;
}

void json_end(json *j)
{
    fputc('\n', j->out);
}

void json_object(json *j, const char *key)
{
    open(j, key, '{');
}

void json_object_end(json *j)
{
    shut(j, '}');
}

void json_array(json *j, const char *key)
{
    open(j, key, '[');
}

void json_array_end(json *j)
{
    shut(j, ']');
}

void json_text(json *j, const char *key, const char *text)
{
    lead(j, key);
    if (text)
        put_string(j->out, text);
    else
        fputs("null", j->out);
}

void json_number(json *j, const char *key, double value)
{
    lead(j, key);
    fputs(isfinite(value) ? number_exact(value).text : "null", j->out);
}

void json_whole(json *j, const char *key, long long value)
{
    lead(j, key);
    fprintf(j->out, "%lld", value);
}

void json_truth(json *j, const char *key, int value)
{
    lead(j, key);
    fputs(value ? "true" : "false", j->out);
}

void json_null(json *j, const char *key)
{
    lead(j, key);
    fputs("null", j->out);
}
