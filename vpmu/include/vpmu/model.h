/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_MODEL_H
#define VPMU_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vpmu/count.h"
#include "vpmu/errors.h"
#include "vpmu/predictor.h"

/*
 * Models of one CPU's caches, TLBs, branch prediction and stalls. They see virtual addresses and
 * nothing else of the machine, so the same program gives the same numbers on every run. They need
 * no PMU, only totals to tally into.
 */

/**
 * struct vpmu_cache_config - one cache
 * @size: bytes; 0: there is no such cache, which only the L2 cache and the last-level one may be.
 * @ways: 1 to 64; @size / @ways / @line, the number of sets, is a power of two.
 * @line: bytes of a line: 16 to 256, a power of two, the same in all caches.
 */
struct vpmu_cache_config {
    uint32_t size;
    uint16_t ways;
    uint16_t line;
};

/**
 * struct vpmu_tlb_config - one TLB
 * @entries: translations of one page each.
 * @ways: 1 to 256; @entries / @ways is a power of two. As many as @entries: fully associative.
 */
struct vpmu_tlb_config {
    uint16_t entries;
    uint16_t ways;
};

/* What a TLB entry translates. */
#define VPMU_PAGE_SIZE 4096u

/* How the directions of conditional branches are predicted. */
enum vpmu_branch_model {
    VPMU_BRANCH_TAGE,    /* a bimodal table, overruled by 4 tagged ones of longer history */
    VPMU_BRANCH_GSHARE,  /* two-bit counters, by address and history */
    VPMU_BRANCH_BIMODAL, /* two-bit counters, by address */
    VPMU_BRANCH_STATIC,  /* backward taken, forward not taken */
};

/* Where cycles come from. */
enum vpmu_cycles {
    VPMU_CYCLES_CLOCK, /* a clock */
    VPMU_CYCLES_ISSUE, /* slots to issue in, and what an instruction itself waits for */
    VPMU_CYCLES_MODEL, /* these, and the penalties of what is mispredicted or missed */
};

/* What leaves a full set of an L1 cache or L1 TLB. The others always replace by LRU. */
enum vpmu_policy {
    VPMU_POLICY_FIFO, /* what came first; a hit changes nothing, so the line filter works */
    VPMU_POLICY_LRU,  /* what was used longest ago; the line filter stays empty, which is slow */
};

/**
 * struct vpmu_model_config - what is modelled; constant for the model's whole life
 * @l1i: L1 instruction cache.
 * @l1d: L1 data cache: write-back, write-allocate.
 * @l2: unified, behind both L1 caches; may be absent.
 * @llc: last-level cache, behind @l2; may be absent.
 * @l1i_tlb: L1 instruction TLB.
 * @l1d_tlb: L1 data TLB.
 * @l2_tlb: unified, behind both L1 TLBs.
 * @l1_policy: enum vpmu_policy, of the L1 caches and L1 TLBs.
 * @branch: enum vpmu_branch_model.
 * @width: issue slots of a cycle, 1 to 8. VPMU_SRC_CPU_CYCLES is tallied in slots: this is also
 *     vpmu_config.cycle_units.
 * @cycles: enum vpmu_cycles; with VPMU_CYCLES_MODEL, VPMU_SRC_CPU_CYCLES and VPMU_SRC_STALL_* are
 *     tallied for the penalties below. All else is for the caller to tally.
 * @penalty_l2: cycles for which an L1 cache miss that hits the L2 cache stalls.
 * @penalty_llc: the same if the last-level cache is what it hits.
 * @penalty_memory: the same if it hits no cache.
 * @penalty_tlb2: cycles for which an L1 TLB miss that hits the L2 TLB stalls.
 * @penalty_walk: the same if it does not.
 * @penalty_branch: cycles for which a mispredicted branch stalls.
 */
