/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PMUs that QEMU emulates, seen from outside: what all targets that have
 * such have in common, and what each of them does for it
 *
 * A CPU's observers count for the user, not for the guest.  query-stats shows
 * them, the guest's counters, and what has been tallied.
 */

#ifndef SYSTEM_VPMU_CPU_H
#define SYSTEM_VPMU_CPU_H

#include "hw/core/cpu.h"
#include "qapi/qapi-types-stats.h"
#include "qapi/qapi-types-vpmu.h"
#include "vpmu/count.h"

/* The longest name that an observer may have. */
#define VPMU_OBSERVER_NAME 127

typedef struct VPMUObserver {
    struct vpmu_observer counter;
    char *name;
} VPMUObserver;

void vpmu_observer_free(VPMUObserver *o);

/* The first CPU with a PMU that QEMU emulates, or the next one after @cs. */
CPUState *vpmu_next_cpu(CPUState *cs);

/* Is there one? */
bool vpmu_cpu_exists(Error **errp);

/* Values of these statistics were read, or of all: leases begin anew. */
void vpmu_observers_read(strList *names);

/* The unit of a statistic. */
enum {
    VPMU_STAT_INSTRUCTIONS,
    VPMU_STAT_CYCLES,
    VPMU_STAT_NANOSECONDS,
    VPMU_STAT_BOOLEAN,
};

/*
 * One statistic after another, always in the same order.  Results and
 * schemas are two things that can be made of them.
 */
typedef struct VPMUStat {
    const char *name;
    StatsType type;
    unsigned int unit;
    uint64_t value;
    /* Of VPMU_LOG2_BUCKETS, in place of the value. */
    const uint64_t *histogram;
} VPMUStat;

typedef struct VPMUVisit {
    void (*fn)(void *opaque, const VPMUStat *stat);
    void *opaque;
    /* A schema has all that can be; values are what there is. */
    bool schema;
} VPMUVisit;

/* Tell of one, under that name. */
void vpmu_tell(const VPMUVisit *visit, VPMUStat stat, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

/* Tell of a counter of the guest's; of its overflows as well. */
void vpmu_tell_counter(const VPMUVisit *visit, const VPMUCounter *counter,
                       uint64_t filter);

/*
 * Calls @fn with each total that is not 0, of instructions and more, not of
 * time.
 */
typedef void VPMUTotalFn(void *opaque, unsigned int source, unsigned int ctx,
                         uint64_t value);
void vpmu_visit_totals(const struct vpmu_count *count, VPMUTotalFn *fn,
                       void *opaque);

/* Offers statistics; once for all CPUs. */
void vpmu_stats_init(void);

/* What info vpmu says of counters, if some are used. */
void vpmu_print_counters(GString *text, VPMUCounterList *counters);
void vpmu_print_observers(GString *text, CPUState *cs, void *seen);

/*
 * What a target does.  @seen is what it has seen of a CPU's PMU when it last
 * looked; valid until the next look, with the BQL held.
 */

/* The list of a CPU's observers; NULL if QEMU emulates no PMU for it. */
GSList **vpmu_cpu_observers(CPUState *cs);

/* What @event is; returns why it is nothing, or NULL. */
const char *vpmu_cpu_parse(CPUState *cs, const char *event,
                           struct vpmu_observer *counter);

/* Can an observer be switched by this counter? */
bool vpmu_cpu_check_gate(CPUState *cs, uint8_t gate, Error **errp);

/*
 * It counts from now on, or no more.  On the thread of the CPU, which does not
 * execute meanwhile.
 */
void vpmu_cpu_observe(CPUState *cs, struct vpmu_observer *o);
/* Returns what it has counted. */
uint64_t vpmu_cpu_unobserve(CPUState *cs, struct vpmu_observer *o);

void *vpmu_cpu_look(CPUState *cs);
/* The PMU itself, for who is on the thread of the CPU. */
void *vpmu_cpu_pmu(CPUState *cs);
uint64_t vpmu_cpu_read(void *pmu, const struct vpmu_observer *o);

/* Tell of all but observers; if it is for a schema, there is no CPU. */
void vpmu_cpu_visit(CPUState *cs, void *seen, const VPMUVisit *visit);

#endif
