/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_RECORD_H
#define VPMU_RECORD_H

#include <stdint.h>

#include "vpmu/branch.h"
#include "vpmu/decls.h"
#include "vpmu/latency.h"

/*
 * The stream in which an emulator passes the samples of observers to a tool on the same machine, in
 * that machine's byte order. The library neither writes nor reads it. The header is here so that
 * both ends share one definition.
 *
 * A stream is one VPMU_RECORD_START, as many VPMU_RECORD_EVENT as that states, and then samples,
 * with records that describe the following samples and records of lost samples. Records of one CPU
 * are in order of time; records of different CPUs are not ordered. A complete recording ends with a
 * VPMU_RECORD_COUNT for each CPU and event and one VPMU_RECORD_END. Readers skip records of unknown
 * types.
 */

/* As bytes of a little-endian machine: "VPMUREC", and 2, the version. */
#define VPMU_RECORD_MAGIC 0x02434552554d5056ull

/*
 * Limits: the number of events; bytes of an event's name with its NUL; addresses of a call chain;
 * bytes of a thread's name, as in Linux; bytes of a file's path with its NUL; bytes of its build
 * ID.
 */
#define VPMU_RECORD_EVENTS 32u
#define VPMU_RECORD_NAME 64u
#define VPMU_RECORD_CHAIN 128u
#define VPMU_RECORD_COMM 16u
#define VPMU_RECORD_PATH 512u
#define VPMU_RECORD_BUILD_ID 20u

enum vpmu_record_type {
    VPMU_RECORD_START = 1,
    VPMU_RECORD_EVENT,
    VPMU_RECORD_SAMPLE,
    VPMU_RECORD_LOST,
    VPMU_RECORD_COUNT,
    VPMU_RECORD_END,
    VPMU_RECORD_THREAD,
    VPMU_RECORD_SPAN,
    VPMU_RECORD_HOST,
    VPMU_RECORD_MAP,
    VPMU_RECORD_GUEST,
    VPMU_RECORD_ACCESS,
    VPMU_RECORD_GUEST_THREAD,
    VPMU_RECORD_CODE,
    VPMU_RECORD_STACK,
    VPMU_RECORD_CALL,
    VPMU_RECORD_JUMP,
};

/**
 * struct vpmu_record_head - the first field of each record
 * @type: enum vpmu_record_type.
 * @size: the size of the record in bytes, including this; a multiple of 8.
 * @cpu: the CPU that the record is about, from 0; 0 if it is about none.
 */
struct vpmu_record_head {
    uint16_t type;
    uint16_t size;
    uint32_t cpu;
};

/* Bits of vpmu_record_start.flags. */
#define VPMU_RECORD_VALUES (1u << 0)      /* each sample has the values of all events */
#define VPMU_RECORD_X86 (1u << 1)         /* the machine is an x86-64; otherwise Arm */
#define VPMU_RECORD_BRANCHES (1u << 2)    /* samples may have branches */
#define VPMU_RECORD_PREDICTIONS (1u << 3) /* branches tell whether they were mispredicted */

/**
 * struct vpmu_record_start - what is recorded
 * @head: VPMU_RECORD_START.
 * @magic: VPMU_RECORD_MAGIC.
 * @cpus: 1 or more. CPU numbers are below this.
 * @events: the number of events, 1 to VPMU_RECORD_EVENTS.
 * @flags: a mask of VPMU_RECORD_VALUES, VPMU_RECORD_X86, VPMU_RECORD_BRANCHES and
 *     VPMU_RECORD_PREDICTIONS. If a bit is set that the reader does not know, it cannot interpret
 *     the samples.
 * @time: nanoseconds of the machine's virtual clock.
 */
struct vpmu_record_start {
    struct vpmu_record_head head;
    uint64_t magic;
    uint32_t cpus;
    uint16_t events;
    uint16_t flags;
    uint64_t time;
};

/**
 * struct vpmu_record_event - one event; in the order of the events' numbers
 * @head: VPMU_RECORD_EVENT.
 * @period: events per sample; 0: the event is not sampled or has a frequency.
 * @frequency: samples per second, by periods that change; otherwise 0.
 * @name: the event as the user gave it; ends in NUL.
 */
struct vpmu_record_event {
    struct vpmu_record_head head;
    uint64_t period;
    uint64_t frequency;
    char name[VPMU_RECORD_NAME];
};

/*
 * In a call chain: the next address is no return address. The kernel was interrupted before the
 * instruction there. perf calls it PERF_CONTEXT_KERNEL.
 */
