/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzz target: the input changes bytes in the memory of a machine with Linux, or of one with a
 * guest and in the page tables of that guest. All results must be within bounds and printable, or
 * there is an error of one line. What the machine gets about threads of the guest has five numbers.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "kernel/kernel.h"
#include "kernel/nested-guests.h"
#include "kernel/stage2.h"
#include "kernel/thread-places.h"
#include "fixtures/guests.h"
#include "fixtures/kernels.h"

/* The bytes of a change: two for the position, then the new contents. */
#define CHANGE 3u
/* Where the table with that number is. */
#define TABLE(number) ((number)*4096u)

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void require_tame(const char *text)
{
    for (; *text; text++) {
        require((unsigned char)*text >= ' ' && *text != 0x7f);
    }
}

static void check(const struct kernel *k)
{
    require_tame(k->release);
    require(k->functions.n > 0 && k->symbols.end > k->symbols.text);
    for (size_t i = 0; i < k->functions.n; i++) {
        require_tame(k->functions.function[i].name);
    }
}

static unsigned position(const uint8_t *change)
{
    return change[0] | (unsigned)change[1] << 8;
}

static void find(struct memory *m)
{
    struct kernel k = {0};
    struct error t = {0};
    int err = kernel_find(&k, m, &t);

    require((err == 0) == (t.code == ERROR_NONE));
    require_tame(t.text);
    if (!err) {
        check(&k);
    }
    kernel_free(&k);
}

static void find_in_machine(const struct made_kernel *right, const uint8_t *data, size_t size)
{
    static struct made_kernel made;

    made = *right;
    for (size_t at = 0; at + CHANGE <= size; at += CHANGE) {
        made.ram[position(data + at) % KERNELS_SIZE] = data[at + 2];
    }
    find(&made.memory);
}

static void check_places(void *opaque, uint64_t vttbr, const struct kernel *k)
{
    struct json_object *places = thread_places_make(&k->symbols, &k->layout);

    check(k);
    require(vttbr == *(const uint64_t *)opaque && json_object_object_length(places) == 5);
    require(strlen(json_object_to_json_string(places)) < 200);
    json_object_put(places);
}

/* The same as a recording does it. */
static void find_nested(struct memory *m, const struct vpmu_record_guest *from, bool is_x86)
{
    static struct nested_guests guests;
    uint64_t vttbr = from->vttbr & ~VPMU_RECORD_VTTBR_CNP;
    const struct nested_guest *guest;

    guests = (struct nested_guests){
        .is_x86 = is_x86, .memory = m, .found = check_places, .opaque = &vttbr};
    guest = nested_guests_find(&guests, from);
    require(guest && nested_guests_index(&guests, from->vttbr) == 0);
    require((guest->functions.n > 0) == (guest->used != NULL));
    nested_guests_free(&guests);
}

/* Every other change is in the page tables. */
static void find_in_guest(const uint8_t *data, size_t size, bool is_x86)
{
    static struct made_guest made;
    static struct stage2 stage2;
    struct vpmu_record_guest guest = is_x86 ? guests_record_x86() : guests_record();
    uint8_t *tables = (uint8_t *)made.table;

    if (is_x86) {
        guests_make_x86(&made);
    } else {
        guests_make(&made);
    }
    for (size_t at = 0; at + CHANGE <= size; at += CHANGE) {
        if (at / CHANGE % 2) {
            made.kernel.ram[position(data + at) % KERNELS_SIZE] = data[at + 2];
        } else {
            tables[position(data + at) % sizeof(made.table)] = data[at + 2];
        }
    }
    if (stage2_init(&stage2, &made.memory, &guest, is_x86)) {
        find(&stage2.memory);
    }
    find_nested(&made.memory, &guest, is_x86);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct made_kernel right[3];

    if (!right[0].memory.read) {
        kernels_make(&right[0], false);
        kernels_make(&right[1], true);
        kernels_make_x86(&right[2], true);
    }
    if (size % 5 < 3) {
        find_in_machine(&right[size % 5], data, size);
    } else {
        find_in_guest(data, size, size % 5 == 4);
    }
    return 0;
}

/* Positions that are read. */
size_t fuzz_make_input(struct chooser *c, uint8_t *buf, size_t max)
{
    static const struct {
        uint16_t at;
        uint16_t size;
    } places[] = {
        {KERNELS_NUMBER, 4},
        {KERNELS_NAMES, 512},
        {KERNELS_TOKENS, 512},
        {KERNELS_INDEX, 512},
        {KERNELS_OFFSETS, 64},
        {KERNELS_BASE, 8},
        {KERNELS_TYPES, 256},
        {KERNELS_INFO, 512},
        {KERNELS_VARIABLE, 256},
        {TABLE(GUESTS_FIRST), 16},
        {TABLE(GUESTS_SECOND), 8},
        {TABLE(GUESTS_THIRD), 128},
        {TABLE(GUESTS_PROGRAM_START) + GUESTS_TTBR0_OFFSET, 16},
        {TABLE(GUESTS_PROGRAM_FOURTH), 128},
        {TABLE(GUESTS_X86_PDPT), 16},
        {TABLE(GUESTS_X86_PROGRAM_PT), 128},
    };
    size_t changes = choose_below(c, 6);
    size_t size = 0;

    for (; changes > 0 && size + CHANGE <= max; changes--, size += CHANGE) {
        size_t place = choose_below(c, sizeof(places) / sizeof(places[0]));
        uint64_t at = places[place].at + choose_below(c, places[place].size);

        buf[size] = (uint8_t)at;
        buf[size + 1] = (uint8_t)(at >> 8);
        buf[size + 2] = (uint8_t)choose_bits(c);
    }
    return size;
}
