/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * The server as a client with a bare socket meets it: who may connect, what comes, and that it goes
 * on whatever a client does.
 */
#include "server_client.h"

/* ---- requests -------------------------------------------------------------------------------- */

static void the_page_is_sent_complete(void **state)
{
    const running *r = *state;
    char text[128];
    size_t size;
    const int s = dial(r->port, 0);
    snprintf(text, sizeof text, "GET / HTTP/1.1\r\nHost: localhost:%d\r\nConnection: close\r\n\r\n",
             r->port);
    CHECK(put(s, text, strlen(text)));
    char *all = get_all(s, &size);
    char *body = strstr(all, "\r\n\r\n");
    CHECK(strncmp(all, "HTTP/1.1 200 ", 13) == 0 && body);
    *body = '\0';
    CHECK(strstr(all, "default-src 'none'") && strstr(all, "frame-ancestors 'none'"));
    CHECK(size - (size_t)(body + 4 - all) == PAGE_SIZE);
    CHECK(memcmp(body + 4, r->page, PAGE_SIZE) == 0);
    free(all);
    close(s);
}

static void wrong_requests_get_their_status(void **state)
{
    const running *r = *state;
    char ours[64], other[64];
    snprintf(ours, sizeof ours, "127.0.0.1:%d", r->port);
    snprintf(other, sizeof other, "127.0.0.1:%d", r->port == 1 ? 2 : r->port - 1);
    static const char GET[] = "GET / HTTP/1.1", HOST[] = "Host: ";
    CHECK(ask(r->port, GET, HOST, ours) == 200);
    CHECK(ask(r->port, GET, HOST, "evil.example") == 403); /* a name that was let point here */
    CHECK(ask(r->port, GET, HOST, "127.0.0.1") == 403);
    CHECK(ask(r->port, GET, HOST, other) == 403);
    CHECK(ask(r->port, GET, "X-Host: ", ours) != 200);
    CHECK(ask(r->port, "GET /x HTTP/1.1", HOST, ours) == 404);
    CHECK(ask(r->port, "GET /../etc/passwd HTTP/1.1", HOST, ours) != 200);
    CHECK(ask(r->port, "GET /socket HTTP/1.1", HOST, ours) == 404);
    CHECK(ask(r->port, "POST / HTTP/1.1", HOST, ours) == 405);
    CHECK(ask(r->port, "\x01\x02\x03", HOST, ours) != 200);
    check_it_goes_on(r);
}

static void other_sites_cannot_open_the_socket(void **state)
{
    const running *r = *state;
    char near[96];
    snprintf(near, sizeof near, "Origin: http://127.0.0.1:%d.evil.example\r\n", r->port);
    enum { NAMED = 9 }; /* get the reason; libwebsockets closes the others */
    const handshake bad[] = {
        {.origin = "Origin: http://evil.example\r\n"},
        {.origin = "Origin: null\r\n"},
        {.origin = ""},
        {.origin = near},
        {.origin = "Origin: http://127.0.0.1\r\n"},
        {.host = "evil.example"},
        {.path = "/"},
        {.path = "/socket/x"},
        {.protocol = ""},
        {.protocol = "Sec-WebSocket-Protocol: chat\r\n"},
        {.extra = "Sec-WebSocket-Version: 13\r\n"}, /* no key */
        {.extra = ""},
    };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k) {
        int status;
        const int s = open_socket(r->port, bad[k], &status, 0);
        if (status == 101) fail_msg("handshake %d was accepted", (int)k);
        CHECK(status == (k < NAMED ? 403 : 0));
        close(s);
    }
    check_it_goes_on(r);
}

