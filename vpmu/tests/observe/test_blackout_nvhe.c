/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The spans that the meter finds for nVHE hosts, their switches and guests. */
#include "host_cases.h"

static void play_nvhe(const struct host_case *cases, size_t count)
{
    run_cases(cases, count, N_EL1, N_EL1, nvhe_types);
}

static const struct host_case windows_cases[] = {
    {"entry and exit",
     3,
     {SET(H0), RUN(100), GO(N_EL2), RUN(5), CLR(H0), RUN(7), GO(G_EL1), RUN(1000), GO(N_EL2),
      RUN(11), SET(H0), RUN(5), GO(N_EL1), RUN(100)},
     {{ENTRY, 3, 21}, {EXIT, 3, 33}}},
    {"the guest at EL0",
     1,
     {SET(H0), GO(N_EL2), CLR(H0), RUN(7), GO(G_EL0), RUN(100), GO(G_EL1), RUN(100), GO(G_EL0),
      GO(N_EL2), RUN(11), SET(H0)},
     {{ENTRY, 1, 7}, {EXIT, 1, 11}}},
    {"handled inside",
     2,
     {SET(H0), GO(N_EL2), CLR(H0), RUN(7), GO(G_EL1), RUN(50), GO(N_EL2), RUN(3), GO(G_EL1),
      RUN(50), GO(N_EL2), RUN(4), GO(G_EL0), RUN(50), GO(N_EL2), RUN(5), SET(H0)},
     {{ENTRY, 2, 14}, {INSIDE, 4, 14}, {EXIT, 2, 10}}},
    {"the guest did not run",
     1,
     {SET(H0), GO(N_EL2), CLR(H0), RUN(9), SET(H0), RUN(5), CLR(H0), RUN(1), SET(H0)},
     {{ABORTED, 2, 10}}},
    {"the host goes on at EL1 while it is stopped",
     1,
     {SET(H0), GO(N_EL2), CLR(H0), RUN(3), GO(N_EL1), RUN(4), GO(N_EL0), RUN(5), GO(N_EL2),
      SET(H0)},
     {{ABORTED, 1, 12}}},
    {"the same, with traps as they are for the guest",
     2,
     {SET(H0), GO(N_EL2), MDCR_EL2(8 | VPMU_MDCR_EL2_TPM), CLR(H0), RUN(3), GO(N_EL1), RUN(4),
      GO(N_EL2), MDCR_EL2(8), SET(H0), GO(N_EL1)},
     {{ABORTED, 2, 14}}},
    {"the kernel restarts it",
     1,
     {SET(H0), GO(N_EL2), CLR(H0), GO(G_EL1), RUN(9), GO(N_EL2), RUN(2), GO(N_EL1), RUN(3), SET(H0),
      RUN(100)},
     {{ENTRY, 1, 0}, {EXIT, 1, 5}}},
    {"the kernel stops it for good",
     1,
     {SET(H0), GO(N_EL2), CLR(H0), GO(G_EL1), RUN(9), GO(N_EL2), RUN(2), GO(N_EL1), RUN(3), CLR(H0),
      RUN(100)},
     {{ENTRY, 1, 0}, {EXIT, 1, 5}}},
    {"no instruction at all",
     1,
     {SET(H0), GO(N_EL2), CLR(H0), GO(G_EL1), GO(N_EL2), SET(H0)},
     {{ENTRY, 1, 0}, {EXIT, 1, 0}}},
    {"EL3 in the middle is no part of it",
     1,
     {SET(H0),   GO(N_EL2),    CLR(H0),      RUN(3),    GO(FIRMWARE), RUN(100),     GO(N_EL2),
      RUN(4),    GO(FIRMWARE), RUN(100),     GO(G_EL1), RUN(1000),    GO(FIRMWARE), RUN(100),
      GO(G_EL1), RUN(10),      GO(FIRMWARE), RUN(100),  GO(N_EL2),    RUN(11),      GO(FIRMWARE),
      RUN(100),  GO(N_EL2),    RUN(12),      SET(H0)},
     {{ENTRY, 1, 7}, {EXIT, 1, 23}}},
    {"a hypercall that runs no guest",
     2,
     {SET(H0 | G), GO(N_EL2), RUN(100), GO(N_EL1), RUN(100), GO(N_EL0), RUN(10), GO(N_EL1)},
     {{0}}},
    {"EL2 is prohibited while guests run",
     2,
     {SET(H0), GO(N_EL2), MDCR_EL2(8 | VPMU_MDCR_EL2_HPMD), RUN(3), CLR(H0), RUN(2), GO(G_EL1),
      RUN(100), GO(N_EL2), RUN(4), SET(H0), RUN(5), MDCR_EL2(8), RUN(6), GO(N_EL1)},
     {{ENTRY, 2, 10}, {EXIT, 2, 18}}},
};

