/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Answers a machine that asks for the files that the program looks for. */
#ifndef VPMU_RUN_SUPPLY_H
#define VPMU_RUN_SUPPLY_H

#include "files/learned.h"
#include "protocol.h"

/**
 * struct supply - a run that learns
 * @learned: what the machine asks for is added.
 * @locked: nothing may be added that exists: @refused is the first such file.
 * @budget: the content of files that fits into the machine's memory, in bytes.
 * @bytes: of the content of all files of @learned.
 * @exceeded: more was asked for: a larger machine has to be started.
 * @grown: something was added that exists.
 * @request, @path: what has been received of a request, @received bytes of both.
 * @answer: @left of its bytes have not been sent yet.
 */
struct supply {
    const struct job *job;
    struct learned *learned;
    bool locked;
    uint64_t budget, bytes;
    bool exceeded, grown;
    char refused[PATH_MAX];
    size_t n_refused;
    struct run_frame request;
    char path[PATH_MAX];
    size_t received;
    struct archive answer;
    uint32_t size;
    uint64_t left;
    bool answering;
};

/**
 * supply_step() - reads from the machine or writes to it what can be read or written now
 * @fd: a socket that does not wait.
 */
int supply_step(struct supply *s, int fd, struct failure *f);

void supply_free(struct supply *s);

#endif
