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
 * command_start() - start a program
 * @command: is filled in.
 * @input: what its standard input is.
 * @output: file for its standard output, or NULL: it goes where errors go.
 * @line: the program and its arguments, separated by single blanks, no quoting.
 *
 * Standard error goes to COMMAND_ERRORS. Reports a failed test if it cannot be started.
 */
bool command_start(struct command *command, enum command_input input, const char *output,
                   const char *line);

/**
 * command_wait() - wait for its end
 * @seconds: after that long it is killed, and the test has failed.
 *
 * Return: true if it ended by itself with status 0; otherwise a failed test is reported with the
 * last thing it said.
 */
bool command_wait(struct command *command, unsigned seconds);

/* Both. */
bool command_run(const char *output, unsigned seconds, const char *line);

/* Ends a program that is not needed any more. */
void command_kill(struct command *command);

/* The last line that is not blank of a file, without its newline. */
void last_line(const char *path, char *line, size_t size);

#define COMMAND_ERRORS "/tmp/errors"

/* Sleeps. */
void pause_ms(unsigned ms);

/* Keeps this process and what it starts to the first CPU, or lets them have all again. */
void keep_to_first_cpu(bool keep);

/* Is the thread asleep? PATH is its directory in /proc. */
bool thread_sleeps(const char *path);

#endif
