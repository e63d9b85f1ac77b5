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

/* The DS management area (SDM 3B, DS Save Area), 64 bits each. */
enum {
    DS_BASE = 4,
    DS_INDEX,
    DS_MAXIMUM,
    DS_THRESHOLD,
    DS_RESET,
    DS_COUNTERS = 4,
    DS_WORDS = DS_RESET + DS_COUNTERS,
};

/* A record (SDM 3B, PEBS Record Format), 64 bits each. */
enum {
    PEBS_EFLAGS,
    PEBS_IP,
    PEBS_REGS,
    PEBS_R8 = 10,
    PEBS_STATUS = 18,
    PEBS_ADDRESS,
    PEBS_SOURCE,
    PEBS_LATENCY,
    PEBS_FORMAT_1,
    PEBS_EVENTING_IP = PEBS_FORMAT_1,
    PEBS_TSX,
    PEBS_FORMAT_2,
    PEBS_TSC = PEBS_FORMAT_2,
    PEBS_FORMAT_3,
};

static const uint8_t pebs_words[] = {
    0, PEBS_FORMAT_1, PEBS_FORMAT_2, PEBS_FORMAT_3,
};

/*
 * Returns the host address of a linear address, or NULL if it is not RAM that
 * the kernel can write.  Valid up to the end of the page.
 */
static uint8_t *pebs_ram(CPUX86State *env, uint64_t address, int size)
{
    /* EFLAGS.AC does not matter: no instruction makes these accesses. */
    int midx = env->hflags & HF_LMA_MASK ? MMU_KNOSMAP64_IDX
                                         : MMU_KNOSMAP32_IDX;
    void *host = NULL;
    int flags = probe_access_flags(env, address, size, MMU_DATA_STORE, midx,
                                   true, &host, 0);

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

/* The state is that after the instruction; @ip is the next instruction. */
static void pebs_fill(CPUX86State *env, uint64_t *record, uint64_t ip,
                      uint64_t status)
{
    static const uint8_t order[] = {
        R_EAX, R_EBX, R_ECX, R_EDX, R_ESI, R_EDI, R_EBP, R_ESP,
    };
    const X86VPMU *vpmu = env_archcpu(env)->vpmu;
    struct vpmu_x86_pebs_data data;

    memset(record, 0, PEBS_FORMAT_3 * sizeof(*record));
    record[PEBS_EFLAGS] = cpu_compute_eflags(env);
    record[PEBS_IP] = ip;
    for (unsigned int i = 0; i < ARRAY_SIZE(order); i++) {
        record[PEBS_REGS + i] = env->regs[order[i]];
    }
#ifdef TARGET_X86_64
    for (unsigned int i = 8; i < CPU_NB_REGS64; i++) {
        record[PEBS_R8 + i - 8] = env->regs[i];
    }
#endif
    record[PEBS_STATUS] = status;
    record[PEBS_EVENTING_IP] = ip;
    if (x86_vpmu_is_noted(env)) {
        data = vpmu_x86_pebs_data(&vpmu->pmu, status, &vpmu->sampled);
        record[PEBS_EVENTING_IP] = vpmu->noted;
        record[PEBS_ADDRESS] = data.address;
        record[PEBS_SOURCE] = data.source;
        record[PEBS_LATENCY] = data.latency;
    }
    if (vpmu->pmu.config.pebs >= 3) {
        record[PEBS_TSC] = cpu_get_tsc(env) + env->tsc_offset;
    }
}

/* Returns whether there is room for a record.  Nothing in @ds is trusted. */
static bool pebs_has_room(const uint64_t *ds, unsigned int size)
{
    return ds[DS_INDEX] >= ds[DS_BASE] && ds[DS_MAXIMUM] >= size &&
           ds[DS_INDEX] <= ds[DS_MAXIMUM] - size;
}

/*
 * Formats 1 and 2 need a record for each counter, because their status does not
 * tell which counter overflowed.  In format 3 it does.
 */
static void pebs_append(CPUX86State *env, uint64_t *ds, uint64_t due,
                        uint64_t ip)
{
    const struct vpmu_x86 *pmu = &env_archcpu(env)->vpmu->pmu;
    unsigned int count = pebs_words[pmu->config.pebs];
    unsigned int size = count * sizeof(uint64_t);
    uint64_t record[PEBS_FORMAT_3];

    while (due && pebs_has_room(ds, size)) {
        uint64_t which = pmu->config.pebs < 3 ? due & -due : due;

        pebs_fill(env, record, ip, which);
        if (!pebs_write(env, ds[DS_INDEX], record, count)) {
            break;
        }
        ds[DS_INDEX] += size;
        due &= ~which;
    }
}

void x86_vpmu_record(X86CPU *cpu, uint64_t ip)
{
    CPUX86State *env = &cpu->env;
    struct vpmu_x86 *pmu = &cpu->vpmu->pmu;
    uint64_t due = pmu->regs.due;
    uint64_t area = pmu->regs.ds_area;
    uint64_t ds[DS_WORDS];
    uint64_t index;

    if (!due || !qemu_cpu_is_self(CPU(cpu))) {
        return;
    }
    if (!pebs_read(env, area, ds, DS_WORDS)) {
        vpmu_x86_pebs_done(pmu, due, NULL, false);
        return;
    }
    pebs_append(env, ds, due, ip);
    index = ds[DS_INDEX];
    pebs_write(env, area + DS_INDEX * sizeof(index), &index, 1);
    vpmu_x86_pebs_done(pmu, due, ds + DS_RESET,
                       ds[DS_INDEX] >= ds[DS_THRESHOLD]);
}

/* The formats of Intel CPU models.  Linux expects no PEBS of others. */
uint8_t x86_vpmu_pebs_format(unsigned int family, unsigned int model)
{
    static const struct {
        uint8_t model;
        uint8_t format;
    } models[] = {
        { 0x1a, 1 }, { 0x1e, 1 }, { 0x2e, 1 }, { 0x25, 1 }, { 0x2c, 1 },
        { 0x2f, 1 }, { 0x2a, 1 }, { 0x2d, 1 }, { 0x3a, 1 }, { 0x3e, 1 },
        { 0x3c, 2 }, { 0x3f, 2 }, { 0x45, 2 }, { 0x46, 2 }, { 0x3d, 2 },
        { 0x47, 2 }, { 0x4f, 2 }, { 0x56, 2 }, { 0x4e, 3 }, { 0x5e, 3 },
        { 0x55, 3 }, { 0x8e, 3 }, { 0x9e, 3 },
    };

    for (unsigned int i = 0; family == 6 && i < ARRAY_SIZE(models); i++) {
        if (models[i].model == model) {
            return models[i].format;
        }
    }
    return 0;
}
