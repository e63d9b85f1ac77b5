/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Decodes a trapped access from the exception syndrome, and performs it. */
#include "vpmu/arm/trap.h"

#define ESR_EC_SHIFT 26
#define ESR_EC_MASK 0x3fu
/* Fields of the ISS that all three classes have. */
#define ISS_READ (1u << 0)
#define ISS_RT_SHIFT 5
#define ISS_RT2_SHIFT 10
#define ISS_REG_MASK 0x1fu
/* Fields of the AArch32 classes: whether the condition is valid, and the condition. */
#define ISS_CV (1u << 24)
#define ISS_COND_SHIFT 20
#define ISS_COND_MASK 0xfu

#define COND_AL 0xeu
#define PSR_T (1u << 5)
#define PSR_IT_HIGH_SHIFT 10 /* IT[7:2] */
#define PSR_IT_LOW_SHIFT 25  /* IT[1:0] */
#define PSR_V_SHIFT 28
#define PSR_C_SHIFT 29
#define PSR_Z_SHIFT 30
#define PSR_N_SHIFT 31

#define XZR 31u

/* The position of a part of an encoding in the ISS, and in VPMU_ENC64() or its AArch32 forms. */
struct part {
    uint8_t from;
    uint8_t width;
    uint8_t to;
};

static const struct form {
    uint8_t class;
    bool aarch32;
    bool pair;
    uint16_t enc; /* the bits that all encodings of the class share */
    struct part parts[5];
} forms[] = {
    /* Op2, CRm, CRn, Op1, Op0 */
    {VPMU_TRAP_MSR, false, false, 0, {{17, 3, 0}, {1, 4, 3}, {10, 4, 7}, {14, 3, 11}, {20, 2, 14}}},
    /* Opc2, CRm, CRn, Opc1 */
    {VPMU_TRAP_MCR,
     true,
     false,
     VPMU_ENC32(0, 0, 0, 0),
     {{17, 3, 0}, {1, 4, 3}, {10, 4, 7}, {14, 3, 11}}},
    /* CRm, Opc1 */
    {VPMU_TRAP_MCRR, true, true, VPMU_ENC32_WIDE(0, 0), {{1, 4, 3}, {16, 4, 11}}},
};

static const struct form *form_of(uint32_t esr)
{
    for (unsigned i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        if (forms[i].class == (esr >> ESR_EC_SHIFT & ESR_EC_MASK)) {
            return &forms[i];
        }
    }
    return NULL;
}

static uint16_t encoding_of(const struct form *form, uint32_t iss)
{
    uint32_t enc = form->enc;

    for (unsigned i = 0; i < sizeof(form->parts) / sizeof(form->parts[0]); i++) {
        const struct part *part = &form->parts[i];

        enc |= (iss >> part->from & ((1u << part->width) - 1)) << part->to;
    }
    return (uint16_t)enc;
}

/* If a PE does not report the condition of a T32 instruction, the IT state has it. */
static unsigned condition_of(uint32_t iss, uint32_t psr)
{
    unsigned it = (psr >> PSR_IT_HIGH_SHIFT & 0x3f) << 2 | (psr >> PSR_IT_LOW_SHIFT & 3);

    if (iss & ISS_CV) {
        return iss >> ISS_COND_SHIFT & ISS_COND_MASK;
    }
    return (psr & PSR_T) && it ? it >> 4 : COND_AL;
}

/* ConditionHolds() of the Arm ARM. */
static bool condition_holds(unsigned cond, uint32_t psr)
{
    bool n = psr >> PSR_N_SHIFT & 1;
    bool z = psr >> PSR_Z_SHIFT & 1;
    bool c = psr >> PSR_C_SHIFT & 1;
    bool v = psr >> PSR_V_SHIFT & 1;
    const bool holds[] = {z, c, n, v, c && !z, n == v, n == v && !z};

    return cond >= COND_AL || holds[cond >> 1] != (cond & 1);
}

int vpmu_arm_trap_decode(uint64_t esr, uint64_t spsr, struct vpmu_trap *trap)
{
    uint32_t iss = (uint32_t)esr;
    uint32_t psr = (uint32_t)spsr;
    const struct form *form = form_of(iss);
    int reg = form ? vpmu_arm_reg_find(encoding_of(form, iss), form->aarch32) : -VPMU_ERR_REG;

    if (reg < 0) {
        return -VPMU_ERR_REG;
    }
    *trap = (struct vpmu_trap){
        .reg = (uint8_t)reg,
        .rt = (uint8_t)(iss >> ISS_RT_SHIFT & ISS_REG_MASK),
        .rt2 = form->pair ? (uint8_t)(iss >> ISS_RT2_SHIFT & ISS_REG_MASK) : 0,
        .aarch32 = form->aarch32,
        .write = !(iss & ISS_READ),
        .pair = form->pair,
        .skipped = form->aarch32 && !condition_holds(condition_of(iss, psr), psr),
    };
    return 0;
}

static uint64_t x_get(const uint64_t x[VPMU_TRAP_XREGS], unsigned n)
{
    return n == XZR ? 0 : x[n];
}

static void x_set(uint64_t x[VPMU_TRAP_XREGS], unsigned n, uint64_t val)
{
    if (n != XZR) {
        x[n] = val;
    }
}

static uint64_t value_to_write(const struct vpmu_trap *trap, const uint64_t x[VPMU_TRAP_XREGS])
{
    uint64_t val = x_get(x, trap->rt);

    return trap->pair ? x_get(x, trap->rt2) << 32 | (uint32_t)val : val;
}

static void value_was_read(const struct vpmu_trap *trap, uint64_t x[VPMU_TRAP_XREGS], uint64_t val)
{
    x_set(x, trap->rt, trap->pair ? (uint32_t)val : val);
    if (trap->pair) {
        x_set(x, trap->rt2, val >> 32);
    }
}

int vpmu_arm_trap(struct vpmu_arm *v, const struct vpmu_pe *pe, uint64_t esr, uint64_t spsr,
                  uint64_t x[VPMU_TRAP_XREGS], const struct vpmu_now *now, enum vpmu_access *access)
{
    struct vpmu_pe as = *pe;
    struct vpmu_trap trap;
    uint64_t val;
    int due;

    *access = VPMU_ACCESS_OK;
    if (vpmu_arm_trap_decode(esr, spsr, &trap)) {
        return -VPMU_ERR_REG;
    }
    if (trap.skipped) {
        return 0;
    }
    as.aarch32 = trap.aarch32;
    *access = vpmu_arm_reg_access(v, trap.reg, &as, trap.write);
    if (*access != VPMU_ACCESS_OK) {
        return 0;
    }
    if (trap.write) {
        return vpmu_arm_reg_write(v, trap.reg, &as, value_to_write(&trap, x), now);
    }
    due = vpmu_arm_reg_read(v, trap.reg, &as, &val, now);
    value_was_read(&trap, x, val);
    return due;
}
