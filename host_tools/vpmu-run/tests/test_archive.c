/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The archive and the tree of files in it, read back by a reader of cpio's format of its own. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/bind.h"
#include "files/learned.h"
#include "files/program-file.h"
#include "tests/tests.h"
#include "files/tree.h"

static char directory[] = "/tmp/vpmu-run-test-XXXXXX";

static void make_file(const char *name, const char *text)
{
    char path[256];
    FILE *to;

    snprintf(path, sizeof(path), "%s/%s", directory, name);
    to = fopen(path, "w");
    ck_assert_ptr_nonnull(to);
    fputs(text, to);
    fclose(to);
}

static void make_link(const char *name, const char *target)
{
    char path[256];

    snprintf(path, sizeof(path), "%s/%s", directory, name);
    ck_assert_int_eq(symlink(target, path), 0);
}

static void make_directory(const char *name)
{
    char path[256];

    snprintf(path, sizeof(path), "%s/%s", directory, name);
    ck_assert_int_eq(mkdir(path, 0755), 0);
}

/* The files: a link to a directory, one to a file in it, one to nothing, and one to itself. */
static void setup(void)
{
    strcpy(directory + strlen(directory) - 6, "XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(directory));
    make_directory("real");
    make_file("real/file", "content");
    make_file("real/other", "");
    make_link("alias", "real");
    make_link("absolute", "/alias/file");
    make_link("dangling", "/nothing");
    make_link("self", "self");
}

static void teardown(void)
{
    static const char *const names[] = {"real/file", "real/other", "alias", "absolute",
                                        "dangling",  "self",       "real"};
    char path[256];

    for (size_t i = 0; i < COUNT_OF(names); i++) {
        snprintf(path, sizeof(path), "%s/%s", directory, names[i]);
        remove(path);
    }
    rmdir(directory);
}

static unsigned field(const char *header, unsigned n)
{
    char digits[9] = "";

    memcpy(digits, header + 6 + 8 * n, 8);
    return (unsigned)strtoul(digits, NULL, 16);
}

/* listing() - "name mode content" of each entry that is not one of tree_init() */
static char *listing(int fd)
{
    static char archive[1 << 16], text[1 << 14];
    ssize_t size = pread(fd, archive, sizeof(archive), 0);
    const char *at = archive;

    text[0] = '\0';
    ck_assert_int_gt(size, 0);
    for (;;) {
        unsigned mode = field(at, 1), length = field(at, 6), name_size = field(at, 11);
        const char *name = at + 110, *data = at + ((110 + name_size + 3) & ~3u);

        ck_assert_int_eq(memcmp(at, "070701", 6), 0);
        if (strcmp(name, "TRAILER!!!") == 0) {
            ck_assert_ptr_eq(data + length, archive + size);
            return text;
        }
        if (strcmp(name, "dev") != 0 && strcmp(name, "proc") != 0 && strcmp(name, "sys") != 0 &&
            strcmp(name, "tmp") != 0 && strcmp(name, ".vpmu-run") != 0) {
            sprintf(text + strlen(text), "%s %s %.*s\n", name,
                    S_ISDIR(mode)   ? "directory"
                    : S_ISLNK(mode) ? "link"
                                    : "file",
                    (int)length, data);
        }
        at = data + ((length + 3) & ~3u);
    }
}

/* packed() - what tree_add() of these paths, up to a NULL, puts into an archive */
static const char *packed(bool deep, const char *const *paths)
{
    struct archive a;
    struct tree t;
    struct failure f = {0};
    const char *text;

    ck_assert_int_eq(archive_open(&a, 1 << 20, &f), 0);
    ck_assert_int_eq(tree_init(&t, &a, directory, &f), 0);
    for (; *paths; paths++) {
        int err = deep ? tree_add(&t, *paths, &f) : tree_add_directory(&t, *paths, &f);

        ck_assert_msg(err == 0, "%s", f.text);
    }
    ck_assert_int_eq(archive_end(&a, &f), 0);
    text = listing(a.fd);
    tree_free(&t);
    archive_close(&a);
    return text;
}

START_TEST(tree_adds)
{
    static const struct {
        const char *paths[3], *text;
    } rows[] = {
        {{"/real/file"}, "real directory \nreal/file file content\n"},
        {{"/alias/file", "/real/file"},
         "alias link real\nreal directory \nreal/file file content\n"},
        {{"/absolute"},
         "absolute link /alias/file\nalias link real\nreal directory \nreal/file file content\n"},
        {{"/real/./../real//file"}, "real directory \nreal/file file content\n"},
        {{"/real"}, "real directory \nreal/file file content\nreal/other file \n"},
        {{"/real/other", "/real"}, "real directory \nreal/other file \nreal/file file content\n"},
        {{"/real/."}, "real directory \nreal/file file content\nreal/other file \n"},
        {{"/alias/."},
         "alias link real\nreal directory \nreal/file file content\nreal/other file \n"},
        {{"/real/./"}, "real directory \nreal/file file content\nreal/other file \n"},
        {{"/real/file/../../real/."},
         "real directory \nreal/file file content\nreal/other file \n"},
        {{"/dangling"}, "dangling link /nothing\n"},
        {{"/proc/cpuinfo", "/dev/null"}, ""},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        ck_assert_str_eq(packed(true, rows[i].paths), rows[i].text);
    }
}
END_TEST

/* Where a file of this computer lies in the machine, and what is there then */
START_TEST(tree_binds)
{
    static const struct {
        const char *at, *text;
    } rows[] = {
        {"/data", "data directory \ndata/file file content\ndata/other file \n"},
        {"/data//in/", "data directory \ndata/in directory \ndata/in/file file content\n"
                       "data/in/other file \n"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char text[300];
        struct archive a;
        struct tree t;
        struct tree_bind bind;
        struct failure f = {0};

        snprintf(text, sizeof(text), "%s/alias:%s", directory, rows[i].at);
        ck_assert_int_eq(bind_parse(&bind, "", text, &f), 0);
        ck_assert_int_eq(archive_open(&a, 1 << 20, &f), 0);
        ck_assert_int_eq(tree_init(&t, &a, directory, &f), 0);
        t.binds = &bind;
        t.n_binds = 1;
        ck_assert_int_eq(tree_add(&t, bind.path, &f), 0);
        ck_assert_int_eq(archive_end(&a, &f), 0);
        ck_assert_str_eq(listing(a.fd), rows[i].text);
        tree_free(&t);
        archive_close(&a);
        bind_free(&bind);
    }
}
END_TEST

/* Links in the path are followed, and of two binds the one with the longer path counts. */
START_TEST(tree_binds_the_longest)
{
    char in_link[300], in_real[300], expected[900];
    struct archive a;
    struct tree t;
    struct tree_bind binds[2];
    struct failure f = {0};

    snprintf(in_link, sizeof(in_link), "%s/real/file:%s/alias/new/one", directory, directory);
    snprintf(in_real, sizeof(in_real), "%s/real:%s/real/new", directory, directory);
    ck_assert_int_eq(bind_parse(&binds[0], "", in_link, &f), 0);
    ck_assert_int_eq(bind_parse(&binds[1], "", in_real, &f), 0);
    ck_assert_int_eq(archive_open(&a, 1 << 20, &f), 0);
    ck_assert_int_eq(tree_init(&t, &a, "", &f), 0);
    t.binds = binds;
    t.n_binds = 2;
    ck_assert_int_eq(tree_add(&t, binds[0].path, &f), 0);
    ck_assert_int_eq(archive_end(&a, &f), 0);
    snprintf(expected, sizeof(expected),
             "%s directory \n%s/real directory \n%s/real/new directory \n"
             "%s/real/new/one file content\n",
             directory + 1, directory + 1, directory + 1, directory + 1);
    ck_assert_str_eq(listing(a.fd), expected);
    tree_free(&t);
    archive_close(&a);
    bind_free(&binds[0]);
    bind_free(&binds[1]);
}
END_TEST

START_TEST(bind_refuses)
{
    static const struct {
        const char *text, *error;
    } rows[] = {
        {"/tmp", "--bind takes SOURCE:PATH with an absolute PATH, not '/tmp'"},
        {"/tmp:there", "--bind takes SOURCE:PATH with an absolute PATH, not '/tmp:there'"},
        {":/there", "--bind takes SOURCE:PATH with an absolute PATH, not ':/there'"},
        {"/tmp://", "--bind takes a PATH other than / and without . and .., not '//'"},
        {"/tmp:/a/./b", "--bind takes a PATH other than / and without . and .., not '/a/./b'"},
        {"/tmp:/a/..", "--bind takes a PATH other than / and without . and .., not '/a/..'"},
        {"/none:/there", "cannot copy /none: No such file or directory"},
        {"/tmp:/proc/there", "--bind cannot change /proc/there: the machine's kernel fills it"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct tree_bind bind;
        struct failure f = {0};

        ck_assert_int_eq(bind_parse(&bind, "", rows[i].text, &f), -1);
        ck_assert_str_eq(f.text, rows[i].error);
    }
}
END_TEST

START_TEST(tree_adds_only_the_directory)
{
    static const char *const paths[] = {"/real", NULL};

    ck_assert_str_eq(packed(false, paths), "real directory \n");
}
END_TEST

/* A name has the size of the file, and no content; a link is there without what it points to. */
START_TEST(tree_adds_names)
{
    static const char *const paths[] = {"/real/file", "/absolute", "/real"};
    static char archive[1 << 13];
    struct archive a;
    struct tree t;
    struct failure f = {0};
    const char *at;

    ck_assert_int_eq(archive_open(&a, 1 << 20, &f), 0);
    ck_assert_int_eq(tree_init(&t, &a, directory, &f), 0);
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        ck_assert_int_eq(tree_add_name(&t, paths[i], &f), 0);
    }
    ck_assert_int_eq(archive_end(&a, &f), 0);
    ck_assert_str_eq(listing(a.fd),
                     "real directory \nreal/file file \nabsolute link /alias/file\n");
    ck_assert_int_gt(pread(a.fd, archive, sizeof(archive), 0), 0);
    at = memmem(archive, sizeof(archive), "real/file", sizeof("real/file"));
    ck_assert_ptr_nonnull(at);
    ck_assert_uint_eq(field(at - 110, 6), 0);
    ck_assert_uint_eq(field(at - 110, 9), 0);
    ck_assert_uint_eq(field(at - 110, 10), strlen("content"));
    tree_free(&t);
    archive_close(&a);
}
END_TEST

/* The hash does not depend on the date of a directory, but on that of a file, and on content. */
START_TEST(archive_hash)
{
    static const struct {
        unsigned mode;
        time_t date;
        const char *data;
        bool same;
    } rows[] = {
        {S_IFDIR | 0755, 5, "", false},  {S_IFDIR | 0755, 6, "", true},
        {S_IFREG | 0755, 5, "", false},  {S_IFREG | 0755, 6, "", false},
        {S_IFREG | 0755, 6, "a", false},
    };
    uint64_t before = 0;

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct stat st = {.st_mode = rows[i].mode, .st_mtime = rows[i].date};
        struct archive a;
        struct failure f = {0};

        ck_assert_int_eq(archive_open(&a, 1 << 20, &f), 0);
        ck_assert_int_eq(archive_add(&a, "/x", &st, rows[i].data, strlen(rows[i].data), &f), 0);
        ck_assert_int_eq(a.hash == before, rows[i].same);
        ck_assert_uint_eq(a.newest, S_ISDIR(rows[i].mode) ? 0 : (unsigned)rows[i].date);
        before = a.hash;
        archive_close(&a);
    }
}
END_TEST

/* A list that is written is read back, and anything else is refused. */
START_TEST(learned_lists)
{
    static const char *const bad[] = {
        "vpmu-run files 2\n",
        "vpmu-run files 1\nfile x\n",
        "vpmu-run files 1\nfile\n",
        "vpmu-run files 1\nfiles /x\n",
        "",
    };
    char path[256];
    struct learned l = {.verified = 0x1234}, again;
    struct failure f = {0};

    snprintf(path, sizeof(path), "%s/real/other", directory);
    ck_assert_int_eq(learned_add(&l, LEARNED_ABSENT, "/none", &f), 0);
    ck_assert_int_eq(learned_add(&l, LEARNED_NAME, "/b c", &f), 0);
    ck_assert_int_eq(learned_add(&l, LEARNED_FILE, "/a", &f), 0);
    ck_assert_int_eq(learned_add(&l, LEARNED_FILE, "/a", &f), 0);
    ck_assert_int_eq(learned_write(&l, path, &f), 0);
    ck_assert_int_eq(learned_read(&again, path, &f), 0);
    ck_assert_uint_eq(again.n, 3);
    ck_assert_uint_eq(again.verified, 0x1234);
    ck_assert(learned_has(&again, LEARNED_FILE, "/a") && learned_has(&again, LEARNED_NAME, "/b c"));
    ck_assert(learned_has(&again, LEARNED_ABSENT, "/none"));
    learned_forget_absent(&again);
    ck_assert(!learned_has(&again, LEARNED_ABSENT, "/none") && again.n == 2);
    learned_free(&again);
    learned_free(&l);
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        make_file("real/other", bad[i]);
        ck_assert_int_eq(learned_read(&l, path, &f), -1);
        learned_free(&l);
    }
    ck_assert_int_eq(learned_read(&l, "/none/list", &f), 0);
    ck_assert_uint_eq(l.n, 0);
}
END_TEST

