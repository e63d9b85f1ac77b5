/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * Fuzz target: the input is text. Its first byte says what it describes: a part of a model, or an
 * observer. A part that is accepted must be accepted again when it is written out, and must give a
 * model or the reason why there is none.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "vpmu/model.h"
#include "vpmu/arm/observer.h"

#define TEXT_SIZE 4097
#define MEMORY_SIZE (1 << 20)
#define CTX 4

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

/*
 * A refused text changes nothing and gives a reason. Passing NULL for the reason makes no
 * difference.
 */
static bool check_result(int err, int err_without_why, int refused, const char *why,
                         const void *value, const void *before, size_t size)
{
    require(err == err_without_why);
    require(err == 0 || err == refused);
    require((err == 0) == (why == NULL));
    require(err == 0 || memcmp(value, before, size) == 0);
    return err == 0;
}

/* A configuration is refused with a reason, or makes a model that works. */
static void try_model(const struct vpmu_model_config *config)
{
    static _Alignas(VPMU_MODEL_ALIGN) unsigned char memory[MEMORY_SIZE];
    struct vpmu_arm_totals totals = {0};
    const char *why = NULL;
    int err = vpmu_model_check(config, &why);
    size_t size = vpmu_model_size(config);
    struct vpmu_model *m;

    require((err == 0) == (why == NULL) && (err == 0) == (size > 0));
    if (err || size > sizeof(memory)) {
        return;
    }
    m = vpmu_model_init(memory + (sizeof(memory) - size), config, vpmu_arm_table(&totals));
    require(m != NULL);
    vpmu_model_data(m, CTX, 0x1ffe, 8, true, VPMU_PAGE_SHIFT);
    vpmu_model_fetch(m, CTX, UINT64_MAX, VPMU_PAGE_SHIFT);
    require(totals.n[CTX][VPMU_SRC_L1D_CACHE_REFILL_WR] == 2);
    require(totals.n[CTX][VPMU_SRC_L1I_CACHE_REFILL] == 1);
}

static void try_cache(const char *text)
{
    struct vpmu_model_config config = vpmu_model_default;
    const struct vpmu_cache_config before = config.l1d;
    struct vpmu_cache_config again;
    const char *why = NULL;
    int err_without_why = vpmu_cache_parse(text, &again, NULL);
    int err = vpmu_cache_parse(text, &config.l1d, &why);
    char out[40];

    if (check_result(err, err_without_why, -VPMU_ERR_CONFIG, why, &config.l1d, &before,
                     sizeof(before))) {
        snprintf(out, sizeof(out), "%u:%u:%u", config.l1d.size, config.l1d.ways, config.l1d.line);
        require(vpmu_cache_parse(out, &again, NULL) == 0);
        require(memcmp(&again, &config.l1d, sizeof(again)) == 0);
    }
    config.l2.line = config.l1d.line;
    config.llc.line = config.l1d.line;
    config.l1i.line = config.l1d.line;
    try_model(&config);
}

static void try_tlb(const char *text)
{
    struct vpmu_model_config config = vpmu_model_default;
    const struct vpmu_tlb_config before = config.l1d_tlb;
    struct vpmu_tlb_config again;
    const char *why = NULL;
    int err_without_why = vpmu_tlb_parse(text, &again, NULL);
    int err = vpmu_tlb_parse(text, &config.l1d_tlb, &why);
    char out[40];

    if (check_result(err, err_without_why, -VPMU_ERR_CONFIG, why, &config.l1d_tlb, &before,
                     sizeof(before))) {
        snprintf(out, sizeof(out), "%u:%u", config.l1d_tlb.entries, config.l1d_tlb.ways);
        require(vpmu_tlb_parse(out, &again, NULL) == 0);
        require(memcmp(&again, &config.l1d_tlb, sizeof(again)) == 0);
    }
    try_model(&config);
}

static void try_branch(const char *text)
{
    struct vpmu_model_config config = vpmu_model_default;
    const uint8_t before = config.branch;
    uint8_t again;
    const char *why = NULL;
    int err_without_why = vpmu_branch_parse(text, &again, NULL);
    int err = vpmu_branch_parse(text, &config.branch, &why);

    if (check_result(err, err_without_why, -VPMU_ERR_CONFIG, why, &config.branch, &before,
                     sizeof(before))) {
        try_model(&config);
    }
}

#define ALL_CONTEXTS ((1u << VPMU_CTX_COUNT) - 1)
/* A guest has EL0 and EL1, and EL3 may interrupt it; it has no EL2. */
#define GUEST_CONTEXTS 0x2dbu

