/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory of guests of SVM, whose page tables are those of AMD's manual, volume 2, 5.3 and 15.25.
 * This test has the memory of the machine.
 */
#include <check.h>

#include "target/i386/pmu/sample/nested.h"
#include "test_qemu.h"

#define PAGE 4096u
#define PAGES 16u
/* The machine's RAM, and where the guest has it. */
#define RAM 0x10000000ull
#define GUEST 0x40000000ull
#define ENTRY 0x67u
#define LARGE 0xe7u
/* No execution, and bits for software. */
#define MORE 0xfff0000000000000ull
/* The first virtual address of the guest's page table with four levels, and with five. */
#define VIRTUAL 0xffff800000200000ull
#define HSAVE (RAM + 15 * PAGE)

/* Pages of RAM: nested tables, then the guest's, then one of data. */
enum {
    N_PML4,
    N_PDPT,
    N_PD,
    N_PT,
    N_PML5,
    G_PML4,
    G_PDPT,
    G_PD,
    G_PT,
    G_PML5,
    DATA
};

static uint64_t ram[PAGES][PAGE / 8];
static unsigned reads;

bool vpmu_read_physical(CPUState *cs, uint64_t addr, void *buf, size_t len)
{
    (void)cs;
    reads++;
    if (addr < RAM || addr - RAM > sizeof(ram) - len) {
        return false;
    }
    memcpy(buf, (const uint8_t *)ram + (addr - RAM), len);
    return true;
}

bool cpu_translate_for_debug(CPUState *cs, uint64_t page, TranslateForDebugResult *at)
{
    (void)cs;
    at->physaddr = page + 1;
    return true;
}

bool x86_saved_cr3(CPUState *cs, uint64_t *cr3)
{
    *cr3 = 0x5000018;
    return cs->env.hflags & HF_GUEST_MASK;
}

static uint64_t machines(unsigned page)
{
    return RAM + page * PAGE;
}

/* The page of the guest that is this page of the machine. */
static uint64_t guests(unsigned page)
{
    return GUEST + page * PAGE;
}

/* A guest in long mode with nested paging, both with four levels. */
static CPUState make(void)
{
    CPUState cs = {.env = {.hflags = HF_LMA_MASK | HF_GUEST_MASK,
                           .hflags2 = HF2_NPT_MASK,
                           .nested_pg_mode = PG_MODE_LMA,
                           .nested_cr3 = machines(N_PML4),
                           .cr[3] = guests(G_PML4),
                           .vm_vmcb = 0x7000}};

    memset(ram, 0, sizeof(ram));
    ram[N_PML5][0] = machines(N_PML4) | ENTRY;
    ram[N_PML4][0] = machines(N_PDPT) | ENTRY;
    ram[N_PDPT][GUEST >> 30] = machines(N_PD) | ENTRY;
    ram[N_PD][0] = machines(N_PT) | ENTRY;
    ram[G_PML5][511] = guests(G_PML4) | ENTRY;
    ram[G_PML4][256] = guests(G_PDPT) | ENTRY;
    ram[G_PDPT][0] = guests(G_PD) | ENTRY;
    ram[G_PD][1] = guests(G_PT) | ENTRY;
    ram[G_PT][0] = guests(DATA) | ENTRY | MORE;
    for (unsigned page = 0; page < PAGES; page++) {
        ram[N_PT][page] = machines(page) | ENTRY | MORE;
    }
    return cs;
}

/* Returns where a page is; 0 if it is not mapped. */
static uint64_t find(CPUState *cs, uint64_t page)
{
    TranslateForDebugResult at;

    reads = 0;
    return x86_translate(cs, page, &at) ? at.physaddr : 0;
}

START_TEST(levels)
{
    CPUState cs = make();

    ck_assert_uint_eq(find(&cs, VIRTUAL), machines(DATA));
    /* Each entry of the guest takes one read of itself and one of each nested level. */
    ck_assert_uint_eq(reads, 4 * 5 + 4);
    cs.env.cr[4] = CR4_LA57_MASK;
    cs.env.cr[3] = guests(G_PML5) | 0x806; /* a PCID */
    ck_assert_uint_eq(find(&cs, VIRTUAL), machines(DATA));
    cs.env.nested_pg_mode |= PG_MODE_LA57;
    cs.env.nested_cr3 = machines(N_PML5);
    ck_assert_uint_eq(find(&cs, VIRTUAL), machines(DATA));
    ck_assert_uint_eq(reads, 5 * 6 + 5);
    /* The tables of four levels are not those of five. */
    cs.env.cr[3] = guests(G_PML4);
    ck_assert_uint_eq(find(&cs, VIRTUAL), 0);
}
END_TEST

