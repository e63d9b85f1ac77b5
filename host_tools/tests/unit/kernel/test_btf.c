/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a kernel's symbols and types say where to find its threads and their fields. */
#include "kernel/btf.h"

#include <bpf/btf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "symbols/symbols.h"
#include "unit/tests.h"

/*
 * Makes a task_struct. It begins with tgid and pid. The field @last is 8 bytes after the start of
 * @nested, in an unnamed structure within @depth unnamed unions.
 */
static struct btf *make_types(const char *structure, const char *last, unsigned nested,
                              unsigned depth)
{
    struct btf *btf = btf__new_empty();
    int number = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
    int text = btf__add_array(btf, number, btf__add_int(btf, "char", 1, 0), 16);
    int inner = btf__add_struct(btf, "", 24);

    btf__add_field(btf, "other", number, 0, 0);
    btf__add_field(btf, last, text, 64, 0);
    for (unsigned i = 0; i < depth; i++) {
        int in = inner;

        inner = btf__add_union(btf, "", 24);
        btf__add_field(btf, "", in, 0, 0);
    }
    btf__add_struct(btf, structure, 64);
    btf__add_field(btf, "tgid", number, 96, 0);
    btf__add_field(btf, "pid", number, 32, 0);
    btf__add_field(btf, "", inner, nested * 8, 0);
    return btf;
}

/* Makes a structure that contains itself without a name, without end. */
static struct btf *make_endless(void)
{
    struct btf *btf = btf__new_empty();
    int task = btf__add_struct(btf, "task_struct", 64);

    for (unsigned i = 0; i < 65535; i++) {
        btf__add_field(btf, "", task, 0, 0);
    }
    return btf;
}

static int read_types(struct task_layout *layout, struct btf *btf, size_t cut, struct error *t)
{
    char path[sizeof(TEMPORARY_PATH)];
    uint32_t size = 0;
    const void *data = btf__raw_data(btf, &size);
    int err;

    make_temporary(path, data, size - cut);
    *t = (struct error){0};
    err = btf_read(layout, path, t);
    unlink(path);
    btf__free(btf);
    return err;
}

START_TEST(layout_of_types)
{
    struct task_layout layout;
    struct error t;

    for (unsigned depth = 0; depth < 7; depth++) {
        ck_assert_msg(read_types(&layout, make_types("task_struct", "comm", 32, depth), 0, &t) == 0,
                      "%s", t.text);
        ck_assert_uint_eq(layout.pid, 4);
        ck_assert_uint_eq(layout.tgid, 12);
        ck_assert_uint_eq(layout.comm, 40);
    }
}
END_TEST

static void add_members(struct btf *btf, const char *structure, const char *const *member, size_t n)
{
    btf__add_struct(btf, structure, 48);
    for (size_t i = 0; i < n; i++) {
        btf__add_field(btf, member[i], 1, (uint32_t)(64 * i), 0);
    }
}

/* Makes the types for mappings and kernel entry. Without @all, each of the two lacks a member. */
static struct btf *make_places(bool all)
{
    /* Each structure begins with a number. Two members follow; the second can be a structure. */
    const struct {
        const char *name;
        const char *first;
        const char *second;
        const char *inner; /* a structure that comes before it */
    } structures[] = {
        {"maple_tree", "ma_flags", "ma_root", NULL},
        {"mm_struct", "exec_vm", "mm_mt", "maple_tree"},
        {"maple_range_64", "pivot", "slot", NULL},
        {"maple_arange_64", "pivot", "slot", NULL},
        {"path", "mnt", "dentry", NULL},
        {"file", "f_inode", "f_path", "path"},
        {"qstr", "len", "name", NULL},
        {"dentry", "d_parent", "d_name", "qstr"},
        {"vfsmount", "mnt_flags", "mnt_root", NULL},
        {all ? "frame_record_meta" : "frame_record", "record", "type", NULL},
    };
    static const char *const area[] = {"vm_start", "vm_end", "vm_pgoff", "vm_flags", "vm_file"};
    static const char *const mount[] = {"mnt", "mnt_parent", "mnt_mountpoint"};
    static const char *const registers[] = {"regs", "pc", "pstate", "stackframe"};
    struct btf *btf = make_types("task_struct", "comm", 16, 0);

    btf__add_field(btf, all ? "mm" : "nothing", 1, 48 * 8, 0);
    for (size_t i = 0; i < COUNT_OF(structures); i++) {
        int inner = structures[i].inner
                        ? btf__find_by_name_kind(btf, structures[i].inner, BTF_KIND_STRUCT)
                        : 1;

        btf__add_struct(btf, structures[i].name, 48);
        btf__add_field(btf, "number", 1, 0, 0);
        btf__add_field(btf, structures[i].first, 1, 64, 0);
        btf__add_field(btf, structures[i].second, inner, 128, 0);
    }
    add_members(btf, "vm_area_struct", area, COUNT_OF(area));
    add_members(btf, "mount", mount, COUNT_OF(mount));
    add_members(btf, "pt_regs", registers, COUNT_OF(registers) - !all);
    return btf;
}

