/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Saving and restoring: a guest's counters continue, on different kernels and hosts. */
#include <errno.h>
#include <linux/kvm.h>
#include <stddef.h>

#include "fixture.h"
#include "kvm_glue/state.h"

#define PMCR 0xdce0u
#define PMCNTENSET 0xdce1u
#define PMCNTENCLR 0xdce2u
#define PMSWINC 0xdce4u
#define PMSELR 0xdce5u
#define PMCCNTR 0xdce8u
#define PMUSERENR 0xdcf0u
#define PMOVSSET 0xdcf3u
#define PMINTENSET 0xc4f1u
#define PMEVCNTR(n) (0xdf40u + (n))
#define PMEVTYPER(n) (0xdf60u + (n))
#define PMCCFILTR 0xdf7fu

#define SOURCE VCPU(0, 0)
#define TARGET VCPU(1, 0)

/* Makes a guest that uses counters 0, 5 and the cycle counter, which are at 100. */
static void make_guest(int fd)
{
    fake_set_reg(fd, PMCNTENSET, 1u << 31 | 1 << 5 | 1);
    fake_set_reg(fd, PMINTENSET, 1 << 5);
    fake_set_reg(fd, PMOVSSET, 1);
    fake_set_reg(fd, PMSELR, 5);
    fake_set_reg(fd, PMUSERENR, 0xf);
    fake_set_reg(fd, PMEVTYPER(0), 0x08);
    fake_set_reg(fd, PMEVTYPER(5), 0x80000011);
    fake_set_reg(fd, PMCCFILTR, 0x40000000);
    fake_set_reg(fd, PMEVCNTR(3), 33);
    fake_set_reg(fd, PMCR, 0x41 | 6 << 11);
    fake_run(fd, 100);
}

static void expect_moved(unsigned counters)
{
    uint64_t mask = ((1u << counters) - 1) | 1u << 31;
    uint64_t in_use = (1u << 31 | 1 << 5 | 1) & mask;

    expect("PMCR", 0x41 | counters << 11, (long long)fake_reg(TARGET, PMCR));
    expect("PMCNTENSET", (long long)in_use, (long long)fake_reg(TARGET, PMCNTENSET));
    expect("PMCNTENCLR", (long long)in_use, (long long)fake_reg(TARGET, PMCNTENCLR));
    expect("PMINTENSET", (long long)((1 << 5) & mask), (long long)fake_reg(TARGET, PMINTENSET));
    expect("PMOVSSET", 1, (long long)fake_reg(TARGET, PMOVSSET));
    expect("PMSELR", 5, (long long)fake_reg(TARGET, PMSELR));
    expect("PMUSERENR", 0xf, (long long)fake_reg(TARGET, PMUSERENR));
    expect("PMCCFILTR", 0x40000000, (long long)fake_reg(TARGET, PMCCFILTR));
    expect("PMEVTYPER0", 0x08, (long long)fake_reg(TARGET, PMEVTYPER(0)));
    expect("PMEVCNTR3", 33, (long long)fake_reg(TARGET, PMEVCNTR(3)));
    fake_run(TARGET, 23);
    expect("100 + 23", 123, (long long)fake_reg(TARGET, PMEVCNTR(0)));
    expect("100 + 23 cycles", 123, (long long)fake_reg(TARGET, PMCCNTR));
    expect("the last", counters == 6 ? 123 : 0, (long long)fake_reg(TARGET, PMEVCNTR(5)));
}

/* Kernels whose SET and CLR forms store the value, and kernels where they set and clear bits. */
START_TEST(round_trip)
{
    for (int bits = 0; bits < 2; bits++) {
        struct kvm_glue_state state;
        struct kvm_glue_loss loss;
        struct kvm_glue_error err = {.text = ""};

        fake_start();
        fake.vm[1].aliases_are_bits = bits;
        make_guest(SOURCE);
        expect("save", 0, kvm_glue_state_save(&fake_os, SOURCE, &state, &err));
        expect("restore", 0, kvm_glue_state_restore(&fake_os, TARGET, &state, 0, &loss, &err));
        ck_assert_str_eq(err.text, "");
        expect("counters", 6, loss.counters);
        expect("dropped", 0, loss.dropped);
        expect_moved(6);
        fake_run(SOURCE, 23);
        expect("saving stops nothing", 123, (long long)fake_reg(SOURCE, PMEVCNTR(0)));
    }
}
END_TEST

