/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_MODEL_H
#define VPMU_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vpmu/count.h"
#include "vpmu/decls.h"
#include "vpmu/errors.h"
#include "vpmu/predictor.h"

VPMU_DECLS_BEGIN

/*
 * Models of one CPU's caches, TLBs, branch prediction and stalls. Their only input is virtual
 * addresses, so the same program gives the same numbers in every run. They need no PMU, only totals
 * to tally into. The default calling context of the functions is in vpmu/errors.h.
 */

/**
 * struct vpmu_cache_config - the geometry of a cache
 * @size: bytes; 0: the cache does not exist, which is allowed for the L2 and the last-level cache.
 * @ways: 1 to 64. The number of sets, @size / @ways / @line, must be a power of two.
 * @line: bytes of a line: 16 to 256, a power of two, the same in all caches.
 */
struct vpmu_cache_config {
    uint32_t size;
    uint16_t ways;
    uint16_t line;
};

/**
 * struct vpmu_tlb_config - the geometry of a TLB
 * @entries: the number of entries, each of which translates one page of any size.
 * @ways: 1 to 256. @entries / @ways must be a power of two; 1 makes the TLB fully associative.
 */
struct vpmu_tlb_config {
    uint16_t entries;
    uint16_t ways;
};

/*
 * The smallest page that a TLB entry translates, in bytes, and binary logarithms of the sizes of
 * the smallest and the largest one.
 */
#define VPMU_PAGE_SIZE 4096u
#define VPMU_PAGE_SHIFT 12u
#define VPMU_PAGE_MAX_SHIFT 48u

/* How the directions of conditional branches are predicted. */
enum vpmu_branch_model {
    VPMU_BRANCH_TAGE, /* a bimodal table, and 4 tagged tables with longer histories that override it
                       */
    VPMU_BRANCH_GSHARE,  /* two-bit counters, indexed by address and history */
    VPMU_BRANCH_BIMODAL, /* two-bit counters, indexed by address */
    VPMU_BRANCH_STATIC,  /* backward branches taken, forward branches not taken */
};

/* How cycles are derived. */
enum vpmu_cycles {
    VPMU_CYCLES_CLOCK, /* a clock; the model tallies none */
    VPMU_CYCLES_ISSUE, /* issue slots and the stalls of vpmu_insn_*_stall() */
    VPMU_CYCLES_MODEL, /* the same, plus penalties for mispredictions and misses */
};

/*
 * Which line of a full set an L1 cache replaces. The L1 TLBs always use FIFO, the other levels LRU.
 */
enum vpmu_policy {
    VPMU_POLICY_FIFO, /* the oldest; a hit changes nothing, so the line filter has all lines */
    VPMU_POLICY_LRU,  /* the least recently used; the line filter has the last one of each set */
};

/**
 * struct vpmu_model_config - what is modelled; constant for the model's lifetime
 * @l1i: the L1 instruction cache.
 * @l1d: the L1 data cache: write-back, write-allocate.
 * @l2: the unified cache behind both L1 caches; may be absent.
 * @llc: the last-level cache behind @l2; may be absent.
 * @l1i_tlb: the L1 instruction TLB.
 * @l1d_tlb: the L1 data TLB.
 * @l2_tlb: the unified TLB behind both L1 TLBs.
 * @l1_policy: enum vpmu_policy of the L1 caches.
 * @branch: enum vpmu_branch_model.
 * @width: issue slots per cycle, 1 to 8. VPMU_SRC_CPU_CYCLES is tallied in slots, so this is also
 *     vpmu_config.cycle_units.
 * @cycles: enum vpmu_cycles. With VPMU_CYCLES_MODEL, the model tallies the penalties below in
 *     VPMU_SRC_CPU_CYCLES and VPMU_SRC_STALL_*. The caller tallies everything else.
 * @penalty_l2: stall cycles of an L1 cache miss that hits the L2 cache.
 * @penalty_llc: stall cycles of an L1 cache miss that hits the last-level cache.
 * @penalty_memory: stall cycles of an L1 cache miss that hits no cache.
 * @penalty_tlb2: stall cycles of an L1 TLB miss that hits the L2 TLB.
 * @penalty_walk: stall cycles of an L1 TLB miss that misses the L2 TLB.
 * @penalty_branch: stall cycles of a mispredicted branch.
 * @llc_shared: @llc is shared with other models, which need the same one: the model must be passed
 *     to vpmu_shared_join() of vpmu/shared_cache.h before anything else.
 * @branch_backend: how many of the @penalty_branch cycles are stalls of the backend; the others, if
 *     any are left, are stalls of the frontend. perf's top-down metrics of some cores expect this.
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
    bool llc_shared;
    uint16_t penalty_l2;
    uint16_t penalty_llc;
    uint16_t penalty_memory;
    uint16_t penalty_tlb2;
    uint16_t penalty_walk;
    uint16_t penalty_branch;
    uint16_t branch_backend;
};

/* A CPU of moderate size, with VPMU_CYCLES_ISSUE. */
extern const struct vpmu_model_config vpmu_model_default;

