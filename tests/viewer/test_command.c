/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* What a page may send: every command is read, everything else is refused with a sentence, whatever
 * it is. */
#include <stdlib.h>
#include <string.h>

#include "check.h"

#include "command.h"

static command read_good(const char *text)
{
    command w;
    mo_message why = {{0}};
    if (command_read(text, strlen(text), &w, &why) != MO_OK) fail_msg("%s: %s", text, why.text);
    return w;
}

static void refuse(const char *text)
{
    command w;
    mo_message why = {{0}};
    CHECK(command_read(text, strlen(text), &w, &why) == MO_ERR_ARGUMENT);
    CHECK(strlen(why.text) > 10);
}

static void commands_are_read(void **state)
{
    (void)state;
    CHECK(read_good("{\"do\":\"play\"}").verb == COMMAND_PLAY);
    CHECK(read_good("{ \"do\" : \"release\" }\n").verb == COMMAND_RELEASE);
    command w =
        read_good("{\"do\":\"grab\",\"body\":3,\"local\":[0.5,-1,2e-1],\"target\":[1,2,3]}");
    CHECK(w.verb == COMMAND_GRAB && w.field[FIELD_BODY].at[0] == 3);
    CHECK(w.field[FIELD_LOCAL].at[0] == 0.5 && w.field[FIELD_LOCAL].at[1] == -1 &&
          w.field[FIELD_LOCAL].at[2] == 0.2 && w.field[FIELD_TARGET].at[2] == 3);
    w = read_good("{\"set\":{\"count\":30,\"mu\":0.25},\"name\":\"stack\",\"do\":\"scene\"}");
    CHECK(w.verb == COMMAND_SCENE && strcmp(w.name, "stack") == 0 && w.set_count == 2);
    CHECK(strcmp(w.set[0].name, "count") == 0 && w.set[0].value == 30);
    CHECK(strcmp(w.set[1].name, "mu") == 0 && w.set[1].value == 0.25);
    w = read_good("{\"do\":\"set\",\"friction\":null,\"method\":\"nsgs\",\"gravity\":9.81}");
    CHECK(w.field[FIELD_FRICTION].is_null && !w.field[FIELD_FRICTION].count);
    CHECK(strcmp(w.method, "nsgs") == 0 && w.field[FIELD_GRAVITY].count == 1);
    w = read_good("{\"do\":\"joint\",\"index\":1,\"target\":-2.5}");
    CHECK(w.field[FIELD_INDEX].at[0] == 1 && w.field[FIELD_TARGET].at[0] == -2.5);
    w = read_good("{\"do\":\"target\",\"index\":4,\"value\":0.5}");
    CHECK(w.verb == COMMAND_TARGET && w.field[FIELD_INDEX].at[0] == 4 &&
          w.field[FIELD_VALUE].at[0] == 0.5);
    w = read_good(
        "{\"do\":\"pause\",\"other\":{\"a\":[1,[2,{\"b\":null}]],\"c\":\"\\u00e9\\\"\"}}");
    CHECK(w.verb == COMMAND_PAUSE); /* unknown members are skipped */
}

/* Numbers of 1 to COMMAND_DIGITS characters, each as strtod has it, wherever they stand; what is no
 * JSON is refused at any length. */
static void numbers_may_be_long(void **state)
{
    (void)state;
    static const char TAIL[] = "31415926535897932384626433832795028841971693993751058209749445";
    char number[96], text[1024];
    for (int digits = 1; digits <= 60; ++digits) {
        snprintf(number, sizeof number, "-0.%.*se-%d", digits, TAIL, digits % 7);
        const double value = strtod(number, NULL);
        snprintf(text, sizeof text,
                 "{\"a\":\"\\\"%s\",\"target\":[%s, "
                 "2,%s],\"set\":{\"p\":%s},\"do\":\"drag\",\"b\":%s}\n",
                 number, number, number, number, number);
        const command w = read_good(text);
        CHECK(w.field[FIELD_TARGET].count == 3 && w.field[FIELD_TARGET].at[0] == value);
        CHECK(w.field[FIELD_TARGET].at[1] == 2 && w.field[FIELD_TARGET].at[2] == value);
        CHECK(w.set_count == 1 && w.set[0].value == value);
    }
    CHECK(read_good("{\"do\":\"speed\",\"value\":0.12345678901234567890123}")
              .field[FIELD_VALUE]
              .at[0] == 0.12345678901234567890123);
    CHECK(read_good("{\"do\":\"speed\",\"value\":-1.7976931348623157e+308}")
              .field[FIELD_VALUE]
              .at[0] == -1.7976931348623157e+308);
    CHECK(read_good("{\"do\":\"speed\",\"value\":100000000000000000000000000000 }")
              .field[FIELD_VALUE]
              .at[0] == 1e29);
    static const char *const BAD[] = {
        "0012345678901234567890123456789",      "+1.2345678901234567890123456789",
        "1-0.12345678901234567890123456",       "1.2345678901234567890123456789.1",
        ".12345678901234567890123456789",       "1.2345678901234567890123456789e",
        "12345678901234567890123456789.",       "1234567890123456789012345678e9999",
        "--12345678901234567890123456789",      "1.2345678901234567890123456789x",
        "/*1.2345678901234567890123456789*/ 3", "2 1.2345678901234567890123456789",
        "1.2345678901234567890123456789 2",
    };
    for (size_t k = 0; k < sizeof BAD / sizeof BAD[0]; ++k) {
        snprintf(text, sizeof text, "{\"do\":\"speed\",\"value\":%s}", BAD[k]);
        refuse(text);
        snprintf(text, sizeof text, "{\"do\":\"speed\",\"value\":%s", BAD[k]);
        refuse(text);
    }
    refuse("{\"do\":\"play\"} 1.2345678901234567890123456789");
    refuse("{\"do\":\"speed\",\"value\":1.2345678901234567890123456789");
}

