/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export/fxt-machine.h"

#include <inttypes.h>

#define MACHINE 1u

/* Number 0 is not a valid process or thread. */
static uint64_t number_of(uint32_t cpu)
{
    return cpu + 1ull;
}

void fxt_machine_begin(struct fxt *f)
{
    fxt_begin(f, FXT_MACHINE_PER_SECOND);
    fxt_name(f, FXT_PROCESS, MACHINE, 0, "machine");
}

void fxt_machine_name(struct fxt *f, uint32_t cpu)
{
    char name[32];

    snprintf(name, sizeof(name), "vCPU %" PRIu32, cpu);
    fxt_name(f, FXT_THREAD, number_of(cpu), MACHINE, name);
}

struct fxt_place fxt_machine_place(uint32_t cpu, uint64_t time, const char *category,
                                   const char *name)
{
    return (struct fxt_place){.process = MACHINE,
                              .thread = number_of(cpu),
                              .time = time,
                              .category = category,
                              .name = name};
}

void fxt_machine_counter(struct fxt *f, uint32_t cpu, uint64_t time, const char *event,
                         const struct fxt_argument *argument, unsigned n)
{
    const struct fxt_place place = fxt_machine_place(cpu, time, FXT_MACHINE_COUNTERS, event);

    fxt_event(f, FXT_COUNTER, &place, argument, n, number_of(cpu));
}
