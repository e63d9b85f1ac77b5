/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profiles in the formats of callgrind and cachegrind. */
#include "export/callgrind.h"

#include <stdlib.h>
#include <string.h>

#include "perfdata/costs.h"
#include "perfdata/perfdata.h"
#include "unit/tests.h"

/* Object, source file of the function, function, source file, line, address. */
#define PARTS 6u

static const struct row {
    const char *part[PARTS];
    uint64_t period;
} rows[] = {
    {{"/bin/b", "b.c", "main", "b.c", "0000000012", ""}, 7},
    {{"/bin/a", "a.c", "main", "a.h", "0000000003", ""}, 20},
    {{"/bin/a", "a.c", "main", "a.c", "0000000100", ""}, 2},
    {{"/bin/a", "a.c", "main", "a.c", "0000000009", ""}, 1},
    {{"/bin/a", "???", "memcpy", "???", "0000000000", ""}, 1000000000000},
    {{"/bin/b", "a.c", "main", "a.c", "0000000009", ""}, 5},
    {{"/bin/a", "a.c", "next", "a.c", "0000000200", ""}, 4},
};

static void add(struct profile *p, unsigned event, uint64_t period, const char *const *part,
                unsigned parts)
{
    uint32_t key[PARTS + 5];
    struct error t = {0};

    for (unsigned k = 0; k < parts; k++) {
        ck_assert_int_eq(string_table_number(&p->texts, part[k], &key[k], &t), 0);
    }
    ck_assert_int_eq(profile_add(p, event, period, key, parts, &t), 0);
}

static char *write_rows(const struct callgrind *c, const char *event)
{
    struct profile p = {0};
    struct error t = {0};
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    ck_assert_int_eq(profile_events(&p, 1, &t), 0);
    p.event[0].name = event;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        add(&p, 0, rows[i].period, rows[i].part, PARTS);
    }
    ck_assert_int_eq(callgrind_write(c, &p, 0, to, &t), 0);
    fclose(to);
    profile_free(&p);
    return text;
}

/*
 * Lines of a header are included (fi) and end (fe), also before the next function. Lines are in the
 * order of their numbers.
 */
START_TEST(writes_callgrind)
{
    char *text = write_rows(&(struct callgrind){.command = "./a b"}, "instructions:u");

    ck_assert_str_eq(text, "# callgrind format\nversion: 1\ncreator: vpmu\ncmd: ./a b\npart: 1\n\n"
                           "positions: line\nevents: Ir\n"
                           "ob=/bin/a\nfl=???\nfn=memcpy\n0 1000000000000\n"
                           "fl=a.c\nfn=main\n9 1\n100 2\nfi=a.h\n3 20\n"
                           "fe=a.c\nfn=next\n200 4\n"
                           "ob=/bin/b\nfl=a.c\nfn=main\n9 5\n"
                           "fl=b.c\nfn=main\n12 7\n"
                           "totals: 1000000000039\n");
    free(text);
}
END_TEST

/* Objects do not matter: the same line of two programs is one line. */
START_TEST(writes_cachegrind)
{
    char *text = write_rows(&(struct callgrind){.cachegrind = true}, "cache-misses");

    ck_assert_str_eq(text, "desc: vpmu\ncmd: unknown\nevents: cache_misses\n"
                           "fl=???\nfn=memcpy\n0 1000000000000\n"
                           "fl=a.c\nfn=main\n9 6\n100 2\nfn=next\n200 4\n"
                           "fl=a.h\nfn=main\n3 20\n"
                           "fl=b.c\nfn=main\n12 7\n"
                           "summary: 1000000000039\n");
    free(text);
}
END_TEST

