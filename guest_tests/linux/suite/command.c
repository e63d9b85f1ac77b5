/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "suite.h"

enum {
    MAX_WORDS = 64,
    MAX_LINE = 1024
};

void pause_ms(unsigned ms)
{
    const struct timespec ts = {.tv_sec = (time_t)(ms / 1000),
                                .tv_nsec = (long)(ms % 1000) * 1000000};

    nanosleep(&ts, NULL);
}

static void split(char *line, char *words[MAX_WORDS])
{
    size_t n = 0;

    for (char *word = strtok(line, " "); word != NULL && n < MAX_WORDS - 1;
         word = strtok(NULL, " ")) {
        words[n++] = word;
    }
    words[n] = NULL;
}

static void become_file(const char *path, int flags, int fd)
{
    int file = open(path, flags | O_CLOEXEC, 0644);

    if (file < 0 || dup2(file, fd) < 0) {
        _exit(126);
    }
}

static void child(const char *line, const char *output, int in)
{
    static char copy[MAX_LINE];
    static char *words[MAX_WORDS];

    if (in >= 0) {
        dup2(in, STDIN_FILENO);
    } else {
        become_file("/dev/null", O_RDONLY, STDIN_FILENO);
    }
    become_file(COMMAND_ERRORS, O_WRONLY | O_CREAT | O_APPEND, STDERR_FILENO);
    if (output != NULL) {
        become_file(output, O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
    } else {
        dup2(STDERR_FILENO, STDOUT_FILENO);
    }
    snprintf(copy, sizeof(copy), "%s", line);
    split(copy, words);
    execvp(words[0], words);
    fprintf(stderr, "%s: %s\n", words[0], strerror(errno));
    _exit(127);
}

/*
 * perf record reads the kernel's list of symbols several times, and perf script once. The kernel
 * makes up the text each time, which takes an emulated processor seconds. So they read a copy.
 */
static void copy_symbols(void)
{
    static bool copied;
    static char buffer[1 << 16];
    static const char list[] = "/proc/kallsyms", copy[] = "/tmp/kallsyms";
    int from, to;
    ssize_t n;

    if (copied) {
        return;
    }
    copied = true;
    from = open(list, O_RDONLY | O_CLOEXEC);
    to = open(copy, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0444);
    do {
        n = read(from, buffer, sizeof(buffer));
    } while (n > 0 && write(to, buffer, (size_t)n) == n);
    close(to);
    close(from);
    if (n != 0 || mount(copy, list, NULL, MS_BIND, NULL) != 0) {
        test_fail("cannot copy %s: %s", list, strerror(errno));
    }
}

bool command_start(struct command *command, enum command_input input, const char *output,
                   const char *line)
{
    int ends[2] = {-1, -1};

    if (strncmp(line, "perf ", 5) == 0 && strstr(line, " record ") != NULL) {
        copy_symbols();
    }
    unlink(COMMAND_ERRORS);
    if (input == INPUT_PIPE && pipe2(ends, O_CLOEXEC) != 0) {
        test_fail("pipe: %s", strerror(errno));
        return false;
    }
    command->in = ends[1];
    command->pid = fork();
    if (command->pid == 0) {
        child(line, output, ends[0]);
    }
    if (ends[0] >= 0) {
        close(ends[0]);
    }
    if (command->pid < 0) {
        test_fail("fork: %s", strerror(errno));
    }
    return command->pid > 0;
}

static void close_input(struct command *command)
{
    if (command->in >= 0) {
        close(command->in);
        command->in = -1;
    }
}

void command_kill(struct command *command)
{
    close_input(command);
    if (command->pid > 0) {
        kill(command->pid, SIGKILL);
        waitpid(command->pid, NULL, 0);
        command->pid = 0;
    }
}

void last_line(const char *path, char *line, size_t size)
{
    char next[MAX_LINE];
    FILE *file = fopen(path, "re");

    line[0] = '\0';
    if (file == NULL) {
        return;
    }
    while (fgets(next, sizeof(next), file) != NULL) {
        next[strcspn(next, "\n")] = '\0';
        if (next[strspn(next, " \t")] != '\0') {
            snprintf(line, size, "%s", next);
        }
    }
    fclose(file);
}

bool command_wait(struct command *command, unsigned seconds)
{
    unsigned waited = 0, step = 2;
    char said[200];
    int status;

    while (waitpid(command->pid, &status, WNOHANG) == 0) {
        if (waited > seconds * 1000) {
            command_kill(command);
            test_fail("a command did not end in %u s", seconds);
            return false;
        }
        pause_ms(step);
        waited += step;
    }
    command->pid = 0;
    close_input(command);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        return true;
    }
    last_line(COMMAND_ERRORS, said, sizeof(said));
    test_fail("a command ended with status %#x: %s", (unsigned)status, said);
    return false;
}

bool command_run(const char *output, unsigned seconds, const char *line)
{
    struct command command;

    return command_start(&command, INPUT_NULL, output, line) && command_wait(&command, seconds);
}

void keep_to_first_cpu(bool keep)
{
    cpu_set_t cpus;

    memset(&cpus, keep ? 0 : 0xff, sizeof(cpus));
    CPU_SET(0, &cpus);
    if (sched_setaffinity(0, sizeof(cpus), &cpus) != 0) {
        test_fail("sched_setaffinity: %s", strerror(errno));
    }
}

bool thread_sleeps(const char *path)
{
    char name[100], state = '?';
    FILE *file;

    snprintf(name, sizeof(name), "%s/stat", path);
    file = fopen(name, "re");
    if (file == NULL) {
        return false;
    }
    if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1) {
        state = '?';
    }
    fclose(file);
    return state == 'S';
}
