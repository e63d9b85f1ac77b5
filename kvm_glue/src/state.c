/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Saves and restores a guest's PMU.
 *
 * The SET and CLR forms of a register show the same state. A kernel may store what is written to
 * either form, or set and clear bits by it; released kernels do both. Writing all ones to CLR and
 * then the value to SET is correct on both.
 */
#include "kvm_glue/state.h"

#include <errno.h>
#include <string.h>

#include "internal.h"
#include "pmmir.h"
#include "vpmu/arm/regs.h"

/* Of kvm_glue_state. */
#define VERSION_WITHOUT_PMMIR 1u

#define PMCR_ROW 0u
#define CNTEN_ROW 2u
#define SELR_ROW 8u
/*
 * The bits of PMCR_EL0 that are restored: those that the guest sets and that affect counting. C and
 * P are commands, so they are not.
 */
#define PMCR_KEPT                                                                                  \
    (VPMU_PMCR_E | VPMU_PMCR_D | VPMU_PMCR_X | VPMU_PMCR_DP | VPMU_PMCR_LC | VPMU_PMCR_LP |        \
     VPMU_PMCR_FZO | VPMU_PMCR_FZS)
#define PMCR_N (VPMU_PMCR_N_MASK << VPMU_PMCR_N_SHIFT)

static unsigned counters_of(uint64_t pmcr)
{
    return (unsigned)(pmcr >> VPMU_PMCR_N_SHIFT & VPMU_PMCR_N_MASK);
}

static uint64_t with_counters(uint64_t pmcr, unsigned counters)
{
    return (pmcr & ~PMCR_N) | (uint64_t)counters << VPMU_PMCR_N_SHIFT;
}

/* The mask of the event counters below @counters and the cycle counter. */
static uint64_t mask_of(unsigned counters)
{
    return ((1ull << counters) - 1) | 1ull << VPMU_CYCLE_COUNTER;
}

static int read_row(const struct kvm_glue_os *os, int fd, unsigned row, uint64_t *value,
                    struct kvm_glue_error *err)
{
    struct kvm_glue_register reg;
    int ret;

    kvm_glue_register(row, &reg);
    ret = kvm_glue_get_reg_(os, fd, reg.id, value);
    if (ret < 0) {
        return kvm_glue_fail_(err, ret, "%s cannot be read: %s: %s", reg.name, strerror(-ret),
                              kvm_glue_register_meaning_(-ret));
    }
    return 0;
}

static int write_row(const struct kvm_glue_os *os, int fd, unsigned row, uint64_t value,
                     struct kvm_glue_error *err)
{
    struct kvm_glue_register reg;
    int ret;

    kvm_glue_register(row, &reg);
    ret = kvm_glue_set_reg_(os, fd, reg.id, value);
    if (ret < 0) {
        return kvm_glue_fail_(err, ret, "%s cannot be written: %s: %s", reg.name, strerror(-ret),
                              kvm_glue_register_meaning_(-ret));
    }
    return 0;
}

int kvm_glue_state_save(const struct kvm_glue_os *os, int vcpu_fd, struct kvm_glue_state *state,
                        struct kvm_glue_error *err)
{
    memset(state, 0, sizeof(*state));
    for (unsigned row = 0; row < KVM_GLUE_REGISTERS; row++) {
        int ret = read_row(os, vcpu_fd, row, &state->value[row], err);

        if (ret < 0) {
            return ret;
        }
    }
    state->magic = KVM_GLUE_STATE_MAGIC;
    state->version = KVM_GLUE_STATE_VERSION;
    state->counters = (uint16_t)counters_of(state->value[PMCR_ROW]);
    return kvm_glue_pmmir_save_(os, vcpu_fd, &state->pmmir, err);
}

/* Checks a row. The row of a CLR form precedes that of its SET form. */
static int check_row(const struct kvm_glue_state *state, unsigned row, struct kvm_glue_error *err)
{
    struct kvm_glue_register reg, clr;
    uint64_t value = state->value[row];

    kvm_glue_register(row, &reg);
    if (row == SELR_ROW && value > VPMU_SELR_MASK) {
        return kvm_glue_fail_(err, -EINVAL,
                              "the saved PMU is damaged: %s is %#llx; it can be 0 to %#llx",
                              reg.name, (unsigned long long)value, VPMU_SELR_MASK);
    }
    if (reg.restore == KVM_GLUE_SET &&
        ((value ^ state->value[row - 1]) & mask_of(state->counters))) {
        kvm_glue_register(row - 1, &clr);
        return kvm_glue_fail_(err, -EINVAL,
                              "the saved PMU is damaged: %s is %#llx and %s %#llx; they are two "
                              "forms of one register, and the same",
                              reg.name, (unsigned long long)value, clr.name,
                              (unsigned long long)state->value[row - 1]);
    }
    return 0;
}

