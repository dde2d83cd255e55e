/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
#include "server.h"

#include <libwebsockets.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "say.h"
#include "text.h"

enum { CHUNK = 16384, FRAGMENT = 4096, SEND_BUFFER = 131072 };

/* A connection: of HTTP, or of a page. */
typedef struct connection {
    const unsigned char *body; /* HTTP: the rest of the answer */
    size_t left;

    unsigned page; /* socket: its number; 0: not open */
    unsigned long seen[HUB_KINDS];
    hub_message *message; /* of which this much is sent; NULL: none */
    size_t sent;
    hub_kind kind;
    mo_message refusal; /* to be sent, or empty */
    char *command;      /* as far as it has come */
    size_t command_size;
    int is_binary;
} connection;

struct server {
    server_def def;
    struct lws_context *context;
    struct lws_vhost *vhost;
    lws_sorted_usec_list_t tick;
    unsigned next_page;
    int port;
    hub_refusal refusals[HUB_REFUSALS]; /* under distribution */
    int refusal_count;
};

static server *server_of(struct lws *wsi)
{
    return lws_context_user(lws_get_context(wsi));
}

/* ---- origin checks --------------------------------------------------------------------------- */

/* Is the header one of ours: PREFIX127.0.0.1:PORT or PREFIXlocalhost:PORT? */
static int header_is_ours(struct lws *wsi, enum lws_token_indexes header, const char *prefix)
{
    static const char *const NAMES[] = {"127.0.0.1", "localhost"};
    char given[128], ours[64];
    if (lws_hdr_copy(wsi, given, (int)sizeof given, header) <= 0)
        return 0; /* absent, or too long to be ours */
    for (int k = 0; k < 2; ++k) {
        snprintf(ours, sizeof ours, "%s%s:%d", prefix, NAMES[k], server_of(wsi)->port);
        if (strcasecmp(given, ours) == 0) return 1;
    }
    return 0;
}

/* ---- HTTP ------------------------------------------------------------------------------------ */

static const char POLICY[] =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: "
    "blob:;"
    " font-src data:; worker-src blob:; connect-src 'self' ws://127.0.0.1:%d ws://localhost:%d;"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

typedef struct headers {
    unsigned char bytes[LWS_PRE + 2048];
    unsigned char *at, *end;
    int failed;
} headers;

static void add_header(headers *h, struct lws *wsi, const char *name, const char *value)
{
    h->failed |=
        lws_add_http_header_by_name(wsi, (const unsigned char *)name, (const unsigned char *)value,
                                    (int)strlen(value), &h->at, h->end);
}

/* The header of a response; the body follows as the socket accepts it. */
static int answer(struct lws *wsi, connection *c, unsigned status, const char *type,
                  const void *body, size_t size)
{
    headers h = {.failed = 0};
    char policy[sizeof POLICY + 16];
    const int port = server_of(wsi)->port;
    h.at = h.bytes + LWS_PRE;
    h.end = h.bytes + sizeof h.bytes;
    snprintf(policy, sizeof policy, POLICY, port, port);
    h.failed |= lws_add_http_common_headers(wsi, status, type, size, &h.at, h.end);
    add_header(&h, wsi, "Cache-Control:", "no-store");
    add_header(&h, wsi, "X-Content-Type-Options:", "nosniff");
    add_header(&h, wsi, "Referrer-Policy:", "no-referrer");
    add_header(&h, wsi, "Content-Security-Policy:", policy);
    if (h.failed || lws_finalize_write_http_header(wsi, h.bytes + LWS_PRE, &h.at, h.end)) return -1;
    c->body = body;
    c->left = size;
    lws_callback_on_writable(wsi);
    return 0;
}

static int answer_text(struct lws *wsi, connection *c, unsigned status, const char *text)
{
    return answer(wsi, c, status, "text/plain; charset=utf-8", text, strlen(text));
}

