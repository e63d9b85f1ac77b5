/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_X86_MSR_H
#define VPMU_X86_MSR_H

#include <stdbool.h>
#include <stdint.h>

#include "vpmu/decls.h"
#include "vpmu/x86/pmu.h"

VPMU_DECLS_BEGIN

/*
 * The result of an access. Accesses to the PMU return a mask of enum vpmu_due instead of
 * VPMU_X86_OK, and the others negated.
 */
enum vpmu_x86_access {
    VPMU_X86_OK,
    VPMU_X86_GP,      /* the access raises #GP(0); nothing has changed */
    VPMU_X86_UNKNOWN, /* the PMU has no such MSR */
};

/**
 * vpmu_x86_rdmsr() - execute RDMSR
 * @msr: the number of the MSR, any value.
 * @val: is set to the MSR's value; to 0 on an error.
 * @now: what the clocks show; NULL unless vpmu_x86_needs_time().
 *
 * Settles counters first. The caller has checked that CPL is 0.
 *
 * Return: a mask of enum vpmu_due, or -VPMU_X86_UNKNOWN if this PMU has no such MSR.
 * Source: SDM volume 4, table 2-2; APM volume 2, 13.2.
 */
int vpmu_x86_rdmsr(struct vpmu_x86 *v, uint32_t msr, uint64_t *val, const struct vpmu_now *now);

/**
 * vpmu_x86_wrmsr() - execute WRMSR
 * @msr: the number of the MSR, any value.
 * @val: the value.
 * @now: what the clocks show; NULL if no source is timed.
 *
 * The caller has checked that CPL is 0.
 *
 * Return: a mask of enum vpmu_due; -VPMU_X86_GP with the PMU unchanged if the MSR is read-only,
 * Intel's reserved bits are not 0, or IA32_DS_AREA would get an address that is not canonical;
 * -VPMU_X86_UNKNOWN if this PMU has no such MSR. AMD's reserved bits are ignored.
 * Source: SDM volume 4, table 2-2; APM volume 2, 13.2.
 */
int vpmu_x86_wrmsr(struct vpmu_x86 *v, uint32_t msr, uint64_t val, const struct vpmu_now *now);

/**
 * vpmu_x86_lacks_msr() - tell whether an MSR is one that other PMUs have
 * @msr: the number of an MSR that neither this PMU nor its last branch records know.
 *
 * Software finds out by a #GP what a processor lacks: how deep its LBR stack is, for example.
 *
 * Return: true if it is an MSR of the performance monitoring or of the last branch records of an
 *     Intel processor, and this one is Intel's. Its access raises #GP.
 * Source: SDM volume 4.
 */
bool vpmu_x86_lacks_msr(const struct vpmu_x86 *v, uint32_t msr);

/**
 * vpmu_x86_rdpmc() - execute RDPMC
 * @ecx: ECX, which selects the counter: any value. Intel's fixed counters are 4000_0000H and up,
 *     PERF_METRICS is 2000_0000H.
 * @allowed: CPL is 0, or CR4.PCE is 1, or CR0.PE is 0.
 * @val: is set to the counter's value; to 0 on an error.
 * @now: what the clocks show; NULL unless vpmu_x86_needs_time().
 *
 * Settles counters first.
 *
 * Return: a mask of enum vpmu_due, or -VPMU_X86_GP if @allowed is false or there is no such
 * counter. Source: SDM volume 2B and APM volume 3, RDPMC.
 */
int vpmu_x86_rdpmc(struct vpmu_x86 *v, uint32_t ecx, bool allowed, uint64_t *val,
                   const struct vpmu_now *now);

VPMU_DECLS_END

#endif
