/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hypervisor/perf.h"

#include "registers/pmu.h"
#include "runtime/report.h"

const char *const place_names[PLACES] = {
    [HOST_USER] = "host user",       [HOST_KERNEL] = "host kernel",   [HYP_BEFORE] = "before enter",
    [HYP_AFTER] = "after exit",      [WINDOW_ENTRY] = "entry window", [WINDOW_EXIT] = "exit window",
    [GUEST_KERNEL] = "guest kernel", [GUEST_USER] = "guest user",
};

static struct vpmu_attr row_attr(unsigned row)
{
    return (struct vpmu_attr){
        .exclude_user = row & 16,
        .exclude_kernel = row & 8,
        .exclude_hv = row & 4,
        .exclude_host = row & 2,
        .exclude_guest = row & 1,
    };
}

void event_open(struct event *e, unsigned row, unsigned counter)
{
    *e = (struct event){.row = row, .counter = counter, .attr = row_attr(row)};
    expect_eq("vpmu_arm_attr_plan", row, 0,
              (uint64_t)vpmu_arm_attr_plan(world.mode, &e->attr, &e->plan, NULL));
}

void events_open(struct event *events, unsigned n, unsigned first, unsigned first_counter)
{
    for (unsigned i = 0; i < n; i++) {
        event_open(&events[i], first + i, first_counter + i);
    }
}

struct masks {
    uint64_t host, guest;
};

static uint64_t set_masks(uint64_t arg)
{
    const struct masks *m = (const struct masks *)arg;

    return (uint64_t)vpmu_arm_switch_set(&world.pmu, m->host, m->guest, NULL);
}

static void program(const struct event *e)
{
    if (e->counter == CYCLE_COUNTER) {
        write_sysreg(pmccfiltr_el0, e->plan.filter);
        write_sysreg(pmccntr_el0, e->start);
    } else {
        write_pmevtyper(e->counter, EVENT_INST_RETIRED | e->plan.filter);
        write_pmevcntr(e->counter, e->start);
    }
}

/* The switch must have restored it if it has changed it. */
static void check_filter(const struct event *e)
{
    uint64_t type = e->counter == CYCLE_COUNTER ? read_sysreg(pmccfiltr_el0)
                                                : read_pmevtyper(e->counter) & ~EVENT_INST_RETIRED;

    world.errors += type != e->plan.filter;
}

static uint64_t read_count(const struct event *e)
{
    return e->counter == CYCLE_COUNTER ? read_sysreg(pmccntr_el0) : read_pmevcntr(e->counter);
}

void events_start(const struct event *events, unsigned n)
{
    struct masks masks = {0};
    uint64_t enable = 0;

    for (unsigned i = 0; i < n; i++) {
        const struct event *e = &events[i];

        program(e);
        enable |= e->plan.deferred ? 0 : BIT(e->counter);
        masks.host |= e->plan.host ? BIT(e->counter) : 0;
        masks.guest |= e->plan.guest ? BIT(e->counter) : 0;
    }
    write_sysreg(pmcntenset_el0, enable);
    isb();
    at_hyp(set_masks, (uintptr_t)&masks);
}

void events_stop(struct event *events, unsigned n)
{
    const struct masks none = {0};
    uint64_t disable = 0;

    for (unsigned i = 0; i < n; i++) {
        disable |= BIT(events[i].counter);
    }
    at_hyp(set_masks, (uintptr_t)&none);
    write_sysreg(pmcntenclr_el0, disable);
    isb();
    for (unsigned i = 0; i < n; i++) {
        check_filter(&events[i]);
        events[i].count = read_count(&events[i]);
    }
}

/* EL2 is the kernel of a VHE host. Below an nVHE host it belongs to the hypervisor only. */
static bool excludes_level(const struct vpmu_attr *attr, enum place place)
{
    switch (place) {
    case HOST_USER:
    case GUEST_USER:
        return attr->exclude_user;
    case HOST_KERNEL:
    case GUEST_KERNEL:
        return attr->exclude_kernel;
    default:
        return is_vhe() ? attr->exclude_kernel : attr->exclude_hv;
    }
}

/*
 * Everything that is not a guest is the host. But an nVHE host's counters of the host alone are off
 * in the windows, which is why the windows should be small.
 */
static bool excludes_side(const struct vpmu_attr *attr, enum place place)
{
    switch (place) {
    case GUEST_KERNEL:
    case GUEST_USER:
        return attr->exclude_guest;
    case WINDOW_ENTRY:
    case WINDOW_EXIT:
        return attr->exclude_host || (!is_vhe() && attr->exclude_guest);
    default:
        return attr->exclude_host;
    }
}

bool event_counts(const struct vpmu_attr *attr, enum place place)
{
    return !excludes_level(attr, place) && !excludes_side(attr, place) &&
           !(attr->exclude_host && attr->exclude_guest);
}
