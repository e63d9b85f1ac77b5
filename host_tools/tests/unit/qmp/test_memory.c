/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qmp/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "qmp/libvirt.h"
#include "qmp/target.h"
#include "unit/tests.h"

#define MAX_ANSWERS 8

/**
 * struct fake - a machine that gives its answers in order
 * @read: instead, it answers vpmu-read with zeros, and keeps the addresses and sizes.
 */
struct fake {
    struct qmp q;
    const char *answer[MAX_ANSWERS];
    bool read;
    uint64_t at[MAX_ANSWERS];
    uint64_t size[MAX_ANSWERS];
    uint64_t from[MAX_ANSWERS];
    unsigned n;
};

static struct json_object *zeros(uint64_t size)
{
    size_t len = (size + 2) / 3 * 4;
    char *text = malloc(len + 64);
    struct json_object *o;
    int n = sprintf(text, "{\"return\": {\"data\": \"");

    memset(text + n, 'A', len);
    for (size_t i = 0; i < (3 - size % 3) % 3; i++) {
        text[(size_t)n + len - 1 - i] = '=';
    }
    strcpy(text + n + len, "\"}}");
    o = json_tokener_parse(text);
    free(text);
    return o;
}

static int fake_ask(struct qmp *q, struct json_object *command, int fd, struct json_object **answer,
                    struct error *t)
{
    struct fake *f = (struct fake *)q;
    struct json_object *a = json_object_object_get(command, "arguments");

    (void)fd;
    (void)t;
    ck_assert_uint_lt(f->n, MAX_ANSWERS);
    f->at[f->n] = json_object_get_uint64(json_object_object_get(a, "address"));
    f->size[f->n] = json_object_get_uint64(json_object_object_get(a, "size"));
    f->from[f->n] = json_object_get_uint64(json_object_object_get(a, "from"));
    *answer = f->read ? zeros(f->size[f->n]) : json_tokener_parse(f->answer[f->n]);
    f->n++;
    return 0;
}

static const struct qmp_ops fake_ops = {.ask = fake_ask};

START_TEST(memory_reads)
{
    static unsigned char bytes[0x90001];
    struct fake f = {.q.ops = &fake_ops, .read = true};
    struct machine_memory m = machine_memory(&f.q);
    struct error t = {0};

    memset(bytes, 0xff, sizeof(bytes));
    ck_assert_int_eq(m.memory.read(&m.memory, 0x1000, bytes, 0x90000, &t), 0);
    ck_assert_uint_eq(f.n, 3);
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_uint_eq(f.at[i], 0x1000 + i * 0x40000u);
        ck_assert_uint_eq(f.size[i], i < 2 ? 0x40000u : 0x10000u);
    }
    ck_assert_ptr_eq(memchr(bytes, 0xff, sizeof(bytes)), bytes + 0x90000);
    ck_assert(bytes[0] == 0 && memcmp(bytes, bytes + 1, 0x8ffff) == 0);
    f = (struct fake){.q.ops = &fake_ops, .answer = {"{\"return\": {\"data\": \"AAAA\"}}"}};
    ck_assert_int_eq(m.memory.read(&m.memory, 0, bytes, 4, &t), -1);
    ck_assert_str_eq(t.text, "vpmu-read: the response is not 4 bytes in base64");
}
END_TEST

