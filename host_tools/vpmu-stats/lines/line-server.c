/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lines/line-server.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/format.h"
#include "lines/dwarf-lines.h"
#include "symbols/reader-process.h"

/* The longest name of a function or of a file. */
#define MAX_NAME 255

static size_t put(char *to, size_t at, const char *text)
{
    size_t size = strnlen(text ? text : "", MAX_NAME);

    memcpy(to + at, text ? text : "", size);
    to[at + size] = '\0';
    format_tame(to + at);
    return at + strlen(to + at) + 1;
}

static void answer(struct dwarf_lines *d, const struct line_question *q)
{
    static char text[sizeof(struct line_answer) + LINE_SERVER_MAX];
    struct dwarf_line line[DWARF_LINES_FRAMES];
    uint64_t end = UINT64_MAX;
    size_t n = d ? dwarf_lines_find(d, q->address, q->inlined, line, &end) : 0;
    size_t at = sizeof(struct line_answer);
    struct line_answer head;

    _Static_assert(DWARF_LINES_FRAMES * (2 * (MAX_NAME + 1) + 16) <= LINE_SERVER_MAX, "fits");
    for (size_t i = 0; i < n; i++) {
        char number[16];

        snprintf(number, sizeof(number), "%u", line[i].line);
        at = put(text, at, line[i].function);
        at = put(text, at, line[i].file);
        at = put(text, at, number);
    }
    end = end > q->address ? end - q->address : 1;
    head = (struct line_answer){.size = (uint32_t)(at - sizeof(head)),
                                .addresses = end < UINT32_MAX ? (uint32_t)end : UINT32_MAX};
    memcpy(text, &head, sizeof(head));
    if (send(READER_PROCESS_SOCKET, text, at, MSG_NOSIGNAL) != (ssize_t)at) {
        _exit(1);
    }
}

static void serve(void)
{
    struct dwarf_lines *d = dwarf_lines_open(READER_PROCESS_FILE);
    struct line_question q;

    while (recv(READER_PROCESS_SOCKET, &q, sizeof(q), MSG_WAITALL) == sizeof(q)) {
        reader_process_limit_time();
        answer(d, &q);
    }
    _exit(0);
}

pid_t line_server_start(int fd, int *socket)
{
    return reader_process_start(fd, socket, serve);
}