/* Costs are further columns of instructions, and of no other event. */
START_TEST(writes_costs)
{
    static const char *const part[PARTS] = {"/bin/a", "a.c", "main", "a.c", "0000000009", ""};
    static const struct {
        unsigned event;
        const char *text;
    } files[] = {{0, "events: Ir Dr Bcm\nfl=a.c\nfn=main\n9 7 0 2\nsummary: 7 0 2\n"},
                 {3, "events: Bcm\nfl=a.c\nfn=main\n9 2\nsummary: 2\n"}};
    struct profile p = {0};
    struct error t = {0};

    ck_assert_int_eq(profile_events(&p, 4, &t), 0);
    p.event[0].name = "instructions:u";
    p.event[1].name = "cycles";
    p.event[2].name = "Dr:u";
    p.event[3].name = "Bcm:u";
    add(&p, 0, 7, part, PARTS);
    add(&p, 1, 9, part, PARTS);
    add(&p, 3, 2, part, PARTS);
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        const struct callgrind cachegrind = {.cachegrind = true};
        char *text = NULL;
        size_t size;
        FILE *to = open_memstream(&text, &size);

        ck_assert_int_eq(callgrind_write(&cachegrind, &p, files[i].event, to, &t), 0);
        fclose(to);
        ck_assert_str_eq(strstr(text, "events:"), files[i].text);
        free(text);
    }
    profile_free(&p);
}
END_TEST

static const struct {
    const char *part[PARTS + 5];
    unsigned parts, event;
    uint64_t period;
} samples_of_calls[] = {
    {{"/bin/a", "a.c", "main", "a.c", "0000000009", "", "/bin/a", "a.c", "f", "0000000004", ""},
     11,
     1,
     3},
    {{"/bin/a", "a.c", "main", "a.c", "0000000009", "", "/bin/a", "a.c", "f", "0000000004", ""},
     11,
     2,
     30},
    /* What it cost of two other events */
    {{"/bin/a", "a.c", "main", "a.c", "0000000009", "", "/bin/a", "a.c", "f", "0000000004", ""},
     11,
     6,
     7},
    {{"/bin/a", "a.c", "main", "a.c", "0000000009", "", "/bin/a", "a.c", "f", "0000000004", ""},
     11,
     5,
     8},
    {{"/bin/a", "a.c", "main", "a.c", "0000000009", "", "/l.so", "???", "g", "0000000000", ""},
     11,
     1,
     1},
    /* Instructions of calls that were made before are not those of line 10. */
    {{"/bin/a", "a.c", "main", "a.c", "0000000010", "", "/bin/a", "a.c", "f", "0000000004", ""},
     11,
     2,
     70},
    {{"/bin/a", "a.c", "main", "a.c", "0000000010", ""}, 6, 0, 6},
    {{"/bin/a", "a.c", "main", "a.c", "0000000010", ""}, 6, 4, 1},
    {{"/bin/a", "a.c", "main", "a.c", "0000000009", ""}, 6, 0, 5},
    /* Calls of itself, and of another function that has its name */
    {{"/bin/a", "a.c", "main", "a.c", "0000000011", "", "/bin/a", "a.c", "main", "0000000004", ""},
     11,
     1,
     2},
    {{"/bin/a", "a.c", "main", "a.c", "0000000011", "", "/bin/a", "a.c", "main", "0000000004", ""},
     11,
     2,
     50},
    {{"/bin/a", "a.c", "main", "a.c", "0000000012", "", "/l.so", "a.c", "main", "0000000004", ""},
     11,
     1,
     2},
    {{"/bin/a", "a.c", "main", "a.c", "0000000012", "", "/l.so", "a.c", "main", "0000000004", ""},
     11,
     2,
     50},
    {{"/bin/a", "a.c", "main", "a.c", "0000000013", "", "/bin/a", "b.c", "main", "0000000004", ""},
     11,
     1,
     2},
    {{"/bin/a", "a.c", "main", "a.c", "0000000013", "", "/bin/a", "b.c", "main", "0000000004", ""},
     11,
     2,
     50},
};

/* Calls follow the line that they are in. What is the caller's own is left out. */
START_TEST(writes_calls)
{
    struct profile p = {0};
    struct error t = {0};
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    ck_assert_int_eq(profile_events(&p, 7, &t), 0);
    p.event[0].name = "instructions:u";
    p.event[1].name = PERFDATA_CALLS;
    p.event[2].name = PERFDATA_CALLED;
    p.event[3].name = "Bc:u";
    p.event[4].name = "Bcm:u";
    p.event[5].name = costs_called("Bc:u");
    p.event[6].name = costs_called("Bcm:u");
    for (size_t i = 0; i < COUNT_OF(samples_of_calls); i++) {
        add(&p, samples_of_calls[i].event, samples_of_calls[i].period, samples_of_calls[i].part,
            samples_of_calls[i].parts);
    }
    ck_assert_int_eq(callgrind_write(&(struct callgrind){0}, &p, 0, to, &t), 0);
    fclose(to);
    ck_assert_str_eq(strstr(text, "ob="), "ob=/bin/a\nfl=a.c\nfn=main\n9 5 0 0\n"
                                          "cfn=f\ncalls=3 4\n9 30 8 7\n"
                                          "cob=/l.so\ncfi=???\ncfn=g\ncalls=1 0\n9 0 0 0\n"
                                          "10 6 0 1\ncfn=main\ncalls=2 4\n11 0 0 0\n"
                                          "cob=/l.so\ncfn=main\ncalls=2 4\n12 50 0 0\n"
                                          "cfi=b.c\ncfn=main\ncalls=2 4\n13 50 0 0\n"
                                          "totals: 11 0 1\n");
    free(text);
    profile_free(&p);
}
END_TEST