/* Pages are found in several steps, up to a limit, by a machine that may not tell the truth. */
START_TEST(memory_finds)
{
    static const struct {
        const char *answer[3];
        int result;
        size_t n;
        unsigned asked;
    } rows[] = {
        {{"{\"return\": {\"pages\": []}}"}, 0, 0, 1},
        {{"{\"return\": {\"pages\": [4096, 8192]}}"}, 0, 2, 1},
        {{"{\"return\": {\"pages\": [4096], \"next\": 8192}}",
          "{\"return\": {\"pages\": [12288]}}"},
         0,
         2,
         2},
        {{"{\"return\": {\"pages\": [4096], \"next\": 8192}}",
          "{\"return\": {\"pages\": [], \"next\": 8192}}"},
         -1,
         1,
         2},
        {{"{\"return\": {\"pages\": [-1]}}"}, -1, 0, 1},
        {{"{\"return\": {}}"}, -1, 0, 1},
        {{"{\"return\": {\"pages\": [4096], \"next\": 8192}}",
          "{\"error\": {\"class\": \"GenericError\", \"desc\": \"no\"}}"},
         -1,
         1,
         2},
        {{"{\"return\": {\"pages\": [], \"next\": \"x\"}}"}, -1, 0, 1},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct fake f = {.q.ops = &fake_ops};
        struct machine_memory m = machine_memory(&f.q);
        struct error t = {0};
        uint64_t found[MEMORY_FOUND];
        size_t n = 99;

        memcpy(f.answer, rows[i].answer, sizeof(rows[i].answer));
        ck_assert_int_eq(m.memory.find(&m.memory, "x", found, &n, &t), rows[i].result);
        ck_assert_msg(n == rows[i].n && f.n == rows[i].asked, "row %zu: got %zu, %u", i, n, f.n);
        ck_assert_uint_eq(f.from[0], 0);
        ck_assert(f.n < 2 || f.from[1] == 8192);
        ck_assert(n == 0 || found[0] == 4096);
        ck_assert(i != 2 || found[1] == 12288);
    }
}
END_TEST

START_TEST(memory_limits)
{
    struct fake f = {.q.ops = &fake_ops};
    struct machine_memory m = machine_memory(&f.q);
    struct json_object *list = json_object_new_array();
    struct json_object *o = json_object_new_object();
    struct json_object *pages = json_object_new_object();
    uint64_t found[MEMORY_FOUND + 1] = {[MEMORY_FOUND] = 5};
    struct error t = {0};
    size_t n;

    for (uint64_t i = 0; i < MEMORY_FOUND + 9; i++) {
        json_object_array_add(list, json_object_new_uint64(i));
    }
    json_object_object_add(pages, "pages", list);
    json_object_object_add(pages, "next", json_object_new_uint64(77));
    json_object_object_add(o, "return", pages);
    f.answer[0] = json_object_to_json_string(o);
    ck_assert_int_eq(m.memory.find(&m.memory, "x", found, &n, &t), 0);
    ck_assert_uint_eq(n, MEMORY_FOUND);
    ck_assert_uint_eq(f.n, 1);
    ck_assert(found[MEMORY_FOUND - 1] == MEMORY_FOUND - 1 && found[MEMORY_FOUND] == 5);
    json_object_put(o);
}
END_TEST

START_TEST(memory_tables)
{
    struct fake f = {
        .q.ops = &fake_ops,
        .answer = {"{\"return\": [{\"tables\": [1, 2]}, {\"tables\": []}, {\"tables\": "
                   "[3]}]}",
                   "{\"return\": [{\"tables\": [1]}, {}]}", "{\"return\": {}}"}};
    struct machine_memory m = machine_memory(&f.q);
    uint64_t tables[MEMORY_TABLES];
    struct error t = {0};
    size_t n = 99;

    ck_assert_int_eq(m.memory.tables(&m.memory, tables, &n, &t), 0);
    ck_assert(n == 3 && tables[0] == 1 && tables[1] == 2 && tables[2] == 3);
    ck_assert_int_eq(m.memory.tables(&m.memory, tables, &n, &t), -1);
    ck_assert_int_eq(m.memory.tables(&m.memory, tables, &n, &t), -1);
    ck_assert_uint_eq(n, 0);
}
END_TEST

