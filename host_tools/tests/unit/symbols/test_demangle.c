/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbols/demangle.h"

#include <stdio.h>
#include <string.h>

#include "unit/tests.h"

/*
 * Names in C++ are those that GCC 12 makes of the sources in the comments. Names in Rust are
 * examples of RFC 2603, and one of the older kind with its hash. @signature is what callgrind of
 * valgrind 3.19 and c++filt print; NULL if it is @shown.
 */
static const struct {
    const char *name;
    const char *shown;
    const char *signature;
} rows[] = {
    /* long app::Table<long>::scan(long) const */
    {"_ZNK3app5TableIlE4scanEl", "app::Table<long>::scan", "app::Table<long>::scan(long) const"},
    /* void f(std::vector<int, std::allocator<int>> &) */
    {"_Z1fRSt6vectorIiSaIiEE", "f", "f(std::vector<int, std::allocator<int> >&)"},
    /* bool operator==(a const &, a const &); a::~a() */
    {"_ZeqRK1aS1_", "operator==", "operator==(a const&, a const&)"},
    {"_ZN1aD1Ev", "a::~a", "a::~a()"},
    /* a::a(int); a::a(double); int f(int) [clone .part.0] */
    {"_ZN1aC1Ei", "a::a", "a::a(int)"},
    {"_ZN1aC2Ed", "a::a", "a::a(double)"},
    {"_Z1fi.part.0", "f", "f(int) [clone .part.0]"},
    /* the mangled crate, its function example, and a closure in it */
    {"_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar", NULL},
    {"_RNvC6_123foo3bar", "123foo::bar", NULL},
    {"_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad", NULL},
    /* entries of a PLT, as objdump -C shows them */
    {"_Z1fRSt6vectorIiSaIiEE@plt", "f@plt", "f(std::vector<int, std::allocator<int> >&)@plt"},
    {"_RNvNtCs1234_7mycrate3foo3bar@plt", "mycrate::foo::bar@plt", NULL},
    {"malloc@plt", "malloc@plt", NULL},
    {"_Z@plt", "_Z@plt", NULL},
    /* what is not mangled, and what only looks so */
    {"main", "main", NULL},
    {"__switch_to", "__switch_to", NULL},
    {"_Z", "_Z", NULL},
    {"_ZN3app", "_ZN3app", NULL},
    {"_R", "_R", NULL},
    {"", "", NULL},
};

START_TEST(demangle_names)
{
    for (int off = 0; off < 2; off++) {
        for (size_t i = 0; i < COUNT_OF(rows); i++) {
            struct functions list = {0};
            struct error t = {0};
            const struct function f = {.start = 1, .end = 2, .name = (char *)rows[i].name};

            ck_assert_int_eq(functions_add(&list, &f, &t), 0);
            /* The second time, the result of the first one. */
            for (int n = 0; n < 2; n++) {
                ck_assert_str_eq(demangle_name(&list.function[0]),
                                 off ? rows[i].name : rows[i].shown);
                ck_assert_str_eq(demangle_signature(&list.function[0]), off ? rows[i].name
                                                                        : rows[i].signature
                                                                            ? rows[i].signature
                                                                            : rows[i].shown);
            }
            functions_free(&list);
        }
        demangle_off();
    }
}
END_TEST

/* A copy of a function has names of its own. */
START_TEST(demangle_copies)
{
    struct functions from = {0};
    struct functions to = {0};
    struct error t = {0};

    ck_assert_int_eq(functions_add(&from, &(struct function){.name = (char *)rows[0].name}, &t), 0);
    demangle_name(&from.function[0]);
    ck_assert_int_eq(functions_add(&to, &from.function[0], &t), 0);
    functions_free(&from);
    ck_assert_str_eq(demangle_name(&to.function[0]), rows[0].shown);
    functions_free(&to);
}
END_TEST

/* Each type has the one before twice, so the whole name would have more than 2^40 parts. */
START_TEST(demangle_too_long)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    char name[1024] = "_ZN1zI1aIiE";
    struct functions list = {0};
    struct error t = {0};

    for (unsigned i = 0; i < 40; i++) {
        unsigned n = 2 * i + 1; /* the number of the type before, in base 36 */
        const char high[] = {n < 36 ? '\0' : digits[n / 36], '\0'};
        char type[32];

        snprintf(type, sizeof(type), "1aIS%s%c_S%s%c_E", high, digits[n % 36], high,
                 digits[n % 36]);
        strcat(name, type);
    }
    strcat(name, "E1gEv");
    ck_assert_int_eq(functions_add(&list, &(struct function){.name = name}, &t), 0);
    ck_assert_str_eq(demangle_name(&list.function[0]), name);
    functions_free(&list);
}
END_TEST

/* Parameters that are too long are left out. */
START_TEST(demangle_too_many_parameters)
{
    char name[600] = "_Z1f";
    struct functions list = {0};
    struct error t = {0};

    memset(name + 4, 'y', sizeof(name) - 5); /* unsigned long long */
    ck_assert_int_eq(functions_add(&list, &(struct function){.name = name}, &t), 0);
    ck_assert_str_eq(demangle_signature(&list.function[0]), "f");
    functions_free(&list);
}
END_TEST

Suite *demangle_suite(void)
{
    const TTest *const tests[] = {demangle_names, demangle_copies, demangle_too_long,
                                  demangle_too_many_parameters};

    return suite_of("demangle", tests, COUNT_OF(tests));
}
