/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PMU of a vCPU of KVM: set-up, restoring, query-vpmu, and its events
 *
 * The library kvm_glue makes the calls of the kernel in the right order, and
 * returns a sentence that says what went wrong.
 */

#include "qemu/osdep.h"
#include <linux/perf_event.h>
#include "qemu/error-report.h"
#include "qapi/error.h"
#include "qapi/qapi-types-vpmu.h"
#include "cpu.h"
#include "internals.h"
#include "kvm_arm.h"
#include "target/arm/pmu/kvm.h"
#include "system/kvm.h"
#include "system/kvm_int.h"
#include "system/kvm_vpmu.h"
#include "system/vpmu_target.h"
#include "kvm_glue/sampler.h"
#include "kvm_glue/setup.h"
#include "kvm_glue/state.h"
#include "vpmu/arm/events.h"
#include "vpmu/arm/regs.h"

static const struct kvm_glue_os *const os = &kvm_glue_os_linux;

bool kvm_arm_pmu_configurable(void)
{
    return true;
}

/*
 * Properties
 */

static char *get_host_pmu(Object *obj, Error **errp)
{
    return g_strdup(ARM_CPU(obj)->pmu_config.kvm_host ?: "");
}

static void set_host_pmu(Object *obj, const char *value, Error **errp)
{
    ARMCPU *cpu = ARM_CPU(obj);

    g_free(cpu->pmu_config.kvm_host);
    /* An empty value is the default. */
    cpu->pmu_config.kvm_host = *value ? g_strdup(value) : NULL;
    cpu->pmu_config.by = "host-pmu";
}

static bool get_truncate(Object *obj, Error **errp)
{
    return ARM_CPU(obj)->pmu_config.kvm_truncate;
}

static void set_truncate(Object *obj, bool value, Error **errp)
{
    ARM_CPU(obj)->pmu_config.kvm_truncate = value;
}

void kvm_arm_pmu_add_properties(Object *obj)
{
    object_property_add_str(obj, "host-pmu", get_host_pmu, set_host_pmu);
    object_property_set_description(obj, "host-pmu",
                                    "PMU of the host that counts for the "
                                    "guest: its name in "
                                    "/sys/bus/event_source/devices, or its "
                                    "type");
    object_property_add_bool(obj, "kvm-pmu-truncate",
                             get_truncate, set_truncate);
    object_property_set_description(obj, "kvm-pmu-truncate",
                                    "Set on to accept a saved PMU with more "
                                    "counters than this one, and drop them");
}

/*
 * Set-up
 */

bool kvm_arm_pmu_setup(ARMCPU *cpu, int irq, Error **errp)
{
    /* Chosen when the first vCPU is set up. */
    static int host_pmu = KVM_GLUE_DEFAULT;
    struct kvm_glue_error err;
    struct kvm_glue_setup setup = {
        .host_pmu = host_pmu,
        .counters = cpu->pmu_config.counters_set
                    ? pmu_num_counters(&cpu->env)
                    : KVM_GLUE_DEFAULT,
        .irq = irq,
        .flags = kvm_arm_pmu_setup_flags(),
    };

    if (CPU(cpu) == first_cpu &&
        !kvm_arm_pmu_setup_machine(cpu, &setup, errp)) {
        return false;
    }
    host_pmu = setup.host_pmu;
    if (kvm_glue_setup_vcpu(os, CPU(cpu)->kvm_fd, &setup, &err) < 0) {
        error_setg(errp, "%s", err.text);
        return false;
    }
    /*
     * The set-up has changed PMCR_EL0.N, and PMMIR_EL1 with STRICT.  A reset
     * must not write the old values back.
     */
    if (!write_kvmstate_to_list(cpu)) {
        error_setg(errp, "cannot read KVM's registers after the set-up of "
                   "the PMU");
        return false;
    }
    return true;
}

/*
 * Restoring
 */

