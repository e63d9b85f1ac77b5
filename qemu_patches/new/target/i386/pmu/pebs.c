/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PEBS: a counter that overflows writes a record into the guest's memory
 *
 * The library knows which counters have overflowed, and holds the registers.
 * The guest controls the DS area: a record that cannot be written is lost, and
 * nothing faults.
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "cpu.h"
#include "hw/core/cpu.h"
#include "tcg/helper-tcg.h"
#include "compat.h"
#include "private.h"

/*
 * The DS management area (SDM 3B, DS Save Area), 64 bits each.  It ends with a
 * reset value for each of 4 general counters, in format 4 for each of 8 and for
 * each fixed counter.
 */
enum {
    DS_BASE = 4,
    DS_INDEX,
    DS_MAXIMUM,
    DS_THRESHOLD,
    DS_RESET,
    DS_COUNTERS = 4,
    DS_COUNTERS_4 = 8,
    DS_RESET_FIXED = DS_RESET + DS_COUNTERS_4,
    DS_WORDS_4 = DS_RESET_FIXED + VPMU_X86_MAX_FIXED,
};

/*
 * Returns the host address of a linear address, or NULL if it is not RAM that
 * the kernel can write.  Valid up to the end of the page.  A probe that fails
 * sets the error code, which may be that of a fault that is delivered next.
 */
static uint8_t *pebs_ram(CPUX86State *env, uint64_t address, int size)
{
    /* EFLAGS.AC does not matter: no instruction makes these accesses. */
    int midx = env->hflags & HF_LMA_MASK ? MMU_KNOSMAP64_IDX
                                         : MMU_KNOSMAP32_IDX;
    int error_code = env->error_code;
    void *host = NULL;
    int flags = probe_access_flags(env, address, size, MMU_DATA_STORE, midx,
                                   true, &host, 0);

    env->error_code = error_code;
    return flags & ~TLB_WATCHPOINT ? NULL : host;
}

/* Copies.  Returns false if not all is RAM; a part may have been copied. */
static bool pebs_copy(CPUX86State *env, uint64_t address, uint64_t *words,
                      unsigned int count, bool write)
{
    uint8_t *bytes = (uint8_t *)words;
    unsigned int left = count * sizeof(*words);

    while (left) {
        int here = MIN(left, -(address | TARGET_PAGE_MASK));
        uint8_t *host = pebs_ram(env, address, here);

        if (!host) {
            return false;
        }
        memcpy(write ? host : bytes, write ? bytes : host, here);
        address += here;
        bytes += here;
        left -= here;
    }
    return true;
}

static bool pebs_read(CPUX86State *env, uint64_t address, uint64_t *words,
                      unsigned int count)
{
    bool done = pebs_copy(env, address, words, count, false);

    for (unsigned int i = 0; i < count; i++) {
        words[i] = le64_to_cpu(words[i]);
    }
    return done;
}

static bool pebs_write(CPUX86State *env, uint64_t address, uint64_t *words,
                       unsigned int count)
{
    for (unsigned int i = 0; i < count; i++) {
        words[i] = cpu_to_le64(words[i]);
    }
    return pebs_copy(env, address, words, count, true);
}

/* The order of both is that of the encodings of instructions. */
static void pebs_fill_gprs(CPUX86State *env, uint64_t *gprs)
{
    for (unsigned int i = 0; i < CPU_NB_REGS; i++) {
        gprs[i] = env->regs[i];
    }
}

static void pebs_fill_xmm(CPUX86State *env, uint64_t *xmm)
{
    for (unsigned int i = 0; i < CPU_NB_REGS; i++) {
        xmm[2 * i] = env->xmm_regs[i].ZMM_Q(0);
        xmm[2 * i + 1] = env->xmm_regs[i].ZMM_Q(1);
    }
}

/*
 * Makes a record of @counters; returns its number of words.  The state is that
 * after the instruction; @ip is the next instruction.
 */