#define VPMU_RECORD_INTERRUPTED ((uint64_t)-128)

/* Bits of vpmu_record_sample.flags. */
#define VPMU_RECORD_AARCH32 (1u << 0)
#define VPMU_RECORD_SECURE (1u << 1)
#define VPMU_RECORD_SMM (1u << 2)

/**
 * struct vpmu_record_sample - a sample: the period of an event has ended
 * @head: VPMU_RECORD_SAMPLE.
 * @time: nanoseconds of the machine's virtual clock.
 * @pc: the address of the instruction after the one that ended the period.
 * @weight: the number of events that the sample represents: the period or a multiple of it; not 0.
 * @contextidr: CONTEXTIDR of the software that runs there; CONTEXTIDR_EL2 for a host's kernel at
 *     EL2.
 * @vmid: the guest's VMID, if a guest runs there.
 * @event: the number of the event.
 * @el: the exception level of @pc.
 * @world: enum vpmu_world: who runs there.
 * @flags: a mask of VPMU_RECORD_AARCH32, VPMU_RECORD_SECURE and VPMU_RECORD_SMM.
 * @values: how many values follow: the number of events, or 0.
 * @chain: how many words of a call chain follow the values: addresses, and VPMU_RECORD_INTERRUPTED.
 * @branches: how many branches follow the call chain: 0 without VPMU_RECORD_BRANCHES.
 *
 * The record is followed by a uint64_t for each of @values: what each event has counted on this
 * CPU. Then follows a uint64_t for each of @chain: the link register, and the return addresses of
 * the frames that the frame pointer leads to, innermost first. In a function without a frame of its
 * own, the link register is a further return address. In a function with a frame it is meaningless.
 * Symbols can tell which case it is. Then follows a struct vpmu_branch for each of @branches: the
 * branches that the CPU took last, the newest first.
 *
 * An x86-64 has no link register, so all addresses are return addresses, but those behind
 * VPMU_RECORD_INTERRUPTED. @el is 0 at CPL 1 to 3, and 1 at CPL 0 and in SMM; @world is
 * VPMU_WORLD_NVHE, or VPMU_WORLD_GUEST in a guest of SVM; @contextidr is CR3 without its lowest 12
 * bits; @vmid is 0.
 */
struct vpmu_record_sample {
    struct vpmu_record_head head;
    uint64_t time;
    uint64_t pc;
    uint64_t weight;
    uint32_t contextidr;
    uint16_t vmid;
    uint8_t event;
    uint8_t el;
    uint8_t world;
    uint8_t flags;
    uint16_t values;
    uint16_t chain;
    uint16_t branches;
};

/**
 * struct vpmu_record_lost - samples since the CPU's last sample for which there was no space
 * @head: VPMU_RECORD_LOST.
 * @time: nanoseconds of the machine's virtual clock when there was space again.
 * @samples: the number of lost samples.
 * @event: the number of the event.
 * @reserved: 0.
 */
struct vpmu_record_lost {
    struct vpmu_record_head head;
    uint64_t time;
    uint64_t samples;
    uint32_t event;
    uint32_t reserved;
};

/**
 * struct vpmu_record_thread - the thread of the CPU's following samples
 * @head: VPMU_RECORD_THREAD or VPMU_RECORD_GUEST_THREAD.
 * @time: nanoseconds of the machine's virtual clock.
 * @tid: the thread's number; 0: the CPU is idle.
 * @pid: the number of its process.
 * @known: 1; or 0 if the thread is no longer known, and then all other fields are 0.
 * @comm: the thread's name; not terminated if it uses all bytes.
 * @reserved: 0.
 *
 * VPMU_RECORD_THREAD applies to samples of the machine's own kernel and its programs, not to those
 * of its guests or of firmware. VPMU_RECORD_GUEST_THREAD applies to samples of the guest of the
 * CPU's last VPMU_RECORD_GUEST, until another guest runs. Before it, and if the reader has not
 * passed where that guest has its threads, the thread is not known. The contents come from the
 * guest's memory and are not trusted.
 */
struct vpmu_record_thread {
    struct vpmu_record_head head;
    uint64_t time;
    uint32_t tid;
    uint32_t pid;
    uint32_t known;
    char comm[VPMU_RECORD_COMM];
    uint32_t reserved;
};

