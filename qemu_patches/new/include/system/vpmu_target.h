/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interface of a target whose PMUs are seen from outside
 *
 * A target registers a VPMUTarget if QEMU emulates the PMUs of its CPUs, and a
 * VPMUHost for those that KVM has.  Members that a target lacks are NULL.
 * KVM's exit path has a VPMUHostMeter for every target.
 */

#ifndef SYSTEM_VPMU_TARGET_H
#define SYSTEM_VPMU_TARGET_H

#include "system/vpmu_compat.h"
#include "system/vpmu_cpu.h"
#include "system/vpmu_sample.h"
#include "system/vpmu_service.h"

/*
 * The observers and the counters of a CPU.  @seen is what snapshot() returned,
 * a copy of a CPU's PMU.  It is valid until the next call, with the BQL held.
 */
typedef struct VPMUCounting {
    /* Returns the list of observers; NULL if QEMU emulates no PMU for @cs. */
    GSList **(*observers)(CPUState *cs);
    /* Parses @event.  Returns NULL, or the reason why it is not an event. */
    const char *(*parse)(CPUState *cs, const char *event,
                         struct vpmu_observer *counter);
    /* Can this counter of the guest gate an observer?  NULL: none can. */
    bool (*check_gate)(CPUState *cs, uint8_t gate, Error **errp);
    /*
     * Start and stop an observer.  Called on the thread of the CPU, while it
     * does not execute.  unobserve() returns the count.
     */
    void (*observe)(CPUState *cs, struct vpmu_observer *o);
    uint64_t (*unobserve)(CPUState *cs, struct vpmu_observer *o);

    void *(*snapshot)(CPUState *cs);
    /* Returns the PMU itself.  Called only on the thread of the CPU. */
    void *(*pmu)(CPUState *cs);
    /* Returns the count as of the last call of the library. */
    uint64_t (*read)(void *pmu, const struct vpmu_observer *o);

    /* Visits all statistics except observers.  @cs is NULL for a schema. */
    void (*visit)(CPUState *cs, void *seen, const VPMUVisit *visit);
    /* Fills in the result of query-vpmu, but not its index, path, observers. */
    void (*describe)(CPUState *cs, VPMUInfo *info);
    /* Prints the lines of "info vpmu" for a CPU. */
    void (*print)(CPUState *cs, GString *text);
    /* Lists the events that the CPU counts. */
    VPMUEventList *(*events)(CPUState *cs);
} VPMUCounting;

/* Samples.  Called on the thread of the CPU. */
typedef struct VPMUSamples {
    /* Starts to record a CPU; stops if @on is NULL. */
    void (*set_record)(CPUState *cs, VPMUObservedCPU *on);
    /*
     * Fills in time, PC, exception level and who runs.  @in_insn: see
     * PMU_IN_INSN.
     */
    void (*describe)(CPUState *cs, struct vpmu_record_sample *sample,
                     bool in_insn);
    /*
     * The same for code of context @ctx that the CPU executes: fills in all but
     * time and PC.  May be called while a block is translated or executed.
     */
    void (*place)(CPUState *cs, unsigned int ctx,
                  struct vpmu_record_sample *sample);
    /* Returns where generated code finds the counters of a profile. */
    void **(*profile)(CPUState *cs);
    /*
     * The sources whose total is the sum of all costs that have these sources,
     * by VPMUCost; 0: there is none.
     */
    const vpmu_sources *costs;
    /*
     * Up to two sources whose totals add up to this cost alone, by VPMUCost; 0:
     * the target keeps the sum in the profile.
     */
    const vpmu_sources *cost_alone;
    /* The source of instructions. */
    unsigned int insns;
    /* Returns the totals of a context; NULL: there is none. */
    const uint64_t *(*totals)(CPUState *cs, unsigned int ctx);
    /*
     * Fills in the page tables of the guest that runs.  NULL if the target
     * does not know them.
     */
    void (*guest)(CPUState *cs, struct vpmu_record_guest *guest);
    /*
     * Translates a page as cpu_translate_for_debug() does, which is used if
     * this is NULL.
     */
    bool (*translate)(CPUState *cs, uint64_t page, TranslateForDebugResult *at);
    /*
     * Copies the branches that were taken last, the newest first, to @branch,
     * which has room for VPMU_BRANCH_RECORDS.  Returns their number.
     */
    unsigned int (*branches)(CPUState *cs, struct vpmu_branch *branch);
    /*
     * Describes the access of the instruction that ended the period of
     * @counter; everything in @access except its head and its latency.  Returns
     * false if it made none, or if nothing is known about it.  Called only if
     * the recording has_accesses.
     */
    bool (*access)(CPUState *cs, const struct vpmu_observer *counter,
                   struct vpmu_record_access *access);
    /*
     * Finds a call chain of up to @frames frames in the guest's registers and
     * memory, which are not trusted.  Must not be called with a lock held.
     * If @r has where the kernel keeps the registers of the program that
     * entered it, the chain continues in that program.
     *
     * Returns the number of addresses in @chain, at most @frames + 1.
     */
    unsigned int (*unwind)(CPUState *cs,
                           const struct vpmu_record_sample *sample,
                           VPMURecord *r, uint64_t *chain, unsigned int frames);
    /*
     * Copies the registers of the program that runs, or that has entered the
     * kernel that runs, to @stack->reg, and fills in the code mask and the
     * number of registers.  Must not be called with a lock held.
     *
     * Returns the stack pointer; 0 if there is no 64-bit program, or if its
     * registers are not known.
     */
    uint64_t (*registers)(CPUState *cs,
                          const struct vpmu_record_sample *sample,
                          VPMURecord *r, VPMUStack *stack);
} VPMUSamples;

