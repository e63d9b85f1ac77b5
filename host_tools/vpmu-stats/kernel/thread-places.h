/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_THREAD_PLACES_H
#define VPMU_STATS_THREAD_PLACES_H

#include <json-c/json.h>

#include "kernel/kernel.h"
#include "qmp/qmp.h"

/**
 * struct guest_places - passes to the machine where the kernels of its guests have their threads
 * @q: the machine's monitor.
 * @error: the first error of the machine. ERROR_NO_VPMU: an older QEMU knows no threads of guests.
 */
struct guest_places {
    struct qmp *q;
    struct error error;
};

/**
 * thread_places_make() - make the object VPMURecordPlaces of the monitor: where a kernel has its
 * threads
 */
struct json_object *thread_places_make(const struct symbols *symbols,
                                       const struct task_layout *layout);

/**
 * guest_places_pass() - pass where the kernel of a guest has its threads
 * @places: a struct guest_places.
 * @vttbr: identifies the guest.
 *
 * Does nothing if the kernel does not say where, or the machine has refused it before. This is a
 * nested_guests.found().
 */
void guest_places_pass(void *places, uint64_t vttbr, const struct kernel *kernel);

#endif