static int on_request(struct lws *wsi, connection *c, const char *path)
{
    const server *s = server_of(wsi);
    if (!header_is_ours(wsi, WSI_TOKEN_HOST, "")) {
        return answer_text(wsi, c, 403,
                           "This server answers to the address that moreau view printed.\n");
    }
    if (lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) <= 0)
        return answer_text(wsi, c, 405, "Only GET.\n");
    if (strcmp(path, "/") != 0) return answer_text(wsi, c, 404, "There is one page here: /\n");
    return answer(wsi, c, 200, "text/html; charset=utf-8", s->def.html, s->def.html_size);
}

static int on_body_room(struct lws *wsi, connection *c)
{
    unsigned char chunk[LWS_PRE + CHUNK];
    const size_t size = c->left < CHUNK ? c->left : CHUNK;
    const int is_last = size == c->left;
    if (!c->body) return 0;
    memcpy(chunk + LWS_PRE, c->body, size);
    if (lws_write(wsi, chunk + LWS_PRE, size, is_last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) < 0)
        return -1;
    c->body += size;
    c->left -= size;
    if (is_last) {
        c->body = NULL;
        return lws_http_transaction_completed(wsi) ? -1 : 0;
    }
    lws_callback_on_writable(wsi);
    return 0;
}

/*
 * Refuses a handshake, with the reason: a program that is no browser sends no Origin by itself.
 * libwebsockets closes the connection before it would write an answer of its own.
 */
static int refuse_socket(struct lws *wsi)
{
    static const char WHY[] = "/socket needs the headers Host and Origin with the address that "
                              "moreau view printed, and the subprotocol moreau.\n";
    char text[512];
    const int size = snprintf(text, sizeof text,
                              "HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\n"
                              "Content-Length: %d\r\nConnection: close\r\n\r\n%s",
                              (int)sizeof WHY - 1, WHY);
    const ssize_t sent = send(lws_get_socket_fd(wsi), text, (size_t)size, MSG_NOSIGNAL);
    (void)sent; /* it is closed anyway */
    return -1;
}

static int on_http(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                   size_t length)
{
    (void)length;
    switch (reason) {
    case LWS_CALLBACK_HTTP:
        return on_request(wsi, user, in);
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return on_body_room(wsi, user);
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        return refuse_socket(wsi); /* a socket without our subprotocol */
    default:
        return 0;
    }
}

/* ---- the socket ------------------------------------------------------------------------------ */

/* Before the handshake is answered. */
static int may_connect(struct lws *wsi)
{
    char path[16];
    return server_of(wsi)->def.hub != NULL &&
           lws_hdr_copy(wsi, path, (int)sizeof path, WSI_TOKEN_GET_URI) > 0 &&
           strcmp(path, "/socket") == 0 && header_is_ours(wsi, WSI_TOKEN_HOST, "") &&
           header_is_ours(wsi, WSI_TOKEN_ORIGIN, "http://");
}

static int on_open(struct lws *wsi, connection *c)
{
    server *s = server_of(wsi);
    memset(c, 0, sizeof *c);
    c->page = ++s->next_page;
    if (!hub_page_add(s->def.hub, c->page)) {
        static unsigned char why[] = "too many pages";
        lws_close_reason(wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION, why, sizeof why - 1);
        c->page = 0;
        return -1;
    }
    const int few = SEND_BUFFER; /* data in the system's buffers would be shown late */
    setsockopt(lws_get_socket_fd(wsi), SOL_SOCKET, SO_SNDBUF, &few, sizeof few);
    lws_callback_on_writable(wsi);
    return 0;
}

static void on_close(struct lws *wsi, connection *c)
{
    if (c && c->page) {
        hub_page_remove(server_of(wsi)->def.hub, c->page);
        if (c->message) hub_let_go(server_of(wsi)->def.hub, c->message);
        free(c->command);
        memset(c, 0, sizeof *c);
    }
}

static void refuse(struct lws *wsi, connection *c, const mo_message *why)
{
    c->refusal = *why;
    lws_callback_on_writable(wsi);
}

