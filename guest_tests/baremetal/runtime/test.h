/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUNTIME_TEST_H
#define RUNTIME_TEST_H

#include <stdint.h>

#include "runtime/level.h"
#include "runtime/report.h"

/* Where an image must have been started for a test to make sense; a mask, 0 is anywhere. */
#define HOME_EL1 (1u << EL1)
#define HOME_EL2 (1u << EL2)
#define HOME_EL3 (1u << EL3)

/**
 * struct test - one rule of the architecture
 * @name: "theme.rule", as it is reported.
 * @run: finds the machine in the state of levels_reset() and pmu_reset(), at the level of home.
 * @home: mask of HOME_*.
 * @counters: event counters it needs.
 * @version: PMUVer that it needs, at least; 0 is any.
 */
struct test {
    const char *name;
    void (*run)(void);
    unsigned home;
    unsigned counters;
    unsigned version;
};

/* A row; what follows the function are designated initialisers of the other members. */
#define TEST(name_, run_, ...)                                                                     \
    {                                                                                              \
        .name = (name_), .run = (run_), __VA_ARGS__                                                \
    }

/* Every image has one table, ended by a row without a name. */
extern const struct test test_table[];

/* An image may look at the machine before anything is set up. The default does nothing. */
void before_setup(void);

#endif
