/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/guest-threads.h"

#include <string.h>

#include "base/format.h"

void guest_thread_take(struct guest_thread *to, size_t guest, const struct vpmu_record_thread *from)
{
    *to = (struct guest_thread){0};
    if (!from->known || guest >= NESTED_GUESTS || from->tid >= NESTED_GUESTS_TIDS ||
        from->pid >= NESTED_GUESTS_TIDS) {
        return;
    }
    to->known = true;
    to->tid = NESTED_GUESTS_TID((uint32_t)guest, from->tid);
    to->pid = NESTED_GUESTS_TID((uint32_t)guest, from->pid);
    if (from->tid) {
        memcpy(to->comm, from->comm, sizeof(from->comm));
        format_tame(to->comm);
    } else {
        /* The idle threads of all vCPUs have this number, and perf's name for it. */
        strcpy(to->comm, "swapper");
    }
}

/*
 * The mapping of a process that belongs to one guest has no time, because samples of other vCPUs
 * that arrive later may be older, and because samples came before the guest's kernel was found.
 * The process of a guest's unknown threads belongs to all guests that have its VMID, one after the
 * other.
 */
void guest_maps_write(struct guest_maps *maps, struct perfdata *file,
                      const struct perfdata_sample *s, struct nested_guest *guest)
{
    bool owned = NESTED_GUESTS_HAVE_TID(s->pid) || guest->first;
    const struct perfdata_thread thread = {
        .pid = s->pid, .tid = s->pid, .time = owned ? 0 : s->time, .cpu = s->cpu};
    const struct functions *f = &guest->functions;
    size_t slot = s->pid % GUEST_MAPS_SLOTS;

    if (f->n && (maps->written[slot].pid != s->pid || maps->written[slot].guest != guest)) {
        uint64_t start = f->function[0].start;

        perfdata_code(file, &thread,
                      &(struct perfdata_code){.start = start,
                                              .length = f->function[f->n - 1].end - start,
                                              .offset = start,
                                              .path = guest->path});
        maps->written[slot].pid = s->pid;
        maps->written[slot].guest = guest;
        guest->written = true;
    }
}
