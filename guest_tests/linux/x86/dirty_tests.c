/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counting stores to modelled caches changes nothing that the guest sees. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "suite.h"

#define PAGE 4096

static sigjmp_buf after_fault;

static void leave(int sig)
{
    (void)sig;
    siglongjmp(after_fault, 1);
}

/* The dirty kilobytes of the mapping at an address, by the dirty bits of its page table. */
static uint64_t dirty_kb(const char *at)
{
    char line[256], start[32];
    bool here = false;
    uint64_t kb = UINT64_MAX;
    FILE *file = fopen("/proc/self/smaps", "re");

    snprintf(start, sizeof(start), "%lx-", (unsigned long)at);
    while (file != NULL && fgets(line, sizeof(line), file) != NULL && kb == UINT64_MAX) {
        here |= strncmp(line, start, strlen(start)) == 0;
        if (here) {
            sscanf(line, "Private_Dirty: %" SCNu64, &kb);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return kb;
}

static int count_misses(void)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_HW_CACHE,
        .size = sizeof(attr),
        .config = PERF_COUNT_HW_CACHE_L1D | PERF_COUNT_HW_CACHE_RESULT_MISS << 16,
        .exclude_kernel = 1,
    };

    return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

/*
 * A store that lies in two pages faults in the first one. It has not written to the second one,
 * which therefore stays clean. MADV_FREE clears its dirty bit.
 */
static void test_fault(const struct test *test)
{
    struct sigaction action = {.sa_handler = leave, .sa_flags = SA_NODEFER}, before;
    char *first = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *second = first + PAGE;
    int events = count_misses();

    (void)test;
    if (first == MAP_FAILED || events < 0) {
        test_fail("no memory, or no event of L1D");
        return;
    }
    memset(first, 1, 2 * PAGE);
    expect_eq("system calls", 0,
              (uint64_t)(mprotect(first, PAGE, PROT_NONE) | madvise(second, PAGE, MADV_FREE)));
    expect_eq("dirty KB before", 0, dirty_kb(second));
    sigaction(SIGSEGV, &action, &before);
    if (sigsetjmp(after_fault, 1) == 0) {
        *(volatile uint64_t *)(second - 4) = 0;
        test_fail("expected a fault got none");
    }
    sigaction(SIGSEGV, &before, NULL);
    expect_eq("dirty KB after the fault", 0, dirty_kb(second));
    second[0] = 1;
    expect_eq("dirty KB after a store", PAGE / 1024, dirty_kb(second));
    close(events);
    munmap(first, 2 * PAGE);
}

const struct test dirty_tests[] = {
    {"x86/dirty", test_fault, NULL, 0, 1, 1},
};
const size_t dirty_tests_count = ARRAY_SIZE(dirty_tests);