/*
 * Threads of the guest, found in its memory, which is not trusted.  Called on
 * the thread of the CPU, without a lock held.
 */
typedef struct VPMUThreads {
    /*
     * Describes the kernel whose thread ran when the sample was taken.  Returns
     * false if the thread cannot be known there.
     */
    bool (*kernel)(CPUState *cs, const struct vpmu_record_sample *sample,
                   VPMUKernel *kernel);
    /*
     * Calls @look while the CPU's state is that of this kernel, so that its
     * memory can be read.  If @look returns false and programs have a page
     * table that does not map the kernel (KPTI), @look is called again with the
     * kernel's.  On Arm that is @hidden bytes further.  Returns the result of
     * the last call.
     */
    bool (*as_kernel)(CPUState *cs, const struct vpmu_record_sample *sample,
                      int64_t hidden,
                      bool (*look)(VPMUReader *reader, void *opaque),
                      void *opaque);
    /*
     * Calls @look while the CPU is at the privilege level of programs, because
     * a kernel may not be allowed to read their memory (PAN).
     */
    void (*as_program)(CPUState *cs, void (*look)(CPUState *cs, void *opaque),
                       void *opaque);
} VPMUThreads;

/* The meter, which measures what a hypervisor in the machine loses. */
typedef struct VPMUMeter {
    /* Called on the thread of the CPU. */
    run_on_cpu_func on;
    run_on_cpu_func off;
    bool (*is_on)(CPUState *cs);
    /* Which window has this name?  VPMU_SPAN_COUNT: none. */
    enum vpmu_span (*span)(const char *name);
} VPMUMeter;

typedef struct VPMUTarget {
    /* The architecture, for vpmu_record_start.flags. */
    uint16_t machine;
    const VPMUActs *acts;
    const VPMUCounting *counting;
    const VPMUSamples *samples;
    const VPMUThreads *threads;
    const VPMUMeter *meter;
} VPMUTarget;

struct kvm_glue_sampled;
struct kvm_glue_error;

/* The PMUs of the host's kernel. */
typedef struct VPMUHost {
    /* The architecture, for vpmu_record_start.flags. */
    uint16_t machine;
    /* Returns how the guest has programmed its counters.  NULL: unknown. */
    VPMUInfoList *(*query)(Error **errp);
    /* Parses an event of the guest.  Returns a negative errno if it fails. */
    int (*parse)(const char *text, struct kvm_glue_sampled *event,
                 struct kvm_glue_error *err);
    const VPMURecorder *recorder;
} VPMUHost;

/* The meter at KVM's exit path, which measures where the time of vCPUs goes. */
typedef struct VPMUHostMeter {
    /*
     * Switches the meters of all vCPUs on or off, also of vCPUs that are
     * created later.  When switched on, they start from zero; when switched
     * off, they discard what they measured and close their counters.
     * @software: also count the software events of the vCPUs' threads.
     */
    void (*set)(bool enable, bool software);
    /* Appends what the meters measured, as text. */
    void (*print)(GString *text);
} VPMUHostMeter;

/* Fills in the page tables of the CPU's kernels, with any accelerator. */
typedef void VPMUTablesFn(CPUState *cs, VPMUTables *tables);

/* Each is called once, before a machine is created. */
void vpmu_register_target(const VPMUTarget *target);
void vpmu_register_host(const VPMUHost *host);
void vpmu_register_host_meter(const VPMUHostMeter *meter);
void vpmu_register_tables(VPMUTablesFn *tables);

/* The registered ones, or NULL. */
extern const VPMUTarget *vpmu_target;
extern VPMUTablesFn *vpmu_tables;

/* Returns the observers of a CPU; NULL if QEMU emulates no PMU for it. */
static inline GSList **vpmu_observers(CPUState *cs)
{
    return vpmu_target->counting->observers(cs);
}

/*
 * run_on_cpu() for the main thread.  While QEMU records or replays, that thread
 * holds the replay lock, and a CPU may wait for it before it does the work.
 * Drops the BQL meanwhile.
 */
void vpmu_run_on_cpu(CPUState *cs, run_on_cpu_func func, run_on_cpu_data data);

/* Returns the registered host, or NULL if the machine does not use KVM. */
const VPMUHost *vpmu_host(void);

#endif
