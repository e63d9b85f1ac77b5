/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runtime/smp.h"

#include <stdbool.h>

#include "runtime/gic.h"
#include "runtime/level.h"
#include "runtime/psci.h"

/* Another CPU is given up after so many polls of its answer. */
#define PATIENCE 200000000u

void secondary_start(void);

/* What a CPU that starts finds at the address in its x0. */
struct start {
    uint64_t cpu;
    void (*fn)(unsigned cpu);
};

static unsigned count = 1;
static cpu_fn job;
/* The job's number. A CPU has finished the job when its own number equals it. */
static uint32_t job_number;
static uint32_t finished[MAX_CPUS];
static uint32_t arrived;

static uint32_t load_acquire(const uint32_t *p)
{
    return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}

static void store_release(uint32_t *p, uint32_t value)
{
    __atomic_store_n(p, value, __ATOMIC_RELEASE);
}

static void relax(void)
{
    __asm__ volatile("yield" : : : "memory");
}

static void secondary_main(unsigned index)
{
    uint32_t done = 0;

    levels_init();
    gic_init();
    this_cpu()->index = index;
    store_release(&finished[index], ~0u);
    for (;;) {
        uint32_t number = load_acquire(&job_number);

        if (number != done) {
            job(index);
            done = number;
            store_release(&finished[index], number);
        }
        relax();
    }
}

/* A CPU sets its number to all ones, which is no job's number, to say that it is ready. */
static bool wait_ready(unsigned index)
{
    for (unsigned i = 0; i < PATIENCE; i++) {
        if (load_acquire(&finished[index]) == ~0u) {
            return true;
        }
        relax();
    }
    return false;
}

unsigned smp_start(void)
{
    static struct start start = {.fn = secondary_main};

    for (; count < MAX_CPUS; count++) {
        start.cpu = count;
        if (psci_cpu_on(count, (uintptr_t)secondary_start, (uintptr_t)&start) != 0 ||
            !wait_ready(count)) {
            break;
        }
    }
    return count;
}

unsigned smp_count(void)
{
    return count;
}

void smp_run(cpu_fn fn)
{
    job = fn;
    store_release(&arrived, 0);
    store_release(&job_number, job_number + 1);
    fn(0);
    for (unsigned i = 1; i < count; i++) {
        while (load_acquire(&finished[i]) != job_number) {
            relax();
        }
    }
}

static cpu_fn last_job;

static void turn_off(unsigned cpu)
{
    if (cpu != 0) {
        last_job(cpu);
        store_release(&finished[cpu], job_number);
        psci_cpu_off();
    }
}

unsigned smp_restart(cpu_fn fn)
{
    last_job = fn;
    smp_run(turn_off);
    for (unsigned i = 1; i < count; i++) {
        while (!psci_cpu_is_off(i)) {
            relax();
        }
        store_release(&finished[i], 0);
    }
    /* A CPU that starts waits for the next job. */
    store_release(&job_number, 0);
    count = 1;
    return smp_start();
}

void smp_barrier(void)
{
    uint32_t before = __atomic_fetch_add(&arrived, 1, __ATOMIC_ACQ_REL);
    uint32_t target = (before / count + 1) * count;

    while (load_acquire(&arrived) < target) {
        relax();
    }
}
