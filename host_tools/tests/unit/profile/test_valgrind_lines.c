/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads files as valgrind writes them, and shows their functions and lines. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export/annotate-lines.h"
#include "profile/diff.h"
#include "profile/report.h"
#include "unit/tests.h"

/*
 * As callgrind writes it: names have numbers, lines can be relative, a call has a line of its own,
 * values of 0 at the end are left out, and lines of an inlined function are in another file.
 */
#define FILE_OF(source)                                                                            \
    "# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\npid: 7\ncmd:  /bin/prog x\n"       \
    "desc: I1 cache: \n\npositions: line\nevents: Ir Bc\nsummary: 46 5\n\n"                        \
    "ob=(1) /bin/prog\nfl=(1) " source "\nfn=(1) main\n2 3\n+1 10 2\n"                             \
    "cob=(2) /lib/c.so\ncfi=(2) /src/c.c\ncfn=(2) copy\ncalls=4 9\n* 30 3\n"                       \
    "jfi=(4) /src/j.c\njfn=(3) jumped\njcnd=2/3 12\n*\n"                                           \
    "fi=(3) /src/b.h\n7 1\nfe=(1)\n* 2\n\n"                                                        \
    "ob=(2)\nfl=(2)\nfn=(2)\n9 30 3\n\ntotals: 46 5\n"

#define SOURCE "int main(void)\n{\n    copy();\n}\n"

static int read_text(const char *text, sample_input_line key, const void *opaque, struct profile *p,
                     struct error *t)
{
    static const struct programs none;
    char path[sizeof(TEMPORARY_PATH)];
    struct sample_input g = {.programs = &none,
                             .line_key = key,
                             .call_line = key == annotate_line_key ? annotate_call_line : NULL,
                             .opaque = opaque,
                             .profile = p};
    int err;

    make_temporary(path, text, strlen(text));
    g.input = path;
    err = sample_input_read(&g, -1, t);
    unlink(path);
    return err;
}

static char *annotate(const char *file, const struct annotate_lines *a, enum out_kind kind)
{
    struct profile p = {0};
    struct error t = {0};
    struct out out = {.kind = kind, .separator = ","};
    char *text = NULL;
    size_t size;

    ck_assert_msg(read_text(file, annotate_line_key, NULL, &p, &t) == 0, "%s", t.text);
    out.text = open_memstream(&text, &size);
    ck_assert_msg(annotate_lines_print(a, &p, &out, &t) == 0, "%s", t.text);
    fclose(out.text);
    profile_free(&p);
    return text;
}

START_TEST(shows_functions_and_lines)
{
    const struct annotate_lines all = {.limit = 20};
    char source[sizeof(TEMPORARY_PATH)], file[4096], want[4096];
    char *text;

    make_temporary(source, SOURCE, strlen(SOURCE));
    snprintf(file, sizeof(file), FILE_OF("%s"), source);
    snprintf(want, sizeof(want),
             "#     Ir     Bc  Inclusive  Function\n"
             "      30      3         30  copy  [c.so] 65.22%%\n"
             "      16      2         46  main  [prog] 34.78%%\n"
             "\n# %s\n#     Ir     Bc  Line\n"
             "                      1  int main(void)\n"
             "       3      .       2  {\n"
             "      10      2       3      copy();\n"
             "                      4  }\n"
             "       2      .       7  \n"
             "\n# /src/c.c\n#     Ir     Bc  Line\n"
             "      30      3       9  \n"
             "\n# /src/b.h\n#     Ir     Bc  Line\n"
             "       1      .       7  \n",
             source);
    text = annotate(file, &all, OUT_TEXT);
    ck_assert_str_eq(text, want);
    free(text);
    unlink(source);
}
END_TEST

