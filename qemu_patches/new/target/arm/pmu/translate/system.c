/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instructions that select an address space, or maintain TLBs and caches
 */

#include "qemu/osdep.h"
#include "tcg/translate.h"
#include "tcg/translate-a32.h"

/* Called after a write to a register that selects an address space. */
static void gen_regime(DisasContext *s)
{
    if (s->pmu.events & (ARM_PMU_MEMORY | ARM_PMU_BRANCHES)) {
        gen_helper_pmu_regime(tcg_env);
    }
}

/* This is needed whatever is counted here: other CPUs may have models. */
static void gen_tlbi(DisasContext *s, bool a32, unsigned int op1,
                     unsigned int crm, unsigned int op2, TCGv_i64 value)
{
    uint32_t what = 0;

    if (arm_dc_feature(s, ARM_FEATURE_PMU)) {
        what = FIELD_DP32(what, PMUTLBI, OP1, op1);
        what = FIELD_DP32(what, PMUTLBI, CRM, crm);
        what = FIELD_DP32(what, PMUTLBI, OP2, op2);
        what = FIELD_DP32(what, PMUTLBI, A32, a32);
        gen_helper_pmu_tlbi(tcg_env, tcg_constant_i32(what), value);
    }
}

/*
 * Cache maintenance, by CRm and op2.  A64 (Arm ARM, C5.3) and AArch32 (G8.2)
 * have the same numbers.  A64's op2 5 and 6 maintain allocation tags, too.
 */
static const struct {
    uint8_t crm;
    uint8_t op2;
    uint8_t what;
} maintenance[] = {
    { 1, 0, ARM_PMU_EMPTY_FETCH },      /* IC IALLUIS */
    { 5, 0, ARM_PMU_EMPTY_FETCH },      /* IC IALLU */
    { 5, 1, ARM_PMU_INVALIDATE_FETCH }, /* IC IVAU */
    { 6, 1, ARM_PMU_DISCARD },          /* DC IVAC */
    { 6, 2, ARM_PMU_EMPTY },            /* DC ISW */
    { 10, 1, ARM_PMU_CLEAN },           /* DC CVAC */
    { 10, 2, ARM_PMU_EMPTY },           /* DC CSW */
    { 11, 1, ARM_PMU_CLEAN_L1 },        /* DC CVAU */
    { 12, 1, ARM_PMU_CLEAN },           /* DC CVAP */
    { 13, 1, ARM_PMU_CLEAN },           /* DC CVADP */
    { 14, 1, ARM_PMU_FLUSH },           /* DC CIVAC */
    { 14, 2, ARM_PMU_EMPTY },           /* DC CISW */
};

static void gen_maintain(DisasContext *s, bool a32, unsigned int crm,
                         unsigned int op2, TCGv_i64 addr)
{
    uint32_t desc = 0;

    if (!a32 && (op2 == 5 || op2 == 6)) {
        op2 -= 4;
    }
    for (unsigned int i = 0; i < ARRAY_SIZE(maintenance); i++) {
        if (maintenance[i].crm == crm && maintenance[i].op2 == op2) {
            desc = FIELD_DP32(desc, PMUMAINTAIN, WHAT, maintenance[i].what);
            desc = FIELD_DP32(desc, PMUMAINTAIN, CTX, s->pmu.tally - 1);
            gen_helper_pmu_maintain(tcg_env, addr, tcg_constant_i32(desc));
            s->pmu.maintains = true;
        }
    }
}

void gen_pmu_sys(DisasContext *s, unsigned int op0, unsigned int op1,
                 unsigned int crn, unsigned int crm, unsigned int op2,
                 TCGv_i64 value)
{
    /* CRn 9 has the nXS variants, which remove the same entries. */
    if (op0 == 1 && (crn == 8 || crn == 9)) {
        gen_tlbi(s, false, op1, crm, op2, value);
    } else if (op0 == 1 && crn == 7) {
        if ((s->pmu.events & ARM_PMU_MEMORY) && (op1 == 0 || op1 == 3)) {
            gen_maintain(s, false, crm, op2, value);
        }
    } else if (op0 == 3 && (crn == 1 || crn == 2 || crn == 13)) {
        gen_regime(s);
    }
}

void gen_pmu_cp15(DisasContext *s, bool is64, unsigned int opc1,
                  unsigned int crn, unsigned int crm, unsigned int opc2,
                  int rt)
{
    if (is64 ? crm == 2 : crn == 1 || crn == 2 || crn == 13) {
        gen_regime(s);
    } else if (!is64 && crn == 8) {
        TCGv_i64 value = tcg_temp_new_i64();

        tcg_gen_extu_i32_i64(value, load_reg(s, rt));
        /* A TLBI of instructions or data only removes both kinds of entries. */
        gen_tlbi(s, true, opc1, crm == 5 || crm == 6 ? 7 : crm, opc2, value);
    } else if (!is64 && crn == 7 && opc1 == 0 &&
               (s->pmu.events & ARM_PMU_MEMORY)) {
        TCGv_i64 value = tcg_temp_new_i64();

        tcg_gen_extu_i32_i64(value, load_reg(s, rt));
        gen_maintain(s, true, crm, opc2, value);
    }
}
