/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_GUEST_THREADS_H
#define VPMU_STATS_GUEST_THREADS_H

#include "kernel/nested-guests.h"
#include "perfdata/perfdata.h"

/* The size of the table of processes. */
#define GUEST_MAPS_SLOTS 1024u

/**
 * struct guest_thread - the thread of a guest of the machine's own hypervisor; all 0 if it is not
 *     known
 * @known: all other fields are valid.
 * @tid, @pid: its numbers in the file; see NESTED_GUESTS_TIDS.
 * @comm: its name.
 */
struct guest_thread {
    bool known;
    uint32_t tid;
    uint32_t pid;
    char comm[VPMU_RECORD_COMM + 1];
};

/**
 * struct guest_maps - the processes of guests for which the file has a mapping of their kernel; all
 *     0 at first
 *
 * The size is fixed, because a guest has any number of processes. A process that was dropped from
 * the table gets the same mapping again. Guests that have the same VMID one after the other share
 * the process of threads that are not known.
 */
struct guest_maps {
    struct {
        uint32_t pid;
        const struct nested_guest *guest;
    } written[GUEST_MAPS_SLOTS];
};

/**
 * guest_thread_take() - take a thread from a machine
 * @to: is filled in.
 * @guest: the index of its guest. The thread of a guest without an index is not known.
 * @from: not trusted. A number that no Linux gives to a thread means that the thread is not known.
 */
void guest_thread_take(struct guest_thread *to, size_t guest,
                       const struct vpmu_record_thread *from);

/** guest_maps_write() - write the mapping of a guest's kernel before a sample that needs it */
void guest_maps_write(struct guest_maps *maps, struct perfdata *file,
                      const struct perfdata_sample *s, struct nested_guest *guest);

#endif
