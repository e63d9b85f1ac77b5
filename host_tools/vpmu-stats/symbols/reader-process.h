/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_READER_PROCESS_H
#define VPMU_STATS_READER_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Descriptors of a process that reads a file: its end of the socket, and the file. */
enum {
    READER_PROCESS_SOCKET = 3,
    READER_PROCESS_FILE,
};

/**
 * reader_process_start() - start a process that reads a file which a guest may have made
 * @fd: the file.
 * @socket: receives our end of the socket.
 * @serve: what the process does. It has no other files and can open none. Its memory and time are
 *     limited.
 *
 * Return: the process; -1 if it cannot be started.
 */
pid_t reader_process_start(int fd, int *socket, void (*serve)(void));

/** reader_process_limit_time() - in the process: start the time for the next answer */
void reader_process_limit_time(void);

/** reader_process_read() - read @size bytes of an answer. Return: false if they do not come. */
bool reader_process_read(int fd, void *to, size_t size);

/**
 * reader_process_end() - end a process and close our end of its socket
 *
 * Return: true if it had used all the processor time that it may use.
 */
bool reader_process_end(pid_t pid, int fd);

#endif
