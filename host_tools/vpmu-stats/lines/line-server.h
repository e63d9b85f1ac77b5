/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_LINE_SERVER_H
#define VPMU_STATS_LINE_SERVER_H

#include <stdint.h>
#include <sys/types.h>

/* The most bytes of an answer. */
#define LINE_SERVER_MAX 0x8000u

/**
 * struct line_answer - begins an answer
 * @size: of the text that follows.
 * @addresses: from that of the question on, how many have the same answer; at least 1.
 */
struct line_answer {
    uint32_t size;
    uint32_t addresses;
};

/** struct line_question - see dwarf_lines_find(); @inlined is 0 or 1 */
struct line_question {
    uint64_t address;
    uint64_t inlined;
};

/**
 * line_server_start() - start a process that finds source lines in a file
 * @fd: the ELF file, which the caller closes.
 * @socket: receives our end of a socket. For each question that is written to it, the process
 *     writes a struct line_answer; then for each line the name of the inlined function, the path of
 *     the source file and the number of the line, as strings with a NUL.
 *
 * The process cannot open files, and has limits of memory and processor time. It ends when the
 * socket is closed, and earlier if it reaches a limit or if the file makes libdw crash.
 *
 * Return: the process ID; or -1 if it cannot be started.
 */
pid_t line_server_start(int fd, int *socket);

#endif