START_TEST(shows_chosen_functions)
{
    const char *const names[] = {"copy"};
    const struct annotate_lines copy = {.symbols = names, .n = 1, .limit = 20};
    char *text = annotate(FILE_OF("/src/a.c"), &copy, OUT_TEXT);

    ck_assert_str_eq(text, "#     Ir     Bc  Inclusive  Function\n"
                           "      30      3         30  copy  [c.so] 65.22%\n"
                           "\n# /src/c.c\n#     Ir     Bc  Line\n"
                           "      30      3       9  \n");
    free(text);
}
END_TEST

START_TEST(shows_overloads)
{
    static const char file[] = "# callgrind format\nevents: Ir\nfl=a.cc\nfn=A::f(int)\n1 7\n"
                               "fn=A::f(char*)\n2 2\nfn=A::fill()\n3 1\n";
    static const struct {
        const char *name, *shown;
    } chosen[] = {
        {"A::f", "#     Ir  Function\n       7  A::f(int)  [???] 70.00%\n       2  A::f(char*)  "
                 "[???] 20.00%\n"},
        {"A::f(int)", "#     Ir  Function\n       7  A::f(int)  [???] 70.00%\n\n"},
    };

    for (size_t i = 0; i < COUNT_OF(chosen); i++) {
        const struct annotate_lines a = {.symbols = &chosen[i].name, .n = 1, .limit = 20};
        char *text = annotate(file, &a, OUT_TEXT);

        ck_assert_msg(strncmp(text, chosen[i].shown, strlen(chosen[i].shown)) == 0, "%s", text);
        free(text);
    }
}
END_TEST

/* The values are those of callgrind_annotate. Recursive calls cost nothing in files of vpmu. */
START_TEST(shows_inclusive_costs)
{
    static const char file[] =
        "# callgrind format\nevents: Ir Dr\nob=a\nfl=a.c\nfn=start\n1 5\n"
        "cfn=main\ncalls=1 9\n1 95\n"
        "fn=main\n9 15 3\ncfn=f\ncalls=2 20\n9 60\ncob=b\ncfi=b.c\ncfn=f\ncalls=1 1\n9 20\n"
        "fn=f\n20 60 1\ncfn=f\ncalls=7 20\n20 0\nob=b\nfl=b.c\nfn=f\n1 20\n";
    const struct annotate_lines all = {.limit = 20};
    char *text = annotate(file, &all, OUT_TEXT);
    const char *shown = "#     Ir     Dr  Inclusive  Function\n"
                        "      60      1         60  f  [a] 60.00%\n"
                        "      20      .         20  f  [b] 20.00%\n"
                        "      15      3         95  main  [a] 15.00%\n"
                        "       5      .        100  start  [a] 5.00%\n\n# a.c\n";

    ck_assert_msg(strncmp(text, shown, strlen(shown)) == 0, "%s", text);
    free(text);
}
END_TEST

/*
 * A handler of signals runs five times by itself and once by a call: 36 + 36,024. Functions that
 * call each other cost what their outermost call does: a call of one that has not returned costs
 * nothing.
 */
