/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loops for AArch64. x0 is the number of turns, x1 the memory. Numbers in brackets count the
 * instructions of a turn.
 */
#include <linux/kvm.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>

#include "../guest.h"
#include "loop.h"

LOOP(loop_add, "1:  add x2, x2, #1\n"
               "    add x2, x2, #1\n"
               "    add x2, x2, #1\n"
               "    add x2, x2, #1\n"
               "    add x2, x2, #1\n"
               "    add x2, x2, #1\n"
               "    add x2, x2, #1\n"
               "    add x2, x2, #1\n" /* [8] */
               "    subs x0, x0, #1\n"
               "    b.ne 1b\n" /* [10] */
               "    ret\n");

LOOP(loop_memory, "1:  ldr x2, [x1]\n"
                  "    ldr x3, [x1, #8]\n"
                  "    ldr x4, [x1, #16]\n"
                  "    str x2, [x1, #24]\n"
                  "    str x3, [x1, #32]\n" /* [5] */
                  "    subs x0, x0, #1\n"
                  "    b.ne 1b\n" /* [7] */
                  "    ret\n");

__asm__(".globl loop_calls_begin, loop_calls_end\n");

LOOP(loop_calls, "loop_calls_begin:\n"
                 "    mov x3, x30\n"
                 "    adr x2, 3f\n"
                 "loop_calls_first:\n"
                 "loop_calls_call:\n"
                 "    bl loop_calls_leaf\n" /* [1], and the leaf's RET [2] */
                 "loop_calls_back:\n"
                 "    cbz x0, 2f\n" /* [3]: not taken */
                 "loop_calls_jump:\n"
                 "    b 2f\n" /* [4] */
                 "    nop\n"
                 "loop_calls_second:\n"
                 "2:  br x2\n" /* [5] */
                 "    nop\n"
                 "loop_calls_third:\n"
                 "3:  subs x0, x0, #1\n" /* [6] */
                 "loop_calls_again:\n"
                 "    b.ne loop_calls_first\n" /* [7] */
                 "    ret x3\n"
                 "loop_calls_leaf:\n"
                 "    ret\n"
                 "loop_calls_end:\n");

LOOP(loop_chase, "1:  ldr x1, [x1]\n"
                 "    subs x0, x0, #1\n"
                 "    b.ne 1b\n" /* [3] */
                 "    ret\n");

LOOP(loop_store, "1:  str x0, [x1], #64\n"
                 "    subs x0, x0, #1\n"
                 "    b.ne 1b\n" /* [3] */
                 "    ret\n");

/* The highest bit of a linear congruential generator decides. */
LOOP(loop_random, "    ldr x2, =6364136223846793005\n"
                  "    ldr x3, =1442695040888963407\n"
                  "    mov x4, x3\n"
                  "1:  madd x4, x4, x2, x3\n"
                  "    tbnz x4, #63, 2f\n"
                  "    nop\n"
                  "2:  subs x0, x0, #1\n"
                  "    b.ne 1b\n"
                  "    ret\n"
                  "    .ltorg\n");

LOOP(loop_code, "    mov x3, x30\n"
                "1:  ldr x2, [x1], #8\n"
                "    blr x2\n" /* [2], and the function's RET [3] */
                "    subs x0, x0, #1\n"
                "    b.ne 1b\n" /* [5] */
                "    ret x3\n");

LOOP(loop_syscall, "    mov x4, x0\n"
                   "1:  mov x8, #173\n"
                   "    svc #0\n"
                   "    subs x4, x4, #1\n"
                   "    b.ne 1b\n" /* [4] */
                   "    ret\n");

/*
 * calls: BL, RET, CBZ, B, BR, SUBS, B.NE. code: LDR, BLR, RET, SUBS, B.NE. Only LDR and STR access
 * memory: BL keeps the return address in a register. PC_WRITE_RETIRED counts what is taken,
 * BR_RETIRED also the CBZ, which is not.
 */
#define CALLS_INSTRUCTIONS 7
#define STORE_INSTRUCTIONS 3
#define WITH_CALLS(n) (n)
#include "table.h"

const unsigned char return_instruction[] = {0xc0, 0x03, 0x5f, 0xd6};
const size_t return_instruction_size = sizeof(return_instruction);

