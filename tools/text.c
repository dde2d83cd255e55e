/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "text.h"

#include <stdarg.h>
#include <string.h>

enum { LINE_WIDTH = 80 };

/* ---- errors ---------------------------------------------------------------------------------- */

static void put_sentence(const char *head, const char *name, const char *format, va_list values)
    MO_PRINTF(3, 0);

static said last;

static void put_sentence(const char *head, const char *name, const char *format, va_list values)
{
    vsnprintf(last.text, sizeof last.text, format, values);
    fflush(stdout); /* keeps the order of output and errors on a terminal */
    fputs("moreau", stderr);
    fputs(head, stderr);
    text_put(stderr, name);
    fputs(": ", stderr);
    text_put(stderr, last.text);
    fputc('\n', stderr);
}

void say(const char *command, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    put_sentence(command ? " " : "", command ? command : "", format, values);
    last.file[0] = '\0';
    va_end(values);
}

void say_of_file(const char *file, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    put_sentence(": ", file, format, values);
    snprintf(last.file, sizeof last.file, "%s", file);
    va_end(values);
}

const said *said_last(void)
{
    return &last;
}

/* Whether `head`, of this length, is the name of the file, or "..." and its end. */
static int is_name(const char *head, size_t length, const char *file)
{
    const size_t file_length = strlen(file);
    if (length == file_length) return strncmp(head, file, length) == 0;
    return length > 3 && length - 3 < file_length && strncmp(head, "...", 3) == 0 &&
           strncmp(head + 3, file + (file_length - (length - 3)), length - 3) == 0;
}

const char *text_of_error(const char *file, mo_error error, const mo_message *why)
{
    const char *text = why->text[0] ? why->text : mo_error_text(error);
    for (const char *end = strstr(text, ": "); end; end = strstr(end + 1, ": "))
        if (is_name(text, (size_t)(end - text), file)) return end + 2;
    return text;
}

int output_is_good(void)
{
    return fflush(stdout) == 0 && !ferror(stdout);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Number of bytes of a UTF-8 character by its first byte; 0: not a first byte. */
static int utf8_length(unsigned char first)
{
    return first < 0x80   ? 1
           : first < 0xC2 ? 0
           : first < 0xE0 ? 2
           : first < 0xF0 ? 3
           : first < 0xF5 ? 4
                          : 0;
}

unsigned text_next(const char **text)
{
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *c = (const unsigned char *)*text;
    const int length = utf8_length(*c);
    if (*c == 0) return 0;
    unsigned code = length == 1 ? *c : *c & (0xFFu >> (length + 1));
    for (int k = 1; k < length; ++k) {
        if ((c[k] & 0xC0) != 0x80) {
            *text += 1;
            return 0xFFFD;
        }
        code = code << 6 | (c[k] & 0x3Fu);
    }
    const int surrogate = code >= 0xD800 && code <= 0xDFFF;
    if (length == 0 || code < least[length] || code > 0x10FFFF || surrogate) {
        *text += 1;
        return 0xFFFD;
    }
    *text += length;
    return code;
}

/* One character of a text; a control character or a broken one as '?'. */
static void put_character(FILE *out, const char **text)
{
    const char *start = *text;
    const unsigned code = text_next(text);
    if (code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0xFFFD)
        fputc(code == '\n' || code == '\t' ? ' ' : '?', out);
    else
        fwrite(start, 1, (size_t)(*text - start), out);
}

void text_put(FILE *out, const char *text)
{
    while (*text)
        put_character(out, &text);
}

int text_width(const char *text)
{
    int width = 0;
    for (; *text; ++width)
        text_next(&text);
    return width;
}

void text_put_column(FILE *out, const char *text, int width)
{
    int length = text_width(text);
    if (length > width) {
        for (; length > width - 3; --length)
            text_next(&text);
        fputs("...", out);
        length += 3;
    }
    text_put(out, text);
    fprintf(out, "%*s", width - length, "");
}

void text_put_wrapped(FILE *out, const char *text, int column, int indent)
{
    while (*text == ' ' || *text == '\n')
        ++text;
    for (int at = column; *text;) {
        const size_t length = strcspn(text, " \n");
        char word[256];
        snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1),
                 text);
        const int width = text_width(word);
        if (at > column && at + 1 + width > LINE_WIDTH) {
            fprintf(out, "\n%*s", indent, "");
            at = column = indent;
        }
        if (at > column) {
            fputc(' ', out);
            ++at;
        }
        text_put(out, word);
        at += width;
        text += strlen(word);
        while (*text == ' ' || *text == '\n')
            ++text;
    }
    fputc('\n', out);
}