struct vpmu_model_config {
    struct vpmu_cache_config l1i;
    struct vpmu_cache_config l1d;
    struct vpmu_cache_config l2;
    struct vpmu_cache_config llc;
    struct vpmu_tlb_config l1i_tlb;
    struct vpmu_tlb_config l1d_tlb;
    struct vpmu_tlb_config l2_tlb;
    uint8_t l1_policy;
    uint8_t branch;
    uint8_t width;
    uint8_t cycles;
    uint16_t penalty_l2;
    uint16_t penalty_llc;
    uint16_t penalty_memory;
    uint16_t penalty_tlb2;
    uint16_t penalty_walk;
    uint16_t penalty_branch;
};

/* A CPU of moderate size; @cycles is VPMU_CYCLES_ISSUE. */
extern const struct vpmu_model_config vpmu_model_default;

/* A model needs at most this many bytes. */
#define VPMU_MODEL_MAX_SIZE (64u << 20)

/* Alignment of a model's memory. */
#define VPMU_MODEL_ALIGN 16u

#define VPMU_FILTER_SLOTS 1024u

/**
 * struct vpmu_filter - accesses that certainly change nothing in the model
 * @load: of which lines a load changes nothing.
 * @store: of which lines a store changes nothing.
 * @fetch: of which lines a fetch changes nothing.
 *
 * A line can only be in the slot that its address leads to. A slot holds the address of the line's
 * first byte, or a value that vpmu_filter_hit() never takes for a hit. Generated code may read it;
 * the model keeps it true.
 */
struct vpmu_filter {
    uint64_t load[VPMU_FILTER_SLOTS];
    uint64_t store[VPMU_FILTER_SLOTS];
    uint64_t fetch[VPMU_FILTER_SLOTS];
};

/* No line: vpmu_model_head.fetch_line before the first fetch. */
#define VPMU_NO_LINE UINT64_MAX

/**
 * struct vpmu_model_head - how struct vpmu_model begins: what generated code may use
 * @filter: read only.
 * @fetch_line: address of the first byte of the line that the last instruction was fetched from,
 *     or VPMU_NO_LINE: then the next instruction must be told. Whoever finds a line in
 *     @filter.fetch may set it, instead of calling vpmu_model_fetch().
 * @predictor: of the current low address space and of the high one, which bit 55 of a branch's
 *     address tells apart; NULL until the space has executed a branch. Whoever finds one may do
 *     what struct vpmu_predictor's functions do, instead of calling vpmu_model_branch().
 */
struct vpmu_model_head {
    struct vpmu_filter filter;
    uint64_t fetch_line;
    struct vpmu_predictor *predictor[2];
};

/* One CPU's caches, TLBs and predictors: VPMU_MODEL_ALIGNed memory that the caller owns. */
struct vpmu_model;

/**
 * vpmu_filter_hit() - may the model be left alone?
 * @slots: one of the arrays of struct vpmu_filter.
 * @line_shift: binary logarithm of the line size.
 * @addr: of the first byte.
 * @size: bytes, 1 to 4096. An access that crosses a line never hits.
 */
static inline bool vpmu_filter_hit(const uint64_t *slots, unsigned line_shift, uint64_t addr,
                                   unsigned size)
{
    uint64_t slot = slots[(addr >> line_shift) % VPMU_FILTER_SLOTS];

    return (slot ^ (addr + size - 1)) >> line_shift == 0;
}

/**
 * vpmu_model_check() - can there be such a model?
 * @config: the configuration; every value is looked at.
 * @why: if not NULL and there cannot, is set to one sentence that says what is wrong and what would
 *     be right; it can follow "this CPU cannot have such a PMU: ".
 *
 * Return: 0, or -VPMU_ERR_CONFIG.
 */
int vpmu_model_check(const struct vpmu_model_config *config, const char **why);

/**
 * vpmu_model_size() - the memory that a model needs
 * @config: the configuration.
 *
 * Return: bytes, at most VPMU_MODEL_MAX_SIZE; 0 if vpmu_model_check() refuses @config.
 */
size_t vpmu_model_size(const struct vpmu_model_config *config);

