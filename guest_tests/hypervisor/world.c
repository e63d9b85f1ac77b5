/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hypervisor/world.h"

#include "hypervisor/guest.h"
#include "registers/pmu.h"
#include "runtime/mmu.h"
#include "runtime/pmu_setup.h"
#include "runtime/report.h"

/* EL1's registers, under the names that EL2 of a VHE host uses (Arm ARM D23). */
#define VBAR_EL12 S3_5_C12_C0_0
#define ELR_EL12 S3_5_C4_C0_1
#define SPSR_EL12 S3_5_C4_C0_0

/* CPTR_EL2 has CPACR_EL1's layout with HCR_EL2.E2H. */
#define CPTR_EL2_FPEN (UINT64_C(3) << 20)

#define VTTBR_VMID(n) ((uint64_t)(n) << 48)

#define HCR_HOST (HCR_EL2_RW)
#define HCR_GUEST (HCR_EL2_RW | HCR_EL2_VM | HCR_EL2_TWI | HCR_EL2_TID3)

/* Offsets in this CPU's stack, in steps from its top. The runtime's calls use the first three. */
#define GUEST_STACK_STEP 4u

struct world world;

extern const char host_vectors_el1[], host_vectors_el2[], hyp_vectors[], guest_vectors[];
extern const char guest_vectors_el1[];

static uint64_t host_hcr(void)
{
    return HCR_HOST | (is_vhe() ? HCR_EL2_E2H | HCR_EL2_TGE : 0);
}

static uint64_t guest_hcr(void)
{
    return HCR_GUEST | (is_vhe() ? HCR_EL2_E2H : 0);
}

static const char *host_el2_vectors(void)
{
    return is_vhe() ? host_vectors_el2 : hyp_vectors;
}

/* The runtime's map of stage 2, in use only while a guest runs. */
static uint64_t stage2_base(void)
{
    uint64_t base;

    stage2_enable();
    base = read_sysreg(vttbr_el2);
    write_sysreg(vttbr_el2, 0);
    return base;
}

static void vcpu_init(struct vcpu *v, unsigned n, uint64_t stage2)
{
    uintptr_t stack = (uintptr_t)this_cpu() + STACK_SIZE;

    *v = (struct vcpu){.last = last_step, .first = first_step, .vttbr = stage2 | VTTBR_VMID(n + 1)};
    v->el1.vbar = (uintptr_t)guest_vectors_el1;
    v->el1.sp_el1 = stack - (GUEST_STACK_STEP + n) * LEVEL_STACK_STEP;
    guest_reset(v);
}

void world_start(enum vpmu_host_mode mode)
{
    uint64_t stage2 = stage2_base();

    world.mode = mode;
    world.errors = 0;
    for (unsigned place = 0; place < PLACES; place++) {
        world.loops[place] = 1;
    }
    for (unsigned n = 0; n < GUESTS; n++) {
        vcpu_init(&world.guest[n], n, stage2);
    }
    expect_eq("vpmu_arm_switch_init", mode, 0,
              (uint64_t)vpmu_arm_switch_init(&world.pmu, mode, pmu_counters(), NULL));
    write_sysreg(vbar_el1, (uintptr_t)host_vectors_el1);
    write_sysreg(vbar_el2, (uintptr_t)host_el2_vectors());
    write_sysreg(hcr_el2, host_hcr());
    isb();
    if (is_vhe()) {
        write_sysreg(cptr_el2, CPTR_EL2_FPEN);
    }
    write_sysreg(pmcr_el0, PMCR_E | PMCR_LC);
    isb();
}

uint64_t host_call(level_fn fn, uint64_t arg)
{
    return call_at(is_vhe() ? EL2 : EL1, fn, arg);
}

uint64_t at_hyp(level_fn fn, uint64_t arg)
{
    uint64_t result = is_vhe() ? fn(arg) : hyp_call(fn, arg);

    world.errors += result != 0;
    return result;
}

int last_step(void)
{
    return vpmu_arm_guest_enter(&world.pmu);
}

