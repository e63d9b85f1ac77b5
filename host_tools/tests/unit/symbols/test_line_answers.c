/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes that answer anything to questions for source lines. The linker replaces the function
 * that starts them; see sources.mk.
 */
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lines/line-server.h"
#include "lines/source-lines.h"
#include "unit/tests.h"

#define SELF "/proc/self/exe"

/* What the process answers to each address: the size that it says, and the bytes that it sends. */
struct script {
    uint32_t says;
    uint32_t sends;
    const char *text; /* NULL: zeros */
    uint32_t addresses;
};

static const struct script *the_script;

pid_t __real_line_server_start(int fd, int *socket);
pid_t __wrap_line_server_start(int fd, int *socket);

static void put_bytes(int fd, const void *bytes, size_t n, size_t piece)
{
    for (size_t at = 0; at < n; at += piece) {
        if (write(fd, (const char *)bytes + at, n - at < piece ? n - at : piece) < 0) {
            _exit(1);
        }
    }
}

/* Each answer follows one question. Short ones are sent byte by byte. */
static void answer(int fd)
{
    static const char zeros[2 * LINE_SERVER_MAX];
    struct line_question q;

    while (recv(fd, &q, sizeof(q), MSG_WAITALL) == sizeof(q)) {
        const struct script *s = &the_script[q.address];
        const struct line_answer head = {.size = s->says, .addresses = s->addresses};

        put_bytes(fd, &head, sizeof(head), 1);
        put_bytes(fd, s->text ? s->text : zeros, s->sends, s->sends < 100 ? 1 : s->sends);
        if (s->sends < s->says) {
            _exit(0);
        }
    }
    _exit(0);
}

pid_t __wrap_line_server_start(int fd, int *socket)
{
    int ends[2];
    pid_t pid;

    if (!the_script) {
        return __real_line_server_start(fd, socket);
    }
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    pid = fork();
    if (pid == 0) {
        close(ends[0]);
        answer(ends[1]);
    }
    close(ends[1]);
    *socket = ends[0];
    return pid;
}

/* An answer has three strings for each line. What is missing is empty, and no more are taken. */
START_TEST(answers)
{
#define FRAMES8                                                                                    \
    "f\0c\0001\0f\0c\0001\0f\0c\0001\0f\0c\0001\0f\0c\0001\0f\0c\0001\0f\0c\0001\0f\0c\0001\0"
#define FRAMES32 FRAMES8 FRAMES8 FRAMES8 FRAMES8
    _Static_assert(DWARF_LINES_FRAMES == 32, "FRAMES32");
    static const struct script script[] = {
        {0, 0, "", 1},
        {7, 7, "f\0a.c\0007", 1},
        {8, 8, "f\0a.c\0007\0", 1},
        {1, 1, "f", 1},
        {3, 3, "\0a", 1},
        {12, 12, "f\0c\0001\0g\0d\0002\0", 1},
        {sizeof(FRAMES32) - 1 - 6, sizeof(FRAMES32) - 1 - 6, FRAMES32, 1},
        {sizeof(FRAMES32) - 1, sizeof(FRAMES32) - 1, FRAMES32, 1},
        {sizeof(FRAMES32) - 1 + 6, sizeof(FRAMES32) - 1 + 6, FRAMES32 FRAMES8, 1},
        {LINE_SERVER_MAX, LINE_SERVER_MAX, NULL, 1},
    };
    static const struct {
        size_t n;
        const char *function, *file; /* of the last line */
        unsigned line;
    } rows[COUNT_OF(script)] = {
        {0, NULL, NULL, 0}, {1, "f", "a.c", 7}, {1, "f", "a.c", 7}, {1, "f", "", 0},
        {1, NULL, "a", 0},  {2, "g", "d", 2},   {31, "f", "c", 1},  {32, "f", "c", 1},
        {32, "f", "c", 1},  {32, NULL, "", 0},
    };
    struct source_lines s = {0};

    the_script = script;
    for (size_t i = 0; i < COUNT_OF(script); i++) {
        struct dwarf_line line[DWARF_LINES_FRAMES + 1] = {0};
        size_t n = source_lines_find(&s, SELF, i, line);

        ck_assert_msg(n == rows[i].n, "row %zu: %zu lines", i, n);
        ck_assert_ptr_null(line[DWARF_LINES_FRAMES].file);
        if (n) {
            ck_assert_pstr_eq(line[n - 1].function, rows[i].function);
            ck_assert_str_eq(line[n - 1].file, rows[i].file);
            ck_assert_uint_eq(line[n - 1].line, rows[i].line);
        }
        ck_assert_ptr_null(s.broken);
    }
    source_lines_free(&s);
    the_script = NULL;
}
END_TEST

