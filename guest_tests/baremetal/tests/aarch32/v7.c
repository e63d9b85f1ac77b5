/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * A CPU without AArch64, from Supervisor mode: an overflow in User mode that follows an MSR, and
 * with EL3 in Secure state, which is counted because these CPUs have no FEAT_Debugv8p2 (D13.5.4),
 * and after a write of SCR has left it; address spaces of Secure state; and big-endian accesses. It
 * uses no other file, because the runtime is for AArch64. It ends by semihosting.
 */
#include <stdint.h>

#define UART 0x09000000u
#define GICD 0x08000000u
#define GICC 0x08010000u
#define INTID_PMU 23

#define EVENT_L1D_TLB_REFILL 5u
#define EVENT_INST_RETIRED 8u
#define SCR_NS 1u
#define SDER_SUNIDEN 2u
#define SCTLR_M_C 5u
#define DACR_MANAGER 3u
/* Sections of the short-descriptor format: all may access them, normal memory or a device. */
#define SECTION_RAM 0x1c0eu
#define SECTION_DEVICE 0x0c06u
#define RAM_SECTION 0x400u
/* The same memory as SECTION_RAM in small pages. */
#define SMALL_PAGE_RAM 0x007eu
#define PAGE_TABLE 1u
#define ITERATIONS 1000000u

#define read_cp15(op1, crn, crm, op2)                                                              \
    ({                                                                                             \
        uint32_t value_;                                                                           \
        __asm__ volatile("mrc p15, " #op1 ", %0, " #crn ", " #crm ", " #op2                        \
                         : "=r"(value_)                                                            \
                         :                                                                         \
                         : "memory");                                                              \
        value_;                                                                                    \
    })
#define write_cp15(op1, crn, crm, op2, value)                                                      \
    __asm__ volatile("mcr p15, " #op1 ", %0, " #crn ", " #crm ", " #op2 "\n\tisb"                  \
                     :                                                                             \
                     : "r"(value)                                                                  \
                     : "memory")

/* In v7_asm.S: switch the counter on, and loop: two instructions, interrupts not masked. */
extern const char v7_vectors[], user_loop[], nonsecure_loop[], secure_loop[];
void set_irq_stack(void *record);
void run_user(uint32_t iterations);
void run_user_loads(const void *pages);
void run_nonsecure(uint32_t iterations);
void run_secure(uint32_t iterations);
void run_little(void *memory);
void run_big(void *memory);
void set_nonsecure_vbar(const char *vectors);

/* What the handler recorded: the number of interrupts, the return address, the loop's counter. */
static volatile struct {
    uint32_t count, elr, r0, scratch;
} taken;

static unsigned passed, failed;

static void put(const char *text)
{
    for (; *text; text++) {
        *(volatile uint32_t *)UART = (uint8_t)*text;
    }
}

static void put_number(uint32_t value, unsigned base)
{
    char digits[12];
    unsigned n = sizeof(digits);

    digits[--n] = 0;
    do {
        uint32_t rest = value;
        uint32_t quotient = 0;

        /* Not every one of these CPUs has a division instruction. */
        while (rest >= base) {
            uint32_t step = base, times = 1;

            while (rest - step >= step) {
                step += step;
                times += times;
            }
            rest -= step;
            quotient += times;
        }
        digits[--n] = "0123456789abcdef"[rest];
        value = quotient;
    } while (value);
    put(digits + n);
}

static void expect(const char *name, uint32_t k, const char *what, uint32_t expected, uint32_t got)
{
    put(expected == got ? "PASS " : "FAIL ");
    put(name);
    put("-");
    put_number(k, 10);
    put(what);
    if (expected == got) {
        passed++;
    } else {
        failed++;
        put(": expected 0x");
        put_number(expected, 16);
        put(" got 0x");
        put_number(got, 16);
    }
    put("\n");
}

/* Counter 0 overflows at the k-th instruction that it counts, and interrupts. */
static void set_overflow(uint32_t k)
{
    taken.count = 0;
    write_cp15(0, c9, c12, 5, 0);
    write_cp15(0, c9, c13, 1, EVENT_INST_RETIRED);
    write_cp15(0, c9, c13, 2, 0u - k);
    write_cp15(0, c9, c12, 3, 1);
    write_cp15(0, c9, c14, 1, 1);
    write_cp15(0, c9, c12, 0, read_cp15(0, c9, c12, 0) | 1);
}

/* The number of counted instructions before the loop. */
static void check(const char *name, void (*run)(uint32_t), const char *loop, uint32_t before)
{
    static const uint32_t places[] = {100000, 100001, 1000};

    for (unsigned i = 0; i < 3; i++) {
        uint32_t k = places[i], in_loop = k - before;

        set_overflow(k);
        run(ITERATIONS);
        expect(name, k, ".interrupts", 1, taken.count);
        expect(name, k, ".address", (uint32_t)loop + 4 * (in_loop % 2), taken.elr);
        expect(name, k, ".iterations", ITERATIONS - in_loop / 2 - in_loop % 2, taken.r0);
    }
}

