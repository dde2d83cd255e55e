/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/* `moreau view`: simulates a scene in the browser, or replays a recording. */
#include "view.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "args.h"
#include "command.h"
#include "json.h"
#include "methods.h"
#include "moreau/solve.h"
#include "option_flags.h"
#include "page.h"
#include "progress.h"
#include "replay.h"
#include "settings.h"
#include "text.h"
#include "world_call.h"

static const char DEFAULT_SCENE[] = "cascade"; /* it moves, and starts again */

static const args_command COMMAND = {
    .name = "view",
    .operands = "[SCENE|ROBOT|RECORDING]",
    .summary = "simulate a scene or a robot in the browser, or replay a recording",
    .about =
        "Prints an address and opens it in a browser if there is a desktop, then runs the"
        " simulation and streams it until Ctrl-C. Without an operand, dominoes knock down an arch,"
        " again and again. In the page you can drag bodies with the mouse, throw balls, see"
        " contacts and forces, and change the scene, the method, the step, gravity and"
        " friction.\n\n"
        "The server accepts connections from this machine only. To view from another machine,"
        " forward the port with the same number: ssh -L 8000:127.0.0.1:8000 MACHINE moreau view"
        " stack --port 8000.\n\n"
        "A recording (moreau run --record) is replayed with a timeline. moreau run --replay"
        " writes the same page as a single file.",
    .examples = "  moreau view\n"
                "  moreau view wall --set courses=6 --set mu=0.3\n"
                "  moreau view jack\n"
                "  moreau view beads --method nsgs --tol 1e-4\n"
                "  moreau view robot.xml --key stand\n"
                "  moreau view domino.hdf5\n"
                "  moreau view stack --no-open --port 8000\n",
    .least = 0,
    .most = 1,
};

enum {
    FLAG_SET,
    FLAG_MODEL,
    FLAG_MODEL_LAST = FLAG_MODEL + MODEL_FLAGS - 1,
    FLAG_DT,
    FLAG_METHOD,
    FLAG_PORT,
    FLAG_NO_OPEN,
    FLAG_JSON,
    FLAG_OWN
};

static const args_flag OWN_FLAGS[FLAG_OWN] = {
    [FLAG_SET] = WORLD_ROW_SET,
    MODEL_FLAG_ROWS(FLAG_MODEL),
    [FLAG_DT] = WORLD_ROW_DT,
    [FLAG_METHOD] = METHOD_ROW,
    [FLAG_PORT] = {.name = "port", .operand = "N", .text = "port number; default: any free port"},
    [FLAG_NO_OPEN] = {.name = "no_open", .text = "only print the address"},
    [FLAG_JSON] = {.name = "json", .text = "print the address as a JSON object"},
};

/* The request. */
typedef struct view_call {
    const args_flag *flags;
    int flag_count;
    int port;
    stage_source source;
    world_call world;      /* a scene or a robot's file */
    const char *recording; /* or NULL: the source is shown */
} view_call;

/* ---- the browser ----------------------------------------------------------------------------- */

/* Runs in a grandchild process, so that no process waits for it; its output is discarded. */
static void open_browser(const char *url)
{
    const char *display = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
    if (!(display && *display) && !(wayland && *wayland)) return;
    const pid_t child = fork();
    if (child == 0) {
        if (fork() == 0) {
            const int nowhere = open("/dev/null", O_RDWR);
            for (int fd = 0; nowhere >= 0 && fd < 3; ++fd)
                dup2(nowhere, fd);
            execlp("xdg-open", "xdg-open", url, (char *)NULL);
        }
        _exit(0);
    }
    if (child > 0) waitpid(child, NULL, 0);
}

static void on_ready(void *user, int port)
{
    const view_call *call = user;
    char url[64];
    snprintf(url, sizeof url, "http://127.0.0.1:%d/", port);
    if (call->flags[FLAG_JSON].value) {
        json j = json_begin(stdout);
        json_object(&j, NULL);
        json_text(&j, "url", url);
        json_object_end(&j);
        json_end(&j);
    } else {
        printf("%s\n", url);
    }
    fflush(stdout);
    if (isatty(STDERR_FILENO))
        fputs("Open this address in a browser; Ctrl-C ends the program.\n", stderr);
    if (!call->flags[FLAG_NO_OPEN].value) open_browser(url);
}

static int is_over(void *user)
{
    (void)user;
    return interrupt_came();
}

/* ---- the server ------------------------------------------------------------------------------ */

static void configure(void *user, mo_world_def *def)
{
    const view_call *call = user;
    if (call->flags[FLAG_METHOD].value) def->solver.method = call->flags[FLAG_METHOD].value;
    option_flags_read_world(COMMAND.name, call->flags + FLAG_OWN, call->flag_count - FLAG_OWN, def);
}

static int serve(view_call *call, const view_def *def)
{
    mo_message why = {{0}};
    (void)call;
    signal(SIGPIPE, SIG_IGN); /* writing to a closed page fails */
    interrupt_watch();
    const mo_error error = view_run(def, &why);
    if (error) say(COMMAND.name, "%s", text_of_error("", error, &why));
    return error ? EXIT_FAILED : EXIT_DONE;
}

