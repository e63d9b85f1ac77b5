/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The view of emulated PMUs from outside: what all targets share, and what each
 * target has to implement
 *
 * A CPU's observers count for the user, not for the guest.  query-stats returns
 * them, the guest's counters and the totals.
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

/* Does any CPU have a PMU that QEMU emulates? */
bool vpmu_cpu_exists(Error **errp);

/* Renews the leases of observers that @names selects; NULL selects all. */
void vpmu_observers_read(strList *names);

/* The unit of a statistic. */
enum {
    VPMU_STAT_INSTRUCTIONS,
    VPMU_STAT_CYCLES,
    VPMU_STAT_NANOSECONDS,
    VPMU_STAT_BOOLEAN,
};

/*
 * A visit passes one statistic after the other to a function, always in the
 * same order.  Both results and schemas are made this way.
 */
typedef struct VPMUStat {
    const char *name;
    StatsType type;
    unsigned int unit;
    uint64_t value;
    /* VPMU_LOG2_BUCKETS values, in place of @value. */
    const uint64_t *histogram;
} VPMUStat;

typedef struct VPMUVisit {
    void (*fn)(void *opaque, const VPMUStat *stat);
    void *opaque;
    /* Visit every statistic that can exist, not only those with a value. */
    bool schema;
} VPMUVisit;

/* Passes one statistic, with the formatted name, to the visit. */
void vpmu_stat(const VPMUVisit *visit, VPMUStat stat, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

/* Passes the statistics of a counter of the guest, with its overflows. */
void vpmu_stat_counter(const VPMUVisit *visit, const VPMUCounter *counter,
                       uint64_t filter);

/*
 * Calls @fn with each total that is not 0, except those of time.
 */
typedef void VPMUTotalFn(void *opaque, unsigned int source, unsigned int ctx,
                         uint64_t value);
void vpmu_visit_totals(const struct vpmu_count *count, VPMUTotalFn *fn,
                       void *opaque);

/* Registers the statistics.  Only the first call has an effect. */
void vpmu_stats_init(void);

/* Print what "info vpmu" shows of counters and observers. */
void vpmu_print_counters(GString *text, VPMUCounterList *counters);
void vpmu_print_observers(GString *text, CPUState *cs, void *seen);

/*
 * Functions that a target implements.  @seen is what vpmu_cpu_snapshot()
 * returned, a copy of a CPU's PMU.  It is valid until the next call, with the
 * BQL held.
 */

/* Returns the CPU's list of observers; NULL if QEMU emulates no PMU for it. */
GSList **vpmu_cpu_observers(CPUState *cs);

/* Parses @event.  Returns NULL, or the reason why it is not an event. */
const char *vpmu_cpu_parse(CPUState *cs, const char *event,
                           struct vpmu_observer *counter);

/* Can this counter of the guest gate an observer? */
bool vpmu_cpu_check_gate(CPUState *cs, uint8_t gate, Error **errp);

/*
 * Start and stop an observer.  Called on the thread of the CPU, while it does
 * not execute.
 */
void vpmu_cpu_observe(CPUState *cs, struct vpmu_observer *o);
/* Returns the count. */
uint64_t vpmu_cpu_unobserve(CPUState *cs, struct vpmu_observer *o);

void *vpmu_cpu_snapshot(CPUState *cs);
/* Returns the PMU itself.  May be called only on the thread of the CPU. */
void *vpmu_cpu_pmu(CPUState *cs);
uint64_t vpmu_cpu_read(void *pmu, const struct vpmu_observer *o);

/* Visits all statistics except observers.  @cs is NULL for a schema. */
void vpmu_cpu_visit(CPUState *cs, void *seen, const VPMUVisit *visit);

#endif
