/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Every request for memory of what is on show fails once, by itself and with all that follow:
 * opening a scene, every command of a page, a step, the messages, a replay page.  Nothing crashes
 * or leaks, there is a sentence, and the same asked for again is done.  Linked with --wrap, so that
 * the functions below take the place of malloc and its like in viewer, scenes and library.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"

#include "replay.h"
#include "stage.h"

/* Requests are granted until `left` is zero; then one fails, or all do. */
enum { PLENTY = 1000000000, MOST = 20000 };
static long left = PLENTY, live, failed;
static int fails_once;
static int has_begun; /* libraries have what they keep for good */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *p, size_t size);
void __real_free(void *p);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *p, size_t size);
void __wrap_free(void *p);

static int grants(void)
{
    const long number = __atomic_fetch_sub(&left, 1, __ATOMIC_RELAXED);
    const int granted = fails_once ? number != 0 : number > 0;
    __atomic_fetch_add(&failed, !granted, __ATOMIC_RELAXED);
    return granted;
}

static void *count(void *p)
{
    __atomic_fetch_add(&live, p != NULL, __ATOMIC_RELAXED);
    return p;
}

void *__wrap_malloc(size_t size)
{
    return grants() ? count(__real_malloc(size)) : NULL;
}

void *__wrap_calloc(size_t n, size_t size)
{
    return grants() ? count(__real_calloc(n, size)) : NULL;
}

void *__wrap_realloc(void *p, size_t size)
{
    if (!grants()) return NULL;
    void *moved = __real_realloc(p, size);
    return p ? moved : count(moved);
}

void __wrap_free(void *p)
{
    __atomic_fetch_sub(&live, p != NULL, __ATOMIC_RELAXED);
    __real_free(p);
}

/* ---- calls of a viewer ----------------------------------------------------------------------- */

typedef mo_error work_fn(stage *s, const char *text, mo_message *why);

static mo_error step(stage *s, const char *text, mo_message *why)
{
    (void)text;
    return stage_step(s, why);
}

static mo_error command_of(stage *s, const char *text, mo_message *why)
{
    command w;
    const mo_error error = command_read(text, strlen(text), &w, why);
    return error ? error : stage_command(s, 1, &w, why);
}

static mo_error messages(stage *s, const char *text, mo_message *why)
{
    FILE *nowhere = fopen("/dev/null", "w");
    unsigned char *frame = malloc(stage_frame_size(s));
    (void)text;
    CHECK(nowhere != NULL);
    stage_put_scene(s, nowhere);
    stage_put_state(s, nowhere);
    if (frame) stage_frame(s, 1, 1, frame);
    fclose(nowhere);
    snprintf(why->text, sizeof why->text, "out of memory");
    free(frame);
    return frame ? MO_OK : MO_ERR_MEMORY;
}

static mo_error replay_page(stage *s, const char *text, mo_message *why)
{
    const unsigned char html[] = "<html><script id=\"moreau-recording\"></script></html>";
    FILE *nowhere = fopen("/dev/null", "w");
    const long before = live;
    (void)text;
    CHECK(nowhere != NULL);
    const int good = replay_put_recording(&s->shown, "one frame", nowhere, html, sizeof html - 1);
    fclose(nowhere);
    live += live < before ? before - live : 0; /* text of the C library, which is freed by us */
    snprintf(why->text, sizeof why->text, "out of memory");
    return good ? MO_OK : MO_ERR_MEMORY;
}

static const struct {
    work_fn *work;
    const char *text;
} WORKS[] = {
    {step, "step"},
    {command_of, "{\"do\":\"grab\",\"body\":1,\"local\":[0,0,0.1],\"target\":[0.1,0,1]}"},
    {step, "step"},
    {command_of, "{\"do\":\"drag\",\"target\":[0,0,2]}"},
    {command_of, "{\"do\":\"release\"}"},
    {command_of, "{\"do\":\"set\",\"friction\":0.25,\"gravity\":5,\"tolerance\":1e-6}"},
    {command_of, "{\"do\":\"throw\",\"from\":[0,-3,1],\"velocity\":[0,5,0],\"radius\":0.1}"},
    {step, "step"},
    {messages, "messages"},
    {replay_page, "replay"},
    {command_of, "{\"do\":\"reset\"}"},
    {command_of, "{\"do\":\"scene\",\"name\":\"chain\",\"set\":{\"links\":4}}"},
    {step, "step"},
    {command_of, "{\"do\":\"set\",\"friction\":null}"},
    {step, "step"},
};
enum { WORK_COUNT = sizeof WORKS / sizeof WORKS[0] };

/* The work of this number with the request of number k failing, after all before it; whether it had
 * such a request. */
static int starve(int number, long k, int once)
{
    stage s = {0};
    mo_message why = {{0}};
    stage_source source = {.scene = world_scene_find("stack")};
    const long before = live;
    world_default_values(source.scene, source.values);
    source.values[0] = 2;
    left = PLENTY;
    for (int j = -1; j < number; ++j)
        if (j < 0 ? stage_open(&s, &source, &why) : WORKS[j].work(&s, WORKS[j].text, &why))
            fail_msg("work %d: %s", j, why.text);
    const int bodies = mo_world_body_count(s.world);
    left = k, failed = 0, fails_once = once;
    const mo_error error = WORKS[number].work(&s, WORKS[number].text, &why);
    const int had = failed > 0;
    left = PLENTY, fails_once = 0;
    if (error && !why.text[0])
        fail_msg("'%s': request %ld fails without a sentence", WORKS[number].text, k);
    if (error && mo_world_body_count(s.world) != bodies)
        fail_msg("'%s': request %ld fails and leaves something", WORKS[number].text, k);
    if (error && WORKS[number].work(&s, WORKS[number].text, &why))
        fail_msg("'%s': after request %ld failed: %s", WORKS[number].text, k, why.text);
    if (stage_step(&s, &why))
        fail_msg("'%s': a step after request %ld failed: %s", WORKS[number].text, k, why.text);
    stage_close(&s);
    if (has_begun && live != before) {
        fail_msg("'%s': request %ld fails, %ld blocks are left", WORKS[number].text, k,
                 live - before);
    }
    return had;
}

static void every_allocation_for_a_shown_scene_fails_once(void **state)
{
    (void)state;
    has_begun = 0;
    starve(WORK_COUNT - 1, PLENTY, 0);
    has_begun = 1;
    for (int number = 0; number < WORK_COUNT; ++number) {
        for (int once = 0; once < 2; ++once) {
            for (long k = 0; k < MOST && starve(number, k, once); k += k < 60 ? 1 : 17) {
            }
        }
    }
}

static void every_request_of_opening_fails_once(void **state)
{
    (void)state;
    stage_source source = {.scene = world_scene_find("chain")};
    world_default_values(source.scene, source.values);
    for (int once = 0; once < 2; ++once) {
        for (long k = 0; k < MOST; k += k < 100 ? 1 : 7) {
            stage s = {0};
            mo_message why = {{0}};
            const long before = live;
            left = k, failed = 0, fails_once = once;
            const mo_error error = stage_open(&s, &source, &why);
            const int had = failed > 0;
            left = PLENTY, fails_once = 0;
            CHECK(!error || why.text[0]);
            stage_close(&s);
            if (live != before)
                fail_msg("request %ld of opening fails, %ld blocks are left", k, live - before);
            if (!had) {
                CHECK(error == MO_OK);
                break;
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_for_a_shown_scene_fails_once),
        cmocka_unit_test(every_request_of_opening_fails_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
