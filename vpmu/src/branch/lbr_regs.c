/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The MSRs of last branch records. */
#include "../bits.h"
#include "lbr_internal.h"

#define LEGACY (1u << VPMU_LBR_LEGACY)
#define ARCH (1u << VPMU_LBR_ARCH)
#define AMD (1u << VPMU_LBR_AMD)
#define SELECT_FILTERS 0x1ffull
#define CTL_KEPT 0x7f0007ull

enum reg {
    DEBUGCTL,
    SELECT, /* LBR_SELECT, IA32_LBR_CTL */
    TOS,
    DEPTH,
    EXTN,
    FROM,
    TO,
    INFO,
};

/* SDM volume 4, table 2-2 and tables of models; PPR of family 19h. */
static const struct row {
    uint32_t first;
    uint8_t kinds;
    uint8_t reg;
    uint8_t step; /* the distance of two records; 0 for one register */
} rows[] = {
    {0x000001d9, LEGACY | ARCH | AMD, DEBUGCTL, 0},
    {0x000001c8, LEGACY, SELECT, 0},
    {0x000001c9, LEGACY, TOS, 0},
    {0x00000680, LEGACY, FROM, 1},
    {0x000006c0, LEGACY, TO, 1},
    {0x00000dc0, LEGACY, INFO, 1},
    {0x000014ce, ARCH, SELECT, 0},
    {0x000014cf, ARCH, DEPTH, 0},
    {0x00001500, ARCH, FROM, 1},
    {0x00001600, ARCH, TO, 1},
    {0x00001200, ARCH, INFO, 1},
    {0xc000010e, AMD, SELECT, 0},
    {0xc000010f, AMD, EXTN, 0},
    {0xc0010300, AMD, FROM, 2},
    {0xc0010301, AMD, TO, 2},
};

uint64_t vpmu_lbr_debugctl_kept_(const struct vpmu_lbr_config *config)
{
    switch (config->kind) {
    case VPMU_LBR_LEGACY:
        return config->debugctl | VPMU_LBR_DEBUGCTL_LBR | VPMU_LBR_DEBUGCTL_FREEZE;
    case VPMU_LBR_ARCH:
        return (config->debugctl & ~VPMU_LBR_DEBUGCTL_LBR) | VPMU_LBR_DEBUGCTL_FREEZE;
    default:
        return config->debugctl |
               (config->features & VPMU_LBR_STATUS ? VPMU_LBR_DEBUGCTL_FREEZE : 0);
    }
}

uint64_t vpmu_lbr_select_kept_(const struct vpmu_lbr_config *config)
{
    bool stack = config->features & VPMU_LBR_CALL_STACK;

    if (config->kind == VPMU_LBR_ARCH) {
        return CTL_KEPT | (stack ? VPMU_LBR_CTL_CALL_STACK : 0);
    }
    return SELECT_FILTERS | (stack ? VPMU_LBR_SELECT_CALL_STACK : 0);
}

uint64_t vpmu_lbr_extn_kept_(const struct vpmu_lbr_config *config)
{
    return config->kind == VPMU_LBR_AMD ? VPMU_LBR_EXTN_ENABLE : 0;
}

/* Finds the row of an MSR, and for records, which one it is. */
static const struct row *find(const struct vpmu_lbr *l, uint32_t msr, unsigned *n)
{
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct row *row = &rows[i];
        uint32_t distance = msr - row->first;
        uint32_t step = row->step ? row->step : 1;
        uint32_t count = row->step ? l->config.depth : 1;

        if (row->kinds & 1u << l->config.kind && distance % step == 0 && distance / step < count &&
            (row->reg != INFO || vpmu_lbr_has_info_(&l->config))) {
            *n = distance / step;
            return row;
        }
    }
    return NULL;
}

static enum vpmu_lbr_part_ part_of(const struct row *row)
{
    if (row->reg == FROM) {
        return VPMU_LBR_FROM_;
    }
    return row->reg == TO ? VPMU_LBR_TO_ : VPMU_LBR_INFO_;
}

