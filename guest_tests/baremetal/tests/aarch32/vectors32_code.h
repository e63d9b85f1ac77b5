/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_VECTORS32_CODE_H
#define TESTS_VECTORS32_CODE_H

/* The functions of vectors32_code.S, by their index in the table at its beginning. */
#define V32_VLD1_FOUR 0
#define V32_VLD1_HALVES 1
#define V32_VLD4 2
#define V32_VST2 3
#define V32_VST1_TWO 4
#define V32_VLD1_LANE 5
#define V32_VLD4_LANE 6
#define V32_VST3_LANE 7
#define V32_VLD2_ALL 8
#define V32_VLDM_D 9
#define V32_VLDM_S 10
#define V32_VSTM_D 11
#define V32_VSTMDB_S 12
#define V32_VLDR 13
#define V32_FUNCTIONS 14

#endif
