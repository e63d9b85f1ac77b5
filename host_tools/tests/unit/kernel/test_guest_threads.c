/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads of guests of the machine's own hypervisor. */
#include "kernel/guest-threads.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "fixtures/guests.h"
#include "kernel/thread-places.h"
#include "unit/tests.h"

/* A machine that keeps the last command, and answers @answer. */
struct fake {
    struct qmp q;
    const char *answer;
    unsigned asked;
    char command[512];
};

static int fake_ask(struct qmp *q, struct json_object *command, int fd, struct json_object **answer,
                    struct error *t)
{
    struct fake *f = (struct fake *)q;

    (void)fd, (void)t;
    f->asked++;
    snprintf(f->command, sizeof(f->command), "%s",
             json_object_to_json_string_ext(command, JSON_C_TO_STRING_PLAIN));
    *answer = json_tokener_parse(f->answer);
    return 0;
}

static const struct qmp_ops fake_ops = {.ask = fake_ask};

static void find_guest(struct guest_places *places)
{
    static struct nested_guests guests;
    static struct made_guest made;
    struct vpmu_record_guest from = guests_record();

    guests_make(&made);
    guests = (struct nested_guests){
        .memory = &made.memory, .found = guest_places_pass, .opaque = places};
    ck_assert_ptr_nonnull(nested_guests_find(&guests, &from));
    nested_guests_free(&guests);
}

/* The machine gets the places of the kernel that was found in the guest, and the guest's VTTBR_EL2.
 */
START_TEST(guest_threads_places)
{
    struct fake fake = {.q.ops = &fake_ops, .answer = "{\"return\": {}}"};
    struct guest_places places = {.q = &fake.q};
    char expected[512];

    snprintf(expected, sizeof(expected),
             "{\"execute\":\"vpmu-record-guest\",\"arguments\":{\"vttbr\":%" PRIu64
             ",\"places\":{\"current\":%" PRIu64
             ",\"hidden\":8192,\"pid\":8,\"tgid\":12,\"comm\":16}}}",
             (uint64_t)(GUESTS_VTTBR & ~VPMU_RECORD_VTTBR_CNP), (uint64_t)(KERNELS_TEXT + 0x500));
    find_guest(&places);
    ck_assert_str_eq(fake.command, expected);
    ck_assert_int_eq(places.error.code, ERROR_NONE);
}
END_TEST

/* A machine that refuses is asked once. An older QEMU has another error than a failure. */
START_TEST(guest_threads_refused)
{
    static const struct {
        const char *class;
        enum error_code code;
    } rows[] = {{"CommandNotFound", ERROR_NO_VPMU}, {"GenericError", ERROR_TALK}};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char answer[100];
        struct fake fake = {.q.ops = &fake_ops, .answer = answer};
        struct guest_places places = {.q = &fake.q};

        snprintf(answer, sizeof(answer), "{\"error\": {\"class\": \"%s\", \"desc\": \"no\"}}",
                 rows[i].class);
        find_guest(&places);
        find_guest(&places);
        ck_assert_uint_eq(fake.asked, 1);
        ck_assert_int_eq(places.error.code, rows[i].code);
    }
}
END_TEST

/* A kernel that does not say where its threads are. */
START_TEST(guest_threads_no_places)
{
    struct fake fake = {.q.ops = &fake_ops, .answer = "{\"return\": {}}"};
    struct guest_places places = {.q = &fake.q};
    struct kernel kernel = {.has_layout = false, .symbols.current = 1};

    guest_places_pass(&places, 1, &kernel);
    kernel = (struct kernel){.has_layout = true};
    guest_places_pass(&places, 1, &kernel);
    ck_assert_uint_eq(fake.asked, 0);
}
END_TEST

