/* SPDX-License-Identifier: GPL-2.0-or-later */
/* RDPMC, and MRS of PMEVCNTR: the program reads its counter without the kernel; and thresholds. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "pmus.h"

/* As linux/perf_event.h describes it: the kernel may move the event at any time. */
__attribute__((noinline)) static bool read_counter(volatile struct perf_event_mmap_page *page,
                                                   uint64_t *value)
{
    uint32_t sequence, index;

    do {
        sequence = page->lock;
        __asm__ volatile("" ::: "memory");
        index = page->index;
        *value = (uint64_t)page->offset;
        if (page->cap_user_rdpmc && index != 0) {
            uint64_t raw = user_counter_read(index - 1);
            unsigned width = page->pmc_width;

            if (width < 64) {
                raw = (uint64_t)((int64_t)(raw << (64 - width)) >> (64 - width));
            }
            *value += raw;
        }
        __asm__ volatile("" ::: "memory");
    } while (page->lock != sequence);
    return page->cap_user_rdpmc && index != 0;
}

static void judge_user_read(struct finding *f, const struct check *check, int fd)
{
    struct perf_event_mmap_page *page =
        mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
    struct reading r;
    uint64_t values[4];
    bool can = true;

    if (page == MAP_FAILED) {
        finding_is(f, ABSENT, "the event cannot be mapped");
        return;
    }
    counter_start(fd);
    /* From one reading to the next there are N more turns than before. */
    for (unsigned i = 0; i < 4; i++) {
        loops[LOOP_ADD].run(1 + i * check->turns, check->arena.lines);
        can &= read_counter(page, &values[i]);
    }
    counter_stop(fd);
    r = counter_read(fd);
    munmap(page, (size_t)sysconf(_SC_PAGESIZE));
    /* Without a counter the index is 0, too. */
    if (finding_is_busy(f, r)) {
        return;
    }
    if (!can) {
        finding_is(f, kernels_let_users_read ? DENIED : ABSENT, "%s",
                   kernels_let_users_read ? "sysctl kernel.perf_user_access, or /sys/.../cpu/rdpmc"
                                          : "Linux has none for this architecture");
        return;
    }
    finding_count(f, values[3] - 2 * values[2] + values[1], 10 * (uint64_t)check->turns);
    if (f->counted == f->known) {
        finding_is(f, EXACT, "%s", "");
    } else {
        finding_is(f, known_but_for_interrupts(f->counted, f->known, r.enabled) ? INTERRUPTS : OFF,
                   "%s", "");
    }
}

static void check_rdpmc(const struct check *check)
{
    struct finding *f = finding_add("user", "instructions:u, read by the program");
    struct perf_event_attr attr = counter_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0);
    int fd;

    attr.config1 = user_counter_config1;
    fd = counter_open(&attr, -1);
    if (fd < 0) {
        finding_refused(f, -fd);
        return;
    }
    judge_user_read(f, check, fd);
    close(fd);
}

/*
 * With a threshold of 1, an event of instructions counts the cycles in which at least one was
 * executed: some, and no more than instructions.
 */
static void check_threshold(const struct check *check)
{
    struct finding *f;
    struct perf_event_attr attr = counter_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0);
    const struct pmu *pmu = pmus_current();
    uint64_t max = 0, config = 0, config1 = 0;
    struct reading r;
    int fd;

    if (pmu == NULL || !pmus_number(pmu->name, "caps/threshold_max", &max) || max == 0 ||
        !pmus_field(pmu->name, "threshold", 1, &config, &config1) ||
        !pmus_field(pmu->name, "threshold_count", 1, &config, &config1)) {
        return;
    }
    f = finding_add("user", "threshold of instructions:u");
    attr.config1 = config1;
    fd = counter_open(&attr, -1);
    if (fd < 0) {
        finding_refused(f, -fd);
        return;
    }
    r = counter_loop(fd, &loops[LOOP_ADD], check->turns, check->arena.lines);
    close(fd);
    finding_count(f, r.value, 10 * (uint64_t)check->turns);
    finding_is(f,
               r.value == 0                ? ZERO
               : r.value <= f->known + 100 ? IN_RANGE
                                           : OFF,
               "cycles with an instruction; threshold_max is %llu", (unsigned long long)max);
    finding_is_busy(f, r);
}

void check_user_read(const struct check *check)
{
    check_rdpmc(check);
    check_threshold(check);
}
