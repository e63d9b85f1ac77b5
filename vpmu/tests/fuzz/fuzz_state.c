/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * Fuzz target: any bytes are loaded as a saved state. The first byte selects the PMU that they are
 * loaded into. A refused state must change nothing; an accepted one must be saved to the same
 * bytes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "lockstep.h"
#include "vpmu/arm/state.h"

#define STEPS_BEFORE 40

/* PMUs that have counted something, each made when it is first needed. */
static const struct lockstep *prepared(uint8_t which)
{
    static struct lockstep rigs[256];
    static bool ready[256];
    struct chooser c = {.state = which};

    if (!ready[which]) {
        lockstep_start(&rigs[which], &c);
        for (unsigned i = 0; i < STEPS_BEFORE; i++) {
            if (!lockstep_step(&rigs[which], &c)) {
                abort();
            }
        }
        ready[which] = true;
    }
    return &rigs[which];
}

static void require(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "fuzz_state: not so: %s\n", what);
        abort();
    }
}

/* Uses the PMU after the load, because any state that is accepted must work. */
static void use(struct lockstep *pair)
{
    struct chooser c = {.state = 1};

    for (unsigned i = 0; i < 4; i++) {
        struct vpmu_pe pe = choose_pe_(pair, &c);

        for (unsigned reg = 0; reg < VPMU_REG_COUNT; reg++) {
            uint64_t val;

            if (vpmu_arm_reg_access(&pair->v, reg, &pe, false) == VPMU_ACCESS_OK) {
                lockstep_service_(pair, vpmu_arm_reg_read(&pair->v, reg, &pe, &val, &pair->clock));
            }
        }
    }
    for (unsigned i = 0; i < 8; i++) {
        unsigned source = choose_source_(pair, &c);
        uint64_t room = vpmu_arm_headroom(&pair->v, VPMU_SRC_ALL, pair->ctx);

        require(room != 0, "there is headroom after settling");
        if ((pair->m.config.timed >> source & 1) != 0) {
            pair->clock.ticks[source - VPMU_SRC_CPU_CYCLES] += room % 1000;
        } else {
            pair->totals.n[pair->ctx][source] += model_paced_here(&pair->m) != 0 ? 1 : room;
        }
        lockstep_service_(pair, vpmu_arm_settle(&pair->v, &pair->clock));
    }
}

/* What follows the mask of sources in a state. */
#define AT_TIMED 24

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct lockstep pair;
    uint8_t before[VPMU_STATE_SIZE];
    uint8_t after[VPMU_STATE_SIZE];
    const char *why = NULL;
    int err;

    if (size == 0) {
        return 0;
    }
    lockstep_copy(&pair, prepared(data[0]));
    require(lockstep_service_(
                &pair, vpmu_arm_state_save(&pair.v, before, sizeof(before), &pair.clock)) == 0,
            "a PMU can be saved");
    err = lockstep_service_(&pair,
                            vpmu_arm_state_load(&pair.v, data + 1, size - 1, &pair.clock, &why));
    require(lockstep_service_(&pair,
                              vpmu_arm_state_save(&pair.v, after, sizeof(after), &pair.clock)) == 0,
            "and after a load");
    if (err != 0) {
        require(err == -VPMU_ERR_STATE && why != NULL, "a refusal has a reason");
        require(memcmp(before, after, sizeof(before)) == 0, "a refused state changes nothing");
        require(lockstep_check_lines_(&pair), "nor the interrupt line");
        return 0;
    }
    require(size - 1 == VPMU_STATE_SIZE, "an accepted state has the right size");
    /* It may have fewer sources, so their mask and the checksum may differ. */
    require(memcmp(data + 1 + AT_TIMED, after + AT_TIMED, sizeof(after) - AT_TIMED - 4) == 0,
            "an accepted state is saved as it was");
    require(pair.irq == vpmu_arm_irq_level(&pair.v), "the interrupt line is what was told");
    lockstep_service_(&pair, vpmu_arm_settle(&pair.v, &pair.clock));
    use(&pair);
    return 0;
}

/* Makes the state of a PMU with another history than the one that it is loaded into. */
size_t fuzz_make_input(struct chooser *c, uint8_t *buf, size_t max)
{
    static struct lockstep pair;
    uint8_t which = (uint8_t)choose_bits(c);

    lockstep_copy(&pair, prepared(which));
    for (uint64_t steps = choose_below(c, 60); steps > 0; steps--) {
        if (!lockstep_step(&pair, c)) {
            abort();
        }
    }
    if (choose_one_in(c, 8)) {
        which++;
    }
    buf[0] = which;
    require(lockstep_service_(&pair, vpmu_arm_state_save(&pair.v, buf + 1, max - 1, &pair.clock)) ==
                0,
            "a PMU can be saved");
    return VPMU_STATE_SIZE + 1;
}
