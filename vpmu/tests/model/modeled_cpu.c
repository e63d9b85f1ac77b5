/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#include "modeled_cpu.h"

#include <string.h>

#define MEMORY_SIZE (3 << 19)

struct vpmu_model_config config_tiny(void)
{
    return (struct vpmu_model_config){
        .l1i = {.size = 128, .ways = 1, .line = 64},
        .l1d = {.size = 256, .ways = 2, .line = 64},
        .l2 = {.size = 512, .ways = 2, .line = 64},
        .llc = {.size = 1024, .ways = 2, .line = 64},
        .l1i_tlb = {.entries = 2, .ways = 2},
        .l1d_tlb = {.entries = 2, .ways = 2},
        .l2_tlb = {.entries = 4, .ways = 2},
        .width = 4,
        .penalty_l2 = 3,
        .penalty_llc = 5,
        .penalty_memory = 7,
        .penalty_tlb2 = 11,
        .penalty_walk = 13,
        .penalty_branch = 17,
    };
}

void modeled_start(struct modeled *m, const struct vpmu_model_config *config)
{
    static _Alignas(VPMU_MODEL_ALIGN) unsigned char memory[MEMORY_SIZE];
    const char *why = "nothing";

    ck_assert_msg(vpmu_model_check(config, &why) == 0, "expected a model got a refusal: %s", why);
    ck_assert_msg(vpmu_model_size(config) <= sizeof(memory), "expected at most %zu bytes got %zu",
                  sizeof(memory), vpmu_model_size(config));
    memset(memory, 0xa5, sizeof(memory));
    memset(m, 0, sizeof(*m));
    m->config = *config;
    m->page = VPMU_PAGE_SHIFT;
    m->model = vpmu_model_init(memory, config, vpmu_arm_table(&m->totals));
    m->head = (struct vpmu_model_head *)(void *)memory;
    ck_assert_msg((void *)m->model == (void *)memory, "expected a model at its memory got none");
}

void modeled_step(struct modeled *m, const struct step *step)
{
    switch (step->action) {
    case LOAD:
    case STORE:
        vpmu_model_data(m->model, MODELED_CTX, step->addr, step->size, step->action == STORE,
                        m->page);
        break;
    case FETCH:
        vpmu_model_fetch(m->model, MODELED_CTX, step->addr, m->page);
        break;
    case PAGES:
        m->page = step->size;
        break;
    case FLUSH:
        vpmu_model_flush_tlb(m->model);
        break;
    case FLUSH_PAGE:
        vpmu_model_flush_page(m->model, step->addr);
        break;
    case SPACE:
        vpmu_model_set_space(m->model, (uint32_t)step->addr, step->size);
        break;
    case MAINTAIN:
        vpmu_model_maintain(m->model, MODELED_CTX, step->addr, (enum vpmu_maintenance)step->size);
        break;
    case EMPTY:
        vpmu_model_empty(m->model, step->size);
        break;
    case END_OF_TRACE:
        break;
    }
}

/* Are accesses of a level those of one that exists? */
static bool is_compared(const struct modeled *m, unsigned source)
{
    return source >= DTLB_REFILLS || (source >= LL_READS ? m->config.llc.size : m->config.l2.size);
}

static void expect_sums(const char *row, const struct modeled *m, const uint64_t *want)
{
    static const vpmu_sources sums[SUMMED_END - VPMU_SRC_COUNT] = {
        [L2_READS - VPMU_SRC_COUNT] = VPMU_SRCS_L2D_READS,
        [L2_WRITES - VPMU_SRC_COUNT] = VPMU_SRCS_L2D_WRITES,
        [LL_READS - VPMU_SRC_COUNT] = VPMU_SRCS_LL_READS,
        [LL_WRITES - VPMU_SRC_COUNT] = VPMU_SRCS_LL_WRITES,
        [DTLB_REFILLS - VPMU_SRC_COUNT] = VPMU_SRCS_DTLB_RD | VPMU_SRCS_DTLB_WR,
        [DTLB_WALKS - VPMU_SRC_COUNT] = VPMU_SRCS_DTLB_WALK,
        [ITLB_REFILLS - VPMU_SRC_COUNT] = VPMU_SRCS_ITLB,
        [ITLB_WALKS - VPMU_SRC_COUNT] = VPMU_SRC_BIT(VPMU_SRC_ITLB_WALK),
    };

    for (unsigned source = VPMU_SRC_COUNT; source < SUMMED_END; source++) {
        vpmu_sources left = sums[source - VPMU_SRC_COUNT];
        uint64_t got = 0;

        while (left) {
            got += m->totals.n[MODELED_CTX][vpmu_source_take(&left)];
        }
        ck_assert_msg(!is_compared(m, source) || want[source] == got,
                      "%s: sum %u: expected %u got %u", row, source - VPMU_SRC_COUNT,
                      (unsigned)want[source], (unsigned)got);
    }
}

void expect_totals(const char *row, const struct modeled *m, const struct want wants[MAX_WANTS])
{
    uint64_t want[VPMU_CTX_COUNT][SUMMED_END] = {{0}};

    for (size_t i = 0; i < MAX_WANTS && wants[i].n; i++) {
        want[MODELED_CTX][wants[i].source] += wants[i].n;
    }
    for (unsigned source = 0; source < VPMU_SRC_COUNT; source++) {
        for (unsigned ctx = 0; ctx < VPMU_CTX_COUNT; ctx++) {
            ck_assert_msg((VPMU_SRCS_TLB >> source & 1) ||
                              want[ctx][source] == m->totals.n[ctx][source],
                          "%s: source %u in context %u: expected %u got %u", row, source, ctx,
                          (unsigned)want[ctx][source], (unsigned)m->totals.n[ctx][source]);
        }
    }
    expect_sums(row, m, want[MODELED_CTX]);
}

void run_traces(const struct vpmu_model_config *config, const struct trace *traces, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct modeled m;

        modeled_start(&m, config);
        for (size_t step = 0; step < MAX_STEPS; step++) {
            modeled_step(&m, &traces[i].steps[step]);
        }
        expect_totals(traces[i].name, &m, traces[i].wants);
    }
}
