/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Branches as struct perf_branch_entry of include/uapi/linux/perf_event.h has them. */
#include "perfdata/perfbranch.h"

#include <linux/perf_event.h>
#include <string.h>

_Static_assert(sizeof(struct perf_branch_entry) == PERFBRANCH_SIZE, "perf's branch entry");

#define MAX_CYCLES 0xffffu

/* Not in the kernel headers of Debian 12: PERF_BR_EXTEND_ABI and what it extends. */
#define BR_IRQ 12u
#define BR_SERROR 13u
#define BR_EXTENDED 15u
#define BR_NEW_ALIGNMENT 0u
#define BR_NEW_DATA 1u
#define BR_NEW_INSN 2u

struct kind {
    uint8_t type;
    uint8_t extended;
};

/* Kinds that perf has no name for are unknown, 0. */
static const struct kind kinds[VPMU_BRTYPE_COUNT] = {
    [VPMU_BRTYPE_DIRECT] = {PERF_BR_UNCOND, 0},
    [VPMU_BRTYPE_INDIRECT] = {PERF_BR_IND, 0},
    [VPMU_BRTYPE_CALL] = {PERF_BR_CALL, 0},
    [VPMU_BRTYPE_INDIRECT_CALL] = {PERF_BR_IND_CALL, 0},
    [VPMU_BRTYPE_RETURN] = {PERF_BR_RET, 0},
    [VPMU_BRTYPE_EXCEPTION_RETURN] = {PERF_BR_ERET, 0},
    [VPMU_BRTYPE_CONDITIONAL] = {PERF_BR_COND, 0},
    [VPMU_BRTYPE_SYSTEM_CALL] = {PERF_BR_SYSCALL, 0},
    [VPMU_BRTYPE_SERROR] = {BR_SERROR, 0},
    [VPMU_BRTYPE_ALIGNMENT] = {BR_EXTENDED, BR_NEW_ALIGNMENT},
    [VPMU_BRTYPE_INSN_FAULT] = {BR_EXTENDED, BR_NEW_INSN},
    [VPMU_BRTYPE_DATA_FAULT] = {BR_EXTENDED, BR_NEW_DATA},
    [VPMU_BRTYPE_IRQ] = {BR_IRQ, 0},
    [VPMU_BRTYPE_FIQ] = {BR_IRQ, 0},
};

static uint64_t filter_of_groups(const struct vpmu_branch_filter *f)
{
    const unsigned near = VPMU_BRGROUP_ALL & ~VPMU_BRGROUP_EXCEPTION;
    uint64_t type = 0;

    if (f->exceptions && f->returns && (f->groups & near) == near) {
        return PERF_SAMPLE_BRANCH_ANY;
    }
    if (f->exceptions) {
        type |= PERF_SAMPLE_BRANCH_ANY_CALL;
    }
    if (f->returns) {
        type |= PERF_SAMPLE_BRANCH_ANY_RETURN;
    }
    type |= f->groups & VPMU_BRGROUP_CALL ? PERF_SAMPLE_BRANCH_CALL : 0;
    type |= f->groups & VPMU_BRGROUP_INDIRECT_CALL ? PERF_SAMPLE_BRANCH_IND_CALL : 0;
    type |= f->groups & VPMU_BRGROUP_INDIRECT ? PERF_SAMPLE_BRANCH_IND_JUMP : 0;
    type |= f->groups & VPMU_BRGROUP_CONDITIONAL ? PERF_SAMPLE_BRANCH_COND : 0;
    return type;
}

uint64_t perfbranch_filter(const struct vpmu_branch_filter *f)
{
    uint64_t type = filter_of_groups(f) | PERF_SAMPLE_BRANCH_TYPE_SAVE;

    type |= f->levels & 1 ? PERF_SAMPLE_BRANCH_USER : 0;
    type |= f->levels & ~1u ? PERF_SAMPLE_BRANCH_KERNEL : 0;
    type |= f->mispredictions ? 0 : PERF_SAMPLE_BRANCH_NO_FLAGS;
    type |= f->cycles ? 0 : PERF_SAMPLE_BRANCH_NO_CYCLES;
    return type;
}

void perfbranch_encode(unsigned char *entry, const struct vpmu_branch *branch, bool predictions)
{
    const struct kind *kind = &kinds[branch->type % VPMU_BRTYPE_COUNT];
    bool wrong = branch->flags & VPMU_BRANCH_MISPREDICTED;
    uint64_t cycles = branch->cycles < MAX_CYCLES ? branch->cycles : MAX_CYCLES;
    uint64_t words[3] = {branch->from, branch->to, 0};

    if (predictions && branch->flags & VPMU_BRANCH_HAS_FROM) {
        words[2] = wrong ? 1 : 2;
    }
    words[2] |= cycles << 4 | (uint64_t)kind->type << 20 | (uint64_t)kind->extended << 26;
    memcpy(entry, words, sizeof(words));
}