/**
 * struct vpmu_record_map - a mapping in the process of the CPU's following samples
 * @head: VPMU_RECORD_MAP.
 * @time: nanoseconds of the machine's virtual clock.
 * @start: the first address of the mapping.
 * @end: the first address after it.
 * @offset: the offset of @start in the file.
 * @space: an identifier that changes when the process executes another program.
 * @file: an identifier that differs between files with the same path.
 * @pid: the number of the process.
 * @path: the number of bytes that follow the record: the file's path, a NUL and up to 7 more.
 * @build_id_size: the number of valid bytes of @build_id; 0 if the build ID is not known.
 * @build_id: the file's build ID.
 * @reserved: 0.
 *
 * The record precedes the first sample with an address in the mapping. The contents come from the
 * guest's memory and are not trusted.
 */
struct vpmu_record_map {
    struct vpmu_record_head head;
    uint64_t time;
    uint64_t start;
    uint64_t end;
    uint64_t offset;
    uint64_t space;
    uint64_t file;
    uint32_t pid;
    uint16_t path;
    uint16_t build_id_size;
    uint8_t build_id[VPMU_RECORD_BUILD_ID];
    uint32_t reserved;
};

/* VTTBR_EL2.CnP, which may differ between two CPUs that run the same guest. */
#define VPMU_RECORD_VTTBR_CNP 1ull

/* Bits of vpmu_record_guest.vtcr of an x86-64. */
#define VPMU_RECORD_NESTED_PAGING (1ull << 0) /* @vttbr is the guest's nested page table */
#define VPMU_RECORD_FIVE_LEVELS (1ull << 1)   /* that and @ttbr0 have five levels, not four */

/**
 * struct vpmu_record_guest - the memory of the guest of the CPU's following samples
 * @head: VPMU_RECORD_GUEST.
 * @time: nanoseconds of the machine's virtual clock.
 * @vttbr: VTTBR_EL2: the page table that translates the guest's addresses, and its VMID. Without
 *     VPMU_RECORD_VTTBR_CNP, it identifies the guest.
 * @vtcr: VTCR_EL2: the format of that page table.
 * @ttbr1: the address of the page table of the guest's kernel, as TTBR1_EL1 has it; an address of
 *     the guest.
 * @ttbr0: TTBR0_EL2 of a VHE host: the page table of the program that runs the guest; 0 on other
 *     hosts. A hypervisor may translate an address of the guest only after the guest has used it,
 *     but that program has the contents.
 * @tcr: TCR_EL2: the format of @ttbr0.
 *
 * A guest of SVM on an x86-64 has @vttbr, the address of the nested page table (nCR3), or of the
 * VMCB if nested paging is off; @vtcr, a mask of VPMU_RECORD_NESTED_PAGING and
 * VPMU_RECORD_FIVE_LEVELS;
 * @ttbr1, the guest's CR3; and @ttbr0, the CR3 that VMRUN has saved. @ttbr0 and @tcr are 0 without
 * nested paging in the format of long mode, and @tcr always.
 *
 * The record precedes the first sample of a guest, and is repeated when one of the values changes.
 * The page tables are in the machine's memory and are not trusted.
 */
struct vpmu_record_guest {
    struct vpmu_record_head head;
    uint64_t time;
    uint64_t vttbr;
    uint64_t vtcr;
    uint64_t ttbr1;
    uint64_t ttbr0;
    uint64_t tcr;
};

/**
 * struct vpmu_record_span - how long the condition of the next record, a sample, has lasted
 * @head: VPMU_RECORD_SPAN.
 * @ns: nanoseconds of the machine's virtual clock, up to the sample's time.
 */
struct vpmu_record_span {
    struct vpmu_record_head head;
    uint64_t ns;
};

/* Bits of vpmu_record_access.flags. */
#define VPMU_RECORD_LOAD (1u << 0)
#define VPMU_RECORD_STORE (1u << 1)
#define VPMU_RECORD_LOCKED (1u << 2)   /* with LOCK (x86) */
#define VPMU_RECORD_PHYSICAL (1u << 3) /* @physical is valid */

