/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IBS_H
#define IBS_H

#include <stdbool.h>
#include <stdint.h>

/* The registers of instruction-based sampling, and their bits; the APIC's extended LVT. */
#define FETCH_CTL 0xc0011030
#define FETCH_LINEAR 0xc0011031
#define OP_CTL 0xc0011033
#define OP_RIP 0xc0011034
#define OP_DATA 0xc0011035
#define OP_DATA2 0xc0011036
#define OP_DATA3 0xc0011037
#define DC_LINEAR 0xc0011038
#define BRANCH_TARGET 0xc001103b
#define IBS_CTL 0xc001103a
#define FETCH_EXT 0xc001103c
#define FETCH_EN (1ull << 48)
#define FETCH_VAL (1ull << 49)
#define RAND_EN (1ull << 57)
#define L3_MISS_ONLY (1ull << 16)
#define OP_EN (1ull << 17)
#define OP_VAL (1ull << 18)
#define CNT_CTL (1ull << 19)
#define LATENCY_SHIFT 59
#define LATENCY_EN (1ull << 63)
#define MAX_COUNT 0xffffull
#define BRANCH (1ull << 37)
#define TAKEN (1ull << 35)
#define MISPREDICTED (1ull << 36)
#define CACHE_MISS (1ull << 7)
#define CROSSES (1ull << 8)
#define L2_MISS (1ull << 20)
#define SOURCE 7u
#define SOURCE_L3 1u
#define MISS_LATENCY(cycles) ((uint64_t)(cycles) << 32)

enum {
    LINE = 64,
    APIC_VERSION = 0x30,
    APIC_SVR = 0xf0,
    APIC_FEATURE = 0x400,
    APIC_ENTRY = 0x500,
    APIC_ENTRIES = 4,
    APIC_STEP = 0x10,
};
#define SVR_ENABLED 0x100u
#define MASKED 0x10000u
#define NMI 0x400u
#define ENTRY_BITS 0x107ffu

/*
 * ibs_begin() - lets the first CPU's MSRs and APIC be accessed
 *
 * Return: false if that is not possible, which has been reported.
 */
bool ibs_begin(void);

/* ibs_on_first_cpu() - the same, and runs a test on the first CPU */
void ibs_on_first_cpu(void (*body)(void));

uint64_t ibs_rdmsr(uint32_t msr);
/* Returns false if the write raises #GP. */
bool ibs_wrmsr(uint32_t msr, uint64_t value);
uint32_t ibs_apic_read(unsigned offset);
void ibs_apic_write(unsigned offset, uint32_t value);

#endif
