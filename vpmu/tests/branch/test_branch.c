/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The ring of branch records. */
#include "fixture.h"
#include "vpmu/branch.h"

#define TAKEN (VPMU_BRANCH_HAS_FROM | VPMU_BRANCH_HAS_TO)

static struct vpmu_branch jump(uint64_t from)
{
    return (struct vpmu_branch){
        .from = from, .to = from + 4, .type = VPMU_BRTYPE_DIRECT, .level = 1, .flags = TAKEN};
}

static void add(struct vpmu_branch_ring *ring, uint64_t from, uint64_t now)
{
    struct vpmu_branch branch = jump(from);

    vpmu_branch_add(ring, &branch, now);
}

START_TEST(depths)
{
    struct vpmu_branch_ring ring = {.depth = 99};

    expect("no record", (uint64_t)-VPMU_ERR_CONFIG, (uint64_t)vpmu_branch_init(&ring, 0));
    expect("too many", (uint64_t)-VPMU_ERR_CONFIG,
           (uint64_t)vpmu_branch_init(&ring, VPMU_BRANCH_RECORDS + 1));
    expect("unchanged", 99, ring.depth);
    expect("most", 0, (uint64_t)vpmu_branch_init(&ring, VPMU_BRANCH_RECORDS));
    expect("fewest", 0, (uint64_t)vpmu_branch_init(&ring, 1));
    expect("depth", 1, ring.depth);
    ck_assert_ptr_null(vpmu_branch_get(&ring, 1));
    ck_assert_ptr_null(vpmu_branch_get(&ring, UINT32_MAX));
}
END_TEST

/* Each depth keeps the newest records, in order, through more than one turn of the ring. */
START_TEST(keeps_the_newest)
{
    for (unsigned depth = 1; depth <= VPMU_BRANCH_RECORDS; depth++) {
        struct vpmu_branch_ring ring;

        vpmu_branch_init(&ring, depth);
        for (unsigned i = 1; i <= 2 * depth + 1; i++) {
            add(&ring, i * 16, VPMU_BRANCH_NO_TIME);
            for (unsigned n = 0; n < depth; n++) {
                expect("from", n < i ? (i - n) * 16 : 0, vpmu_branch_get(&ring, n)->from);
            }
        }
    }
}
END_TEST

/* What is removed is the newest; the ring then has one empty record more, at its end. */
START_TEST(removes_the_newest)
{
    struct vpmu_branch_ring ring;

    vpmu_branch_init(&ring, 3);
    for (unsigned i = 1; i <= 4; i++) {
        add(&ring, i * 16, 100 + i);
    }
    vpmu_branch_remove(&ring);
    expect("newest", 48, vpmu_branch_get(&ring, 0)->from);
    expect("second", 32, vpmu_branch_get(&ring, 1)->from);
    expect("oldest", 0, vpmu_branch_get(&ring, 2)->flags);
    add(&ring, 80, 110);
    expect("cycles since the removed one", 6, vpmu_branch_get(&ring, 0)->cycles);
    for (unsigned i = 0; i < 4; i++) {
        vpmu_branch_remove(&ring);
    }
    for (unsigned n = 0; n < 3; n++) {
        expect("empty", 0, vpmu_branch_get(&ring, n)->flags);
    }
}
END_TEST

START_TEST(cycles_between_records)
{
    static const struct {
        uint64_t now;
        unsigned flags;
        uint32_t cycles;
        const char *why;
    } rows[] = {
        {100, 0, 0, "nothing before it"},
        {107, VPMU_BRANCH_HAS_CYCLES, 7, "the difference"},
        {107, VPMU_BRANCH_HAS_CYCLES, 0, "no cycle"},
        {105, VPMU_BRANCH_HAS_CYCLES, 0, "time went back"},
        {VPMU_BRANCH_NO_TIME, 0, 0, "no time"},
        {120, 0, 0, "no time before it"},
        {120 + 0x1ffffffffull, VPMU_BRANCH_HAS_CYCLES, UINT32_MAX, "more than 32 bits"},
    };
    struct vpmu_branch_ring ring;

    vpmu_branch_init(&ring, 8);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        add(&ring, 4, rows[i].now);
        expect_in(rows[i].why, "flags", TAKEN | rows[i].flags, vpmu_branch_get(&ring, 0)->flags);
        expect_in(rows[i].why, "cycles", rows[i].cycles, vpmu_branch_get(&ring, 0)->cycles);
    }
    vpmu_branch_interrupt(&ring);
    add(&ring, 4, 0x2000000000ull);
    expect("flags after an interruption", TAKEN, vpmu_branch_get(&ring, 0)->flags);
    vpmu_branch_clear(&ring);
    expect("cleared", 0, vpmu_branch_get(&ring, 0)->flags | vpmu_branch_get(&ring, 7)->flags);
    add(&ring, 4, 0x2000000001ull);
    expect("flags after all were cleared", TAKEN, vpmu_branch_get(&ring, 0)->flags);
}
END_TEST

