/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_MACHINE_H
#define VPMU_STATS_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qmp/response.h"
#include "qmp/qmp.h"

/* The numbers of counters that are not event counters. */
#define MACHINE_CYCLE_COUNTER 31u
#define MACHINE_INST_COUNTER 32u
#define MACHINE_MAX_COUNTERS 34u
#define MACHINE_UNGATED (-1)

/**
 * struct counter - the state of a counter, as the guest has programmed it
 * @index: 0 to 30, MACHINE_CYCLE_COUNTER or MACHINE_INST_COUNTER. On x86, MACHINE_X86_FIXED or more
 *     for a fixed counter, MACHINE_X86_IBS or more for a unit of IBS.
 * @event: the number of the event.
 * @name: the name of the event; NULL if this machine does not count the event.
 * @type: the register that controls the counter: PMEVTYPER, PMCCFILTR or PMICFILTR; on x86
 *     PERFEVTSEL, or the counter's bits of FIXED_CTR_CTRL.
 * @value: the value of the counter.
 * @x86: it is a counter of an x86 CPU.
 * @width: its number of bits, 32 to 64.
 * @enabled: the guest has enabled it, on Arm in PMCNTENSET.
 * @counting: it counts in at least one context, as the PMU is programmed now.
 * @overflow: its overflow flag is set.
 * @interrupt: its overflow interrupt is enabled.
 */
struct counter {
    unsigned index;
    uint64_t event;
    const char *name;
    uint64_t type;
    uint64_t value;
    bool x86;
    unsigned width;
    bool enabled;
    bool counting;
    bool overflow;
    bool interrupt;
};

/**
 * struct pmu - the PMU of a vCPU
 * @cpu: the number of the vCPU.
 * @path: the name of the vCPU in query-stats.
 * @version: the version of the PMU, such as "p5".
 * @event_counters: the number of event counters.
 * @meter: the blackout meter is on.
 * @observers: the number of observers.
 * @runs: "host-el1", "host-el2" or "guest"; NULL without an observer or meter.
 * @n: the number of @counters.
 * @counters: all counters.
 */
struct pmu {
    unsigned cpu;
    const char *path;
    const char *version;
    unsigned event_counters;
    bool meter;
    uint64_t observers;
    const char *runs;
    size_t n;
    struct counter counters[MACHINE_MAX_COUNTERS];
};

/**
 * struct pmus - the PMUs of a machine
 * @n: the number of PMUs, at least 1.
 * @pmu: the PMUs.
 * @answer: the JSON object that owns the strings.
 */
struct pmus {
    size_t n;
    struct pmu *pmu;
    struct json_object *answer;
};

/**
 * machine_pmus() - ask a machine for all its PMUs
 * @q: the monitor of the machine.
 * @pmus: is filled in.
 *
 * Return: 0, after which pmus_free() is needed; or -1: ERROR_NO_VPMU if there is no PMU.
 */
int machine_pmus(struct qmp *q, struct pmus *pmus, struct error *t);

/**
 * machine_vcpus() - ask a machine without a PMU for its vCPUs
 * @q: the monitor of the machine.
 * @pmus: is filled in, but only @cpu and @path of each vCPU.
 *
 * Return: 0, after which pmus_free() is needed; or -1.
 */
int machine_vcpus(struct qmp *q, struct pmus *pmus, struct error *t);
void pmus_free(struct pmus *pmus);

#define MACHINE_X86_FIXED 16u
/* The units of AMD's IBS: fetch and op. */
#define MACHINE_X86_IBS 32u

/** pmus_of_x86() - check whether the PMUs are those of an x86 machine */
bool pmus_of_x86(const struct pmus *pmus);

/* The most bytes of a machine's name. The rest is left out. */
#define MACHINE_NAME_MAX 255u

/**
 * machine_name() - get a name for a machine: its name, its UUID, or the file name of its socket
 * @q: the monitor of the machine.
 * @path: the path of the socket.
 * @name: receives the first of these names that the machine has. The caller frees it.
 */
int machine_name(struct qmp *q, const char *path, char **name, struct error *t);

/** machine_accelerator() - get the accelerator of a machine: "kvm", or "tcg" for any other */
int machine_accelerator(struct qmp *q, const char **name, struct error *t);

/** machine_meter() - switch the blackout meter on or off. It starts from zero. */
int machine_meter(struct qmp *q, bool enable, struct error *t);

/**
 * machine_observe() - add an observer on all vCPUs
 * @q: the monitor of the machine.
 * @event: the event to count.
 * @name: the name of the new observer.
 * @gate: the index of a counter: the observer counts only while the machine's kernel has the
 *     counter enabled. MACHINE_UNGATED: it always counts.
 *
 * Return: 0; or -1: ERROR_USAGE if the machine cannot observe such an event.
 */
int machine_observe(struct qmp *q, const char *event, const char *name, int gate, struct error *t);

/** machine_unobserve() - remove an observer */
int machine_unobserve(struct qmp *q, const char *name, struct error *t);

/**
 * typedef machine_stat_fn - receives one value
 * @opaque: the argument of machine_stats().
 * @cpu: the index of the vCPU in pmus.pmu.
 * @name: the index of the statistic in the names of machine_stats().
 * @stat: an object with the value as its member "value".
 *
 * Return: 0; or -1 with an error, which ends machine_stats().
 */
typedef int machine_stat_fn(void *opaque, size_t cpu, size_t name, struct response stat);

/**
 * machine_stats() - ask for statistics of all vCPUs from the provider "vpmu"
 * @q: the monitor of the machine.
 * @pmus: the vCPUs. Values of other vCPUs are ignored.
 * @names: the names of the statistics, without duplicates.
 * @n: the number of names.
 * @fn: is called for each value. It is not called for a value that the machine does not send.
 * @opaque: an argument for @fn.
 */
int machine_stats(struct qmp *q, const struct pmus *pmus, const char *const *names, size_t n,
                  machine_stat_fn *fn, void *opaque, struct error *t);

/** machine_stats_of() - machine_stats() for any provider */
int machine_stats_of(struct qmp *q, const struct pmus *pmus, const char *provider,
                     const char *const *names, size_t n, machine_stat_fn *fn, void *opaque,
                     struct error *t);

#endif