/*
 * A machine returns to a snapshot. What it did since is gone, including bits that it set and the
 * counts of its counters' perf events, which some kernels keep.
 */
START_TEST(snapshot)
{
    for (int kind = 0; kind < 4; kind++) {
        struct kvm_glue_state state;

        fake_start();
        fake.vm[1].aliases_are_bits = kind & 1;
        fake.vm[1].keeps_events = kind >> 1;
        make_guest(TARGET);
        expect("save", 0, kvm_glue_state_save(&fake_os, TARGET, &state, NULL));
        fake_set_reg(TARGET, PMCNTENSET, 0x3f);
        fake_set_reg(TARGET, PMOVSSET, 0x3e);
        fake_set_reg(TARGET, PMINTENSET, 0x3f);
        fake_run(TARGET, 1000);
        expect("restore", 0, kvm_glue_state_restore(&fake_os, TARGET, &state, 0, NULL, NULL));
        expect_moved(6);
    }
}
END_TEST

/* A guest's reset by PMCR.C or P, whose bits a kernel may keep, is not repeated. */
START_TEST(resets_are_not_repeated)
{
    struct kvm_glue_state state;

    make_guest(SOURCE);
    expect("save", 0, kvm_glue_state_save(&fake_os, SOURCE, &state, NULL));
    state.value[0] |= 6;
    expect("restore", 0, kvm_glue_state_restore(&fake_os, TARGET, &state, 0, NULL, NULL));
    expect_moved(6);
    expect("PMSWINC is not written", 0, (long long)fake_reg(TARGET, PMSWINC));
}
END_TEST

START_TEST(fewer_counters)
{
    struct kvm_glue_state state;
    struct kvm_glue_loss loss;
    struct kvm_glue_error err;

    fake.vm[1].pmu = 9;
    fake.vm[1].counters = 4;
    fake_set_reg(TARGET, PMCR, 0x40);
    fake.vm[1].counters = 4;
    make_guest(SOURCE);
    fake_set_reg(SOURCE, PMEVCNTR(4), 44);
    expect("save", 0, kvm_glue_state_save(&fake_os, SOURCE, &state, NULL));
    expect("refused", -ERANGE, kvm_glue_state_restore(&fake_os, TARGET, &state, 0, &loss, &err));
    expect_text("refused", "has 6 event counters, this vCPU can have 4", err.text);
    expect("as it was", 0x40 | 4 << 11, (long long)fake_reg(TARGET, PMCR));
    expect("as it was", 0, (long long)fake_reg(TARGET, PMSELR));
    expect("widening does not help", -ERANGE,
           kvm_glue_state_restore(&fake_os, TARGET, &state, KVM_GLUE_WIDEN, NULL, NULL));
    expect("truncated", 0,
           kvm_glue_state_restore(&fake_os, TARGET, &state, KVM_GLUE_TRUNCATE, &loss, &err));
    expect("counters", 4, loss.counters);
    expect("dropped", 0x30, loss.dropped);
    expect("in use", 0x20, loss.in_use);
    expect("dropped counters are not written", 0, (long long)fake_reg(TARGET, PMEVCNTR(4)));
    expect_moved(4);
}
END_TEST

