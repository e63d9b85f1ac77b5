/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loops for x86-64. %rdi is the number of turns, %rsi the memory. Numbers in brackets count the
 * instructions of a turn. Vendors differ in whether CALL and RET are stores and loads, and whether
 * SYSCALL is a branch, so that is not known here.
 */
#include <cpuid.h>
#include <linux/kvm.h>
#include <string.h>
#include <sys/ioctl.h>

#include "../guest.h"
#include "loop.h"

LOOP(loop_add, "1:  addq $1, %rax\n"
               "    addq $1, %rax\n"
               "    addq $1, %rax\n"
               "    addq $1, %rax\n"
               "    addq $1, %rax\n"
               "    addq $1, %rax\n"
               "    addq $1, %rax\n"
               "    addq $1, %rax\n" /* [8] */
               "    decq %rdi\n"
               "    jnz 1b\n" /* [10] */
               "    ret\n");

LOOP(loop_memory, "1:  movq (%rsi), %rax\n"
                  "    movq 8(%rsi), %rdx\n"
                  "    movq 16(%rsi), %rcx\n"
                  "    movq %rax, 24(%rsi)\n"
                  "    movq %rdx, 32(%rsi)\n" /* [5] */
                  "    decq %rdi\n"
                  "    jnz 1b\n" /* [7] */
                  "    ret\n");

__asm__(".globl loop_calls_begin, loop_calls_end\n");

LOOP(loop_calls, "loop_calls_begin:\n"
                 "    leaq 3f(%rip), %rdx\n"
                 "loop_calls_first:\n"
                 "loop_calls_call:\n"
                 "    call loop_calls_leaf\n" /* [1], and the leaf's RET [2] */
                 "loop_calls_back:\n"
                 "    testq %rdi, %rdi\n" /* [3] */
                 "    jz 2f\n"            /* [4]: not taken */
                 "loop_calls_jump:\n"
                 "    jmp 2f\n" /* [5] */
                 "    nop\n"
                 "loop_calls_second:\n"
                 "2:  jmp *%rdx\n" /* [6] */
                 "    nop\n"
                 "loop_calls_third:\n"
                 "3:  decq %rdi\n" /* [7] */
                 "loop_calls_again:\n"
                 "    jnz loop_calls_first\n" /* [8] */
                 "    ret\n"
                 "loop_calls_leaf:\n"
                 "    ret\n"
                 "loop_calls_end:\n");

LOOP(loop_chase, "1:  movq (%rsi), %rsi\n"
                 "    decq %rdi\n"
                 "    jnz 1b\n" /* [3] */
                 "    ret\n");

LOOP(loop_store, "1:  movq %rdi, (%rsi)\n"
                 "    addq $64, %rsi\n"
                 "    decq %rdi\n"
                 "    jnz 1b\n" /* [4] */
                 "    ret\n");

/* The highest bit of a linear congruential generator decides. */
LOOP(loop_random, "    movabsq $6364136223846793005, %rdx\n"
                  "    movabsq $1442695040888963407, %rcx\n"
                  "    movq %rcx, %rax\n"
                  "1:  imulq %rdx, %rax\n"
                  "    addq %rcx, %rax\n"
                  "    js 2f\n"
                  "    nop\n"
                  "2:  decq %rdi\n"
                  "    jnz 1b\n"
                  "    ret\n");

LOOP(loop_code, "1:  call *(%rsi)\n" /* [1], and the function's RET [2] */
                "    addq $8, %rsi\n"
                "    decq %rdi\n"
                "    jnz 1b\n" /* [5] */
                "    ret\n");

LOOP(loop_syscall, "1:  movl $110, %eax\n"
                   "    syscall\n"
                   "    decq %rdi\n"
                   "    jnz 1b\n" /* [4] */
                   "    ret\n");

/*
 * calls: CALL, RET, TEST, JZ, JMP, JMP, DEC, JNZ. code: CALL, RET, ADD, DEC, JNZ. CALL writes the
 * return address to memory, and RET reads it; whether these are stores and loads differs.
 */
#define CALLS_INSTRUCTIONS 8
#define STORE_INSTRUCTIONS 4
#define WITH_CALLS(n) NOT_KNOWN
#include "table.h"

const unsigned char return_instruction[] = {0xc3};
const size_t return_instruction_size = sizeof(return_instruction);

uint64_t user_counter_read(unsigned index)
{
    uint32_t low, high;

    __asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index));
    return (uint64_t)high << 32 | low;
}

const char interrupts_why[] = "interrupts may add one each";
const bool kernels_have_guests = true;
const uint64_t user_counter_config1;
const bool kernels_let_users_read = true;

/* The name in a leaf of CPUID that CPUID.1:ECX[31] says is there. */
static void read_signature(unsigned leaf, char text[13])
{
    unsigned a, b, c, d;

    __cpuid(leaf, a, b, c, d);
    memcpy(text, &b, 4);
    memcpy(text + 4, &c, 4);
    memcpy(text + 8, &d, 4);
    text[12] = '\0';
}

uint64_t cpu_ticks(void)
{
    return __builtin_ia32_rdtsc();
}

void cpu_model(char text[24])
{
    text[0] = '\0';
}

void cpu_signature(char text[13])
{
    unsigned a, b, c, d;
    char behind[13];

    text[0] = '\0';
    __cpuid(1, a, b, c, d);
    if ((c & 1u << 31) != 0) {
        read_signature(0x40000000, text);
        /* KVM that imitates Hyper-V moves its own leaves (Linux: kvm_get_hypervisor_cpuid()). */
        read_signature(0x40000100, behind);
        if (strcmp(behind, "KVMKVMKVM") == 0) {
            memcpy(text, behind, sizeof(behind));
        }
    }
}

/* %ecx is the number of turns; real mode. */
const unsigned char guest_code[] = {
    0x66, 0x49, /* 1: decl %ecx */
    0x75, 0xfc, /*    jnz 1b */
    0xf4,       /*    hlt */
    0xeb, 0xf9, /*    jmp 1b */
};
const size_t guest_code_size = sizeof(guest_code);
const uint32_t guest_exit_reason = KVM_EXIT_HLT;

bool guest_vcpu_begin(int vm, int vcpu)
{
    struct kvm_sregs sregs;
    struct kvm_regs regs = {.rip = 0, .rflags = 2};

    /* Intel needs three pages for real mode; AMD does not. */
    ioctl(vm, KVM_SET_TSS_ADDR, 0xfffbd000ul);
    if (ioctl(vcpu, KVM_GET_SREGS, &sregs) != 0) {
        return false;
    }
    sregs.cs.base = GUEST_ADDRESS;
    sregs.cs.selector = GUEST_ADDRESS >> 4;
    return ioctl(vcpu, KVM_SET_SREGS, &sregs) == 0 && ioctl(vcpu, KVM_SET_REGS, &regs) == 0;
}

bool guest_vcpu_turns(int vcpu, unsigned long turns)
{
    struct kvm_regs regs;

    if (ioctl(vcpu, KVM_GET_REGS, &regs) != 0) {
        return false;
    }
    regs.rcx = turns;
    return ioctl(vcpu, KVM_SET_REGS, &regs) == 0;
}
