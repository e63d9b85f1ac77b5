/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An overflow of the cycle counter, on any board. Semihosting passes the words that say what
 * interrupt controller it has:
 *
 *   gic2 DISTRIBUTOR CPU_INTERFACE INTID
 *   gic3 DISTRIBUTOR REDISTRIBUTOR INTID
 *   a10 CONTROLLER INPUT                 of Allwinner's A10
 *   bcm2836 CONTROLLER INPUT             the local one of Raspberry Pi 2 and 3
 *
 * Two more words are an address and what is written there first: another gate on the way.
 *
 * Numbers are hexadecimal. Ends with status 0 if the interrupt with that number was taken, once.
 */
#include "cpu.h"

#define SYS_WRITE0 0x04
#define SYS_GET_CMDLINE 0x15
#define SYS_EXIT_EXTENDED 0x20
#define ADP_STOPPED_APPLICATION_EXIT 0x20026

#define CYCLES 64u
/* Long enough for any board to take an interrupt that is pending, and one more that should not be.
 */
#define PATIENCE 200000u

/* Distributor and redistributor. */
#define GICD_CTLR 0x000
#define GICD_IGROUPR 0x080
#define GICD_ISENABLER 0x100
#define GICD_IPRIORITYR 0x400
#define GICD_ITARGETSR 0x800
#define GICD_IROUTER 0x6000
#define GICR_WAKER 0x14
#define GICR_SGI_BASE 0x10000
#define CTLR_ENABLE 0x3u
#define CTLR_ARE 0x30u
/* CPU interface of a GICv2. */
#define GICC_CTLR 0x00
#define GICC_PMR 0x04
#define GICC_IAR 0x0c
#define GICC_EOIR 0x10
#define FIRST_SPI 32u
/* Allwinner's A10 */
#define A10_PENDING 0x10
#define A10_ENABLE 0x40
/* Raspberry Pi: input 9 is the PMU's. */
#define BCM_PMU_ROUTE_SET 0x10
#define BCM_IRQ_SOURCE 0x60

enum kind {
    GIC2,
    GIC3,
    A10,
    BCM2836,
    NO_KIND
};

static enum kind kind;
static uintptr_t controller, interface;
static volatile unsigned taken, wrong;
static uint32_t wanted;

static void put(const char *text)
{
    semihost(SYS_WRITE0, (void *)(uintptr_t)text);
}

static void __attribute__((noreturn)) end(intptr_t status)
{
    intptr_t block[2] = {ADP_STOPPED_APPLICATION_EXIT, status};

    semihost(SYS_EXIT_EXTENDED, block);
    while (1) {
    }
}

static void write32(uintptr_t address, uint32_t value)
{
    *(volatile uint32_t *)address = value;
}

static uint32_t read32(uintptr_t address)
{
    return *(volatile uint32_t *)address;
}

static void set_bit(uintptr_t address, uint32_t bit)
{
    write32(address + bit / 32 * 4, read32(address + bit / 32 * 4) | 1u << bit % 32);
}

/* next_word() - the next one of the command line; what is behind it remains */
static const char *next_word(const char *text, uintptr_t *number)
{
    while (*text == ' ') {
        text++;
    }
    for (*number = 0; *text && *text != ' '; text++) {
        uintptr_t digit = (uintptr_t)(*text <= '9' ? *text - '0' : *text - 'a' + 10);

        *number = *number << 4 | (digit & 0xf);
    }
    return text;
}

static int starts(const char *text, const char *word)
{
    while (*word && *text == *word) {
        text++;
        word++;
    }
    return *word == 0 && *text == ' ';
}

static void read_arguments(void)
{
    char line[128];
    intptr_t block[2] = {0, sizeof(line)};
    const char *rest = line;
    uintptr_t number, gate;

    block[0] = (intptr_t)line;
    semihost(SYS_GET_CMDLINE, block);
    kind = starts(line, "gic2")      ? GIC2
           : starts(line, "gic3")    ? GIC3
           : starts(line, "a10")     ? A10
           : starts(line, "bcm2836") ? BCM2836
                                     : NO_KIND;
    if (kind == NO_KIND) {
        put("unknown arguments\n");
        end(2);
    }
    rest = next_word(rest, &number);
    rest = next_word(rest, &controller);
    if (kind == GIC2 || kind == GIC3) {
        rest = next_word(rest, &interface);
    }
    rest = next_word(rest, &number);
    wanted = (uint32_t)number;
    rest = next_word(rest, &gate);
    next_word(rest, &number);
    if (gate) {
        write32(gate, (uint32_t)number);
    }
}

static void enable_gic2(void)
{
    uint32_t mine = read32(controller + GICD_ITARGETSR) & 0xff;

    write32(controller + GICD_CTLR, CTLR_ENABLE);
    if (wanted >= FIRST_SPI) {
        /* A GIC with one CPU has no targets. */
        *(volatile uint8_t *)(controller + GICD_ITARGETSR + wanted) = (uint8_t)mine;
    }
    set_bit(controller + GICD_ISENABLER, wanted);
    write32(interface + GICC_PMR, 0xff);
    write32(interface + GICC_CTLR, CTLR_ENABLE);
}

static void enable_gic3(void)
{
    uintptr_t bank = wanted < FIRST_SPI ? interface + GICR_SGI_BASE : controller;

    write32(controller + GICD_CTLR, CTLR_ARE | CTLR_ENABLE);
    write32(interface + GICR_WAKER, 0);
    set_bit(bank + GICD_IGROUPR, wanted);
    set_bit(bank + GICD_ISENABLER, wanted);
    gic3_enable();
}

static void enable(void)
{
    switch (kind) {
    case GIC2:
        enable_gic2();
        break;
    case GIC3:
        enable_gic3();
        break;
    case A10:
        set_bit(controller + A10_ENABLE, wanted);
        break;
    default:
        write32(controller + BCM_PMU_ROUTE_SET, 1);
        break;
    }
}

/* acknowledge() - the number of the interrupt that is taken */
static uint32_t acknowledge(void)
{
    switch (kind) {
    case GIC2:
        return read32(interface + GICC_IAR) & 0x3ff;
    case GIC3:
        return gic3_acknowledge();
    case A10:
        return read32(controller + A10_PENDING + wanted / 32 * 4) >> wanted % 32 & 1 ? wanted : ~0u;
    default:
        return read32(controller + BCM_IRQ_SOURCE) >> wanted & 1 ? wanted : ~0u;
    }
}

void on_interrupt(void)
{
    uint32_t number = acknowledge();

    taken++;
    wrong += number != wanted || !pmu_overflowed();
    pmu_stop();
    if (kind == GIC2) {
        write32(interface + GICC_EOIR, number);
    } else if (kind == GIC3) {
        gic3_end(number);
    }
}

void run(void);

void run(void)
{
    read_arguments();
    enable();
    take_interrupts();
    pmu_start(CYCLES);
    for (volatile unsigned i = 0; i < PATIENCE && taken < 2; i++) {
    }
    if (taken == 1 && !wrong) {
        end(0);
    }
    put(taken == 0 ? (pmu_overflowed() ? "the counter overflowed, no interrupt came\n"
                                       : "the counter did not overflow\n")
        : wrong    ? "an interrupt of another number came\n"
                   : "the interrupt stayed after the overflow was cleared\n");
    end(1);
}