START_TEST(windows)
{
    play_nvhe(windows_cases, COUNT_OF(windows_cases));
}
END_TEST

START_TEST(several_counters)
{
    static const struct host_case cases[] = {
        {"a counter that leaves EL2 out misses nothing",
         2,
         {SET(HX), RUN(9), GO(N_EL2), CLR(HX), RUN(7), GO(G_EL1), RUN(100), GO(N_EL2), RUN(7),
          SET(HX), GO(N_EL1)},
         {{0}}},
        {"a counter with EL2 and one without: the size is that of the first",
         1,
         {SET(H0 | HX), GO(N_EL2), CLR(HX), RUN(5), CLR(H0), RUN(2), GO(G_EL1), RUN(100), GO(N_EL2),
          RUN(3), SET(H0), RUN(4), SET(HX), RUN(5)},
         {{ENTRY, 1, 2}, {EXIT, 1, 3}}},
        {"from the first stopped to the last restarted",
         1,
         {SET(H0 | H1), GO(N_EL2), CLR(H0), RUN(2), CLR(H1), RUN(3), GO(G_EL1), RUN(100), GO(N_EL2),
          RUN(4), SET(H1), RUN(5), SET(H0), RUN(6)},
         {{ENTRY, 1, 5}, {EXIT, 1, 9}}},
        {"a counter of both sides is never switched",
         1,
         {SET(H0 | ALL), GO(N_EL2), CLR(H0), RUN(2), GO(G_EL1), RUN(100), GO(N_EL2), RUN(4),
          SET(H0), RUN(6)},
         {{ENTRY, 1, 2}, {EXIT, 1, 4}}},
        {"PMCR.E = 0",
         1,
         {SET(H0), PMCR(0), GO(N_EL2), CLR(H0), RUN(2), GO(G_EL1), RUN(100), GO(N_EL2), RUN(4),
          SET(H0), GO(N_EL1), PMCR(E)},
         {{0}}},
        {"the guest counts for itself",
         2,
         {SET(H0), GO(N_EL2), CLR(H0), RUN(1), SET(G), RUN(2), GO(G_EL1), RUN(100), GO(N_EL2),
          RUN(4), CLR(G), RUN(8), SET(H0), GO(N_EL1)},
         {{ENTRY, 2, 6}, {EXIT, 2, 24}}},
        {"only guests are counted",
         2,
         {GO(N_EL2), SET(G), RUN(2), GO(G_EL1), RUN(100), GO(N_EL2), RUN(4), GO(G_EL0), RUN(100),
          GO(N_EL2), CLR(G), GO(N_EL1)},
         {{0}}},
    };

    play_nvhe(cases, COUNT_OF(cases));
}
END_TEST

/* What perf does at EL1 is not attributed to the switch. */
START_TEST(perf)
{
    static const struct host_case cases[] = {
        {"start and stop",
         3,
         {SET(H0), RUN(9), CLR(H0), RUN(9), SET(H0 | HX), RUN(9), CLR(ALL_ONES), RUN(9)},
         {{0}}},
        {"a context switch, in any order",
         3,
         {SET(H0),
          RUN(9),
          PMCR(0),
          RUN(1),
          CLR(H0),
          RUN(1),
          TYPE(0, U | INST),
          RUN(1),
          SET(H0),
          RUN(1),
          PMCR(E),
          RUN(9),
          TYPE(0, NSH | INST),
          RUN(9),
          PMCR(0),
          SET(H1),
          TYPE(1, NSH),
          CLR(H0),
          RUN(1),
          PMCR(E),
          RUN(9),
          GO(N_EL0),
          RUN(9),
          GO(N_EL2),
          RUN(9),
          GO(N_EL1)},
         {{0}}},
        {"counters are rotated between entries",
         2,
         {SET(H0),   GO(N_EL2), CLR(H0),   RUN(1),    GO(G_EL1), RUN(9), GO(N_EL2), RUN(2),
          SET(H0),   GO(N_EL1), CLR(H0),   RUN(9),    SET(H1),   RUN(9), GO(N_EL2), RUN(9),
          CLR(H1),   RUN(3),    GO(G_EL1), RUN(9),    GO(N_EL2), RUN(4), SET(H1),   RUN(9),
          GO(N_EL1), CLR(H1),   SET(HX),   GO(N_EL2), CLR(HX),   RUN(9), GO(G_EL1), GO(N_EL2),
          RUN(9),    SET(HX),   GO(N_EL1), CLR(HX)},
         {{ENTRY, 4, 8}, {EXIT, 4, 12}}},
        {"a counter changes hands",
         2,
         {TYPE(0, NSH), SET(H0), GO(N_EL2), CLR(H0), RUN(1),     GO(G_EL1), RUN(9),  GO(N_EL2),
          RUN(2),       SET(H0), GO(N_EL1), CLR(H0), TYPE(0, 0), GO(N_EL2), SET(H0), RUN(9),
          GO(G_EL1),    RUN(9),  GO(N_EL2), RUN(9),  CLR(H0),    GO(N_EL1)},
         {{ENTRY, 2, 2}, {EXIT, 2, 4}}},
    };

    play_nvhe(cases, COUNT_OF(cases));
}
END_TEST

