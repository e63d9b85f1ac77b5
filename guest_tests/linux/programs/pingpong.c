/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pingpong N: two processes on one CPU send one byte back and forth N times. The caller makes them
 * real-time tasks of one priority, so that neither preempts the other. Each gives up the CPU only
 * when it has nothing to read, and each read finds nothing at first, because the other has not yet
 * run.
 *
 * The parent gives up the CPU once for each byte that it waits for. The child does so for each byte
 * but the first, which is there before the child first runs, and once more for the end of the pipe.
 * So there are 2 * N switches until the parent's last byte is there. The parent then closes its end
 * and waits for the child, which is one more: 2 * N + 1.
 */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int echo(int in, int out)
{
    char byte;

    while (read(in, &byte, 1) == 1) {
        if (write(out, &byte, 1) != 1) {
            return 1;
        }
    }
    return 0;
}

static int serve(int in, int out, unsigned long rounds)
{
    char byte = 'x';

    for (; rounds > 0; rounds--) {
        if (write(out, &byte, 1) != 1 || read(in, &byte, 1) != 1) {
            return 1;
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
    int to_child[2], to_parent[2], status = 1;
    pid_t child;

    if (pipe(to_child) != 0 || pipe(to_parent) != 0) {
        return 1;
    }
    child = fork();
    if (child < 0) {
        return 1;
    }
    if (child == 0) {
        close(to_child[1]);
        return echo(to_child[0], to_parent[1]);
    }
    if (serve(to_parent[0], to_child[1], rounds)) {
        return 1;
    }
    close(to_child[1]);
    return waitpid(child, &status, 0) != child || status != 0;
}
