/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUNTIME_TEST_H
#define RUNTIME_TEST_H

#include <stdint.h>

#include "runtime/level.h"
#include "runtime/report.h"

/*
 * The levels at which an image must have been started for a test to make sense: a mask; 0 means
 * any.
 */
#define HOME_EL1 (1u << EL1)
#define HOME_EL2 (1u << EL2)
#define HOME_EL3 (1u << EL3)

/**
 * struct test - one rule of the architecture
 * @name: "theme.rule", as it is reported.
 * @run: starts in the state of levels_reset() and pmu_reset(), at the level of home.
 * @home: mask of HOME_*.
 * @counters: the number of event counters that it needs.
 * @version: the lowest PMUVer that it needs; 0 is any.
 */
struct test {
    const char *name;
    void (*run)(void);
    unsigned home;
    unsigned counters;
    unsigned version;
};

/* A row. The arguments after the function are designated initialisers of the other members. */
#define TEST(name_, run_, ...)                                                                     \
    {                                                                                              \
        .name = (name_), .run = (run_), __VA_ARGS__                                                \
    }

/* Every image has one table, which a row without a name ends. */
extern const struct test test_table[];

/* An image may inspect the machine before anything is set up. By default nothing is done. */
void before_setup(void);

#endif
