/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbols/line-server.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/format.h"
#include "symbols/dwarf-lines.h"

/*
 * Limits: bytes of memory beyond what the process has when it starts, and seconds of processor time
 * for each answer and for all answers together. A kernel's debug information takes a few seconds. A
 * hostile file could use almost all the time of an answer for each of thousands of addresses.
 */
#define MEMORY (3ull << 30)
#define SECONDS 10u
#define ALL_SECONDS 60u

/* The longest name of a function or of a file. */
#define MAX_NAME 255

/* Descriptors of the process. */
enum {
    FD_SOCKET = 3,
    FD_FILE,
    FDS,
};

/* Return: the size of writable private memory in bytes. */
static uint64_t memory_in_use(void)
{
    uint64_t pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");

    if (file) {
        if (fscanf(file, "%*u %*u %*u %*u %*u %" SCNu64, &pages) != 1) {
            pages = 0;
        }
        fclose(file);
    }
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void limit(int what, uint64_t value)
{
    struct rlimit now;

    if (getrlimit(what, &now) == 0) {
        now.rlim_cur = value < now.rlim_max ? value : now.rlim_max;
        setrlimit(what, &now);
    }
}

static void limit_time(void)
{
    struct rusage used;
    uint64_t until;

    if (getrusage(RUSAGE_SELF, &used) == 0) {
        until = (uint64_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + SECONDS;
        limit(RLIMIT_CPU, until < ALL_SECONDS ? until : ALL_SECONDS);
    }
}

/* Keep only the socket and the file. Nothing can be opened afterwards. */
static bool isolate(int fd, int socket)
{
    static const int signals[] = {SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM};
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    uint64_t memory = memory_in_use();

    /* The user interrupts the program, which closes the socket. */
    signal(SIGINT, SIG_IGN);
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        signal(signals[i], SIG_DFL);
    }
    socket = fcntl(socket, F_DUPFD, FDS);
    fd = fcntl(fd, F_DUPFD, FDS);
    if (nothing < 0 || socket < 0 || fd < 0 || dup2(nothing, STDIN_FILENO) < 0 ||
        dup2(nothing, STDOUT_FILENO) < 0 || dup2(nothing, STDERR_FILENO) < 0 ||
        dup2(socket, FD_SOCKET) < 0 || dup2(fd, FD_FILE) < 0 || close_range(FDS, ~0u, 0)) {
        return false;
    }
    limit(RLIMIT_NOFILE, FDS);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_DATA, memory + MEMORY);
    limit_time();
    return true;
}

static size_t put(char *to, size_t at, const char *text)
{
    size_t size = strnlen(text ? text : "", MAX_NAME);

    memcpy(to + at, text ? text : "", size);
    to[at + size] = '\0';
    format_tame(to + at);
    return at + strlen(to + at) + 1;
}

static void answer(struct dwarf_lines *d, uint64_t address)
{
    static char text[sizeof(uint32_t) + LINE_SERVER_MAX];
    struct dwarf_line line[DWARF_LINES_FRAMES];
    size_t n = d ? dwarf_lines_find(d, address, line) : 0;
    size_t at = sizeof(uint32_t);
    uint32_t size;

    _Static_assert(DWARF_LINES_FRAMES * (2 * (MAX_NAME + 1) + 16) <= LINE_SERVER_MAX, "fits");
    for (size_t i = 0; i < n; i++) {
        char number[16];

        snprintf(number, sizeof(number), "%u", line[i].line);
        at = put(text, at, line[i].function);
        at = put(text, at, line[i].file);
        at = put(text, at, number);
    }
    size = (uint32_t)(at - sizeof(size));
    memcpy(text, &size, sizeof(size));
    if (send(FD_SOCKET, text, at, MSG_NOSIGNAL) != (ssize_t)at) {
        _exit(1);
    }
}

static void serve(void)
{
    struct dwarf_lines *d = dwarf_lines_open(FD_FILE);
    uint64_t address;

    while (recv(FD_SOCKET, &address, sizeof(address), MSG_WAITALL) == sizeof(address)) {
        limit_time();
        answer(d, address);
    }
    _exit(0);
}

pid_t line_server_start(int fd, int *socket)
{
    int ends[2];
    pid_t pid;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) {
        return -1;
    }
    pid = fork();
    if (pid == 0) {
        if (isolate(fd, ends[1])) {
            serve();
        }
        _exit(1);
    }
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return -1;
    }
    *socket = ends[0];
    return pid;
}