START_TEST(includes_what_runs_uncalled)
{
    static const char handler[] = "# callgrind format\nevents: Ir\nfl=a.c\nfn=main\n1 90\n"
                                  "cfn=h\ncalls=1 2\n1 6010\nfn=h\n2 36\ncfn=work\ncalls=6 3\n"
                                  "2 36024\nfn=work\n3 36024\n";
    static const char mutual[] = "# callgrind format\nevents: Ir\nfl=a.c\nfn=main\n1 10\n"
                                 "cfn=even\ncalls=1 2\n1 90\nfn=even\n2 50\ncfn=odd\ncalls=2 3\n"
                                 "2 65\nfn=odd\n3 40\ncfn=even\ncalls=2 2\n3 0\n";
    static const char recursive[] = "# callgrind format\nevents: Ir\nfl=a.c\nfn=main\n1 100\n"
                                    "cfn=f'2\ncalls=1 2\n1 50\ncfn=g'2\ncalls=1 3\n1 50\n"
                                    "fn=f'2\n2 50\ncfn=f'2\ncalls=4 2\n2 60\n"
                                    "fn=g'2\n3 50\ncfn=g'2\ncalls=4 3\n3 900\n";
    const struct annotate_lines all = {.limit = 20};
    const char *const names[] = {"h"};
    const struct annotate_lines h = {.symbols = names, .n = 1, .limit = 20};
    char *text = annotate(handler, &all, OUT_TEXT);

    ck_assert_msg(strstr(text, "      36     36,060  h  [???]") != NULL, "%s", text);
    ck_assert_msg(strstr(text, "      90      6,100  main  [???]") != NULL, "%s", text);
    free(text);
    text = annotate(handler, &h, OUT_JSON);
    ck_assert_msg(strstr(text, "\"Ir_inclusive\":36060}") != NULL, "%s", text);
    free(text);
    text = annotate(mutual, &all, OUT_TEXT);
    ck_assert_msg(strstr(text, "      50         90  even  [???]") != NULL, "%s", text);
    ck_assert_msg(strstr(text, "      40         65  odd  [???]") != NULL, "%s", text);
    free(text);
    /* callgrind_annotate shows 110 and 950, of 200 in all. */
    text = annotate(recursive, &all, OUT_TEXT);
    ck_assert_msg(strstr(text, "      50        110  f'2  [???]") != NULL, "%s", text);
    ck_assert_msg(strstr(text, "      50         50  g'2  [???]") != NULL, "%s", text);
    free(text);
}
END_TEST

/*
 * Functions of one name in two files are two. Calls between functions without a name are no
 * inclusive cost, which would be more than the total here.
 */
#define TWINS                                                                                      \
    "# callgrind format\nversion: 1\npositions: line\nevents: Ir "                                 \
    "Dr\nob=/bin/p\nfl=/src/a.c\nfn=main\n"                                                        \
    "1 10 1\ncfn=step\ncalls=3 5\n2 30 6\ncfi=/src/b.c\ncfn=step\ncalls=4 7\n3 60 9\n"             \
    "fn=step\n5 30 6\nfl=/src/b.c\nfn=step\nfi=/src/c.h\n7 20\nfe=/src/b.c\n8 0 9\n"               \
    "cob=/lib/s\ncfi=???\ncfn=???\ncalls=1 0\n8 40\nob=/lib/s\nfl=???\nfn=???\n0 40\n"             \
    "cfn=???\ncalls=9 0\n0 800\n"

