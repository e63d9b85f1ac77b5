/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PMU of an x86 CPU in a stream
 *
 * The subsection cpu/vpmu has the PMU, its IBS and the last branch records; see
 * system/vpmu_saved.h.  A stream without it is from a QEMU without vpmu, or of
 * a CPU without a PMU: the guest has seen no PMU.
 */

#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "cpu.h"
#include "migration/vmstate.h"
#include "system/vpmu_model.h"
#include "parts.h"

/*
 * What the PMU is like
 */

/* The names of perf's lists of events. */
static const char *const family_names[] = {
    [VPMU_X86_GENERIC] = "generic",
    [VPMU_X86_CORE2] = "core2",
    [VPMU_X86_BONNELL] = "bonnell",
    [VPMU_X86_NEHALEM] = "nehalem",
    [VPMU_X86_WESTMERE] = "westmere",
    [VPMU_X86_SANDYBRIDGE] = "sandybridge",
    [VPMU_X86_IVYBRIDGE] = "ivybridge",
    [VPMU_X86_HASWELL] = "haswell",
    [VPMU_X86_BROADWELL] = "broadwell",
    [VPMU_X86_SKYLAKE] = "skylake",
    [VPMU_X86_SKYLAKEX] = "skylakex",
    [VPMU_X86_CASCADELAKE] = "cascadelakex",
    [VPMU_X86_ICELAKEX] = "icelakex",
    [VPMU_X86_SAPPHIRERAPIDS] = "sapphirerapids",
    [VPMU_X86_GRANITERAPIDS] = "graniterapids",
    [VPMU_X86_GOLDMONT] = "goldmont",
    [VPMU_X86_TREMONT] = "snowridgex",
    [VPMU_X86_SIERRAFOREST] = "sierraforest",
    [VPMU_X86_CLEARWATERFOREST] = "clearwaterforest",
    [VPMU_X86_KNIGHTS] = "knightslanding",
    [VPMU_X86_ZEN1] = "amdzen1",
    [VPMU_X86_ZEN2] = "amdzen2",
    [VPMU_X86_ZEN3] = "amdzen3",
    [VPMU_X86_ZEN4] = "amdzen4",
    [VPMU_X86_ZEN5] = "amdzen5",
};
QEMU_BUILD_BUG_ON(ARRAY_SIZE(family_names) != VPMU_X86_FAMILY_COUNT);

static void add_number(GString *text, const char *name, unsigned int number)
{
    g_autofree char *value = g_strdup_printf("%u", number);

    vpmu_saved_add(text, name, value);
}

static GString *describe(CPUState *cs, const char *saved)
{
    X86CPU *cpu = X86_CPU(cs);
    const struct vpmu_x86_config *config = &cpu->vpmu->pmu.config;
    const VPMUModelProperty *property;
    GString *text = g_string_new("");

    vpmu_saved_add(text, "vendor", config->vendor == VPMU_X86_INTEL ? "Intel"
                                                                    : "AMD");
    vpmu_saved_add(text, "events", family_names[config->family]);
    add_number(text, "PMU version", config->version);
    add_number(text, "PEBS format", config->pebs);
    vpmu_saved_add_property(text, OBJECT(cpu), "num-pmu-counters");
    vpmu_saved_add_property(text, OBJECT(cpu), "lbr");
    if (config->vendor == VPMU_X86_AMD &&
        !(config->features & VPMU_X86_HAS_SVM)) {
        vpmu_saved_add(text, "svm", "off");
    }
    if (cpu->vpmu->ibs) {
        vpmu_saved_add(text, "ibs", "on");
    }
    if (x86_pmu_config(cpu)->cache_told) {
        vpmu_saved_add(text, "pmu-cache-told", "on");
    }
    for (unsigned int i = 0; (property = vpmu_model_property(i)); i++) {
        vpmu_saved_add_property(text, OBJECT(cpu),
                                vpmu_model_property_name(property));
    }
    return text;
}

/*
 * The states of the parts
 */

static size_t parts_size(CPUState *cs)
{
    const X86VPMU *vpmu = X86_CPU(cs)->vpmu;

    return VPMU_X86_STATE_SIZE + (vpmu->ibs ? VPMU_IBS_STATE_SIZE : 0) +
           (vpmu->lbr ? X86_LBR_SAVED_SIZE : 0);
}