/* The largest size of a model in bytes. */
#define VPMU_MODEL_MAX_SIZE (128u << 20)

/* The alignment of a model's memory in bytes. */
#define VPMU_MODEL_ALIGN 64u

#define VPMU_FILTER_SLOTS 1024u

/**
 * struct vpmu_filter - accesses that certainly do not change the model
 * @load: lines for which a load changes nothing.
 * @store: lines for which a store changes nothing.
 * @fetch: lines for which an instruction fetch changes nothing.
 *
 * A line can only be in the slot that its address selects. A slot holds the address of the line's
 * first byte, or a value that vpmu_filter_hit() never accepts. Generated code may read the filter;
 * only the model writes it.
 */
struct vpmu_filter {
    uint64_t load[VPMU_FILTER_SLOTS];
    uint64_t store[VPMU_FILTER_SLOTS];
    uint64_t fetch[VPMU_FILTER_SLOTS];
};

/* No line: vpmu_model_head.fetch_line before the first fetch. */
#define VPMU_NO_LINE UINT64_MAX

/**
 * struct vpmu_model_head - the first part of struct vpmu_model, which generated code may use
 * @filter: read only.
 * @fetch_line: the address of the first byte of the line from which the last instruction was
 *     fetched; or VPMU_NO_LINE, and then vpmu_model_fetch() must be called for the next
 *     instruction. Code that finds a line in @filter.fetch may write it instead of calling
 *     vpmu_model_fetch().
 * @predictor: the predictors of the current low and high address spaces. Bit 55 of a branch's
 *     address selects one. NULL until the space has executed a branch. Code that finds a predictor
 *     may apply the functions of vpmu/predictor.h to it instead of calling vpmu_model_branch().
 */
struct vpmu_model_head {
    struct vpmu_filter filter;
    uint64_t fetch_line;
    struct vpmu_predictor *predictor[2];
};

/*
 * One CPU's caches, TLBs and predictors. The caller owns the memory, aligned to VPMU_MODEL_ALIGN.
 */
struct vpmu_model;

/**
 * vpmu_filter_hit() - tell whether an access certainly does not change the model
 * @slots: one of the arrays of struct vpmu_filter.
 * @line_shift: the binary logarithm of the line size.
 * @addr: the virtual address of the first byte.
 * @size: bytes, 1 to 4096. An access that crosses a line never hits.
 *
 * Return: true if the call of the model may be omitted.
 */
static inline bool vpmu_filter_hit(const uint64_t *slots, unsigned line_shift, uint64_t addr,
                                   unsigned size)
{
    uint64_t slot = slots[(addr >> line_shift) % VPMU_FILTER_SLOTS];

    return (slot ^ (addr + size - 1)) >> line_shift == 0;
}

/**
 * vpmu_model_check() - tell whether a model with this configuration can exist
 * @config: the configuration. Every field is checked.
 * @why: is set to the reason if the configuration is refused, and to what would be accepted; may be
 *     NULL. The text can follow "this CPU cannot have such a PMU: ".
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
 * @config: the configuration. It is checked and copied.
 * @totals: what the model tallies into. It is copied; @totals.n must outlive the model.
 *
 * All caches, TLBs and predictors are empty, and both address spaces are 0.
 *
 * Return: the model, which begins with a struct vpmu_model_head; NULL if vpmu_model_check() refuses
 * @config.
 */
struct vpmu_model *vpmu_model_init(void *mem, const struct vpmu_model_config *config,
                                   struct vpmu_table totals);

/**
 * vpmu_model_flush_tlb() - empty all TLBs
 * @m: the model.
 *
 * Also resets vpmu_model_head.fetch_line, because the translation of that line is gone.
 */
void vpmu_model_flush_tlb(struct vpmu_model *m);

/**
 * vpmu_model_flush_page() - remove a page from all TLBs
 * @m: the model.
 * @addr: the virtual address of any byte of the page, without a tag.
 *
 * Removes it only in the current address space of @addr, whatever its size is. The next page of the
 * same set takes its place. If the last fetch was from this page, vpmu_model_head.fetch_line is
 * reset.
 */
