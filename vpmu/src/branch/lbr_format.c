/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The bits of FROM, TO and INFO. Software can write what the ring does not know; the tag has it:
 *
 *   legacy, format 4    1:0  FROM[62:61]
 *   legacy, format 5    1:0  INFO[62:61]
 *   architectural       3:0  INFO[59:56], the type   5:4  INFO[62:61]
 *   AMD                 1:0  TO[63:62]
 */
#include "../bits.h"
#include "lbr_internal.h"

#define MISPREDICTED VPMU_BIT(63)
#define TRANSACTION_SHIFT 61
#define TRANSACTION (3ull << TRANSACTION_SHIFT)
#define INFO_TIMED VPMU_BIT(60)
#define INFO_TYPE_SHIFT 56
#define INFO_TYPE (0xfull << INFO_TYPE_SHIFT)
#define INFO_CYCLES 0xffffull
#define TAG_TRANSACTION_SHIFT 4
#define TAG_TYPE 0xf

/* AMD: addresses have 58 bits, TO[63] is valid, [62] speculative. */
#define AMD_ADDRESS_BITS 58
#define AMD_VALID_SHIFT 62
#define AMD_FLAGS (3ull << AMD_VALID_SHIFT)
#define AMD_RESERVED VPMU_BIT(61)
#define AMD_VALID 2

#define BOTH_SIDES (VPMU_BRANCH_HAS_FROM | VPMU_BRANCH_HAS_TO)

static uint64_t sign_extend(uint64_t val, unsigned bits)
{
    uint64_t sign = VPMU_BIT(bits - 1);

    return ((val & vpmu_below_(bits)) ^ sign) - sign;
}

uint64_t vpmu_lbr_address_(const struct vpmu_lbr_config *config, uint64_t address)
{
    return sign_extend(address,
                       config->kind == VPMU_LBR_AMD ? AMD_ADDRESS_BITS : config->address_bits);
}

/* SDM 3B, IA32_LBR_x_INFO.BR_TYPE; all far branches are 8. */
uint8_t vpmu_lbr_tag_(const struct vpmu_lbr_config *config, unsigned type)
{
    static const uint8_t types[] = {
        [VPMU_BRTYPE_CONDITIONAL] = 0,   [VPMU_BRTYPE_INDIRECT] = 1, [VPMU_BRTYPE_DIRECT] = 2,
        [VPMU_BRTYPE_INDIRECT_CALL] = 3, [VPMU_BRTYPE_CALL] = 4,     [VPMU_BRTYPE_RETURN] = 5,
    };

    if (config->kind == VPMU_LBR_AMD) {
        return AMD_VALID;
    }
    if (config->kind != VPMU_LBR_ARCH) {
        return 0;
    }
    return vpmu_branch_group(type) == VPMU_BRGROUP_EXCEPTION ? 8 : types[type];
}

static uint64_t mispredicted(const struct vpmu_branch *branch)
{
    return branch->flags & VPMU_BRANCH_MISPREDICTED ? MISPREDICTED : 0;
}

static uint64_t read_from(const struct vpmu_lbr_config *config, const struct vpmu_branch *branch)
{
    if (vpmu_lbr_has_info_(config)) {
        return branch->from;
    }
    if (config->format == VPMU_LBR_EIP_FLAGS2) {
        return (branch->from & ~(MISPREDICTED | TRANSACTION)) | mispredicted(branch) |
               (uint64_t)branch->tag << TRANSACTION_SHIFT;
    }
    return (branch->from & ~MISPREDICTED) | mispredicted(branch);
}

static uint64_t read_to(const struct vpmu_lbr_config *config, const struct vpmu_branch *branch)
{
    if (config->kind != VPMU_LBR_AMD) {
        return branch->to;
    }
    return (branch->to & ~(AMD_FLAGS | AMD_RESERVED)) | (uint64_t)branch->tag << AMD_VALID_SHIFT;
}

static uint64_t read_info(const struct vpmu_lbr_config *config, const struct vpmu_branch *branch)
{
    uint64_t info = branch->cycles < INFO_CYCLES ? branch->cycles : INFO_CYCLES;

    info |= mispredicted(branch);
    if (config->kind != VPMU_LBR_ARCH) {
        return info | (uint64_t)branch->tag << TRANSACTION_SHIFT;
    }
    info |= branch->flags & VPMU_BRANCH_HAS_CYCLES ? INFO_TIMED : 0;
    return info | (uint64_t)(branch->tag & TAG_TYPE) << INFO_TYPE_SHIFT |
           (uint64_t)(branch->tag >> TAG_TRANSACTION_SHIFT) << TRANSACTION_SHIFT;
}

uint64_t vpmu_lbr_part_read_(const struct vpmu_lbr_config *config, const struct vpmu_branch *branch,
                             enum vpmu_lbr_part_ part)
{
    if (part == VPMU_LBR_FROM_) {
        return read_from(config, branch);
    }
    return part == VPMU_LBR_TO_ ? read_to(config, branch) : read_info(config, branch);
}

