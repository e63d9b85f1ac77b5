/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/distance.h"

#include "unit/tests.h"

START_TEST(distances)
{
    static const struct {
        const char *a;
        const char *b;
        unsigned want;
    } rows[] = {
        {"cycles", "cycles", 0},
        {"", "abc", 3},
        {"cycless", "cycles", 1},
        {"cylces", "cycles", 1}, /* swapped */
        {"instrctions", "instructions", 1},
        {"L1D_CACHE_REFILL", "l1d-cache.refill", 0},
        {"branches", "cycles", 5},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        ck_assert_msg(text_distance(rows[i].a, rows[i].b) == rows[i].want, "%s, %s: got %u",
                      rows[i].a, rows[i].b, text_distance(rows[i].a, rows[i].b));
        ck_assert_uint_eq(text_distance(rows[i].b, rows[i].a), rows[i].want);
    }
}
END_TEST

Suite *distance_suite(void)
{
    return suite_of("distance", (const TTest *[]){distances}, 1);
}