static int check_header(const struct kvm_glue_state *state, struct kvm_glue_error *err)
{
    if (state->magic != KVM_GLUE_STATE_MAGIC && state->magic != KVM_GLUE_STATE_MAGIC_BEFORE) {
        return kvm_glue_fail_(err, -EINVAL, "this is not a saved PMU state");
    }
    if (state->magic == KVM_GLUE_STATE_MAGIC_BEFORE && state->version != VERSION_WITHOUT_PMMIR) {
        return kvm_glue_fail_(err, -EINVAL,
                              "this is the saved state of an emulated PMU, not of a KVM guest's");
    }
    if (state->version < VERSION_WITHOUT_PMMIR || state->version > KVM_GLUE_STATE_VERSION) {
        return kvm_glue_fail_(err, -EINVAL,
                              "the saved PMU has version %u; this library reads versions 1 to %u",
                              state->version, KVM_GLUE_STATE_VERSION);
    }
    if (state->counters > KVM_GLUE_COUNTERS ||
        state->counters != counters_of(state->value[PMCR_ROW])) {
        return kvm_glue_fail_(err, -EINVAL,
                              "the saved PMU is damaged: it has %u counters, and PMCR_EL0.N is %u",
                              state->counters, counters_of(state->value[PMCR_ROW]));
    }
    return 0;
}

static int check_state(const struct kvm_glue_state *state, struct kvm_glue_error *err)
{
    int ret = check_header(state, err);

    for (unsigned row = 0; ret == 0 && row < KVM_GLUE_REGISTERS; row++) {
        ret = check_row(state, row, err);
    }
    return ret;
}

/* The value to restore for a guest with @counters event counters. */
static uint64_t value_for(const struct kvm_glue_state *state, unsigned row, unsigned counters)
{
    struct kvm_glue_register reg;

    kvm_glue_register(row, &reg);
    switch (reg.restore) {
    case KVM_GLUE_PMCR:
        return with_counters(state->value[row] & PMCR_KEPT, counters);
    case KVM_GLUE_SET:
    case KVM_GLUE_CLR:
        return state->value[row] & mask_of(counters);
    default:
        return state->value[row];
    }
}

static bool is_restored(const struct kvm_glue_register *reg, unsigned counters)
{
    switch (reg->restore) {
    case KVM_GLUE_NEVER:
        return false;
    case KVM_GLUE_COUNTER:
    case KVM_GLUE_TYPE:
        return reg->counter == VPMU_CYCLE_COUNTER || reg->counter < counters;
    default:
        return true;
    }
}

static int refuse_counters(unsigned saved, unsigned here, struct kvm_glue_error *err)
{
    if (here < saved) {
        return kvm_glue_fail_(err, -ERANGE,
                              "the saved PMU has %u event counters, this vCPU can have %u; restore "
                              "it on a host with as many, or have it truncated",
                              saved, here);
    }
    return kvm_glue_fail_(err, -ERANGE,
                          "the saved PMU has %u event counters, this vCPU has %u and the kernel "
                          "does not hide them; restore before its first run, on Linux 6.7 or "
                          "later, and make a vCPU with KVM_ARM_VCPU_PMU_V3_STRICT with as many",
                          saved, here);
}

/* Requests the saved number of counters. @here is set to the number that the vCPU has then. */
static int restore_pmcr(const struct kvm_glue_os *os, int fd, const struct kvm_glue_state *state,
                        unsigned flags, unsigned *here, struct kvm_glue_error *err)
{
    uint64_t before;
    uint64_t after;
    int ret = read_row(os, fd, PMCR_ROW, &before, err);

    if (ret == 0) {
        ret = write_row(os, fd, PMCR_ROW, value_for(state, PMCR_ROW, state->counters), err);
    }
    if (ret == 0) {
        ret = read_row(os, fd, PMCR_ROW, &after, err);
    }
    if (ret < 0) {
        return ret;
    }
    *here = counters_of(after);
    if ((*here < state->counters && !(flags & KVM_GLUE_TRUNCATE)) ||
        (*here > state->counters && !(flags & KVM_GLUE_WIDEN))) {
        ret = write_row(os, fd, PMCR_ROW, before & (PMCR_KEPT | PMCR_N), err);
        return ret < 0 ? ret : refuse_counters(state->counters, *here, err);
    }
    return 0;
}

/*
 * After a guest has run, a kernel may keep the perf event of a counter that is written, and add the
 * event's count to what is read. Write the value less that count then. Linux 6.12 does this.
 */