#define EVENT_COUNTER(n)                                                                           \
    case n:                                                                                        \
        __asm__ volatile("mrs %0, pmevcntr" #n "_el0" : "=r"(value));                              \
        break

/* The number of a register is part of the instruction. */
uint64_t user_counter_read(unsigned index)
{
    uint64_t value = 0;

    switch (index) {
        EVENT_COUNTER(0);
        EVENT_COUNTER(1);
        EVENT_COUNTER(2);
        EVENT_COUNTER(3);
        EVENT_COUNTER(4);
        EVENT_COUNTER(5);
        EVENT_COUNTER(6);
        EVENT_COUNTER(7);
        EVENT_COUNTER(8);
        EVENT_COUNTER(9);
        EVENT_COUNTER(10);
        EVENT_COUNTER(11);
        EVENT_COUNTER(12);
        EVENT_COUNTER(13);
        EVENT_COUNTER(14);
        EVENT_COUNTER(15);
        EVENT_COUNTER(16);
        EVENT_COUNTER(17);
        EVENT_COUNTER(18);
        EVENT_COUNTER(19);
        EVENT_COUNTER(20);
        EVENT_COUNTER(21);
        EVENT_COUNTER(22);
        EVENT_COUNTER(23);
        EVENT_COUNTER(24);
        EVENT_COUNTER(25);
        EVENT_COUNTER(26);
        EVENT_COUNTER(27);
        EVENT_COUNTER(28);
        EVENT_COUNTER(29);
        EVENT_COUNTER(30);
    case 31:
        __asm__ volatile("mrs %0, pmccntr_el0" : "=r"(value));
        break;
    case 32:
        __asm__ volatile("mrs %0, s3_3_c9_c4_0" : "=r"(value)); /* PMICNTR_EL0 */
        break;
    default:
        break;
    }
    return value;
}

const char interrupts_why[] = "Arm permits inaccuracy near exceptions";
const bool kernels_have_guests = true;
/* Bit 1 asks for user access. */
const uint64_t user_counter_config1 = 2;
const bool kernels_let_users_read = true;

uint64_t cpu_ticks(void)
{
    uint64_t ticks;

    __asm__ volatile("isb\n    mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
}

/* Linux emulates the instruction for programs where it says so. */
void cpu_model(char text[24])
{
    uint64_t midr = 0;

    if ((getauxval(AT_HWCAP) & HWCAP_CPUID) != 0) {
        __asm__("mrs %0, midr_el1" : "=r"(midr));
    }
    snprintf(text, 24, "0x%016llx", (unsigned long long)midr);
}

void cpu_signature(char text[13])
{
    text[0] = '\0';
}

/* x0 is the number of turns. The store is to an address without memory. */
const unsigned char guest_code[] = {
    0x00, 0x04, 0x00, 0xf1, /* 1: subs x0, x0, #1 */
    0xe1, 0xff, 0xff, 0x54, /*    b.ne 1b */
    0x40, 0x00, 0x00, 0xf9, /*    str x0, [x2] */
    0xfd, 0xff, 0xff, 0x17, /*    b 1b */
};
const size_t guest_code_size = sizeof(guest_code);
const uint32_t guest_exit_reason = KVM_EXIT_MMIO;

static bool set_register(int vcpu, size_t offset, uint64_t value)
{
    struct kvm_one_reg reg = {
        .id = KVM_REG_ARM64 | KVM_REG_SIZE_U64 | KVM_REG_ARM_CORE | offset / sizeof(uint32_t),
        .addr = (uintptr_t)&value,
    };

    return ioctl(vcpu, KVM_SET_ONE_REG, &reg) == 0;
}

bool guest_vcpu_begin(int vm, int vcpu)
{
    struct kvm_vcpu_init init;

    return ioctl(vm, KVM_ARM_PREFERRED_TARGET, &init) == 0 &&
           ioctl(vcpu, KVM_ARM_VCPU_INIT, &init) == 0 &&
           set_register(vcpu, offsetof(struct kvm_regs, regs.pc), GUEST_ADDRESS) &&
           set_register(vcpu, offsetof(struct kvm_regs, regs.regs[2]), 0);
}

bool guest_vcpu_turns(int vcpu, unsigned long turns)
{
    return set_register(vcpu, offsetof(struct kvm_regs, regs.regs[0]), turns);
}
