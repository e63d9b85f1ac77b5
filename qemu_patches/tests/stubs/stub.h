/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What orc.c, nested.c and calls.c use of QEMU, for tests without QEMU. The memory of the guest is
 * that of the test.
 */
#ifndef QEMU_PATCHES_STUB_H
#define QEMU_PATCHES_STUB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "vpmu/arm/observer.h"
#include "vpmu/record.h"

#define TARGET_X86_64 1
#define MiB (1024 * 1024)
#define RCU_READ_LOCK_GUARD() ((void)0)
#define qatomic_load_acquire(at) (*(at))
#define qatomic_fetch_inc(at) ((*(at))++)
#define qatomic_cmpxchg(at, from, to) (*(at) == (from) ? (*(at) = (to), NULL) : *(at))
#define qatomic_read(at) (*(at))
#define qatomic_set(at, value) ((void)(*(at) = (value)))
#define qatomic_fetch_add(at, n) ((*(at) += (n)) - (n))
#define qatomic_sub(at, n) ((void)(*(at) -= (n)))
#define g_try_malloc malloc
#define g_free free
#define g_new0(type, n) ((type *)calloc((n), sizeof(type)))
#define g_renew(type, at, n) ((type *)reallocarray((at), (n), sizeof(type)))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define QEMU_LOCK_GUARD(lock) ((void)(lock))

typedef void *gpointer;

typedef struct QemuMutex {
    int unused;
} QemuMutex;

typedef struct GPtrArray {
    gpointer *pdata;
    unsigned int len;
    void (*free)(gpointer);
} GPtrArray;

enum {
    R_EAX,
    R_ECX,
    R_EDX,
    R_EBX,
    R_ESP,
    R_EBP,
    R_ESI,
    R_EDI,
    R_R10 = 10,
    R_R11,
    R_R13 = 13
};

typedef uint64_t hwaddr;

#define HF_LMA_MASK 1u
#define HF_GUEST_MASK 2u
#define HF2_NPT_MASK 1u
#define PG_MODE_LMA 2u
#define PG_MODE_LA57 16u
#define CR4_LA57_MASK (1u << 12)
#define PG_PRESENT_MASK 1u
#define PG_PSE_MASK 0x80u
#define PG_ADDRESS_MASK 0x000ffffffffff000ull

typedef struct CPUX86State {
    uint64_t regs[16];
    uint64_t eip;
    uint64_t lstar;
    struct {
        uint64_t base;
    } tr;
    uint64_t cr[5];
    uint32_t hflags;
    uint32_t hflags2;
    uint64_t vm_vmcb;
    uint64_t nested_cr3;
    uint32_t nested_pg_mode;
} CPUX86State;

typedef struct CPUState {
    CPUX86State env;
} CPUState;

typedef struct VPMUReader {
    CPUState *cpu;
} VPMUReader;

typedef struct TranslateForDebugResult {
    hwaddr physaddr;
} TranslateForDebugResult;

typedef struct VPMURecordOrcTable {
    uint64_t addresses;
    uint64_t entries;
    uint32_t number;
} VPMURecordOrcTable;

typedef struct VPMURecordOrcTableList {
    struct VPMURecordOrcTableList *next;
    VPMURecordOrcTable *value;
} VPMURecordOrcTableList;

typedef struct VPMURecordOrc {
    unsigned int type_bits;
    VPMURecordOrcTableList *tables;
} VPMURecordOrc;

typedef struct VPMURecord {
    struct {
        VPMURecordOrc *orc;
    } threads;
    void *orc;
    unsigned int orc_tries;
} VPMURecord;

typedef struct VPMUThreads {
    bool (*as_kernel)(CPUState *cs, const struct vpmu_record_sample *sample, int64_t hidden,
                      bool (*look)(VPMUReader *reader, void *opaque), void *opaque);
} VPMUThreads;

typedef struct VPMUTarget {
    const VPMUThreads *threads;
} VPMUTarget;

extern const VPMUTarget *vpmu_target;

bool cpu_translate_for_debug(CPUState *cs, uint64_t page, TranslateForDebugResult *at);
bool vpmu_read_physical(CPUState *cs, uint64_t addr, void *buf, size_t len);
bool vpmu_read_virtual(VPMUReader *reader, uint64_t addr, void *buf, size_t len);
bool vpmu_read_number(VPMUReader *reader, uint64_t addr, size_t len, uint64_t *value);

static inline void qemu_mutex_init(QemuMutex *mutex)
{
    *mutex = (QemuMutex){0};
}

static inline GPtrArray *g_ptr_array_new_with_free_func(void (*free)(gpointer))
{
    GPtrArray *array = g_new0(GPtrArray, 1);

    array->free = free;
    return array;
}

static inline void g_ptr_array_add(GPtrArray *array, gpointer element)
{
    array->pdata = g_renew(gpointer, array->pdata, array->len + 1);
    array->pdata[array->len++] = element;
}

/* Only to make it smaller. */
static inline void g_ptr_array_set_size(GPtrArray *array, int size)
{
    while (array->len > (unsigned int)size) {
        array->free(array->pdata[--array->len]);
    }
}

static inline CPUX86State *cpu_env(CPUState *cs)
{
    return &cs->env;
}

static inline uint32_t extract32(uint32_t value, int start, int length)
{
    return value >> start & ((1u << length) - 1);
}

static inline uint64_t extract64(uint64_t value, int start, int length)
{
    return value >> start & (UINT64_MAX >> (64 - length));
}

static inline int64_t sextract64(uint64_t value, int start, int length)
{
    return (int64_t)(value << (64 - length - start)) >> (64 - length);
}

static inline uint64_t le64_to_cpu(uint64_t value)
{
    return value;
}

static inline int lduw_le_p(const void *at)
{
    const uint8_t *byte = at;

    return byte[0] | byte[1] << 8;
}

static inline int ldl_le_p(const void *at)
{
    const uint8_t *byte = at;

    return (int)((uint32_t)lduw_le_p(byte) | (uint32_t)lduw_le_p(byte + 2) << 16);
}

#endif
