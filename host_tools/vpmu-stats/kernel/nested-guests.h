/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_NESTED_GUESTS_H
#define VPMU_STATS_NESTED_GUESTS_H

#include "kernel/kernel.h"
#include "perfdata/filesymbols.h"
#include "qmp/memory.h"
#include "symbols/functions.h"
#include "vpmu/record.h"

/* The most guests whose functions are searched for. A machine may have more. */
#define NESTED_GUESTS 64u

/*
 * A guest has the same numbers of threads as the machine, so in a file the threads of the first
 * guest have the numbers from 1,100,000,000 on, those of the second from 1,110,000,000 on. The last
 * seven digits are the guest's own number: a 64-bit Linux has threads below 4,194,304. perf's
 * numbers have 31 bits.
 */
#define NESTED_GUESTS_TIDS 10000000u
#define NESTED_GUESTS_TID(index, tid) (1100000000u + (index)*NESTED_GUESTS_TIDS + (tid))
#define NESTED_GUESTS_HAVE_TID(tid)                                                                \
    ((tid)-NESTED_GUESTS_TID(0u, 0u) < NESTED_GUESTS * NESTED_GUESTS_TIDS)

#define NESTED_GUESTS_EARLY 4096u

/**
 * struct nested_guest - a guest of the machine's own hypervisor
 * @vmid: its VMID. Another guest can get the same VMID later. On x86-64, where guests have none,
 *     the first guest of a recording has 1, the next one 2, and so on.
 * @vttbr: identifies the guest: the VMID and the address of its page table; see struct
 *     vpmu_record_guest.
 * @functions: functions of its kernel, sorted; empty if they are not known.
 * @used: for each of @functions, whether a sample needs it.
 * @path: the name that the file has for its kernel.
 * @first: no other guest had this VMID before.
 * @early: addresses of samples that came before its functions were known.
 * @n_early: the number of @early, which are at most NESTED_GUESTS_EARLY.
 * @written: the file has the mapping of the kernel.
 * @samples: number of samples that came before its functions were known.
 * @next: the functions are searched for again after so many samples.
 * @tries: how often they were searched for.
 */
struct nested_guest {
    uint32_t vmid;
    uint64_t vttbr;
    struct functions functions;
    bool *used;
    char path[32];
    bool first;
    uint64_t *early;
    size_t n_early;
    bool written;
    uint64_t samples;
    uint64_t next;
    unsigned tries;
};

/**
 * struct nested_guests - the guests that samples have shown; all 0 at first
 * @is_x86: the machine is an x86-64.
 * @memory: the machine's memory. NULL: functions are not searched for.
 * @found: called when the kernel of a guest has been found; may be NULL.
 * @opaque: the first argument of @found.
 * @guest, @n: the guests.
 * @symbols: for nested_guests_symbols().
 */
struct nested_guests {
    bool is_x86;
    struct memory *memory;
    void (*found)(void *opaque, uint64_t vttbr, const struct kernel *kernel);
    void *opaque;
    struct nested_guest guest[NESTED_GUESTS];
    size_t n;
    struct filesymbols symbols[NESTED_GUESTS];
};

/**
 * nested_guests_find() - find the guest that a sample was taken in
 * @from: the vCPU's last record of a guest.
 *
 * The first call for a guest reads the functions of its kernel from the machine's memory. If there
 * is no kernel, later calls try again, because it may still be booting.
 *
 * Return: NULL if the guest cannot be known, or there are too many guests.
 */
struct nested_guest *nested_guests_find(struct nested_guests *g,
                                        const struct vpmu_record_guest *from);

/**
 * nested_guest_use() - mark the function at an address as used
 *
 * If the functions are not known yet, the address is kept until they are: samples of the first
 * moments then have names, too.
 */
void nested_guest_use(struct nested_guest *guest, uint64_t address);

/**
 * nested_guests_index() - get the index in g->guest of the guest that @vttbr identifies
 *
 * The first call for a guest adds it.
 *
 * Return: NESTED_GUESTS if the guest cannot be known, or there are too many guests.
 */
size_t nested_guests_index(struct nested_guests *g, uint64_t vttbr);

/** nested_guests_same() - test whether two values of @vttbr identify the same guest */
bool nested_guests_same(uint64_t a, uint64_t b);

/**
 * nested_guests_symbols() - list the functions that the file needs, in g->symbols
 *
 * Return: the number of lists.
 */
size_t nested_guests_symbols(struct nested_guests *g);

/** nested_guests_next() - start the next file */
void nested_guests_next(struct nested_guests *g);

/**
 * nested_guests_nameless() - get the number of guests that have samples but no functions
 */
size_t nested_guests_nameless(const struct nested_guests *g);

void nested_guests_free(struct nested_guests *g);

#endif
