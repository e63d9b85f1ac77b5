/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Which models can exist, and how much memory they need. */
#include <string.h>

#include "modeled_cpu.h"

/* A change of the default configuration, and a part of the reason for which it is refused. */
struct change {
    const char *name;
    const char *why; /* NULL: it is accepted */
    size_t field;
    size_t size;
    uint64_t value;
};

#define FIELD(member, val)                                                                         \
    offsetof(struct vpmu_model_config, member),                                                    \
        sizeof(((struct vpmu_model_config *)NULL)->member), val

static const struct change changes[] = {
    {"the default", NULL, FIELD(width, 1)},
    {"no L1I", "L1 cache is missing", FIELD(l1i.size, 0)},
    {"no L1D", "L1 cache is missing", FIELD(l1d.size, 0)},
    {"no last level", NULL, FIELD(llc.size, 0)},
    {"a last level without L2", "needs an L2 cache", FIELD(l2.size, 0)},
    {"a line of 0 bytes", "L1 data cache's line", FIELD(l1d.line, 0)},
    {"a line of 8 bytes", "L1 data cache's line", FIELD(l1d.line, 8)},
    {"a line of 48 bytes", "L1 instruction cache's line", FIELD(l1i.line, 48)},
    {"a line of 512 bytes", "last-level cache's line", FIELD(llc.line, 512)},
    {"different lines", "must be of the same size", FIELD(l2.line, 128)},
    {"a different first line", "must be of the same size", FIELD(l1i.line, 32)},
    {"a different last line", "must be of the same size", FIELD(llc.line, 128)},
    {"no ways", "L1 data cache has a wrong number of ways", FIELD(l1d.ways, 0)},
    {"1 way", NULL, FIELD(l1d.ways, 1)},
    {"64 ways", NULL, FIELD(llc.ways, 64)},
    {"65 ways", "L2 cache has a wrong number of ways", FIELD(l2.ways, 65)},
    {"128 ways", "L2 cache has a wrong number of ways", FIELD(l2.ways, 128)},
    {"24 KiB in 8 ways are 48 sets", "L1 data cache's size", FIELD(l1d.size, 24 << 10)},
    {"16 KiB in 4 ways are 64 sets", NULL, FIELD(l1i.size, 16 << 10)},
    {"part of a line", "L1 instruction cache's size", FIELD(l1i.size, (32 << 10) + 1)},
    {"less than a set", "L1 instruction cache's size", FIELD(l1i.size, 64)},
    {"one set", NULL, FIELD(l1i.size, 256)},
    {"the largest number", "last-level cache's size", FIELD(llc.size, UINT32_MAX)},
    {"2 GiB, 982 MiB in the model", "too many lines", FIELD(llc.size, 1u << 31)},
    {"512 MiB, 245 in the model", "too many lines", FIELD(llc.size, 512 << 20)},
    {"256 MiB, 123 in the model", NULL, FIELD(llc.size, 256 << 20)},
    {"128 MiB", NULL, FIELD(llc.size, 128 << 20)},
    {"no entries", "L1 data TLB's entries", FIELD(l1d_tlb.entries, 0)},
    {"no TLB ways", "L1 data TLB has a wrong number of ways", FIELD(l1d_tlb.ways, 0)},
    {"257 TLB ways", "L2 TLB has a wrong number of ways", FIELD(l2_tlb.ways, 257)},
    {"256 TLB ways", NULL, FIELD(l2_tlb.ways, 256)},
    {"48 entries in 16 ways are 3 sets", "L1 instruction TLB's entries", FIELD(l1i_tlb.ways, 16)},
    {"48 entries in 11 ways", "L1 instruction TLB's entries", FIELD(l1i_tlb.ways, 11)},
    {"48 entries in 3 ways are 16 sets", NULL, FIELD(l1i_tlb.ways, 3)},
    {"LRU", NULL, FIELD(l1_policy, VPMU_POLICY_LRU)},
    {"an unknown policy", "replacement policy", FIELD(l1_policy, VPMU_POLICY_LRU + 1)},
    {"static prediction", NULL, FIELD(branch, VPMU_BRANCH_STATIC)},
    {"unknown cycles", "source of cycles", FIELD(cycles, VPMU_CYCLES_MODEL + 1)},
    {"an unknown predictor", "branch predictor", FIELD(branch, VPMU_BRANCH_STATIC + 1)},
    {"no slots", "issue slots", FIELD(width, 0)},
    {"1 slot", NULL, FIELD(width, 1)},
    {"8 slots", NULL, FIELD(width, 8)},
    {"9 slots", "issue slots", FIELD(width, 9)},
    {"any penalty", NULL, FIELD(penalty_memory, UINT16_MAX)},
};

static struct vpmu_model_config changed(const struct change *change)
{
    struct vpmu_model_config config = vpmu_model_default;
    uint8_t value8 = (uint8_t)change->value;
    uint16_t value16 = (uint16_t)change->value;
    uint32_t value32 = (uint32_t)change->value;
    const void *values[] = {NULL, &value8, &value16, NULL, &value32};

    memcpy((char *)&config + change->field, values[change->size], change->size);
    return config;
}

