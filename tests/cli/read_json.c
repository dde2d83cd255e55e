/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * A strict reader of JSON lines, for the tests of the program: read_json [KEY] < LINES
 *
 * Every line of the input has to be one JSON object (RFC 8259, UTF-8 included), or it ends with
 * status 1 and says where.  With a key, prints that member of each object as it stands in the
 * input, or "(absent)"; strings come with their quotes.
 */
#include <stdio.h>
#include <string.h>

static int value(const char **at);

static void skip_space(const char **at)
{
    *at += strspn(*at, " \t\r");
}

static int word(const char **at, const char *text)
{
    const size_t length = strlen(text);
    const int same = strncmp(*at, text, length) == 0;
    *at += same ? length : 0;
    return same;
}

static int digits(const char **at)
{
    const size_t count = strspn(*at, "0123456789");
    *at += count;
    return count > 0;
}

static int number(const char **at)
{
    word(at, "-");
    if (!word(at, "0") && !digits(at)) return 0;
    if (word(at, ".") && !digits(at)) return 0;
    if (word(at, "e") || word(at, "E")) {
        if (!word(at, "+")) word(at, "-");
        return digits(at);
    }
    return 1;
}

/* One character above 0x7F: well formed, as short as can be, and no surrogate. */
static int wide_character(const char **at)
{
    const unsigned char *c = (const unsigned char *)*at;
    const int length = c[0] >= 0xF0 ? 4 : c[0] >= 0xE0 ? 3 : 2;
    unsigned code = c[0] & (0x7Fu >> length);
    for (int k = 1; k < length; ++k) {
        if ((c[k] & 0xC0) != 0x80) return 0;
        code = code << 6 | (c[k] & 0x3Fu);
    }
    *at += length;
    return c[0] >= 0xC2 && c[0] < 0xF5 &&
           code >= (length == 2   ? 0x80u
                    : length == 3 ? 0x800u
                                  : 0x10000u) &&
           code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
}

static int escape(const char **at)
{
    if (word(at, "u")) {
        const int good = strspn(*at, "0123456789abcdefABCDEF") >= 4;
        *at += good ? 4 : 0;
        return good;
    }
    const int good = **at && strchr("\"\\/bfnrt", **at);
    *at += good;
    return good;
}

static int string(const char **at)
{
    if (!word(at, "\"")) return 0;
    while (**at && **at != '"') {
        const unsigned char c = (unsigned char)**at;
        if (c < 0x20) return 0;
        if (c >= 0x80) {
            if (!wide_character(at)) return 0;
            continue;
        }
        ++*at;
        if (c == '\\' && !escape(at)) return 0;
    }
    return word(at, "\"");
}

static int array(const char **at)
{
    skip_space(at);
    if (word(at, "]")) return 1;
    do {
        if (!value(at)) return 0;
    } while (word(at, ","));
    return word(at, "]");
}

/* The members of an object.  Where `key` is given, its value's place and length are kept. */
static int object(const char **at, const char *key, const char **found, int *length)
{
    skip_space(at);
    if (word(at, "}")) return 1;
    do {
        skip_space(at);
        const char *name = *at;
        if (!string(at)) return 0;
        const int wanted = key && strlen(key) == (size_t)(*at - name) - 2 &&
                           strncmp(key, name + 1, strlen(key)) == 0;
        skip_space(at);
        if (!word(at, ":")) return 0;
        skip_space(at);
        const char *start = *at;
        if (!value(at) || (wanted && *found)) /* a key stands once */
            return 0;
        if (wanted) {
            *found = start;
            *length = (int)(*at - start);
        }
    } while (word(at, ","));
    return word(at, "}");
}

static int value(const char **at)
{
    skip_space(at);
    const int good = **at == '"'     ? string(at)
                     : word(at, "{") ? object(at, NULL, NULL, NULL)
                     : word(at, "[")
                         ? array(at)
                         : word(at, "true") || word(at, "false") || word(at, "null") || number(at);
    skip_space(at);
    return good;
}

static int read_line(const char *line, const char *key)
{
    const char *at = line, *found = NULL;
    int length = 0;
    if (!word(&at, "{") || !object(&at, key, &found, &length) || *at) {
        fprintf(stderr, "read_json: not a JSON object, at '%.60s'\n", at);
        return 0;
    }
    if (key) printf("%.*s\n", found ? length : 8, found ? found : "(absent)");
    return 1;
}

int main(int argc, char **argv)
{
    static char line[1 << 20];
    int good = 1;
    while (good && fgets(line, sizeof line, stdin)) {
        const size_t length = strcspn(line, "\n");
        good = line[length] == '\n'; /* a last line without its end was cut off */
        line[length] = 0;
        good = good && read_line(line, argc > 1 ? argv[1] : NULL);
    }
    return good ? 0 : 1;
}