START_TEST(keeps_functions_apart)
{
    const struct annotate_lines all = {.limit = 20}, inclusive = {.limit = 20, .inclusive = true};
    const struct {
        const struct annotate_lines *a;
        const char *shown;
    } rows[] = {
        {&all, "#     Ir     Dr  Inclusive  Function\n"
               "      40      .          .  ???  [s] 40.00%\n"
               "      30      6         30  step  (a.c)  [p] 30.00%\n"
               "      20      9         60  step  (b.c)  [p] 20.00%\n"
               "      10      1        100  main  [p] 10.00%\n\n"},
        {&inclusive, "#     Ir     Dr  Function\n"
                     "     100     16  main  [p] 100.00%\n"
                     "      60      9  step  (b.c)  [p] 60.00%\n"
                     "      40      .  ???  [s] 40.00%\n"
                     "      30      6  step  (a.c)  [p] 30.00%\n\n"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char *text = annotate(TWINS, rows[i].a, OUT_TEXT);

        ck_assert_msg(strncmp(text, rows[i].shown, strlen(rows[i].shown)) == 0, "%s", text);
        free(text);
    }
}
END_TEST

/* Each line has the inclusive costs of its function, of all events. */
START_TEST(writes_records)
{
    const char *const names[] = {"step"};
    const struct annotate_lines step = {.symbols = names, .n = 1, .limit = 20};
    const struct annotate_lines all = {.limit = 20};
    char *text = annotate(TWINS, &step, OUT_JSON);

    ck_assert_str_eq(
        text, "{\"dso\":\"/bin/p\",\"sym\":\"step\",\"file\":\"/src/a.c\",\"line\":5,\"Ir\":30,"
              "\"Dr\":6,\"sym_file\":\"/src/a.c\",\"Ir_inclusive\":30,\"Dr_inclusive\":6}\n"
              "{\"dso\":\"/bin/p\",\"sym\":\"step\",\"file\":\"/src/b.c\",\"line\":8,\"Ir\":0,"
              "\"Dr\":9,\"sym_file\":\"/src/b.c\",\"Ir_inclusive\":60,\"Dr_inclusive\":9}\n"
              "{\"dso\":\"/bin/p\",\"sym\":\"step\",\"file\":\"/src/c.h\",\"line\":7,\"Ir\":20,"
              "\"Dr\":0,\"sym_file\":\"/src/b.c\",\"Ir_inclusive\":60,\"Dr_inclusive\":9}\n");
    free(text);
    text = annotate(TWINS, &all, OUT_CSV);
    ck_assert_msg(strstr(text, "/lib/s,???,???,0,40,0,???,,\n") != NULL, "%s", text);
    free(text);
}
END_TEST

/* report and diff sum lines up by their columns. */
START_TEST(reports_lines)
{
    struct report r = {0};
    struct profile p = {0};
    struct error t = {0};

    ck_assert_int_eq(report_choose(&r, "comm,dso,sym", &t), 0);
    ck_assert_msg(read_text(FILE_OF("/src/a.c"), report_line_key, &r, &p, &t) == 0, "%s", t.text);
    ck_assert_uint_eq(p.events, 2);
    ck_assert_uint_eq(p.event[0].period, 46);
    ck_assert_uint_eq(p.event[1].period, 5);
    profile_sort_by_period(&p);
    ck_assert_str_eq(profile_text(&p, p.entry[0], 0), "prog");
    ck_assert_str_eq(profile_text(&p, p.entry[0], 1), "/lib/c.so");
    ck_assert_str_eq(profile_text(&p, p.entry[0], 2), "[.] copy");
    ck_assert_uint_eq(p.entry[0]->period, 30);
    profile_free(&p);
}
END_TEST

/* Reads two profiles, and compares their functions. */
static char *compare(const char *before, const char *after, enum out_kind kind)
{
    struct report r = {0};
    struct profile p[2] = {0};
    struct diff d = {.before = &p[0], .after = &p[1], .sources = true};
    struct error t = {0};
    struct out out = {.kind = kind, .separator = ","};
    char *text = NULL;
    size_t size;

    ck_assert_int_eq(report_choose(&r, "sym", &t), 0);
    r.sources = r.has_symbol;
    ck_assert_msg(read_text(before, report_line_key, &r, &p[0], &t) == 0, "%s", t.text);
    ck_assert_msg(read_text(after, report_line_key, &r, &p[1], &t) == 0, "%s", t.text);
    profile_sort_by_key(&p[0]);
    profile_sort_by_key(&p[1]);
    ck_assert_int_eq(diff_make(&d, &t), 1);
    out.text = open_memstream(&text, &size);
    diff_print(&d, &r, &(struct diff_style){0}, &out);
    fclose(out.text);
    diff_free(&d);
    profile_free(&p[0]);
    profile_free(&p[1]);
    return text;
}

#define CALLGRIND "# callgrind format\nversion: 1\npositions: line\nevents: Ir\n"
#define HELPER(source, cost) "fl=" source "\nfn=helper\n1 " cost "\n"

/* Sums of functions of one name can be equal while each of them is another. */
static const struct {
    const char *reason, *before, *after, *shown;
} compared[] = {
    {"another build directory", CALLGRIND HELPER("/x/ha.c", "6") HELPER("/x/hb.c", "30"),
     CALLGRIND HELPER("/y/ha.c", "30") HELPER("/y/hb.c", "6"),
     "    +66.67%                     6                    30  [.] helper  (ha.c)\n"
     "    -66.67%                    30                     6  [.] helper  (hb.c)\n\n"},
    {"files of one name", CALLGRIND HELPER("/x/a/h.c", "6") HELPER("/x/b/h.c", "30"),
     CALLGRIND HELPER("/a/b/h.c", "30") HELPER("/b/a/h.c", "8"),
     "     +5.56%                     6                     8  [.] helper  (h.c)\n\n"},
    {"only one profile knows files", CALLGRIND HELPER("/x/ha.c", "6") HELPER("/x/hb.c", "30"),
     CALLGRIND HELPER("???", "36"), "\n"},
    {"a file has another name", CALLGRIND HELPER("/x/ha.c", "6") HELPER("/x/hb.c", "30"),
     CALLGRIND HELPER("/x/ha.c", "6") HELPER("/x/hc.c", "39"),
     "    +25.00%                    30                    39  [.] helper  (hc.c)\n\n"},
    {"one function has a file of another name", CALLGRIND HELPER("/x/ha.c", "6"),
     CALLGRIND HELPER("/x/hc.c", "6"), "\n"},
    {"one function more", CALLGRIND HELPER("/x/ha.c", "36"),
     CALLGRIND HELPER("/y/ha.c", "30") HELPER("/y/hb.c", "6"),
     "    -16.67%                    36                    30  [.] helper  (ha.c)\n"
     "    +16.67%                     0                     6  [.] helper  (hb.c)\n\n"},
};

START_TEST(compares_functions_of_one_name)
{
    for (size_t i = 0; i < COUNT_OF(compared); i++) {
        char *text = compare(compared[i].before, compared[i].after, OUT_TEXT);
        const char *rows = strstr(text, "Name\n");

        ck_assert_msg(rows && strcmp(rows + 5, compared[i].shown) == 0, "%s: %s",
                      compared[i].reason, text);
        free(text);
    }
}
END_TEST

START_TEST(writes_files_of_compared_functions)
{
    char *text =
        compare(CALLGRIND HELPER("/x/ha.c", "6"), CALLGRIND HELPER("/y/ha.c", "9"), OUT_JSON);

    ck_assert_msg(strstr(text, "\"sym\":\"helper\",\"sym_file\":\"/y/ha.c\"}") != NULL, "%s", text);
    free(text);
    text = compare(CALLGRIND HELPER("???", "6"), CALLGRIND HELPER("???", "9"), OUT_JSON);
    ck_assert_msg(strstr(text, "\"sym_file\":null}") != NULL, "%s", text);
    free(text);
}
END_TEST

/* Files that are damaged, or that have no source lines. */
static const struct {
    const char *text, *error;
} refused[] = {
    {"version: 1\n", "has no events"},
    {"events: Ir\nfn=main\n5 x\n", "is damaged in line 3"},
    {"events: Ir\nfn=main\n5 1 2\n", "is damaged in line 3"},
    {"events: Ir\nfn=main\n5 18446744073709551616\n", "is damaged in line 3"},
    {"events: Ir\nfn=main\n5 18446744073709551615\n6 1\n", "is damaged in line 4"},
    {"events: Ir\nfn=main\n-3 5\n", "is damaged in line 3"},
    {"events: Ir\nfn=main\n4294967296 5\n", "is damaged in line 3"},
    {"events: Ir\nfn=main\n18446744073709551616 5\n", "is damaged in line 3"},
    {"events: Ir\nfn=main\n4294967295 5\n+18446744073709551615 5\n", "is damaged in line 4"},
    {"events: Ir\nfn=(5)\n", "is damaged in line 2"},
    {"events: Ir\nfn=(4294967296) f\n", "is damaged in line 2"},
    {"events: Ir\nfoo=1\n", "is damaged in line 2"},
    {"events: Ir Bc Ir\nfn=f\n1 5\n", "is damaged in line 1"},
    {"positions: instr line\nevents: Ir\nfn=f\n0x20 1 5\n-33 * 6\n", "is damaged in line 5"},
    {"events: Ir\nfn=f\ncalls=x 1\n1 5\n", "is damaged in line 3"},
    {"events: Ir\nfn=f\ncalls=2\n1 5\n", "is damaged in line 3"},
    {"events: Ir\nfn=f\ncalls=2 x\n1 5\n", "is damaged in line 3"},
    {"events: Ir\nfn=f\ncalls=2 1 1\n1 5\n", "is damaged in line 3"},
    {"events: Ir\nfn=f\ncalls=18446744073709551616 1\n1 5\n", "is damaged in line 3"},
    {"events: Ir\nfn=f\ncal=2 1\n1 5\n", "is damaged in line 3"},
    {"version: 1\n5 1\n", "does not name its events before line 2"},
    {"positions: instr\nevents: Ir\n", "has no source lines, only instructions"},
    {"creator: vpmu\nevents: Ir\nfn=f\n1 5\n", "is not complete: it ends before its totals"},
    {"desc: vpmu\nevents: Ir\nfn=f\n1 5\n", "is not complete: it ends before its totals"},
    {"creator: vpmu\nevents: Ir\nfn=f\n1 5\ntotals: 6\n", "its lines do not add up to line 5"},
    {"creator: vpmu\nevents: Ir Bc\nfn=f\n1 5 1\ntotals: 5\n", "do not add up to line 5"},
    {"desc: vpmu\nevents: Ir\nfn=f\n1 5\nsummary: x\n", "do not add up to line 5"},
};

/* Calls are no part of the sum. Files of valgrind and of other programs may have several sums. */
START_TEST(takes_whole_files)
{
    static const char *const texts[] = {
        "creator: vpmu\nevents: Ir Bc\nfn=f\n1 5 1\ncalls=1 0\n1 100 2\n2 3\ntotals: 8 1\n",
        "creator: vpmu\nevents: Ir Bc\nfn=f\n1 5\ntotals: 5\n",
        "desc: vpmu\nevents: Ir\nfn=f\n1 5\nsummary: 5\n",
        "creator: callgrind-3.19.0\nevents: Ir\nfn=f\n1 5\ntotals: 6\n",
        "desc: Data\nevents: Ir\nfn=f\n1 5\n",
        "positions: instr line\nevents: Ir\nfn=f\n0x10 1 5\ncalls=0x2 +0x20 -1 \n+4 +2 9\n",
        "positions: instr line\nevents: Ir\nfn=f\n0x10 1 5\ncalls=2 * *\n+4 +2 9\n",
        "positions: instr line\nevents: Ir\nfn=f\n0x20 1 5\n-6 * 6\n-26 * 6\n",
    };

    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct profile p = {0};
        struct error t = {0};

        ck_assert_msg(read_text(texts[i], annotate_line_key, NULL, &p, &t) == 0, "%zu: %s", i,
                      t.text);
        profile_free(&p);
    }
}
END_TEST

