/* SPDX-License-Identifier: GPL-2.0-or-later */

/* Memory-reading and Memory-writing instructions (Arm ARM D14.1.1), with general registers. */
#include "tests/definitions/rows.inc"

    .arch armv8.8-a+memtag+lse+mops+nopredres
    table memory_rows

    row "ldr x11, [x9]"
    count BASE_LOAD
    row "ldr w11, [x9, #4]!", setup="mov x13, x9"
    count BASE_LOAD
    row "ldp x11, x12, [x9]"
    count BASE_LOAD
    row "ldrsb x11, [x9, #1]"
    count BASE_LOAD
    row "ldr w11, .+8 ; nop"
    count BASE_LOAD, DP_SPEC
    row "str x10, [x9]"
    count BASE_STORE
    row "stp x10, x11, [x9, #16]"
    count BASE_STORE
    row "strb w10, [x9, #3]"
    count BASE_STORE

    /* Accesses that would fault with alignment checks are unaligned; others are not. */
    row "ldr x11, [x9, #1]"
    count BASE_LOAD, UNALIGNED_LOAD
    row "ldp w11, w12, [x9, #4]"
    count BASE_LOAD
    row "ldp x11, x12, [x10, #8]", setup="add x10, x9, #2"
    count BASE_LOAD, UNALIGNED_LOAD
    row "strh w10, [x9, #7]"
    count BASE_STORE, UNALIGNED_STORE
    row "str x10, [x9, #60]"
    count BASE_STORE, UNALIGNED_STORE

    /* ST_RETIRED leaves out a store-exclusive that fails; ST_SPEC does not. */
    row "ldxr x11, [x9]"
    count BASE_LOAD, LDREX_SPEC
    row "ldaxr x11, [x9]"
    count BASE_LOAD, LDREX_SPEC, RC_LD_SPEC
    row "ldxp x11, x12, [x9]"
    count BASE_LOAD, LDREX_SPEC
    row "clrex ; stxr w11, x10, [x9]"
    count ST_SPEC, LDST_SPEC, STREX_SPEC, STREX_FAIL_SPEC
    any DP_SPEC, BASE_ST_REG_SPEC
    row "clrex ; stxp w11, x10, x12, [x9]"
    count ST_SPEC, LDST_SPEC, STREX_SPEC, STREX_FAIL_SPEC
    any DP_SPEC, BASE_ST_REG_SPEC
    row "clrex ; stlxrb w11, w10, [x9]"
    count ST_SPEC, LDST_SPEC, STREX_SPEC, STREX_FAIL_SPEC
    any DP_SPEC, BASE_ST_REG_SPEC, RC_ST_SPEC
    row "ldxr x11, [x9] ; stxr w12, x10, [x9]"
    count BASE_LOAD, STORE, BASE_ST_REG_SPEC, LDREX_SPEC, STREX_SPEC, STREX_PASS_SPEC
    row "ldaxrh w11, [x9] ; stlxrh w12, w10, [x9]"
    count BASE_LOAD, STORE, BASE_ST_REG_SPEC, LDREX_SPEC, STREX_SPEC, STREX_PASS_SPEC
    count RC_LD_SPEC, RC_ST_SPEC

    /* Release consistency. */
    row "ldar x11, [x9]"
    count BASE_LOAD, RC_LD_SPEC
    row "ldarb w11, [x9]"
    count BASE_LOAD, RC_LD_SPEC
    row "stlr x10, [x9]"
    count BASE_STORE, RC_ST_SPEC
    row "ldapr x11, [x9]", needs=HAS_RCPC
    count BASE_LOAD, RC_LD_SPEC
    row "ldapur x11, [x9, #8]", needs=HAS_RCPC2
    count BASE_LOAD, RC_LD_SPEC
    row "stlur x10, [x9, #8]", needs=HAS_RCPC2
    count BASE_STORE, RC_ST_SPEC
    row "stllr x10, [x9]", needs=HAS_LOR
    count BASE_STORE
    any RC_ST_SPEC

    /*
     * Atomic instructions write memory; those that return no value are no loads. Whether the others
     * are one operation for LDST_SPEC, or two, is up to the implementation.
     */
    row "ldadd x10, x11, [x9]", needs=HAS_LSE
    count LD_RETIRED, LD_SPEC, ST_RETIRED, ST_SPEC
    any BASE_LDST, LDST_SPEC
    row "ldaddal x10, x11, [x9]", needs=HAS_LSE
    count LD_RETIRED, LD_SPEC, ST_RETIRED, ST_SPEC, RC_LD_SPEC, RC_ST_SPEC
    any BASE_LDST, LDST_SPEC
    row "ldclra x10, x11, [x9]", needs=HAS_LSE
    count LD_RETIRED, LD_SPEC, ST_RETIRED, ST_SPEC, RC_LD_SPEC
    any BASE_LDST, LDST_SPEC
    row "swpl x10, x11, [x9]", needs=HAS_LSE
    count LD_RETIRED, LD_SPEC, ST_RETIRED, ST_SPEC, RC_ST_SPEC
    any BASE_LDST, LDST_SPEC
    row "cas x11, x10, [x9]", needs=HAS_LSE
    count LD_RETIRED, LD_SPEC, ST_RETIRED, ST_SPEC
    any BASE_LDST, LDST_SPEC
    row "mov x11, #-1 ; cas x11, x10, [x9]", needs=HAS_LSE
    count LD_RETIRED, LD_SPEC, ST_RETIRED, ST_SPEC, DP_SPEC
    any BASE_LDST, LDST_SPEC
    row "casp x10, x11, x12, x13, [x9]", needs=HAS_LSE
    count LD_RETIRED, LD_SPEC, ST_RETIRED, ST_SPEC
    any BASE_LDST, LDST_SPEC
    row "stadd x10, [x9]", needs=HAS_LSE
    count STORE
    any BASE_LDST
    row "steorl w10, [x9]", needs=HAS_LSE
    count STORE, RC_ST_SPEC
    any BASE_LDST
    row "stsmaxb w10, [x9]", needs=HAS_LSE
    count STORE
    any BASE_LDST
    row "ldset x10, xzr, [x9]", needs=HAS_LSE
    count STORE
    any BASE_LDST
    row "swp x10, xzr, [x9]", needs=HAS_LSE
    count STORE
    any BASE_LDST

    /*
     * A prefetch may be a load, which LD_SPEC and LDST_SPEC count, or data processing, or only
     * LDST_SPEC counts it, which Arm recommends with PRF_SPEC (LD_SPEC, LDST_SPEC).
     */
    row "prfm pldl1keep, [x9]"
    count PRF_SPEC, LDST_SPEC
    any LD_RETIRED
    row "prfum pstl2strm, [x9, #-8]"
    count PRF_SPEC, LDST_SPEC
    any LD_RETIRED

    /* Allocation tags: a Tag-read is a read, a Tag-write is a write. */
    row "ldg x11, [x9]", needs=HAS_MTE
    count LOAD
    any BASE_LDST
    row "stg x9, [x9]", needs=HAS_MTE
    count STORE
    any BASE_LDST
    row "st2g x9, [x9, #32]", needs=HAS_MTE
    count STORE
    any BASE_LDST
    row "stzg x9, [x9]", needs=HAS_MTE
    count STORE
    any BASE_LDST
    row "stgp x10, x11, [x9]", needs=HAS_MTE
    count STORE
    any BASE_LDST
    row "irg x11, x10", needs=HAS_MTE
    count DP_SPEC
    row "gmi x11, x10, x12", needs=HAS_MTE
    count DP_SPEC
    row "addg x11, x10, #16, #1", needs=HAS_MTE
    count DP_SPEC
    row "subps x11, x10, x12", needs=HAS_MTE
    count DP_SPEC

    /* DC ZVA writes memory. Other cache maintenance does not. */
    row "dc zva, x9"
    count STORE
    any BASE_LDST
    row "dc gzva, x9", needs=HAS_MTE
    count STORE
    any BASE_LDST
    row "dc gva, x9", needs=HAS_MTE
    count STORE
    any BASE_LDST
    row "dc civac, x9"
    count DP_SPEC
    row "dc cvau, x9"
    count DP_SPEC
    row "ic ivau, x9"
    count DP_SPEC

    /* FEAT_NV2 turns these into memory accesses, by the names of the registers. */
    row "mrs x11, vttbr_el2", needs=HAS_NV2, at=AT_EL1_NV2
    count LOAD
    any BASE_LDST
    row "msr vttbr_el2, x10", needs=HAS_NV2, at=AT_EL1_NV2
    count STORE
    any BASE_LDST
    row "mrs x11, far_el1", needs=HAS_NV2, at=AT_EL1_NV2
    count LOAD
    any BASE_LDST
    row "msr afsr0_el1, x10", needs=HAS_NV2, at=AT_EL1_NV2
    count STORE
    any BASE_LDST
    row "msr contextidr_el1, x10", needs=HAS_NV2, at=AT_EL1_NV2
    count STORE, CID_WRITE_RETIRED
    any BASE_LDST
    row "msr ttbr1_el1, x10", needs=HAS_NV2, at=AT_EL1_NV2
    count STORE, TTBR_WRITE_RETIRED
    any BASE_LDST
    row "mrs x11, tpidr_el1", needs=HAS_NV2, at=AT_EL1_NV2
    count DP_SPEC
    end_table

    /*
     * Accesses, also to caches and TLBs. How many an instruction makes is up to the implementation
     * unless it accesses one register's worth of aligned data. Refills depend on what came before.
     */
