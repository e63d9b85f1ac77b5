/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cache keeps the states that were used last. */
#include <endian.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine/cache.h"
#include "machine/state-clock.h"
#include "tests/tests.h"

static char directory[] = "/tmp/vpmu-run-test-XXXXXX";

static void setup(void)
{
    strcpy(directory + strlen(directory) - 6, "XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(directory));
    setenv("XDG_CACHE_HOME", directory, 1);
}

static void teardown(void)
{
    struct cache_entry *entries;
    char path[64];
    size_t n = cache_list(&entries);

    for (size_t i = 0; i < n; i++) {
        unlink(entries[i].path);
    }
    free(entries);
    snprintf(path, sizeof(path), "%s/vpmu/run", directory);
    rmdir(path);
    *strrchr(path, '/') = '\0';
    rmdir(path);
    rmdir(directory);
}

/* keep() - puts a state of one byte into the cache, which was used at @time */
static void keep(const char *name, time_t time)
{
    const struct timespec times[2] = {{.tv_sec = time}, {.tv_sec = time}};
    char path[128];
    int fd = memfd_create("state", 0);

    ck_assert_int_eq(write(fd, name, 1), 1);
    cache_keep(fd, name);
    close(fd);
    snprintf(path, sizeof(path), "%s/vpmu/run/%s.state", directory, name);
    ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* names() - the states in the cache, the one that was used last first */
static const char *names(void)
{
    static char text[256];
    struct cache_entry *entries;
    size_t n = cache_list(&entries);

    text[0] = '\0';
    for (size_t i = 0; i < n; i++) {
        strcat(strcat(text, " "), strrchr(entries[i].path, '/') + 1);
    }
    free(entries);
    return text;
}

START_TEST(cache_is_bounded)
{
    char byte = 0;
    int fd;

    ck_assert_str_eq(names(), "");
    ck_assert_int_lt(cache_open("a"), 0);
    keep("a", 1000);
    keep("b", 2000);
    keep("c", 3000);
    keep("d", 4000);
    ck_assert_str_eq(names(), " d.state c.state b.state a.state");
    /* A run that uses a state makes it the last one to go. */
    fd = cache_open("a");
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(read(fd, &byte, 1), 1);
    ck_assert_int_eq(byte, 'a');
    close(fd);
    keep("e", 5000);
    ck_assert_str_eq(names(), " a.state e.state d.state c.state");
}
END_TEST

START_TEST(cache_keeps_the_first)
{
    char byte = 0;
    int fd;

    keep("same", 1000);
    keep("same", 2000);
    ck_assert_str_eq(names(), " same.state");
    fd = cache_open("same");
    ck_assert_int_eq(read(fd, &byte, 1), 1);
    ck_assert_int_eq(byte, 's');
    close(fd);
}
END_TEST

/* Holes of a state stay holes, also one at its end. */
START_TEST(cache_holes)
{
    char path[128], text[2] = "";
    struct stat st;
    int fd = memfd_create("state", 0);

    ck_assert_int_eq(pwrite(fd, "a", 1, 0), 1);
    ck_assert_int_eq(pwrite(fd, "b", 1, 64 << 20), 1);
    ck_assert_int_eq(ftruncate(fd, 128 << 20), 0);
    cache_keep(fd, "holes");
    close(fd);
    snprintf(path, sizeof(path), "%s/vpmu/run/holes.state", directory);
    ck_assert_int_eq(stat(path, &st), 0);
    ck_assert_int_eq(st.st_size, 128 << 20);
    ck_assert_int_lt(st.st_blocks * 512, 1 << 20);
    fd = cache_open("holes");
    ck_assert_int_eq(pread(fd, text, 1, 64 << 20), 1);
    ck_assert_str_eq(text, "b");
    ck_assert_int_eq(pread(fd, text, 1, 0), 1);
    ck_assert_str_eq(text, "a");
    close(fd);
}
END_TEST

/* XDG_CACHE_HOME counts if it is absolute. */
START_TEST(cache_places)
{
    static const struct {
        const char *cache, *home, *root;
    } rows[] = {
        {"/cache", "/home/me", "/cache/vpmu"},
        {"", "/home/me", "/home/me/.cache/vpmu"},
        {"relative", "/home/me", "/home/me/.cache/vpmu"},
        {"relative", "home", NULL},
        {"relative", "", NULL},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        setenv("XDG_CACHE_HOME", rows[i].cache, 1);
        setenv("HOME", rows[i].home, 1);
        if (rows[i].root) {
            ck_assert_str_eq(cache_root(), rows[i].root);
        } else {
            ck_assert_ptr_null(cache_root());
        }
    }
    setenv("XDG_CACHE_HOME", directory, 1);
}
END_TEST

/* Without a home nothing is kept, and nothing fails. */
START_TEST(cache_without_home)
{
    struct cache_entry *entries;
    char *home = strdup(getenv("HOME") ? getenv("HOME") : "/");
    int fd = memfd_create("state", 0);

    unsetenv("HOME");
    unsetenv("XDG_CACHE_HOME");
    cache_keep(fd, "a");
    ck_assert_int_lt(cache_open("a"), 0);
    ck_assert_uint_eq(cache_list(&entries), 0);
    close(fd);
    setenv("HOME", home, 1);
    setenv("XDG_CACHE_HOME", directory, 1);
    free(home);
}
END_TEST

/*
 * The bias of the clock becomes the next second. The guest's memory, which is before it, may
 * contain the same text.
 */
START_TEST(cache_clock)
{
    static const struct {
        uint64_t was, is;
    } rows[] = {{0, 1000000000},
                {2303647, 1000000000},
                {999999999, 1000000000},
                {1000000000, 2000000000},
                {7000000001, 8000000000}};
    static const char section[] = "\5\14timer/icount\0\0\0\1";

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        unsigned char state[128] = {0}, *field = state + 60 + sizeof(section) - 1;
        const uint64_t was = htobe64(rows[i].was), is = htobe64(rows[i].is);

        memcpy(state, section, sizeof(section) - 1);
        memcpy(state + 60, section, sizeof(section) - 1);
        memcpy(field, &was, sizeof(was));
        memcpy(field + 8, "\"timer/icount\"", 14);
        ck_assert_int_eq(state_clock_settle(state, sizeof(state)), 0);
        ck_assert_int_eq(memcmp(field, &is, sizeof(is)), 0);
        ck_assert_int_eq(state[sizeof(section) - 1], 0);
        /* The file ends within the field: the other one is the last. */
        ck_assert_int_eq(state_clock_settle(state, (size_t)(field - state) + 7), 0);
        ck_assert_int_eq(memcmp(field, &is, sizeof(is)), 0);
        ck_assert_int_eq(state_clock_settle(state + 1, 50), -1);
    }
    ck_assert_int_eq(state_clock_settle(NULL, 0), -1);
}
END_TEST

void add_cache_tests(Suite *suite)
{
    const TTest *const tests[] = {cache_is_bounded, cache_keeps_the_first, cache_without_home,
                                  cache_clock,      cache_holes,           cache_places};

    for (size_t i = 0; i < COUNT_OF(tests); i++) {
        TCase *tcase = tcase_create(tests[i]->name);

        tcase_add_checked_fixture(tcase, setup, teardown);
        tcase_add_test(tcase, tests[i]);
        suite_add_tcase(suite, tcase);
    }
}