static uint64_t read(const struct vpmu_lbr *l, const struct row *row, unsigned n)
{
    switch (row->reg) {
    case DEBUGCTL:
        return l->debugctl;
    case SELECT:
        return l->select;
    case TOS:
        return vpmu_lbr_tos_(l);
    case DEPTH:
        return l->ring.depth;
    case EXTN:
        return l->extn;
    default:
        return vpmu_lbr_part_read_(&l->config, &l->ring.record[vpmu_lbr_index_(l, n)],
                                   part_of(row));
    }
}

enum vpmu_x86_access vpmu_lbr_rdmsr(const struct vpmu_lbr *l, uint32_t msr, uint64_t *val)
{
    unsigned n = 0;
    const struct row *row = find(l, msr, &n);

    *val = 0;
    if (!row) {
        return VPMU_X86_UNKNOWN;
    }
    if (n >= l->ring.depth) {
        return VPMU_X86_GP;
    }
    *val = read(l, row, n);
    return VPMU_X86_OK;
}

void vpmu_lbr_record(const struct vpmu_lbr *l, unsigned n, uint64_t words[VPMU_LBR_RECORD_WORDS])
{
    unsigned parts = vpmu_lbr_has_info_(&l->config) ? VPMU_LBR_RECORD_WORDS : VPMU_LBR_INFO_;

    for (unsigned i = 0; i < VPMU_LBR_RECORD_WORDS; i++) {
        words[i] = 0;
    }
    for (unsigned i = 0; n < l->ring.depth && i < parts; i++) {
        words[i] =
            vpmu_lbr_part_read_(&l->config, &l->ring.record[(l->ring.newest + n) % l->ring.depth],
                                (enum vpmu_lbr_part_)i);
    }
}

/* Writes a register that keeps some bits. Intel's other bits are reserved; AMD ignores them. */
static bool write_kept(const struct vpmu_lbr *l, uint64_t *reg, uint64_t val, uint64_t kept)
{
    if (l->config.kind != VPMU_LBR_AMD && (val & ~kept)) {
        return false;
    }
    *reg = val & kept;
    return true;
}

/* With architectural LBR, DEBUGCTL.LBR is ignored. */
static bool write_debugctl(struct vpmu_lbr *l, uint64_t val)
{
    uint64_t ignored = l->config.kind == VPMU_LBR_ARCH ? VPMU_LBR_DEBUGCTL_LBR : 0;

    return write_kept(l, &l->debugctl, val & ~ignored, vpmu_lbr_debugctl_kept_(&l->config));
}

static bool write_tos(struct vpmu_lbr *l, uint64_t val)
{
    if (val >= l->ring.depth) {
        return false;
    }
    l->ring.newest = (uint8_t)((l->ring.depth - val) % l->ring.depth);
    return true;
}

static bool write_depth(struct vpmu_lbr *l, uint64_t val)
{
    if (!vpmu_lbr_depth_exists_(&l->config, val)) {
        return false;
    }
    vpmu_branch_clear(&l->ring);
    l->ring.depth = (uint8_t)val;
    return true;
}

static bool write(struct vpmu_lbr *l, const struct row *row, unsigned n, uint64_t val)
{
    switch (row->reg) {
    case DEBUGCTL:
        return write_debugctl(l, val);
    case SELECT:
        return write_kept(l, &l->select, val, vpmu_lbr_select_kept_(&l->config));
    case TOS:
        return write_tos(l, val);
    case DEPTH:
        return write_depth(l, val);
    case EXTN:
        return write_kept(l, &l->extn, val, vpmu_lbr_extn_kept_(&l->config));
    default:
        return vpmu_lbr_part_write_(&l->config, &l->ring.record[vpmu_lbr_index_(l, n)],
                                    part_of(row), val);
    }
}

enum vpmu_x86_access vpmu_lbr_wrmsr(struct vpmu_lbr *l, uint32_t msr, uint64_t val)
{
    unsigned n = 0;
    const struct row *row = find(l, msr, &n);

    if (!row) {
        return VPMU_X86_UNKNOWN;
    }
    if (n >= l->ring.depth || !write(l, row, n, val)) {
        return VPMU_X86_GP;
    }
    vpmu_lbr_update_(l);
    return VPMU_X86_OK;
}
