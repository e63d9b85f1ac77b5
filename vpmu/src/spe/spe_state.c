/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The saved state: little-endian, no padding.
 *
 *   0  u32 magic "vSPE"     4  u16 version      6  u16 size
 *   8  configuration: u8 version, u8 flags: bit 0 has_el2, 1 has_el3, 2 has_realm, 3 has_ecv,
 *      4 has_sve, 5 freezes, 6 updates; u16 zero
 *  12  u32 the state of the generator of jitter
 *  16  u64 PMSCR_EL1, PMSCR_EL2, PMSNEVFR_EL1, PMSICR_EL1, PMSIRR_EL1, PMSFCR_EL1, PMSEVFR_EL1,
 *      PMSLATFR_EL1, PMBLIMITR_EL1, PMBPTR_EL1, PMBSR_EL1
 * 104  u64 zero
 * 112  u32 zero
 * 116  u32 CRC-32 of all before it
 */
#include "../cursor.h"
#include "../refuse.h"
#include "spe_internal.h"
#include "vpmu/errors.h"

#define MAGIC 0x45505376u
#define VERSION 1
#define REGS 11

/* The registers in their order. */
static const uint8_t order[REGS] = {
    VPMU_PMSCR_EL1, VPMU_PMSCR_EL2, VPMU_PMSNEVFR,  VPMU_PMSICR, VPMU_PMSIRR, VPMU_PMSFCR,
    VPMU_PMSEVFR,   VPMU_PMSLATFR,  VPMU_PMBLIMITR, VPMU_PMBPTR, VPMU_PMBSR,
};

/* The contents of a saved state. */
struct saved {
    uint32_t magic;
    uint16_t version;
    uint16_t size;
    uint8_t spe_version;
    uint8_t features;
    uint32_t random;
    uint64_t reg[REGS];
    uint64_t zero; /* all bytes that must be 0, combined with OR */
    uint32_t crc;
    uint32_t crc_found;
};

static uint8_t features_of(const struct vpmu_spe_config *config)
{
    return (uint8_t)(config->has_el2 << 0 | config->has_el3 << 1 | config->has_realm << 2 |
                     config->has_ecv << 3 | config->has_sve << 4 | config->freezes << 5 |
                     config->updates << 6);
}

/* Reads or writes all fields in the order of the layout. */
static void pass_all(struct vpmu_cursor_ *c, struct saved *s)
{
    VPMU_PASS_(c, s->magic);
    VPMU_PASS_(c, s->version);
    VPMU_PASS_(c, s->size);
    VPMU_PASS_(c, s->spe_version);
    VPMU_PASS_(c, s->features);
    s->zero |= vpmu_pass_(c, 0, 2);
    VPMU_PASS_(c, s->random);
    VPMU_PASS_ALL_(c, s->reg, REGS);
    s->zero |= vpmu_pass_(c, 0, 8);
    s->zero |= vpmu_pass_(c, 0, 4);
    s->crc = vpmu_crc32_(c->bytes, c->at);
    s->crc_found = s->crc;
    VPMU_PASS_(c, s->crc_found);
}

int vpmu_spe_save(const struct vpmu_spe *s, void *buf, size_t len)
{
    struct vpmu_cursor_ c = {.bytes = buf, .out = buf};
    struct saved saved = {
        .magic = MAGIC,
        .version = VERSION,
        .size = VPMU_SPE_STATE_SIZE,
        .spe_version = s->config.version,
        .features = features_of(&s->config),
        .random = s->random,
    };

    if (len < VPMU_SPE_STATE_SIZE) {
        return -VPMU_ERR_SPACE;
    }
    for (unsigned i = 0; i < REGS; i++) {
        saved.reg[i] = i < 2 ? s->cr[i] : s->reg[order[i]];
    }
    pass_all(&c, &saved);
    return 0;
}

static const char *find_fault(const struct vpmu_spe_config *config, const struct saved *s,
                              size_t len)
{
    if (s->magic != MAGIC) {
        return "this is not a saved SPE state: it does not begin with vSPE";
    }
    if (s->version != VERSION) {
        return "the saved SPE state is of another version; this library reads version 1";
    }
    if (s->size != VPMU_SPE_STATE_SIZE || len != VPMU_SPE_STATE_SIZE) {
        return "the saved SPE state has the wrong size for its version";
    }
    if (s->crc_found != s->crc) {
        return "the saved SPE state is damaged: its checksum does not match";
    }
    if (s->spe_version != config->version || s->features != features_of(config)) {
        return "the saved SPE state is of an SPE with another version or other features";
    }
    for (unsigned i = 0; i < REGS; i++) {
        if (s->reg[i] & ~vpmu_spe_kept_(config, order[i])) {
            return "the saved SPE state sets register bits that this SPE does not have";
        }
    }
    if (s->zero || !s->random) {
        return "the saved SPE state has a value where none can be";
    }
    return NULL;
}

static void take(struct vpmu_spe *s, const struct saved *saved)
{
    s->random = saved->random;
    for (unsigned i = 0; i < REGS; i++) {
        if (i < 2) {
            s->cr[i] = saved->reg[i];
        } else {
            s->reg[order[i]] = saved->reg[i];
        }
    }
}

int vpmu_spe_load(struct vpmu_spe *s, const void *buf, size_t len, const char **why)
{
    struct vpmu_cursor_ c = {.bytes = buf};
    struct saved saved = {0};
    const char *fault = "the saved SPE state is truncated";

    if (len >= VPMU_SPE_STATE_SIZE) {
        pass_all(&c, &saved);
        fault = find_fault(&s->config, &saved, len);
    }
    if (!fault) {
        take(s, &saved);
    }
    return vpmu_refuse_(fault, VPMU_ERR_STATE, why);
}
