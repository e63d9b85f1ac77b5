/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PMU of an Arm CPU in a stream
 *
 * The subsection cpu/vpmu has the PMU, the branch record buffer and SPE; see
 * system/vpmu_saved.h.  A stream of a QEMU without vpmu has the PMU's registers
 * in the list of all registers, as the guest sees them.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "cpu.h"
#include "cpregs.h"
#include "internals.h"
#include "migration/vmstate.h"
#include "target/arm/pmu/parts.h"
#include "target/arm/pmu/private.h"
#include "target/arm/pmu/qmp.h"
#include "system/vpmu_model.h"

/*
 * What the PMU is like
 */

/*
 * Software has read PMCR.N before, so a CPU whose user has not said how many
 * counters it has gets those of the stream: a stock QEMU's "max" has 6.
 */
static bool may_have_counters(ARMCPU *cpu, int64_t counters)
{
    return !cpu->pmu_config.counters_set && counters >= 0 &&
           counters <= cpu->vpmu->counters;
}

static void add_counters(GString *text, ARMCPU *cpu, const char *saved)
{
    const char *name = "num-pmu-counters";
    int64_t counters = saved ? vpmu_saved_number(saved, name) : -1;
    g_autofree char *value = NULL;

    if (!may_have_counters(cpu, counters)) {
        counters = pmu_num_counters(&cpu->env);
    }
    value = g_strdup_printf("%" PRId64, counters);
    vpmu_saved_add(text, name, value);
}

/* The last one is in a state only if it is on: it came after the others. */
static bool is_described(ARMCPU *cpu, const char *name)
{
    return !g_str_equal(name, "num-pmu-counters") &&
           (cpu->pmu_config.cache_told || !g_str_equal(name, "pmu-cache-told"));
}

static GString *describe(CPUState *cs, const char *saved)
{
    ARMCPU *cpu = ARM_CPU(cs);
    CPUARMState *env = &cpu->env;
    g_autofree char *type = g_strdup(object_get_typename(OBJECT(cpu)));
    GString *text = g_string_new("");
    const char *name;

    type[strlen(type) - strlen(ARM_CPU_TYPE_SUFFIX)] = '\0';
    vpmu_saved_add(text, "cpu", type);
    vpmu_saved_add(text, "EL2", arm_feature(env, ARM_FEATURE_EL2) ? "on"
                                                                  : "off");
    vpmu_saved_add(text, "EL3", arm_feature(env, ARM_FEATURE_EL3) ? "on"
                                                                  : "off");
    add_counters(text, cpu, saved);
    for (unsigned int i = 0; (name = arm_pmu_property_name(i)); i++) {
        if (is_described(cpu, name)) {
            vpmu_saved_add_property(text, OBJECT(cpu), name);
        }
    }
    return text;
}

/*
 * Streams of a QEMU without vpmu
 */

bool arm_vpmu_take_register(ARMCPU *cpu, uint64_t kvm_id, uint64_t value)
{
    ARMVPMU *vpmu = cpu->vpmu;
    int reg = vpmu ? arm_vpmu_reg_of_id(cpu, kvm_id) : -1;

    if (reg < 0) {
        return false;
    }
    if (reg == VPMU_REG_COUNT) {
        return true;
    }
    if (!vpmu->stock) {
        vpmu->stock = g_new(struct vpmu_register, VPMU_REG_COUNT);
    }
    if (vpmu->stock_len < VPMU_REG_COUNT) {
        vpmu->stock[vpmu->stock_len++] = (struct vpmu_register) {
            .reg = reg,
            .val = value,
        };
    }
    return true;
}

/* The number of event counters in such a stream, or -1. */
static int counters_of_stock(const ARMVPMU *vpmu)
{
    for (unsigned int i = 0; i < vpmu->stock_len; i++) {
        if (vpmu->stock[i].reg == VPMU_PMCR) {
            return extract64(vpmu->stock[i].val, PMCRN_SHIFT, 5);
        }
    }
    return -1;
}

/* Reports what the stream has not.  Its registers have not been written yet. */
bool arm_vpmu_in_stream(ARMCPU *cpu, Error **errp)
{
    const ARMVPMU *vpmu = cpu->vpmu;
    const char *name = NULL;

    if (!vpmu || vpmu->saved.parts) {
        return true;
    }
    if (!vpmu->stock_len) {
        name = "pmu";
    } else if (vpmu->brbe || vpmu->spe) {
        name = vpmu->brbe ? "brbe" : "spe";
    } else if (cpu->pmu_config.cache_told) {
        name = "pmu-cache-told";
    }
    if (name) {
        error_setg(errp, "PMU of CPU %d: '%s' is off in the stream and on here",
                   CPU(cpu)->cpu_index, name);
    }
    return !name;
}

static bool load_stock(ARMCPU *cpu, const struct vpmu_now *now, Error **errp)
{
    ARMVPMU *vpmu = cpu->vpmu;
    const char *why;

    if (vpmu_arm_adopt(&vpmu->pmu, vpmu->stock, vpmu->stock_len, now,
                       &why) < 0) {
        error_setg(errp, "PMU of CPU %d: the stream has the PMU of a QEMU "
                   "without vpmu, and %s; use a CPU without PMU properties, "
                   "with the machine and '-icount' of the stream",
                   CPU(cpu)->cpu_index, why);
        return false;
    }
    return true;
}

/*
 * Streams of a QEMU with vpmu: the states of the parts
 */

