/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* A server in a thread, and a client with a bare socket that talks to it. */
#ifndef MO_TESTS_SERVER_CLIENT_H
#define MO_TESTS_SERVER_CLIENT_H

#include <arpa/inet.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "check.h"

#include "frames.h"
#include "view.h"

/* ---- a server in a thread -------------------------------------------------------------------- */

enum { PAGE_SIZE = 700001 };

typedef struct running {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t ready;
    int port, over;
    unsigned char *page;
    stage_source source;
    mo_error error;
} running;

static void on_ready(void *user, int port)
{
    running *r = user;
    pthread_mutex_lock(&r->lock);
    r->port = port;
    pthread_cond_signal(&r->ready);
    pthread_mutex_unlock(&r->lock);
}

static int is_over(void *user)
{
    running *r = user;
    pthread_mutex_lock(&r->lock);
    const int over = r->over;
    pthread_mutex_unlock(&r->lock);
    return over;
}

static void *serve(void *user)
{
    running *r = user;
    mo_message why = {{0}};
    const view_def def = {.source = &r->source,
                          .html = r->page,
                          .html_size = PAGE_SIZE,
                          .ready = on_ready,
                          .is_over = is_over,
                          .user = r};
    r->error = view_run(&def, &why);
    return NULL;
}

static int start(void **state)
{
    running *r = calloc(1, sizeof *r);
    r->page = malloc(PAGE_SIZE);
    for (int k = 0; k < PAGE_SIZE; ++k)
        r->page[k] = (unsigned char)(k % 251);
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->ready, NULL);
    r->source.scene = world_scene_find("stack");
    world_default_values(r->source.scene, r->source.values);
    pthread_create(&r->thread, NULL, serve, r);
    pthread_mutex_lock(&r->lock);
    while (!r->port)
        pthread_cond_wait(&r->ready, &r->lock);
    pthread_mutex_unlock(&r->lock);
    *state = r;
    return 0;
}

static int stop(void **state)
{
    running *r = *state;
    pthread_mutex_lock(&r->lock);
    r->over = 1;
    pthread_mutex_unlock(&r->lock);
    pthread_join(r->thread, NULL);
    const mo_error error = r->error;
    free(r->page);
    free(r);
    return error ? -1 : 0;
}

/* ---- a client -------------------------------------------------------------------------------- */

static int dial(int port, int small)
{
    const struct timeval patience = {.tv_sec = 10};
    const int few = 2048;
    struct sockaddr_in where = {.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)port),
                                .sin_addr = {htonl(INADDR_LOOPBACK)}};
    const int s = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(s >= 0);
    setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (small) setsockopt(s, SOL_SOCKET, SO_RCVBUF, &few, sizeof few);
    CHECK(connect(s, (struct sockaddr *)&where, sizeof where) == 0);
    return s;
}

/* True where all was sent; a server may have hung up. */
static int put(int s, const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size) {
        const ssize_t n = send(s, at, size, MSG_NOSIGNAL);
        if (n <= 0) return 0;
        at += n;
        size -= (size_t)n;
    }
    return 1;
}

static int get(int s, void *bytes, size_t size)
{
    char *at = bytes;
    while (size) {
        const ssize_t n = recv(s, at, size, 0);
        if (n <= 0) return 0;
        at += n;
        size -= (size_t)n;
    }
    return 1;
}

/* Until the server hangs up; to be freed. */
static char *get_all(int s, size_t *size)
{
    char *all = malloc(PAGE_SIZE + 4096);
    ssize_t n;
    *size = 0;
    while ((n = recv(s, all + *size, PAGE_SIZE + 4095 - *size, 0)) > 0)
        *size += (size_t)n;
    all[*size] = '\0';
    return all;
}

/* The status of the answer to a request line and headers, the first of them with this host; 0 for
 * none. */
static int ask(int port, const char *request, const char *header, const char *host)
{
    char text[1024];
    size_t size;
    snprintf(text, sizeof text, "%s\r\n%s%s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
             request, header, host);
    const int s = dial(port, 0);
    put(s, text, strlen(text));
    char *answer = get_all(s, &size);
    const int status = strncmp(answer, "HTTP/1.1 ", 9) == 0 ? atoi(answer + 9) : 0;
    free(answer);
    close(s);
    return status;
}

typedef struct handshake {
    const char *path, *host, *origin, *protocol, *extra; /* NULL: what is right */
} handshake;

