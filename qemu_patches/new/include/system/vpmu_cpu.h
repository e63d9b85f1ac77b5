/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Emulated PMUs, seen from outside: the part that all targets share.  Each
 * target implements the interface in vpmu_target.h.
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

struct vpmu_model_config;

/* Print what "info vpmu" shows of models, counters and observers. */
void vpmu_print_geometry(GString *text, const struct vpmu_model_config *model);
void vpmu_print_counters(GString *text, VPMUCounterList *counters);
void vpmu_print_observers(GString *text, CPUState *cs, void *seen);

#endif
