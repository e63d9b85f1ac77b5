/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A TLB entry translates a page of any size, so a program with huge pages has fewer TLB misses. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <unistd.h>

#include "perf.h"
#include "suite.h"

#define HUGE_PAGES "/sys/kernel/mm/transparent_hugepage/enabled"

enum {
    HUGEPAGE = 14, /* MADV_HUGEPAGE */
    NO_HUGEPAGE = 15,
    /* The accesses of the program "pages". The L2 TLB has 1024 entries and the L1 TLB 48. */
    LOADS = 8 * 2048,
    STORES = 2048,
    /* The pages of the stack and of code, and four entries again whenever a switch of tasks flushes
     * the TLBs. */
    OTHERS = 256,
};

/* L1D_TLB_REFILL, which Linux has under this name on Arm, counts loads and stores. */
#ifdef __x86_64__
#define MISSES_OF_SMALL LOADS
#else
#define MISSES_OF_SMALL (LOADS + STORES)
#endif

/* Lets programs ask for huge pages, which Linux does not allow by itself if memory is small. */
static bool allow_huge_pages(void)
{
    static const char value[] = "madvise";
    int fd = open(HUGE_PAGES, O_WRONLY | O_CLOEXEC);
    bool done = fd >= 0 && write(fd, value, sizeof(value) - 1) == (ssize_t)sizeof(value) - 1;

    if (fd >= 0) {
        close(fd);
    }
    return done;
}

/* Pages of 4 KiB are used in turns, and there are more than the TLBs have, so that each misses. */
static void test_pages(const struct test *test)
{
    uint64_t misses = test->n == HUGEPAGE ? 0 : MISSES_OF_SMALL;
    struct stat_result result;

    if (!allow_huge_pages()) {
        test_cannot("the kernel has no huge pages");
        return;
    }
    if (perf_stat(&result, ROW_PLAIN, "-e dTLB-load-misses:u -- " PROGRAMS "pages %d",
                  (int)test->n)) {
        expect_between("dTLB-load-misses:u", misses, misses + OTHERS, result.rows[0].value);
    }
}

const struct test page_tests[] = {
    {"pages/small", test_pages, NULL, NO_HUGEPAGE, 1, 1},
    {"pages/huge", test_pages, NULL, HUGEPAGE, 1, 1},
};
const size_t page_tests_count = ARRAY_SIZE(page_tests);
