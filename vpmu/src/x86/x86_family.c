/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Finds the family of a processor. Families differ in what event numbers mean, and in PEBS. */
#include "x86_internal.h"

#define ANY 0xff

/* As in perf's mapfile.csv; Intel's family is 6. The first row that fits is taken. */
static const struct {
    uint8_t vendor;
    uint8_t family;
    uint8_t first_model;
    uint8_t last_model;
    uint8_t first_stepping;
    uint8_t is;
} rows[] = {
    {VPMU_X86_INTEL, 6, 0x0f, 0x0f, 0, VPMU_X86_CORE2},
    {VPMU_X86_INTEL, 6, 0x16, 0x17, 0, VPMU_X86_CORE2},
    {VPMU_X86_INTEL, 6, 0x1c, 0x1c, 0, VPMU_X86_BONNELL},
    {VPMU_X86_INTEL, 6, 0x1d, 0x1d, 0, VPMU_X86_CORE2},
    {VPMU_X86_INTEL, 6, 0x1a, 0x1f, 0, VPMU_X86_NEHALEM},
    {VPMU_X86_INTEL, 6, 0x2e, 0x2e, 0, VPMU_X86_NEHALEM},
    {VPMU_X86_INTEL, 6, 0x25, 0x25, 0, VPMU_X86_WESTMERE},
    {VPMU_X86_INTEL, 6, 0x2c, 0x2c, 0, VPMU_X86_WESTMERE},
    {VPMU_X86_INTEL, 6, 0x2f, 0x2f, 0, VPMU_X86_WESTMERE},
    {VPMU_X86_INTEL, 6, 0x2a, 0x2a, 0, VPMU_X86_SANDYBRIDGE},
    {VPMU_X86_INTEL, 6, 0x2d, 0x2d, 0, VPMU_X86_SANDYBRIDGE},
    {VPMU_X86_INTEL, 6, 0x3a, 0x3a, 0, VPMU_X86_IVYBRIDGE},
    {VPMU_X86_INTEL, 6, 0x3e, 0x3e, 0, VPMU_X86_IVYBRIDGE},
    {VPMU_X86_INTEL, 6, 0x3c, 0x3c, 0, VPMU_X86_HASWELL},
    {VPMU_X86_INTEL, 6, 0x3f, 0x3f, 0, VPMU_X86_HASWELL},
    {VPMU_X86_INTEL, 6, 0x45, 0x46, 0, VPMU_X86_HASWELL},
    {VPMU_X86_INTEL, 6, 0x3d, 0x3d, 0, VPMU_X86_BROADWELL},
    {VPMU_X86_INTEL, 6, 0x47, 0x47, 0, VPMU_X86_BROADWELL},
    {VPMU_X86_INTEL, 6, 0x4f, 0x4f, 0, VPMU_X86_BROADWELL},
    {VPMU_X86_INTEL, 6, 0x56, 0x56, 0, VPMU_X86_BROADWELL},
    {VPMU_X86_INTEL, 6, 0x4e, 0x4e, 0, VPMU_X86_SKYLAKE},
    {VPMU_X86_INTEL, 6, 0x5e, 0x5e, 0, VPMU_X86_SKYLAKE},
    {VPMU_X86_INTEL, 6, 0x8e, 0x8e, 0, VPMU_X86_SKYLAKE},
    {VPMU_X86_INTEL, 6, 0x9e, 0x9e, 0, VPMU_X86_SKYLAKE},
    {VPMU_X86_INTEL, 6, 0xa5, 0xa6, 0, VPMU_X86_SKYLAKE},
    {VPMU_X86_INTEL, 6, 0x55, 0x55, 5, VPMU_X86_CASCADELAKE},
    {VPMU_X86_INTEL, 6, 0x55, 0x55, 0, VPMU_X86_SKYLAKEX},
    {VPMU_X86_INTEL, 6, 0x6a, 0x6a, 0, VPMU_X86_ICELAKEX},
    {VPMU_X86_INTEL, 6, 0x6c, 0x6c, 0, VPMU_X86_ICELAKEX},
    {VPMU_X86_INTEL, 6, 0x8f, 0x8f, 0, VPMU_X86_SAPPHIRERAPIDS},
    {VPMU_X86_INTEL, 6, 0xad, 0xae, 0, VPMU_X86_GRANITERAPIDS},
    {VPMU_X86_INTEL, 6, 0x5c, 0x5c, 0, VPMU_X86_GOLDMONT},
    {VPMU_X86_INTEL, 6, 0x5f, 0x5f, 0, VPMU_X86_GOLDMONT},
    {VPMU_X86_INTEL, 6, 0x86, 0x86, 0, VPMU_X86_TREMONT},
    {VPMU_X86_INTEL, 6, 0xaf, 0xaf, 0, VPMU_X86_SIERRAFOREST},
    {VPMU_X86_INTEL, 6, 0xdd, 0xdd, 0, VPMU_X86_CLEARWATERFOREST},
    {VPMU_X86_INTEL, 6, 0x57, 0x57, 0, VPMU_X86_KNIGHTS},
    {VPMU_X86_INTEL, 6, 0x85, 0x85, 0, VPMU_X86_KNIGHTS},
    {VPMU_X86_AMD, 0x17, 0x00, 0x2f, 0, VPMU_X86_ZEN1},
    {VPMU_X86_AMD, 0x17, 0x30, ANY, 0, VPMU_X86_ZEN2},
    {VPMU_X86_AMD, 0x19, 0x00, 0x0f, 0, VPMU_X86_ZEN3},
    {VPMU_X86_AMD, 0x19, 0x20, 0x2f, 0, VPMU_X86_ZEN3},
    {VPMU_X86_AMD, 0x19, 0x40, 0x5f, 0, VPMU_X86_ZEN3},
    {VPMU_X86_AMD, 0x19, 0x00, ANY, 0, VPMU_X86_ZEN4},
    {VPMU_X86_AMD, 0x1a, 0x00, ANY, 0, VPMU_X86_ZEN5},
};

enum vpmu_x86_family vpmu_x86_family(unsigned vendor, unsigned family, unsigned model,
                                     unsigned stepping)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (rows[i].vendor == vendor && rows[i].family == family && model >= rows[i].first_model &&
            model <= rows[i].last_model && stepping >= rows[i].first_stepping) {
            return (enum vpmu_x86_family)rows[i].is;
        }
    }
    return VPMU_X86_GENERIC;
}

uint8_t vpmu_x86_pebs_format(enum vpmu_x86_family family)
{
    static const uint8_t formats[VPMU_X86_FAMILY_COUNT] = {
        [VPMU_X86_NEHALEM] = 1,
        [VPMU_X86_WESTMERE] = 1,
        [VPMU_X86_SANDYBRIDGE] = 1,
        [VPMU_X86_IVYBRIDGE] = 1,
        [VPMU_X86_HASWELL] = 2,
        [VPMU_X86_BROADWELL] = 2,
        [VPMU_X86_SKYLAKE] = 3,
        [VPMU_X86_SKYLAKEX] = 3,
        [VPMU_X86_CASCADELAKE] = 3,
        [VPMU_X86_ICELAKEX] = VPMU_X86_PEBS_BASELINE,
        [VPMU_X86_SAPPHIRERAPIDS] = VPMU_X86_PEBS_BASELINE,
        [VPMU_X86_GRANITERAPIDS] = VPMU_X86_PEBS_BASELINE,
        [VPMU_X86_TREMONT] = VPMU_X86_PEBS_BASELINE,
    };

    return (unsigned)family < VPMU_X86_FAMILY_COUNT ? formats[family] : 0;
}
