/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The saved state: little-endian, no padding.
 *
 *   0  u32 magic "vLBR"     4  u16 version      6  u16 size
 *   8  configuration: u8 kind, format, depth, depths, address_bits, features; u16 zero
 *  16  configuration: u64 debugctl
 *  24  u64 DEBUGCTL, u64 LBR_SELECT or IA32_LBR_CTL, u64 DBG_EXTN_CFG
 *  48  u64 the time of the newest record
 *  56  u8 depth, u8 TOS (0 if not legacy), u8 frozen
 *  59  u8 the cycles since the newest record are known, u32 zero
 *  64  64 records, see saved_records.h
 *1600  u32 CRC-32 of all before it
 */
#include "../cursor.h"
#include "../refuse.h"
#include "lbr_internal.h"
#include "saved_records.h"
#include "vpmu/errors.h"

#define MAGIC 0x52424c76u
#define VERSION 1

/* The contents of a saved state. */
struct saved {
    uint32_t magic;
    uint16_t version;
    uint16_t size;
    struct vpmu_lbr_config config;
    uint64_t debugctl;
    uint64_t select;
    uint64_t extn;
    uint64_t last;
    uint8_t depth;
    uint8_t tos;
    uint8_t frozen;
    uint8_t timed;
    uint32_t zero;
    struct vpmu_branch record[VPMU_BRANCH_RECORDS];
    uint32_t crc;
    uint32_t crc_found;
};

static void pass_config(struct vpmu_cursor_ *c, struct vpmu_lbr_config *config)
{
    VPMU_PASS_(c, config->kind);
    VPMU_PASS_(c, config->format);
    VPMU_PASS_(c, config->depth);
    VPMU_PASS_(c, config->depths);
    VPMU_PASS_(c, config->address_bits);
    VPMU_PASS_(c, config->features);
    VPMU_PASS_(c, config->zero);
    VPMU_PASS_(c, config->debugctl);
}

/* Reads or writes all fields in the order of the layout. */
static void pass_all(struct vpmu_cursor_ *c, struct saved *s)
{
    VPMU_PASS_(c, s->magic);
    VPMU_PASS_(c, s->version);
    VPMU_PASS_(c, s->size);
    pass_config(c, &s->config);
    VPMU_PASS_(c, s->debugctl);
    VPMU_PASS_(c, s->select);
    VPMU_PASS_(c, s->extn);
    VPMU_PASS_(c, s->last);
    VPMU_PASS_(c, s->depth);
    VPMU_PASS_(c, s->tos);
    VPMU_PASS_(c, s->frozen);
    VPMU_PASS_(c, s->timed);
    VPMU_PASS_(c, s->zero);
    vpmu_pass_records_(c, s->record);
    s->crc = vpmu_crc32_(c->bytes, c->at);
    s->crc_found = s->crc;
    VPMU_PASS_(c, s->crc_found);
}

int vpmu_lbr_save(const struct vpmu_lbr *l, void *buf, size_t len)
{
    struct vpmu_cursor_ c = {.bytes = buf, .out = buf};
    struct saved s = {
        .magic = MAGIC,
        .version = VERSION,
        .size = VPMU_LBR_STATE_SIZE,
        .config = l->config,
        .debugctl = l->debugctl,
        .select = l->select,
        .extn = l->extn,
        .last = l->ring.last,
        .depth = l->ring.depth,
        .tos = vpmu_lbr_is_legacy_(&l->config) ? (uint8_t)vpmu_lbr_tos_(l) : 0,
        .frozen = l->frozen,
        .timed = l->ring.timed,
    };

    if (len < VPMU_LBR_STATE_SIZE) {
        return -VPMU_ERR_SPACE;
    }
    for (unsigned n = 0; n < l->ring.depth; n++) {
        s.record[n] = *vpmu_branch_get(&l->ring, n);
    }
    pass_all(&c, &s);
    return 0;
}