START_TEST(large_pages)
{
    CPUState cs = make();

    /* 2 MiB of the guest are the whole of the nested table. Bit 12 is PAT. */
    ram[G_PD][1] = GUEST | LARGE | 0x1000;
    ck_assert_uint_eq(find(&cs, VIRTUAL + DATA * PAGE), machines(DATA));
    ram[G_PDPT][0] = GUEST | LARGE;
    ck_assert_uint_eq(find(&cs, VIRTUAL - 0x200000 + DATA * PAGE), machines(DATA));
    /* 2 MiB and 1 GiB of the machine. */
    ram[N_PD][0] = RAM | LARGE;
    ck_assert_uint_eq(find(&cs, VIRTUAL - 0x200000 + DATA * PAGE), machines(DATA));
    ram[N_PDPT][1] = LARGE;
    cs.env.cr[3] = GUEST + machines(G_PML4);
    ram[G_PML4][256] = (GUEST + machines(G_PDPT)) | ENTRY;
    ck_assert_uint_eq(find(&cs, VIRTUAL - 0x200000 + 5 * PAGE), 5 * PAGE);
}
END_TEST

/* There are no pages of 512 GiB: the bit is reserved. These would lead to the page of data. */
START_TEST(too_large_pages)
{
    CPUState cs = make();

    ram[G_PML4][256] = LARGE;
    ck_assert_uint_eq(find(&cs, 0xffff800000000000 + guests(DATA)), 0);
    cs = make();
    cs.env.cr[3] = machines(G_PML4);
    ram[G_PML4][256] = machines(G_PDPT) | ENTRY;
    ram[G_PDPT][0] = machines(G_PD) | ENTRY;
    ram[G_PD][1] = machines(G_PT) | ENTRY;
    ram[G_PT][0] = machines(DATA) | ENTRY;
    ram[N_PDPT][0] = LARGE;
    ck_assert_uint_eq(find(&cs, VIRTUAL), machines(DATA));
    ram[N_PML4][0] = LARGE;
    ck_assert_uint_eq(find(&cs, VIRTUAL), 0);
}
END_TEST

START_TEST(not_mapped)
{
    static const struct {
        const char *row;
        unsigned table, entry;
        uint64_t value;
        uint64_t page;
    } rows[] = {
        {"virtual address that is not canonical", DATA, 0, 0, 0x0000800000200000},
        {"page that is not present", G_PT, 0, (GUEST + DATA * PAGE) | (ENTRY - 1), VIRTUAL},
        {"table that is not present", G_PDPT, 0, 0, VIRTUAL},
        {"nested page that is not present", N_PT, DATA, 0, VIRTUAL},
        {"table without a nested page", N_PT, G_PD, 0, VIRTUAL},
        {"table that is not RAM", N_PT, G_PD, 0xfee00000 | ENTRY, VIRTUAL},
        {"nested table that is not RAM", N_PDPT, 1, 0xfee00000 | ENTRY, VIRTUAL},
        {"address beyond the nested table", G_PT, 0, (GUEST + (1ull << 48)) | ENTRY, VIRTUAL},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        CPUState cs = make();

        ram[rows[i].table][rows[i].entry] = rows[i].value;
        ck_assert_msg(find(&cs, rows[i].page) == 0, "%s", rows[i].row);
        ck_assert_uint_le(reads, 24);
    }
}
END_TEST

/* Without nested paging, the debugger's translation is used; in other modes, none. */
START_TEST(modes)
{
    CPUState cs = make();

    cs.env.hflags2 = 0;
    ck_assert_uint_eq(find(&cs, VIRTUAL), VIRTUAL + 1);
    ck_assert(x86_reads_guest(&cs.env));
    cs = make();
    cs.env.hflags &= ~HF_LMA_MASK;
    ck_assert(!x86_reads_guest(&cs.env));
    ck_assert_uint_eq(find(&cs, VIRTUAL), 0);
    cs = make();
    cs.env.nested_pg_mode = 0;
    ck_assert(!x86_reads_guest(&cs.env));
    ck_assert_uint_eq(find(&cs, VIRTUAL), 0);
}
END_TEST

START_TEST(description)
{
    struct vpmu_record_guest guest = {.time = 0};
    CPUState cs = make();

    cs.env.nested_cr3 |= 0x18;
    x86_guest_describe(&cs, &guest);
    ck_assert_uint_eq(guest.vttbr, machines(N_PML4));
    ck_assert_uint_eq(guest.vtcr, VPMU_RECORD_NESTED_PAGING);
    ck_assert_uint_eq(guest.ttbr1, guests(G_PML4));
    ck_assert_uint_eq(guest.ttbr0, 0x5000000);
    cs.env.nested_pg_mode |= PG_MODE_LA57;
    x86_guest_describe(&cs, &guest);
    ck_assert_uint_eq(guest.vtcr, VPMU_RECORD_NESTED_PAGING | VPMU_RECORD_FIVE_LEVELS);
    guest = (struct vpmu_record_guest){.time = 0};
    cs.env.hflags2 = 0;
    x86_guest_describe(&cs, &guest);
    ck_assert_uint_eq(guest.vttbr, 0x7000);
    ck_assert_uint_eq(guest.vtcr | guest.ttbr0 | guest.tcr, 0);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {levels,     large_pages, too_large_pages,
                                  not_mapped, modes,       description};

    return run_suite("nested", tests, COUNT_OF(tests));
}