/* Callgrind's format has "(7) main" for a name with a number. */
START_TEST(writes_names_like_numbers)
{
    static const char *const parts[] = {"/a",         "(2).c",      "(1) odd", "(2).c",
                                        "0000000001", "",           "/a",      "(2).c",
                                        "(1) odd",    "0000000001", ""};
    static const char *const want[] = {
        "ob=/a\nfl=(1) (2).c\nfn=(2) (1) odd\n1 5\ncfn=(2) (1) odd\ncalls=5 1\n1 0\n",
        "fl=(2).c\nfn=(1) odd\n1 5\nsummary: 5\n"};

    for (unsigned i = 0; i < COUNT_OF(want); i++) {
        struct profile p = {0};
        struct error t = {0};
        char *text = NULL;
        size_t size;
        FILE *to = open_memstream(&text, &size);

        ck_assert_int_eq(profile_events(&p, 2, &t), 0);
        p.event[0].name = "instructions:u";
        p.event[1].name = PERFDATA_CALLS;
        add(&p, 0, 5, parts, PARTS);
        add(&p, 1, 5, parts, COUNT_OF(parts));
        ck_assert_int_eq(callgrind_write(&(struct callgrind){.cachegrind = i == 1}, &p, 0, to, &t),
                         0);
        fclose(to);
        ck_assert_msg(strstr(text, want[i]) != NULL, "%s", text);
        free(text);
        profile_free(&p);
    }
}
END_TEST

/* With addresses, each instruction has a line, also if several are of one source line. */
START_TEST(writes_instructions)
{
    static const struct {
        const char *part[PARTS + 5];
        unsigned parts, event;
    } samples[] = {
        {{"/a", "a.c", "main", "a.c", "0000000009", "0000000000001004"}, PARTS, 0},
        {{"/a", "a.c", "main", "a.c", "0000000009", "0000000000000ffc"}, PARTS, 0},
        {{"/a", "a.c", "main", "a.c", "0000000007", "0000000000001000"}, PARTS, 0},
        {{"/a", "a.c", "main", "a.c", "0000000007", "0000000000001000", "/a", "a.c", "f",
          "0000000004", "0000000000000800"},
         PARTS + 5,
         1},
    };
    struct profile p = {0};
    struct error t = {0};
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    ck_assert_int_eq(profile_events(&p, 2, &t), 0);
    p.event[0].name = "instructions:u";
    p.event[1].name = PERFDATA_CALLS;
    for (size_t i = 0; i < COUNT_OF(samples); i++) {
        add(&p, samples[i].event, 1, samples[i].part, samples[i].parts);
    }
    ck_assert_int_eq(callgrind_write(&(struct callgrind){.instructions = true}, &p, 0, to, &t), 0);
    fclose(to);
    ck_assert_str_eq(strstr(text, "positions:"),
                     "positions: instr line\nevents: Ir\nob=/a\nfl=a.c\nfn=main\n"
                     "0xffc 9 1\n0x1000 7 1\ncfn=f\ncalls=1 0x800 4\n0x1000 7 0\n"
                     "0x1004 9 1\ntotals: 3\n");
    free(text);
    profile_free(&p);
}
END_TEST

Suite *callgrind_suite(void)
{
    const TTest *const tests[] = {writes_callgrind, writes_cachegrind,         writes_costs,
                                  writes_calls,     writes_names_like_numbers, writes_instructions};

    return suite_of("callgrind", tests, COUNT_OF(tests));
}