static bool same_config(const struct vpmu_lbr_config *a, const struct vpmu_lbr_config *b)
{
    return a->kind == b->kind && a->format == b->format && a->depth == b->depth &&
           a->depths == b->depths && a->address_bits == b->address_bits &&
           a->features == b->features && a->zero == b->zero && a->debugctl == b->debugctl;
}

static const char *find_fault_in_header(const struct vpmu_lbr *l, const struct saved *s, size_t len)
{
    if (s->magic != MAGIC) {
        return "this is not a saved LBR state: it does not begin with vLBR";
    }
    if (s->version != VERSION) {
        return "the saved LBR state is of another version; this library reads version 1";
    }
    if (s->size != VPMU_LBR_STATE_SIZE || len != VPMU_LBR_STATE_SIZE) {
        return "the saved LBR state has the wrong size for its version";
    }
    if (s->crc_found != s->crc) {
        return "the saved LBR state is damaged: its checksum does not match";
    }
    if (!same_config(&s->config, &l->config)) {
        return "the saved LBR state is of records with another configuration";
    }
    return NULL;
}

static const char *find_fault_in_registers(const struct vpmu_lbr *l, const struct saved *s)
{
    const struct vpmu_lbr_config *config = &l->config;

    if ((s->debugctl & ~vpmu_lbr_debugctl_kept_(config)) ||
        (s->select & ~vpmu_lbr_select_kept_(config)) || (s->extn & ~vpmu_lbr_extn_kept_(config))) {
        return "the saved LBR state sets register bits that this LBR does not have";
    }
    if (!vpmu_lbr_depth_exists_(config, s->depth)) {
        return "the saved LBR state has a depth that this LBR does not have";
    }
    if (s->tos >= (vpmu_lbr_is_legacy_(config) ? s->depth : 1) || s->zero || s->frozen > 1 ||
        s->timed > 1 || (s->frozen && !(config->features & VPMU_LBR_STATUS)) ||
        (!s->timed && s->last)) {
        return "the saved LBR state has a value where none can be";
    }
    return NULL;
}

static const char *find_fault_in_records(const struct vpmu_lbr *l, const struct saved *s)
{
    for (unsigned n = 0; n < VPMU_BRANCH_RECORDS; n++) {
        if (!vpmu_lbr_record_possible_(&l->config, &s->record[n]) ||
            (n >= s->depth && s->record[n].flags)) {
            return "the saved LBR state has a branch record that cannot exist";
        }
    }
    return NULL;
}

/* Registers with which nothing is recorded make the time of the newest record unknown. */
static void take(struct vpmu_lbr *l, const struct saved *s)
{
    vpmu_lbr_reset(l);
    l->debugctl = s->debugctl;
    l->select = s->select;
    l->extn = s->extn;
    l->frozen = s->frozen;
    l->ring.depth = s->depth;
    l->ring.newest = (uint8_t)((s->depth - s->tos) % s->depth);
    for (unsigned n = 0; n < s->depth; n++) {
        l->ring.record[(l->ring.newest + n) % s->depth] = s->record[n];
    }
    l->ring.timed = s->timed;
    l->ring.last = s->last;
    vpmu_lbr_update_(l);
}

int vpmu_lbr_load(struct vpmu_lbr *l, const void *buf, size_t len, const char **why)
{
    struct vpmu_cursor_ c = {.bytes = buf};
    struct saved s = {0};
    struct vpmu_lbr loaded = *l;
    const char *fault = "the saved LBR state is truncated";

    if (len >= VPMU_LBR_STATE_SIZE) {
        pass_all(&c, &s);
        fault = find_fault_in_header(l, &s, len);
        if (!fault) {
            fault = find_fault_in_registers(l, &s);
        }
        if (!fault) {
            fault = find_fault_in_records(l, &s);
        }
    }
    if (!fault) {
        take(&loaded, &s);
        if (s.timed && (!loaded.ring.timed || !vpmu_lbr_counts_cycles(&loaded))) {
            fault = "the saved LBR state has a value where none can be";
        }
    }
    if (!fault) {
        *l = loaded;
    }
    return vpmu_refuse_(fault, VPMU_ERR_STATE, why);
}
