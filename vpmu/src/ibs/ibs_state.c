/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The saved state: little-endian, no padding.
 *
 *   0  u32 magic "vIBS"     4  u16 version      6  u16 size
 *   8  u32 CPUID Fn8000_001B_EAX
 *  12  u32 the state of the generator of random intervals
 *  16  u32 the counts of IBS Fetch and IBS Op
 *  24  u64 MSRC001_1030 to MSRC001_103C
 * 128  u32 which of four ops is sampled next after an interval in cycles
 * 132  u32 CRC-32 of all before it
 */
#include "../cursor.h"
#include "../refuse.h"
#include "ibs_internal.h"
#include "vpmu/errors.h"

#define MAGIC 0x53424976u
#define VERSION 1

/* The contents of a saved state. */
struct saved {
    uint32_t magic;
    uint16_t version;
    uint16_t size;
    uint32_t caps;
    struct vpmu_ibs ibs;
    uint32_t crc;
    uint32_t crc_found;
};

/* Reads or writes all fields in the order of the layout. */
static void pass_all(struct vpmu_cursor_ *c, struct saved *s)
{
    VPMU_PASS_(c, s->magic);
    VPMU_PASS_(c, s->version);
    VPMU_PASS_(c, s->size);
    VPMU_PASS_(c, s->caps);
    VPMU_PASS_(c, s->ibs.random);
    VPMU_PASS_ALL_(c, s->ibs.count, VPMU_IBS_UNITS);
    VPMU_PASS_ALL_(c, s->ibs.reg, VPMU_IBS_REGS);
    VPMU_PASS_(c, s->ibs.turn);
    s->crc = vpmu_crc32_(c->bytes, c->at);
    s->crc_found = s->crc;
    VPMU_PASS_(c, s->crc_found);
}

int vpmu_ibs_save(const struct vpmu_ibs *s, void *buf, size_t len)
{
    struct vpmu_cursor_ c = {.bytes = buf, .out = buf};
    struct saved saved = {
        .magic = MAGIC, .version = VERSION, .size = VPMU_IBS_STATE_SIZE, .ibs = *s};

    saved.caps = vpmu_ibs_caps(s->family);

    if (len < VPMU_IBS_STATE_SIZE) {
        return -VPMU_ERR_SPACE;
    }
    pass_all(&c, &saved);
    return 0;
}

/* Tells whether a register has bits that this IBS does not have, or lost those that it always has.
 */
static bool is_impossible(const struct vpmu_ibs *s, const struct vpmu_ibs *saved)
{
    for (unsigned i = 0; i < VPMU_IBS_REGS; i++) {
        if (i != VPMU_IBS_CTL && (saved->reg[i] & ~vpmu_ibs_bits_(s, i))) {
            return true;
        }
    }
    return saved->reg[VPMU_IBS_CTL] != s->reg[VPMU_IBS_CTL];
}

static const char *find_fault(const struct vpmu_ibs *s, const struct saved *saved, size_t len)
{
    if (saved->magic != MAGIC) {
        return "this is not a saved IBS state: it does not begin with vIBS";
    }
    if (saved->version != VERSION) {
        return "the saved IBS state is of another version; this library reads version 1";
    }
    if (saved->size != VPMU_IBS_STATE_SIZE || len != VPMU_IBS_STATE_SIZE) {
        return "the saved IBS state has the wrong size for its version";
    }
    if (saved->crc_found != saved->crc) {
        return "the saved IBS state is damaged: its checksum does not match";
    }
    if (saved->caps != vpmu_ibs_caps(s->family)) {
        return "the saved IBS state is of another generation of processors";
    }
    if (is_impossible(s, &saved->ibs)) {
        return "the saved IBS state sets register bits that this IBS does not have";
    }
    if (saved->ibs.turn > 3 || !saved->ibs.random || saved->ibs.random > 0xffff ||
        saved->ibs.count[VPMU_IBS_FETCH] >> 20 || saved->ibs.count[VPMU_IBS_OP] >> 27) {
        return "the saved IBS state has a value where none can be";
    }
    return NULL;
}

int vpmu_ibs_load(struct vpmu_ibs *s, const void *buf, size_t len, const char **why)
{
    struct vpmu_cursor_ c = {.bytes = buf};
    struct saved saved = {.ibs = {.family = s->family}};
    const char *fault = "the saved IBS state is truncated";

    if (len >= VPMU_IBS_STATE_SIZE) {
        pass_all(&c, &saved);
        fault = find_fault(s, &saved, len);
    }
    if (!fault) {
        *s = saved.ibs;
    }
    return vpmu_refuse_(fault, VPMU_ERR_STATE, why);
}
