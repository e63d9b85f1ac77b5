/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arm's Statistical Profiling Extension: the CPU writes records of sampled loads into a buffer. The
 * loop has one load, so each record must have its address, and an address in the memory it reads.
 *
 * Packets are those of the Arm Architecture Reference Manual's chapter "Statistical Profiling
 * Extension sample record specification".
 */
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "pmus.h"
#include "ring.h"
#include "spe.h"

enum {
    AUX_SIZE = 128 << 10,
    RUNS = 16,
    PADDING = 0x00,
    END = 0x01,
    TIMESTAMP = 0x71,
    EXTENDED = 0x20, /* bits 7:2; the next byte is the header */
    ADDRESS = 0xb0,  /* bits 7:3; the others say which address */
    ADDRESS_PC = 0,
    ADDRESS_DATA = 2
};

/**
 * struct record - what a record has said so far
 */
struct record {
    bool any;
    uint64_t pc;
    uint64_t data;
};

/* Bits 63:56 are a tag, or the exception level. */
static uint64_t read_address(const uint8_t *bytes)
{
    uint64_t address = 0;

    for (unsigned i = 0; i < 7; i++) {
        address |= (uint64_t)bytes[i] << 8 * i;
    }
    return address;
}

static bool has_payload(uint8_t header)
{
    return header >= 0x40 && header < 0xc0;
}

/* Return: the size of the packet; 0 if it is none, or does not end before @left. */
static size_t read_packet(const uint8_t *bytes, size_t left, struct record *record)
{
    size_t extended = (bytes[0] & 0xfc) == EXTENDED, size = extended + 1;
    uint8_t header;

    if (left <= extended) {
        return 0;
    }
    header = bytes[extended];
    if (header == PADDING || header == END) {
        return size;
    }
    size += (size_t)1 << (header >> 4 & 3);
    if (!has_payload(header) || left < size) {
        return 0;
    }
    record->any = true;
    if (!extended && header == (ADDRESS | ADDRESS_PC)) {
        record->pc = read_address(bytes + 1);
    } else if (!extended && header == (ADDRESS | ADDRESS_DATA)) {
        record->data = read_address(bytes + 1);
    }
    return size;
}

struct spe_records spe_read(const uint8_t *bytes, size_t size, const struct spe_known *known)
{
    struct spe_records found = {0, 0, false};
    struct record record = {false, 0, 0};

    while (size > 0) {
        size_t packet = read_packet(bytes, size, &record);

        if (packet == 0) {
            found.damaged = true;
            break;
        }
        if ((bytes[0] == END || bytes[0] == TIMESTAMP) && record.any) {
            found.all++;
            found.good += record.pc == known->pc && record.data >= known->low &&
                          record.data < known->low + known->size;
            record = (struct record){false, 0, 0};
        }
        bytes += packet;
        size -= packet;
    }
    return found;
}

/* There may be one for each kind of CPU. Return: false if there is none for the CPUs that run this.
 */
static bool find_spe(char *name, size_t size)
{
    for (unsigned i = 0; i < MAX_PMUS; i++) {
        struct cpus here;
        uint64_t type;

        snprintf(name, size, "arm_spe_%u", i);
        if (pmus_number(name, "type", &type) && pmus_counts_here(name, &here)) {
            return true;
        }
    }
    return false;
}

static int open_spe(struct ring *ring, const char *pmu, void **aux)
{
    uint64_t type, period = 1024, config = 0, config1 = 0;
    struct perf_event_attr attr;
    int error;

    if (!pmus_number(pmu, "type", &type) || !pmus_field(pmu, "load_filter", 1, &config, &config1)) {
        return -ENOENT;
    }
    pmus_number(pmu, "caps/min_interval", &period);
    attr = counter_attr((uint32_t)type, config, 0);
    attr.config1 = config1;
    attr.sample_period = period;
    error = ring_open(ring, &attr);
    if (error < 0) {
        return error;
    }
    ring->page->aux_offset = ring_size();
    ring->page->aux_size = AUX_SIZE;
    *aux = mmap(NULL, AUX_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, (off_t)ring_size());
    if (*aux == MAP_FAILED) {
        error = errno;
        ring_close(ring);
        return -error;
    }
    return 0;
}

/* The buffer is not full: at most RUNS * turns / period records of 64 bytes. */
static struct spe_records sample_loads(struct ring *ring, void *aux, const struct check *check)
{
    struct spe_known known = {(uintptr_t)loops[LOOP_CHASE].run, (uintptr_t)check->arena.large,
                              check->arena.large_size};
    uint64_t head;

    counter_start(ring->fd);
    for (unsigned i = 0; i < RUNS; i++) {
        loops[LOOP_CHASE].run(check->turns, check->arena.large);
    }
    counter_stop(ring->fd);
    head = __atomic_load_n(&ring->page->aux_head, __ATOMIC_ACQUIRE);
    return spe_read(aux, head < AUX_SIZE ? (size_t)head : AUX_SIZE, &known);
}

static void check_records_of(struct finding *f, const struct check *check, const char *pmu)
{
    struct spe_records records;
    struct ring ring;
    void *aux;
    int error = open_spe(&ring, pmu, &aux);

    if (error < 0) {
        finding_refused(f, -error);
        return;
    }
    records = sample_loads(&ring, aux, check);
    munmap(aux, AUX_SIZE);
    ring_close(&ring);
    finding_count(f, records.good, records.all);
    if (records.damaged) {
        finding_is(f, OFF, "what follows the records is none");
    } else {
        finding_is(f,
                   records.all == 0              ? ZERO
                   : records.good == records.all ? EXACT
                                                 : OFF,
                   "records of the loop's load, with an address in its memory");
    }
}

bool check_spe(const struct check *check)
{
    char pmu[16], row[40];

    if (!find_spe(pmu, sizeof(pmu))) {
        return false;
    }
    snprintf(row, sizeof(row), "memory samples of %s", pmu);
    check_records_of(finding_add("records", row), check, pmu);
    return true;
}
