/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * Accesses to devices in the middle of a block. An emulator may have to translate the block again,
 * or to repeat the instruction as the last of a block of its own.
 */
#include "registers/pmu.h"
#include "runtime/layout.h"
#include "runtime/pmu_setup.h"
#include "runtime/test.h"

#define RUNS 1000u
/* PL031: the data register is a clock. */
#define RTC_BASE 0x09010000
#define UARTFR 0x18

/*
 * Each case counts from after the first read up to the second read. The memory operand names a
 * device register.
 */
#define DEFINE_CASE(name, base, instructions)                                                      \
    static uint64_t case_##name(uint64_t arg)                                                      \
    {                                                                                              \
        uint64_t before, after;                                                                    \
                                                                                                   \
        (void)arg;                                                                                 \
        __asm__ volatile("mrs %0, pmevcntr0_el0\n\t" instructions "mrs %1, pmevcntr0_el0\n\t"      \
                         : "=&r"(before), "=&r"(after)                                             \
                         : "r"((uintptr_t)(base)), "r"(UINT64_C(20))                               \
                         : "x10", "x11", "x12", "memory", "cc");                                   \
        return after - before;                                                                     \
    }

/* 5: one read, with two instructions before and two after it. */
DEFINE_CASE(read, UART_BASE + UARTFR, "nop\n\tnop\n\tldr w11, [%2]\n\tadd x11, x11, #1\n\tnop\n\t")
/* 7: three reads close together. */
DEFINE_CASE(reads, RTC_BASE,
            "ldr w10, [%2]\n\tldr w11, [%2]\n\tadd x11, x11, #1\n\tnop\n\tldr w12, [%2]\n\t"
            "nop\n\tnop\n\t")
/* 4: one instruction accesses two registers of the device. */
DEFINE_CASE(pair, GICD_BASE, "nop\n\tldp w10, w11, [%2]\n\tnop\n\tnop\n\t")
/* 6: a write between two reads, to interrupt enable bits, all zero. */
DEFINE_CASE(write, GICD_BASE + 0x100,
            "ldr w11, [%2]\n\tnop\n\tstr wzr, [%2]\n\tnop\n\tldr w11, [%2]\n\tnop\n\t")
/* 1 + 20 * 5: a loop around a read of a clock. */
DEFINE_CASE(loop, RTC_BASE,
            "mov x10, %3\n1:\tldr w11, [%2]\n\tadd x12, x12, x11\n\tnop\n\t"
            "subs x10, x10, #1\n\tb.ne 1b\n\t")
/* 6: it also reads the clock as a system register. */
DEFINE_CASE(clock, RTC_BASE,
            "nop\n\tmrs x10, cntvct_el0\n\tnop\n\tldr w11, [%2]\n\tmrs x12, cntvct_el0\n\tnop\n\t")

static void check(level_fn fn, uint64_t instructions)
{
    for (unsigned level = EL0; level <= home; level++) {
        if (!has_el((enum level)level)) {
            continue;
        }
        pmu_count_instructions();
        for (unsigned i = 0; i < RUNS; i++) {
            expect_eq(level == EL0 ? "EL0" : "EL1 or above", i, instructions + 1,
                      call_at((enum level)level, fn, 0));
        }
    }
}

static void test_read(void)
{
    check(case_read, 5);
}

static void test_reads(void)
{
    check(case_reads, 7);
}

static void test_pair(void)
{
    check(case_pair, 4);
}

static void test_write(void)
{
    check(case_write, 6);
}

static void test_loop(void)
{
    check(case_loop, 1 + 20 * 5);
}

static void test_clock(void)
{
    check(case_clock, 6);
}

const struct test test_table[] = {
    TEST("mmio.read", test_read, .counters = 1),
    TEST("mmio.reads", test_reads, .counters = 1),
    TEST("mmio.pair", test_pair, .counters = 1),
    TEST("mmio.write", test_write, .counters = 1),
    TEST("mmio.loop", test_loop, .counters = 1),
    TEST("mmio.clock", test_clock, .counters = 1),
    {0},
};