START_TEST(leaks)
{
    static const struct host_case cases[] = {
        {"a guest's counter counts EL2",
         2,
         {GO(N_EL2), RUN(9), SET(GX), RUN(6), GO(G_EL1), RUN(100), GO(N_EL2), RUN(8), CLR(GX),
          RUN(9), GO(N_EL1)},
         {{LEAK_HOST, 4, 28}}},
        {"also when it is handled inside; EL3 is no part of it",
         1,
         {GO(N_EL2), SET(GX), GO(G_EL1), RUN(100), GO(N_EL2), RUN(5), GO(FIRMWARE), RUN(100),
          GO(N_EL2), RUN(1), GO(G_EL0), RUN(100), GO(FIRMWARE), RUN(1), GO(G_EL0), GO(N_EL2),
          RUN(8), CLR(GX)},
         {{LEAK_HOST, 3, 14}}},
        {"beside a window",
         1,
         {SET(H0), GO(N_EL2), CLR(H0), RUN(1), SET(GX), RUN(2), GO(G_EL1), RUN(100), GO(N_EL2),
          RUN(4), CLR(GX), RUN(8), SET(H0)},
         {{ENTRY, 1, 3}, {EXIT, 1, 12}, {LEAK_HOST, 2, 6}}},
        {"it is left on at EL1",
         1,
         {GO(N_EL2), SET(G), GO(G_EL1), RUN(100), GO(N_EL2), RUN(7), GO(N_EL1), RUN(5), GO(N_EL0),
          RUN(6), GO(N_EL2), RUN(7), CLR(G)},
         {{LEAK_HOST, 1, 11}}},
        {"a host's counter is stopped in part, and counts the guest",
         1,
         {SET(H0), GO(N_EL2), TYPE(0, INST | U), RUN(1), GO(G_EL1), RUN(50), GO(G_EL0), RUN(60),
          GO(G_EL1), RUN(5), GO(FIRMWARE), RUN(100), GO(G_EL1), RUN(6), GO(N_EL2), RUN(2),
          TYPE(0, NSH | INST), RUN(9)},
         {{ENTRY, 1, 1}, {EXIT, 1, 2}, {LEAK_GUEST, 1, 61}}},
        {"beside a guest's counter that counts EL2",
         1,
         {SET(H0), GO(N_EL2), TYPE(0, INST), SET(GX), RUN(2), GO(G_EL1), RUN(50), GO(N_EL2), RUN(3),
          CLR(GX), TYPE(0, NSH | INST)},
         {{ENTRY, 1, 2}, {EXIT, 1, 3}, {LEAK_HOST, 2, 5}, {LEAK_GUEST, 1, 50}}},
        {"two counters, each stopped in another part",
         1,
         {SET(H0 | H1), GO(N_EL2), TYPE(0, INST | U), TYPE(1, INST | P), GO(G_EL1), RUN(50),
          GO(G_EL0), RUN(60), GO(N_EL2), TYPE(0, NSH | INST), TYPE(1, NSH | INST)},
         {{ENTRY, 1, 0}, {EXIT, 1, 0}, {LEAK_GUEST, 1, 110}}},
        {"stopped in part by the switch, then altogether while the guest runs",
         1,
         {SET(H0), GO(N_EL2), TYPE(0, INST), RUN(1), GO(G_EL1), RUN(50), CLR(H0), RUN(50),
          GO(N_EL2)},
         {{ENTRY, 1, 1}, {LEAK_GUEST, 1, 50}}},
        {"a counter that the switch never touches counts guests rightly",
         1,
         {SET(ALL | HX), GO(N_EL2), RUN(9), GO(G_EL1), RUN(50), GO(N_EL2), RUN(9), GO(N_EL1)},
         {{0}}},
    };

    play_nvhe(cases, COUNT_OF(cases));
}
END_TEST

