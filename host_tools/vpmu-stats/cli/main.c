/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vpmu-stats: looks at virtual PMUs from outside of their machines. */
#include <argp.h>
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "cli/builtin.h"
#include "base/error.h"
#include "vpmu/version.h"

const char *argp_program_version = "vpmu-stats " VPMU_VERSION;

static const struct {
    const char *name;
    int (*run)(int argc, char **argv, int stop_fd);
} commands[] = {
    {"list", builtin_list},
    {"stat", builtin_stat},
    {"record", builtin_record},
    {"report", builtin_report},
    {"annotate", builtin_annotate},
    {"convert", builtin_convert},
    {"diff", builtin_diff},
    {"blackout", builtin_blackout},
    {"exits", builtin_exits},
    {"guest", builtin_guest},
    {"top", builtin_top},
    {"exporter", builtin_exporter},
    /* Not for people: see child.h. */
    {"libvirt-list", builtin_libvirt_list},
    {"libvirt-monitor", builtin_libvirt_monitor},
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

struct choice {
    size_t command;
    int first;
};

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
        argp_error(state, "there is no command '%s'", arg);
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
    "Looks at the virtual PMUs of QEMU's machines from outside.\v"
    "Commands:\n"
    "  list       machines with a virtual PMU, one line each\n"
    "  stat       counts events for a while, as perf stat does\n"
    "  record     samples events at the instruction, into a file that perf reads\n"
    "  report     sums up what record wrote, as perf report does\n"
    "  annotate   at which instructions of a function the samples are\n"
    "  convert    turns it into flame graphs, folded stacks, timelines or a profile for pprof\n"
    "  diff       what changed between two recordings\n"
    "  blackout   what a hypervisor in the machine loses between host and guest\n"
    "  exits      where the time of KVM's vCPUs goes, by reason of exit\n"
    "  guest      what perf in the guest has made of the counters\n"
    "  top        all machines, as top(1) shows processes\n"
    "  exporter   serves what all machines count to Prometheus\n\n"
    "MACHINE is a domain of libvirt's: its name, UUID or ID; or the path of a monitor's socket:\n\n"
    "    vpmu-stats stat -e instructions:u,cycles:u vm\n\n"
    "    qemu-system-aarch64 -qmp unix:vm.qmp,server=on,wait=off ...\n"
    "    vpmu-stats stat -e instructions:u,cycles:u ./vm.qmp\n\n"
    "It can be left out if VPMU_QMP names a socket, or if exactly one machine runs, in libvirt and "
    "behind the sockets in $XDG_RUNTIME_DIR/vpmu. vpmu-stats COMMAND --help says more.\n\n"
    "Exit codes: 0 well, 1 trouble with the monitor or with libvirt, 2 usage, 3 nothing runs "
    "there, 4 no vpmu there, 5 the machine ended meanwhile, 6 the output cannot be written, 7 this "
    "user may not, 8 the address to listen on cannot be had, 9 something grew that may not.",
    0,
    0,
    0,
};

/* Signals become something to wait for, so that what was switched on can be switched off. */
static int catch_signals(void)
{
    sigset_t set;

    signal(SIGPIPE, SIG_IGN);
    sigemptyset(&set);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int main(int argc, char **argv)
{
    static char name[64];
    struct choice choice = {0};
    int stop_fd;
    int status;

    setlocale(LC_CTYPE, "");
    argp_err_exit_status = ERROR_USAGE;
    argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &choice);
    stop_fd = catch_signals();
    if (stop_fd < 0) {
        fprintf(stderr, "vpmu-stats: cannot watch for signals: %s\n", strerror(errno));
        return ERROR_TALK;
    }
    snprintf(name, sizeof(name), "vpmu-stats %s", commands[choice.command].name);
    argv[choice.first] = name;
    status = commands[choice.command].run(argc - choice.first, argv + choice.first, stop_fd);
    close(stop_fd);
    return status;
}
