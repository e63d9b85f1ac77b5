/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's tracepoints by their names. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/distance.h"
#include "guest.h"

#define EVENTS "/sys/kernel/tracing/events"
#define LIST "/sys/kernel/tracing/available_events"

/* number_of() - the number of "SUBSYSTEM/NAME" for perf; 0 if there is none */
static uint64_t number_of(const char *name)
{
    char path[256], text[32] = "";
    int fd;

    snprintf(path, sizeof(path), EVENTS "/%s/id", name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return 0;
    }
    if (read(fd, text, sizeof(text) - 1) < 0) {
        text[0] = '\0';
    }
    close(fd);
    return strtoull(text, NULL, 10);
}

/* suggest() - the name most like @name, if one is alike. @best: of @size bytes. */
static bool suggest(const char *name, char *best, size_t size)
{
    unsigned distance = (unsigned)strlen(name) / 3 + 1;
    FILE *from = fopen(LIST, "re");
    char line[256];

    best[0] = '\0';
    while (from && fgets(line, sizeof(line), from)) {
        unsigned d;

        line[strcspn(line, "\n")] = '\0';
        d = text_distance(name, line);
        if (d < distance) {
            distance = d;
            snprintf(best, size, "%s", line);
        }
    }
    if (from) {
        fclose(from);
    }
    return best[0] != '\0';
}

uint64_t tracepoint_number(const char *name)
{
    uint64_t number = number_of(name);
    char wanted[128], best[256];

    if (number) {
        return number;
    }
    snprintf(wanted, sizeof(wanted), "%s", name);
    if (strchr(wanted, '/')) {
        *strchr(wanted, '/') = ':';
    }
    if (suggest(wanted, best, sizeof(best))) {
        guest_die("the kernel has no tracepoint %s: did you mean %s?", wanted, best);
    }
    guest_die("the kernel has no tracepoint %s", wanted);
}
