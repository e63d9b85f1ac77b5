/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* What exceptions count as, written from Arm ARM D14.1.5. */
#include <stdio.h>

#include "fixture.h"
#include "vpmu/arm/events.h"

#define ESR(ec) ((uint64_t)(ec) << 26)

/* The rows of table D14-1, in its order. A dash in the table is left out. */
static const struct {
    uint64_t syndrome;
    unsigned el, local, trap;
} rows[] = {
#define ROW(syndrome, el, local, trap)                                                             \
    {                                                                                              \
        (syndrome), (el), VPMU_SRC_EXC_##local, VPMU_SRC_EXC_##trap                                \
    }
    ROW(ESR(0x00), 1, UNDEF, TRAP_OTHER),
    ROW(ESR(0x01), 1, UNDEF, TRAP_OTHER),
    ROW(ESR(0x03), 1, UNDEF, TRAP_OTHER),
    ROW(ESR(0x04), 2, UNDEF, TRAP_OTHER),
    ROW(ESR(0x05), 2, UNDEF, TRAP_OTHER),
    ROW(ESR(0x06), 2, UNDEF, TRAP_OTHER),
    ROW(ESR(0x07), 1, UNDEF, TRAP_OTHER),
    ROW(ESR(0x0c), 2, UNDEF, TRAP_OTHER),
    ROW(ESR(0x0e), 1, UNDEF, TRAP_OTHER),
    ROW(ESR(0x11), 1, SVC, TRAP_OTHER),
    ROW(ESR(0x12), 2, HVC, HVC),
    ROW(ESR(0x13), 2, UNDEF, TRAP_OTHER),
    ROW(ESR(0x13), 3, SMC, SMC),
    ROW(ESR(0x15), 1, SVC, TRAP_OTHER),
    ROW(ESR(0x16), 2, HVC, HVC),
    ROW(ESR(0x17), 2, UNDEF, TRAP_OTHER),
    ROW(ESR(0x17), 3, SMC, SMC),
    ROW(ESR(0x18), 2, UNDEF, TRAP_OTHER),
    ROW(ESR(0x19), 1, UNDEF, TRAP_OTHER),
    /* Granule Protection Check: ISS.InD. */
    ROW(ESR(0x1e) | 1u << 20, 3, PABORT, TRAP_PABORT),
    ROW(ESR(0x1e), 3, DABORT, TRAP_DABORT),
    ROW(ESR(0x20), 2, PABORT, TRAP_PABORT),
    ROW(ESR(0x21), 1, PABORT, TRAP_PABORT),
    ROW(ESR(0x22), 1, PABORT, TRAP_PABORT),
    ROW(ESR(0x24), 2, DABORT, TRAP_DABORT),
    ROW(ESR(0x25), 1, DABORT, TRAP_DABORT),
    ROW(ESR(0x26), 1, DABORT, TRAP_DABORT),
    ROW(ESR(0x28), 1, UNDEF, TRAP_OTHER),
    ROW(ESR(0x2c), 1, UNDEF, TRAP_OTHER),
    /* GCS: Data Check, EXLOCK, traps of GCSSTR. */
    ROW(ESR(0x2d), 1, DABORT, TRAP_DABORT),
    ROW(ESR(0x2d) | 1u << 20, 1, UNDEF, TRAP_OTHER),
    ROW(ESR(0x2d) | 2u << 20, 2, UNDEF, TRAP_OTHER),
    ROW(ESR(0x2f), 2, DABORT, TRAP_DABORT),
    ROW(ESR(0x30), 2, PABORT, TRAP_PABORT),
    ROW(ESR(0x31), 1, PABORT, TRAP_PABORT),
    ROW(ESR(0x32), 2, PABORT, TRAP_PABORT),
    ROW(ESR(0x33), 1, PABORT, TRAP_PABORT),
    ROW(ESR(0x34), 2, DABORT, TRAP_DABORT),
    ROW(ESR(0x35), 1, DABORT, TRAP_DABORT),
    ROW(ESR(0x38), 1, PABORT, TRAP_PABORT),
    ROW(ESR(0x3a), 2, PABORT, TRAP_PABORT),
    ROW(ESR(0x3c), 1, PABORT, TRAP_PABORT),
    /* All other values: MOPS, BTI, PAuth. */
    ROW(ESR(0x27), 1, UNDEF, TRAP_OTHER),
    ROW(ESR(0x0d), 1, UNDEF, TRAP_OTHER),
    ROW(ESR(0x1c), 1, UNDEF, TRAP_OTHER),
    ROW(ESR(0x3f), 1, UNDEF, TRAP_OTHER),
#undef ROW
};

START_TEST(syndromes)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char name[32];

        snprintf(name, sizeof(name), "EC %#x", (unsigned)(rows[i].syndrome >> 26));
        expect_in(name, "local", rows[i].local,
                  vpmu_arm_exception_source(rows[i].syndrome, rows[i].el, true));
        expect_in(name, "not local", rows[i].trap,
                  vpmu_arm_exception_source(rows[i].syndrome, rows[i].el, false));
    }
}
END_TEST

Suite *exceptions_suite(void)
{
    const TTest *const tests[] = {syndromes};

    return suite_of("exceptions", tests, COUNT_OF(tests));
}
