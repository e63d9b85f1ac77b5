/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "qmp/socket-users.h"
#include "unit/tests.h"

#define HEAD "Num       RefCount Protocol Flags    Type St Inode Path\n"
#define ROW(state, path)                                                                           \
    "00000000aae5c7db: 00000002 00000000 00010000 0001 " state " 1592110 " path "\n"

static enum socket_users take(const char *rows)
{
    FILE *list = fmemopen((void *)(uintptr_t)rows, strlen(rows), "r");
    enum socket_users users;

    ck_assert_ptr_nonnull(list);
    users = socket_users_take(list, "/run/vm.qmp");
    fclose(list);
    return users;
}

START_TEST(states)
{
    static const struct {
        const char *rows;
        enum socket_users users;
        const char *why;
    } lists[] = {
        {HEAD ROW("01", "/run/vm.qmp") ROW("02", "/run/vm.qmp") ROW("03", "/run/vm.qmp"),
         SOCKET_USERS_OTHER, "one is accepted, ours waits"},
        {HEAD ROW("01", "vm.qmp") ROW("02", "./vm.qmp") ROW("03", "/run/vm.qmp"),
         SOCKET_USERS_OTHER, "QEMU has a relative path"},
        {HEAD ROW("01", "/run/vm.qmp") ROW("03", "/run/vm.qmp"), SOCKET_USERS_NONE,
         "ours is accepted, QEMU is slow"},
        {HEAD ROW("01", "/run/vm.qmp") ROW("02", "/run/vm.qmp"), SOCKET_USERS_NONE,
         "ours waits, nobody is accepted"},
        {HEAD ROW("01", "/run/vm.qmp") ROW("02", "/run/vm.qmp") ROW("03", "/run/other-vm.qmp"),
         SOCKET_USERS_NONE, "another socket is in use"},
        {HEAD ROW("01", "/run/vm.qmp") ROW("02", "/run/vm.qmp") ROW("03", "/tmp/vm.qmp"),
         SOCKET_USERS_NONE, "a socket of the same name in another directory"},
        {HEAD ROW("02", "/run/vm.qmp") ROW("03", "/run/vm.qmp"), SOCKET_USERS_UNKNOWN,
         "the listening socket is not listed"},
        {HEAD "0: 0 0 0 0 03\n" ROW("03", "") ROW("ff", "/run/vm.qmp") "\nx\n",
         SOCKET_USERS_UNKNOWN, "rows without a path, an unknown state, no rows"},
    };

    for (size_t i = 0; i < COUNT_OF(lists); i++) {
        ck_assert_msg(take(lists[i].rows) == lists[i].users, "%s", lists[i].why);
    }
}
END_TEST

Suite *socket_users_suite(void)
{
    const TTest *const tests[] = {states};

    return suite_of("socket_users", tests, COUNT_OF(tests));
}
