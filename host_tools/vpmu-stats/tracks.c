/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tracks.h"

#include <inttypes.h>

#define MACHINE 1u

/* A number of 0 is nobody's. */
static uint64_t number_of(uint32_t cpu)
{
    return cpu + 1ull;
}

void tracks_begin(struct fxt *f)
{
    fxt_begin(f, TRACKS_PER_SECOND);
    fxt_name(f, FXT_PROCESS, MACHINE, 0, "machine");
}

void tracks_name(struct fxt *f, uint32_t cpu)
{
    char name[32];

    snprintf(name, sizeof(name), "vCPU %" PRIu32, cpu);
    fxt_name(f, FXT_THREAD, number_of(cpu), MACHINE, name);
}

struct fxt_place tracks_place(uint32_t cpu, uint64_t time, const char *category, const char *name)
{
    return (struct fxt_place){.process = MACHINE,
                              .thread = number_of(cpu),
                              .time = time,
                              .category = category,
                              .name = name};
}

void tracks_counter(struct fxt *f, uint32_t cpu, uint64_t time, const char *event,
                    const struct fxt_argument *argument, unsigned n)
{
    const struct fxt_place place = tracks_place(cpu, time, TRACKS_COUNTERS, event);

    fxt_event(f, FXT_COUNTER, &place, argument, n, number_of(cpu));
}
