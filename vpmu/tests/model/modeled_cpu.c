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
    m->model = vpmu_model_init(memory, config, vpmu_arm_table(&m->totals));
    m->head = (struct vpmu_model_head *)(void *)memory;
    ck_assert_msg((void *)m->model == (void *)memory, "expected a model at its memory got none");
}

void modeled_step(struct modeled *m, const struct step *step)
{
    switch (step->action) {
    case LOAD:
    case STORE:
        vpmu_model_data(m->model, MODELED_CTX, step->addr, step->size, step->action == STORE);
        break;
    case FETCH:
        vpmu_model_fetch(m->model, MODELED_CTX, step->addr);
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

void expect_totals(const char *row, const struct modeled *m, const struct want wants[MAX_WANTS])
{
    struct vpmu_arm_totals want = {0};

    for (size_t i = 0; i < MAX_WANTS && wants[i].n; i++) {
        want.n[MODELED_CTX][wants[i].source] += wants[i].n;
    }
    for (unsigned source = 0; source < VPMU_SRC_COUNT; source++) {
        for (unsigned ctx = 0; ctx < VPMU_CTX_COUNT; ctx++) {
            ck_assert_msg(want.n[ctx][source] == m->totals.n[ctx][source],
                          "%s: source %u in context %u: expected %u got %u", row, source, ctx,
                          (unsigned)want.n[ctx][source], (unsigned)m->totals.n[ctx][source]);
        }
    }
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