/* An observer that is accepted counts sources that this PMU has, in contexts that exist. */
static void try_observer_of(const struct vpmu_arm_config *config, const char *text)
{
    struct vpmu_observer o;
    struct vpmu_observer before;
    struct vpmu_observer again;
    const char *why = NULL;
    int err_without_why = vpmu_arm_observer_parse(config, text, &again, NULL);
    int err;

    memset(&o, 0x5a, sizeof(o));
    memset(&before, 0x5a, sizeof(before));
    err = vpmu_arm_observer_parse(config, text, &o, &why);
    if (check_result(err, err_without_why, -VPMU_ERR_EVENT, why, &o, &before, sizeof(o))) {
        require(o.sources != 0 && (o.sources & ~config->sources) == 0);
        require(o.gate == VPMU_UNGATED && o.mask == 0 && o.value == 0 && o.next == NULL);
        for (unsigned world = 0; world < VPMU_WORLD_COUNT; world++) {
            require((o.ctx_mask[world] & ~ALL_CONTEXTS) == 0);
        }
        require((o.ctx_mask[VPMU_WORLD_GUEST] & ~GUEST_CONTEXTS) == 0);
    }
}

/* Tries a PMU that counts everything and one that counts almost nothing. */
static void try_observer(const char *text)
{
    struct vpmu_arm_config config = {.sources = VPMU_SRC_ALL};

    try_observer_of(&config, text);
    config.sources = VPMU_SRC_BIT(VPMU_SRC_CPU_CYCLES) | VPMU_SRC_BIT(VPMU_SRC_INST_RETIRED) |
                     VPMU_SRC_BIT(VPMU_SRC_L1D_CACHE_RD);
    try_observer_of(&config, text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const parsers[])(const char *) = {try_cache, try_tlb, try_branch, try_observer};
    static char text[TEXT_SIZE];
    size_t length = size > 1 ? size - 1 : 0;

    length = length < TEXT_SIZE ? length : TEXT_SIZE - 1;
    memcpy(text, size > 0 ? data + 1 : (const void *)"", length);
    text[length] = '\0';
    parsers[size > 0 ? data[0] % 4 : 0](text);
    return 0;
}

/* Makes an event and modifiers. */
static int make_observer(struct chooser *c, char *text, size_t max)
{
    static const char *const generic[] = {"cycles", "instructions", "L1-dcache-load-misses",
                                          "LLC-loads", "branch-instructions"};
    static const char letters[] = "ukhGH:p";
    char event[40];
    char modifiers[8] = "";
    uint64_t count = choose_below(c, 6);

    switch (choose_below(c, 3)) {
    case 0:
        snprintf(event, sizeof(event), "%s", generic[choose_below(c, 5)]);
        break;
    case 1:
        snprintf(event, sizeof(event), "%s", vpmu_events[choose_below(c, vpmu_events_count)].name);
        break;
    default:
        snprintf(event, sizeof(event), "r%x", (unsigned)choose_below(c, 0x80));
        break;
    }
    for (uint64_t i = 0; i < count; i++) {
        modifiers[i] = letters[choose_below(c, choose_one_in(c, 8) ? 7 : 5)];
    }
    return snprintf(text, max, "%s%s%s", event, modifiers[0] ? ":" : "", modifiers);
}

/* Makes a text that is mostly accepted. */
size_t fuzz_make_input(struct chooser *c, uint8_t *buf, size_t max)
{
    static const char *const words[] = {"tage", "gshare", "bimodal", "static", "none"};
    static const char *const suffixes[] = {"", "k", "m"};
    unsigned kind = (unsigned)choose_below(c, 4);
    char mark = choose_one_in(c, 2) ? ',' : ':';
    uint64_t number = choose_one_in(c, 4) ? choose_bits(c) : 1ull << choose_below(c, 16);
    unsigned ways = (unsigned)(choose_one_in(c, 8) ? choose_bits(c) : 1ull << choose_below(c, 9));
    char *text = (char *)buf + 1;
    int length;

    buf[0] = (uint8_t)kind;
    if (kind == 3) {
        length = make_observer(c, text, max - 1);
    } else if (kind == 2 || choose_one_in(c, 16)) {
        length = snprintf(text, max - 1, "%s", words[choose_below(c, 5)]);
    } else if (kind == 1) {
        length = choose_one_in(c, 2)
                     ? snprintf(text, max - 1, "%llu", (unsigned long long)number)
                     : snprintf(text, max - 1, "%llu%c%u", (unsigned long long)number, mark, ways);
    } else {
        length = snprintf(text, max - 1, "%llu%s%c%u%c%u", (unsigned long long)number,
                          suffixes[choose_below(c, 3)], mark, ways, mark, 8u << choose_below(c, 7));
    }
    return (size_t)length + 1;
}
