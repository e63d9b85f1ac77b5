/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vpmu-stats exporter: serves the counts of machines to Prometheus. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "cli/builtin.h"
#include "fleet/fleet.h"
#include "fleet/http.h"
#include "fleet/listen.h"
#include "session/measure-options.h"
#include "fleet/prometheus.h"
#include "fleet/token.h"

/* These events need no model. Models slow the guest down. */
#define DEFAULT_EVENTS "instructions,cycles,branches"
/* The share of instructions in blackout windows is relative to this event. */
#define HOST_EVENT "instructions:H"
#define DEFAULT_PORT 9848
/* Prometheus waits for 10 seconds. */
#define DEFAULT_PATIENCE_MS 5000
#define DEFAULT_INTERVAL_MS 10000
/* How often to read machines without a request. */
#define LOOK_EVERY_MS 10000

enum {
    KEY_LISTEN = 0x200,
    KEY_TOKEN_FILE,
    KEY_NO_TOKEN,
    KEY_ONCE,
    KEY_BLACKOUT,
};

struct exporter_options {
    struct options common;
    struct measure_options measure;
    struct listen_address listen;
    const char *token_file;
    char token[TOKEN_MAX + 1];
    bool listens;
    bool no_token;
    bool once;
    bool blackout;
};

static const struct argp_option table[] = {
    {"blackout", KEY_BLACKOUT, 0, 0, "Also read the blackout meter and count " HOST_EVENT, 2},
    {"listen", KEY_LISTEN, "ADDRESS", 0,
     "Listen on ADDRESS:PORT (numeric) or on the Unix socket unix:PATH, which only this user can "
     "use (127.0.0.1:9848)",
     2},
    {"token-file", KEY_TOKEN_FILE, "FILE", 0, "Require the bearer token in FILE", 2},
    {"no-token", KEY_NO_TOKEN, 0, 0, "Answer every client that can reach ADDRESS", 2},
    {"once", KEY_ONCE, 0, 0, "Count for one interval, print the metrics and exit", 3},
    {0},
};

static void fail(struct argp_state *state, const struct error *t)
{
    if (t->code != ERROR_NONE) {
        argp_error(state, "%s", t->text);
    }
}

static bool writes(const struct exporter_options *o)
{
    return o->once || o->common.output;
}

/* Requires a token, or --no-token, unless only this user can read the metrics. */
static void check_listen(struct exporter_options *o, struct argp_state *state)
{
    struct error t = {0};

    if (!o->listens) {
        listen_parse(&o->listen, "", DEFAULT_PORT, &t);
    }
    if (o->token_file && o->no_token) {
        error_set(&t, ERROR_USAGE, "--token-file and --no-token exclude each other");
    } else if (o->token_file) {
        token_read(o->token_file, o->token, &t);
    } else if (!o->no_token && !o->listen.is_private) {
        error_set(&t, ERROR_USAGE,
                  "%s could read %s: use --token-file FILE or --listen unix:PATH, or --no-token to "
                  "allow that",
                  o->listen.is_local ? "every user of this computer" : "other computers",
                  o->listen.name);
    }
    fail(state, &t);
}

