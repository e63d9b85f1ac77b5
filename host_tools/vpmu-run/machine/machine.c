/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "machine/monitor.h"
#include "machine/outlet.h"
#include "machine/process.h"
#include "protocol.h"

/* How often the files that the machine writes are looked at, in milliseconds. */
#define LOOK 10
/* So many signals end the machine, whatever the program does. */
#define SIGNALS_MAX 3
/* The longest result. */
#define RESULT_MAX (1 << 20)
/* So many bytes of output may wait for their reader. Then the machine is stopped. */
#define OUTPUT_MAX (32ll << 20)
/* How long the emulator may take to write a profile, in seconds. */
#define PROFILE_MAX 120
/* The most that is recorded, in bytes. */
#define RECORD_MAX (1ll << 30)

static const int passed[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};

struct running {
    struct process process;
    struct emulator_fds fds;
    struct outlet out, err;
    int errors;  /* what the emulator itself prints */
    int input;   /* our end of the socket */
    int monitor; /* of a machine that is profiled, or -1 */
    int signals; /* signalfd */
    struct input *in;
    struct supply *supply;
    bool live;
    bool own_record; /* nobody else has fds.record */
    bool told[2];    /* the program, that nobody reads this output any more */
    bool paused;     /* until what it has written is passed on */
    unsigned sent;   /* signals */
};

/*
 * block_signals() - they are read from the returned descriptor from now on
 * SIGPIPE is blocked, too: writing to a pipe without a reader is then an error.
 */
static int block_signals(sigset_t *old)
{
    sigset_t set, pipe;

    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    for (size_t i = 0; i < sizeof(passed) / sizeof(passed[0]); i++) {
        sigaddset(&set, passed[i]);
    }
    sigprocmask(SIG_BLOCK, &set, old);
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    sigprocmask(SIG_BLOCK, &pipe, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* open_monitor() - sockets between this program and the emulator of a machine that is profiled */
static int open_monitor(struct running *r, struct failure *f)
{
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) {
        return failure_set(f, FAILURE_RUN, "cannot create a socket: %s", strerror(errno));
    }
    fcntl(pair[0], F_SETFD, FD_CLOEXEC);
    r->monitor = pair[0];
    r->fds.monitor = pair[1];
    return 0;
}

/* begin_profile() - the machine is stopped until then. One that fails here has an error of its own.
 */
static int begin_profile(struct running *r, const struct emulator *e, struct failure *f)
{
    close(r->fds.monitor);
    if (monitor_profile(r->monitor, e->profile, e->calls, e->cost, e->costs, f) != 0) {
        return f->text[0] ? -1 : process_explain(&r->process, r->fds.console, f);
    }
    return 0;
}

static int start(const struct emulator *e, const struct machine_files *fds, struct running *r,
                 struct failure *f)
{
    int pair[2];
    sigset_t old;

    r->fds.files = fds->files;
    r->fds.state = fds->state;
    r->own_record = fds->record < 0;
    r->fds.record = r->own_record ? process_file("vpmu-run-record", f) : fds->record;
    r->fds.restore = true;
    r->fds.console = process_file("vpmu-run-console", f);
    r->fds.out = process_file("vpmu-run-out", f);
    r->fds.err = process_file("vpmu-run-err", f);
    r->fds.result = process_file("vpmu-run-result", f);
    if (r->fds.console < 0 || r->fds.out < 0 || r->fds.err < 0 || r->fds.result < 0 ||
        r->fds.record < 0) {
        return -1;
    }
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) {
        return failure_set(f, FAILURE_RUN, "cannot create a socket: %s", strerror(errno));
    }
    fcntl(pair[0], F_SETFD, FD_CLOEXEC);
    r->input = pair[0];
    r->fds.input = pair[1];
    if (fds->supply) {
        fcntl(pair[0], F_SETFL, O_NONBLOCK);
    }
    r->supply = fds->supply;
    r->out = (struct outlet){r->fds.out, r->supply ? OUTLET_NOWHERE : STDOUT_FILENO, 0};
    r->err = (struct outlet){r->fds.err, r->supply ? OUTLET_NOWHERE : STDERR_FILENO, 0};
    if (e->profile && !r->supply && open_monitor(r, f) != 0) {
        return -1;
    }
    r->signals = block_signals(&old);
    if (process_start(&r->process, e, &r->fds, &old, f) != 0) {
        return -1;
    }
    close(r->fds.input);
    return r->monitor >= 0 ? begin_profile(r, e, f) : 0;
}