/**
 * struct vpmu_record_access - the access to memory by the instruction that ended the period of the
 *     next record, a sample
 * @head: VPMU_RECORD_ACCESS.
 * @pc: the address of that instruction.
 * @address: the virtual address of the data, without an address tag.
 * @physical: the physical address.
 * @latency: cycles: vpmu_access_latency() of @level and @translated.
 * @level: enum vpmu_data_level: where the data was.
 * @translated: enum vpmu_translated.
 * @flags: a mask of VPMU_RECORD_LOAD, VPMU_RECORD_STORE (both: an atomic), VPMU_RECORD_LOCKED and
 *     VPMU_RECORD_PHYSICAL.
 * @reserved: 0.
 *
 * If the instruction makes several accesses, this is the slowest one (x86), or the addresses are
 * those of the first one, and @level and @translated are the farthest of all (Arm). A sample
 * without this record is of an instruction that makes no access, or about whose access nothing is
 * known.
 */
struct vpmu_record_access {
    struct vpmu_record_head head;
    uint64_t pc;
    uint64_t address;
    uint64_t physical;
    uint16_t latency;
    uint8_t level;
    uint8_t translated;
    uint8_t flags;
    uint8_t reserved[3];
};

/*
 * The registers of a struct vpmu_record_stack, as the numbers that Linux gives them in
 * PERF_SAMPLE_REGS_USER: on Arm X0 to X30, SP and PC; on x86-64 AX, BX, CX, DX, SI, DI, BP, SP, IP,
 * FLAGS, CS, SS and R8 to R15.
 */
#define VPMU_RECORD_REGS_ARM 0x1ffffffffull
#define VPMU_RECORD_REGS_X86 0xff0fffull
/* The most registers, and the most bytes of the stack, a multiple of 8. */
#define VPMU_RECORD_REGS 33u
#define VPMU_RECORD_STACK_MAX 49152u

/**
 * struct vpmu_record_stack - a program's registers and the top of its stack at the next sample
 * @head: VPMU_RECORD_STACK.
 * @time: the sample's time. The record belongs to the CPU's next sample if that has the same time.
 * @code_mask: the bits of a return address that are the address. The other bits can be an
 *     authentication code.
 * @registers: how many registers follow the record, as a uint64_t each, in the order of their
 *     numbers: all of VPMU_RECORD_REGS_ARM or VPMU_RECORD_REGS_X86.
 * @size: how many bytes of the stack follow the registers, from the stack pointer up. A multiple of
 *     8, at most VPMU_RECORD_STACK_MAX. There are fewer than requested where memory ends.
 *
 * The record exists for samples of 64-bit code of programs. It also exists for samples of the
 * kernel that such a program has entered, if the reader has passed where the kernel saves the
 * program's registers (arm64), or the kernel's ORC tables (x86-64). The contents come from the
 * guest and are not trusted.
 */
struct vpmu_record_stack {
    struct vpmu_record_head head;
    uint64_t time;
    uint64_t code_mask;
    uint32_t registers;
    uint32_t size;
};

/* The most bytes of an instruction. */
#define VPMU_RECORD_INSN 16u

/**
 * struct vpmu_record_code - the instruction of an exact profile that the next record, a sample, is
 *     about
 * @head: VPMU_RECORD_CODE.
 * @page: the address of its page in the machine's RAM, by which programs that have different code
 *     at the same address can be told apart.
 * @size: how many of @bytes are valid. On x86-64 they may include bytes of the next instruction.
 * @bytes: its code.
 * @reserved: 0.
 *
 * Samples of an exact profile are at the end of the stream. There is one for each CPU and
 * instruction; @pc is the address of the instruction itself, and @weight how often the CPU has
 * executed it. @time is that of the end. @contextidr is that of a program that has executed it.
 */
struct vpmu_record_code {
    struct vpmu_record_head head;
    uint64_t page;
    uint8_t size;
    uint8_t reserved[7];
    uint8_t bytes[VPMU_RECORD_INSN];
};

/**
 * struct vpmu_record_call - the call of an exact profile that the next record, a sample, is about
 * @head: VPMU_RECORD_CALL, or VPMU_RECORD_JUMP: the instruction is a jump, with the stack pointer
 *     that the function had that it is in. It is a call if @target is the start of a function;
 *     then this returns with the function that has jumped. QEMU does not know functions.
 * @page: the address of the page of the call instruction in the machine's RAM.
 * @target: the address that it has called.
 * @spent: how much of the event was counted until these calls returned, in the same context of
 *     the CPU and by the same thread. Calls of a function that has been called before and has not
 *     returned add nothing. What the handler of a signal executes is not a part of the calls that
 *     the signal has interrupted.
 *
 * These samples follow those of instructions. There is one for each CPU, call instruction, target
 * and event that was counted; @pc is the address of the call instruction. If the event is that of
 * instructions, @weight is how often it has called @target. @weight is not a part of the sum of the
 * event. It is 0 for other events, and if calls have returned on this CPU that a thread had made on
 * another one.
 */