static void set_mispredicted(struct vpmu_branch *branch, uint64_t val)
{
    branch->flags &= (uint8_t)~VPMU_BRANCH_MISPREDICTED;
    branch->flags |= val & MISPREDICTED ? VPMU_BRANCH_MISPREDICTED : 0;
}

/*
 * The width of what must be a canonical address in FROM. Without transactions, FROM[62:61] of
 * format 4 are part of the address when software writes them, though the processor records 0.
 */
static unsigned from_bits(const struct vpmu_lbr_config *config)
{
    if (config->format == VPMU_LBR_EIP_FLAGS2 && (config->features & VPMU_LBR_TSX)) {
        return TRANSACTION_SHIFT;
    }
    return vpmu_lbr_has_info_(config) ? 64 : 63;
}

static bool write_from(const struct vpmu_lbr_config *config, struct vpmu_branch *branch,
                       uint64_t val)
{
    uint64_t address = vpmu_lbr_address_(config, val);

    if (config->kind != VPMU_LBR_AMD) {
        uint64_t compared = UINT64_MAX >> (64 - from_bits(config));

        if ((val ^ address) & compared) {
            return false;
        }
    }
    branch->from = address;
    if (config->format == VPMU_LBR_EIP_FLAGS2) {
        branch->tag = (uint8_t)((val & TRANSACTION) >> TRANSACTION_SHIFT);
    }
    if (!vpmu_lbr_has_info_(config)) {
        set_mispredicted(branch, val);
    }
    return true;
}

static bool write_to(const struct vpmu_lbr_config *config, struct vpmu_branch *branch, uint64_t val)
{
    uint64_t address = vpmu_lbr_address_(config, val);

    if (config->kind == VPMU_LBR_AMD) {
        branch->tag = (uint8_t)(val >> AMD_VALID_SHIFT);
    } else if (val != address) {
        return false;
    }
    branch->to = address;
    return true;
}

/* Cycles without CYC_CNT_VALID are not kept. */
static bool write_info(const struct vpmu_lbr_config *config, struct vpmu_branch *branch,
                       uint64_t val)
{
    bool arch = config->kind == VPMU_LBR_ARCH;
    uint64_t transaction = (val & TRANSACTION) >> TRANSACTION_SHIFT;
    bool timed = arch ? val & INFO_TIMED : val & INFO_CYCLES;

    if (!arch && (val & ~(MISPREDICTED | TRANSACTION | INFO_CYCLES))) {
        return false;
    }
    set_mispredicted(branch, val);
    branch->flags &= (uint8_t)~VPMU_BRANCH_HAS_CYCLES;
    branch->flags |= timed ? VPMU_BRANCH_HAS_CYCLES : 0;
    branch->cycles = timed ? val & INFO_CYCLES : 0;
    branch->tag =
        (uint8_t)(arch ? (val & INFO_TYPE) >> INFO_TYPE_SHIFT | transaction << TAG_TRANSACTION_SHIFT
                       : transaction);
    return true;
}

/*
 * A record that software wrote has no type or level that the ring knows. It is empty if all bits
 * are 0.
 */
bool vpmu_lbr_part_write_(const struct vpmu_lbr_config *config, struct vpmu_branch *branch,
                          enum vpmu_lbr_part_ part, uint64_t val)
{
    struct vpmu_branch written = *branch;
    bool accepted;

    if (part == VPMU_LBR_FROM_) {
        accepted = write_from(config, &written, val);
    } else {
        accepted = part == VPMU_LBR_TO_ ? write_to(config, &written, val)
                                        : write_info(config, &written, val);
    }
    if (!accepted) {
        return false;
    }
    written.type = 0;
    written.level = 0;
    written.flags &= (uint8_t)~BOTH_SIDES;
    if (written.from | written.to | written.cycles | written.flags | written.tag) {
        written.flags |= BOTH_SIDES;
    }
    *branch = written;
    return true;
}

static bool tag_possible(const struct vpmu_lbr_config *config, const struct vpmu_branch *branch)
{
    if (config->kind == VPMU_LBR_ARCH) {
        return branch->tag < 64;
    }
    if (config->format == VPMU_LBR_EIP_FLAGS) {
        return branch->tag == 0;
    }
    if (config->format == VPMU_LBR_EIP_FLAGS2 && !(config->features & VPMU_LBR_TSX)) {
        return branch->tag == 0 || branch->tag == (branch->from & TRANSACTION) >> TRANSACTION_SHIFT;
    }
    return branch->tag < 4;
}

bool vpmu_lbr_record_possible_(const struct vpmu_lbr_config *config,
                               const struct vpmu_branch *branch)
{
    struct vpmu_branch plain = *branch;
    uint8_t sides = branch->flags & BOTH_SIDES;

    plain.tag = 0;
    if (!vpmu_branch_consistent(&plain)) {
        return false;
    }
    if (!branch->flags) {
        return branch->tag == 0;
    }
    return sides == BOTH_SIDES && branch->from == vpmu_lbr_address_(config, branch->from) &&
           branch->to == vpmu_lbr_address_(config, branch->to) &&
           (vpmu_lbr_has_info_(config) || !(branch->flags & VPMU_BRANCH_HAS_CYCLES)) &&
           tag_possible(config, branch);
}
