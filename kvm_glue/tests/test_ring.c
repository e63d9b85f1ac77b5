/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading records from the ring of a perf event: whole records, records across the ring's end, and
 * invalid ones.
 */
#include <errno.h>

#include "fixture.h"
#include "kvm_glue/ring.h"

#define SIZE 4096u

static struct perf_event_mmap_page page;
static uint64_t data[SIZE / sizeof(uint64_t)];

static struct kvm_glue_ring make(uint64_t at)
{
    struct kvm_glue_ring ring;

    memset(&page, 0, sizeof(page));
    memset(data, 0, sizeof(data));
    page.data_head = page.data_tail = at;
    kvm_glue_ring_init(&ring, &page, data, SIZE);
    return ring;
}

/* Writes a record of @size bytes, whose words count up from @first. */
static void put(uint32_t type, uint16_t size, uint64_t first)
{
    struct perf_event_header head = {.type = type, .misc = 5, .size = size};
    uint64_t word;

    memcpy(&word, &head, sizeof(word));
    for (unsigned i = 0; i < size / sizeof(word); i++) {
        data[page.data_head / sizeof(word) % (SIZE / sizeof(word))] = i ? first + i - 1 : word;
        page.data_head += sizeof(word);
    }
}

static void expect_record(struct kvm_glue_ring *ring, uint32_t type, size_t n, uint64_t first)
{
    struct kvm_glue_record record;

    expect("a record", 1, kvm_glue_ring_next(ring, &record));
    expect("type", type, record.type);
    expect("misc", 5, record.misc);
    expect("words", (long long)n, (long long)record.n);
    for (size_t i = 0; i < n; i++) {
        expect("word", (long long)(first + i), (long long)record.words[i]);
    }
}

/* Records at any position, across the ring's end, and where the byte counters wrap. */
START_TEST(records)
{
    static const uint64_t begins[] = {0, 8, SIZE - 8, SIZE - 24, UINT64_MAX - 15};
    struct kvm_glue_record record;

    for (size_t i = 0; i < COUNT_OF(begins); i++) {
        struct kvm_glue_ring ring = make(begins[i]);

        expect("empty", 0, kvm_glue_ring_next(&ring, &record));
        put(9, 48, 100);
        put(77, 8, 0);
        put(2, 24, 7);
        expect_record(&ring, 9, 5, 100);
        expect_record(&ring, 77, 0, 0);
        expect_record(&ring, 2, 2, 7);
        expect("room again", (long long)page.data_head, (long long)page.data_tail);
        expect("empty again", 0, kvm_glue_ring_next(&ring, &record));
    }
}
END_TEST

/* A full ring, and a record of which only the beginning is read. */
START_TEST(large)
{
    struct kvm_glue_ring ring = make(16);

    put(9, SIZE, 3);
    expect_record(&ring, 9, KVM_GLUE_RING_RECORD / 8 - 1, 3);
    put(9, 16, 4);
    expect_record(&ring, 9, 1, 4);
}
END_TEST

/* An invalid record is refused, and so is everything after it. */
START_TEST(invalid_record)
{
    static const struct {
        const char *name;
        uint16_t size;
        uint64_t there;
    } rows[] = {
        {"no size", 0, 48},
        {"less than a header", 7, 48},
        {"no whole words", 41, 48},
        {"more than there is", 56, 48},
        {"more than the ring", 0xfff8, 48},
        {"half a header", 48, 4},
        {"more there than the ring has", 48, SIZE + 8},
        {"the head goes back", 48, (uint64_t)-8},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct kvm_glue_ring ring = make(64);
        struct kvm_glue_record record;
        struct perf_event_header head = {.type = 9, .size = rows[i].size};

        memcpy(&data[8], &head, sizeof(head));
        page.data_head += rows[i].there;
        expect(rows[i].name, -EPROTO, kvm_glue_ring_next(&ring, &record));
        expect(rows[i].name, 64, (long long)page.data_tail);
        page.data_head = 64;
        put(9, 48, 1);
        expect("for good", -EPROTO, kvm_glue_ring_next(&ring, &record));
    }
}
END_TEST

Suite *ring_suite(void)
{
    const TTest *const tests[] = {records, large, invalid_record};

    return suite_of("ring", tests, COUNT_OF(tests));
}