/* Numbers of two guests and of the machine differ; only numbers that Linux has are taken. */
START_TEST(guest_threads_numbers)
{
    static const struct {
        const char *row;
        size_t guest;
        uint32_t known, tid, pid;
        const char *comm;
        uint32_t wanted_tid, wanted_pid; /* 0: the thread is not known */
        const char *wanted;
    } rows[] = {
        {"first guest", 0, 1, 7, 5, "worker", 1100000007, 1100000005, "worker"},
        {"second guest", 1, 1, 7, 5, "worker", 1110000007, 1110000005, "worker"},
        {"last guest", 63, 1, 4194303, 1, "x", 1734194303, 1730000001, "x"},
        {"idle", 1, 1, 0, 0, "swapper/1", 1110000000, 1110000000, "swapper"},
        {"controls", 0, 1, 1, 1, "a\n\033b", 1100000001, 1100000001, "a??b"},
        {"sixteen bytes", 0, 1, 1, 1, "0123456789abcdef", 1100000001, 1100000001,
         "0123456789abcdef"},
        {"not known", 0, 0, 7, 5, "worker", 0, 0, ""},
        {"no guest", 64, 1, 7, 5, "worker", 0, 0, ""},
        {"thread of the next guest", 0, 1, 10000000, 5, "worker", 0, 0, ""},
        {"process of the next guest", 0, 1, 7, 10000000, "worker", 0, 0, ""},
        {"no thread", 0, 1, UINT32_MAX, 5, "worker", 0, 0, ""},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_record_thread from = {
            .tid = rows[i].tid, .pid = rows[i].pid, .known = rows[i].known};
        struct guest_thread to;

        memcpy(from.comm, rows[i].comm, strnlen(rows[i].comm, sizeof(from.comm)));
        guest_thread_take(&to, rows[i].guest, &from);
        ck_assert_msg(to.known == (rows[i].wanted_tid != 0) && to.tid == rows[i].wanted_tid &&
                          to.pid == rows[i].wanted_pid && strcmp(to.comm, rows[i].wanted) == 0,
                      "%s: got %u %u/%u '%s'", rows[i].row, to.known, to.pid, to.tid, to.comm);
        ck_assert_msg(NESTED_GUESTS_HAVE_TID(to.tid) == to.known, "%s", rows[i].row);
    }
    ck_assert(!NESTED_GUESTS_HAVE_TID(UINT32_MAX) && !NESTED_GUESTS_HAVE_TID(1740000000u));
}
END_TEST

/*
 * Returns whether a sample of that process makes a mapping of the guest's kernel, and in @time the
 * mapping's time: the last 24 bytes of a record are the time, the vCPU and the event.
 */
static bool maps_kernel_at(struct guest_maps *maps, struct nested_guest *guest, uint32_t pid,
                           uint64_t *time)
{
    const struct perfdata_sample sample = {.pid = pid, .tid = pid, .time = 7};
    struct perfdata file = {.file = tmpfile()};
    long written;

    ck_assert(file.file);
    guest_maps_write(maps, &file, &sample, guest);
    written = ftell(file.file);
    if (written > 0) {
        ck_assert_int_eq(fseek(file.file, -24, SEEK_END), 0);
        ck_assert_uint_eq(fread(time, sizeof(*time), 1, file.file), 1);
    }
    fclose(file.file);
    return written > 0;
}

static bool maps_kernel(struct guest_maps *maps, struct nested_guest *guest, uint32_t pid)
{
    uint64_t time;

    return maps_kernel_at(maps, guest, pid, &time);
}

/*
 * Samples before the mapping, of other vCPUs or of the time when the kernel was not yet found, need
 * it, too. Only a later guest with the same VMID must not be seen by the samples before it.
 */
START_TEST(guest_threads_times)
{
    static const struct {
        uint32_t pid;
        bool first;
        uint64_t time;
    } rows[] = {
        {NESTED_GUESTS_TID(0u, 5u), true, 0},
        {NESTED_GUESTS_TID(0u, 5u), false, 0},
        {9, true, 0},
        {9, false, 7},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct function function = {.start = 0x1000, .end = 0x2000};
        struct nested_guest guest = {
            .functions = {.function = &function, .n = 1}, .first = rows[i].first, .path = "[a]"};
        struct guest_maps maps = {.written = {{0}}};
        uint64_t time = 1;

        ck_assert(maps_kernel_at(&maps, &guest, rows[i].pid, &time));
        ck_assert_msg(time == rows[i].time, "row %zu: got %" PRIu64, i, time);
    }
}
END_TEST

/* Each process gets the mapping of its guest's kernel once, or again if the table has lost it. */
START_TEST(guest_threads_maps)
{
    static struct guest_maps maps;
    struct function function = {.start = 0x1000, .end = 0x2000};
    struct nested_guest guest[] = {{.functions = {.function = &function, .n = 1}, .path = "[a]"},
                                   {.functions = {.function = &function, .n = 1}, .path = "[b]"},
                                   {.path = "[nameless]"}};
    uint32_t pid = NESTED_GUESTS_TID(0u, 5u);

    ck_assert(maps_kernel(&maps, &guest[0], pid) && guest[0].written);
    ck_assert(!maps_kernel(&maps, &guest[0], pid));
    ck_assert(maps_kernel(&maps, &guest[0], pid + 1) && !guest[1].written);
    ck_assert(maps_kernel(&maps, &guest[0], pid + GUEST_MAPS_SLOTS));
    ck_assert(maps_kernel(&maps, &guest[0], pid));
    /* A later guest with the same VMID, in the process of unknown threads. */
    ck_assert(maps_kernel(&maps, &guest[0], 9) && maps_kernel(&maps, &guest[1], 9));
    ck_assert(!maps_kernel(&maps, &guest[2], 10) && !guest[2].written);
}
END_TEST

Suite *guest_threads_suite(void)
{
    const TTest *const tests[] = {guest_threads_places,    guest_threads_refused,
                                  guest_threads_no_places, guest_threads_numbers,
                                  guest_threads_maps,      guest_threads_times};

    return suite_of("guest_threads", tests, COUNT_OF(tests));
}
