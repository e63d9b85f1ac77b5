/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The mappings of the process that a vCPU runs: what a new one replaces. */
#include "record/kept-maps.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "unit/tests.h"

static void add(struct kept_maps *k, uint32_t pid, uint64_t space, uint64_t start, uint64_t end,
                uint64_t offset, const char *path)
{
    const struct vpmu_record_map map = {
        .pid = pid, .space = space, .start = start, .end = end, .offset = offset};
    struct error t = {0};

    ck_assert_int_eq(kept_maps_add(k, &map, path, &t), 0);
}

/* All areas, the oldest first. */
static const char *text_of(const struct kept_maps *k)
{
    static char text[512];
    size_t n = 0;

    text[0] = '\0';
    for (size_t i = 0; i < k->n; i++) {
        const struct vpmu_record_map *map = &k->map[i].map;

        n += (size_t)snprintf(text + n, sizeof(text) - n, "%" PRIu64 "-%" PRIu64 "+%" PRIu64 "%s ",
                              map->start, map->end, map->offset, k->map[i].path);
    }
    return text;
}

START_TEST(kept_maps_replaced)
{
    static const struct {
        const char *row;
        uint32_t pid;
        uint64_t space, start, end, offset;
        const char *path, *kept;
    } rows[] = {
        {"the first", 7, 1, 10, 20, 0, "a", "10-20+0a "},
        {"again", 7, 1, 10, 20, 0, "a", "10-20+0a "},
        {"behind it", 7, 1, 20, 30, 0, "b", "10-20+0a 20-30+0b "},
        {"before it", 7, 1, 8, 10, 0, "c", "10-20+0a 20-30+0b 8-10+0c "},
        {"another offset", 7, 1, 10, 20, 1, "a", "20-30+0b 8-10+0c 10-20+1a "},
        {"another file", 7, 1, 10, 20, 1, "d", "20-30+0b 8-10+0c 10-20+1d "},
        {"another start", 7, 1, 11, 20, 1, "d", "20-30+0b 8-10+0c 11-20+1d "},
        {"another end", 7, 1, 11, 18, 1, "d", "20-30+0b 8-10+0c 11-18+1d "},
        {"within one", 7, 1, 24, 26, 0, "e", "8-10+0c 11-18+1d 24-26+0e "},
        {"over its start", 7, 1, 23, 25, 0, "f", "8-10+0c 11-18+1d 23-25+0f "},
        {"over its end", 7, 1, 24, 27, 0, "g", "8-10+0c 11-18+1d 24-27+0g "},
        {"over two", 7, 1, 9, 12, 0, "h", "24-27+0g 9-12+0h "},
        {"another program", 7, 2, 9, 12, 0, "h", "9-12+0h "},
        {"another process", 8, 2, 24, 27, 0, "g", "24-27+0g "},
    };
    struct kept_maps k = {.n = 0};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        add(&k, rows[i].pid, rows[i].space, rows[i].start, rows[i].end, rows[i].offset,
            rows[i].path);
        ck_assert_msg(strcmp(text_of(&k), rows[i].kept) == 0, "%s: expected '%s' got '%s'",
                      rows[i].row, rows[i].kept, text_of(&k));
    }
    kept_maps_free(&k);
    ck_assert_uint_eq(k.n, 0);
}
END_TEST

/* A guest can make any number of them: the oldest goes. */
START_TEST(kept_maps_bound)
{
    struct kept_maps k = {.n = 0};

    for (uint64_t i = 0; i < KEPT_MAPS_MAX + 3; i++) {
        add(&k, 7, 1, 16 * i + 1, 16 * i + 9, 0, i % 2 ? "odd" : "even");
        ck_assert_uint_eq(k.n, i < KEPT_MAPS_MAX ? i + 1 : KEPT_MAPS_MAX);
        ck_assert_uint_eq(k.map[0].map.start,
                          i < KEPT_MAPS_MAX ? 1 : 16 * (i + 1 - KEPT_MAPS_MAX) + 1);
        ck_assert_uint_eq(k.map[k.n - 1].map.start, 16 * i + 1);
        ck_assert_str_eq(k.map[k.n - 1].path, i % 2 ? "odd" : "even");
    }
    kept_maps_free(&k);
}
END_TEST

Suite *kept_maps_suite(void)
{
    const TTest *const tests[] = {kept_maps_replaced, kept_maps_bound};

    return suite_of("kept_maps", tests, COUNT_OF(tests));
}