static void all_else_is_refused(void **state)
{
    (void)state;
    static const char *const BAD[] = {
        "",
        "x",
        "[]",
        "{}",
        "{\"do\":3}",
        "{\"do\":\"fly\"}",
        "{\"do\":\"play\"",
        "{\"do\":\"play\"}}",
        "{\"do\":\"play\"} x",
        "{\"do\":\"speed\"}",
        "{\"do\":\"speed\",\"value\":\"1\"}",
        "{\"do\":\"speed\",\"value\":1e999}",
        "{\"do\":\"speed\",\"value\":NaN}",
        "{\"do\":\"drag\",\"target\":[1,2]}",
        "{\"do\":\"target\",\"value\":1}",
        "{\"do\":\"drag\",\"target\":[1,2,3,4]}",
        "{\"do\":\"drag\",\"target\":[[1,2,3]]}",
        "{\"do\":\"drag\",\"target\":1}",
        "{\"do\":\"grab\",\"body\":0,\"local\":[0,0,0]}",
        "{\"do\":\"scene\",\"name\":"
        "\"0123456789012345678901234567890123456789012345678901234567890123456789\"}",
        "{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{"
        "\"a\":{\"a\":1}}}}}}}}}}}}}}",
        "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
    };
    for (size_t k = 0; k < sizeof BAD / sizeof BAD[0]; ++k)
        refuse(BAD[k]);
}

static void long_ones_are_refused_and_long_parts_do_no_harm(void **state)
{
    (void)state;
    char *text = malloc(COMMAND_LONGEST + 100);
    command w;
    mo_message why;
    for (int size = 100; size <= COMMAND_LONGEST + 50; size += size < 1000 ? 1 : 4999) {
        memset(text, 'a', (size_t)size);
        memcpy(text, "{\"", 2); /* an endless name */
        CHECK(command_read(text, (size_t)size, &w, &why) != MO_OK);
        memcpy(text, "{\"do\":\"", 7); /* an endless string */
        CHECK(command_read(text, (size_t)size, &w, &why) != MO_OK);
        memset(text + 9, '1', (size_t)size - 9); /* an endless number */
        memcpy(text, "{\"value\":", 9);
        CHECK(command_read(text, (size_t)size, &w, &why) != MO_OK);
    }
    /* As many settings as it likes: those that fit are kept. */
    size_t length = (size_t)snprintf(text, 100, "{\"do\":\"scene\",\"name\":\"stack\",\"set\":{");
    for (int k = 0; k < 500; ++k)
        length += (size_t)snprintf(text + length, 40, "%s\"p%d\":%d", k ? "," : "", k, k);
    length += (size_t)snprintf(text + length, 3, "}}");
    CHECK(command_read(text, length, &w, &why) == MO_OK && w.set_count == COMMAND_SETTINGS);
    free(text);
}

/* Damaged commands: an answer, never harm.  What is taken for good has finite numbers and whole
 * strings. */
static void damaged_ones_do_no_harm(void **state)
{
    (void)state;
    static const char *const GOOD[] = {
        "{\"do\":\"grab\",\"body\":3,\"local\":[0.5,-1,2e-1],\"target\":[1,2,3]}",
        "{\"set\":{\"count\":30,\"mu\":0.25},\"name\":\"stack\",\"do\":\"scene\"}",
        "{\"do\":\"set\",\"friction\":null,\"method\":\"\\u0041nsgs\",\"gravity\":[0,0,-9.81]}",
        "{\"do\":\"target\",\"index\":2,\"value\":-0.1234567890123456789012345e-7}",
    };
    mo_random random = {11};
    int taken = 0;
    for (int round = 0; round < 60000; ++round) {
        char text[256];
        command w;
        mo_message why = {{0}};
        size_t length =
            (size_t)snprintf(text, sizeof text, "%s", GOOD[mo_random_bits(&random) % 4]);
        for (int edits = 1 + (int)(mo_random_bits(&random) % 4); edits > 0; --edits) {
            const size_t at = mo_random_bits(&random) % length;
            switch (mo_random_bits(&random) % 4) {
            case 0:
                text[at] = (char)mo_random_bits(&random);
                break;
            case 1:
                text[at] = "{}[]\",:\\0e-"[mo_random_bits(&random) % 11];
                break;
            case 2:
                length = at + 1;
                break;
            default: /* a piece twice */
                if (length + 20 < sizeof text && at + 20 < length) {
                    memmove(text + at + 20, text + at, length - at);
                    length += 20;
                }
            }
        }
        if (command_read(text, length, &w, &why) == MO_OK) {
            ++taken;
            for (int k = 0; k < COMMAND_FIELDS; ++k)
                for (int i = 0; i < 3; ++i)
                    CHECK(isfinite(w.field[k].at[i]));
            CHECK(memchr(w.name, 0, sizeof w.name) && memchr(w.method, 0, sizeof w.method));
            CHECK((int)w.verb >= 0 && w.verb < COMMAND_VERBS && w.set_count <= COMMAND_SETTINGS);
        } else {
            CHECK(why.text[0] != '\0');
        }
    }
    CHECK(taken > 1000 && taken < 50000); /* the damage is neither none nor total */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_are_read),
        cmocka_unit_test(numbers_may_be_long),
        cmocka_unit_test(all_else_is_refused),
        cmocka_unit_test(long_ones_are_refused_and_long_parts_do_no_harm),
        cmocka_unit_test(damaged_ones_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
