/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vpmu-stats top: shows machines as top(1) shows processes. */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "cli/builtin.h"
#include "session/measure-options.h"
#include "fleet/screen.h"
#include "fleet/view.h"
#include "top/delay.h"
#include "top/function-top.h"

#define DEFAULT_PATIENCE_MS 2000

enum {
    KEY_COLUMNS = 0x200,
    KEY_SORT,
    KEY_SYMBOLS,
};

struct top_options {
    struct options common;
    struct columns columns;
    const char *list;
    const char *sort;
    struct measure_options measure;
    int delay;
    bool batch;
};

static const struct argp_option table[] = {
    {"batch", 'b', 0, 0, "Print one table after another; implied by -j, -x and -o", 2},
    {"delay", 'd', "SECONDS", 0, "Update every SECONDS seconds (2)", 2},
    {"columns", KEY_COLUMNS, "LIST", 0, "Show these columns, or all", 2},
    {"sort", KEY_SORT, "COLUMN", 0, "Sort by this column, or by name", 2},
    {"symbols", KEY_SYMBOLS, 0, 0,
     "Show the functions of one machine; vpmu-stats top --symbols --help lists the options", 2},
    {0},
};

static void check_options(struct top_options *o, struct argp_state *state)
{
    struct error t = {0};
    char list[256];

    if (columns_choose(&o->columns, o->list, &t)) {
        argp_error(state, "%s", t.text);
    } else if (o->sort && columns_find(o->sort) < 0) {
        argp_error(state, "no column '%s'; the columns are name, %s", o->sort, columns_list(list));
    }
    o->delay = delay_choose(state, o->delay, o->measure.interval);
    o->batch |= o->common.kind != OUT_TEXT || o->common.output;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct top_options *o = state->input;

    switch (key) {
    case 'b':
        o->batch = true;
        return 0;
    case 'd':
        o->delay = delay_parse(state, arg);
        return 0;
    case KEY_COLUMNS:
        o->list = arg;
        return 0;
    case KEY_SORT:
        o->sort = arg;
        return 0;
    case ARGP_KEY_END:
        check_options(o, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp own = {.options = table, .parser = parse};
static const struct measure_command command = {
    .arguments = "[MACHINE...]",
    .doc = "Shows the rates of the given machines, or of all, and updates them. Press h for the "
           "keys and q to quit.\v"
           "Columns, per second or in percent:\n\n"
           "  instructions, cycles, branches\n"
           "  ipc            instructions per cycle\n"
           "  branch-misses, l1d-misses, llc-misses\n"
           "                 percent of branches or loads; hidden by default,\n"
           "                 because their models slow the guest down\n"
           "  guest          share of the instructions that the machine's guests execute\n"
           "  exits          exits of these guests with a blackout window\n"
           "  lost           host instructions in blackout windows\n\n"
           "Print one table, sorted by IPC:\n\n"
           "    vpmu-stats top -b -n 1 --columns ipc,l1d-misses --sort ipc\n\n"
           "Show the functions that a machine runs, as perf top does:\n\n"
           "    vpmu-stats top --symbols vm",
    .own = &own,
    .instead =
        {
            [MEASURE_EVENT] = "use --columns to select what is shown, vpmu-stats stat -e to "
                              "count other events, or top --symbols -e to sample one",
            [MEASURE_WHILE_COUNTER] =
                "top shows whole machines: use vpmu-stats stat --while-counter",
        },
    .min_interval = DELAY_MIN_MS,
    .repeats = true,
};

/**
 * struct top - the state of the program
 * @v: what is shown.
 * @first: index of the row at the top of the screen.
 * @help: show the keys.
 */
struct top {
    struct top_options o;
    struct fleet fleet;
    struct view v;
    struct screen *screen;
    int stop_fd;
    size_t first;
    bool help;
};

static int look(struct top *p, struct error *t)
{
    if (fleet_look(&p->fleet, t)) {
        return -1;
    }
    p->v.looked = qmp_now();
    return view_update(&p->v, t);
}

/* At least one machine must be up at the start. Later there may be none. */
static int begin(struct top *p, struct error *t)
{
    if (look(p, t)) {
        return -1;
    }
    p->v.began = p->v.looked;
    for (size_t i = 0; i < p->fleet.n; i++) {
        if (p->fleet.member[i]->up) {
            return 0;
        }
    }
    if (p->fleet.first.code == ERROR_NONE) {
        return error_set(t, ERROR_NO_MACHINE, "no machine has a virtual PMU");
    }
    *t = p->fleet.first;
    return -1;
}

static int64_t end_of(const struct top *p)
{
    int64_t timeout = p->o.measure.timeout;

    return timeout ? p->v.began + timeout * 1000000 : INT64_MAX;
}

static int64_t next_look(const struct top *p)
{
    int64_t next = p->v.looked + (int64_t)p->o.delay * 1000000;

    return end_of(p) < next ? end_of(p) : next;
}

/* Tests whether the requested number of frames or the time limit is reached. */
static bool is_over(const struct top *p, long frames)
{
    return (p->o.measure.count && frames >= p->o.measure.count) || p->v.looked >= end_of(p);
}

static int wait_delay(struct top *p, struct error *t)
{
    struct pollfd fd = {.fd = p->stop_fd, .events = POLLIN};
    int64_t left;

    while ((left = next_look(p) - qmp_now()) > 0) {
        if (poll(&fd, 1, (int)(left / 1000000) + 1) < 0 && errno != EINTR) {
            return error_set(t, ERROR_TALK, "cannot wait: %s", strerror(errno));
        }
        if (fd.revents) {
            return error_set(t, ERROR_STOPPED, "stopped");
        }
    }
    return 0;
}

/* Prints frames, each after a delay, because values need two samples. */
static int print_frames(struct top *p, struct out *out, struct error *t)
{
    for (long n = 0; !is_over(p, n); n++) {
        if (wait_delay(p, t) || look(p, t)) {
            return -1;
        }
        fleet_tell(&p->fleet);
        view_print(&p->v, out);
        if (out_flush(out, t)) {
            return -1;
        }
    }
    return 0;
}

/* Errors of machines were printed when they occurred. The first one determines the exit code. */
static void run_batch(struct top *p, struct error *t)
{
    const struct options *o = &p->o.common;
    struct out out = {.kind = o->kind, .separator = o->separator};
    struct error closing = {0};

    if (out_open(&out, o->output, true, o->color, t)) {
        return;
    }
    if (begin(p, t) == 0) {
        fleet_tell(&p->fleet);
        print_frames(p, &out, t);
        if (t->code == ERROR_NONE || t->code == ERROR_STOPPED) {
            *t = (struct error){.code = p->fleet.first.code};
        }
    }
    if (out_close(&out, t->code != ERROR_OUTPUT, &closing)) {
        *t = closing;
    }
}

/* Moves the sort key to the next column that is shown. The name is to the left of all columns. */
static void move_sort(struct top *p, int step)
{
    int at = p->v.sort == COLUMNS_NAME ? -1 : (int)p->v.sort;

    do {
        at += step;
    } while (at >= 0 && at < (int)COLUMNS_MAX && !view_shows(&p->v, (unsigned)at));
    if (at < (int)COLUMNS_MAX) {
        p->v.sort = at < 0 ? COLUMNS_NAME : (unsigned)at;
    }
}

static void sort_by_key(struct top *p, int key)
{
    for (unsigned i = 0; i <= COLUMNS_MAX; i++) {
        if (columns_key(i) == key && (i == COLUMNS_MAX || view_shows(&p->v, i))) {
            p->v.sort = i;
        }
    }
}

static void scroll(struct top *p, int key)
{
    size_t page = screen_rows(p->screen);
    size_t step = key == SCREEN_UP || key == SCREEN_DOWN ? 1 : page;

    if (key == SCREEN_DOWN || key == SCREEN_PAGE_DOWN) {
        p->first += step;
    } else if (key == SCREEN_END) {
        p->first = p->v.n;
    } else if (key != SCREEN_LEFT && key != SCREEN_RESIZED) {
        p->first = key == SCREEN_HOME || step > p->first ? 0 : p->first - step;
    }
}

/*
 * Handles a key.
 *
 * Return: false if the key ends the program.
 */
static bool press(struct top *p, int key)
{
    switch (key) {
    case 'q':
        return false;
    case '<':
        move_sort(p, -1);
        break;
    case '>':
        move_sort(p, 1);
        break;
    case 'R':
        p->v.reverse = !p->v.reverse;
        break;
    case 'v':
        p->v.per_vcpu = !p->v.per_vcpu;
        break;
    case '+':
    case '-':
        p->o.delay = delay_change(p->o.delay, key == '+');
        break;
    case 'h':
    case '?':
        p->help = !p->help;
        break;
    default:
        if (key >= SCREEN_UP) {
            scroll(p, key);
        } else {
            sort_by_key(p, key);
        }
        break;
    }
    return true;
}

static void draw(struct top *p)
{
    char keys[3 * COLUMNS_MAX + 1] = "";
    char note[sizeof(p->fleet.finding.text)];
    char *to = keys;

    p->v.width = screen_width(p->screen);
    for (unsigned i = 0; i < COLUMNS_MAX; i++) {
        if (view_shows(&p->v, i)) {
            to += sprintf(to, " %c", columns_key(i));
        }
    }
    if (p->help) {
        snprintf(note, sizeof(note),
                 "sort n%s < >; R reverse; v vCPUs; + - delay; space now; arrows; q", keys);
    } else if (p->fleet.finding.code != ERROR_NONE) {
        snprintf(note, sizeof(note), "%s", p->fleet.finding.text);
    } else {
        snprintf(note, sizeof(note), "every %.1f s, h for help, q to quit", p->o.delay / 1e3);
    }
    screen_draw(p->screen, &p->v, &p->first, note);
}

/* Handles keys until the next frame is due or the user asks for it. Returns -1 to end. */
static int use_keys(struct top *p, struct error *t)
{
    while (qmp_now() < next_look(p)) {
        int key;

        if (screen_wait(p->screen, p->stop_fd, next_look(p), &key, t)) {
            return -1;
        }
        if (key == ' ') {
            return 0;
        }
        if (key != SCREEN_NONE) {
            if (!press(p, key)) {
                return error_set(t, ERROR_STOPPED, "quit");
            }
            if (view_update(&p->v, t)) {
                return -1;
            }
            draw(p);
        }
    }
    return 0;
}

static void run_screen(struct top *p, struct error *t)
{
    bool color = out_wants_color(1, p->o.common.color);

    if (screen_check(t) || begin(p, t) || screen_open(&p->screen, color, t)) {
        return;
    }
    /* The first frame has no values, so it is not counted. */
    for (long n = -1; !is_over(p, n); n++) {
        draw(p);
        if (use_keys(p, t) || look(p, t)) {
            break;
        }
    }
    screen_close(p->screen);
    if (t->code == ERROR_STOPPED) {
        *t = (struct error){0};
    }
}

static void run(struct top *p, struct error *t)
{
    const struct plan plan = {.options = &p->o.common,
                              .events = &p->o.columns.events,
                              .meter = p->o.columns.meter,
                              .stop_fd = p->stop_fd};

    p->v.columns = &p->o.columns;
    p->v.fleet = &p->fleet;
    p->v.per_vcpu = p->o.measure.per_vcpu;
    p->v.usual = !p->o.batch && !p->o.list;
    if (fleet_open(&p->fleet, &plan, t)) {
        return;
    }
    if (p->o.batch) {
        run_batch(p, t);
    } else {
        run_screen(p, t);
    }
    view_free(&p->v);
    if (fleet_close(&p->fleet)) {
        columns_free(&p->o.columns);
    }
}

/* Returns the column to sort by: the one requested, or the first that is shown. */
static unsigned sort_column(const struct top_options *o)
{
    unsigned i = 0;

    if (o->sort) {
        return (unsigned)columns_find(o->sort);
    }
    while (i < COLUMNS_MAX && !o->columns.shown[i]) {
        i++;
    }
    return i;
}

int builtin_top(int argc, char **argv, int stop_fd)
{
    /* Static, because threads may use it after this function returns: see fleet_close(). */
    static struct top p;
    struct error t = {0};

    if (function_top_is_wanted(argc, argv)) {
        return function_top(argc, argv, stop_fd);
    }
    p.stop_fd = stop_fd;
    p.o.common = options_default;
    p.o.common.patience = DEFAULT_PATIENCE_MS;
    p.o.measure = measure_options_default;
    measure_parse(&command, argc, argv, 0, &p.o.common, &p.o.measure, &p.o);
    p.v.sort = sort_column(&p.o);
    run(&p, &t);
    if (t.text[0]) {
        error_print(&t);
    }
    return (int)t.code;
}