static void take_command(struct lws *wsi, connection *c)
{
    command parsed;
    mo_message why = {{0}};
    mo_error error =
        c->is_binary ? view_fail(&why, "commands are text")
                     : command_read(c->command ? c->command : "", c->command_size, &parsed, &why);
    if (!error && !hub_command_add(server_of(wsi)->def.hub, c->page, &parsed))
        error = view_fail(&why, "too many commands at once");
    if (error) refuse(wsi, c, &why);
}

static int on_receive(struct lws *wsi, connection *c, const void *in, size_t size)
{
    const size_t left = lws_remaining_packet_payload(wsi);
    if (size > COMMAND_LONGEST || left > COMMAND_LONGEST ||
        c->command_size + size + left > COMMAND_LONGEST) {
        static unsigned char why[] = "a command has at most 64 kB";
        lws_close_reason(wsi, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, why, sizeof why - 1);
        return -1;
    }
    char *longer = realloc(c->command, c->command_size + size + 1);
    if (!longer) return -1;
    memcpy(longer + c->command_size, in, size);
    c->command = longer;
    c->command_size += size;
    c->is_binary = lws_frame_is_binary(wsi);
    if (left == 0 && lws_is_final_fragment(wsi)) {
        take_command(wsi, c);
        free(c->command);
        c->command = NULL;
        c->command_size = 0;
    }
    return 0;
}

static int send_refusal(struct lws *wsi, connection *c)
{
    unsigned char bytes[LWS_PRE + 2 * sizeof c->refusal.text + 64];
    char *text = (char *)bytes + LWS_PRE;
    size_t length = 0;
    length += (size_t)snprintf(text, 64, "{\"type\":\"error\",\"text\":\"");
    /* a sentence; what JSON or UTF-8 cannot hold is left out: a page may have sent it */
    for (const char *p = c->refusal.text; *p;) {
        const char *start = p;
        const unsigned code = text_next(&p);
        if (code == '"' || code == '\\') text[length++] = '\\';
        if (code >= 0x20 && code != 0xFFFD) {
            memcpy(text + length, start, (size_t)(p - start));
            length += (size_t)(p - start);
        }
    }
    text[length++] = '"';
    text[length++] = '}';
    c->refusal.text[0] = '\0';
    return lws_write(wsi, bytes + LWS_PRE, length, LWS_WRITE_TEXT) < 0 ? -1 : 1;
}

/* The next part of a message, no more than the system takes at once. */
static int send_part(struct lws *wsi, connection *c)
{
    unsigned char bytes[LWS_PRE + CHUNK];
    const size_t left = c->message->size - c->sent, size = left < CHUNK ? left : CHUNK;
    const int kind = c->sent > 0            ? LWS_WRITE_CONTINUATION
                     : c->kind == HUB_FRAME ? LWS_WRITE_BINARY
                                            : LWS_WRITE_TEXT;
    memcpy(bytes + LWS_PRE, hub_message_text(c->message) + c->sent, size);
    const int how = kind | (size < left ? LWS_WRITE_NO_FIN : 0);
    if (lws_write(wsi, bytes + LWS_PRE, size, (enum lws_write_protocol)how) < 0) return -1;
    c->sent += size;
    if (c->sent == c->message->size) {
        hub_let_go(server_of(wsi)->def.hub, c->message);
        c->message = NULL;
        c->sent = 0;
    }
    return 1;
}

/* Sends one part; the next one follows when there is room again. */
static int on_room(struct lws *wsi, connection *c)
{
    int sent = 0;
    if (!c->page) return 0;
    if (!c->message && c->refusal.text[0]) {
        sent = send_refusal(wsi, c);
    } else {
        c->message = c->message ? c->message : hub_take(server_of(wsi)->def.hub, c->seen, &c->kind);
        sent = c->message ? send_part(wsi, c) : 0;
    }
    if (sent > 0) lws_callback_on_writable(wsi);
    /* A page that does not read is not heard either: libwebsockets 4.1 never returns from one that
     * has ended its side of the connection while there is no room to send. */
    if (sent >= 0) lws_rx_flow_control(wsi, sent == 0 || !lws_send_pipe_choked(wsi));
    return sent < 0 ? -1 : 0;
}

