/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef COMMAND_H
#define COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/**
 * struct command - a program that was started
 * @pid: its process; 0 if there is none.
 * @in: writes to its standard input; -1 if that is /dev/null.
 */
struct command {
    pid_t pid;
    int in;
};

enum command_input {
    INPUT_NULL,
    INPUT_PIPE
};

/**
 * command_start() - starts a program
 * @command: is filled in.
 * @input: what its standard input is.
 * @output: file for its standard output, or NULL: it goes where errors go.
 * @line: the program and its arguments, separated by single blanks, without quoting.
 *
 * Standard error goes to COMMAND_ERRORS. Reports a failed test if the program cannot be started.
 */
bool command_start(struct command *command, enum command_input input, const char *output,
                   const char *line);

/**
 * command_wait() - waits for the end of a program
 * @seconds: after that long it is killed, and the test has failed.
 *
 * Return: true if it ended by itself with status 0; otherwise a failed test is reported with the
 * last line of its errors.
 */
bool command_wait(struct command *command, unsigned seconds);

/* Both. */
bool command_run(const char *output, unsigned seconds, const char *line);

/* Ends a program that is not needed any more. */
void command_kill(struct command *command);

/* The last line of a file that is not blank, without its newline. */
void last_line(const char *path, char *line, size_t size);

#define COMMAND_ERRORS "/tmp/errors"

/* Sleeps. */
void pause_ms(unsigned ms);

/* Restricts this process and what it starts to the first CPU, or allows all CPUs again. */
void keep_to_first_cpu(bool keep);

/* Returns whether the thread sleeps. PATH is its directory in /proc. */
bool thread_sleeps(const char *path);

#endif