struct vpmu_record_call {
    struct vpmu_record_head head;
    uint64_t page;
    uint64_t target;
    uint64_t spent;
};

/**
 * struct vpmu_record_host - how the host's PMU counted an event; at the end
 * @head: VPMU_RECORD_HOST.
 * @enabled: nanoseconds for which the CPU's thread ran.
 * @running: nanoseconds of these for which the event had a counter.
 * @elsewhere: how many of the lost samples do not say where the CPU was.
 * @throttled: how often the host's kernel stopped the event because there were too many samples.
 * @event: the number of the event.
 * @reserved: 0.
 *
 * The record precedes the event's VPMU_RECORD_COUNT if the CPU is not emulated. The times of
 * samples are then the host's CLOCK_MONOTONIC. Each @pc is where the CPU was interrupted, some
 * instructions after the one that ended the period.
 */
struct vpmu_record_host {
    struct vpmu_record_head head;
    uint64_t enabled;
    uint64_t running;
    uint64_t elsewhere;
    uint64_t throttled;
    uint32_t event;
    uint32_t reserved;
};

/**
 * struct vpmu_record_count - the total of an event; at the end
 * @head: VPMU_RECORD_COUNT.
 * @count: the number of events on this CPU.
 * @weight: the number of events that all samples represent, including lost ones. Without a
 *     VPMU_RECORD_HOST, @count minus @weight is less than @period; with one, @weight is at most
 *     @count.
 * @samples: the number of samples in the stream.
 * @lost: the number of samples that were lost.
 * @period: the current period; 0 for an event that is not sampled.
 * @event: the number of the event.
 * @limited: the number of samples, at most UINT32_MAX, that came later than the event's frequency
 *     asks for, because samples would have taken too much of the CPU's time.
 */
struct vpmu_record_count {
    struct vpmu_record_head head;
    uint64_t count;
    uint64_t weight;
    uint64_t samples;
    uint64_t lost;
    uint64_t period;
    uint32_t event;
    uint32_t limited;
};

/* Why a recording ended. */
enum vpmu_record_why {
    VPMU_RECORD_ASKED,
    VPMU_RECORD_FULL,     /* a buffer was full, and the user asked to stop then */
    VPMU_RECORD_SHUTDOWN, /* the machine was shut down */
};

/**
 * struct vpmu_record_end - the last record
 * @head: VPMU_RECORD_END.
 * @time: nanoseconds of the machine's virtual clock.
 * @why: enum vpmu_record_why.
 * @reserved: 0.
 */
struct vpmu_record_end {
    struct vpmu_record_head head;
    uint64_t time;
    uint32_t why;
    uint32_t reserved;
};

VPMU_STATIC_ASSERT(sizeof(struct vpmu_record_head) == 8, "layout");
VPMU_STATIC_ASSERT(sizeof(struct vpmu_record_start) == 32, "layout");
VPMU_STATIC_ASSERT(sizeof(struct vpmu_record_event) == 24 + VPMU_RECORD_NAME, "layout");
VPMU_STATIC_ASSERT(sizeof(struct vpmu_record_sample) == 48, "layout");
VPMU_STATIC_ASSERT(sizeof(struct vpmu_record_lost) == 32, "layout");
VPMU_STATIC_ASSERT(sizeof(struct vpmu_record_thread) == 48, "layout");
VPMU_STATIC_ASSERT(sizeof(struct vpmu_record_map) == 88, "layout");
VPMU_STATIC_ASSERT(sizeof(struct vpmu_record_guest) == 56, "layout");
VPMU_STATIC_ASSERT(sizeof(struct vpmu_record_span) == 16, "layout");
VPMU_STATIC_ASSERT(sizeof(struct vpmu_record_access) == 40, "layout");
VPMU_STATIC_ASSERT(sizeof(struct vpmu_record_stack) == 32, "layout");
VPMU_STATIC_ASSERT(sizeof(struct vpmu_record_code) == 40, "layout");
VPMU_STATIC_ASSERT(sizeof(struct vpmu_record_call) == 32, "layout");
VPMU_STATIC_ASSERT(sizeof(struct vpmu_record_host) == 48, "layout");
VPMU_STATIC_ASSERT(sizeof(struct vpmu_record_count) == 56, "layout");
VPMU_STATIC_ASSERT(sizeof(struct vpmu_record_end) == 24, "layout");

#endif
