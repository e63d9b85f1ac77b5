/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The saved state: little-endian, no padding.
 *
 *   0  u32 magic "vBRB"     4  u16 version      6  u16 size
 *   8  configuration: u8 version, u8 records, u8 has_el2, u8 has_el3
 *  12  u8 the cycles since the newest record are known, u8 zero[3]
 *  16  u64 BRBCR_EL1, BRBCR_EL2, BRBFCR_EL1, BRBTS_EL1, BRBINFINJ_EL1, BRBSRCINJ_EL1, BRBTGTINJ_EL1
 *  72  u64 the time of the newest record
 *  80  u64 zero
 *  88  64 records, see saved_records.h; their tags are 0
 *1624  u32 CRC-32 of all before it
 */
#include "../cursor.h"
#include "../refuse.h"
#include "brbe_internal.h"
#include "saved_records.h"
#include "vpmu/errors.h"

#define MAGIC 0x42524276u
#define VERSION 1

/* The contents of a saved state. */
struct saved {
    uint32_t magic;
    uint16_t version;
    uint16_t size;
    struct vpmu_brbe_config config;
    uint8_t timed;
    uint64_t zero; /* all bytes that must be 0, combined with OR */
    uint64_t cr[2];
    uint64_t fcr;
    uint64_t ts;
    uint64_t inf_inj;
    uint64_t src_inj;
    uint64_t tgt_inj;
    uint64_t last;
    struct vpmu_branch record[VPMU_BRANCH_RECORDS];
    uint32_t crc;
    uint32_t crc_found;
};

static void pass_header(struct vpmu_cursor_ *c, struct saved *s)
{
    uint8_t has_el2 = s->config.has_el2;
    uint8_t has_el3 = s->config.has_el3;

    VPMU_PASS_(c, s->magic);
    VPMU_PASS_(c, s->version);
    VPMU_PASS_(c, s->size);
    VPMU_PASS_(c, s->config.version);
    VPMU_PASS_(c, s->config.records);
    VPMU_PASS_(c, has_el2);
    VPMU_PASS_(c, has_el3);
    VPMU_PASS_(c, s->timed);
    s->zero |= vpmu_pass_(c, 0, 3) | (has_el2 & 0xfe) | (has_el3 & 0xfe) | (s->timed & 0xfe);
    s->config.has_el2 = has_el2;
    s->config.has_el3 = has_el3;
}

/* Reads or writes all fields in the order of the layout. */
static void pass_all(struct vpmu_cursor_ *c, struct saved *s)
{
    pass_header(c, s);
    VPMU_PASS_(c, s->cr[0]);
    VPMU_PASS_(c, s->cr[1]);
    VPMU_PASS_(c, s->fcr);
    VPMU_PASS_(c, s->ts);
    VPMU_PASS_(c, s->inf_inj);
    VPMU_PASS_(c, s->src_inj);
    VPMU_PASS_(c, s->tgt_inj);
    VPMU_PASS_(c, s->last);
    s->zero |= vpmu_pass_(c, 0, 8);
    vpmu_pass_records_(c, s->record);
    s->crc = vpmu_crc32_(c->bytes, c->at);
    s->crc_found = s->crc;
    VPMU_PASS_(c, s->crc_found);
}

int vpmu_brbe_save(const struct vpmu_brbe *b, void *buf, size_t len)
{
    struct vpmu_cursor_ c = {.bytes = buf, .out = buf};
    struct saved s = {
        .magic = MAGIC,
        .version = VERSION,
        .size = VPMU_BRBE_STATE_SIZE,
        .config = b->config,
        .timed = b->ring.timed,
        .cr = {b->cr[0], b->cr[1]},
        .fcr = b->fcr,
        .ts = b->ts,
        .inf_inj = b->inf_inj,
        .src_inj = b->src_inj,
        .tgt_inj = b->tgt_inj,
        .last = b->ring.last,
    };

    if (len < VPMU_BRBE_STATE_SIZE) {
        return -VPMU_ERR_SPACE;
    }
    for (unsigned n = 0; n < b->ring.depth; n++) {
        s.record[n] = *vpmu_branch_get(&b->ring, n);
    }
    pass_all(&c, &s);
    return 0;
}

static const char *find_fault_in_header(const struct vpmu_brbe *b, const struct saved *s,
                                        size_t len)
{
    const struct vpmu_brbe_config *own = &b->config;

    if (s->magic != MAGIC) {
        return "this is not a saved BRBE state: it does not begin with vBRB";
    }
    if (s->version != VERSION) {
        return "the saved BRBE state is of another version; this library reads version 1";
    }
    if (s->size != VPMU_BRBE_STATE_SIZE || len != VPMU_BRBE_STATE_SIZE) {
        return "the saved BRBE state has the wrong size for its version";
    }
    if (s->crc_found != s->crc) {
        return "the saved BRBE state is damaged: its checksum does not match";
    }
    if (s->config.version != own->version || s->config.records != own->records ||
        s->config.has_el2 != own->has_el2 || s->config.has_el3 != own->has_el3) {
        return "the saved BRBE state is of a BRBE with another version, other records or other "
               "exception levels";
    }
    return NULL;
}

static const char *find_fault_in_content(const struct saved *s)
{
    bool bits = !((s->cr[0] | s->cr[1]) & ~VPMU_BRBCR_KEPT_) && !(s->fcr & ~VPMU_BRBFCR_KEPT_) &&
                !(s->inf_inj & ~VPMU_BRBINF_KEPT_) && (s->config.has_el2 || !s->cr[1]);

    if (!bits) {
        return "the saved BRBE state sets register bits that this BRBE does not have";
    }
    if (s->zero || (!s->timed && s->last)) {
        return "the saved BRBE state has a value where none can be";
    }
    for (unsigned n = 0; n < VPMU_BRANCH_RECORDS; n++) {
        if (!vpmu_branch_consistent(&s->record[n]) ||
            (n >= s->config.records && s->record[n].flags)) {
            return "the saved BRBE state has a branch record that cannot exist";
        }
    }
    return NULL;
}

static void take(struct vpmu_brbe *b, const struct saved *s)
{
    vpmu_brbe_reset(b);
    b->cr[0] = s->cr[0];
    b->cr[1] = s->cr[1];
    b->fcr = s->fcr;
    b->ts = s->ts;
    b->inf_inj = s->inf_inj;
    b->src_inj = s->src_inj;
    b->tgt_inj = s->tgt_inj;
    for (unsigned n = 0; n < b->ring.depth; n++) {
        b->ring.record[n] = s->record[n];
    }
    b->ring.timed = s->timed;
    b->ring.last = s->last;
    vpmu_brbe_update_(b);
}

int vpmu_brbe_load(struct vpmu_brbe *b, const void *buf, size_t len, const char **why)
{
    struct vpmu_cursor_ c = {.bytes = buf};
    struct saved s = {0};
    const char *fault = "the saved BRBE state is truncated";

    if (len >= VPMU_BRBE_STATE_SIZE) {
        pass_all(&c, &s);
        fault = find_fault_in_header(b, &s, len);
        if (!fault) {
            fault = find_fault_in_content(&s);
        }
    }
    if (!fault) {
        take(b, &s);
    }
    return vpmu_refuse_(fault, VPMU_ERR_STATE, why);
}
