/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * Fuzz target: any bytes are loaded as a saved state of an x86 PMU, which the first byte selects. A
 * refused state must change nothing; an accepted one must be saved to the same bytes, and count.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "naive_x86.h"
#include "vpmu/x86/events.h"
#include "vpmu/x86/msr.h"
#include "vpmu/x86/pmu.h"
#include "vpmu/x86/state.h"

static const struct vpmu_x86_config configs[] = {
    CONFIG(VPMU_X86_INTEL, 1, 2, 0, 40, 0, 1, VPMU_X86_SRC_ALL, 0, 0, VPMU_X86_GENERIC),
    CONFIG(VPMU_X86_INTEL, 2, 2, 3, 40, 0, 4, VPMU_X86_SRC_ALL, 0, 0, VPMU_X86_GENERIC),
    CONFIG(VPMU_X86_INTEL, 5, 8, 3, 48, VPMU_X86_HAS_PDCM, 1, VPMU_X86_SRC_ALL, 0, 0,
           VPMU_X86_GENERIC),
    CONFIG(VPMU_X86_INTEL, 2, 4, 3, 48, VPMU_X86_HAS_PDCM, 1, VPMU_X86_SRC_ALL, 0, 3,
           VPMU_X86_GENERIC),
    CONFIG(VPMU_X86_INTEL, 2, 8, 4, 48, VPMU_X86_HAS_PDCM | VPMU_X86_HAS_METRICS, 6,
           VPMU_X86_SRC_ALL, 0, 0, VPMU_X86_SAPPHIRERAPIDS),
    CONFIG(VPMU_X86_INTEL, 5, 8, 4, 48, VPMU_X86_HAS_PDCM | VPMU_X86_HAS_METRICS, 4,
           VPMU_X86_SRC_ALL, 0, 4, VPMU_X86_ICELAKEX),
    CONFIG(VPMU_X86_AMD, VPMU_X86_AMD_K7, 4, 0, 48, 0, 1, VPMU_X86_SRC_ALL, 0, 0, VPMU_X86_GENERIC),
    CONFIG(VPMU_X86_AMD, VPMU_X86_AMD_V2, 15, 0, 48, VPMU_X86_HAS_SVM, 8, VPMU_X86_SRC_ALL, 0, 0,
           VPMU_X86_GENERIC),
};

#define CONFIG_COUNT (sizeof(configs) / sizeof(configs[0]))

static void require(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "fuzz_x86: not so: %s\n", what);
        abort();
    }
}

static void start(struct vpmu_x86 *v, struct vpmu_x86_totals *totals, unsigned which)
{
    memset(totals, 0, sizeof(*totals));
    require(vpmu_x86_init(v, &configs[which % CONFIG_COUNT], totals, NULL, NULL) == 0,
            "there is such a PMU");
}

/* Sets up a counter that counts at every level, possibly with conditions on cycles. */
static void write_select(struct vpmu_x86 *v, struct chooser *c)
{
    const struct vpmu_x86_event *event = &vpmu_x86_events[choose_below(c, vpmu_x86_events_count)];
    uint32_t first = event->vendor == VPMU_X86_INTEL ? 0x186 : 0xc0010000;
    uint64_t conditions = choose_below(c, 4) << 24 | choose_below(c, 2) << 23;

    vpmu_x86_wrmsr(v, first + (uint32_t)choose_below(c, 4), event->select | 0x430000 | conditions,
                   NULL);
}

/* Writes random values to the MSRs of both vendors. */
static void write_some(struct vpmu_x86 *v, struct chooser *c)
{
    static const uint32_t firsts[] = {0xc1,  0x186, 0x309,      0x329,      0x38d,
                                      0x3f0, 0x3f2, 0xc0000300, 0xc0010000, 0xc0010200};
    uint32_t msr = firsts[choose_below(c, 10)] + (uint32_t)choose_below(c, 16);
    uint64_t val = choose_bits(c) & (choose_one_in(c, 2) ? UINT64_MAX : 0xffffffff);

    vpmu_x86_wrmsr(v, msr, val, NULL);
}

static void use(struct vpmu_x86 *v, struct vpmu_x86_totals *totals, struct chooser *c)
{
    for (unsigned i = 0; i < 16; i++) {
        enum vpmu_x86_ctx ctx = (enum vpmu_x86_ctx)choose_below(c, VPMU_X86_CTX_COUNT);

        write_some(v, c);
        write_select(v, c);
        vpmu_x86_set_context(v, ctx, NULL);
        for (unsigned source = 0; source < VPMU_X86_SRC_COUNT; source++) {
            totals->n[ctx][source] += choose_below(c, 64);
        }
        vpmu_x86_settle(v, NULL);
        require(vpmu_x86_headroom(v, VPMU_X86_SRC_ALL, ctx) != 0, "there is headroom");
    }
}

/* What follows the mask of sources in a state. */
#define AT_TIMED 24

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct chooser c = {.state = size};
    uint8_t before[VPMU_X86_STATE_SIZE], after[VPMU_X86_STATE_SIZE];
    struct vpmu_x86_totals totals;
    struct vpmu_x86 v;
    const char *why = NULL;
    int err;

    if (size == 0) {
        return 0;
    }
    start(&v, &totals, data[0]);
    require(vpmu_x86_state_save(&v, before, sizeof(before), NULL) >= 0, "a PMU can be saved");
    err = vpmu_x86_state_load(&v, data + 1, size - 1, NULL, &why);
    require(vpmu_x86_state_save(&v, after, sizeof(after), NULL) >= 0, "and after a load");
    if (err < 0) {
        require(err == -VPMU_ERR_STATE && why != NULL, "a refusal has a reason");
        require(memcmp(before, after, sizeof(after)) == 0, "a refused state changes nothing");
        return 0;
    }
    require(size - 1 == sizeof(after), "an accepted state has the right size");
    /* It may have fewer sources, so their mask and the checksum may differ. */
    require(memcmp(data + 1 + AT_TIMED, after + AT_TIMED, sizeof(after) - AT_TIMED - 4) == 0,
            "an accepted state is saved as it was");
    use(&v, &totals, &c);
    return 0;
}

/* Makes the state of a PMU that has counted something. */
size_t fuzz_make_input(struct chooser *c, uint8_t *buf, size_t max)
{
    struct vpmu_x86_totals totals;
    struct vpmu_x86 v;

    buf[0] = (uint8_t)choose_bits(c);
    start(&v, &totals, buf[0]);
    use(&v, &totals, c);
    vpmu_x86_set_context(&v, VPMU_X86_CTX_KERNEL, NULL);
    require(vpmu_x86_state_save(&v, buf + 1, max - 1, NULL) >= 0, "a PMU can be saved");
    return VPMU_X86_STATE_SIZE + 1;
}
