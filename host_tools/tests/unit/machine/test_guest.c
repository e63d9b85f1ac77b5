/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/guest.h"
#include "unit/tests.h"

/*
 * Each row has the events of counters 0 to 2; 0 for a disabled one. From 0x4000 on they are
 * unknown.
 */
#define COUNTERS 3
#define UNCOUNTED 0x4000

struct look {
    uint16_t event[COUNTERS];
    uint64_t filter;
    unsigned enabled;
    unsigned uncounted;
    uint64_t looks;
    uint64_t changed;
};

static void look(struct guest_use *u, const struct look *l)
{
    /*
     * The cycle counter and the instruction counter are always enabled, but are not event counters.
     */
    struct pmu p = {.event_counters = 6, .n = COUNTERS + 2};

    for (unsigned i = 0; i < COUNTERS; i++) {
        p.counters[i] = (struct counter){.index = i,
                                         .event = l->event[i],
                                         .name = l->event[i] < UNCOUNTED ? "known" : NULL,
                                         .type = l->event[i] | l->filter,
                                         .enabled = l->event[i]};
    }
    p.counters[COUNTERS] =
        (struct counter){.index = MACHINE_CYCLE_COUNTER, .type = u->looks << 16, .enabled = true};
    p.counters[COUNTERS + 1] =
        (struct counter){.index = MACHINE_INST_COUNTER, .type = u->looks << 16, .enabled = true};
    guest_look(u, &p);
}

static void check(const struct look *looks, size_t n)
{
    struct guest_use u = {0};

    for (size_t i = 0; i < n; i++) {
        look(&u, &looks[i]);
        ck_assert_uint_eq(u.counters, 6);
        ck_assert_msg(u.enabled == looks[i].enabled && u.uncounted == looks[i].uncounted,
                      "look %zu: expected %u on, %u not counted, got %u and %u", i,
                      looks[i].enabled, looks[i].uncounted, u.enabled, u.uncounted);
        ck_assert_msg(u.looks == looks[i].looks && u.changed == looks[i].changed,
                      "look %zu: expected %lu looks, %lu changed, got %lu and %lu", i,
                      (unsigned long)looks[i].looks, (unsigned long)looks[i].changed,
                      (unsigned long)u.looks, (unsigned long)u.changed);
    }
}

START_TEST(guest_keeps)
{
    static const struct look looks[] = {
        /* No counter; two counters for three looks; one of them; none; and both again. */
        {.enabled = 0},
        {.event = {8, 9}, .enabled = 2},
        {.event = {8, 9}, .enabled = 2, .looks = 1},
        {.event = {8, 9}, .enabled = 2, .looks = 2},
        {.event = {8}, .enabled = 1, .looks = 3},
        {.enabled = 0, .looks = 3},
        {.event = {8, 9}, .enabled = 2, .looks = 3},
    };

    check(looks, COUNT_OF(looks));
}
END_TEST

START_TEST(guest_shares)
{
    static const struct look looks[] = {
        /* Four events take turns on three counters. */
        {.event = {1, 2, 3}, .enabled = 3},
        {.event = {2, 3, 4}, .enabled = 3, .looks = 1, .changed = 1},
        {.event = {4, 1, 2}, .enabled = 3, .looks = 2, .changed = 2},
        /* The same events as before, by chance. */
        {.event = {4, 1, 2}, .enabled = 3, .looks = 3, .changed = 2},
        /*
         * Groups that do not fit: one counter is disabled, another gets the event of the other
         * group.
         */
        {.event = {5, 6}, .enabled = 2, .looks = 4, .changed = 3},
        {.event = {0, 0, 7}, .enabled = 1, .looks = 4, .changed = 3},
        /* The same event with another filter counts as another event. */
        {.event = {0, 0, 7}, .filter = 1u << 31, .enabled = 1, .looks = 5, .changed = 4},
    };

    check(looks, COUNT_OF(looks));
}
END_TEST

START_TEST(guest_uncounted)
{
    static const struct look looks[] = {
        {.event = {8, UNCOUNTED}, .enabled = 2, .uncounted = 1},
        {.event = {UNCOUNTED, UNCOUNTED}, .enabled = 2, .uncounted = 2, .looks = 1, .changed = 1},
        {.event = {8}, .enabled = 1, .looks = 2, .changed = 2},
    };

    check(looks, COUNT_OF(looks));
}
END_TEST

Suite *guest_suite(void)
{
    const TTest *const tests[] = {guest_keeps, guest_shares, guest_uncounted};

    return suite_of("guest", tests, COUNT_OF(tests));
}
