/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_AARCH32_CODE_H
#define TESTS_AARCH32_CODE_H

/*
 * The functions of aarch32_code.S, by their index in the table at its beginning. They take their
 * arguments in r0 and r1. They return by HVC from EL1 or by SVC from EL0, with the result in r0.
 */
#define A32_READ_PMCR 0
#define A32_WRITE_PMCR 1
#define A32_READ_PMCNTENSET 2
#define A32_WRITE_PMCNTENSET 3
#define A32_READ_PMCNTENCLR 4
#define A32_WRITE_PMCNTENCLR 5
#define A32_READ_PMOVSR 6
#define A32_WRITE_PMOVSR 7
#define A32_READ_PMSELR 8
#define A32_WRITE_PMSELR 9
#define A32_READ_PMCEID0 10
#define A32_READ_PMCEID1 11
#define A32_READ_PMCEID2 12
#define A32_READ_PMCEID3 13
#define A32_READ_PMCCNTR 14
#define A32_WRITE_PMCCNTR 15
#define A32_READ_PMXEVTYPER 16
#define A32_WRITE_PMXEVTYPER 17
#define A32_READ_PMXEVCNTR 18
#define A32_WRITE_PMXEVCNTR 19
#define A32_READ_PMUSERENR 20
#define A32_READ_PMINTENSET 21
#define A32_WRITE_PMINTENSET 22
#define A32_READ_PMINTENCLR 23
#define A32_WRITE_PMINTENCLR 24
#define A32_READ_PMOVSSET 25
#define A32_WRITE_PMOVSSET 26
#define A32_WRITE_PMSWINC 27
#define A32_READ_PMEVCNTR0 28
#define A32_WRITE_PMEVCNTR0 29
#define A32_READ_PMEVTYPER0 30
#define A32_WRITE_PMEVTYPER0 31
#define A32_READ_PMCCFILTR 32
#define A32_WRITE_PMCCFILTR 33
#define A32_READ_PMMIR 34
/* MRRC: r0 selects the half; 0 is the lower one. MCRR: r0 is the lower half, r1 the upper one. */
#define A32_READ_PMCCNTR_WIDE 35
#define A32_WRITE_PMCCNTR_WIDE 36
/* Counting: r0 is the number of iterations, r1 a buffer. */
#define A32_COUNTDOWN 37
#define A32_CONDITIONAL 38
#define A32_BLOCK_TRANSFER 39
#define A32_COPROCESSOR 40
#define A32_INTERWORKING 41
#define T32_COUNTDOWN 42
#define T32_IT_BLOCKS 43
#define T32_MIXED_SIZES 44
/* Counts around an instruction that a handler skips; there are no arguments. */
#define A32_UNDEFINED 45
#define T32_UNDEFINED 46
/* Counts around a load from r1 that faults and is retried. */
#define A32_LOAD_FAULT 47
#define A32_LOAD_MULTIPLE_FAULT 48
#define T32_IT_LOAD_FAULT 49
/* Every function returns through this; it can be jumped to. */
#define A32_LEAVE 50
/*
 * Code that is copied. Its second instruction, of 32 bits, begins after T32_CROSSING_OFFSET bytes.
 */
#define T32_CROSSING 51
#define T32_CROSSING_END 52
#define T32_CROSSING_OFFSET 6
#define A32_FUNCTIONS 53

#endif