START_TEST(refuses_damaged_files)
{
    for (size_t i = 0; i < COUNT_OF(refused); i++) {
        struct profile p = {0};
        struct error t = {0};

        ck_assert_int_eq(read_text(refused[i].text, annotate_line_key, NULL, &p, &t), -1);
        ck_assert_msg(strstr(t.text, refused[i].error) != NULL, "%s", t.text);
        profile_free(&p);
    }
}
END_TEST

static void expect_refusal(const char *file, const struct annotate_lines *a, const char *why)
{
    struct profile p = {0};
    struct error t = {0};
    struct out out = {.kind = OUT_TEXT, .text = stdout};

    ck_assert_msg(read_text(file, annotate_line_key, NULL, &p, &t) == 0, "%s", t.text);
    ck_assert_int_eq(annotate_lines_print(a, &p, &out, &t), -1);
    ck_assert_int_eq(t.code, ERROR_USAGE);
    ck_assert_msg(strstr(t.text, why) != NULL, "%s", t.text);
    profile_free(&p);
}

/* What is there is shown. */
START_TEST(refuses_what_is_not_there)
{
    const char *const names[] = {"copyist", "copy"};
    char *text = annotate(FILE_OF("a.c"),
                          &(struct annotate_lines){.symbols = names, .n = 2, .limit = 20}, OUT_CSV);

    ck_assert_msg(strstr(text, ",copy,") != NULL, "%s", text);
    free(text);

    expect_refusal(FILE_OF("a.c"), &(struct annotate_lines){.symbols = names, .n = 1, .limit = 20},
                   "no function that was executed is called 'copyist'");
    expect_refusal("events: Ir\nfn=f\n1 5\n",
                   &(struct annotate_lines){.inclusive = true, .limit = 20},
                   "--inclusive needs a file with calls");
    expect_refusal("events: Ir\n", &(struct annotate_lines){.limit = 20}, "has no lines");
}
END_TEST