START_TEST(layout_of_places)
{
    /* In the order of task_map_name() and task_entry_name(). */
    static const uint32_t maps[TASK_MAPS] = {48, 8,  32, 8, 16, 16, 0,  8, 16, 24, 32,
                                             8,  32, 24, 8, 32, 24, 16, 0, 8,  16};
    static const uint32_t entry[TASK_ENTRY] = {24, 0, 8, 16};
    struct task_layout layout;
    struct error t;

    ck_assert_msg(read_types(&layout, make_places(false), 0, &t) == 0, "%s", t.text);
    ck_assert(!layout.has_maps && !layout.has_entry && !layout.meta);
    ck_assert_msg(read_types(&layout, make_places(true), 0, &t) == 0, "%s", t.text);
    ck_assert(layout.has_maps && layout.has_entry);
    ck_assert_uint_eq(layout.meta, 16);
    for (size_t i = 0; i < TASK_MAPS; i++) {
        ck_assert_msg(layout.maps[i] == maps[i], "%s: expected %u got %u", task_map_name(i),
                      maps[i], layout.maps[i]);
    }
    for (size_t i = 0; i < TASK_ENTRY; i++) {
        ck_assert_msg(layout.entry[i] == entry[i], "%s: expected %u got %u", task_entry_name(i),
                      entry[i], layout.entry[i]);
    }
}
END_TEST

START_TEST(layout_refused)
{
    static const struct {
        const char *structure;
        const char *last;
        unsigned depth;
        size_t cut;
        const char *text;
    } rows[] = {
        {"task", "comm", 0, 0, "no task_struct with a member pid"},
        {"task_struct", "name", 0, 0, "no task_struct with a member comm"},
        {"task_struct", "comm", 99, 0, "no task_struct with a member comm"},
        {"task_struct", "comm", 0, 5, "no readable types"},
    };
    struct task_layout layout;
    struct error t = {0};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct btf *btf = make_types(rows[i].structure, rows[i].last, 32, rows[i].depth);

        ck_assert_int_eq(read_types(&layout, btf, rows[i].cut, &t), -1);
        ck_assert_int_eq(t.code, ERROR_USAGE);
        ck_assert_msg(strstr(t.text, rows[i].text), "%zu: %s", i, t.text);
    }
    ck_assert_int_eq(read_types(&layout, make_endless(), 0, &t), -1);
    ck_assert_msg(strstr(t.text, "no task_struct with a member pid"), "%s", t.text);
    t = (struct error){0};
    ck_assert_int_eq(btf_read(&layout, "/nowhere", &t), -1);
    ck_assert_msg(strstr(t.text, "/nowhere has no readable types"), "%s", t.text);
}
END_TEST

START_TEST(layout_of_symbols)
{
#define KERNEL                                                                                     \
    "ffff800080000000 T _text\n"                                                                   \
    "ffff800080200000 D _etext\n"
    static const struct {
        const char *list;
        uint64_t current;
        int64_t hidden;
    } rows[] = {
        {KERNEL, 0, 0},
        {KERNEL "ffff800081000040 D __entry_task\n", 0xffff800081000040, 0},
        {KERNEL "ffff800090000040 d __entry_task\t[mod]\n", 0, 0},
        {KERNEL "ffff800080a02000 R swapper_pg_dir\n", 0, 0},
        {KERNEL "ffff800080a02000 R swapper_pg_dir\nffff800080a00000 R tramp_pg_dir\n", 0, 0x2000},
        {KERNEL "ffff800080a00000 R swapper_pg_dir\nffff800080a01000 R tramp_pg_dir\n", 0, -0x1000},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char path[sizeof(TEMPORARY_PATH)];
        struct symbols symbols;
        struct error t = {0};

        make_temporary(path, rows[i].list, strlen(rows[i].list));
        ck_assert_msg(symbols_read(&symbols, path, &t) == 0, "%s", t.text);
        unlink(path);
        ck_assert_uint_eq(symbols.text, 0xffff800080000000);
        ck_assert_uint_eq(symbols.end, 0xffff800080200000);
        ck_assert_uint_eq(symbols.current, rows[i].current);
        ck_assert_int_eq(symbols.hidden, rows[i].hidden);
        symbols_free(&symbols);
    }
}
END_TEST

START_TEST(layout_of_modules)
{
    static const char list[] = KERNEL "ffff700000001010 t a1\t[one]\n"
                                      "ffff700000000ff0 t a2\t[one]\n"
                                      "ffff700000003000 d data\t[one]\n"
                                      "ffff700000005000 T $x\t[one]\n"
                                      "ffff700000004fff T b1\t[two]\n"
                                      "ffff700000009000 t bpf_prog\t[bpf]\n"
                                      "ffff70000000a000 t ftrace\t[__builtin__ftrace]\n"
                                      "0 t hidden\t[three]\n"
                                      "ffff70000000b000 t cut\t[four\n"
                                      "ffff70000000c000 t b2\t[a_name_of_more_than_sixty_bytes"
                                      "_which_no_module_of_any_kernel_has]\n";
    static const struct symbols_module want[] = {
        {"[one]", 0xffff700000000000, 0xffff700000002000},
        {"[two]", 0xffff700000004000, 0xffff700000005000},
    };
    char path[sizeof(TEMPORARY_PATH)];
    struct symbols symbols;
    struct error t = {0};

    make_temporary(path, list, strlen(list));
    ck_assert_msg(symbols_read(&symbols, path, &t) == 0, "%s", t.text);
    unlink(path);
    ck_assert_uint_eq(symbols.modules, COUNT_OF(want));
    for (size_t i = 0; i < COUNT_OF(want); i++) {
        ck_assert_str_eq(symbols.module[i].name, want[i].name);
        ck_assert_uint_eq(symbols.module[i].start, want[i].start);
        ck_assert_uint_eq(symbols.module[i].end, want[i].end);
    }
    symbols_free(&symbols);
}
END_TEST

Suite *btf_suite(void)
{
    const TTest *const tests[] = {layout_of_types, layout_of_places, layout_refused,
                                  layout_of_symbols, layout_of_modules};

    return suite_of("btf", tests, COUNT_OF(tests));
}