/* A socket, and the status of the answer: 101 where it is open, 0 where there was none. */
static int open_socket(int port, handshake how, int *status, int small)
{
    char text[1024], ours[64], origin[128], head[2048];
    size_t length = 0;
    snprintf(ours, sizeof ours, "127.0.0.1:%d", port);
    snprintf(origin, sizeof origin, "Origin: http://%s\r\n", ours);
    snprintf(
        text, sizeof text,
        "GET %s HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n%s%s%s\r\n",
        how.path ? how.path : "/socket", how.host ? how.host : ours,
        how.origin ? how.origin : origin,
        how.protocol ? how.protocol : "Sec-WebSocket-Protocol: moreau\r\n",
        how.extra ? how.extra
                  : "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n");
    const int s = dial(port, small);
    put(s, text, strlen(text));
    while (length < sizeof head - 1 && get(s, head + length, 1)) {
        head[++length] = '\0';
        if (length >= 4 && strcmp(head + length - 4, "\r\n\r\n") == 0) break;
    }
    *status = length > 9 && strncmp(head, "HTTP/1.1 ", 9) == 0 ? atoi(head + 9) : 0;
    return s;
}

static int open_page(int port)
{
    int status;
    const int s = open_socket(port, (handshake){0}, &status, 0);
    CHECK(status == 101);
    return s;
}

/* One frame of the protocol, masked as a client's must be; `claimed` is the length that its head
 * says. */
static int put_frame(int s, int first_byte, const char *text, size_t size, uint64_t claimed)
{
    unsigned char head[14] = {(unsigned char)first_byte};
    const int more = claimed < 126 ? 0 : claimed < 65536 ? 2 : 8;
    head[1] = 0x80 | (unsigned char)(more == 0 ? claimed : more == 2 ? 126 : 127);
    for (int k = 0; k < more; ++k)
        head[2 + k] = (unsigned char)(claimed >> (8 * (more - 1 - k)));
    return put(s, head, (size_t)more + 6) && put(s, text, size); /* the mask is zero */
}

static void command_for(int s, const char *text)
{
    CHECK(put_frame(s, 0x81, text, strlen(text), strlen(text)));
}

typedef struct message {
    int kind; /* 1 text, 2 binary, 8 close; 0: the connection is gone */
    size_t size;
    unsigned char bytes[1 << 22];
} message;

/* A part of a message is added to it. */
static int get_part(int s, message *m, int *is_last)
{
    unsigned char head[8];
    if (!get(s, head, 2)) return 0;
    const int kind = head[0] & 15;
    *is_last = head[0] & 0x80;
    CHECK((kind == 0) == (m->kind > 0));
    uint64_t size = head[1] & 127;
    const int more = size == 126 ? 2 : size == 127 ? 8 : 0;
    if (more) {
        CHECK(get(s, head, (size_t)more));
        size = 0;
        for (int k = 0; k < more; ++k)
            size = size << 8 | head[k];
    }
    CHECK(m->size + size < sizeof m->bytes);
    if (!get(s, m->bytes + m->size, size)) return 0;
    m->size += size;
    m->bytes[m->size] = '\0';
    m->kind = kind ? kind : m->kind;
    return 1;
}

/* Its kind; 0: the connection is gone. */
static int get_message(int s, message *m)
{
    int is_last = 0;
    m->kind = 0;
    m->size = 0;
    while (!is_last)
        if (!get_part(s, m, &is_last)) return m->kind = 0;
    return m->kind;
}

/* The next text message that holds this; fails after many others. */
static void await_text(int s, const char *part, message *m)
{
    for (int k = 0; k < 500; ++k) {
        CHECK(get_message(s, m) != 0);
        if (m->kind == 1 && strstr((char *)m->bytes, part)) return;
    }
    fail_msg("no message with %s", part);
}

static double time_of(const message *m)
{
    double time;
    CHECK(m->kind == 2 && m->size >= 100);
    memcpy(&time, m->bytes + 8, sizeof time);
    return time;
}

static double height_of(const message *m, int body)
{
    float z;
    memcpy(&z, m->bytes + 100 + 28 * body + 8, sizeof z);
    return z;
}

static void await_frame(int s, message *m)
{
    do {
        CHECK(get_message(s, m) != 0);
    } while (m->kind != 2);
}

/* The server answers, and still simulates. */
static void check_it_goes_on(const running *r)
{
    static message m;
    const int s = open_page(r->port);
    await_frame(s, &m);
    const double before = time_of(&m);
    for (int k = 0; k < 5; ++k)
        await_frame(s, &m);
    CHECK(time_of(&m) > before);
    close(s);
}

#endif
