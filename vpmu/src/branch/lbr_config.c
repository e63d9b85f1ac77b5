/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The last branch records of each CPU model, and how CPUID and PERF_CAPABILITIES announce them. */
#include "../bits.h"
#include "../refuse.h"
#include "lbr_internal.h"
#include "vpmu/errors.h"

#define STACK VPMU_LBR_CALL_STACK
#define STATUS VPMU_LBR_STATUS

#define DEPTH_STEP 8u

/* CPUID.1CH. */
#define LEAF_1C_LIP (1u << 31)
#define LEAF_1C_CPL (1u << 0)
#define LEAF_1C_FILTER (1u << 1)
#define LEAF_1C_CALL_STACK (1u << 2)
#define LEAF_1C_MISPREDICTED (1u << 0)
#define LEAF_1C_TIMED (1u << 1)
#define LEAF_1C_TYPE (1u << 2)
/* CPUID Fn8000_0022 (APM 3, appendix E): EAX[1] is LbrStack, EAX[2] LbrAndPmcFreeze. */
#define LEAF_22_LBR (1u << 1)
#define LEAF_22_FREEZE (1u << 2)
#define LEAF_22_DEPTH_SHIFT 4

/* SDM volume 4, tables of models; SDM volume 3B, "LBR Stack"; PPR of families 19h and 1Ah. */
static const struct {
    uint8_t family;
    struct vpmu_lbr_config config;
} rows[] = {
    {VPMU_X86_NEHALEM, {VPMU_LBR_LEGACY, VPMU_LBR_EIP_FLAGS, 16, 0, 48, 0, 0, 0}},
    {VPMU_X86_WESTMERE, {VPMU_LBR_LEGACY, VPMU_LBR_EIP_FLAGS, 16, 0, 48, 0, 0, 0}},
    {VPMU_X86_SANDYBRIDGE, {VPMU_LBR_LEGACY, VPMU_LBR_EIP_FLAGS, 16, 0, 48, 0, 0, 0}},
    {VPMU_X86_IVYBRIDGE, {VPMU_LBR_LEGACY, VPMU_LBR_EIP_FLAGS, 16, 0, 48, 0, 0, 0}},
    {VPMU_X86_HASWELL, {VPMU_LBR_LEGACY, VPMU_LBR_EIP_FLAGS2, 16, 0, 48, STACK, 0, 0}},
    {VPMU_X86_BROADWELL, {VPMU_LBR_LEGACY, VPMU_LBR_EIP_FLAGS2, 16, 0, 48, STACK, 0, 0}},
    {VPMU_X86_SKYLAKE, {VPMU_LBR_LEGACY, VPMU_LBR_INFO, 32, 0, 48, STACK | STATUS, 0, 0}},
    {VPMU_X86_SKYLAKEX, {VPMU_LBR_LEGACY, VPMU_LBR_INFO, 32, 0, 48, STACK | STATUS, 0, 0}},
    {VPMU_X86_CASCADELAKE, {VPMU_LBR_LEGACY, VPMU_LBR_INFO, 32, 0, 48, STACK | STATUS, 0, 0}},
    {VPMU_X86_ICELAKEX, {VPMU_LBR_LEGACY, VPMU_LBR_INFO, 32, 0, 57, STACK | STATUS, 0, 0}},
    {VPMU_X86_SAPPHIRERAPIDS,
     {VPMU_LBR_ARCH, VPMU_LBR_NO_FORMAT, 32, 0x0b, 57, STACK | STATUS, 0, 0}},
    {VPMU_X86_GRANITERAPIDS,
     {VPMU_LBR_ARCH, VPMU_LBR_NO_FORMAT, 32, 0x0b, 57, STACK | STATUS, 0, 0}},
    {VPMU_X86_SIERRAFOREST,
     {VPMU_LBR_ARCH, VPMU_LBR_NO_FORMAT, 32, 0x0b, 48, STACK | STATUS, 0, 0}},
    {VPMU_X86_ZEN4, {VPMU_LBR_AMD, VPMU_LBR_NO_FORMAT, 16, 0, 57, STATUS, 0, 0}},
    {VPMU_X86_ZEN5, {VPMU_LBR_AMD, VPMU_LBR_NO_FORMAT, 16, 0, 57, STATUS, 0, 0}},
};

int vpmu_lbr_config_of(enum vpmu_x86_family family, struct vpmu_lbr_config *config)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (rows[i].family == family) {
            *config = rows[i].config;
            return 0;
        }
    }
    return -VPMU_ERR_CONFIG;
}