/* A source file says that it is newer than the profile, not that it is as old. */
START_TEST(tells_newer_sources)
{
    static const struct {
        time_t written;
        bool is_newer;
    } times[] = {{0, false}, {999, true}, {1000, false}, {1001, false}};
    const struct timespec changed[] = {{1000, 0}, {1000, 0}};
    char source[sizeof(TEMPORARY_PATH)], file[4096], want[4096];

    make_temporary(source, SOURCE, strlen(SOURCE));
    ck_assert_int_eq(utimensat(AT_FDCWD, source, changed, 0), 0);
    snprintf(file, sizeof(file), FILE_OF("%s"), source);
    snprintf(want, sizeof(want), "\n# %s\n# This file is newer than the profile", source);
    for (size_t i = 0; i < COUNT_OF(times); i++) {
        char *text = annotate(
            file, &(struct annotate_lines){.limit = 20, .written = times[i].written}, OUT_TEXT);

        ck_assert_msg((strstr(text, want) != NULL) == times[i].is_newer, "%zu: %s", i, text);
        free(text);
    }
    unlink(source);
}
END_TEST

/* In callgrind's format, "(7) main" is the name with number 7; in cachegrind's it is a name. */
START_TEST(reads_names_like_numbers)
{
    const struct annotate_lines all = {.limit = 20};
    char *text =
        annotate("events: Ir\nfn=(7) (1) odd\n1 5\nfn=(1) even\n1 3\nfn=(7)\n2 1\n", &all, OUT_CSV);

    ck_assert_msg(strstr(text, "???,(1) odd,???,1,5,???\n???,(1) odd,???,2,1,???\n") != NULL, "%s",
                  text);
    ck_assert_msg(strstr(text, "???,even,???,1,3,???\n") != NULL, "%s", text);
    free(text);
    text = annotate("desc: Data\nevents: Ir\nfn=(1) odd\n1 5\nfn=(1)\n1 3\n", &all, OUT_CSV);
    ck_assert_msg(strstr(text, "???,(1) odd,???,1,5,???\n") != NULL, "%s", text);
    ck_assert_msg(strstr(text, "???,(1),???,1,3,???\n") != NULL, "%s", text);
    free(text);
}
END_TEST

Suite *valgrind_lines_suite(void)
{
    const TTest *const tests[] = {shows_functions_and_lines,
                                  shows_chosen_functions,
                                  shows_overloads,
                                  shows_inclusive_costs,
                                  keeps_functions_apart,
                                  writes_records,
                                  reports_lines,
                                  refuses_damaged_files,
                                  takes_whole_files,
                                  compares_functions_of_one_name,
                                  writes_files_of_compared_functions,
                                  includes_what_runs_uncalled,
                                  refuses_what_is_not_there,
                                  tells_newer_sources,
                                  reads_names_like_numbers};

    return suite_of("valgrind_lines", tests, COUNT_OF(tests));
}
