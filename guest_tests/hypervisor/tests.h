/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HYPERVISOR_TESTS_H
#define HYPERVISOR_TESTS_H

#include "hypervisor/scenario.h"
#include "runtime/test.h"

/* Tests come in pairs, one for each mode of the host: name_vhe() and name_nvhe(). */
#define DECLARE_TESTS(name)                                                                        \
    void name##_vhe(void);                                                                         \
    void name##_nvhe(void);

#define DEFINE_TESTS(name, fn, ...)                                                                \
    void name##_vhe(void)                                                                          \
    {                                                                                              \
        fn(VPMU_HOST_VHE, ##__VA_ARGS__);                                                          \
    }                                                                                              \
    void name##_nvhe(void)                                                                         \
    {                                                                                              \
        fn(VPMU_HOST_NVHE, ##__VA_ARGS__);                                                         \
    }

/* A first step that reads two counters into windows_read[]. It is in reading.S. */
int first_step_reading(void);
extern uint64_t windows_read[2];

/* Steps that spend WINDOW_ENTRY and WINDOW_EXIT. */
void use_long_windows(void);

/* Tests all 32 attributes in one place, on counters from first_counter on. In places.c. */
void check_rows(struct scenario *s, unsigned first_counter, enum place place);

/*
 * Returns what HG - H - G is in each run of a guest by this nVHE host. guest_too: a counter of
 * guests is switched, too, not only one of the host. In windows.c.
 */
uint64_t measure_windows(bool guest_too);

DECLARE_TESTS(test_host_user)
DECLARE_TESTS(test_host_kernel)
DECLARE_TESTS(test_outside)
DECLARE_TESTS(test_window)
DECLARE_TESTS(test_guest_kernel)
DECLARE_TESTS(test_guest_user)
DECLARE_TESTS(test_loaded)
DECLARE_TESTS(test_totals)
DECLARE_TESTS(test_own_hvc)
DECLARE_TESTS(test_own_trap)
DECLARE_TESTS(test_own_wfi)
DECLARE_TESTS(test_own_uneven)
DECLARE_TESTS(test_own_all)
DECLARE_TESTS(test_own_unused)
DECLARE_TESTS(test_overflow)
DECLARE_TESTS(test_cycles)
DECLARE_TESTS(test_own_cycles)
DECLARE_TESTS(test_registers)
DECLARE_TESTS(test_registers_most)
DECLARE_TESTS(test_trapped)
DECLARE_TESTS(test_refused)
DECLARE_TESTS(test_refused_attr)
DECLARE_TESTS(test_cost)
void test_window_size_nvhe(void);
DECLARE_TESTS(test_phases)

#endif