static size_t parts_size(CPUState *cs)
{
    const ARMVPMU *vpmu = ARM_CPU(cs)->vpmu;

    return VPMU_STATE_SIZE + (vpmu->brbe ? ARM_BRBE_SAVED_SIZE : 0) +
           (vpmu->spe ? VPMU_SPE_STATE_SIZE : 0);
}

static void save_parts(CPUState *cs, uint8_t *parts)
{
    ARMCPU *cpu = ARM_CPU(cs);

    /* Nothing is due: the PMU was settled when the machine stopped. */
    vpmu_arm_state_save(&cpu->vpmu->pmu, parts, VPMU_STATE_SIZE, NULL);
    parts += VPMU_STATE_SIZE;
    if (cpu->vpmu->brbe) {
        arm_brbe_save(cpu, parts);
        parts += ARM_BRBE_SAVED_SIZE;
    }
    if (cpu->vpmu->spe) {
        arm_spe_save(cpu, parts);
    }
}

static bool load_parts(ARMCPU *cpu, const uint8_t *parts,
                       const struct vpmu_now *now, Error **errp)
{
    const uint8_t *brbe = parts + VPMU_STATE_SIZE;
    const uint8_t *spe = brbe + (cpu->vpmu->brbe ? ARM_BRBE_SAVED_SIZE : 0);
    const char *why;

    if (vpmu_arm_state_load(&cpu->vpmu->pmu, parts, VPMU_STATE_SIZE, now,
                            &why) < 0) {
        error_setg(errp, "PMU of CPU %d: %s", CPU(cpu)->cpu_index, why);
        return false;
    }
    return (!cpu->vpmu->brbe || arm_brbe_load(cpu, brbe, errp)) &&
           (!cpu->vpmu->spe || arm_spe_load(cpu, spe, errp));
}

static const VPMUSavedOps saved_ops = {
    .describe = describe,
    .size = parts_size,
    .save = save_parts,
};

void arm_vpmu_saved_init(ARMCPU *cpu)
{
    cpu->vpmu->saved.cs = CPU(cpu);
    cpu->vpmu->saved.ops = &saved_ops;
}

void arm_vpmu_pre_load(ARMCPU *cpu)
{
    if (cpu->vpmu) {
        vpmu_saved_drop(&cpu->vpmu->saved);
        cpu->vpmu->stock_len = 0;
    }
}

/* How many event counters the PMU in the stream has, or -1. */
static int64_t counters_of_stream(const ARMVPMU *vpmu)
{
    return vpmu->saved.parts
           ? vpmu_arm_state_counters(vpmu->saved.parts, VPMU_STATE_SIZE)
           : counters_of_stock(vpmu);
}

static void take_counters(ARMCPU *cpu, int64_t counters,
                          const struct vpmu_now *now)
{
    ARMVPMU *vpmu = cpu->vpmu;

    if (may_have_counters(cpu, counters) &&
        counters != vpmu->pmu.config.counters) {
        vpmu_arm_set_counters(&vpmu->pmu, counters, now);
        cpu->isar.reset_pmcr_el0 = deposit64(cpu->isar.reset_pmcr_el0,
                                             PMCRN_SHIFT, 5, counters);
    }
}

/*
 * The interrupt line is not driven: the interrupt controller's own state
 * includes its level.  Everything else that is due is done at the end.
 */
bool arm_vpmu_post_load(ARMCPU *cpu, Error **errp)
{
    ARMVPMU *vpmu = cpu->vpmu;
    struct vpmu_now now;
    bool ok;

    if (!vpmu) {
        return true;
    }
    now = arm_vpmu_now(cpu);
    take_counters(cpu, counters_of_stream(vpmu), &now);
    /* Models have seen another program than the one that is loaded. */
    arm_vpmu_model_forget(cpu);
    arm_vpmu_arrive(cpu, &now);
    ok = vpmu->saved.parts ? load_parts(cpu, vpmu->saved.parts, &now, errp)
                           : arm_vpmu_in_stream(cpu, errp) &&
                             load_stock(cpu, &now, errp);
    vpmu_saved_drop(&vpmu->saved);
    arm_parts_loaded(cpu);
    arm_vpmu_rearm(cpu);
    return ok;
}

/*
 * The section
 */

static const VMStateDescription vmstate_state = {
    .name = "vpmu",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_STRUCT(saved, ARMVPMU, 1, vmstate_vpmu_saved, VPMUSaved),
        VMSTATE_END_OF_LIST()
    }
};

static bool section_needed(void *opaque)
{
    ARMCPU *cpu = opaque;

    return cpu->vpmu;
}

static int section_pre_save(void *opaque)
{
    ARMCPU *cpu = opaque;

    return vpmu_model_may_save(CPU(cpu), cpu->env.pmu.model) ? 0 : -EINVAL;
}

static int section_pre_load(void *opaque)
{
    ARMCPU *cpu = opaque;

    return vpmu_saved_expected(CPU(cpu), cpu->vpmu);
}

const VMStateDescription vmstate_arm_vpmu = {
    .name = "cpu/vpmu",
    .version_id = 1,
    .minimum_version_id = 1,
    .needed = section_needed,
    .pre_save = section_pre_save,
    .pre_load = section_pre_load,
    .fields = (const VMStateField[]) {
        VMSTATE_STRUCT_POINTER(vpmu, ARMCPU, vmstate_state, ARMVPMU),
        VMSTATE_END_OF_LIST()
    }
};