/* read_result() - all that init has reported so far, to be freed; NULL if there is no memory */
static char *read_result(const struct running *r)
{
    struct stat st;
    char *text;
    ssize_t n;

    if (fstat(r->fds.result, &st) != 0 || st.st_size > RESULT_MAX) {
        return NULL;
    }
    text = malloc((size_t)st.st_size + 1);
    n = text ? pread(r->fds.result, text, (size_t)st.st_size, 0) : -1;
    if (n >= 0) {
        text[n] = '\0';
    }
    return text;
}

/* check_record() - a file in memory must not use up all of it */
static int check_record(const struct running *r, struct failure *f)
{
    struct stat st;

    return fstat(r->fds.record, &st) == 0 && st.st_size > RECORD_MAX
               ? failure_set(
                     f, FAILURE_RUN,
                     "the recording, or what --out brings back, is larger than %lld MiB: use a "
                     "larger -c or a smaller -F, or name fewer files",
                     RECORD_MAX >> 20)
               : 0;
}

static bool is_complete(const char *text)
{
    size_t n = strlen(text);

    return n >= 4 && strcmp(text + n - 4, "end\n") == 0;
}

/* has_started() - is the program about to start? Before that init reports only that it is ready. */
static bool has_started(const struct running *r)
{
    struct stat st;

    return fstat(r->fds.result, &st) == 0 && st.st_size > (off_t)sizeof("ready\n");
}

static void send_frame(const struct running *r, enum run_frame_type type, const void *data,
                       size_t length)
{
    struct run_frame frame = {.type = (uint8_t)type, .length = (uint16_t)length};

    /* The program may have ended. Then nobody reads this. */
    if (send(r->input, &frame, sizeof(frame), MSG_NOSIGNAL) > 0 && data) {
        send(r->input, data, length, MSG_NOSIGNAL);
    }
}

/* tell_closed() - lets the program's next write fail. How far it gets until then varies. */
static void tell_closed(struct running *r)
{
    const struct outlet *const outlets[] = {&r->out, &r->err};

    for (unsigned i = 0; i < 2; i++) {
        if (outlets[i]->to == OUTLET_CLOSED && !r->told[i]) {
            r->told[i] = r->in->passed = true;
            send_frame(r, RUN_FRAME_CLOSED, NULL, i == 0 ? RUN_PORT_STDOUT : RUN_PORT_STDERR);
        }
    }
}

