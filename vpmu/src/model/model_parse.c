/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Parses the text form of caches, TLBs and branch predictors. */
#include "../refuse.h"
#include "model_internal.h"

#define CACHE_EXPECTED                                                                             \
    "a cache is its size, ways and line size in bytes, such as 32k:8:64 or 2m:16:64, or none"
#define TLB_EXPECTED                                                                               \
    "a TLB is its entries and ways, such as 1024:4, or only entries if fully associative, such "   \
    "as 48"
#define BRANCH_EXPECTED "a branch predictor is tage, gshare, bimodal or static"

/* Parses a decimal number up to @max and advances the text. */
static bool take_number(const char **text, uint32_t max, uint32_t *number)
{
    const char *at = *text;
    uint64_t n = 0;

    for (; *at >= '0' && *at <= '9'; at++) {
        n = n * 10 + (unsigned)(*at - '0');
        if (n > max) {
            return false;
        }
    }
    if (at == *text) {
        return false;
    }
    *text = at;
    *number = (uint32_t)n;
    return true;
}

static bool take_char(const char **text, char c)
{
    if (**text != c) {
        return false;
    }
    ++*text;
    return true;
}

/* Accepts a colon besides a comma, because QEMU separates its options by commas. */
static bool take_separator(const char **text)
{
    return take_char(text, ':') || take_char(text, ',');
}

static bool take_number16(const char **text, uint16_t *number)
{
    uint32_t n;

    if (!take_number(text, UINT16_MAX, &n)) {
        return false;
    }
    *number = (uint16_t)n;
    return true;
}

/* Parses a number of bytes, such as 32k, and advances the text. */
static bool take_size(const char **text, uint32_t *size)
{
    unsigned shift = 0;

    if (!take_number(text, UINT32_MAX, size)) {
        return false;
    }
    if (take_char(text, 'k') || take_char(text, 'K')) {
        shift = 10;
    } else if (take_char(text, 'm') || take_char(text, 'M')) {
        shift = 20;
    }
    if (*size > UINT32_MAX >> shift) {
        return false;
    }
    *size <<= shift;
    return true;
}

static bool equals(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

int vpmu_cache_parse(const char *text, struct vpmu_cache_config *cache, const char **why)
{
    struct vpmu_cache_config parsed = {0};

    if (!equals(text, "none") && !(take_size(&text, &parsed.size) && take_separator(&text) &&
                                   take_number16(&text, &parsed.ways) && take_separator(&text) &&
                                   take_number16(&text, &parsed.line) && *text == '\0')) {
        return vpmu_refuse_(CACHE_EXPECTED, VPMU_ERR_CONFIG, why);
    }
    *cache = parsed;
    return 0;
}

int vpmu_tlb_parse(const char *text, struct vpmu_tlb_config *tlb, const char **why)
{
    struct vpmu_tlb_config parsed;

    if (!take_number16(&text, &parsed.entries)) {
        return vpmu_refuse_(TLB_EXPECTED, VPMU_ERR_CONFIG, why);
    }
    parsed.ways = parsed.entries;
    if ((take_separator(&text) && !take_number16(&text, &parsed.ways)) || *text != '\0') {
        return vpmu_refuse_(TLB_EXPECTED, VPMU_ERR_CONFIG, why);
    }
    *tlb = parsed;
    return 0;
}

int vpmu_branch_parse(const char *text, uint8_t *model, const char **why)
{
    static const char *const names[] = {
        [VPMU_BRANCH_TAGE] = "tage",
        [VPMU_BRANCH_GSHARE] = "gshare",
        [VPMU_BRANCH_BIMODAL] = "bimodal",
        [VPMU_BRANCH_STATIC] = "static",
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (equals(text, names[i])) {
            *model = (uint8_t)i;
            return 0;
        }
    }
    return vpmu_refuse_(BRANCH_EXPECTED, VPMU_ERR_CONFIG, why);
}