static void save_parts(CPUState *cs, uint8_t *parts)
{
    X86CPU *cpu = X86_CPU(cs);

    /* Nothing is due: the PMU was settled when the machine stopped. */
    vpmu_x86_state_save(&cpu->vpmu->pmu, parts, VPMU_X86_STATE_SIZE, NULL);
    parts += VPMU_X86_STATE_SIZE;
    if (cpu->vpmu->ibs) {
        x86_ibs_save(cpu, parts);
        parts += VPMU_IBS_STATE_SIZE;
    }
    if (cpu->vpmu->lbr) {
        x86_lbr_save(cpu, parts);
    }
}

static bool load_parts(X86CPU *cpu, const uint8_t *parts)
{
    const uint8_t *ibs = parts + VPMU_X86_STATE_SIZE;
    const uint8_t *lbr = ibs + (cpu->vpmu->ibs ? VPMU_IBS_STATE_SIZE : 0);
    struct vpmu_now now;
    const char *why;

    if ((cpu->vpmu->ibs && !x86_ibs_load(cpu, ibs)) ||
        (cpu->vpmu->lbr && !x86_lbr_load(cpu, lbr))) {
        return false;
    }
    x86_parts_loaded(cpu);
    x86_vpmu_arrive(cpu);
    now = x86_vpmu_now(cpu);
    if (vpmu_x86_state_load(&cpu->vpmu->pmu, parts, VPMU_X86_STATE_SIZE, &now,
                            &why) < 0) {
        error_report("PMU of CPU %d: %s", CPU(cpu)->cpu_index, why);
        return false;
    }
    return true;
}

/* Continues a stream whose guest has seen no PMU. */
static bool load_none(X86CPU *cpu)
{
    struct vpmu_now now;

    if (cpu->vpmu->lbr || cpu->vpmu->ibs) {
        error_report("PMU of CPU %d: '%s' is off in the stream and on here",
                     CPU(cpu)->cpu_index, cpu->vpmu->lbr ? "lbr" : "ibs");
        return false;
    }
    x86_parts_loaded(cpu);
    x86_vpmu_arrive(cpu);
    now = x86_vpmu_now(cpu);
    vpmu_x86_reset(&cpu->vpmu->pmu, &now);
    return true;
}

static const VPMUSavedOps saved_ops = {
    .describe = describe,
    .size = parts_size,
    .save = save_parts,
};

void x86_vpmu_saved_init(X86CPU *cpu)
{
    cpu->vpmu->saved.cs = CPU(cpu);
    cpu->vpmu->saved.ops = &saved_ops;
}

/*
 * No interrupt is delivered: the APIC's own state has it.  Everything else that
 * is due is done at the end.
 */
bool x86_vpmu_post_load(X86CPU *cpu)
{
    X86VPMU *vpmu = cpu->vpmu;
    bool ok;

    if (!vpmu) {
        return true;
    }
    ok = vpmu->saved.parts ? load_parts(cpu, vpmu->saved.parts)
                           : load_none(cpu);
    vpmu_saved_drop(&vpmu->saved);
    x86_ibs_loaded(cpu);
    x86_vpmu_start_cold(cpu);
    return ok;
}

/*
 * The section
 */

static const VMStateDescription vmstate_state = {
    .name = "x86-vpmu",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_STRUCT(saved, X86VPMU, 1, vmstate_vpmu_saved, VPMUSaved),
        VMSTATE_END_OF_LIST()
    }
};

static bool section_needed(void *opaque)
{
    X86CPU *cpu = opaque;

    return cpu->vpmu;
}

static int section_pre_save(void *opaque)
{
    X86CPU *cpu = opaque;
    bool warm = cpu->env.pmu.model || cpu->vpmu->predicted;

    return vpmu_model_may_save(CPU(cpu), warm) ? 0 : -EINVAL;
}

static int section_pre_load(void *opaque)
{
    X86CPU *cpu = opaque;

    return vpmu_saved_expected(CPU(cpu), cpu->vpmu);
}

const VMStateDescription vmstate_x86_vpmu = {
    .name = "cpu/vpmu",
    .version_id = 1,
    .minimum_version_id = 1,
    .needed = section_needed,
    .pre_save = section_pre_save,
    .pre_load = section_pre_load,
    .fields = (const VMStateField[]) {
        VMSTATE_STRUCT_POINTER(vpmu, X86CPU, vmstate_state, X86VPMU),
        VMSTATE_END_OF_LIST()
    }
};
