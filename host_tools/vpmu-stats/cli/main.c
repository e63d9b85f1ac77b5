/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vpmu-stats: observes virtual PMUs from outside their machines. */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "cli/builtin.h"
#include "base/error.h"
#include "base/distance.h"
#include "base/signals.h"
#include "vpmu/version.h"

const char *argp_program_version = "vpmu-stats " VPMU_VERSION;

static const struct {
    const char *name;
    int (*run)(int argc, char **argv, int stop_fd);
} commands[] = {
    {"list", builtin_list},
    {"stat", builtin_stat},
    {"record", builtin_record},
    {"profile", builtin_profile},
    {"report", builtin_report},
    {"annotate", builtin_annotate},
    {"script", builtin_script},
    {"convert", builtin_convert},
    {"diff", builtin_diff},
    {"blackout", builtin_blackout},
    {"exits", builtin_exits},
    {"guest", builtin_guest},
    {"events", builtin_events},
    {"top", builtin_top},
    {"exporter", builtin_exporter},
    /* Internal commands: see base/child.h. */
    {"libvirt-list", builtin_libvirt_list},
    {"libvirt-monitor", builtin_libvirt_monitor},
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

struct choice {
    size_t command;
    int first;
};

/* Suggest the nearest command, if one or two letters are wrong. */
static void say_unknown(struct argp_state *state, const char *name)
{
    const char *nearest = NULL;
    unsigned least = strlen(name) < 5 ? 2 : 3;

    for (size_t i = 0; i < COMMANDS; i++) {
        unsigned distance = text_distance(name, commands[i].name);

        if (distance < least) {
            least = distance;
            nearest = commands[i].name;
        }
    }
    if (nearest) {
        argp_error(state, "no command '%s': did you mean %s?", name, nearest);
    } else {
        argp_error(state, "no command '%s'; vpmu-stats --help lists them", name);
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct choice *choice = state->input;

    switch (key) {
    case ARGP_KEY_ARG:
        for (choice->command = 0; choice->command < COMMANDS; choice->command++) {
            if (strcmp(arg, commands[choice->command].name) == 0) {
                choice->first = state->next - 1;
                state->next = state->argc;
                return 0;
            }
        }
        say_unknown(state, arg);
        return EINVAL;
    case ARGP_KEY_NO_ARGS:
        argp_usage(state);
        return EINVAL;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    0,
    parse,
    "COMMAND [OPTION...] [MACHINE]",
    "Reads the virtual PMUs of QEMU's machines from outside.\v"
    "Commands:\n"
    "  list       list machines with a virtual PMU\n"
    "  stat       count events, as perf stat does\n"
    "  record     sample events into a file for perf or report\n"
    "  profile    count how often each line is executed, for callgrind_annotate\n"
    "  report     summarize such a file, as perf report does\n"
    "  annotate   show samples per instruction, as perf annotate does\n"
    "  script     print samples as text, as perf script does\n"
    "  convert    write a flame graph, a page for a browser, a timeline, pprof\n"
    "  diff       compare two recordings\n"
    "  blackout   measure counts that a hypervisor in the machine loses\n"
    "  exits      measure where KVM vCPUs spend their time, by exit reason\n"
    "  guest      show the counters that the guest has programmed\n"
    "  events     list the events that the PMU counts, exactly or by a model\n"
    "  top        show the rates of all machines and update them\n"
    "  exporter   serve the counts of all machines to Prometheus\n\n"
    "MACHINE is a libvirt domain (name, UUID or ID) or the path of a QMP socket:\n\n"
    "    vpmu-stats stat -e instructions:u,cycles:u vm\n\n"
    "    qemu-system-aarch64 -qmp unix:vm.qmp,server=on,wait=off ...\n"
    "    vpmu-stats stat -e instructions:u,cycles:u ./vm.qmp\n\n"
    "Without MACHINE, the command uses the socket in VPMU_QMP, or the only machine in libvirt and "
    "in $XDG_RUNTIME_DIR/vpmu. vpmu-stats help COMMAND lists the options.\n\n"
    "Exit status:\n"
    "    0  success\n"
    "    1  communication with QEMU or libvirt failed\n"
    "    2  invalid options, or a file cannot be read\n"
    "    3  no machine is running there\n"
    "    4  this QEMU or this machine has no virtual PMU\n"
    "    5  the machine ended during the command\n"
    "    6  the output cannot be written\n"
    "    7  permission denied\n"
    "    8  the exporter cannot listen on the address\n"
    "    9  growth limit of diff exceeded\n"
    "  130  interrupted before there was a result\n"
    "  141  the reader of the standard output closed it",
    0,
    0,
    0,
};

/* Messages must not be written to a file that got the number of a closed standard stream. */
static void open_standard(void)
{
    int fd;

    do {
        fd = open("/dev/null", O_RDWR);
    } while (fd >= 0 && fd <= STDERR_FILENO);
    close(fd);
}

/* Commands check their own output. This checks the text of --help and --version. */
static void finish_standard(void)
{
    if (fflush(stdout) || ferror(stdout)) {
        fprintf(stderr, "vpmu-stats: cannot write: %s\n", strerror(errno));
        _exit(ERROR_OUTPUT);
    }
}

/*
 * Blocks signals and returns a descriptor for them, so that a command can undo what it switched on
 * before it ends.
 */
static int catch_signals(void)
{
    sigset_t set = signals_ending();

    signal(SIGPIPE, SIG_IGN);
    /* A file that would be too large is an error, as on a full disk. */
    signal(SIGXFSZ, SIG_IGN);
    sigprocmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/*
 * Turns "help" and "help COMMAND", and -h as the first argument of the program or of a command,
 * into
 * --help.
 */
static void take_help(int *argc, char **argv)
{
    static char help[] = "--help";

    if (*argc > 2 && strcmp(argv[1], "help") == 0) {
        argv[1] = argv[2];
        argv[2] = help;
        argv[3] = NULL;
        *argc = 3;
    } else if (*argc > 1 && (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "-h") == 0)) {
        argv[1] = help;
    } else if (*argc > 2 && strcmp(argv[2], "-h") == 0) {
        argv[2] = help;
    }
}

/*
 * The name of a command in its help and errors: vpmu-run says under which one it has executed this
 * program.
 */
static void name_command(char *name, size_t size, const char *program, const char *command)
{
    static const char caller[] = "vpmu-run ";

    if (program && strncmp(program, caller, strlen(caller)) == 0) {
        error_name("vpmu-run");
        snprintf(name, size, "%s", program);
    } else {
        snprintf(name, size, "vpmu-stats %s", command);
    }
}

int main(int argc, char **argv)
{
    static char name[64];
    struct choice choice = {0};
    int stop_fd;
    int status;

    open_standard();
    atexit(finish_standard);
    setlocale(LC_CTYPE, "");
    argp_err_exit_status = ERROR_USAGE;
    take_help(&argc, argv);
    argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &choice);
    stop_fd = catch_signals();
    if (stop_fd < 0) {
        fprintf(stderr, "vpmu-stats: cannot watch for signals: %s\n", strerror(errno));
        return ERROR_TALK;
    }
    signals_watch(stop_fd);
    name_command(name, sizeof(name), argv[0], commands[choice.command].name);
    argv[choice.first] = name;
    status = commands[choice.command].run(argc - choice.first, argv + choice.first, stop_fd);
    close(stop_fd);
    return status;
}
