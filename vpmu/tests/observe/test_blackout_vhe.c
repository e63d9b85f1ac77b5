/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The spans that the meter finds for VHE hosts, their switches and guests. */
#include "host_cases.h"

/*
 * The counters of a VHE host: VH counts the host, VHU only its EL0, VHK only its kernel, VG guests,
 * VGU only their EL0, and VALL both sides. Load and put move EL0 in VH, VHU, VG and VGU.
 */
#define VH BIT(0)
#define VHU BIT(1)
#define VHK BIT(2)
#define VG BIT(3)
#define VGU BIT(4)
#define VALL BIT(5)

static const uint64_t vhe_types[ALL_COUNTERS] = {P | NSH, P, P | U | NSH, U, P | U, NSH, U, U};

#define LOAD                                                                                       \
    TYPE(0, P | U | NSH | INST), RUN(1), TYPE(1, P | U | INST), RUN(1), TYPE(3, INST), RUN(1),     \
        TYPE(4, P | INST)
#define PUT                                                                                        \
    TYPE(3, U | INST), RUN(1), TYPE(4, P | U | INST), RUN(1), TYPE(0, P | NSH | INST), RUN(1),     \
        TYPE(1, P | INST)
#define VMASK (VH | VHU | VHK | VG | VGU | VALL)

static void play_vhe(const struct host_case *cases, size_t count)
{
    run_cases(cases, count, V_EL0, V_EL2, vhe_types);
}

START_TEST(load_and_put)
{
    static const struct host_case cases[] = {
        {"load, entries and exits, put",
         50,
         {SET(VMASK), RUN(9), LOAD, RUN(9), GO(G_EL1), RUN(50), GO(V_EL2), RUN(9), GO(G_EL0),
          RUN(50), GO(G_EL1), GO(V_EL2), RUN(9), PUT, RUN(9), GO(V_EL0), RUN(50), GO(V_EL2)},
         {{0}}},
        {"firmware on the way",
         5,
         {SET(VMASK), LOAD, GO(FIRMWARE), RUN(9), GO(V_EL2), GO(G_EL1), RUN(50), GO(FIRMWARE),
          RUN(9), GO(G_EL1), GO(V_EL2), PUT, GO(FIRMWARE), GO(V_EL2), GO(V_EL0), GO(FIRMWARE),
          GO(V_EL0), GO(V_EL2)},
         {{0}}},
        {"EL0 of the host runs while a guest is loaded: before the guest has run",
         1,
         {SET(VMASK), LOAD, RUN(9), GO(V_EL0), RUN(20), GO(FIRMWARE), RUN(100), GO(V_EL0), RUN(3),
          GO(V_EL2), RUN(9), PUT, RUN(9), GO(V_EL0), RUN(50)},
         {{ABORTED, 1, 23}, {LEAK_HOST, 1, 23}}},
        {"the same, until the guest runs",
         1,
         {SET(VH), LOAD, GO(V_EL0), RUN(20), GO(V_EL2), GO(G_EL0), RUN(50), GO(V_EL2), RUN(9), PUT},
         {{ENTRY, 1, 20}}},
        {"the same, from then on",
         1,
         {SET(VHU), LOAD, GO(G_EL1), GO(V_EL2), GO(V_EL0), RUN(20), GO(V_EL2), GO(G_EL0), RUN(50),
          GO(V_EL2), RUN(9), GO(V_EL0), RUN(7), GO(V_EL2), GO(V_EL0), RUN(1), GO(V_EL2), PUT},
         {{INSIDE, 1, 20}, {EXIT, 1, 8}}},
        {"where only guests are counted it is a leak and no blackout",
         1,
         {SET(VG | VALL | VHK), LOAD, GO(G_EL1), RUN(9), GO(V_EL2), GO(V_EL0), RUN(20), GO(V_EL2),
          RUN(9), PUT, RUN(9)},
         {{LEAK_HOST, 1, 20}}},
        {"where no filter moves it is neither",
         1,
         {SET(VHK | VALL), GO(G_EL1), RUN(9), GO(V_EL2), GO(V_EL0), RUN(20), GO(V_EL2)},
         {{0}}},
        {"EL1 is taken from a host's counter, EL0 is left",
         1,
         {TYPE(7, INST), SET(BIT(7)), TYPE(7, P | INST), GO(G_EL0), RUN(50), GO(G_EL1), RUN(60),
          GO(V_EL2), TYPE(7, INST)},
         {{LEAK_GUEST, 1, 50}}},
    };

    play_vhe(cases, COUNT_OF(cases));
}
END_TEST