#define READ_ACCESS MEM_ACCESS, MEM_ACCESS_RD, L1D_CACHE, L1D_CACHE_RD, L1D_TLB
#define WRITE_ACCESS MEM_ACCESS, MEM_ACCESS_WR, L1D_CACHE, L1D_CACHE_WR, L1D_TLB
    table access_rows

    row "ldr x11, [x9]"
    count READ_ACCESS
    row "ldrsb x11, [x9, #1]"
    count READ_ACCESS
    row "ldr w11, .+8 ; nop"
    count READ_ACCESS
    row "ldxr x11, [x9]"
    count READ_ACCESS
    row "ldar x11, [x9]"
    count READ_ACCESS
    row "ldr d0, [x9]"
    count READ_ACCESS
    row "str x10, [x9]"
    count WRITE_ACCESS
    row "strb w10, [x9, #3]"
    count WRITE_ACCESS
    row "stlr x10, [x9]"
    count WRITE_ACCESS
    row "str d0, [x9]"
    count WRITE_ACCESS
    row "ldr x11, [x9, #64] ; str x10, [x9]"
    count READ_ACCESS, WRITE_ACCESS
    row "ldxr x11, [x9] ; stxr w12, x10, [x9]"
    count READ_ACCESS, WRITE_ACCESS

    /* Neither instruction fetches, nor barriers, nor maintenance of TLBs. */
    row "nop"
    row "add x11, x10, x9"
    row "b .+4"
    row "clrex"
    row "isb"
    row "dmb sy"
    row "dsb sy"
    row "tlbi vae1, x10 ; dsb sy"
    row "ic ivau, x9"
    any L1D_TLB
    end_table