/* A guest with counters of its own, which it programs and the switch saves. */
static const struct host_case guest_counts_itself_cases[] = {
    {"no windows, no leaks",
     3,
     {GO(N_EL2),     RUN(5),        GO(G_EL1), RUN(9),    TYPE(OWN, INST | U),
      SET(BIT(OWN)), RUN(50),       GO(G_EL0), RUN(9),    GO(G_EL1),
      PMCR(E),       RUN(9),        GO(N_EL2), RUN(5),    CLR(BIT(OWN)),
      RUN(5),        GO(N_EL1),     RUN(9),    GO(N_EL2), RUN(9),
      SET(BIT(OWN)), RUN(9),        GO(G_EL1), RUN(50),   CLR(BIT(OWN)),
      RUN(50),       SET(BIT(OWN)), GO(N_EL2), RUN(5),    CLR(BIT(OWN)),
      GO(N_EL1)},
     {{0}}},
    {"beside the host's",
     2,
     {SET(H0), GO(N_EL2), CLR(H0), RUN(5), SET(BIT(OWN)), RUN(1), GO(G_EL1), RUN(9),
      CLR(ALL_ONES & ~H0), RUN(9), SET(BIT(OWN)), GO(N_EL2), RUN(3), CLR(BIT(OWN)), RUN(4), SET(H0),
      GO(N_EL1)},
     {{ENTRY, 2, 12}, {EXIT, 2, 14}}},
    {"HPMN keeps the host's from it: it writes all bits",
     2,
     {SET(BIT(OWN)), GO(N_EL2),     MDCR_EL2(2 | VPMU_MDCR_EL2_HPME),
      CLR(BIT(OWN)), RUN(5),        GO(G_EL1),
      PMCR(0),       CLR(ALL_ONES), RUN(9),
      SET(ALL_ONES), PMCR(E),       RUN(9),
      CLR(ALL_ONES), GO(N_EL2),     RUN(3),
      SET(BIT(OWN)), RUN(4),        MDCR_EL2(8),
      GO(N_EL1),     RUN(9)},
     {{0}}},
    {"the same for a host that counts EL2",
     2,
     {TYPE(OWN, INST | NSH),
      SET(BIT(OWN)),
      GO(N_EL2),
      MDCR_EL2(2 | VPMU_MDCR_EL2_HPME),
      CLR(BIT(OWN)),
      RUN(5),
      GO(G_EL1),
      PMCR(0),
      CLR(ALL_ONES),
      RUN(9),
      SET(ALL_ONES),
      RUN(9),
      CLR(ALL_ONES),
      PMCR(E),
      GO(N_EL2),
      RUN(3),
      SET(BIT(OWN)),
      RUN(4),
      MDCR_EL2(8),
      GO(N_EL1),
      RUN(9)},
     {{ENTRY, 2, 10}, {EXIT, 2, 6}}},
    {"it leaves PMCR.E at 0: the host's has to wait for its own",
     1,
     {SET(ALL), GO(N_EL2), RUN(9), GO(G_EL1), RUN(9), PMCR(0), RUN(9), GO(N_EL2), RUN(7), PMCR(E),
      RUN(9), GO(N_EL1)},
     {{EXIT, 1, 7}}},
};

START_TEST(guest_counts_itself)
{
    play_nvhe(guest_counts_itself_cases, COUNT_OF(guest_counts_itself_cases));
}
END_TEST

/* Two guests share a CPU, and the host counts itself. */
START_TEST(several_guests)
{
    static const struct host_case cases[] = {
        {"two guests in turn",
         4,
         {SET(H0),   GO(N_EL2), CLR(H0),   SET(G),   RUN(2),    GO(G_EL1), RUN(50),
          GO(N_EL2), RUN(3),    CLR(G),    SET(H0),  GO(N_EL1), RUN(9),    GO(N_EL2),
          CLR(H0),   RUN(4),    GO(G_EL0), RUN(9),   GO(N_EL2), RUN(5),    SET(H0),
          GO(N_EL1), GO(N_EL0), RUN(9),    GO(N_EL1)},
         {{ENTRY, 8, 24}, {EXIT, 8, 32}}},
    };

    play_nvhe(cases, COUNT_OF(cases));
}
END_TEST

Suite *blackout_nvhe_suite(void)
{
    const TTest *const tests[] = {windows, several_counters,    perf,
                                  leaks,   guest_counts_itself, several_guests};

    return suite_of("blackout_nvhe", tests, COUNT_OF(tests));
}
