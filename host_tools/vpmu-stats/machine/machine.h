/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_MACHINE_H
#define VPMU_STATS_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "qmp/response.h"
#include "qmp/qmp.h"

/* Counters that are no event counters have these numbers. */
#define MACHINE_CYCLE_COUNTER 31u
#define MACHINE_INST_COUNTER 32u
#define MACHINE_MAX_COUNTERS 33u
#define MACHINE_UNGATED (-1)

/**
 * struct counter - what a guest has made of a counter
 * @index: 0 to 30, MACHINE_CYCLE_COUNTER or MACHINE_INST_COUNTER.
 * @event: the number.
 * @name: of the event; NULL if this machine does not count it.
 * @type: the register that controls it: PMEVTYPER and its kin; on x86 PERFEVTSEL, or the counter's
 *     bits of FIXED_CTR_CTRL.
 * @x86: it is an x86 CPU's. Then @index is 16 or more for a fixed counter.
 * @enabled: in PMCNTENSET.
 * @counting: in one of the contexts, as the PMU is now.
 */
struct counter {
    unsigned index;
    uint16_t event;
    const char *name;
    uint64_t type;
    uint64_t value;
    bool x86;
    bool enabled;
    bool counting;
    bool overflow;
    bool interrupt;
};

/**
 * struct pmu - of one vCPU
 * @cpu: its number.
 * @path: its name in query-stats.
 * @version: such as "p5".
 * @runs: "host-el1", "host-el2", "guest"; NULL without an observer or meter.
 * @counters: @n of them.
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
 * struct pmus - of a machine
 * @n: at least one.
 * @answer: what the strings are in.
 */
struct pmus {
    size_t n;
    struct pmu *pmu;
    struct json_object *answer;
};

/**
 * machine_pmus() - asks for all PMUs of a machine
 * Return: 0, after which pmus_free() is needed; or -1: ERROR_NO_VPMU if there is none.
 */
int machine_pmus(struct qmp *q, struct pmus *pmus, struct error *t);

/**
 * machine_vcpus() - asks for the vCPUs of a machine that has no PMU
 * @pmus: only @cpu and @path of each are set; pmus_free() is needed if this succeeds.
 */
int machine_vcpus(struct qmp *q, struct pmus *pmus, struct error *t);
void pmus_free(struct pmus *pmus);

#define MACHINE_X86_FIXED 16u

/** pmus_of_x86() - are they an x86 machine's? */
bool pmus_of_x86(const struct pmus *pmus);

/**
 * machine_name() - what a person calls the machine
 * @path: of its socket, which is it if the machine has neither name nor UUID.
 * @name: to be freed.
 */
int machine_name(struct qmp *q, const char *path, char **name, struct error *t);

/** machine_accelerator() - "kvm", or "tcg" for all that is not */
int machine_accelerator(struct qmp *q, const char **name, struct error *t);

/** machine_meter() - switches the blackout meter on, from zero, or off */
int machine_meter(struct qmp *q, bool enable, struct error *t);

/**
 * machine_observe() - adds an observer on all vCPUs
 * @gate: it counts only while the machine's kernel has this counter switched on; or
 * MACHINE_UNGATED.
 *
 * Return: 0, or -1: ERROR_USAGE if the machine cannot observe such an event.
 */
int machine_observe(struct qmp *q, const char *event, const char *name, int gate, struct error *t);

/** machine_unobserve() - removes an observer */
int machine_unobserve(struct qmp *q, const char *name, struct error *t);

/**
 * typedef machine_stat_fn - is given one value
 * @cpu: an index into pmus.pmu.
 * @name: an index into the names that were asked for.
 * @stat: an object with the value, as "value".
 *
 * Return: 0, or -1 with an error, which ends it.
 */
typedef int machine_stat_fn(void *opaque, size_t cpu, size_t name, struct response stat);

/**
 * machine_stats() - asks for values, of all vCPUs
 * @names: @n of them, none twice.
 *
 * What was not asked for is passed over. What is not there, @fn is not called for.
 */
int machine_stats(struct qmp *q, const struct pmus *pmus, const char *const *names, size_t n,
                  machine_stat_fn *fn, void *opaque, struct error *t);

/** machine_stats_of() - the same, of another provider than "vpmu" */
int machine_stats_of(struct qmp *q, const struct pmus *pmus, const char *provider,
                     const char *const *names, size_t n, machine_stat_fn *fn, void *opaque,
                     struct error *t);

#endif