static void a_page_gets_the_scene_then_frames(void **state)
{
    const running *r = *state;
    static message m;
    const int s = open_page(r->port);
    CHECK(get_message(s, &m) == 1 && strstr((char *)m.bytes, "\"type\":\"scene\""));
    CHECK(strstr((char *)m.bytes, "\"name\":\"stack\"") && m.bytes[m.size - 1] == '}');
    await_frame(s, &m);
    CHECK(m.size >= 100 + 28 * 11 && memcmp(m.bytes, "FMO5", 4) == 0);
    command_for(s, "{\"do\":\"pause\"}");
    await_text(s, "\"playing\":false", &m);
    command_for(s, "{\"do\":\"step\"}");
    await_frame(s, &m);
    command_for(s, "{\"do\":\"fly\"}");
    await_text(s, "there is no command 'fly'", &m);
    CHECK(strstr((char *)m.bytes, "\"type\":\"error\""));
    CHECK(put_frame(s, 0x82, "{}", 2, 2));
    await_text(s, "commands are text", &m);
    /* A command in three fragments, with a ping between. */
    CHECK(put_frame(s, 0x01, "{\"do\":", 6, 6) && put_frame(s, 0x00, "\"pl", 3, 3) &&
          put_frame(s, 0x89, "?", 1, 1) && put_frame(s, 0x80, "ay\"}", 4, 4));
    await_text(s, "\"playing\":true", &m);
    close(s);
}

static void a_hand_ends_with_its_page(void **state)
{
    const running *r = *state;
    static message m;
    const int other = open_page(r->port), s = open_page(r->port);
    command_for(s, "{\"do\":\"reset\"}");
    command_for(s, "{\"do\":\"speed\",\"value\":20}");
    command_for(s, "{\"do\":\"grab\",\"body\":10,\"local\":[0,0,0],\"target\":[0,0,14]}");
    double high = 0;
    for (int k = 0; k < 2000 && high < 13.5; ++k) {
        await_frame(other, &m);
        high = height_of(&m, 10);
    }
    CHECK(high >= 13.5);
    close(s);
    for (int k = 0; k < 2000 && high > 10; ++k) {
        await_frame(other, &m);
        high = height_of(&m, 10);
    }
    CHECK(high <= 10); /* it fell, while the other page looked on */
    command_for(other, "{\"do\":\"speed\",\"value\":1}");
    await_text(other, "\"speed\":1", &m);
    close(other);
}

/* ---- bad requests ---------------------------------------------------------------------------- */

static void huge_frames_end_the_connection(void **state)
{
    const running *r = *state;
    static message m;
    char *text = malloc(100000);
    memset(text, ' ', 100000);
    int s = open_page(r->port); /* says that it will send a terabyte */
    put_frame(s, 0x81, text, 1000, (uint64_t)1 << 40);
    while (get_message(s, &m) && m.kind != 8) {
    }
    CHECK(m.kind == 0 || m.kind == 8);
    close(s);
    s = open_page(r->port); /* grows by fragments without end */
    put_frame(s, 0x01, text, 50000, 50000);
    for (int k = 0; k < 10 && put_frame(s, 0x00, text, 50000, 50000); ++k) {
    }
    while (get_message(s, &m) && m.kind != 8) {
    }
    CHECK(m.kind == 0 || m.kind == 8);
    close(s);
    s = open_page(r->port); /* 64 kB are allowed: spaces, and no command in them */
    put_frame(s, 0x81, text, 65536, 65536);
    await_text(s, "\"type\":\"error\"", &m);
    close(s);
    free(text);
    check_it_goes_on(r);
}

static void broken_frames_do_no_harm(void **state)
{
    const running *r = *state;
    mo_random random = {3};
    for (int k = 0; k < 30; ++k) {
        char bytes[300];
        const int s = open_page(r->port);
        for (size_t i = 0; i < sizeof bytes; ++i)
            bytes[i] = (char)mo_random_bits(&random);
        put(s, bytes, sizeof bytes);
        close(s);
    }
    for (int k = 0; k < 10; ++k) { /* and half a handshake */
        const int s = dial(r->port, 0);
        put(s, "GET /socket HTTP/1.1\r\nUpgr", 20);
        close(s);
    }
    check_it_goes_on(r);
}

/* Pages that never read, while another one is sent much more than any buffer holds: it misses
 * nothing. */
static void a_page_that_never_reads_blocks_no_other_page(void **state)
{
    const running *r = *state;
    static message m;
    int deaf[5], status;
    size_t sent = 0;
    for (int k = 0; k < 5; ++k) {
        deaf[k] = open_socket(r->port, (handshake){0}, &status, 1);
        CHECK(status == 101);
    }
    const int s = open_page(r->port);
    await_text(s, "\"type\":\"scene\"", &m);
    for (int k = 0; k < 150; ++k) {
        command_for(s, "{\"do\":\"reset\"}");
        await_text(s, "\"type\":\"scene\"", &m);
        sent += m.size;
        await_frame(s, &m);
    }
    CHECK(sent > 1000000);
    for (int k = 0; k < 5; ++k)
        close(deaf[k]);
    close(s);
    check_it_goes_on(r);
}

