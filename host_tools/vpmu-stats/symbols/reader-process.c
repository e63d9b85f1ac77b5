/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbols/reader-process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * Limits: bytes of memory beyond what the process has when it starts, and seconds of processor time
 * for each answer and for all answers together. A kernel's debug information takes a few seconds. A
 * hostile file could use almost all the time of an answer for each of thousands of addresses.
 */
#define MEMORY (3ull << 30)
#define SECONDS 10u
#define ALL_SECONDS 60u

/* The longest time to wait for an answer. The process's limit of processor time is shorter. */
#define PATIENCE_MS 60000

/* The number of descriptors of the process: the standard ones, and those of the header. */
#define FDS (READER_PROCESS_FILE + 1)

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

void reader_process_limit_time(void)
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
        dup2(socket, READER_PROCESS_SOCKET) < 0 || dup2(fd, READER_PROCESS_FILE) < 0 ||
        close_range(FDS, ~0u, 0)) {
        return false;
    }
    limit(RLIMIT_NOFILE, FDS);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_DATA, memory + MEMORY);
    reader_process_limit_time();
    return true;
}

pid_t reader_process_start(int fd, int *socket, void (*serve)(void))
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

bool reader_process_read(int fd, void *to, size_t size)
{
    for (size_t done = 0; done < size;) {
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        int n = poll(&ready, 1, PATIENCE_MS);
        ssize_t got;

        if (n < 0 && errno == EINTR) {
            continue;
        }
        got = n > 0 ? read(fd, (char *)to + done, size - done) : 0;
        if (got <= 0) {
            return false;
        }
        done += (size_t)got;
    }
    return true;
}

bool reader_process_end(pid_t pid, int fd)
{
    int status = 0;

    close(fd);
    kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU;
}
