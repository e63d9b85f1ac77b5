/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit/tests.h"

#include "unwind/link-register.h"

static const struct function caller = {.start = 0x1000, .end = 0x1100, .name = (char *)"caller"};
static const struct function leaf = {.start = 0x2000, .end = 0x2100, .name = (char *)"leaf"};

/*
 * The function, the function at the address before the link register's, the link register, and the
 * return address of the innermost frame.
 */
static const struct {
    const struct function *here;
    const struct function *caller;
    uint64_t link;
    uint64_t next;
    enum link_register want;
    const char *why;
} rows[] = {
    {&leaf, &caller, 0x1004, 0x3004, LINK_REGISTER_RETURNS, "a leaf without a frame"},
    {&leaf, &caller, 0x1004, 0, LINK_REGISTER_RETURNS, "no frame at all"},
    {&leaf, &caller, 0x1004, 0x1004, LINK_REGISTER_STALE, "the frame has it"},
    {&leaf, &leaf, 0x2004, 0x1004, LINK_REGISTER_STALE, "left from a call that has returned"},
    {&leaf, NULL, 0x1004, 0x3004, LINK_REGISTER_UNKNOWN, "the caller has no name"},
    {NULL, &caller, 0x1004, 0x3004, LINK_REGISTER_UNKNOWN, "the function has no name"},
    {NULL, NULL, 0x1004, 0x1004, LINK_REGISTER_STALE, "the frame has it, whatever it is called"},
    {&leaf, &caller, 0, 0x3004, LINK_REGISTER_STALE, "the first function returns nowhere"},
};

START_TEST(link_register_judged)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        enum link_register got =
            link_register_judge(rows[i].here, rows[i].caller, rows[i].link, rows[i].next);

        ck_assert_msg(got == rows[i].want, "%s: got %d", rows[i].why, (int)got);
    }
}
END_TEST

Suite *link_register_suite(void)
{
    return suite_of("link-register", (const TTest *[]){link_register_judged}, 1);
}