/* What perf does at EL2 is not attributed to the switch, also while a guest is loaded. */
static const struct host_case perf_cases[] = {
    {"start and stop",
     3,
     {SET(VMASK), RUN(9), CLR(VH), RUN(9), GO(V_EL0), RUN(9), GO(V_EL2), PMCR(0), RUN(9), GO(V_EL0),
      RUN(9), GO(V_EL2), PMCR(E), CLR(ALL_ONES), RUN(9)},
     {{0}}},
    {"a counter changes sides while no guest is loaded",
     3,
     {SET(VH), RUN(9), PMCR(0), CLR(VH), RUN(1), TYPE(0, U), RUN(1), SET(VH), RUN(1), PMCR(E),
      RUN(9), GO(V_EL0), RUN(9), GO(V_EL2), CLR(VH), TYPE(0, P | NSH), GO(V_EL0), RUN(9),
      GO(V_EL2)},
     {{0}}},
    {"a context switch while a guest is loaded, then the switch is told",
     3,
     {SET(VH | VG),
      LOAD,
      GO(G_EL1),
      RUN(9),
      GO(V_EL2),
      PMCR(0),
      RUN(1),
      CLR(VH),
      RUN(1),
      TYPE(0, P | U | NSH | INST),
      RUN(1),
      CLR(VG),
      TYPE(3, P | NSH | INST),
      SET(BIT(3)),
      RUN(1),
      PMCR(E),
      RUN(1),
      TYPE(3, P | U | NSH | INST),
      GO(G_EL0),
      RUN(9),
      GO(V_EL2),
      TYPE(3, P | NSH | INST),
      RUN(9),
      GO(V_EL0),
      RUN(9),
      GO(V_EL2),
      CLR(ALL_ONES),
      TYPE(0, P | NSH),
      TYPE(3, U)},
     {{0}}},
    {"started while a guest is loaded: EL0 is dark while it stays loaded",
     1,
     {LOAD, GO(G_EL1), GO(V_EL2), TYPE(0, P | NSH | INST), SET(VH), GO(V_EL0), RUN(9), GO(V_EL2),
      TYPE(0, P | U | NSH | INST), GO(G_EL1), GO(V_EL2), GO(V_EL0), RUN(5), GO(V_EL2),
      TYPE(0, P | NSH | INST)},
     {{EXIT, 1, 5}}},
    {"stopped while a guest is loaded: put is not told",
     2,
     {TYPE(0, P | NSH), SET(VH | VALL), LOAD, GO(G_EL1), GO(V_EL2), CLR(VH), GO(G_EL1), RUN(9),
      GO(V_EL2), GO(V_EL0), RUN(9), GO(V_EL2)},
     {{0}}},
};

START_TEST(perf)
{
    play_vhe(perf_cases, COUNT_OF(perf_cases));
}
END_TEST

/*
 * A guest of a VHE host with counters of its own. They are lent at load, so by the host's kernel.
 */
START_TEST(guest_counts_itself)
{
    static const struct host_case cases[] = {
        {"it programs a counter, and put stops it",
         3,
         {SET(VH), GO(G_EL1), TYPE(OWN, INST), SET(BIT(OWN)), RUN(50), GO(G_EL0), RUN(9), GO(V_EL2),
          RUN(9), GO(G_EL1), CLR(BIT(OWN)), RUN(9), SET(BIT(OWN)), GO(V_EL2), RUN(9), CLR(BIT(OWN)),
          GO(V_EL0), RUN(9), GO(V_EL2)},
         {{0}}},
        {"the next load starts it",
         3,
         {SET(VH),       LOAD,          TYPE(OWN, INST),
          SET(BIT(OWN)), RUN(9),        GO(G_EL1),
          RUN(50),       CLR(BIT(OWN)), TYPE(OWN, INST | P),
          SET(BIT(OWN)), RUN(9),        GO(V_EL2),
          RUN(9),        GO(G_EL0),     RUN(9),
          GO(V_EL2),     CLR(BIT(OWN)), PUT,
          GO(V_EL0),     RUN(9),        GO(V_EL2)},
         {{0}}},
    };

    play_vhe(cases, COUNT_OF(cases));
}
END_TEST

/* Two guests share a CPU. */
START_TEST(several_guests)
{
    static const struct host_case cases[] = {
        {"two guests in turn",
         4,
         {SET(VMASK), LOAD, GO(G_EL1), RUN(50), GO(V_EL2), PUT, LOAD, GO(G_EL0), RUN(9), GO(V_EL2),
          RUN(5), PUT, GO(V_EL0), RUN(9), GO(V_EL2)},
         {{0}}},
    };

    play_vhe(cases, COUNT_OF(cases));
}
END_TEST

Suite *blackout_vhe_suite(void)
{
    const TTest *const tests[] = {load_and_put, perf, guest_counts_itself, several_guests};

    return suite_of("blackout_vhe", tests, COUNT_OF(tests));
}