/**
 * vpmu_model_init() - make a model
 * @mem: memory for it, vpmu_model_size() bytes of any content, aligned to VPMU_MODEL_ALIGN. It must
 *     not be moved afterwards.
 * @config: is checked and copied.
 * @totals: what it tallies into; must outlive the model.
 *
 * All caches, TLBs and predictors are empty; both address spaces are 0. All functions on one model
 * must be called by one thread at a time.
 *
 * Return: the model, which begins with a struct vpmu_model_head, or NULL if vpmu_model_check()
 * refuses @config.
 */
struct vpmu_model *vpmu_model_init(void *mem, const struct vpmu_model_config *config,
                                   struct vpmu_totals *totals);

/**
 * vpmu_model_flush_tlb() - empties all TLBs
 *
 * Also forgets the line of the last fetch, whose translation is gone.
 */
void vpmu_model_flush_tlb(struct vpmu_model *m);

/**
 * vpmu_model_flush_page() - removes a page from all TLBs
 * @addr: virtual address of any byte of the page of VPMU_PAGE_SIZE, without a tag.
 *
 * Only in the address space that @addr is in now. The next page of the same set takes its place. If
 * the last fetch was from this page, its line is forgotten.
 */
void vpmu_model_flush_page(struct vpmu_model *m, uint64_t addr);

/**
 * struct vpmu_flush - which pages leave all TLBs, of whatever address space
 * @first: lowest address, without a tag.
 * @last: highest address; not below @first.
 * @space: for addresses with bit 55 clear, set: of which address space.
 * @mask: the bits of @space that must be the same; 0: any space, all ones: that one alone.
 */
struct vpmu_flush {
    uint64_t first;
    uint64_t last;
    uint32_t space[2];
    uint32_t mask[2];
};

/**
 * vpmu_model_flush() - removes pages from all TLBs, whichever address spaces addresses are in now
 * @what: which; every value is allowed.
 *
 * What is left of a set stays in its order, and the next page of the set replaces none. If the last
 * fetch was from a page that is removed, or would be, its line is forgotten. One page of one space
 * is found at once; otherwise all entries are looked at.
 */
void vpmu_model_flush(struct vpmu_model *m, const struct vpmu_flush *what);

/**
 * vpmu_model_set_space() - which address spaces addresses are in from now on
 * @low: of addresses with bit 55 clear. Any value.
 * @high: of addresses with bit 55 set. Any value; it names another space than the same one in @low.
 *
 * What is cached of other spaces stays, and is found again when they return. If one of the two
 * changes, the line of the last fetch is forgotten; if neither does, nothing happens.
 *
 * Takes longer if many lines of the space that goes are in the line filter.
 */
void vpmu_model_set_space(struct vpmu_model *m, uint32_t low, uint32_t high);

/**
 * vpmu_model_data() - an instruction loads or stores
 * @ctx: where: vpmu_ctx().
 * @addr: virtual address of the first byte, without a tag. Any value; the access may wrap around.
 * @size: bytes; 0 is taken as 1. The work grows with the lines it spans.
 * @write: it is a store. An atomic that loads and stores is told as either, or both.
 *
 * May be left out if vpmu_filter_hit() finds it in filter.load, or filter.store for a store, which
 * is what it looks at first itself. So that this is possible, the caller itself tallies one
 * VPMU_SRC_L1D_CACHE_RD or _WR for the access. Here one more is tallied for each line beyond the
 * first, and what follows from them: refills, write-backs, accesses to the L2 and last-level
 * caches, TLB refills and walks, stalls.
 *
 * At the L2 and last-level caches a refill is a read or write as the access is that caused it, and
 * a write-back is a write, never a refill or miss. What there is no cache for is not tallied.
 *
 * For each line in turn, first the TLBs are looked up, unless the line before was of the same page,
 * then the caches. A line that a new one replaces is written back, if it is dirty, before the new
 * one is read from the next level. Replaced lines stay in the other levels.
 */
void vpmu_model_data(struct vpmu_model *m, unsigned ctx, uint64_t addr, unsigned size, bool write);

