/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What generated code calls for the PMU; included by target/i386/helper.h
 */

DEF_HELPER_4(pmu_limit, noreturn, env, i32, i32, i32)
DEF_HELPER_FLAGS_1(pmu_step, TCG_CALL_NO_WG, void, env)
DEF_HELPER_FLAGS_3(pmu_data, TCG_CALL_NO_WG, void, env, i64, i32)
DEF_HELPER_FLAGS_3(pmu_maintain, TCG_CALL_NO_WG, void, env, i64, i32)
DEF_HELPER_FLAGS_3(pmu_fetch, TCG_CALL_NO_WG, void, env, i64, i32)
DEF_HELPER_FLAGS_1(pmu_spent, TCG_CALL_NO_RWG, void, env)
DEF_HELPER_FLAGS_3(pmu_mispredicted, TCG_CALL_NO_RWG, void, env, i64, i32)
DEF_HELPER_FLAGS_3(pmu_redirected, TCG_CALL_NO_RWG, void, env, i64, i64)
DEF_HELPER_FLAGS_4(pmu_taken, TCG_CALL_NO_RWG, void, env, i64, i64, i32)
DEF_HELPER_FLAGS_5(pmu_call, TCG_CALL_NO_WG, void, env, i64, i64, i32, i32)
DEF_HELPER_FLAGS_4(pmu_leave, TCG_CALL_NO_WG, void, env, i64, i32, i32)
DEF_HELPER_FLAGS_6(pmu_jump, TCG_CALL_NO_WG, void, env, i64, i64, i32, i32,
                   i32)
DEF_HELPER_FLAGS_3(pmu_far, TCG_CALL_NO_WG, void, env, i64, i32)
