/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_THREAD_FILTER_H
#define VPMU_STATS_THREAD_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define THREAD_FILTER_MAX 64u
/* Added to the number of a guest of SVM. VMIDs have 16 bits. */
#define THREAD_FILTER_SVM 0x10000u

/**
 * struct thread_filter - the threads of the machine, and its own guests, whose samples are kept
 * @pid: process IDs, @pids of them.
 * @tid: thread IDs, @tids of them.
 * @comm: names of threads, @comms of them; not copied.
 * @vmid: VMIDs of guests of the machine's own hypervisor, @vmids of them. On x86-64
 *     THREAD_FILTER_SVM plus their numbers.
 *
 * A thread or guest that matches any entry is kept. An empty filter keeps everything.
 */
struct thread_filter {
    uint32_t pid[THREAD_FILTER_MAX];
    size_t pids;
    uint32_t tid[THREAD_FILTER_MAX];
    size_t tids;
    const char *comm[THREAD_FILTER_MAX];
    size_t comms;
    uint32_t vmid[THREAD_FILTER_MAX];
    size_t vmids;
};

/**
 * thread_filter_numbers() - add a list such as "1,4711"
 * @number: an array of THREAD_FILTER_MAX numbers, of which @n are used.
 *
 * Return: 0, or -1: ERROR_USAGE.
 */
int thread_filter_numbers(uint32_t *number, size_t *n, const char *list, struct error *t);

/** thread_filter_guests() - add a list such as "vmid-1,svm-7". Return: 0, or -1: ERROR_USAGE. */
int thread_filter_guests(struct thread_filter *f, const char *list, struct error *t);

/** thread_filter_comm() - add a name. Return: 0, or -1: ERROR_USAGE if there are too many. */
int thread_filter_comm(struct thread_filter *f, const char *comm, struct error *t);

/** thread_filter_is_empty() - tell whether the filter keeps everything */
bool thread_filter_is_empty(const struct thread_filter *f);

/**
 * thread_filter_keeps() - tell whether the samples of a thread are kept
 * @comm: the name of the thread; NULL if it is not known.
 */
bool thread_filter_keeps(const struct thread_filter *f, uint32_t pid, uint32_t tid,
                         const char *comm);

/**
 * thread_filter_keeps_guest() - tell whether the samples of a guest are kept
 * @vmid: its VMID, or THREAD_FILTER_SVM and its number.
 */
bool thread_filter_keeps_guest(const struct thread_filter *f, uint32_t vmid);

#endif