/* A page that ends its side of the connection in the middle of a message that it does not read. */
static void a_page_that_hangs_up_half_way_blocks_no_other_page(void **state)
{
    const running *r = *state;
    static const char LARGE[] =
        "{\"do\":\"scene\",\"name\":\"wall\",\"set\":{\"courses\":60,\"length\":100}}";
    static message m;
    int status;
    const int deaf = open_socket(r->port, (handshake){0}, &status, 1);
    const int s = open_page(r->port);
    await_text(s, "\"type\":\"scene\"", &m);
    command_for(s, LARGE);
    do {
        await_text(s, "\"type\":\"scene\"", &m);
    } while (m.size < 500000);
    shutdown(deaf, SHUT_WR);
    command_for(s, "{\"do\":\"scene\",\"name\":\"stack\"}");
    do {
        await_text(s, "\"type\":\"scene\"", &m);
    } while (m.size > 500000);
    close(deaf);
    close(s);
    check_it_goes_on(r);
}

/* The number of scenes that so many pages get, when all are opened at once. */
static int open_and_count(const running *r, int count)
{
    static message m;
    int pages[STAGE_PAGES + 3], scenes = 0;
    for (int k = 0; k < count; ++k)
        pages[k] = open_page(r->port);
    for (int k = 0; k < count; ++k)
        scenes += get_message(pages[k], &m) == 1;
    for (int k = 0; k < count; ++k)
        close(pages[k]);
    return scenes;
}

static void there_are_so_many_pages_and_no_more(void **state)
{
    const running *r = *state;
    int scenes = 0;
    /* The ends of those before are noticed sooner or later: until then there is less room. */
    for (int tries = 0; tries < 100 && scenes != STAGE_PAGES; ++tries) {
        usleep(100000);
        scenes = open_and_count(r, STAGE_PAGES + 3);
        CHECK(scenes <= STAGE_PAGES);
    }
    CHECK(scenes == STAGE_PAGES);
    for (int tries = 0; tries < 100 && open_and_count(r, 1) != 1; ++tries)
        usleep(100000);
    check_it_goes_on(r);
}

/* A name with bytes that are no UTF-8 comes back in a sentence without them: browsers end a socket
 * that brings such text. */
static void replies_are_utf_8(void **state)
{
    const running *r = *state;
    static message m;
    const int page = open_page(r->port);
    command_for(page, "{\"do\":\"scene\",\"name\":\"st\xff\xc3"
                      "ack\"}");
    await_text(page, "error", &m);
    for (size_t k = 0; k < m.size; ++k)
        CHECK(m.bytes[k] < 0x80);
    close(page);
    check_it_goes_on(r);
}

/* Who connects and says nothing keeps nobody out. */
static void silent_connections_keep_no_page_out(void **state)
{
    enum { COUNT = 150 };
    const running *r = *state;
    int silent[COUNT];
    for (int k = 0; k < COUNT; ++k)
        silent[k] = dial(r->port, 0);
    check_it_goes_on(r);
    for (int k = 0; k < COUNT; ++k)
        close(silent[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_is_sent_complete),
        cmocka_unit_test(wrong_requests_get_their_status),
        cmocka_unit_test(other_sites_cannot_open_the_socket),
        cmocka_unit_test(a_page_gets_the_scene_then_frames),
        cmocka_unit_test(a_hand_ends_with_its_page),
        cmocka_unit_test(huge_frames_end_the_connection),
        cmocka_unit_test(broken_frames_do_no_harm),
        cmocka_unit_test(a_page_that_never_reads_blocks_no_other_page),
        cmocka_unit_test(a_page_that_hangs_up_half_way_blocks_no_other_page),
        cmocka_unit_test(there_are_so_many_pages_and_no_more),
        cmocka_unit_test(replies_are_utf_8),
        cmocka_unit_test(silent_connections_keep_no_page_out),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
