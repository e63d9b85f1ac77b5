/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options/profile-options.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit/tests.h"

/* The output may replace any file but those that are read. */
START_TEST(output_is_input)
{
    static const struct {
        const char *input;
        const char *kallsyms;
        const char *vmlinux;
        const char *output;
        bool refused;
    } rows[] = {
        {"data", NULL, NULL, NULL, false},
        {"data", NULL, NULL, "new", false},
        {"data", NULL, NULL, "other", false},
        {"data", NULL, NULL, "data", true},
        {"data", NULL, NULL, "./data", true},
        {"data", NULL, NULL, "link", true},
        {"link", NULL, NULL, "data", true},
        {"data", NULL, NULL, "hard", true},
        {"-", NULL, NULL, "data", true},
        {"-", NULL, NULL, "other", false},
        {"data", "other", NULL, "other", true},
        {"data", NULL, "other", "other", true},
        {"/dev/null", NULL, NULL, "/dev/null", false},
        {"gone", NULL, NULL, "gone", false},
    };
    char directory[] = TEMPORARY_PATH;

    ck_assert_ptr_nonnull(mkdtemp(directory));
    ck_assert_int_eq(chdir(directory), 0);
    ck_assert_int_eq(system("echo x >data; echo x >other; ln -s data link; ln data hard"), 0);
    ck_assert_ptr_nonnull(freopen("data", "r", stdin));
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct profile_options o = {.input = rows[i].input,
                                          .names.kallsyms = rows[i].kallsyms,
                                          .names.vmlinux = rows[i].vmlinux,
                                          .output = rows[i].output};
        struct error t = {0};
        char text[64] = "";

        if (rows[i].refused) {
            snprintf(text, sizeof(text), "cannot write %s: it is the input", rows[i].output);
        }
        ck_assert_msg(profile_options_check_output(&o, &t) == (rows[i].refused ? -1 : 0), "row %zu",
                      i);
        ck_assert_str_eq(t.text, text);
    }
    ck_assert_int_eq(system("rm data other link hard"), 0);
    ck_assert_int_eq(rmdir(directory), 0);
}
END_TEST

Suite *profile_options_suite(void)
{
    const TTest *const tests[] = {output_is_input};

    return suite_of("profile_options", tests, COUNT_OF(tests));
}