static unsigned int pebs_fill(CPUX86State *env, uint64_t *record, uint64_t ip,
                              uint64_t counters)
{
    X86CPU *cpu = env_archcpu(env);
    const struct vpmu_x86 *pmu = &cpu->vpmu->pmu;
    uint64_t groups = vpmu_x86_pebs_groups(pmu, counters);
    struct vpmu_x86_pebs_cpu state = {
        .eflags = cpu_compute_eflags(env),
        .ip = ip,
        .eventing_ip = ip,
        .tsc = cpu_get_tsc(env) + env->tsc_offset,
    };

    pebs_fill_gprs(env, state.gprs);
    if (x86_vpmu_is_noted(env)) {
        state.eventing_ip = cpu->vpmu->noted;
        state.accesses = x86_vpmu_sampled(env)->all;
    }
    if (groups & VPMU_X86_PEBS_XMMS) {
        pebs_fill_xmm(env, state.xmm);
    }
    if (groups & VPMU_X86_PEBS_LBR) {
        x86_lbr_copy(cpu, state.lbr, VPMU_X86_PEBS_LBRS);
    }
    return vpmu_x86_pebs_record(pmu, counters, &state, record);
}

/* Returns whether there is room for a record.  Nothing in @ds is trusted. */
static bool pebs_has_room(const uint64_t *ds, unsigned int size)
{
    return ds[DS_INDEX] >= ds[DS_BASE] && ds[DS_MAXIMUM] >= size &&
           ds[DS_INDEX] <= ds[DS_MAXIMUM] - size;
}

static void pebs_append(CPUX86State *env, uint64_t *ds, uint64_t due,
                        uint64_t ip)
{
    const struct vpmu_x86 *pmu = &env_archcpu(env)->vpmu->pmu;
    uint64_t record[VPMU_X86_PEBS_RECORD_WORDS];

    while (due) {
        uint64_t which = vpmu_x86_pebs_together(pmu, due);
        unsigned int count = vpmu_x86_pebs_size(pmu, which);

        if (!pebs_has_room(ds, count * sizeof(*record))) {
            break;
        }
        pebs_fill(env, record, ip, which);
        if (!pebs_write(env, ds[DS_INDEX], record, count)) {
            break;
        }
        ds[DS_INDEX] += count * sizeof(*record);
        due &= ~which;
    }
}

/* Returns the size of the management area in words. */
static unsigned int pebs_ds_words(const struct vpmu_x86 *pmu)
{
    return pmu->config.pebs < VPMU_X86_PEBS_BASELINE
        ? DS_RESET + DS_COUNTERS : DS_RESET_FIXED + pmu->config.fixed;
}

/* Puts the reset values where the library has the counters. */
static void pebs_reload(const uint64_t *ds, uint64_t *reload)
{
    for (unsigned int i = 0; i < DS_COUNTERS_4; i++) {
        reload[i] = ds[DS_RESET + i];
    }
    for (unsigned int i = 0; i < VPMU_X86_MAX_FIXED; i++) {
        reload[VPMU_X86_FIXED + i] = ds[DS_RESET_FIXED + i];
    }
}

void x86_vpmu_record(X86CPU *cpu, uint64_t ip)
{
    CPUX86State *env = &cpu->env;
    struct vpmu_x86 *pmu = &cpu->vpmu->pmu;
    uint64_t due = pmu->regs.due;
    uint64_t area = pmu->regs.ds_area;
    uint64_t reload[VPMU_X86_COUNTER_COUNT] = { };
    uint64_t ds[DS_WORDS_4] = { };
    struct vpmu_now now;
    uint64_t index;

    if (!due || !qemu_cpu_is_self(CPU(cpu))) {
        return;
    }
    now = x86_vpmu_now(cpu);
    /* In SMM the address is not one of the kernel that has set it. */
    if (env->hflags & HF_SMM_MASK ||
        !pebs_read(env, area, ds, pebs_ds_words(pmu))) {
        pmu_service(CPU(cpu),
                    vpmu_x86_pebs_done(pmu, due, NULL, false, &now));
        return;
    }
    pebs_append(env, ds, due, ip);
    index = ds[DS_INDEX];
    pebs_write(env, area + DS_INDEX * sizeof(index), &index, 1);
    pebs_reload(ds, reload);
    pmu_service(CPU(cpu),
                vpmu_x86_pebs_done(pmu, due, reload,
                                   ds[DS_INDEX] >= ds[DS_THRESHOLD], &now));
}
