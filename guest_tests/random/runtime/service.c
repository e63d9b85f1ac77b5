/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runtime.h"

#define MDSCR_SS BIT(0)
#define HCR_VIRTUAL (BIT(6) | BIT(7) | BIT(8))

/* What the highest level is asked for, and its answer. */
static uint64_t service_wanted;
static uint64_t service_answer;

static uint64_t stop_virtual(void)
{
    uint64_t hcr = read_sysreg(hcr_el2);

    write_sysreg(hcr_el2, hcr & ~HCR_VIRTUAL);
    isb();
    return hcr & HCR_VIRTUAL;
}

/* Runs at the highest level. */
void serve(void)
{
    switch (service_wanted) {
    case SERVICE_INTERRUPT:
        service_answer = pmu_answer();
        if (service_answer == 0) {
            service_answer = stop_virtual();
        }
        break;
    case SERVICE_STEPS_OFF:
        write_sysreg(mdscr_el1, read_sysreg(mdscr_el1) & ~MDSCR_SS);
        break;
    case SERVICE_POINTS_OFF:
        write_sysreg(dbgbcr0_el1, 0);
        write_sysreg(dbgbcr1_el1, 0);
        write_sysreg(dbgwcr0_el1, 0);
        break;
    default:
        branches_record();
        pmu_record();
        pmu_stop();
        program_has_ended = true;
        break;
    }
}

uint64_t ask(unsigned level, uint64_t service)
{
    service_wanted = service;
    if (level == highest) {
        serve();
    } else if (highest == 3) {
        __asm__ volatile("smc %0" : : "i"(CALL_SERVICE) : "memory");
    } else {
        __asm__ volatile("hvc %0" : : "i"(CALL_SERVICE) : "memory");
    }
    return service_answer;
}

void ask_again(unsigned level)
{
    ask(level, service_wanted);
}

void end_program(struct frame *frame, unsigned level, uint64_t why)
{
    result->ended = why;
    for (unsigned i = 0; i < 31; i++) {
        result->regs[i] = frame->x[i];
    }
    result->elr = frame->elr;
    result->spsr = frame->spsr;
    ask(level, SERVICE_FINISH);
}