bool vpmu_lbr_depth_exists_(const struct vpmu_lbr_config *config, uint64_t depth)
{
    if (config->kind != VPMU_LBR_ARCH) {
        return depth == config->depth;
    }
    return depth > 0 && depth % DEPTH_STEP == 0 && depth <= VPMU_BRANCH_RECORDS &&
           (config->depths & VPMU_BIT(depth / DEPTH_STEP - 1));
}

static const char *find_fault_in_depth(const struct vpmu_lbr_config *config)
{
    unsigned depth = config->depth;

    if (config->kind == VPMU_LBR_ARCH) {
        return vpmu_lbr_depth_exists_(config, depth) && !(config->depths >> depth / DEPTH_STEP)
                   ? NULL
                   : "the depth of architectural LBR is the largest one of its mask of depths";
    }
    if (config->depths) {
        return "only architectural LBR has a mask of depths";
    }
    if (config->kind == VPMU_LBR_AMD) {
        return depth > 0 && depth < VPMU_BRANCH_RECORDS ? NULL : "AMD's LBR has 1 to 63 records";
    }
    return depth == 8 || depth == 16 || depth == 32 ? NULL
                                                    : "Intel's legacy LBR has 8, 16 or 32 records";
}

static const char *find_fault_in_features(const struct vpmu_lbr_config *config)
{
    if (config->features & ~VPMU_LBR_ALL || config->zero) {
        return "an LBR feature is not known";
    }
    if (config->kind == VPMU_LBR_AMD && (config->features & VPMU_LBR_CALL_STACK)) {
        return "AMD's LBR has no call-stack mode";
    }
    if (config->kind == VPMU_LBR_ARCH && !(config->features & VPMU_LBR_STATUS)) {
        return "architectural LBR freezes by the global status";
    }
    if (config->format != VPMU_LBR_EIP_FLAGS2 && (config->features & VPMU_LBR_TSX)) {
        return "only LBR format 4 has flags of transactions in its addresses";
    }
    return NULL;
}

static const char *find_fault(const struct vpmu_lbr_config *config)
{
    const char *fault = NULL;

    if (config->kind > VPMU_LBR_AMD) {
        return "LBR is Intel's legacy or architectural one, or AMD's";
    }
    if (vpmu_lbr_is_legacy_(config)
            ? config->format < VPMU_LBR_EIP_FLAGS || config->format > VPMU_LBR_INFO
            : config->format != VPMU_LBR_NO_FORMAT) {
        return "Intel's legacy LBR has format 3, 4 or 5, and any other LBR has format 3fH";
    }
    if (config->address_bits != 48 && config->address_bits != 57) {
        return "linear addresses have 48 or 57 bits";
    }
    fault = find_fault_in_depth(config);
    return fault ? fault : find_fault_in_features(config);
}

int vpmu_lbr_config_check(const struct vpmu_lbr_config *config, const char **why)
{
    return vpmu_refuse_(find_fault(config), VPMU_ERR_CONFIG, why);
}

struct vpmu_x86_cpuid vpmu_lbr_cpuid(const struct vpmu_lbr_config *config, uint32_t leaf)
{
    bool stack = config->features & VPMU_LBR_CALL_STACK;
    bool freeze = config->features & VPMU_LBR_STATUS;

    if (leaf == 0x1c && config->kind == VPMU_LBR_ARCH) {
        return (struct vpmu_x86_cpuid){
            .eax = config->depths | LEAF_1C_LIP,
            .ebx = LEAF_1C_CPL | LEAF_1C_FILTER | (stack ? LEAF_1C_CALL_STACK : 0),
            .ecx = LEAF_1C_MISPREDICTED | LEAF_1C_TIMED | LEAF_1C_TYPE,
        };
    }
    if (leaf == 0x80000022 && config->kind == VPMU_LBR_AMD) {
        return (struct vpmu_x86_cpuid){
            .eax = LEAF_22_LBR | (freeze ? LEAF_22_FREEZE : 0),
            .ebx = (uint32_t)config->depth << LEAF_22_DEPTH_SHIFT,
        };
    }
    return (struct vpmu_x86_cpuid){0};
}

uint64_t vpmu_lbr_capabilities(const struct vpmu_lbr_config *config)
{
    return config->kind == VPMU_LBR_AMD ? 0 : config->format;
}