void vpmu_model_flush_page(struct vpmu_model *m, uint64_t addr);

/**
 * struct vpmu_flush - which pages are removed from all TLBs
 * @first: the lowest address, without a tag.
 * @last: the highest address, not below @first.
 * @space: the address space for addresses with bit 55 clear, and for those with bit 55 set.
 * @mask: which bits of @space must match; 0: any space; all ones: this space only.
 */
struct vpmu_flush {
    uint64_t first;
    uint64_t last;
    uint32_t space[2];
    uint32_t mask[2];
};

/**
 * vpmu_model_flush() - remove pages from all TLBs, in any address space
 * @m: the model.
 * @what: the pages; every value is allowed.
 *
 * A page is removed if at least one of its bytes is in the range. The remaining pages of a set keep
 * their order, and the next page of the set replaces none of them. If the last fetch was from a
 * page that is removed, vpmu_model_head.fetch_line is reset. One page of VPMU_PAGE_SIZE in one
 * space is found directly; otherwise all entries are scanned.
 */
void vpmu_model_flush(struct vpmu_model *m, const struct vpmu_flush *what);

/**
 * vpmu_model_set_space() - set the current address spaces
 * @m: the model.
 * @low: the space of addresses with bit 55 clear. Any value.
 * @high: the space of addresses with bit 55 set. Any value; it differs from the space with the same
 *     number in @low.
 *
 * Entries of other spaces stay cached and can hit again when the space is current again. If one of
 * the two changes, vpmu_model_head.fetch_line is reset; if neither does, the call has no effect. It
 * takes longer if many lines of the previous space are in the line filter.
 */
void vpmu_model_set_space(struct vpmu_model *m, uint32_t low, uint32_t high);

/**
 * vpmu_model_set_largest_page() - set the largest page that a TLB entry translates
 * @m: the model.
 * @page: the binary logarithm of its size; the nearest one of VPMU_PAGE_SHIFT to
 *     VPMU_PAGE_MAX_SHIFT. At first VPMU_PAGE_MAX_SHIFT.
 *
 * A larger page has an entry for each part of this size. This is for guests of a hypervisor whose
 * own pages are smaller. Entries that exist stay.
 */
void vpmu_model_set_largest_page(struct vpmu_model *m, unsigned page);

/* The levels that an access or a fetch missed, in any of its lines. */
enum vpmu_missed {
    VPMU_MISSED_TLB = 1 << 0,    /* the L1 TLB */
    VPMU_MISSED_L2_TLB = 1 << 1, /* the L2 TLB, so there was a walk */
    VPMU_MISSED_L1 = 1 << 2,     /* the L1 cache */
    VPMU_MISSED_L2 = 1 << 3,     /* the L2 cache; not set if there is none */
    VPMU_MISSED_LLC = 1 << 4,    /* the last-level cache; not set if there is none */
    VPMU_FROM_MEMORY = 1 << 5,   /* no cache had the line */
    /* With vpmu_model_config.llc_shared; all but the last one only for a line that missed L2. */
    VPMU_PEER_HAS = 1 << 6,      /* L1D or L2 of another CPU had the line */
    VPMU_PEER_MODIFIED = 1 << 7, /* the line was Modified there, so it came from there */
    /* The line was not Modified, but came from there: the last-level cache did not have it. */
    VPMU_PEER_FORWARDED = 1 << 8,
    /* A store hit L1D or L2, and took the line, which was not Modified, from another CPU. */
    VPMU_PEER_INVALIDATED = 1 << 9,
};