static void check_options(struct exporter_options *o, struct argp_state *state)
{
    struct error t = {0};

    if (o->common.kind != OUT_TEXT) {
        argp_error(state, "-j and -x are not supported here: the output is in Prometheus's format");
    }
    if (o->measure.events.n == 0) {
        events_add(&o->measure.events, DEFAULT_EVENTS, &t);
    }
    if (o->blackout && events_find(&o->measure.events, HOST_EVENT) == o->measure.events.n) {
        events_add(&o->measure.events, HOST_EVENT, &t);
    }
    prometheus_check(&o->measure.events, &t);
    fail(state, &t);
    if (!writes(o)) {
        check_listen(o, state);
    } else if (o->listens || o->token_file || o->no_token) {
        argp_error(state,
                   "--listen, --token-file and --no-token cannot be combined with --once or -o");
    }
    if (o->measure.interval && !writes(o)) {
        argp_error(state, "-I needs --once or -o: otherwise the client decides how often");
    }
    if (!o->measure.interval) {
        o->measure.interval = DEFAULT_INTERVAL_MS;
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct exporter_options *o = state->input;
    struct error t = {0};

    switch (key) {
    case KEY_LISTEN:
        o->listens = true;
        listen_parse(&o->listen, arg, DEFAULT_PORT, &t);
        break;
    case KEY_TOKEN_FILE:
        o->token_file = arg;
        break;
    case KEY_NO_TOKEN:
        o->no_token = true;
        break;
    case KEY_ONCE:
        o->once = true;
        break;
    case KEY_BLACKOUT:
        o->blackout = true;
        break;
    case ARGP_KEY_END:
        check_options(o, state);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    fail(state, &t);
    return 0;
}

#define UNTIL_STOPPED                                                                              \
    "the exporter runs until it is stopped: use exporter --once -I MS or vpmu-stats stat"

static const struct argp own = {.options = table, .parser = parse};
static const struct measure_command command = {
    .arguments = "[MACHINE...]",
    .doc = "Serves the counts of the given machines, or of all, to Prometheus. A machine that does "
           "not respond within --patience milliseconds (5000) has vpmu_up 0.\v"
           "For a Prometheus on the same computer:\n\n"
           "    (umask 077; openssl rand -hex 32 > token)\n"
           "    vpmu-stats exporter --token-file token\n\n"
           "With -o FILE, for node_exporter's textfile collector, FILE is replaced every -I "
           "milliseconds (10000) and the exporter does not listen. With --once, the exporter "
           "counts for one interval, prints the metrics and exits. Default events: " DEFAULT_EVENTS
           ". Cache, TLB and branch misses need models, which slow the guest down.",
    .own = &own,
    .instead =
        {
            [MEASURE_COUNT] = UNTIL_STOPPED,
            [MEASURE_TIMEOUT] = UNTIL_STOPPED,
            [MEASURE_PER_VCPU] =
                "each metric has the label vcpu; add them up with sum by (machine)",
            [MEASURE_WHILE_COUNTER] =
                "the exporter counts whole machines: use vpmu-stats stat --while-counter",
        },
    .min_interval = MEASURE_MIN_INTERVAL_MS,
    .repeats = true,
};

struct exporter {
    struct exporter_options o;
    struct fleet fleet;
    int stop_fd;
    int64_t looked;
};

static int look(struct exporter *e, struct error *t)
{
    int err = fleet_look(&e->fleet, t);

    e->looked = qmp_now();
    fleet_tell(&e->fleet);
    return err;
}

/* Waits for input on one of two descriptors, or until @until. Returns -1 on a stop. */
static int wait_for(const struct exporter *e, int fd, int other_fd, int64_t until, struct error *t)
{
    struct pollfd fds[] = {{.fd = e->stop_fd, .events = POLLIN},
                           {.fd = fd, .events = POLLIN},
                           {.fd = other_fd, .events = POLLIN}};
    int64_t left = (until - qmp_now()) / 1000000 + 1;

    if (poll(fds, 3, left > 0 ? (int)left : 0) < 0 && errno != EINTR) {
        return error_set(t, ERROR_TALK, "cannot wait: %s", strerror(errno));
    }
    return fds[0].revents ? error_set(t, ERROR_STOPPED, "stopped") : 0;
}

/* Gives the page to all requests that wait for it. */
static void answer(struct exporter *e, struct http *h)
{
    char *text = NULL;
    size_t len = 0;
    FILE *to = open_memstream(&text, &len);
    bool written = false;

    if (to) {
        prometheus_print(to, &e->fleet);
        written = !ferror(to);
        written = fclose(to) == 0 && written;
    }
    if (!written) {
        free(text);
        text = NULL;
    }
    http_answer(h, text, len);
}

/*
 * Reads the machines when a request comes, and without one every LOOK_EVERY_MS. A request that
 * comes during a reading is answered from it.
 */
static void serve_all(struct exporter *e, struct http *h, struct error *t)
{
    bool looking = false;

    for (;;) {
        int64_t until =
            looking ? fleet_until(&e->fleet) : e->looked + (int64_t)LOOK_EVERY_MS * 1000000;
        int ms = http_timeout(h);
        int64_t client = ms < 0 ? INT64_MAX : qmp_after(ms);
        bool waits;

        if (wait_for(e, http_fd(h), looking ? fleet_fd(&e->fleet) : -1,
                     client < until ? client : until, t)) {
            return;
        }
        waits = http_run(h);
        if (!looking && (waits || qmp_now() >= until)) {
            if (fleet_begin(&e->fleet, t)) {
                return;
            }
            looking = true;
        }
        if (looking && fleet_is_done(&e->fleet)) {
            looking = false;
            e->looked = qmp_now();
            fleet_tell(&e->fleet);
            answer(e, h);
        }
    }
}

static void serve(struct exporter *e, int fd, struct error *t)
{
    struct http *h = NULL;

    if (look(e, t) || http_open(&h, fd, e->o.token_file ? e->o.token : NULL, t)) {
        return;
    }
    fprintf(stderr, "vpmu-stats: listening on %s\n", e->o.listen.name);
    serve_all(e, h, t);
    http_close(h);
}

static int write_out(struct exporter *e, struct error *t)
{
    struct out out = {.kind = OUT_TEXT};

    if (out_open(&out, e->o.common.output, false, OUT_COLOR_NEVER, t)) {
        return -1;
    }
    prometheus_print(out.text, &e->fleet);
    return out_close(&out, true, t);
}

static int wait_interval(struct exporter *e, struct error *t)
{
    int64_t until = e->looked + (int64_t)e->o.measure.interval * 1000000;

    while (qmp_now() < until) {
        if (wait_for(e, -1, -1, until, t)) {
            return -1;
        }
    }
    return 0;
}

static void write_all(struct exporter *e, struct error *t)
{
    if (look(e, t)) {
        return;
    }
    do {
        if (wait_interval(e, t) || look(e, t) || write_out(e, t)) {
            return;
        }
    } while (!e->o.once);
}

/* With --once, it is an error if none of the machines is up. */
static void judge(const struct exporter *e, struct error *t)
{
    bool up = false;

    for (size_t i = 0; i < e->fleet.n; i++) {
        up |= e->fleet.member[i]->up;
    }
    if (e->o.once && !up && t->code == ERROR_NONE) {
        /* It has been printed. */
        *t = (struct error){.code = e->fleet.first.code};
    }
}

static void run(struct exporter *e, struct error *t)
{
    const struct plan plan = {.options = &e->o.common,
                              .events = &e->o.measure.events,
                              .meter = e->o.blackout,
                              .guest = true,
                              .stop_fd = e->stop_fd};
    int fd = -1;

    /* listen_open() changes the umask, so this must come before the threads are started. */
    if (!writes(&e->o) && listen_open(&e->o.listen, &fd, t)) {
        return;
    }
    if (fleet_open(&e->fleet, &plan, t) == 0) {
        e->fleet.design = kvm_glue_design(&kvm_glue_os_linux);
        if (writes(&e->o)) {
            write_all(e, t);
            judge(e, t);
        } else {
            serve(e, fd, t);
        }
        if (fleet_close(&e->fleet)) {
            measure_options_free(&e->o.measure);
        }
    }
    listen_close(&e->o.listen, fd);
}

int builtin_exporter(int argc, char **argv, int stop_fd)
{
    /* Static, because threads may use it after this function returns: see fleet_close(). */
    static struct exporter e;
    struct error t = {0};

    e.stop_fd = stop_fd;
    e.o.common = options_default;
    e.o.common.patience = DEFAULT_PATIENCE_MS;
    e.o.measure = measure_options_default;
    measure_parse(&command, argc, argv, 0, &e.o.common, &e.o.measure, &e.o);
    run(&e, &t);
    error_print(&t);
    /* Without --once, stopping the program is the normal end. */
    return t.code == ERROR_STOPPED && !e.o.once ? 0 : (int)t.code;
}