/**
 * vpmu_model_fetch() - the next instruction is in another line than the one before it
 * @ctx: where: vpmu_ctx().
 * @addr: virtual address of the instruction.
 *
 * To be called when the line of @addr is not vpmu_model_head.fetch_line. Sets that; tallies one
 * VPMU_SRC_L1I_CACHE and what follows from it.
 *
 * May be left out if vpmu_filter_hit() finds it in filter.fetch, which is what it looks at first
 * itself; then the caller tallies one VPMU_SRC_L1I_CACHE and sets fetch_line.
 */
void vpmu_model_fetch(struct vpmu_model *m, unsigned ctx, uint64_t addr);

/* What a branch instruction does. */
enum vpmu_branch_kind {
    VPMU_BRANCH_CONDITIONAL, /* direct; only here the direction has to be predicted */
    VPMU_BRANCH_DIRECT,
    VPMU_BRANCH_CALL, /* direct */
    VPMU_BRANCH_INDIRECT_CALL,
    VPMU_BRANCH_INDIRECT,
    VPMU_BRANCH_RETURN,
};

/* Address spaces whose branches are remembered. */
#define VPMU_BRANCH_SPACES 4

/**
 * vpmu_model_branch() - a branch instruction has been executed
 * @ctx: where: vpmu_ctx().
 * @pc: its address. Bit 0 is of no account.
 * @target: where it goes if it is taken.
 * @next: address of the instruction after it, as a return will go to.
 * @kind: what it is.
 * @taken: whether it is taken. A branch of another kind than VPMU_BRANCH_CONDITIONAL that is not
 *     taken, which AArch32 has, changes nothing.
 *
 * Each address space has its own tables, history and return stack: those of the space that @pc is
 * in. They begin cold when it executes its first branch that looks them up, and again if a space
 * that had none took them: that takes those of the space that has not been a current one for the
 * longest time. So a program is predicted the same way at every run, if each run has a new space.
 *
 * May be left out if there is a vpmu_model_head.predictor for @pc and the caller does the same with
 * it: with VPMU_BRANCH_GSHARE and VPMU_BRANCH_BIMODAL, a counter for a conditional branch; with
 * VPMU_BRANCH_STATIC nothing; a return address for a call that is taken, a prediction for a return
 * or an indirect branch that is; and vpmu_model_mispredicted() where that was wrong. TAGE's
 * conditional branches must be told.
 *
 * Return: whether it was mispredicted; then VPMU_SRC_BR_MIS_PRED and a stall have been tallied.
 */
bool vpmu_model_branch(struct vpmu_model *m, unsigned ctx, uint64_t pc, uint64_t target,
                       uint64_t next, enum vpmu_branch_kind kind, bool taken);

/**
 * vpmu_model_mispredicted() - a branch was mispredicted that the model has not been told of
 * @ctx: where: vpmu_ctx().
 *
 * Tallies VPMU_SRC_BR_MIS_PRED and a stall.
 */
void vpmu_model_mispredicted(struct vpmu_model *m, unsigned ctx);

/**
 * vpmu_cache_parse() - a cache as text: "32k:8:64", "32k,8,64" or "none"
 * @text: size in bytes, with k or m for KiB or MiB; ways; bytes of a line; in decimal, with a colon
 *     or comma between them. Anything that is not so is refused.
 * @cache: is set, only if there is no error. Whether there can be such a cache is for
 *     vpmu_model_check() to say.
 * @why: if not NULL and @text is refused, is set to one sentence that says what is expected.
 *
 * Return: 0, or -VPMU_ERR_CONFIG.
 */
int vpmu_cache_parse(const char *text, struct vpmu_cache_config *cache, const char **why);

/**
 * vpmu_tlb_parse() - a TLB as text: "1024:4", entries and ways, or "48", fully associative
 *
 * Otherwise as vpmu_cache_parse().
 */
int vpmu_tlb_parse(const char *text, struct vpmu_tlb_config *tlb, const char **why);

/**
 * vpmu_branch_parse() - an enum vpmu_branch_model as text: tage, gshare, bimodal or static
 *
 * Otherwise as vpmu_cache_parse().
 */
int vpmu_branch_parse(const char *text, uint8_t *model, const char **why);

#endif