START_TEST(configs)
{
    for (size_t i = 0; i < COUNT_OF(changes); i++) {
        struct vpmu_model_config config = changed(&changes[i]);
        const char *why = "nothing";
        int err = vpmu_model_check(&config, &why);
        size_t size = vpmu_model_size(&config);

        expect_in(changes[i].name, "error", changes[i].why ? VPMU_ERR_CONFIG : 0, (uint64_t)-err);
        ck_assert_msg(strstr(why, changes[i].why ? changes[i].why : "nothing") != NULL,
                      "%s: expected \"... %s ...\" got \"%s\"", changes[i].name, changes[i].why,
                      why);
        expect_in(changes[i].name, "refusal without a reason", (uint64_t)err,
                  (uint64_t)vpmu_model_check(&config, NULL));
        ck_assert_msg(changes[i].why ? size == 0 : size > 0 && size <= VPMU_MODEL_MAX_SIZE,
                      "%s: expected %s got a size of %zu", changes[i].name,
                      changes[i].why ? "no size" : "a size up to the limit", size);
    }
}
END_TEST

/* The other values of both absent caches are ignored. */
START_TEST(absent_caches)
{
    struct vpmu_model_config config = vpmu_model_default;

    config.l2 = (struct vpmu_cache_config){.ways = 1000, .line = 3};
    config.llc = config.l2;
    expect("error", 0, (uint64_t)vpmu_model_check(&config, NULL));
}
END_TEST

START_TEST(refused)
{
    static _Alignas(VPMU_MODEL_ALIGN) unsigned char memory[16];
    struct vpmu_model_config config = vpmu_model_default;
    struct vpmu_arm_totals totals;

    config.width = 0;
    ck_assert_msg(vpmu_model_init(memory, &config, vpmu_arm_table(&totals)) == NULL,
                  "expected NULL got a model");
}
END_TEST

/*
 * Sizes computed by hand. A tag has 4 bytes; a set has 4, 8 or a multiple of 8 of them. A page that
 * has an id takes 20 bytes. There are as many ids as lines and TLB entries, an eighth more, and 65;
 * and 4 bytes for each hash, of which there are at least half as many, a power of two. A part takes
 * a multiple of 64 bytes.
 */
START_TEST(memory_size)
{
    struct vpmu_model_config config = vpmu_model_default;
    size_t size = vpmu_model_size(&config);

    ck_assert_msg(size <= 3 << 19, "expected a default model of at most 1.5 MiB got %zu bytes",
                  size);
    expect("alignment", 0, size % VPMU_MODEL_ALIGN);
    /* 43104 things that refer to pages, 48557 ids, 32768 hashes: 1102272 bytes. */
    config.llc.size = 4 << 20;
    expect("32768 more lines: 85421 ids, 65536 hashes", 32768 * 4 + 1970624 - 1102272,
           vpmu_model_size(&config) - size);
    config.llc.size = 0;
    expect("32768 lines less: 11693 ids, 8192 hashes", 32768 * 4 + 1102272 - 266688,
           size - vpmu_model_size(&config));
    config = vpmu_model_default;
    config.l1d_tlb = (struct vpmu_tlb_config){.entries = 49, .ways = 49};
    expect("49 pages of 24 bytes instead of 48", 1216 - 1152, vpmu_model_size(&config) - size);
    config = vpmu_model_default;
    config.l2_tlb = (struct vpmu_tlb_config){.entries = 1280, .ways = 5};
    expect("256 sets of 8 tags instead of 4, and 48845 ids", 256 * 16 + 1108032 - 1102272,
           vpmu_model_size(&config) - size);
}
END_TEST

/* The memory behind the model is not changed. */
START_TEST(memory_ends)
{
    struct vpmu_model_config config = config_tiny();
    static _Alignas(VPMU_MODEL_ALIGN) unsigned char memory[1 << 18];
    struct vpmu_arm_totals totals = {0};
    size_t size = vpmu_model_size(&config);
    struct vpmu_model *m;

    ck_assert_msg(size < sizeof(memory), "expected less than %zu got %zu", sizeof(memory), size);
    memset(memory, 0x5a, sizeof(memory));
    m = vpmu_model_init(memory, &config, vpmu_arm_table(&totals));
    for (unsigned i = 0; i < 4096; i++) {
        vpmu_model_data(m, MODELED_CTX, i * 0x1040ull, 8, true, VPMU_PAGE_SHIFT);
        vpmu_model_fetch(m, MODELED_CTX, i * 0x1040ull, VPMU_PAGE_SHIFT);
    }
    vpmu_model_flush_page(m, 4095 * 0x1040ull);
    vpmu_model_flush_tlb(m);
    for (size_t i = size; i < sizeof(memory); i++) {
        expect("behind the model", 0x5a, memory[i]);
    }
}
END_TEST

/* A model that is made again in the same memory starts empty. */
START_TEST(cold)
{
    struct vpmu_model_config config = config_tiny();

    for (unsigned round = 0; round < 2; round++) {
        struct modeled m;

        modeled_start(&m, &config);
        for (unsigned i = 0; i < 4; i++) {
            vpmu_model_data(m.model, MODELED_CTX, i * 64, 8, false, VPMU_PAGE_SHIFT);
            vpmu_model_branch(m.model, MODELED_CTX, 0x1000, 0x2000, 0x1004, VPMU_BRANCH_INDIRECT,
                              true);
        }
        expect("refills", 4, m.totals.n[MODELED_CTX][VPMU_SRC_L1D_CACHE_REFILL_RD]);
        expect("mispredictions", 1, m.totals.n[MODELED_CTX][VPMU_SRC_BR_MIS_PRED]);
        expect("line of the last fetch", VPMU_NO_LINE, m.head->fetch_line);
        vpmu_model_fetch(m.model, MODELED_CTX, 0x1000, VPMU_PAGE_SHIFT);
    }
}
END_TEST

Suite *model_suite(void)
{
    const TTest *const tests[] = {configs, absent_caches, refused, memory_size, memory_ends, cold};

    return suite_of("model", tests, COUNT_OF(tests));
}