START_TEST(filters)
{
    struct vpmu_branch_ring ring;

    vpmu_branch_init(&ring, 8);
    ring.groups[2] = VPMU_BRGROUP_CALL;
    expect("level 2", VPMU_BRGROUP_CALL, vpmu_branch_recorded(&ring, 2));
    expect("level 1", 0, vpmu_branch_recorded(&ring, 1));
    ring.frozen = true;
    expect("frozen", 0, vpmu_branch_recorded(&ring, 2));
}
END_TEST

START_TEST(groups)
{
    static const uint8_t own[] = {VPMU_BRTYPE_DIRECT, VPMU_BRTYPE_INDIRECT,
                                  VPMU_BRTYPE_CALL,   VPMU_BRTYPE_INDIRECT_CALL,
                                  VPMU_BRTYPE_RETURN, VPMU_BRTYPE_CONDITIONAL};
    uint64_t levels = VPMU_BRTYPE_COUNT;

    for (size_t i = 0; i < COUNT_OF(own); i++) {
        expect("group", BIT(i), vpmu_branch_group(own[i]));
    }
    for (unsigned type = 0; type < VPMU_BRTYPE_COUNT; type++) {
        levels -= vpmu_branch_group(type) != VPMU_BRGROUP_EXCEPTION;
    }
    expect("types that change the level", VPMU_BRTYPE_COUNT - COUNT_OF(own), levels);
}
END_TEST

START_TEST(consistency)
{
    static const struct {
        struct vpmu_branch branch;
        bool consistent;
        const char *why;
    } rows[] = {
        {{0, 0, 0, 0, 0, 0, 0}, true, "empty"},
        {{1, 2, 3, 8, 1, VPMU_BRANCH_FLAGS, 0}, true, "full"},
        {{1, 0, 0, 8, 0, VPMU_BRANCH_HAS_FROM, 0}, true, "source only"},
        {{0, 2, 0, 8, 3, VPMU_BRANCH_HAS_TO, 0}, true, "target only"},
        {{1, 2, 0, 0x40, 1, TAKEN, 0}, false, "type"},
        {{1, 2, 0, 8, 4, TAKEN, 0}, false, "level"},
        {{1, 2, 0, 8, 1, TAKEN, 1}, false, "a tag"},
        {{1, 2, 0, 8, 1, TAKEN | 0x10, 0}, false, "flag"},
        {{1, 0, 0, 0, 0, 0, 0}, false, "empty with source"},
        {{0, 1, 0, 0, 0, 0, 0}, false, "empty with target"},
        {{0, 0, 1, 0, 0, 0, 0}, false, "empty with cycles"},
        {{0, 0, 0, 1, 0, 0, 0}, false, "empty with a type"},
        {{0, 0, 0, 0, 1, 0, 0}, false, "empty with a level"},
        {{0, 0, 0, 0, 0, VPMU_BRANCH_HAS_CYCLES, 0}, false, "empty with flags"},
        {{1, 2, 0, 8, 1, VPMU_BRANCH_HAS_TO, 0}, false, "a source that is not known"},
        {{0, 2, 0, 8, 1, VPMU_BRANCH_HAS_TO | VPMU_BRANCH_MISPREDICTED, 0}, false, "misprediction"},
        {{1, 2, 0, 8, 0, VPMU_BRANCH_HAS_FROM, 0}, false, "a target that is not known"},
        {{1, 0, 0, 8, 1, VPMU_BRANCH_HAS_FROM, 0}, false, "a level that is not known"},
        {{1, 2, 3, 8, 1, TAKEN, 0}, false, "cycles that are not known"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        expect_in(rows[i].why, "consistent", rows[i].consistent,
                  vpmu_branch_consistent(&rows[i].branch));
    }
}
END_TEST

Suite *branch_suite(void)
{
    const TTest *const tests[] = {
        depths,  keeps_the_newest, removes_the_newest, cycles_between_records,
        filters, groups,           consistency};

    return suite_of("branch", tests, COUNT_OF(tests));
}