/**
 * vpmu_model_data() - an instruction loads or stores
 * @m: the model.
 * @ctx: the context, 0 to VPMU_CTX_COUNT - 1.
 * @addr: the virtual address of the first byte, without a tag. Any value; the access may wrap
 *     around.
 * @size: bytes; 0 is treated as 1. The time is proportional to the number of lines.
 * @write: the access is a store. An atomic that loads and stores can be passed as either or as
 *     both.
 * @page: the binary logarithm of the size of the page that the guest maps there, and of the next
 * one if the access continues there. Values outside VPMU_PAGE_SHIFT to VPMU_PAGE_MAX_SHIFT are
 *     replaced by the nearest one.
 *
 * One TLB entry translates the whole page. If a page gets another size, call
 * vpmu_model_flush_page() or the like before; otherwise the old entry may or may not be used for
 * it.
 *
 * The call may be omitted if vpmu_filter_hit() finds the access in filter.load, or in filter.store
 * for a store. The function itself checks this first. To make this possible, the caller tallies one
 * VPMU_SRC_L1D_CACHE_RD or _WR for the access. The function tallies one more for each further line,
 * and everything that follows: refills, write-backs, TLB refills and walks, and stalls. Accesses to
 * the L2 and last-level caches are sums of these: see VPMU_SRCS_L2D_READS and the like.
 *
 * At the L2 and last-level caches, a refill counts as a read or a write like the access that caused
 * it. A write-back counts as a write, but never as a refill or miss. Nothing is tallied for a cache
 * that does not exist.
 *
 * For each line in order, the TLBs are looked up first, unless the previous line was in the same
 * page, and then the caches. A dirty line that is replaced is written back before the new line is
 * read from the next level. A replaced line stays in the other levels.
 *
 * Return: enum vpmu_missed of all lines. Write-backs do not count.
 */
unsigned vpmu_model_data(struct vpmu_model *m, unsigned ctx, uint64_t addr, unsigned size,
                         bool write, unsigned page);

/**
 * vpmu_model_line() - an instruction loads or stores within one line
 * @m: the model.
 * @ctx: the context, 0 to VPMU_CTX_COUNT - 1.
 * @addr: the virtual address of any byte of the line, without a tag.
 * @write: the access is a store.
 * @page: as for vpmu_model_data().
 *
 * The same as vpmu_model_data() for an access that crosses no line, but without looking at the line
 * filter, for callers that have done so.
 *
 * Return: enum vpmu_missed.
 */
unsigned vpmu_model_line(struct vpmu_model *m, unsigned ctx, uint64_t addr, bool write,
                         unsigned page);

/**
 * vpmu_model_fetch() - the next instruction is in another line than the previous one
 * @m: the model.
 * @ctx: the context, 0 to VPMU_CTX_COUNT - 1.
 * @addr: the virtual address of the instruction.
 * @page: as for vpmu_model_data().
 *
 * Call it when the line of @addr is not vpmu_model_head.fetch_line. It sets fetch_line, and tallies
 * one VPMU_SRC_L1I_CACHE and everything that follows.
 *
 * The call may be omitted if vpmu_filter_hit() finds the address in filter.fetch, which the
 * function itself checks first. The caller then tallies one VPMU_SRC_L1I_CACHE and sets fetch_line.
 *
 * Return: enum vpmu_missed.
 */
unsigned vpmu_model_fetch(struct vpmu_model *m, unsigned ctx, uint64_t addr, unsigned page);

/**
 * enum vpmu_maintenance - what an instruction of cache maintenance does to a line
 * @VPMU_MAINTAIN_CLEAN_L1: L1D writes it to L2 if it is modified, and keeps it (DC CVAU).
 * @VPMU_MAINTAIN_CLEAN: all levels write it to memory if it is modified, and keep it (CLWB, DC
 * CVAC).
 * @VPMU_MAINTAIN_FLUSH: the same, but no level keeps it (CLFLUSH, DC CIVAC).
 * @VPMU_MAINTAIN_DISCARD: no level keeps or writes it (DC IVAC).
 * @VPMU_MAINTAIN_FETCH: L1I does not keep it (IC IVAU).
 */
enum vpmu_maintenance {
    VPMU_MAINTAIN_CLEAN_L1,
    VPMU_MAINTAIN_CLEAN,
    VPMU_MAINTAIN_FLUSH,
    VPMU_MAINTAIN_DISCARD,
    VPMU_MAINTAIN_FETCH,
};

/**
 * vpmu_model_maintain() - an instruction maintains a line of the caches by its address
 * @m: the model.
 * @ctx: the context, 0 to VPMU_CTX_COUNT - 1.
 * @addr: the virtual address of any byte of the line, without a tag.
 * @what: enum vpmu_maintenance.
 *
 * The line is that of the current address space. A level that writes a line back tallies
 * VPMU_SRC_L1D_CACHE_WB_CLEAN or VPMU_SRC_L2D_CACHE_WB_CLEAN. With a shared last level, a flush
 * takes the line from the other CPUs as well. Other instructions of maintenance by address leave
 * their caches alone.
 */
void vpmu_model_maintain(struct vpmu_model *m, unsigned ctx, uint64_t addr,
                         enum vpmu_maintenance what);