/* Several CPUs have more tables than there is room for. */
START_TEST(memory_tables_limit)
{
    struct fake f = {.q.ops = &fake_ops};
    struct machine_memory m = machine_memory(&f.q);
    static char answer[8 * MEMORY_TABLES] = "{\"return\": [{\"tables\": [7";
    uint64_t tables[MEMORY_TABLES + 1] = {[MEMORY_TABLES] = 5};
    struct error t = {0};
    size_t n;

    for (unsigned i = 2; i < MEMORY_TABLES; i++) {
        strcat(answer, ", 7");
    }
    strcat(answer, "]}, {\"tables\": [8, 9]}]}");
    f.answer[0] = answer;
    ck_assert_msg(m.memory.tables(&m.memory, tables, &n, &t) == 0, "%s", t.text);
    ck_assert_uint_eq(n, MEMORY_TABLES);
    ck_assert(tables[MEMORY_TABLES - 1] == 8 && tables[MEMORY_TABLES] == 5);
}
END_TEST

#define UUID(digit) #digit "0000000-0000-0000-0000-00000000000a"

/* An ID has priority over a UUID, and that over a name. */
START_TEST(domains_found)
{
    struct domain domain[] = {{.id = 3, .uuid = UUID(1), .name = (char *)"a"},
                              {.id = -1, .uuid = UUID(2), .name = (char *)"3"},
                              {.id = 4, .uuid = UUID(3), .name = (char *)UUID(1)}};
    const struct domains d = {.domain = domain, .n = 3};

    ck_assert_ptr_eq(domains_find(&d, "3"), &domain[0]);
    ck_assert_ptr_eq(domains_find(&d, "10000000-0000-0000-0000-00000000000A"), &domain[0]);
    ck_assert_ptr_eq(domains_find(&d, UUID(2)), &domain[1]);
    ck_assert_ptr_eq(domains_find(&d, "a"), &domain[0]);
    ck_assert_ptr_eq(domains_find(&d, "4"), &domain[2]);
    ck_assert_ptr_null(domains_find(&d, "-1"));
    ck_assert_ptr_null(domains_find(&d, "A"));
    ck_assert_ptr_null(domains_find(&d, ""));
}
END_TEST

/* A list has each machine once. */
START_TEST(targets_once)
{
    static const struct {
        const char *name, *uri, *uuid;
        bool added;
    } rows[] = {
        {"a", NULL, NULL, true},        {"a", NULL, NULL, false},
        {"b", NULL, NULL, true},        {"a", "test:", UUID(1), true},
        {"c", "test:", UUID(1), false}, {"a", "test:", UUID(2), true},
        {"a", "other:", UUID(1), true},
    };
    static struct targets targets;
    struct error t = {0};
    size_t n = 0;
    char name[16];

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        ck_assert_int_eq(targets_add(&targets, rows[i].name, rows[i].uri, rows[i].uuid, i % 2, &t),
                         0);
        n += rows[i].added;
        ck_assert_uint_eq(targets.n, n);
        ck_assert(!rows[i].added || targets.target[n - 1].named == i % 2);
    }
    targets.target[0].missing = true;
    ck_assert_int_eq(targets_add(&targets, "a", NULL, NULL, true, &t), 0);
    ck_assert_uint_eq(targets.n, n + 1);
    ck_assert_int_eq(targets_check(&targets, &t), 0);
    for (unsigned i = 0; i < 2 * TARGETS_MAX; i++) {
        snprintf(name, sizeof(name), "%u", i);
        ck_assert_int_eq(targets_add(&targets, name, NULL, NULL, true, &t), 0);
    }
    ck_assert_uint_eq(targets.n, TARGETS_MAX);
    ck_assert_int_eq(targets_check(&targets, &t), -1);
    ck_assert_str_eq(t.text, "there are more than 256 machines: the others are left out");
    targets_free(&targets);
    ck_assert_uint_eq(targets.n, 0);
}
END_TEST

Suite *memory_suite(void)
{
    const TTest *const tests[] = {memory_reads,        memory_finds,  memory_limits, memory_tables,
                                  memory_tables_limit, domains_found, targets_once};

    return suite_of("memory", tests, COUNT_OF(tests));
}
