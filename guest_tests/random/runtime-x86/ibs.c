/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "../hash.h"
#include "runtime.h"

/* Instruction-based sampling of AMD's CPUs. */

#define FETCH_CTL 0xc0011030u
#define OP_CTL 0xc0011033u
#define OP_RIP 0xc0011034u
#define OP_DATA 0xc0011035u
#define OP_DATA3 0xc0011037u
#define DC_LINEAR 0xc0011038u
#define REGISTERS 13u

#define FETCH_VAL BIT(49)
#define OP_VAL BIT(18)
/* What a new interval begins with: the random number that the last one left. */
#define OP_RANDOM (UINT64_C(0x7f) << 32)

#define CPUID_IBS BIT(10)

static bool exists;

void ibs_init(void)
{
    uint32_t regs[4];

    cpuid(0x80000001, regs);
    exists = regs[2] & CPUID_IBS;
}

void ibs_stop(void)
{
    if (exists) {
        write_msr(FETCH_CTL, 0);
        write_msr(OP_CTL, 0);
        write_lapic(LAPIC_EILVT0, LAPIC_MASKED);
    }
}

/* What samples begins with the last write. */
void ibs_set(void)
{
    if (exists) {
        write_lapic(LAPIC_EILVT0, program->eilvt);
        write_msr(FETCH_CTL, program->ibs_fetch);
        write_msr(OP_CTL, program->ibs_op);
    }
}

/* Takes all registers. Those of the first samples of ops are kept. */
static void take(uint64_t op)
{
    uint64_t *kept = result->ibs + IBS_WORDS * result->ibs_ops;

    for (unsigned i = 0; i < REGISTERS; i++) {
        result->ibs_hash = hash_mix(result->ibs_hash, read_msr(FETCH_CTL + i));
    }
    if ((op & OP_VAL) && result->ibs_ops < IBS_SAMPLES) {
        kept[0] = read_msr(OP_RIP);
        kept[1] = read_msr(OP_DATA);
        kept[2] = read_msr(OP_DATA3);
        kept[3] = read_msr(DC_LINEAR);
        result->ibs_ops++;
    }
}

void ibs_record(void)
{
    if (exists) {
        take(read_msr(OP_CTL));
    }
}

/* Takes the samples that there are, and starts their units again; after some interrupts, no more.
 */
void ibs_answer(bool again)
{
    uint64_t fetch, op;

    if (!exists) {
        return;
    }
    fetch = read_msr(FETCH_CTL);
    op = read_msr(OP_CTL);
    if ((fetch & FETCH_VAL) || (op & OP_VAL)) {
        take(op);
    }
    if (!again) {
        write_lapic(LAPIC_EILVT0, LAPIC_MASKED);
        return;
    }
    if (fetch & FETCH_VAL) {
        write_msr(FETCH_CTL, program->ibs_fetch);
    }
    if (op & OP_VAL) {
        write_msr(OP_CTL, program->ibs_op | (op & OP_RANDOM));
    }
}
