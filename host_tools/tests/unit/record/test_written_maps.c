/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A mapping is written once, and again after another one has replaced it. */
#include "record/written-maps.h"

#include <stdlib.h>

#include "unit/tests.h"

START_TEST(written_maps_when_it_is_new)
{
    static const struct {
        const char *row;
        struct written_map code;
        bool is_new;
    } rows[] = {
        {"the first", {7, 1, 100, 0x1000, 0x500, 0, "/bin/a"}, true},
        {"again", {7, 1, 100, 0x1000, 0x500, 0, "/bin/a"}, false},
        {"later", {7, 1, 200, 0x1000, 0x500, 0, "/bin/a"}, false},
        {"another vCPU's, from before", {7, 1, 50, 0x1000, 0x500, 0, "/bin/a"}, true},
        {"and then", {7, 1, 60, 0x1000, 0x500, 0, "/bin/a"}, false},
        {"another place", {7, 1, 200, 0x2000, 0x500, 0, "/bin/a"}, true},
        {"another process", {8, 1, 200, 0x1000, 0x500, 0, "/bin/a"}, true},
        {"another file there", {7, 1, 300, 0x1000, 0x500, 0, "/bin/b"}, true},
        {"longer", {7, 1, 300, 0x1000, 0x600, 0, "/bin/b"}, true},
        {"from elsewhere in the file", {7, 1, 300, 0x1000, 0x600, 0x200, "/bin/b"}, true},
        {"another program", {7, 2, 400, 0x2000, 0x500, 0, "/bin/a"}, true},
        /* Another program's mapping was written in between. */
        {"the first program again", {7, 1, 500, 0x2000, 0x500, 0, "/bin/a"}, true},
        {"as before", {7, 1, 600, 0x2000, 0x500, 0, "/bin/a"}, false},
        {"the other process still", {8, 1, 600, 0x1000, 0x500, 0, "/bin/a"}, false},
        {"one with the same slot",
         {8 + WRITTEN_MAPS_SLOTS, 1, 600, 0x3000, 0x500, 0, "/bin/a"},
         true},
        {"a library", {9, 1, 100, 0x7000, 0x2000, 0, "/lib/a"}, true},
        {"its neighbour", {9, 1, 100, 0x5000, 0x2000, 0, "/lib/c"}, true},
        {"one at half of its addresses", {9, 1, 200, 0x8000, 0x2000, 0, "/lib/b"}, true},
        {"the first library again", {9, 1, 300, 0x7000, 0x2000, 0, "/lib/a"}, true},
        {"and once more", {9, 1, 400, 0x7000, 0x2000, 0, "/lib/a"}, false},
        {"the second one again", {9, 1, 500, 0x8000, 0x2000, 0, "/lib/b"}, true},
        {"what neither has replaced", {9, 1, 500, 0x5000, 0x2000, 0, "/lib/c"}, false},
        {"which that has lost", {8, 1, 600, 0x1000, 0x500, 0, "/bin/a"}, true},
    };
    struct written_maps *written = calloc(1, sizeof(*written));

    ck_assert(written);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        ck_assert_msg(written_maps_is_new(written, &rows[i].code) == rows[i].is_new,
                      "%s: expected %s got %s", rows[i].row, rows[i].is_new ? "new" : "known",
                      rows[i].is_new ? "known" : "new");
    }
    free(written);
}
END_TEST

Suite *written_maps_suite(void)
{
    const TTest *const tests[] = {written_maps_when_it_is_new};

    return suite_of("written maps", tests, COUNT_OF(tests));
}
