/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Continues from the registers of another implementation's PMU. */
#include "vpmu/arm/adopt.h"

#include "../refuse.h"
#include "arm_internal.h"

#define CEID_LOW 0
#define CEID_HIGH 32
#define PMCR_N_MASK 0x1full
#define PMCR_FIELD_MASK 0xffull

static uint64_t field(uint64_t val, unsigned shift, uint64_t mask)
{
    return val >> shift & mask;
}

static bool has_same_pmcr(const struct vpmu_arm_config *config, uint64_t pmcr)
{
    return field(pmcr, VPMU_PMCR_N_SHIFT, PMCR_N_MASK) == config->counters &&
           field(pmcr, VPMU_PMCR_IMP_SHIFT, PMCR_FIELD_MASK) == config->imp &&
           field(pmcr, VPMU_PMCR_IDCODE_SHIFT, PMCR_FIELD_MASK) == config->idcode;
}

static const char *find_fault_in_one(const struct vpmu_arm_config *config,
                                     const struct vpmu_register *r)
{
    if (r->reg >= VPMU_REG_COUNT) {
        return "there is a register that no PMU has";
    }
    if (r->reg == VPMU_PMCR && !has_same_pmcr(config, r->val)) {
        return "its PMCR says that it has another number of event counters, or another implementer";
    }
    if (r->reg == VPMU_PMMIR && r->val != vpmu_pmmir_(config, VPMU_ANNOUNCED_ALL) &&
        r->val != vpmu_pmmir_(config, VPMU_ANNOUNCED_CYCLES)) {
        return "its PMMIR says that it has other slots or thresholds";
    }
    if (vpmu_event_counter_of_(r->reg) >= (int)config->counters) {
        return "it has more event counters";
    }
    return NULL;
}

/* Tells whether PMCEID<n> and PMMIR would be unchanged with this enum vpmu_announced. */
static bool announces_same(const struct vpmu_arm_config *config, enum vpmu_announced announced,
                           const struct vpmu_register *regs, size_t count)
{
    bool same = true;

    for (size_t i = 0; i < count; i++) {
        if (regs[i].reg == VPMU_PMCEID0) {
            same &= regs[i].val == vpmu_pmceid_(config, announced, CEID_LOW);
        } else if (regs[i].reg == VPMU_PMCEID1) {
            same &= regs[i].val == vpmu_pmceid_(config, announced, CEID_HIGH);
        } else if (regs[i].reg == VPMU_PMMIR) {
            same &= regs[i].val == vpmu_pmmir_(config, announced);
        }
    }
    return same;
}

static const char *find_fault(const struct vpmu_arm_config *config,
                              const struct vpmu_register *regs, size_t count,
                              enum vpmu_announced *announced)
{
    for (size_t i = 0; i < count; i++) {
        const char *fault = find_fault_in_one(config, &regs[i]);

        if (fault) {
            return fault;
        }
    }
    for (*announced = VPMU_ANNOUNCED_ALL; *announced < VPMU_ANNOUNCED_COUNT; (*announced)++) {
        if (announces_same(config, *announced, regs, count)) {
            return NULL;
        }
    }
    return "its PMCEID announces events that this PMU cannot announce";
}

static void take_type(struct vpmu_arm *v, unsigned idx, uint64_t val)
{
    v->regs.type[idx] = val & vpmu_typer_kept_(&v->config, idx);
}

static void take_value(struct vpmu_arm *v, unsigned idx, uint64_t val)
{
    vpmu_count_set_(&v->count, idx, val & vpmu_counter_kept_(&v->config, idx));
}

static void take(struct vpmu_arm *v, const struct vpmu_register *r)
{
    uint64_t implemented = vpmu_implemented_(&v->config);

    switch (r->reg) {
    case VPMU_PMCR:
        v->regs.pmcr = (r->val & vpmu_pmcr_kept_(&v->config)) | vpmu_pmcr_fixed_(&v->config);
        break;
    case VPMU_PMCNTENSET:
    case VPMU_PMCNTENCLR:
        v->regs.cnten |= r->val & implemented;
        break;
    case VPMU_PMINTENSET:
    case VPMU_PMINTENCLR:
        v->regs.inten |= r->val & implemented;
        break;
    case VPMU_PMOVSSET:
    case VPMU_PMOVSCLR:
        v->regs.ovs |= r->val & implemented;
        break;
    case VPMU_PMUSERENR:
        v->regs.userenr = r->val & vpmu_userenr_kept_(&v->config);
        break;
    case VPMU_PMSELR:
        v->regs.selr = r->val & VPMU_SELR_MASK;
        break;
    case VPMU_PMCCNTR:
    case VPMU_PMCCNTR_WIDE:
        take_value(v, VPMU_CYCLE_COUNTER, r->val);
        break;
    case VPMU_PMCCFILTR:
        take_type(v, VPMU_CYCLE_COUNTER, r->val);
        break;
    default:
        if (r->reg >= VPMU_PMEVTYPER0) {
            take_type(v, r->reg - VPMU_PMEVTYPER0, r->val);
        } else if (r->reg >= VPMU_PMEVCNTR0) {
            take_value(v, r->reg - VPMU_PMEVCNTR0, r->val);
        }
        break;
    }
}

int vpmu_arm_adopt(struct vpmu_arm *v, const struct vpmu_register *regs, size_t count,
                   const struct vpmu_now *now, const char **why)
{
    enum vpmu_announced announced;
    const char *fault = find_fault(&v->config, regs, count, &announced);
    int due;

    if (fault) {
        return vpmu_refuse_(fault, VPMU_ERR_STATE, why);
    }
    vpmu_begin_(&v->count, now);
    v->regs = vpmu_regs_reset_(&v->config);
    vpmu_count_clear_(&v->count);
    v->announced = (uint8_t)announced;
    for (size_t i = 0; i < count; i++) {
        take(v, &regs[i]);
    }
    due = vpmu_end_(&v->count, vpmu_implemented_(&v->config), false);
    return v->watch ? due | vpmu_watch_restart_(v, now) : due;
}
