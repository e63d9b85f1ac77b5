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
#include "rig.h"
#include "vpmu/arm/state.h"

#define STEPS_BEFORE 40

/* PMUs that have counted something, each made when it is first needed. */
static const struct rig *prepared(uint8_t which)
{
    static struct rig rigs[256];
    static bool ready[256];
    struct chooser c = {.state = which};

    if (!ready[which]) {
        rig_start(&rigs[which], &c);
        for (unsigned i = 0; i < STEPS_BEFORE; i++) {
            if (!rig_step(&rigs[which], &c)) {
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
static void use(struct rig *rig)
{
    struct chooser c = {.state = 1};

    for (unsigned i = 0; i < 4; i++) {
        struct vpmu_pe pe = choose_pe_(rig, &c);

        for (unsigned reg = 0; reg < VPMU_REG_COUNT; reg++) {
            uint64_t val;

            if (vpmu_reg_access(&rig->v, reg, &pe, false) == VPMU_ACCESS_OK) {
                vpmu_reg_read(&rig->v, reg, &pe, &val);
            }
        }
    }
    for (unsigned i = 0; i < 8; i++) {
        unsigned source = choose_source_(rig, &c);
        uint64_t room = vpmu_headroom(&rig->v, VPMU_SRC_ALL, rig->ctx);

        require(room != 0, "there is headroom after settling");
        if ((rig->m.config.timed >> source & 1) != 0) {
            rig->clock[source - VPMU_SRC_CPU_CYCLES] += room % 1000;
        } else {
            rig->totals.n[rig->ctx][source] += model_paced_here(&rig->m) != 0 ? 1 : room;
        }
        vpmu_settle(&rig->v);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct rig rig;
    uint8_t before[VPMU_STATE_SIZE];
    uint8_t after[VPMU_STATE_SIZE];
    const char *why = NULL;
    int err;

    if (size == 0) {
        return 0;
    }
    rig_copy(&rig, prepared(data[0]));
    require(vpmu_state_save(&rig.v, before, sizeof(before)) == 0, "a PMU can be saved");
    err = vpmu_state_load(&rig.v, data + 1, size - 1, &why);
    require(vpmu_state_save(&rig.v, after, sizeof(after)) == 0, "and after a load");
    if (err != 0) {
        require(err == -VPMU_ERR_STATE && why != NULL, "a refusal has a reason");
        require(memcmp(before, after, sizeof(before)) == 0, "a refused state changes nothing");
        require(rig_check_lines_(&rig), "nor the interrupt line");
        return 0;
    }
    require(size - 1 == VPMU_STATE_SIZE, "an accepted state has the right size");
    require(memcmp(data + 1, after, sizeof(after)) == 0, "an accepted state is saved as it was");
    require(rig.irq == vpmu_irq_level(&rig.v), "the interrupt line is what was told");
    vpmu_settle(&rig.v);
    use(&rig);
    return 0;
}

/* Makes the state of a PMU with another history than the one that it is loaded into. */
size_t fuzz_make_input(struct chooser *c, uint8_t *buf, size_t max)
{
    static struct rig rig;
    uint8_t which = (uint8_t)choose_bits(c);

    rig_copy(&rig, prepared(which));
    for (uint64_t steps = choose_below(c, 60); steps > 0; steps--) {
        if (!rig_step(&rig, c)) {
            abort();
        }
    }
    if (choose_one_in(c, 8)) {
        which++;
    }
    buf[0] = which;
    require(vpmu_state_save(&rig.v, buf + 1, max - 1) == 0, "a PMU can be saved");
    return VPMU_STATE_SIZE + 1;
}