static int write_counter(const struct kvm_glue_os *os, int fd, unsigned row, uint64_t value,
                         struct kvm_glue_error *err)
{
    uint64_t got = value;
    int ret = write_row(os, fd, row, value, err);

    if (ret == 0) {
        ret = read_row(os, fd, row, &got, err);
    }
    return ret < 0 || got == value ? ret : write_row(os, fd, row, value - (got - value), err);
}

static int restore_row(const struct kvm_glue_os *os, int fd, unsigned row, uint64_t value,
                       enum kvm_glue_restore restore, struct kvm_glue_error *err)
{
    switch (restore) {
    case KVM_GLUE_CLR:
        return write_row(os, fd, row, UINT32_MAX, err);
    case KVM_GLUE_COUNTER:
        return write_counter(os, fd, row, value, err);
    default:
        return write_row(os, fd, row, value, err);
    }
}

static int restore_rows(const struct kvm_glue_os *os, int fd, const struct kvm_glue_state *state,
                        unsigned counters, struct kvm_glue_error *err)
{
    for (unsigned row = PMCR_ROW + 1; row < KVM_GLUE_REGISTERS; row++) {
        struct kvm_glue_register reg;
        uint64_t value = value_for(state, row, counters);
        int ret;

        kvm_glue_register(row, &reg);
        if (!is_restored(&reg, counters)) {
            continue;
        }
        ret = restore_row(os, fd, row, value, reg.restore, err);
        if (ret < 0) {
            return ret;
        }
    }
    return 0;
}

/* LC is RES1 without AArch32, so it may read as 1 even if the guest left it 0. */
static bool is_kept(unsigned row, uint64_t want, uint64_t got)
{
    uint64_t free = row == PMCR_ROW ? ~(PMCR_KEPT | PMCR_N) | (got & VPMU_PMCR_LC) : 0;

    return ((want ^ got) & ~free) == 0;
}

static int verify_rows(const struct kvm_glue_os *os, int fd, const struct kvm_glue_state *state,
                       unsigned counters, unsigned here, struct kvm_glue_error *err)
{
    for (unsigned row = PMCR_ROW; row < KVM_GLUE_REGISTERS; row++) {
        struct kvm_glue_register reg;
        uint64_t want = value_for(state, row, row == PMCR_ROW ? here : counters);
        uint64_t got;
        int ret;

        kvm_glue_register(row, &reg);
        if (!is_restored(&reg, counters)) {
            continue;
        }
        ret = read_row(os, fd, row, &got, err);
        if (ret < 0) {
            return ret;
        }
        if (!is_kept(row, want, got)) {
            return kvm_glue_fail_(err, -EIO,
                                  "%s was written as %#llx and reads %#llx; the saved PMU needs a "
                                  "host whose PMU has the same features",
                                  reg.name, (unsigned long long)want, (unsigned long long)got);
        }
    }
    return 0;
}

static void tell_loss(const struct kvm_glue_state *state, unsigned counters,
                      struct kvm_glue_loss *loss)
{
    uint64_t dropped = mask_of(state->counters) & ~mask_of(counters);

    loss->counters = counters;
    loss->dropped = (uint32_t)dropped;
    loss->in_use = (uint32_t)(state->value[CNTEN_ROW] & dropped);
}

/*
 * A counter that the guest did not have before does not count, because the saved bits do not
 * include it.
 */
static int restore_all(const struct kvm_glue_os *os, int fd, const struct kvm_glue_state *state,
                       unsigned here, struct kvm_glue_error *err)
{
    unsigned counters = here < state->counters ? here : state->counters;
    int ret = restore_rows(os, fd, state, counters, err);

    return ret < 0 ? ret : verify_rows(os, fd, state, counters, here, err);
}

int kvm_glue_state_restore(const struct kvm_glue_os *os, int vcpu_fd,
                           const struct kvm_glue_state *state, unsigned flags,
                           struct kvm_glue_loss *loss, struct kvm_glue_error *err)
{
    uint64_t pmmir = state->version == VERSION_WITHOUT_PMMIR ? 0 : state->pmmir;
    unsigned here = 0;
    int ret = check_state(state, err);

    if (ret == 0) {
        ret = kvm_glue_pmmir_check_(os, vcpu_fd, pmmir, err);
    }
    if (ret == 0) {
        ret = restore_pmcr(os, vcpu_fd, state, flags, &here, err);
    }
    if (ret == 0) {
        ret = kvm_glue_pmmir_restore_(os, vcpu_fd, pmmir, err);
    }
    if (ret == 0) {
        ret = restore_all(os, vcpu_fd, state, here, err);
    }
    if (ret == 0 && loss != NULL) {
        tell_loss(state, here, loss);
    }
    return ret;
}