/* Kernels before 6.7, and machines that have run, have all counters of the host. */
START_TEST(more_counters)
{
    struct kvm_glue_state state;
    struct kvm_glue_loss loss;
    struct kvm_glue_error err;

    fake.vm[0].counters = 4;
    fake.vm[1].n_settable = false;
    fake_set_reg(SOURCE, PMEVCNTR(3), 33);
    fake_set_reg(SOURCE, PMCR, 4 << 11);
    expect("save", 0, kvm_glue_state_save(&fake_os, SOURCE, &state, NULL));
    expect("refused", -ERANGE, kvm_glue_state_restore(&fake_os, TARGET, &state, 0, &loss, &err));
    expect_text("refused", "has 4 event counters, this vCPU has 6 and the kernel does not hide",
                err.text);
    expect("truncating does not help", -ERANGE,
           kvm_glue_state_restore(&fake_os, TARGET, &state, KVM_GLUE_TRUNCATE, NULL, NULL));
    expect("widened", 0,
           kvm_glue_state_restore(&fake_os, TARGET, &state, KVM_GLUE_WIDEN, &loss, &err));
    expect("counters", 6, loss.counters);
    expect("dropped", 0, loss.dropped);
    expect("restored", 33, (long long)fake_reg(TARGET, PMEVCNTR(3)));
    fake.vm[1].n_settable = true;
    expect("hidden", 0, kvm_glue_state_restore(&fake_os, TARGET, &state, 0, &loss, &err));
    expect("counters", 4, loss.counters);
}
END_TEST

START_TEST(damaged)
{
    static const struct {
        uint32_t magic;
        uint16_t version;
        uint16_t counters;
        uint64_t pmcr;
        const char *why;
    } rows[] = {
        {0, 1, 6, 6 << 11, "not a saved PMU state"},
        {0x554d506b, 3, 6, 6 << 11, "has version 3; this library reads versions 1 to 2"},
        {0x554d506b, 0, 6, 6 << 11, "has version 0; this library reads versions 1 to 2"},
        {0x554d506b, 1, 32, 6 << 11, "damaged: it has 32 counters, and PMCR_EL0.N is 6"},
        {0x554d506b, 1, 5, 6 << 11, "damaged: it has 5 counters"},
        {0x554d5076, 1, 5, 6 << 11, "damaged: it has 5 counters"},
        /* A state from vpmu_arm_state_save(). */
        {0x554d5076, 3, 1196, 0, "of an emulated PMU"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct kvm_glue_state state = {
            rows[i].magic, rows[i].version, rows[i].counters, {rows[i].pmcr}, 0};
        struct kvm_glue_error err;

        expect(rows[i].why, -EINVAL,
               kvm_glue_state_restore(&fake_os, TARGET, &state, 0, NULL, &err));
        expect_text("why", rows[i].why, err.text);
        expect("untouched", 6 << 11, (long long)fake_reg(TARGET, PMCR));
    }
}
END_TEST

/*
 * Two forms of a register that differ, or a value that a register cannot have, mean that the stream
 * is damaged: nothing is written.
 */
START_TEST(damaged_registers)
{
    static const struct {
        unsigned row;
        uint64_t flip;
        const char *why;
    } rows[] = {
        {1, 1 << 1, "damaged: PMCNTENSET_EL0 is 0x80000021 and PMCNTENCLR_EL0 0x80000023"},
        {2, 1ull << 31, "damaged: PMCNTENSET_EL0 is 0x21 and PMCNTENCLR_EL0 0x80000021"},
        {3, 1 << 5, "damaged: PMOVSSET_EL0 is 0x1 and PMOVSCLR_EL0 0x21"},
        {4, 1, "damaged: PMOVSSET_EL0 is 0 and PMOVSCLR_EL0 0x1"},
        {5, 1 << 5, "damaged: PMINTENSET_EL1 is 0x20 and PMINTENCLR_EL1 0"},
        {6, 1, "damaged: PMINTENSET_EL1 is 0x21 and PMINTENCLR_EL1 0x20"},
        {8, 1 << 5, "damaged: PMSELR_EL0 is 0x25; it can be 0 to 0x1f"},
    };
    struct kvm_glue_state saved;
    struct kvm_glue_error err;

    make_guest(SOURCE);
    expect("save", 0, kvm_glue_state_save(&fake_os, SOURCE, &saved, NULL));
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct kvm_glue_state state = saved;

        state.value[rows[i].row] ^= rows[i].flip;
        expect(rows[i].why, -EINVAL,
               kvm_glue_state_restore(&fake_os, TARGET, &state, 0, NULL, &err));
        expect_text("why", rows[i].why, err.text);
        expect("untouched", 6 << 11, (long long)fake_reg(TARGET, PMCR));
        expect("untouched", 0, (long long)fake_reg(TARGET, PMCNTENSET));
    }
    /* Registers that are not restored may differ: counters that the guest did not have. */
    saved.value[1] ^= 1 << 6;
    expect("no counter", 0, kvm_glue_state_restore(&fake_os, TARGET, &saved, 0, NULL, &err));
    expect_moved(6);
}
END_TEST