/**
 * vpmu_model_empty() - an instruction empties the caches (WBINVD, IC IALLU, DC by set and way)
 * @m: the model.
 * @data: empty all caches; otherwise only L1I.
 *
 * Nothing is tallied. A shared last level is emptied, but not the caches of other CPUs.
 */
void vpmu_model_empty(struct vpmu_model *m, bool data);

/* The kind of a branch instruction. */
enum vpmu_branch_kind {
    VPMU_BRANCH_CONDITIONAL, /* direct; the only kind whose direction is predicted */
    VPMU_BRANCH_DIRECT,
    VPMU_BRANCH_CALL, /* direct */
    VPMU_BRANCH_INDIRECT_CALL,
    VPMU_BRANCH_INDIRECT,
    VPMU_BRANCH_RETURN,
};

/* The number of address spaces whose predictors are kept. */
#define VPMU_BRANCH_SPACES 4

/**
 * vpmu_model_branch() - a branch instruction has been executed
 * @m: the model.
 * @ctx: the context, 0 to VPMU_CTX_COUNT - 1.
 * @pc: the address of the branch. Bit 0 is ignored.
 * @target: where the branch goes if it is taken.
 * @next: the address of the instruction after it, which is the return address of a call.
 * @kind: the kind of the branch.
 * @taken: whether it is taken. A branch other than VPMU_BRANCH_CONDITIONAL that is not taken, which
 *     AArch32 has, changes nothing.
 *
 * Each address space has its own tables, history and return stack. @pc selects the space. They are
 * reset when the space executes its first branch that uses them, and again after a space without
 * tables has taken them over: such a space takes those of the space that has not been current for
 * the longest time. So a program is predicted identically in every run if each run has a new space.
 *
 * The call may be omitted if there is a vpmu_model_head.predictor for @pc and the caller does the
 * same with it. VPMU_BRANCH_GSHARE and VPMU_BRANCH_BIMODAL: use a counter for a conditional branch.
 * VPMU_BRANCH_STATIC: nothing for a conditional branch. VPMU_BRANCH_TAGE: conditional branches need
 * the call. All: push a return address for a taken call, predict a taken return or indirect branch,
 * and call vpmu_model_mispredicted() if the prediction was wrong.
 *
 * Return: true if the branch was mispredicted. VPMU_SRC_BR_MIS_PRED and a stall have been tallied
 * then.
 */
bool vpmu_model_branch(struct vpmu_model *m, unsigned ctx, uint64_t pc, uint64_t target,
                       uint64_t next, enum vpmu_branch_kind kind, bool taken);

/**
 * vpmu_model_mispredicted() - a branch was mispredicted for which vpmu_model_branch() was omitted
 * @m: the model.
 * @ctx: the context, 0 to VPMU_CTX_COUNT - 1.
 *
 * Tallies VPMU_SRC_BR_MIS_PRED and a stall.
 */
void vpmu_model_mispredicted(struct vpmu_model *m, unsigned ctx);

/**
 * vpmu_cache_parse() - parse the geometry of a cache: "32k:8:64", "32k,8,64" or "none"
 * @text: the size in bytes, with k or m for KiB or MiB; the ways; the bytes of a line. The numbers
 *     are decimal, separated by a colon or a comma. Any other text is refused.
 * @cache: is set on success; unchanged otherwise. vpmu_model_check() checks whether such a cache
 *     can exist.
 * @why: is set to the expected format if @text is refused; may be NULL.
 *
 * Return: 0, or -VPMU_ERR_CONFIG.
 */
int vpmu_cache_parse(const char *text, struct vpmu_cache_config *cache, const char **why);

/**
 * vpmu_tlb_parse() - parse the geometry of a TLB: "1024:4"; or "48", fully associative
 * @text: entries and ways, or entries only; as for vpmu_cache_parse().
 * @tlb: is set on success; unchanged otherwise. vpmu_model_check() checks whether such a TLB can
 *     exist.
 * @why: is set to the expected format if @text is refused; may be NULL.
 *
 * Return: 0, or -VPMU_ERR_CONFIG.
 */
int vpmu_tlb_parse(const char *text, struct vpmu_tlb_config *tlb, const char **why);

/**
 * vpmu_branch_parse() - parse a branch model: "tage", "gshare", "bimodal" or "static"
 * @text: the name.
 * @model: is set to enum vpmu_branch_model on success; unchanged otherwise.
 * @why: is set to the expected names if @text is refused; may be NULL.
 *
 * Return: 0, or -VPMU_ERR_CONFIG.
 */
int vpmu_branch_parse(const char *text, uint8_t *model, const char **why);

VPMU_DECLS_END

#endif
