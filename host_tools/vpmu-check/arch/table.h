/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the loops of all architectures have in common. Each architecture includes this after its
 * loops, and defines what differs:
 *
 * CALLS_INSTRUCTIONS, STORE_INSTRUCTIONS: instructions of a turn of these loops,
 * WITH_CALLS(n): n, or NOT_KNOWN if calls and returns may count as accesses to memory.
 */

extern const char loop_calls_first[], loop_calls_call[], loop_calls_back[], loop_calls_jump[],
    loop_calls_second[], loop_calls_third[], loop_calls_again[], loop_calls_leaf[];

const struct known_branch known_branches[] = {
    {loop_calls_call, loop_calls_leaf},   {loop_calls_leaf, loop_calls_back},
    {loop_calls_jump, loop_calls_second}, {loop_calls_second, loop_calls_third},
    {loop_calls_again, loop_calls_first},
};
const size_t known_branch_count = ARRAY_SIZE(known_branches);

#define ENTRY(name, ...)                                                                           \
    {                                                                                              \
#name, loop_##name, loop_##name##_text,                                                    \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

/*
 * Each turn ends with a subtraction and a branch that is taken, but for the last turn's. Runs of N
 * and of 2 N turns both have a last turn, so the difference has N taken branches. In the order of
 * enum quantity: instructions, branches, taken, direct, returns, loads, stores, accesses.
 */
const struct loop loops[LOOPS] = {
    /* 8 additions, and the end of a turn. */
    [LOOP_ADD] = ENTRY(add, 8 + 2, 1, 1, 1, 0, 0, 0, 0),
    /* 3 loads, 2 stores, and the end of a turn. */
    [LOOP_MEMORY] = ENTRY(memory, 3 + 2 + 2, 1, 1, 1, 0, 3, 2, 3 + 2),
    /* Branches: call, return, one that is not taken, jump, indirect jump, the turn's end. All but
     * one are taken; all but the return and the indirect jump are direct. */
    [LOOP_CALLS] =
        ENTRY(calls, CALLS_INSTRUCTIONS, 6, 5, 4, 1, WITH_CALLS(0), WITH_CALLS(0), WITH_CALLS(0)),
    /* A load, and the end of a turn. */
    [LOOP_CHASE] = ENTRY(chase, 1 + 2, 1, 1, 1, 0, 1, 0, 1),
    /* A store, which on Arm adds to the address, too, and the end of a turn. */
    [LOOP_STORE] = ENTRY(store, STORE_INSTRUCTIONS, 1, 1, 1, 0, 0, 1, 1),
    /* A branch that is taken or not, over one instruction, and the end of a turn. */
    [LOOP_RANDOM] = ENTRY(random, NOT_KNOWN, 2, NOT_KNOWN, 2, 0, 0, 0, 0),
    /* The address of a function and what follows it in the list, an indirect call, the function's
     * return, and the end of a turn. */
    [LOOP_CODE] = ENTRY(code, 5, 3, 3, 1, 1, WITH_CALLS(1), WITH_CALLS(0), WITH_CALLS(1)),
    /* The number of the system call, the call, and the end of a turn. What enters and leaves the
     * kernel may be branches. */
    [LOOP_SYSCALL] = ENTRY(syscall, 2 + 2, NOT_KNOWN, NOT_KNOWN, NOT_KNOWN, 0, 0, 0, 0),
};
