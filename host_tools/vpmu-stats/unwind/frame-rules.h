/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_FRAME_RULES_H
#define VPMU_STATS_FRAME_RULES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "unwind/frame-row.h"

/**
 * struct frame_rules - a process that reads the unwind tables of a file with libdw: .eh_frame and
 *     .debug_frame. The guest may have made the file, so the process is isolated.
 * @tried: for the caller's use.
 *
 * The other fields are private. All are 0 at first.
 */
struct frame_rules {
    bool tried;
    pid_t pid; /* 0: the process does not run */
    int socket;
};

/** frame_rules_open() - read the open file @fd, which the caller closes. Return: false on failure.
 */
bool frame_rules_open(struct frame_rules *r, int fd);

/**
 * frame_rules_find() - find the rules at an address of the file
 * @row: receives them; row->found says whether there are some.
 */
void frame_rules_find(struct frame_rules *r, uint64_t address, struct frame_row *row);

void frame_rules_close(struct frame_rules *r);

#endif