/* After an answer that cannot be, or that is cut off, nothing is asked any more. */
START_TEST(wrong_answers)
{
    static const struct script scripts[][2] = {
        {{LINE_SERVER_MAX + 1, LINE_SERVER_MAX + 1, NULL, 1}, {6, 6, "f\0c\0001\0", 1}},
        {{UINT32_MAX, 6, "f\0c\0001\0", 1}, {6, 6, "f\0c\0001\0", 1}},
        {{7, 6, "f\0c\0001\0", 1}, {6, 6, "f\0c\0001\0", 1}},
        {{6, 6, "f\0c\0001\0", 0}, {6, 6, "f\0c\0001\0", 1}},
        {{LINE_SERVER_MAX, 6, "f\0c\0001\0", 1}, {6, 6, "f\0c\0001\0", 1}},
    };

    for (size_t i = 0; i < COUNT_OF(scripts); i++) {
        struct dwarf_line line[DWARF_LINES_FRAMES];
        struct source_lines s = {0};

        the_script = scripts[i];
        ck_assert_uint_eq(source_lines_find(&s, SELF, 1, line), 1);
        ck_assert_uint_eq(source_lines_find(&s, SELF, 0, line), 0);
        ck_assert_str_eq(s.broken, SELF);
        /* What is known stays known. */
        ck_assert_uint_eq(source_lines_find(&s, SELF, 1, line), 1);
        ck_assert_uint_eq(source_lines_find(&s, SELF, 2, line), 0);
        source_lines_free(&s);
    }
    the_script = NULL;
}
END_TEST

/* 64 MiB of answers are kept. One more byte, and all but the last answer are dropped. */
START_TEST(cache)
{
    static const struct script script[] = {{6, 6, "f\0c\0001\0", 1}, {6, 6, "g\0d\0002\0", 1}};
    struct dwarf_line line[DWARF_LINES_FRAMES];
    struct source_lines s = {0};
    size_t each;

    the_script = script;
    ck_assert_uint_eq(source_lines_find(&s, SELF, 0, line), 1);
    each = s.cached;
    ck_assert_uint_ge(each, 6 + sizeof(uint64_t));
    /* A known answer takes no more. */
    ck_assert_uint_eq(source_lines_find(&s, SELF, 0, line), 1);
    ck_assert_uint_eq(s.cached, each);
    s.cached = (64u << 20) - each;
    ck_assert_uint_eq(source_lines_find(&s, SELF, 1, line), 1);
    ck_assert_uint_eq(s.cached, 64u << 20);
    ck_assert_uint_eq(source_lines_find(&s, SELF, 0, line), 1);
    ck_assert_uint_eq(s.cached, 64u << 20);
    source_lines_free(&s);
    ck_assert_uint_eq(source_lines_find(&s, SELF, 0, line), 1);
    s.cached = (64u << 20) - each + 1;
    ck_assert_uint_eq(source_lines_find(&s, SELF, 1, line), 1);
    ck_assert_str_eq(line[0].function, "g");
    ck_assert_uint_eq(s.cached, each);
    ck_assert_uint_eq(source_lines_find(&s, SELF, 0, line), 1);
    ck_assert_str_eq(line[0].function, "f");
    ck_assert_uint_eq(s.cached, 2 * each);
    source_lines_free(&s);
    the_script = NULL;
}
END_TEST

/* An answer is for some addresses, unless another one is for them: then nothing is asked. */
START_TEST(ranges)
{
    static const struct script script[] = {
        {6, 6, "a\0c\0001\0", 3}, {0, 0, "", 0}, {6, 6, "b\0c\0002\0", 4}, {0, 0, "", 0},
        {6, 6, "c\0c\0003\0", 2}, {0, 0, "", 0}, {6, 6, "d\0c\0004\0", 1}};
    static const struct {
        uint64_t address;
        const char *function;
    } asked[] = {{4, "c"}, {5, "c"}, {2, "b"}, {3, "b"}, {4, "c"},
                 {6, "d"}, {0, "a"}, {1, "a"}, {2, "b"}};
    struct dwarf_line line[DWARF_LINES_FRAMES];
    struct source_lines s = {0};

    the_script = script;
    for (size_t i = 0; i < COUNT_OF(asked); i++) {
        ck_assert_uint_eq(source_lines_find(&s, SELF, asked[i].address, line), 1);
        ck_assert_str_eq(line[0].function, asked[i].function);
    }
    ck_assert_ptr_null(s.broken);
    source_lines_free(&s);
    the_script = NULL;
}
END_TEST

Suite *line_answers_suite(void)
{
    const TTest *const tests[] = {answers, wrong_answers, cache, ranges};

    return suite_of("line_answers", tests, COUNT_OF(tests));
}