int first_step(void)
{
    return vpmu_arm_guest_exit(&world.pmu);
}

int last_step_spending(void)
{
    int result = vpmu_arm_guest_enter(&world.pmu);

    spend_at(WINDOW_ENTRY);
    return result;
}

int first_step_spending(void)
{
    spend_at(WINDOW_EXIT);
    return vpmu_arm_guest_exit(&world.pmu);
}

uint64_t guest_load(uint64_t vcpu)
{
    struct vcpu *v = (struct vcpu *)vcpu;

    return (uint64_t)vpmu_arm_guest_load(&world.pmu, &v->pmu);
}

uint64_t guest_put(uint64_t vcpu)
{
    (void)vcpu;
    return (uint64_t)vpmu_arm_guest_put(&world.pmu);
}

static void el1_save(struct el1 *e)
{
    e->sp_el0 = read_sysreg(sp_el0);
    e->sp_el1 = read_sysreg(sp_el1);
    e->vbar = is_vhe() ? read_sysreg(VBAR_EL12) : read_sysreg(vbar_el1);
    e->elr = is_vhe() ? read_sysreg(ELR_EL12) : read_sysreg(elr_el1);
    e->spsr = is_vhe() ? read_sysreg(SPSR_EL12) : read_sysreg(spsr_el1);
}

static void el1_restore(const struct el1 *e)
{
    write_sysreg(sp_el0, e->sp_el0);
    write_sysreg(sp_el1, e->sp_el1);
    if (is_vhe()) {
        write_sysreg(VBAR_EL12, e->vbar);
        write_sysreg(ELR_EL12, e->elr);
        write_sysreg(SPSR_EL12, e->spsr);
    } else {
        write_sysreg(vbar_el1, e->vbar);
        write_sysreg(elr_el1, e->elr);
        write_sysreg(spsr_el1, e->spsr);
    }
}

/* A guest without counters has no PMU at all. */
static void trap_pmu(bool on)
{
    uint64_t mdcr = read_sysreg(mdcr_el2) & ~(MDCR_EL2_TPM | MDCR_EL2_TPMCR);

    write_sysreg(mdcr_el2, mdcr | (on ? MDCR_EL2_TPM | MDCR_EL2_TPMCR : 0));
}

static void to_guest(const struct vcpu *v)
{
    el1_save(&world.host);
    el1_restore(&v->el1);
    write_sysreg(vttbr_el2, v->vttbr);
    write_sysreg(vbar_el2, (uintptr_t)guest_vectors);
    write_sysreg(hcr_el2, guest_hcr());
    write_sysreg(elr_el2, v->pc);
    write_sysreg(spsr_el2, v->pstate);
    trap_pmu(v->pmu.counters == 0);
    isb();
}

static void to_host(struct vcpu *v)
{
    v->pc = read_sysreg(elr_el2);
    v->pstate = read_sysreg(spsr_el2);
    v->esr = read_sysreg(esr_el2);
    write_sysreg(hcr_el2, host_hcr());
    write_sysreg(vbar_el2, (uintptr_t)host_el2_vectors());
    write_sysreg(vttbr_el2, 0);
    el1_save(&v->el1);
    el1_restore(&world.host);
    trap_pmu(false);
    isb();
}

/* The guest's kernel has reported something unexpected: the test ends. */
static void give_up_with(const struct vcpu *v)
{
    if (ESR_EC(v->esr) == EC_HVC64 && (v->esr & 0xffff) == CALL_ABORT) {
        test_abort();
    }
}

uint64_t guest_run(uint64_t vcpu)
{
    struct vcpu *v = (struct vcpu *)vcpu;
    int result;

    spend_at(HYP_BEFORE);
    guest_ready(v, world.loops);
    to_guest(v);
    result = world_enter(v);
    to_host(v);
    give_up_with(v);
    world.errors += !guest_account(v, world.loops);
    spend_at(HYP_AFTER);
    return (uint64_t)result;
}
