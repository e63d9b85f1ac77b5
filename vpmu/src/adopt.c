/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Going on with the registers of another implementation's PMU. */
#include "vpmu/adopt.h"

#include "internal.h"
#include "vpmu/watch.h"

#define CEID_LOW 0
#define CEID_HIGH 32
#define PMCR_N_MASK 0x1full
#define PMCR_FIELD_MASK 0xffull

static uint64_t field(uint64_t val, unsigned shift, uint64_t mask)
{
    return val >> shift & mask;
}

static bool has_same_pmcr(const struct vpmu *v, uint64_t pmcr)
{
    return field(pmcr, VPMU_PMCR_N_SHIFT, PMCR_N_MASK) == v->config.counters &&
           field(pmcr, VPMU_PMCR_IMP_SHIFT, PMCR_FIELD_MASK) == v->config.imp &&
           field(pmcr, VPMU_PMCR_IDCODE_SHIFT, PMCR_FIELD_MASK) == v->config.idcode;
}

static bool is_counter(const struct vpmu *v, unsigned n)
{
    return n < v->config.counters;
}

static const char *find_fault_in_one(const struct vpmu *v, const struct vpmu_register *r)
{
    if (r->reg >= VPMU_REG_COUNT) {
        return "there is a register that no PMU has";
    }
    if (r->reg == VPMU_PMCR && !has_same_pmcr(v, r->val)) {
        return "its PMCR says that it has another number of event counters, or another implementer";
    }
    if (r->reg == VPMU_PMMIR && r->val != vpmu_pmmir_(v)) {
        return "its PMMIR says that it has other slots or thresholds";
    }
    if (r->reg >= VPMU_PMEVTYPER0 && !is_counter(v, r->reg - VPMU_PMEVTYPER0)) {
        return "it has more event counters";
    }
    if (r->reg >= VPMU_PMEVCNTR0 && r->reg < VPMU_PMEVTYPER0 &&
        !is_counter(v, r->reg - VPMU_PMEVCNTR0)) {
        return "it has more event counters";
    }
    return NULL;
}

/* Would PMCEID<n> be what it was, announcing like this? */
static bool announces_same(struct vpmu *v, enum vpmu_announced announced,
                           const struct vpmu_register *regs, size_t count)
{
    uint8_t before = v->announced;
    bool same = true;

    v->announced = (uint8_t)announced;
    for (size_t i = 0; i < count; i++) {
        if (regs[i].reg == VPMU_PMCEID0) {
            same &= regs[i].val == vpmu_pmceid_(v, CEID_LOW);
        } else if (regs[i].reg == VPMU_PMCEID1) {
            same &= regs[i].val == vpmu_pmceid_(v, CEID_HIGH);
        }
    }
    v->announced = before;
    return same;
}

static const char *find_fault(struct vpmu *v, const struct vpmu_register *regs, size_t count,
                              enum vpmu_announced *announced)
{
    for (size_t i = 0; i < count; i++) {
        const char *fault = find_fault_in_one(v, &regs[i]);

        if (fault) {
            return fault;
        }
    }
    for (*announced = VPMU_ANNOUNCED_ALL; *announced < VPMU_ANNOUNCED_COUNT; (*announced)++) {
        if (announces_same(v, *announced, regs, count)) {
            return NULL;
        }
    }
    return "its PMCEID announces events that this PMU cannot announce";
}

static void take_type(struct vpmu *v, unsigned idx, uint64_t val)
{
    v->counter[idx].type = val & vpmu_typer_kept_(v, idx);
}

static void take(struct vpmu *v, const struct vpmu_register *r)
{
    uint64_t implemented = vpmu_implemented_(v);

    switch (r->reg) {
    case VPMU_PMCR:
        v->pmcr = (r->val & vpmu_pmcr_kept_(v)) | vpmu_pmcr_fixed_(v);
        break;
    case VPMU_PMCNTENSET:
    case VPMU_PMCNTENCLR:
        v->cnten |= r->val & implemented;
        break;
    case VPMU_PMINTENSET:
    case VPMU_PMINTENCLR:
        v->inten |= r->val & implemented;
        break;
    case VPMU_PMOVSSET:
    case VPMU_PMOVSCLR:
        v->ovs |= r->val & implemented;
        break;
    case VPMU_PMUSERENR:
        v->userenr = r->val & vpmu_userenr_kept_(v);
        break;
    case VPMU_PMSELR:
        v->selr = r->val & VPMU_SELR_MASK;
        break;
    case VPMU_PMCCNTR:
    case VPMU_PMCCNTR_WIDE:
        vpmu_counter_set_(v, VPMU_CYCLE_COUNTER, r->val);
        break;
    case VPMU_PMCCFILTR:
        take_type(v, VPMU_CYCLE_COUNTER, r->val);
        break;
    default:
        if (r->reg >= VPMU_PMEVTYPER0) {
            take_type(v, r->reg - VPMU_PMEVTYPER0, r->val);
        } else if (r->reg >= VPMU_PMEVCNTR0) {
            vpmu_counter_set_(v, r->reg - VPMU_PMEVCNTR0, r->val);
        }
        break;
    }
}

int vpmu_adopt(struct vpmu *v, const struct vpmu_register *regs, size_t count, const char **why)
{
    enum vpmu_announced announced;
    const char *fault = find_fault(v, regs, count, &announced);

    if (fault) {
        if (why) {
            *why = fault;
        }
        return -VPMU_ERR_STATE;
    }
    vpmu_begin_(v);
    vpmu_registers_clear_(v);
    v->announced = (uint8_t)announced;
    for (size_t i = 0; i < count; i++) {
        take(v, &regs[i]);
    }
    vpmu_end_(v, vpmu_implemented_(v));
    if (v->watch) {
        vpmu_watch_restart_(v);
    }
    return 0;
}