static uint32_t sections[4096] __attribute__((aligned(16384)));
/* Two pages of one section, which is mapped in small pages. */
static char pages[2 * 4096] __attribute__((aligned(2 * 4096)));
static uint32_t small_pages[256] __attribute__((aligned(1024)));

static void map_memory(void)
{
    uint32_t paged = (uint32_t)pages >> 20;

    for (uint32_t i = 0; i < 4096; i++) {
        sections[i] = i << 20 | (i < RAM_SECTION ? SECTION_DEVICE : SECTION_RAM);
    }
    for (uint32_t i = 0; i < 256; i++) {
        small_pages[i] = paged << 20 | i << 12 | SMALL_PAGE_RAM;
    }
    sections[paged] = (uint32_t)small_pages | PAGE_TABLE;
    write_cp15(0, c2, c0, 0, (uint32_t)sections);
    write_cp15(0, c3, c0, 0, DACR_MANAGER);
    write_cp15(0, c1, c0, 0, read_cp15(0, c1, c0, 0) | SCTLR_M_C);
}

/* How many of two pages Secure User mode looks up again in the address space of an ASID. */
static void check_space(uint32_t k, uint32_t asid, uint32_t again)
{
    write_cp15(0, c13, c0, 1, asid);
    write_cp15(0, c9, c13, 2, 0);
    run_user_loads(pages);
    expect("v7.spaces", k, ".refills", again, read_cp15(0, c9, c13, 2));
}

static void check_spaces(void)
{
    map_memory();
    write_cp15(0, c1, c1, 1, SDER_SUNIDEN);
    write_cp15(0, c9, c12, 5, 0);
    write_cp15(0, c9, c13, 1, EVENT_L1D_TLB_REFILL);
    write_cp15(0, c9, c12, 0, read_cp15(0, c9, c12, 0) | 1);
    check_space(0, 1, 2);
    check_space(1, 1, 0);
    check_space(2, 2, 2);
    check_space(3, 1, 0);
    /* TLBIASID */
    write_cp15(0, c8, c7, 2, 2);
    check_space(4, 1, 0);
    write_cp15(0, c8, c7, 2, 1);
    check_space(5, 1, 2);
    /* TLBIMVA, of one page and any ASID; TLBIALL */
    write_cp15(0, c8, c7, 1, (uint32_t)pages | 2);
    check_space(6, 1, 1);
    write_cp15(0, c8, c7, 0, 0);
    check_space(7, 1, 2);
    write_cp15(0, c1, c0, 0, read_cp15(0, c1, c0, 0) & ~SCTLR_M_C);
}

/* The order of bytes changes no count. */
static void check_endian(void)
{
    /* LD_RETIRED, ST_RETIRED, UNALIGNED_LDST_RETIRED, MEM_ACCESS, L1D_CACHE */
    static const struct {
        uint32_t event, count;
    } rows[] = {{6, 4}, {7, 3}, {0xf, 1}, {0x13, 7}, {4, 7}};

    map_memory();
    write_cp15(0, c9, c12, 5, 0);
    write_cp15(0, c9, c12, 0, read_cp15(0, c9, c12, 0) | 1);
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        write_cp15(0, c9, c13, 1, rows[i].event);
        write_cp15(0, c9, c13, 2, 0);
        run_little(pages);
        expect("v7.little-endian", rows[i].event, ".count", rows[i].count,
               read_cp15(0, c9, c13, 2));
        write_cp15(0, c9, c13, 2, 0);
        run_big(pages);
        expect("v7.big-endian", rows[i].event, ".count", rows[i].count, read_cp15(0, c9, c13, 2));
    }
    write_cp15(0, c1, c0, 0, read_cp15(0, c1, c0, 0) & ~SCTLR_M_C);
}

static void gic_begin(void)
{
    *(volatile uint32_t *)(GICD + 0x100) = 1u << INTID_PMU;
    *(volatile uint32_t *)(GICC + 4) = 0xff;
    *(volatile uint32_t *)GICC = 1;
    *(volatile uint32_t *)GICD = 1;
}

void v7_main(void);

void v7_main(void)
{
    write_cp15(0, c12, c0, 0, (uint32_t)v7_vectors);
    set_irq_stack((void *)&taken);
    gic_begin();
    /* ID_PFR1.Security */
    if (read_cp15(0, c0, c1, 1) & 0xf0) {
        check_spaces();
        write_cp15(0, c12, c0, 1, (uint32_t)v7_vectors);
        set_nonsecure_vbar(v7_vectors);
        write_cp15(0, c1, c1, 1, 0);
        /* ISB, CPSIE; and ISB, MSR in User mode, without SUNIDEN. */
        check("v7.secure", run_secure, secure_loop, 2);
        check("v7.secure-user", run_user, user_loop, 2);
        /* ISB, MRC, ORR, MCR in Secure state, and CPSIE. */
        check("v7.nonsecure", run_nonsecure, nonsecure_loop, 5);
    } else {
        /* ISB, MSR. */
        check("v7.user", run_user, user_loop, 2);
    }
    check_endian();
    put("END passed=");
    put_number(passed, 10);
    put(" failed=");
    put_number(failed, 10);
    put(" skipped=0\n");
}