/* A state that was saved when the magic number was that of emulated PMUs. */
START_TEST(saved_before)
{
    struct kvm_glue_state state;

    make_guest(SOURCE);
    expect("save", 0, kvm_glue_state_save(&fake_os, SOURCE, &state, NULL));
    expect("magic, kPMU", 0x554d506b, state.magic);
    expect("another than before", 1, KVM_GLUE_STATE_MAGIC != KVM_GLUE_STATE_MAGIC_BEFORE);
    expect("version", 2, state.version);
    state.magic = 0x554d5076;
    state.version = 1;
    expect("restore", 0, kvm_glue_state_restore(&fake_os, TARGET, &state, 0, NULL, NULL));
    expect_moved(6);
}
END_TEST

/*
 * PMMIR_EL1.SLOTS, which is 4 where the vCPU is STRICT. Kernels before 7.3 do not have the
 * register:
 * @has says which of the source and the target do.
 */
static void make_slots(int vm, bool has, unsigned slots, bool ran)
{
    fake.vm[vm].has_pmmir = has;
    fake.vm[vm].slots = slots;
    fake.vm[vm].ran = ran;
}

static const struct {
    bool has[2];
    unsigned slots[2];
    bool ran; /* the target has run */
    int error;
    unsigned left; /* the target's slots after it */
    const char *why;
} slot_rows[] = {
    {{false, false}, {0, 0}, false, 0, 0, "6.12 to 6.12"},
    {{false, true}, {0, 0}, false, 0, 0, "6.12 to 7.3"},
    {{true, false}, {0, 0}, false, 0, 0, "7.3 to 6.12"},
    {{true, true}, {4, 4}, false, 0, 4, "STRICT to STRICT"},
    {{true, true}, {4, 4}, true, 0, 4, "STRICT to STRICT, a snapshot"},
    {{false, true}, {0, 4}, false, 0, 0, "6.12 to STRICT: hidden"},
    {{true, true}, {0, 4}, false, 0, 0, "7.3 to STRICT: hidden"},
    {{false, true},
     {0, 4},
     true,
     EBUSY,
     4,
     "PMMIR_EL1 cannot be changed from SLOTS 4 to 0: Device or resource busy: a vCPU has run, "
     "which fixes the value; restore the PMU into a new VM"},
    {{true, false},
     {4, 0},
     false,
     ERANGE,
     0,
     "the saved PMU has PMMIR_EL1.SLOTS 4, and this kernel has no PMMIR_EL1; restore it on "
     "Linux 7.3"},
    {{true, true},
     {4, 0},
     false,
     ERANGE,
     0,
     "the saved PMU has PMMIR_EL1.SLOTS 4, this vCPU has 0; restore it on a host with the "
     "same"},
    {{true, true}, {4, 8}, false, ERANGE, 8, "has PMMIR_EL1.SLOTS 4, this vCPU has 8; restore"},
    {{true, true},
     {0x104, 4},
     false,
     EINVAL,
     4,
     "the saved PMU is damaged: PMMIR_EL1 is 0x104; it can be 0 to 0xff"},
};

