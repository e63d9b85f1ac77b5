/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Branch records (FEAT_BRBE). All of this runs at the highest level, which nothing traps. */
#include "runtime.h"

#define BRBCR_EL1 S2_1_C9_C0_0
#define BRBCR_EL2 S2_4_C9_C0_0
#define BRBFCR_EL1 S2_1_C9_C0_1
#define BRBFCR_PAUSED BIT(7)
#define BRBFCR_BANK BIT(28)
#define BANK 32

void branches_stop(void)
{
    write_sysreg(BRBFCR_EL1, BRBFCR_PAUSED);
    write_sysreg(BRBCR_EL1, 0);
    write_sysreg(BRBCR_EL2, 0);
    isb();
}

/* BRB IALL, and the registers of BRB INJ, which a program may have written. */
void branches_clear(void)
{
    write_sysreg(S2_1_C9_C1_0, 0);
    write_sysreg(S2_1_C9_C1_1, 0);
    write_sysreg(S2_1_C9_C1_2, 0);
    __asm__ volatile("isb\n sys #1, c7, c2, #4\n isb" : : : "memory");
}

#define READ_(n, m)                                                                                \
    do {                                                                                           \
        to[BRANCH_WORDS * (n)] = read_sysreg(S2_1_C8_C##m##_0);                                    \
        to[BRANCH_WORDS * (n) + 1] = read_sysreg(S2_1_C8_C##m##_1);                                \
        to[BRANCH_WORDS * (n) + 2] = read_sysreg(S2_1_C8_C##m##_2);                                \
        to[BRANCH_WORDS * ((n) + 16)] = read_sysreg(S2_1_C8_C##m##_4);                             \
        to[BRANCH_WORDS * ((n) + 16) + 1] = read_sysreg(S2_1_C8_C##m##_5);                         \
        to[BRANCH_WORDS * ((n) + 16) + 2] = read_sysreg(S2_1_C8_C##m##_6);                         \
    } while (0)

static void read_bank(uint64_t *to)
{
    READ_(0, 0);
    READ_(1, 1);
    READ_(2, 2);
    READ_(3, 3);
    READ_(4, 4);
    READ_(5, 5);
    READ_(6, 6);
    READ_(7, 7);
    READ_(8, 8);
    READ_(9, 9);
    READ_(10, 10);
    READ_(11, 11);
    READ_(12, 12);
    READ_(13, 13);
    READ_(14, 14);
    READ_(15, 15);
}

/* Nothing is recorded from the first instruction on that accesses a register here. */
void branches_record(void)
{
    uint64_t brbfcr = read_sysreg(BRBFCR_EL1);

    write_sysreg(BRBFCR_EL1, BRBFCR_PAUSED);
    isb();
    result->brbfcr = brbfcr;
    result->brbcr = read_sysreg(BRBCR_EL1);
    read_bank(result->branches);
    write_sysreg(BRBFCR_EL1, BRBFCR_PAUSED | BRBFCR_BANK);
    isb();
    read_bank(result->branches + BRANCH_WORDS * BANK);
    branches_stop();
}
