/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of registers, compared with that of libvpmu. */
#include "fixture.h"
#include "kvm_glue/state.h"
#include "vpmu/arm/regs.h"

/* KVM_REG_ARM64 | KVM_REG_SIZE_U64 | KVM_REG_ARM64_SYSREG. */
#define SYSREG 0x6030000000130000ull

START_TEST(known_ids)
{
    static const struct {
        const char *name;
        uint64_t id;
    } rows[] = {
        {"PMCR_EL0", SYSREG | 0xdce0},        {"PMINTENSET_EL1", SYSREG | 0xc4f1},
        {"PMEVCNTR0_EL0", SYSREG | 0xdf40},   {"PMEVCNTR30_EL0", SYSREG | 0xdf5e},
        {"PMEVTYPER7_EL0", SYSREG | 0xdf67},  {"PMEVTYPER8_EL0", SYSREG | 0xdf68},
        {"PMEVTYPER30_EL0", SYSREG | 0xdf7e}, {"PMCCFILTR_EL0", SYSREG | 0xdf7f},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        unsigned found = 0;

        for (unsigned row = 0; row < KVM_GLUE_REGISTERS; row++) {
            struct kvm_glue_register reg;

            ck_assert(kvm_glue_register(row, &reg));
            if (strcmp(reg.name, rows[i].name) == 0) {
                expect(rows[i].name, (long long)rows[i].id, (long long)reg.id);
                found++;
            }
        }
        expect(rows[i].name, 1, found);
    }
}
END_TEST

/* Each row is a register of libvpmu, and no two rows are the same. */
START_TEST(same_as_vpmu)
{
    struct kvm_glue_register reg;

    for (unsigned row = 0; row < KVM_GLUE_REGISTERS; row++) {
        ck_assert(kvm_glue_register(row, &reg));
        expect(reg.name, (long long)SYSREG, (long long)(reg.id & ~0xffffull));
        ck_assert_msg(vpmu_arm_reg_find((uint16_t)reg.id, false) >= 0,
                      "%s: expected a register of vpmu", reg.name);
        for (unsigned other = 0; other < row; other++) {
            struct kvm_glue_register previous;

            kvm_glue_register(other, &previous);
            ck_assert_msg(previous.id != reg.id, "%s and %s are one", previous.name, reg.name);
        }
    }
    ck_assert(!kvm_glue_register(74, &reg));
    ck_assert(kvm_glue_register(0, &reg));
    ck_assert_str_eq(reg.name, "PMCR_EL0");
}
END_TEST

/* CLR before SET, and both after PMCR. */
START_TEST(order)
{
    for (unsigned row = 1; row < KVM_GLUE_REGISTERS; row++) {
        struct kvm_glue_register reg;
        struct kvm_glue_register next;

        kvm_glue_register(row, &reg);
        if (reg.restore == KVM_GLUE_CLR) {
            kvm_glue_register(row + 1, &next);
            expect(reg.name, KVM_GLUE_SET, next.restore);
        }
        ck_assert(reg.restore != KVM_GLUE_PMCR);
    }
}
END_TEST

Suite *registers_suite(void)
{
    const TTest *const tests[] = {known_ids, same_as_vpmu, order};

    return suite_of("registers", tests, COUNT_OF(tests));
}
