/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hypervisor/tests.h"
#include "registers/pmu.h"

/* A row for each mode of the host. */
#define PAIR(name, fn, ...)                                                                        \
    TEST("hypervisor.vhe." name, fn##_vhe, .home = HOME_EL2, ##__VA_ARGS__),                       \
        TEST("hypervisor.nvhe." name, fn##_nvhe, .home = HOME_EL2, ##__VA_ARGS__)

const struct test test_table[] = {
    PAIR("host-user", test_host_user, .counters = 1),
    PAIR("host-kernel", test_host_kernel, .counters = 1),
    PAIR("outside-window", test_outside, .counters = 1),
    PAIR("window", test_window, .counters = 1),
    PAIR("guest-kernel", test_guest_kernel, .counters = 1),
    PAIR("guest-user", test_guest_user, .counters = 1),
    PAIR("start-stop-loaded", test_loaded, .counters = 1),
    PAIR("totals", test_totals, .counters = 1),
    PAIR("own-hvc", test_own_hvc, .counters = 3),
    PAIR("own-trap", test_own_trap, .counters = 3),
    PAIR("own-wfi", test_own_wfi, .counters = 3),
    PAIR("own-uneven", test_own_uneven, .counters = 1),
    PAIR("own-all", test_own_all, .counters = 1),
    PAIR("own-unused", test_own_unused, .counters = 3),
    PAIR("overflow", test_overflow, .counters = 3, .version = PMUVER_V3P5),
    PAIR("cycles", test_cycles),
    PAIR("own-cycles", test_own_cycles, .counters = 1),
    PAIR("registers", test_registers, .counters = 3),
    PAIR("registers-most", test_registers_most, .counters = 3),
    PAIR("trapped", test_trapped, .counters = 1),
    PAIR("refused", test_refused, .counters = 3),
    PAIR("refused-attr", test_refused_attr),
    PAIR("cost", test_cost, .counters = 6),
    TEST("hypervisor.nvhe.window-size", test_window_size_nvhe, .home = HOME_EL2, .counters = 5),
    PAIR("phases", test_phases, .counters = 5),
    {0},
};