/* Refusals find their page. */
static void share_refusals(server *s, struct lws *wsi, connection *c)
{
    for (int k = 0; c->page && k < s->refusal_count; ++k)
        if (s->refusals[k].page == 0 || s->refusals[k].page == c->page)
            refuse(wsi, c, &s->refusals[k].why);
}

/* The hub has a message: requests write callbacks for every page. */
static void on_news(struct lws *wsi)
{
    server *s = server_of(wsi);
    const struct lws_protocols *protocol = lws_get_protocol(wsi);
    if (s->def.hub && s->vhost && protocol) {
        s->refusal_count = hub_refusals(s->def.hub, s->refusals);
        if (s->refusal_count)
            lws_callback_all_protocol_vhost_args(s->vhost, protocol, LWS_CALLBACK_USER, NULL, 0);
        lws_callback_on_writable_all_protocol_vhost(s->vhost, protocol);
    }
}

static int on_socket(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                     size_t length)
{
    switch (reason) {
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        return may_connect(wsi) ? 0 : refuse_socket(wsi);
    case LWS_CALLBACK_ESTABLISHED:
        return on_open(wsi, user);
    case LWS_CALLBACK_CLOSED:
        on_close(wsi, user);
        return 0;
    case LWS_CALLBACK_RECEIVE:
        return on_receive(wsi, user, in, length);
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return on_room(wsi, user);
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
        on_news(wsi);
        return 0;
    case LWS_CALLBACK_USER:
        share_refusals(server_of(wsi), wsi, user);
        return 0;
    default:
        return 0;
    }
}

static const struct lws_protocols PROTOCOLS[] = {
    {.name = "http", .callback = on_http, .per_session_data_size = sizeof(connection)},
    {.name = "moreau",
     .callback = on_socket,
     .per_session_data_size = sizeof(connection),
     .rx_buffer_size = FRAGMENT},
    {.name = NULL},
};

/* ---- the server ------------------------------------------------------------------------------ */

/* Lets server_serve return now and then. */
static void on_tick(lws_sorted_usec_list_t *list)
{
    server *s = lws_container_of(list, server, tick);
    lws_sul_schedule(s->context, 0, &s->tick, on_tick, LWS_USEC_PER_SEC / 5);
}

/* Idle connections: maximum number and time to wait for them. */
enum { SILENT = 256, QUIET_SECONDS = 3 };

server *server_open(const server_def *def, mo_message *why)
{
    server *s = calloc(1, sizeof *s);
    if (!s) {
        view_fail(why, "out of memory");
        return NULL;
    }
    s->def = *def;
    lws_set_log_level(0, NULL);
    struct lws_context_creation_info info = {
        .port = def->port,
        .iface = "127.0.0.1",
        .protocols = PROTOCOLS,
        .user = s,
        .timeout_secs = QUIET_SECONDS,
        .max_http_header_pool = SILENT,
        .options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS | LWS_SERVER_OPTION_DISABLE_IPV6 |
                   LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND,
        .gid = (gid_t)-1,
        .uid = (uid_t)-1,
    };
    s->context = lws_create_context(&info);
    s->vhost = s->context ? lws_create_vhost(s->context, &info) : NULL;
    s->port = s->vhost ? lws_get_vhost_listen_port(s->vhost) : 0;
    if (s->port <= 0) {
        if (def->port) {
            view_fail(why,
                      "port %d cannot be opened on 127.0.0.1 and may be in use; without --port a "
                      "free port is chosen",
                      def->port);
        } else {
            view_fail(why, "no port could be opened on 127.0.0.1");
        }
        server_close(s);
        return NULL;
    }
    on_tick(&s->tick);
    return s;
}

void server_close(server *s)
{
    if (s && s->context) lws_context_destroy(s->context);
    free(s);
}

int server_port(const server *s)
{
    return s->port;
}

int server_serve(server *s)
{
    return lws_service(s->context, 0) >= 0;
}

void server_wake(void *which)
{
    server *s = which;
    lws_cancel_service(s->context);
}