/* Returns the index of register @id in the list, or -1. */
static int find_reg(ARMCPU *cpu, uint64_t id)
{
    int low = 0, high = cpu->cpreg_array_len;

    while (low < high) {
        int middle = low + (high - low) / 2;

        if (cpu->cpreg_indexes[middle] < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < cpu->cpreg_array_len && cpu->cpreg_indexes[low] == id ? low
                                                                      : -1;
}

/* PMMIR_EL1, a register of KVM from Linux 7.3 on */
#define PMMIR ARM64_SYS_REG(3, 0, 9, 14, 6)

/*
 * Called for each register at each write, so it must be fast: all registers of
 * the PMU except PMEVCNTR<n> and PMEVTYPER<n> are in CRn 9.
 */
bool kvm_arm_is_pmu_reg(uint64_t regidx)
{
    const uint64_t family = 7ull << KVM_REG_ARM64_SYSREG_OP2_SHIFT |
                            7ull << KVM_REG_ARM64_SYSREG_CRM_SHIFT;
    const uint64_t set = 7ull << KVM_REG_ARM64_SYSREG_OP2_SHIFT |
                         3ull << KVM_REG_ARM64_SYSREG_CRM_SHIFT;

    return (regidx & ~family) == ARM64_SYS_REG(3, 3, 14, 8, 0) ||
           (regidx & ~set) == ARM64_SYS_REG(3, 3, 9, 12, 0) ||
           regidx == ARM64_SYS_REG(3, 0, 9, 14, 1) ||
           regidx == ARM64_SYS_REG(3, 0, 9, 14, 2) || regidx == PMMIR;
}

static bool state_of_list(ARMCPU *cpu, struct kvm_glue_state *state)
{
    struct kvm_glue_register reg;

    memset(state, 0, sizeof(*state));
    state->magic = KVM_GLUE_STATE_MAGIC;
    state->version = KVM_GLUE_STATE_VERSION;
    for (unsigned int i = 0; kvm_glue_register(i, &reg); i++) {
        int at = find_reg(cpu, reg.id);

        if (at < 0) {
            return false;
        }
        state->value[i] = cpu->cpreg_values[at];
    }
    state->counters = extract64(state->value[0], VPMU_PMCR_N_SHIFT, 5);
    return true;
}

/*
 * Returns PMMIR_EL1 of the stream that was just loaded.  The kernel of the
 * source may not have the register, and then its guest reads 0.
 */
static uint64_t pmmir_of_stream(ARMCPU *cpu)
{
    for (int i = 0; i < cpu->cpreg_vmstate_array_len; i++) {
        if (cpu->cpreg_vmstate_indexes[i] == PMMIR) {
            return cpu->cpreg_vmstate_values[i];
        }
    }
    return 0;
}

/*
 * Linux 6.12 lists these registers for CPUs that have neither FEAT_TCR2 nor
 * FEAT_S1PIE, too, and later kernels do not.  A guest whose CPU has them cannot
 * be loaded without, because then ID_AA64MMFR3_EL1 differs.
 */
static const uint64_t listed_by_old_kernels[] = {
    ARM64_SYS_REG(3, 0, 2, 0, 3),  /* TCR2_EL1 */
    ARM64_SYS_REG(3, 0, 10, 2, 2), /* PIRE0_EL1 */
    ARM64_SYS_REG(3, 0, 10, 2, 3), /* PIR_EL1 */
};

static bool can_be_left_out(uint64_t regidx, uint64_t value)
{
    for (unsigned int i = 0; i < ARRAY_SIZE(listed_by_old_kernels); i++) {
        if (regidx == listed_by_old_kernels[i]) {
            return true;
        }
    }
    return regidx == PMMIR && value == 0;
}

bool kvm_arm_take_register(ARMCPU *cpu, uint64_t regidx, uint64_t value,
                           Error **errp)
{
    if (can_be_left_out(regidx, value)) {
        return true;
    }
    if (regidx == PMMIR) {
        error_setg(errp, "CPU %d: the guest sees PMMIR_EL1.SLOTS %" PRIu64
                   ", and this kernel has no PMMIR_EL1: Linux 7.3 does, and "
                   "a guest that starts with -accel kvm,pmu-strict=off sees "
                   "no SLOTS",
                   CPU(cpu)->cpu_index, value);
    } else {
        error_setg(errp, "CPU %d has no register 0x%" PRIx64 ", which is in "
                   "the stream: the source has a later kernel or other CPU "
                   "features", CPU(cpu)->cpu_index, regidx);
    }
    return false;
}

bool kvm_arm_pmu_has_all_regs(ARMCPU *cpu)
{
    struct kvm_glue_state state;

    return cpu->has_pmu && state_of_list(cpu, &state);
}

static void report_loss(ARMCPU *cpu, const struct kvm_glue_loss *loss)
{
    static bool said;

    if (loss->dropped && !said) {
        said = true;
        warn_report("the guest's PMU lost %d event counters, of which it "
                    "used %d", ctpop32(loss->dropped),
                    ctpop32(loss->in_use));
    }
}

bool kvm_arm_pmu_restore(ARMCPU *cpu, Error **errp)
{
    struct kvm_glue_state state;
    struct kvm_glue_loss loss;
    struct kvm_glue_error err;
    unsigned int flags;

    if (!cpu->pmu_config.kvm_apart) {
        return true;
    }
    state_of_list(cpu, &state);
    state.pmmir = pmmir_of_stream(cpu);
    flags = cpu->pmu_config.kvm_truncate ? KVM_GLUE_TRUNCATE : 0;
    if (kvm_glue_state_restore(os, CPU(cpu)->kvm_fd, &state, flags, &loss,
                               &err) < 0) {
        error_setg(errp, "CPU %d's PMU: %s", CPU(cpu)->cpu_index, err.text);
        return false;
    }
    report_loss(cpu, &loss);
    return true;
}

/*
 * Describing
 */

static uint64_t value_of(const struct kvm_glue_state *state, const char *name)
{
    struct kvm_glue_register reg;

    for (unsigned int i = 0; kvm_glue_register(i, &reg); i++) {
        if (g_str_equal(reg.name, name)) {
            return state->value[i];
        }
    }
    g_assert_not_reached();
}

static uint64_t of_counter(const struct kvm_glue_state *state,
                           const char *family, unsigned int n)
{
    g_autofree char *name = g_strdup_printf("%s%u_EL0", family, n);

    return value_of(state, name);
}

static VPMUCounter *describe_counter(const struct kvm_glue_state *state,
                                     unsigned int n)
{
    VPMUCounter *counter = g_new0(VPMUCounter, 1);
    const struct vpmu_arm_event *event;

    counter->index = n;
    if (n == VPMU_CYCLE_COUNTER) {
        counter->type = value_of(state, "PMCCFILTR_EL0");
        counter->value = value_of(state, "PMCCNTR_EL0");
        counter->event = VPMU_EVENT_CPU_CYCLES;
    } else {
        counter->type = of_counter(state, "PMEVTYPER", n);
        counter->value = of_counter(state, "PMEVCNTR", n);
        counter->event = counter->type & VPMU_TYPER_EVENT;
    }
    event = vpmu_arm_event_find(counter->event);
    if (event) {
        counter->name = g_strdup(event->name);
    }
    counter->enabled = value_of(state, "PMCNTENSET_EL0") >> n & 1;
    counter->counting = counter->enabled &&
                        (value_of(state, "PMCR_EL0") & VPMU_PMCR_E);
    counter->overflow = value_of(state, "PMOVSSET_EL0") >> n & 1;
    counter->interrupt = value_of(state, "PMINTENSET_EL1") >> n & 1;
    return counter;
}

typedef struct Description {
    VPMUInfo *info;
    Error *err;
} Description;

static void describe_cpu(CPUState *cs, run_on_cpu_data data)
{
    Description *d = data.host_ptr;
    ARMCPU *cpu = ARM_CPU(cs);
    struct kvm_glue_state state;
    struct kvm_glue_error err;

    if (kvm_glue_state_save(os, cs->kvm_fd, &state, &err) < 0) {
        error_setg(&d->err, "CPU %d's PMU: %s", cs->cpu_index, err.text);
        return;
    }
    d->info->cpu_index = cs->cpu_index;
    d->info->qom_path = g_strdup(DEVICE(cpu)->canonical_path);
    d->info->version = g_strdup(arm_pmu_version_name(cpu));
    d->info->event_counters = state.counters;
    d->info->meter = cs->kvm_meter != NULL;
    for (int i = VPMU_CYCLE_COUNTER; i >= 0; i--) {
        VPMUCounter *counter;

        if (i < VPMU_CYCLE_COUNTER && i >= state.counters) {
            continue;
        }
        counter = describe_counter(&state, i);
        if (counter->type || counter->value || counter->enabled) {
            QAPI_LIST_PREPEND(d->info->counters, counter);
        } else {
            qapi_free_VPMUCounter(counter);
        }
    }
}

static VPMUInfoList *query_vpmu(Error **errp)
{
    VPMUInfoList *list = NULL;
    VPMUInfoList **tail = &list;
    CPUState *cs;

    CPU_FOREACH(cs) {
        Description d = { .info = NULL };

        if (!ARM_CPU(cs)->has_pmu) {
            continue;
        }
        d.info = g_new0(VPMUInfo, 1);
        QAPI_LIST_APPEND(tail, d.info);
        run_on_cpu(cs, describe_cpu, RUN_ON_CPU_HOST_PTR(&d));
        if (d.err) {
            error_propagate(errp, d.err);
            qapi_free_VPMUInfoList(list);
            return NULL;
        }
    }
    return list;
}

/* Events by number, because those of perf's names may be of another PMU. */
static int parse_event(const char *text, struct kvm_glue_sampled *event,
                       struct kvm_glue_error *err)
{
    uint32_t type = kvm_vpmu_host_pmu();

    return kvm_glue_sampled_parse(text, type == PERF_TYPE_HARDWARE
                                        ? PERF_TYPE_RAW : type, event, err);
}

static const VPMUHost arm_host = {
    .query = query_vpmu,
    .parse = parse_event,
    .recorder = &kvm_vpmu_recorder,
};

static void register_host(void)
{
    vpmu_register_host(&arm_host);
}

type_init(register_host);