/* The linker's cache stays only for a library that the linker does not find without. */
START_TEST(learned_settles)
{
    static const struct {
        const char *library;
        bool stays;
    } rows[] = {
        {"/usr/lib/x86_64-linux-gnu/libz.so.1", false},
        {"/usr/lib/llvm-14/lib/libLLVM-14.so.1", true},
        {"/usr/lib/python3.11/lib-dynload/_json.so", false},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct learned l = {0};
        struct failure f = {0};

        ck_assert_int_eq(learned_add(&l, LEARNED_FILE, "/etc/ld.so.cache", &f), 0);
        ck_assert_int_eq(learned_add(&l, LEARNED_FILE, rows[i].library, &f), 0);
        learned_settle(&l);
        ck_assert_int_eq(learned_has(&l, LEARNED_FILE, "/etc/ld.so.cache"), rows[i].stays);
        learned_free(&l);
    }
}
END_TEST

START_TEST(tree_refuses)
{
    static const struct {
        const char *path, *error;
    } rows[] = {
        {"/none", "cannot copy /none: No such file or directory"},
        {"/real/none", "cannot copy /real/none: No such file or directory"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct archive a;
        struct tree t;
        struct failure f = {0};

        ck_assert_int_eq(archive_open(&a, 1 << 20, &f), 0);
        ck_assert_int_eq(tree_init(&t, &a, directory, &f), 0);
        ck_assert_int_eq(tree_add(&t, rows[i].path, &f), -1);
        ck_assert_str_eq(f.text, rows[i].error);
        tree_free(&t);
        archive_close(&a);
    }
}
END_TEST

/* A file in a directory that is copied may be unreadable; one that is named must not be. */
START_TEST(tree_unreadable)
{
    static const char *const whole[] = {"/real", NULL};
    char path[256];
    struct archive a;
    struct tree t;
    struct failure f = {0};

    snprintf(path, sizeof(path), "%s/real/file", directory);
    ck_assert_int_eq(chmod(path, 0), 0);
    ck_assert_int_eq(chmod(directory, 0755), 0);
    if (geteuid() == 0) {
        ck_assert_int_eq(seteuid(65534), 0);
    }
    ck_assert_str_eq(packed(true, whole), "real directory \nreal/other file \n");
    ck_assert_int_eq(archive_open(&a, 1 << 20, &f), 0);
    ck_assert_int_eq(tree_init(&t, &a, directory, &f), 0);
    ck_assert_int_eq(tree_add(&t, "/real/file", &f), -1);
    ck_assert_msg(strstr(f.text, "cannot read") != NULL, "%s", f.text);
    tree_free(&t);
    archive_close(&a);
    if (getuid() == 0) {
        ck_assert_int_eq(seteuid(0), 0);
    }
}
END_TEST

/* The limit is an error, not a shorter archive. */
START_TEST(archive_limit)
{
    struct archive a;
    struct failure f = {0};
    const struct stat st = {.st_mode = S_IFREG | 0644};
    char data[512] = "";

    ck_assert_int_eq(archive_open(&a, 600, &f), 0);
    ck_assert_int_eq(archive_add(&a, "/x", &st, data, 300, &f), 0);
    ck_assert_int_eq(archive_add(&a, "/y", &st, data, 300, &f), -1);
    ck_assert_ptr_nonnull(strstr(f.text, "raise --memory"));
    archive_close(&a);
}
END_TEST

START_TEST(program_files)
{
    static const struct {
        const char *text;
        enum program_kind kind;
        const char *interpreter, *argument;
    } rows[] = {
        {"#!/bin/sh\n", PROGRAM_SCRIPT, "/bin/sh", ""},
        {"#! /usr/bin/env python3\n", PROGRAM_SCRIPT, "/usr/bin/env", "python3"},
        {"#!\t/bin/sh -e", PROGRAM_SCRIPT, "/bin/sh", "-e"},
        {"echo hello\n", PROGRAM_OTHER, "", ""},
        {"", PROGRAM_OTHER, "", ""},
        {"#", PROGRAM_OTHER, "", ""},
        {"\177ELF", PROGRAM_OTHER, "", ""},
    };
    char path[256];

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct program_file p;

        make_file("real/other", rows[i].text);
        snprintf(path, sizeof(path), "%s/real/other", directory);
        ck_assert_int_eq(program_inspect(path, &p), 0);
        ck_assert_int_eq(p.kind, rows[i].kind);
        ck_assert_str_eq(p.interpreter, rows[i].interpreter);
        ck_assert_str_eq(p.argument, rows[i].argument);
        ck_assert(!p.special && !p.executable);
    }
}
END_TEST

void add_archive_tests(Suite *suite)
{
    const TTest *const tests[] = {tree_adds,       tree_binds,    tree_binds_the_longest,
                                  bind_refuses,    tree_refuses,  tree_adds_only_the_directory,
                                  archive_limit,   program_files, tree_unreadable,
                                  tree_adds_names, archive_hash,  learned_lists,
                                  learned_settles};

    for (size_t i = 0; i < COUNT_OF(tests); i++) {
        TCase *tcase = tcase_create(tests[i]->name);

        tcase_add_checked_fixture(tcase, setup, teardown);
        tcase_add_test(tcase, tests[i]);
        suite_add_tcase(suite, tcase);
    }
}
