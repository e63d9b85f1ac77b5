/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "../hash.h"
#include "runtime.h"

#define PIC_MASTER_DATA 0x21
#define PIC_SLAVE_DATA 0xa1
#define RESET_CONTROL 0xcf9
#define RESET_ALL 0x06

#define SVR_ENABLED 0x1ff

#define CR4_ALWAYS 0x620u
#define DR6_NOTHING 0xffff0ff0u

static uint64_t vectors_seed[32];
static uint64_t vectors_left[32];

static struct progress *const progress = (struct progress *)RESULTS_BASE;
static const struct header *const header = (const struct header *)PROGRAMS_BASE;

/* With -no-reboot this ends QEMU. */
static _Noreturn void power_off(void)
{
    write_port(RESET_CONTROL, RESET_ALL);
    for (;;) {
        __asm__ volatile("hlt");
    }
}

static void clear_result(void)
{
    uint64_t *words = (uint64_t *)result;

    for (unsigned i = 0; i < sizeof(*result) / 8; i++) {
        words[i] = 0;
    }
}

static void set_controls(void)
{
    write_special(cr3, read_special(cr3) & ~PAGE_BYTES);
    write_special(cr2, 0);
    write_special(cr4, CR4_ALWAYS | program->cr4);
    write_special(dr6, DR6_NOTHING);
    write_special(dr0, program->dr[0]);
    write_special(dr1, program->dr[1]);
    write_special(dr2, program->dr[2]);
    write_special(dr3, program->dr[3]);
    write_special(dr7, program->dr7);
    __asm__ volatile("mov %0, %%ds\n\tmov %0, %%es\n\tmov %0, %%fs\n\tmov %0, %%gs"
                     :
                     : "r"(USER_SS));
}

/* Returns when the program has ended. */
static void enter_program(void)
{
    static struct frame frame;

    for (unsigned i = 0; i < 16; i++) {
        frame.regs[i] = program->regs[i];
    }
    frame.rip = program->entry;
    frame.cs = program->cs;
    frame.rflags = program->rflags;
    frame.rsp = program->regs[RSP];
    frame.ss = (program->cs & 3) != 0 ? USER_SS : KERNEL_SS;
    set_controls();
    pmu_set();
    lbr_set();
    enter(&frame);
}

/* An interrupt that is still pending must not reach the next program. */
static void finish_program(void)
{
    write_lapic(LAPIC_EOI, 0);
    drain();
    vectors_store(vectors_left);
    result->vector_hash = hash_words(vectors_left, 32);
    result->data_hash = memory_hash();
    log_end();
}

static void run_program(uint64_t n)
{
    pmu_stop();
    program = (const struct program *)(PROGRAMS_BASE + PROGRAM_SIZE * (n + 1));
    result = (struct result *)(RESULTS_BASE + RESULT_SIZE * (n + 1));
    progress->started = n + 1;
    clear_result();
    log_start();
    memory_fill(program->data_seed);
    vectors_load(vectors_seed);
    enter_program();
    finish_program();
}

_Noreturn void boot(void)
{
    write_port(PIC_MASTER_DATA, 0xff);
    write_port(PIC_SLAVE_DATA, 0xff);
    memory_init();
    tables_init();
    write_lapic(LAPIC_SVR, SVR_ENABLED);
    write_lapic(LAPIC_LINT0, LAPIC_MASKED);
    pmu_init();
    for (unsigned i = 0; i < 32; i++) {
        vectors_seed[i] = (i + 1) * HASH_FACTOR;
    }
    progress->started = 0;
    for (uint64_t n = header->first; n < header->programs; n++) {
        run_program(n);
    }
    pmu_stop();
    progress->done = 1;
    power_off();
}