static int take_signals(struct running *r, struct failure *f)
{
    struct signalfd_siginfo info;

    while (read(r->signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
        int number = (int)info.ssi_signo;

        if (number == SIGCHLD) {
            continue;
        }
        /* Nothing runs that could take the signal, or it does not end. */
        if (!has_started(r) || r->supply || ++r->sent > SIGNALS_MAX) {
            return failure_set(f, 128 + number, "%s", "");
        }
        r->in->passed = true;
        send_frame(r, RUN_FRAME_SIGNAL, NULL, (size_t)number);
    }
    return 0;
}

static void take_input(struct running *r)
{
    char buffer[16384];
    ssize_t n = read(STDIN_FILENO, buffer, sizeof(buffer));

    if (n >= 0) {
        r->in->passed = true;
    }
    if (n > 0) {
        send_frame(r, RUN_FRAME_INPUT, buffer, (size_t)n);
    } else if (n == 0 || (errno != EINTR && errno != EAGAIN)) {
        send_frame(r, RUN_FRAME_END, NULL, 0);
        r->live = false;
    }
}

/* pass_output() - and stops the machine, whose clock then stands still, while too much is left */
static int pass_output(struct running *r, struct failure *f)
{
    off_t left;

    if (outlet_pass(&r->out, f) != 0 || outlet_pass(&r->err, f) != 0) {
        return -1;
    }
    tell_closed(r);
    left = outlet_left(&r->out) + outlet_left(&r->err);
    if (r->process.pid > 0 && (r->paused ? left < OUTPUT_MAX / 2 : left > OUTPUT_MAX)) {
        r->paused = !r->paused;
        kill(r->process.pid, r->paused ? SIGSTOP : SIGCONT);
    }
    return left > 0;
}

/*
 * step() - waits for a short time and does what there is to do
 * Return: 1 if there is a result, 0 if not yet, -1 or MACHINE_NOT_STARTED with an error.
 */
static int step(struct running *r, char **result, struct failure *f)
{
    struct pollfd watch[] = {
        {.fd = r->signals, .events = POLLIN},
        {.fd = r->live && has_started(r) ? STDIN_FILENO : -1, .events = POLLIN},
        {.fd = outlet_left(&r->out) ? r->out.to : -1, .events = POLLOUT},
        {.fd = outlet_left(&r->err) ? r->err.to : -1, .events = POLLOUT},
        {.fd = r->supply ? r->input : -1,
         .events = r->supply && r->supply->answering ? POLLOUT : POLLIN},
    };
    bool ended;
    int left;

    poll(watch, sizeof(watch) / sizeof(watch[0]), LOOK);
    /* The machine writes output before the result, and both before it ends. */
    ended = r->process.pid < 0 || waitpid(r->process.pid, NULL, WNOHANG) == r->process.pid;
    if (ended) {
        r->process.pid = -1;
    }
    *result = read_result(r);
    if (!*result) {
        return failure_memory(f);
    }
    left = pass_output(r, f);
    if (left < 0 || take_signals(r, f) != 0 || check_record(r, f) != 0) {
        return -1;
    }
    if (!left && is_complete(*result)) {
        return 1;
    }
    if (!left && ended) {
        process_explain(&r->process, r->fds.console, f);
        return has_started(r) ? -1 : MACHINE_NOT_STARTED;
    }
    if (watch[1].revents) {
        take_input(r);
    }
    if (watch[4].revents && supply_step(r->supply, r->input, f) != 0) {
        return -1;
    }
    free(*result);
    *result = NULL;
    return 0;
}

/* await_profile() - the emulator writes it when the machine has been switched off */
static int await_profile(struct running *r, struct failure *f)
{
    const struct timespec look = {.tv_nsec = LOOK * 1000000};

    for (unsigned i = 0; r->process.pid > 0 && i < PROFILE_MAX * 1000 / LOOK; i++) {
        if (waitpid(r->process.pid, NULL, WNOHANG) == r->process.pid) {
            r->process.pid = -1;
        } else {
            nanosleep(&look, NULL);
        }
    }
    return r->process.pid > 0
               ? failure_set(f, FAILURE_RUN, "the emulator does not end after its profile")
               : 0;
}

/* unblock_pipe() - for the report, which may go to the same pipe. One that waits is discarded. */
static void unblock_pipe(void)
{
    const struct timespec now = {0};
    sigset_t pipe;

    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    sigtimedwait(&pipe, NULL, &now);
    sigprocmask(SIG_UNBLOCK, &pipe, NULL);
}

static void stop(struct running *r)
{
    const int fds[] = {r->fds.console, r->fds.out, r->fds.err,
                       r->fds.result,  r->input,   r->own_record ? r->fds.record : -1,
                       r->signals,     r->monitor};

    process_stop(&r->process);
    unblock_pipe();
    for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
        if (fds[i] >= 0) {
            close(fds[i]);
        }
    }
}

int machine_run(const struct emulator *e, const struct machine_files *fds, struct input *in,
                char **result, struct failure *f)
{
    struct running r = {.process = {-1, -1},
                        .fds = EMULATOR_FDS_NONE,
                        .input = -1,
                        .monitor = -1,
                        .signals = -1,
                        .in = in,
                        .live = in->live};
    int done = start(e, fds, &r, f);

    *result = NULL;
    while (done == 0) {
        done = step(&r, result, f);
    }
    if (done > 0 && r.monitor >= 0 && await_profile(&r, f) != 0) {
        done = -1;
    }
    stop(&r);
    if (done < 0) {
        free(*result);
        *result = NULL;
        return done;
    }
    return 0;
}