START_TEST(slots)
{
    for (size_t i = 0; i < COUNT_OF(slot_rows); i++) {
        struct kvm_glue_state state;
        struct kvm_glue_error err = {.text = ""};

        fake_start();
        make_slots(0, slot_rows[i].has[0], slot_rows[i].slots[0], false);
        make_guest(SOURCE);
        make_slots(1, slot_rows[i].has[1], slot_rows[i].slots[1], slot_rows[i].ran);
        expect("save", 0, kvm_glue_state_save(&fake_os, SOURCE, &state, &err));
        expect("saved", slot_rows[i].slots[0], (long long)state.pmmir);
        expect(slot_rows[i].why, -slot_rows[i].error,
               kvm_glue_state_restore(&fake_os, TARGET, &state, 0, NULL, &err));
        expect(slot_rows[i].why, slot_rows[i].left, fake.vm[1].slots);
        if (slot_rows[i].error != 0) {
            expect_text("why", slot_rows[i].why, err.text);
        } else {
            expect_moved(6);
        }
        if (slot_rows[i].error == ERANGE || slot_rows[i].error == EINVAL) {
            expect("untouched", 6 << 11, (long long)fake_reg(TARGET, PMCR));
        }
    }
}
END_TEST

/*
 * The 600 bytes of a state of version 1: magic and version, then registers as 64-bit words, by
 * their byte offset. Libraries before 7.3's PMMIR wrote this for the guest of make_guest().
 */
static void make_version_1(struct kvm_glue_state *state)
{
    static const struct {
        unsigned offset;
        uint64_t word;
    } words[] = {
        {0, 0x00060001554d506b},
        {8, 0x3041},
        {16, 0x80000021},
        {24, 0x80000021},
        {32, 1},
        {40, 1},
        {48, 0x20},
        {56, 0x20},
        {72, 5},
        {80, 0xf},
        {88, 100},
        {96, 0x40000000},
        {104, 100},
        {128, 33},
        {144, 100},
        {352, 0x08},
        {392, 0x80000011},
    };

    memset(state, 0, 600);
    memset((char *)state + 600, 0xaa, sizeof(*state) - 600);
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        memcpy((char *)state + words[i].offset, &words[i].word, 8);
    }
}

/* A state of version 1 ends before PMMIR, so what is there does not count. */
START_TEST(saved_without_slots)
{
    struct kvm_glue_state state;
    struct kvm_glue_state now;

    make_guest(SOURCE);
    expect("save", 0, kvm_glue_state_save(&fake_os, SOURCE, &now, NULL));
    make_version_1(&state);
    expect("the same registers", 0, memcmp(now.value, state.value, sizeof(now.value)));
    expect("size of version 1", 600, offsetof(struct kvm_glue_state, pmmir));
    make_slots(1, true, 4, false);
    expect("restore", 0, kvm_glue_state_restore(&fake_os, TARGET, &state, 0, NULL, NULL));
    expect("hidden", 0, fake.vm[1].slots);
    expect_moved(6);
}
END_TEST

START_TEST(no_access_to_slots)
{
    struct kvm_glue_state state;
    struct kvm_glue_error err;

    make_slots(0, true, 0, false);
    make_slots(1, true, 4, false);
    make_guest(SOURCE);
    expect("save", 0, kvm_glue_state_save(&fake_os, SOURCE, &state, NULL));
    fake.fail_request = KVM_GET_ONE_REG;
    fake.fail_what = 0xc4f6;
    fake.fail_error = EPERM;
    expect("save", -EPERM, kvm_glue_state_save(&fake_os, SOURCE, &state, &err));
    expect_text("save", "PMMIR_EL1 cannot be read: Operation not permitted", err.text);
    expect("restore", -EPERM, kvm_glue_state_restore(&fake_os, TARGET, &state, 0, NULL, &err));
    expect_text("restore", "PMMIR_EL1 cannot be read: Operation not permitted", err.text);
    expect("untouched", 6 << 11, (long long)fake_reg(TARGET, PMCR));
}
END_TEST

