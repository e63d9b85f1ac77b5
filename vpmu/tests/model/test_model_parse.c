/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The text form of caches, TLBs and predictors. */
#include <string.h>

#include "modeled_cpu.h"

static const struct {
    const char *text;
    bool ok;
    struct vpmu_cache_config cache;
} caches_rows[] = {
    {"32k:8:64", true, {32768, 8, 64}},
    {"32k,8,64", true, {32768, 8, 64}},
    {"32k,8:64", true, {32768, 8, 64}},
    {"32K,8,64", true, {32768, 8, 64}},
    {"2m,16,128", true, {2097152, 16, 128}},
    {"1M,1,16", true, {1048576, 1, 16}},
    {"512,2,64", true, {512, 2, 64}},
    {"none", true, {0, 0, 0}},
    {"0,0,0", true, {0, 0, 0}},
    {"007k,08,064", true, {7168, 8, 64}},
    {"4294967295,65535,65535", true, {UINT32_MAX, UINT16_MAX, UINT16_MAX}},
    {"4095m,1,1", true, {4293918720, 1, 1}},
    {"4096m,1,1", false, {0}},
    {"4194303k,1,1", true, {4294966272, 1, 1}},
    {"4194304k,1,1", false, {0}},
    {"4294967296,1,1", false, {0}},
    {"18446744073709551617,1,1", false, {0}}, /* 1, modulo 2^64 */
    {"99999999999999999999999999999999,1,1", false, {0}},
    {"1,65536,1", false, {0}},
    {"1,1,65536", false, {0}},
    {"", false, {0}},
    {"32k", false, {0}},
    {"32k,", false, {0}},
    {"32k,8", false, {0}},
    {"32k,8,", false, {0}},
    {"32k,8,64,", false, {0}},
    {"32k:8", false, {0}},
    {"32k:8:", false, {0}},
    {"32k:8:64:", false, {0}},
    {"32k::8:64", false, {0}},
    {"32k:,8,64", false, {0}},
    {"32k;8;64", false, {0}},
    {"32k,8,64 ", false, {0}},
    {" 32k,8,64", false, {0}},
    {"32k 8 64", false, {0}},
    {"32kk,8,64", false, {0}},
    {"32km,8,64", false, {0}},
    {"32g,8,64", false, {0}},
    {"k,8,64", false, {0}},
    {",8,64", false, {0}},
    {"32k,,64", false, {0}},
    {"-32k,8,64", false, {0}},
    {"+32k,8,64", false, {0}},
    {"0x20,8,64", false, {0}},
    {"32k,8k,64", false, {0}},
    {"None", false, {0}},
    {"non", false, {0}},
    {"nones", false, {0}},
    {"\xff", false, {0}},
};

START_TEST(caches)
{
    for (size_t i = 0; i < COUNT_OF(caches_rows); i++) {
        struct vpmu_cache_config cache = {1, 2, 3};
        const char *why = "nothing";
        int err = vpmu_cache_parse(caches_rows[i].text, &cache, &why);

        expect_in(caches_rows[i].text, "error", caches_rows[i].ok ? 0 : VPMU_ERR_CONFIG,
                  (uint64_t)-err);
        expect_in(caches_rows[i].text, "a reason", !caches_rows[i].ok,
                  strstr(why, "32k:8:64") != NULL);
        expect_in(caches_rows[i].text, "size", caches_rows[i].ok ? caches_rows[i].cache.size : 1,
                  cache.size);
        expect_in(caches_rows[i].text, "ways", caches_rows[i].ok ? caches_rows[i].cache.ways : 2,
                  cache.ways);
        expect_in(caches_rows[i].text, "line", caches_rows[i].ok ? caches_rows[i].cache.line : 3,
                  cache.line);
        expect_in(caches_rows[i].text, "error without a reason", (uint64_t)err,
                  (uint64_t)vpmu_cache_parse(caches_rows[i].text, &cache, NULL));
    }
}
END_TEST

START_TEST(tlbs)
{
    static const struct {
        const char *text;
        bool ok;
        struct vpmu_tlb_config tlb;
    } rows[] = {
        {"48", true, {48, 48}},  {"1024,4", true, {1024, 4}}, {"65535,1", true, {65535, 1}},
        {"0", true, {0, 0}},     {"65536", false, {0}},       {"1,65536", false, {0}},
        {"", false, {0}},        {",4", false, {0}},          {"1024,", false, {0}},
        {"1024,4,", false, {0}}, {"1k,4", false, {0}},        {"1024 4", false, {0}},
        {"1024,4 ", false, {0}}, {"none", false, {0}},        {"-1", false, {0}},
        {"1024;4", false, {0}},  {"1024:4", true, {1024, 4}}, {"1024:", false, {0}},
        {"1024:4:", false, {0}}, {":4", false, {0}},          {"1024::4", false, {0}},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_tlb_config tlb = {1, 2};
        const char *why = "nothing";
        int err = vpmu_tlb_parse(rows[i].text, &tlb, &why);

        expect_in(rows[i].text, "error", rows[i].ok ? 0 : VPMU_ERR_CONFIG, (uint64_t)-err);
        expect_in(rows[i].text, "a reason", !rows[i].ok, strstr(why, "1024:4") != NULL);
        expect_in(rows[i].text, "entries", rows[i].ok ? rows[i].tlb.entries : 1, tlb.entries);
        expect_in(rows[i].text, "ways", rows[i].ok ? rows[i].tlb.ways : 2, tlb.ways);
    }
}
END_TEST

START_TEST(branches)
{
    static const struct {
        const char *text;
        bool ok;
        uint8_t model;
    } rows[] = {
        {"tage", true, VPMU_BRANCH_TAGE},
        {"gshare", true, VPMU_BRANCH_GSHARE},
        {"bimodal", true, VPMU_BRANCH_BIMODAL},
        {"static", true, VPMU_BRANCH_STATIC},
        {"", false, 0},
        {"TAGE", false, 0},
        {"tag", false, 0},
        {"tage ", false, 0},
        {"0", false, 0},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint8_t model = 77;
        const char *why = "nothing";
        int err = vpmu_branch_parse(rows[i].text, &model, &why);

        expect_in(rows[i].text, "error", rows[i].ok ? 0 : VPMU_ERR_CONFIG, (uint64_t)-err);
        expect_in(rows[i].text, "a reason", !rows[i].ok, strstr(why, "bimodal") != NULL);
        expect_in(rows[i].text, "model", rows[i].ok ? rows[i].model : 77, model);
    }
}
END_TEST

Suite *model_parse_suite(void)
{
    const TTest *const tests[] = {caches, tlbs, branches};

    return suite_of("model_parse", tests, COUNT_OF(tests));
}