static int view_scene(view_call *call)
{
    view_def def = {.source = &call->source,
                    .port = call->port,
                    .ready = on_ready,
                    .is_over = is_over,
                    .user = call};
    def.html = moreau_page_html(&def.html_size);
    return serve(call, &def);
}

static int view_recording(view_call *call)
{
    mo_recording recording = {0};
    mo_message why = {{0}};
    const mo_error error = mo_recording_read(call->recording, NULL, &recording, &why);
    if (error) {
        say_of_file(call->recording, "%s", text_of_error(call->recording, error, &why));
        return EXIT_FAILED;
    }
    size_t html_size = 0, size = 0;
    const unsigned char *html = moreau_page_html(&html_size);
    char *page = NULL;
    FILE *out = open_memstream(&page, &size);
    const int good = out && replay_put_recording(&recording, call->recording, out, html, html_size);
    mo_recording_clear(&recording);
    if ((out && fclose(out) != 0) || !good) {
        say_of_file(call->recording, "there is not enough memory to replay it");
        free(page);
        return EXIT_FAILED;
    }
    const view_def def = {.html = (const unsigned char *)page,
                          .html_size = size,
                          .port = call->port,
                          .ready = on_ready,
                          .is_over = is_over,
                          .user = call};
    const int status = serve(call, &def);
    free(page);
    return status;
}

/* ---- the call -------------------------------------------------------------------------------- */

/* A scene, or a robot's file. */
static int read_world(view_call *call, const char *name, const args_values *sets)
{
    stage_source *source = &call->source;
    const int status =
        world_call_read(COMMAND.name, name, sets, call->flags + FLAG_MODEL, 0, &call->world);
    if (status) return status;
    if (!call->world.model) {
        source->scene = call->world.scene;
        memcpy(source->values, call->world.values, sizeof source->values);
        return EXIT_DONE;
    }
    model_file_hint(call->flags + FLAG_MODEL, call->world.model);
    source->build = model_file_build;
    source->robot = model_file_robot;
    source->build_user = call->world.model;
    source->name = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
    source->title = call->world.model->model.name;
    source->step = source->step > 0 ? source->step : call->world.scene->step;
    return EXIT_DONE;
}

/* Not a scene, and its name looks like a file. */
static int is_recording(const char *name)
{
    return !model_file_is(name) && !world_scene_find(name) &&
           (access(name, F_OK) == 0 || strpbrk(name, "./"));
}

static int read_call(view_call *call, const char *name, const args_values *sets)
{
    const args_flag *flags = call->flags;
    mo_options checked = mo_default_options();
    double port = 0;
    int status = settings_bounded(COMMAND.name, &flags[FLAG_DT], 1e-6, 1, 0, &call->source.step);
    status =
        status ? status : settings_bounded(COMMAND.name, &flags[FLAG_PORT], 0, 65535, 1, &port);
    call->port = (int)port;
    status = status ? status : method_check(COMMAND.name, flags[FLAG_METHOD].value);
    if (!status &&
        !option_flags_read(COMMAND.name, flags + FLAG_OWN, call->flag_count - FLAG_OWN, &checked))
        status = EXIT_CALL;
    if (status) return status;
    call->source.configure = configure;
    call->source.configure_user = call;
    if (!is_recording(name)) return read_world(call, name, sets);
    if (sets->count) {
        say(COMMAND.name, "--set is for scenes; a recording has neither");
        return EXIT_CALL;
    }
    call->recording = name;
    return model_flags_refuse(COMMAND.name, flags + FLAG_MODEL);
}

int command_view(int argc, char **argv)
{
    mo_options defaults = mo_default_world().solver;
    model_file model = {0};
    args_values sets = {.count = 0}, targets = {.count = 0};
    int flag_count = 0, operands = 0, status = EXIT_DONE;
    args_flag *flags = option_flags(OWN_FLAGS, FLAG_OWN, &defaults, &flag_count);
    if (!flags) {
        say(COMMAND.name, "out of memory");
        return EXIT_FAILED;
    }
    snprintf(flags[FLAG_METHOD].initial, sizeof flags->initial, "%s", method_default());
    flags[FLAG_SET].all = &sets;
    flags[FLAG_MODEL + MODEL_TARGET].all = &targets;
    const args_answer answer = args_parse(&COMMAND, flags, flag_count, argc, argv, &operands);
    if (answer == ARGS_WRONG) {
        status = EXIT_CALL;
    } else if (answer == ARGS_RUN) {
        view_call call = {.flags = flags, .flag_count = flag_count, .world = {.model = &model}};
        call.source.restart = operands == 0;
        status = read_call(&call, operands ? argv[0] : DEFAULT_SCENE, &sets);
        if (!status) status = call.recording ? view_recording(&call) : view_scene(&call);
        model_file_close(&model);
    }
    free(flags);
    return status;
}