/* With STRICT the kernel ignores PMCR.N: the vCPU must have been set up with as many counters. */
START_TEST(strict)
{
    struct kvm_glue_state state;
    struct kvm_glue_error err;

    fake.vm[0].counters = 4;
    fake_set_reg(SOURCE, PMCR, 4 << 11);
    expect("save", 0, kvm_glue_state_save(&fake_os, SOURCE, &state, NULL));
    fake.vm[1].strict = true;
    expect("refused", -ERANGE, kvm_glue_state_restore(&fake_os, TARGET, &state, 0, NULL, &err));
    expect_text("refused", "and make a vCPU with KVM_ARM_VCPU_PMU_V3_STRICT with as many",
                err.text);
    fake.vm[1].counters = 4;
    expect("as many", 0, kvm_glue_state_restore(&fake_os, TARGET, &state, 0, NULL, &err));
}
END_TEST

/* Each access fails once. */
START_TEST(no_access)
{
    struct kvm_glue_state state;
    struct kvm_glue_error err;

    make_guest(SOURCE);
    expect("save", 0, kvm_glue_state_save(&fake_os, SOURCE, &state, NULL));
    fake.fail_error = ENOENT;
    for (unsigned row = 0; row < KVM_GLUE_REGISTERS; row++) {
        struct kvm_glue_register reg;
        struct kvm_glue_state again;

        kvm_glue_register(row, &reg);
        fake.fail_what = reg.id & 0xffff;
        fake.fail_request = KVM_GET_ONE_REG;
        expect(reg.name, -ENOENT, kvm_glue_state_save(&fake_os, SOURCE, &again, &err));
        expect_text("read", reg.name, err.text);
        fake.vm[1].ran = false;
        if (reg.counter == 255 ? reg.restore != KVM_GLUE_NEVER
                               : reg.counter < 6 || reg.counter == 31) {
            expect(reg.name, -ENOENT,
                   kvm_glue_state_restore(&fake_os, TARGET, &state, 0, NULL, &err));
            expect_text("read again", reg.name, err.text);
            fake.fail_request = KVM_SET_ONE_REG;
            expect(reg.name, -ENOENT,
                   kvm_glue_state_restore(&fake_os, TARGET, &state, 0, NULL, &err));
            expect_text("written", reg.name, err.text);
        }
    }
}
END_TEST

/* A register that does not keep its value is detected. LC may read as 1. */
START_TEST(not_kept)
{
    struct kvm_glue_state state;
    struct kvm_glue_error err;

    make_guest(SOURCE);
    expect("save", 0, kvm_glue_state_save(&fake_os, SOURCE, &state, NULL));
    fake.drop_write = true;
    fake.fail_what = PMEVTYPER(5);
    expect("lost", -EIO, kvm_glue_state_restore(&fake_os, TARGET, &state, 0, NULL, &err));
    expect_text("lost", "PMEVTYPER5_EL0 was written as 0x80000011 and reads 0", err.text);
    fake.fail_what = PMCR;
    fake_set_reg(TARGET, PMCR, 6 << 11 | 0x41 | 6);
    state.value[0] &= ~0x40ull;
    expect("LC", 0, kvm_glue_state_restore(&fake_os, TARGET, &state, 0, NULL, &err));
    fake_set_reg(TARGET, PMCR, 6 << 11 | 0x40);
    expect("E", -EIO, kvm_glue_state_restore(&fake_os, TARGET, &state, 0, NULL, &err));
    expect_text("E", "PMCR_EL0 was written as 0x3001 and reads 0x3040", err.text);
}
END_TEST

Suite *state_suite(void)
{
    const TTest *const tests[] = {round_trip,         snapshot,      resets_are_not_repeated,
                                  fewer_counters,     more_counters, damaged,
                                  no_access,          not_kept,      damaged_registers,
                                  saved_before,       slots,         saved_without_slots,
                                  no_access_to_slots, strict};

    return suite_of("state", tests, COUNT_OF(tests));
}
